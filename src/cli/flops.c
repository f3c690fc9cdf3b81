/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of single nodes: the formulas that docs/models.md lists. */
#include "cli/flops.h"

#include <gpugraph/op.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes --- */

double cli_elements(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  double n = 1;

  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] < 0)
      return -1;
    n *= (double)t->dims[i];
  }
  return n;
}

/* Size `i` from the end; 1 of a scalar. */
static double size_at(const gg_var *v, unsigned int i) {
  const gg_type *t = gg_var_type(v);

  return t->nd <= i ? 1 : (double)t->dims[t->nd - 1 - i];
}

/* --- products --- */

static double of_product(const gg_apply *a, const gg_var *x) {
  return 2 * cli_elements(a->out[0]) * size_at(x, 0);
}

static double of_dot(const gg_apply *a) {
  return of_product(a, a->in[0]);
}

static double of_gemm(const gg_apply *a) {
  return of_product(a, a->in[1]);
}

/* Each element of y is a product of one filter. `y` may be what is read. */
static double of_filters(const gg_var *y, const gg_var *w) {
  const gg_type *t = gg_var_type(w);

  return t->dims[0] == 0
             ? 0
             : 2 * cli_elements(y) * cli_elements(w) / (double)t->dims[0];
}

static double of_conv(const gg_apply *a) {
  return of_filters(a->out[0], a->in[1]);
}

static double of_conv_input(const gg_apply *a) {
  return of_filters(a->in[0], a->in[1]);
}

static double of_conv_filters(const gg_apply *a) {
  return of_filters(a->in[1], a->out[0]);
}

/* The rows of a dense matrix for each element that is stored. */
static double of_csr_dot(const gg_apply *a) {
  const double columns =
      gg_var_type(a->out[0])->nd < 2 ? 1 : size_at(a->out[0], 0);

  return 2 * cli_elements(a->in[2]) * columns;
}

/* --- factors of matrices --- */

/* Of [..., m, n] with k, the lesser size, and the larger one: k^2 (larger - k /
 * 3) for each matrix. */
static double of_elimination(const gg_var *x) {
  const double m = size_at(x, 1), n = size_at(x, 0);
  const double k = m < n ? m : n, larger = m < n ? n : m;

  return k == 0 ? 0 : cli_elements(x) / (m * n) * k * k * (larger - k / 3);
}

static double of_lu(const gg_apply *a) {
  return of_elimination(a->in[0]);
}

/* R and Q take as much each, and twice what an LU factor does. */
static double of_qr(const gg_apply *a) {
  return 4 * of_elimination(a->in[0]);
}

/* The half of an LU factor. */
static double of_cholesky(const gg_apply *a) {
  return of_elimination(a->in[0]) / 2;
}

static double of_triangular_solve(const gg_apply *a) {
  return cli_elements(a->out[0]) * size_at(a->in[0], 0);
}

static double of_lu_solve(const gg_apply *a) {
  return 2 * of_triangular_solve(a);
}

/* --- transforms --- */

/* The product of the sizes along the axes that the node's text names. */
static double length_of(const gg_apply *a, const gg_var *x) {
  char text[256] = "";
  double n = 1;

  a->op->print(a, text, sizeof text);
  const char *p = strstr(text, "axes=");
  for (p = p == NULL ? "" : p + 5; *p >= '0' && *p <= '9'; p += *p == ',') {
    char *end;
    const unsigned long axis = strtoul(p, &end, 10);
    n *= axis < gg_var_type(x)->nd ? (double)gg_var_type(x)->dims[axis] : 1;
    p = end;
  }
  return n;
}

/* 5 n log2 n for n complex numbers, as is usual, and half of that for n real
 * ones. */
static double of_transform(const gg_apply *a, const gg_var *x, double factor) {
  const double n = length_of(a, x);

  return n <= 1 ? 0 : factor * cli_elements(x) * log2(n);
}

static double of_fft(const gg_apply *a) {
  return of_transform(a, a->in[0], 5);
}

static double of_rfft(const gg_apply *a) {
  return of_transform(a, a->in[0], 2.5);
}

static double of_irfft(const gg_apply *a) {
  return of_transform(a, a->out[0], 2.5);
}

/* --- one for each element --- */

static double of_elements(const gg_apply *a) {
  return cli_elements(a->in[0]);
}

static double of_recurrence(const gg_apply *a) {
  return 2 * cli_elements(a->out[0]);
}

static double of_none(const gg_apply *a) {
  (void)a;
  return 0;
}

/* --- by name --- */

static const struct {
  const char *op;
  double (*flops)(const gg_apply *a);
} known[] = {
    {"dot", of_dot},
    {"batched_dot", of_dot},
    {"gemm", of_gemm},
    {"gemv", of_gemm},
    {"ger", of_gemm},
    {"batched_gemm", of_gemm},
    {"conv", of_conv},
    {"conv_input", of_conv_input},
    {"conv_filters", of_conv_filters},
    {"csr_dot", of_csr_dot},
    {"cholesky", of_cholesky},
    {"cholesky_gradient", of_lu},
    {"lu", of_lu},
    {"qr", of_qr},
    {"qr_pivoted", of_qr},
    {"triangular_solve", of_triangular_solve},
    {"lu_solve", of_lu_solve},
    {"fft", of_fft},
    {"rfft", of_rfft},
    {"irfft", of_irfft},
    {"cumulate", of_elements},
    {"recurrence", of_recurrence},
};

/* These move, compare or count elements. The sides of a choice are nodes. */
static const char *const moves[] = {
    "argsort",      "assert",       "bincount",      "bit_cast",
    "check_edges",  "check_index",  "compress",      "guard_index",
    "histogram",    "ifelse",       "join",          "kth",
    "partition",    "permutation",  "pool_indices",  "pool_max",
    "pool_pick",    "positions_of", "put",           "roi_pool",
    "searchsorted", "slice_grad",   "slice_grad_at", "slice_set",
    "slice_set_at", "sort",         "take",          "topk"};

static double (*formula_of(const char *op))(const gg_apply *a) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].op, op) == 0)
      return known[i].flops;
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
    if (strcmp(moves[i], op) == 0)
      return of_none;
  return NULL;
}

double cli_flops(const gg_apply *a) {
  double (*const formula)(const gg_apply *a) = formula_of(a->op->name);
  const gg_code *code;

  if (formula != NULL)
    return formula(a);
  switch (a->op->kind) {
  case GG_OP_ELEMWISE:
    code = gg_apply_code(a);
    return code == NULL ? -1 : code->flops * cli_elements(a->out[0]);
  case GG_OP_REDUCE:
    return cli_elements(a->in[0]);
  case GG_OP_VIEW:
  case GG_OP_SHAPE:
  case GG_OP_TRANSFER:
    return 0;
  default:
    return -1;
  }
}

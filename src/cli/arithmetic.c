/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/arithmetic.h"

#include <gpuarray/util.h>
#include <gpugraph/op.h>
#include <gpugraph/walk.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes --- */

/* Elements, or -1. */
static double elements(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  double n = 1;

  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] < 0)
      return -1;
    n *= (double)t->dims[i];
  }
  return n;
}

double cli_var_bytes(const gg_var *v) {
  const double n = elements(v);

  return n < 0 ? n : n * (double)gpuarray_get_elsize(gg_var_type(v)->dtype);
}

/* Size `i` from the end; 1 of a scalar. */
static double size_at(const gg_var *v, unsigned int i) {
  const gg_type *t = gg_var_type(v);

  return t->nd <= i ? 1 : (double)t->dims[t->nd - 1 - i];
}

/* --- arithmetic of one node --- */

static double of_product(const gg_apply *a, const gg_var *x) {
  return 2 * elements(a->out[0]) * size_at(x, 0);
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

  return t->dims[0] == 0 ? 0
                         : 2 * elements(y) * elements(w) / (double)t->dims[0];
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
};

/* FLOPs if all sizes are known; -1: not counted. */
static double flops_of(const gg_apply *a) {
  const gg_code *code;

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].op, a->op->name) == 0)
      return known[i].flops(a);
  switch (a->op->kind) {
  case GG_OP_ELEMWISE:
    code = gg_apply_code(a);
    return code == NULL ? -1 : code->flops * elements(a->out[0]);
  case GG_OP_REDUCE:
    return elements(a->in[0]);
  case GG_OP_VIEW:
  case GG_OP_SHAPE:
  case GG_OP_TRANSFER:
    return 0;
  default:
    return -1;
  }
}

/* Bytes of what the node reads and writes; -1 if a size is not known. */
static double bytes_of(const gg_apply *a) {
  double sum = 0;

  if (a->op->kind == GG_OP_VIEW || a->op->kind == GG_OP_SHAPE)
    return 0;
  for (unsigned int i = 0; i < a->n_in + a->n_out; i++) {
    const gg_var *v = i < a->n_in ? a->in[i] : a->out[i - a->n_in];

    if (i < a->n_in && gg_apply_shape_only(a, i))
      continue;
    if (elements(v) < 0)
      return -1;
    sum += cli_var_bytes(v);
  }
  return sum;
}

/* --- lists --- */

static cli_cost *entry(cli_costs *list, const char *op) {
  const cli_cost none = {.op = op};

  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i].op, op) == 0)
      return &list->v[i];
  return ga__vec_push(list, none) == GA_NO_ERROR ? &list->v[list->n - 1] : NULL;
}

static int add_node(cli_costs *list, const gg_apply *a) {
  const double flops = flops_of(a), bytes = bytes_of(a);
  cli_cost *c = entry(list, a->op->name);

  if (c == NULL)
    return ga__fail_nomem();
  c->nodes++;
  if (bytes < 0) {
    c->open++;
    return GA_NO_ERROR;
  }
  c->bytes += bytes;
  if (flops < 0)
    c->uncounted++;
  else
    c->flops += flops;
  return GA_NO_ERROR;
}

static int add_all(cli_costs *list, gg_var *const *vars, gg_var *const *until,
                   int depth);

/* Count the ops that a macro is composed of. */
static int add_macro(cli_costs *list, const gg_apply *a, int depth) {
  gg_var **out = ga__calloc(a->n_out + a->n_in + 2, sizeof *out);
  gg_var **in = out == NULL ? NULL : out + a->n_out + 1;
  int err;

  if (out == NULL)
    return ga__fail_nomem();
  memcpy(in, a->in, a->n_in * sizeof *in);
  err = a->op->lower(a, out);
  if (err == GA_NO_ERROR && out[0] != NULL)
    err = add_all(list, out, in, depth + 1);
  ga__free(out);
  return err;
}

/* A macro that is composed of itself ends here. */
enum { DEEPEST = 16 };

static int add_all(cli_costs *list, gg_var *const *vars, gg_var *const *until,
                   int depth) {
  gg_apply **nodes;
  size_t n;
  int err = gg_toposort(&nodes, &n, vars, until);

  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++)
    err = nodes[i]->op->kind == GG_OP_MACRO && depth < DEEPEST
              ? add_macro(list, nodes[i], depth)
              : add_node(list, nodes[i]);
  gg_list_free(nodes);
  return err;
}

static int compare(const void *a, const void *b) {
  const cli_cost *x = a, *y = b;

  if (x->flops != y->flops)
    return x->flops < y->flops ? 1 : -1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return strcmp(x->op, y->op);
}

int cli_costs_of(cli_costs *list, gg_var *const *vars) {
  if (vars[0] == NULL)
    return GA_NO_ERROR;
  GA_TRY(add_all(list, vars, NULL, 0));
  if (list->n > 0)
    qsort(list->v, list->n, sizeof *list->v, compare);
  return GA_NO_ERROR;
}

cli_cost cli_costs_sum(const cli_costs *list) {
  cli_cost sum = {.op = "in all"};

  for (size_t i = 0; i < list->n; i++) {
    sum.nodes += list->v[i].nodes;
    sum.open += list->v[i].open;
    sum.uncounted += list->v[i].uncounted;
    sum.flops += list->v[i].flops;
    sum.bytes += list->v[i].bytes;
  }
  return sum;
}

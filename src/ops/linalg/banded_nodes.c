/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with banded matrices, whose diagonals are rows. */
#include <gpugraph/arrange.h>
#include <gpugraph/linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ops/linalg/matrices.h"

enum { BANDS, RIGHT_SIDE, OPERANDS };
enum { MOST_LOWER = 1 << 20 }; /* of a file */

static const gg__banded_props *props_of(const gg_apply *a) {
  return a->props;
}

static gg_var *solve(gg_var *ab, gg_var *b, unsigned int lower, int trans) {
  const gg__banded_props p = {lower, trans};
  gg_var *const in[OPERANDS] = {ab, b};

  return gg_op_apply(NULL, &gg__op_solve_banded, &p, OPERANDS, in);
}

/* --- shapes --- */

static int fail_rows(const gg_apply *a, int64_t rows) {
  return gg_op_fail(a, GA_VALUE_ERROR,
                    "%lld rows of bands, expected more than the %u diagonals "
                    "below the main one",
                    (long long)rows, props_of(a)->lower);
}

static int check_banded(const gg_apply *a) {
  GA_TRY(gg__check_matrix(a));
  GA_TRY(gg__check_batches(a, BANDS, RIGHT_SIDE));
  const gg_type *x = gg_var_type(a->in[BANDS]);
  const int64_t rows = x->dims[x->nd - 2];
  if (props_of(a)->lower > MOST_LOWER ||
      (rows != GG_ANY && rows <= (int64_t)props_of(a)->lower))
    return fail_rows(a, rows);
  return GA_NO_ERROR;
}

static int fail_sizes(const gg_apply *a, int64_t m, int64_t n) {
  return gg_op_fail(a, GA_VALUE_ERROR, "sizes %lld and %lld differ",
                    (long long)m, (long long)n);
}

static int infer_banded(const gg_apply *a, gg_type *out) {
  GA_TRY(check_banded(a));
  const gg_type *x = gg_var_type(a->in[BANDS]);
  const int64_t n = x->dims[x->nd - 1];

  *out = *gg_var_type(a->in[RIGHT_SIDE]);
  if (n != GG_ANY && out->dims[x->nd - 2] != GG_ANY &&
      n != out->dims[x->nd - 2])
    return fail_sizes(a, n, out->dims[x->nd - 2]);
  return GA_NO_ERROR;
}

static int shape_banded(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  const gg_dims *x = &in[BANDS], *b = &in[RIGHT_SIDE];

  (void)host;
  GA_TRY(gg__check_batch_dims(a, x, b));
  if (x->dim[x->nd - 2] <= props_of(a)->lower)
    return fail_rows(a, (int64_t)x->dim[x->nd - 2]);
  if (x->dim[x->nd - 1] != b->dim[x->nd - 2])
    return fail_sizes(a, (int64_t)x->dim[x->nd - 1],
                      (int64_t)b->dim[x->nd - 2]);
  *out = *b;
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static const char *no_grad_banded(const gg_apply *a, unsigned int in) {
  const gg_type *x = gg_var_type(a->in[BANDS]);

  return in == BANDS && x->dims[x->nd - 2] == GG_ANY
             ? "the number of diagonals is not known"
             : NULL;
}

/* Element j is element j + by of x along axis -2, or 0. */
static gg_var *shifted(gg_var *x, int64_t by) {
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};

  if (x == NULL)
    return NULL;
  before[gg__rank_of(x) - 2] = -by;
  after[gg__rank_of(x) - 2] = by;
  return gg_pad(x, before, after, GG_PAD_CONSTANT, NULL);
}

/* With H = op(A)^-T G, which is the gradient by B, the one by op(A) is -H X^T,
 * of which the bands are kept: diagonal d has elements (j + d - upper, j). */
static int grad_banded(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const unsigned int lower = props_of(a)->lower;
  const int trans = props_of(a)->trans, last = -1;
  const gg_type *const t = gg_var_type(a->in[BANDS]);
  const int64_t rows = t->dims[t->nd - 2];
  gg_var *const x = a->out[0], *const h =
                                   solve(a->in[BANDS], gout[0], lower, !trans);
  gg_var *const left = trans ? x : h, *const right = trans ? h : x;

  gin[RIGHT_SIDE] = h;
  if (rows == GG_ANY)
    return GA_NO_ERROR;
  gg_var **const bands = ga__calloc((size_t)rows, sizeof *bands);
  if (bands == NULL)
    return ga__fail_nomem();
  for (int64_t d = 0; d < rows; d++)
    bands[d] =
        gg_reduce(GG_SUM, gg_mul(shifted(left, d - (rows - 1 - lower)), right),
                  1, &last, 0);
  gin[BANDS] = gg_neg(gg_stack(-2, (unsigned int)rows, bands));
  ga__free(bands);
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_banded(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  slot_in[BANDS] = 0;
  slot_in[RIGHT_SIDE] = 1;
  slot_out[0] = 2;
  return GpuArray_solve_banded_prepare(
      out, p->out[0], NULL, p->in[BANDS], p->in[RIGHT_SIDE],
      props_of(p->apply)->lower,
      props_of(p->apply)->trans ? GA_FACTOR_TRANS : 0);
}

static int destroys_right_side(const gg_apply *a, unsigned int out) {
  (void)a;
  (void)out;
  return RIGHT_SIDE;
}

/* --- on the host --- */

/* Set the dense matrix a to that of matrix z of the bands. */
static void expand_bands(const gg__host_matrices *ab, size_t z, size_t lower,
                         int trans, double *a) {
  const size_t n = ab->n, upper = ab->m - 1 - lower, parts = ab->parts;

  for (size_t i = 0; i < n * n * parts; i++)
    a[i] = 0;
  for (size_t d = 0; d < ab->m; d++)
    for (size_t j = 0; j < n; j++)
      if (j + d >= upper && j + d - upper < n) {
        const size_t i = j + d - upper;
        memcpy(a + (trans ? j * n + i : i * n + j) * parts,
               ab->v + ((z * ab->m + d) * n + j) * parts, parts * sizeof *a);
      }
}

/* Exchange rows i and k of n doubles. */
static void exchange(double *x, size_t n, size_t i, size_t k) {
  for (size_t j = 0; j < n; j++) {
    const double t = x[i * n + j];

    x[i * n + j] = x[k * n + j];
    x[k * n + j] = t;
  }
}

static double size_of(const double *x, size_t parts) {
  return parts == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
}

/* Row i of x minus f times row k, from column `first` on; n columns. */
static void subtract_row(double *x, size_t n, size_t first, size_t i, size_t k,
                         const double *f, size_t parts) {
  for (size_t j = first; j < n; j++)
    gg__host_subtract(x + (i * n + j) * parts, f, x + (k * n + j) * parts,
                      parts, 0);
}

/* x = a^-1 x for the n x n matrix a, which is overwritten, and r columns. */
static void solve_dense(double *a, size_t n, double *x, size_t r,
                        size_t parts) {
  for (size_t k = 0; k < n; k++) {
    const double *const pivot = a + (k * n + k) * parts;
    size_t p = k;

    for (size_t i = k + 1; i < n; i++)
      if (size_of(a + (i * n + k) * parts, parts) >
          size_of(a + (p * n + k) * parts, parts))
        p = i;
    exchange(a, n * parts, k, p);
    exchange(x, r * parts, k, p);
    for (size_t i = k + 1; i < n && size_of(pivot, parts) != 0; i++) {
      double f[2] = {0};

      memcpy(f, a + (i * n + k) * parts, parts * sizeof *f);
      gg__host_divide(f, pivot, parts, 0);
      if (size_of(f, parts) != 0)
        subtract_row(a, n, k, i, k, f, parts);
      subtract_row(x, r, 0, i, k, f, parts);
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++)
      subtract_row(x, r, 0, k, j, a + (k * n + j) * parts, parts);
    for (size_t c = 0; c < r; c++)
      gg__host_divide(x + (k * r + c) * parts, a + (k * n + k) * parts, parts,
                      0);
  }
}

static int reference_banded(const gg_prepare *p) {
  gg__host_matrices ab = {.v = NULL}, x = {.v = NULL};
  double *a = NULL;
  int err;

  GA_CHECK(gg__matrices_read(&ab, p, BANDS));
  GA_CHECK(gg__matrices_read(&x, p, RIGHT_SIDE));
  a = ga__calloc(ga__times(ga__times(ab.n, ab.n), ab.parts), sizeof *a);
  if (a == NULL)
    GA_CHECK(ga__fail_nomem());
  for (size_t z = 0; z < x.batch; z++) {
    expand_bands(&ab, z, props_of(p->apply)->lower, props_of(p->apply)->trans,
                 a);
    solve_dense(a, ab.n, x.v + z * x.m * x.n * x.parts, x.n, x.parts);
  }
  gg__matrices_write(&x, p, 0);

done:
  gg__matrices_clear(&ab);
  gg__matrices_clear(&x);
  ga__free(a);
  return err;
}

static void print_banded(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "lower=%u%s", props_of(a)->lower,
           props_of(a)->trans ? " trans" : "");
}

const gg_op gg__op_solve_banded = {.name = "solve_banded",
                                   .kind = GG_OP_KERNEL,
                                   .complex_use = GG_ANALYTIC,
                                   .props_bytes = sizeof(gg__banded_props),
                                   .n_out = 1,
                                   .infer = infer_banded,
                                   .shape = shape_banded,
                                   .grad = grad_banded,
                                   .no_grad = no_grad_banded,
                                   .prepare = prepare_banded,
                                   .destroys = destroys_right_side,
                                   .reference = reference_banded,
                                   .print = print_banded};

/* --- builders --- */

gg_var *gg_solve_banded(gg_var *ab, gg_var *b, unsigned int lower, int flags) {
  const gg_op *const op = &gg__op_solve_banded;
  const int trans = GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS;
  const gg__banded_props p = {lower, (flags & trans) != 0};
  gg_var *in[OPERANDS] = {ab, b};

  if (!gg__as_matrices(op, OPERANDS, in))
    return NULL;
  if (flags & ~trans)
    return gg__refuse(op, OPERANDS, in, GA_VALUE_ERROR,
                      "flags %#x are not known",
                      (unsigned int)(flags & ~trans));
  if (flags == trans)
    return gg__refuse(op, OPERANDS, in, GA_VALUE_ERROR,
                      "flags %#x do not go together", (unsigned int)flags);
  const unsigned int nd = gg__rank_of(b);
  const int is_vector = nd >= 1 && nd + 1 == gg__rank_of(ab);
  if (is_vector)
    in[RIGHT_SIDE] = gg__expand(in[RIGHT_SIDE], nd);
  /* conj(A^T)^-1 b = conj(A^-T conj(b)). */
  if (flags & GA_FACTOR_CONJ_TRANS)
    in[RIGHT_SIDE] = gg_conj(in[RIGHT_SIDE]);
  gg_var *x = gg__apply_checked(op, &p, OPERANDS, in, check_banded);
  if (flags & GA_FACTOR_CONJ_TRANS)
    x = gg_conj(x);
  return is_vector && x != NULL ? gg_squeeze(x, (int)nd) : x;
}

/* --- in texts and files --- */

static const gg_field fields[] = {
    {GG_FIELD("lower", UINT, gg__banded_props, lower)},
    {GG_FIELD("trans", FLAG, gg__banded_props, trans), .optional = 1}};

const gg_op_form gg__forms_banded_nodes[] = {
    GG_FORM_PROPS(solve_banded, "FF", fields, check_banded), GG_FORMS_END};

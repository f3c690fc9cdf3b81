/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of batches of matrices.
 *
 * Users build "batched_dot"; rewrites turn it into batched_gemm, which adds to
 * its first operand. Vectors become matrices with an axis of size 1. Transposed
 * matrices are dimshuffles: views whose strides BLAS can use. */
#include <gpuarray/blas_complex.h>

#include "ops/ops.h"

/* --- batched_dot --- */

static int fail_batch(const gg_apply *a, int64_t x, int64_t y) {
  return gg_op_fail(a, GA_VALUE_ERROR, "batch sizes %lld and %lld differ",
                    (long long)x, (long long)y);
}

static int fail_inner(const gg_apply *a, int64_t x, int64_t y) {
  return gg_op_fail(a, GA_VALUE_ERROR, "inner sizes %lld and %lld differ",
                    (long long)x, (long long)y);
}

/* Can two sizes, which may be unknown, be equal? */
static int may_agree(int64_t x, int64_t y) {
  return x == y || x == GG_ANY || y == GG_ANY;
}

static int infer_batched_dot(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);

  if (!may_agree(x->dims[0], y->dims[0]))
    return fail_batch(a, x->dims[0], y->dims[0]);
  if (!may_agree(x->dims[2], y->dims[1]))
    return fail_inner(a, x->dims[2], y->dims[1]);
  out->dtype = x->dtype;
  out->nd = 3;
  out->dims[0] = x->dims[0] != GG_ANY ? x->dims[0] : y->dims[0];
  out->dims[1] = x->dims[1];
  out->dims[2] = y->dims[2];
  return GA_NO_ERROR;
}

static int shape_batched_dot(const gg_apply *a, const gg_dims *in,
                             const double *const *host, gg_dims *out) {
  const size_t *const x = in[0].dim, *const y = in[1].dim;

  (void)host;
  if (x[0] != y[0])
    return fail_batch(a, (int64_t)x[0], (int64_t)y[0]);
  if (x[2] != y[1])
    return fail_inner(a, (int64_t)x[2], (int64_t)y[1]);
  *out = (gg_dims){3, {x[0], x[1], y[2]}};
  return GA_NO_ERROR;
}

static gg_var *batched_dot(gg_var *a, gg_var *b, double alpha) {
  const gg__dot_props p = {alpha};
  gg_var *const in[2] = {a, b};

  return gg_op_apply(NULL, &gg__op_batched_dot, &p, 2, in);
}

gg_var *gg__transpose_each(gg_var *x) {
  return gg_dimshuffle(x, 3, (const int[]){0, 2, 1});
}

static int grad_batched_dot(const gg_apply *a, gg_var *const *gout,
                            gg_var **gin) {
  const gg__dot_props *p = a->props;

  gin[0] = batched_dot(gout[0], gg__transpose_each(a->in[1]), p->alpha);
  gin[1] = batched_dot(gg__transpose_each(a->in[0]), gout[0], p->alpha);
  return GA_NO_ERROR;
}

static int prepare_batched_dot(const gg_prepare *p, GpuLaunch **out,
                               int *slot_in, int *slot_out) {
  const gg__dot_props *props = p->apply->props;

  slot_in[0] = 0;
  slot_in[1] = 1;
  slot_out[0] = 2;
  if (ga__dtype_is_complex(p->out[0]->typecode))
    return GpuArray_cgemmBatch_3d_prepare(
        out, cb_no_trans, cb_no_trans, (ga_complex){props->alpha, 0}, p->in[0],
        p->in[1], (ga_complex){0, 0}, p->out[0]);
  return GpuArray_rgemmBatch_3d_prepare(out, cb_no_trans, cb_no_trans,
                                        props->alpha, p->in[0], p->in[1], 0,
                                        p->out[0]);
}

const gg_op gg__op_batched_dot = {.name = "batched_dot",
                                  .kind = GG_OP_KERNEL,
                                  .half_ok = 1,
                                  .props_bytes = sizeof(gg__dot_props),
                                  .n_out = 1,
                                  .infer = infer_batched_dot,
                                  .shape = shape_batched_dot,
                                  .grad = grad_batched_dot,
                                  .complex_use = GG_ANALYTIC,
                                  .prepare = prepare_batched_dot,
                                  .prepare_post = gg__post_dot,
                                  .reference = gg__reference_dot,
                                  .print = gg__print_alpha};

/* --- the form that adds to its first operand --- */

static int shape_batched_gemm(const gg_apply *a, const gg_dims *in,
                              const double *const *host, gg_dims *out) {
  gg_dims product = {0, {0}};

  GA_TRY(shape_batched_dot(a, in + 1, host, &product));
  *out = in[0];
  return gg__check_first(a, &in[0], &product);
}

const gg_op gg__op_batched_gemm = {.name = "batched_gemm",
                                   .kind = GG_OP_KERNEL,
                                   .half_ok = 1,
                                   .props_bytes = sizeof(gg__gemm_props),
                                   .n_out = 1,
                                   .infer = gg__infer_first,
                                   .shape = shape_batched_gemm,
                                   .parts = gg__parts_first,
                                   .prepare = gg__prepare_gemm,
                                   .prepare_post = gg__post_gemm,
                                   .destroys = gg__destroys_first,
                                   .reference = gg__reference_gemm,
                                   .print = gg__print_gemm};

/* --- builder --- */

/* If x is a vector, one element for each entry of the batch: give it rank nd,
 * so that it broadcasts in a product with the other operand. */
static gg_var *with_axes(gg_var *x, unsigned int nd) {
  const int pattern[3] = {0, -1, -1};

  return gg_var_type(x)->nd == 1 ? gg_dimshuffle(x, nd, pattern) : x;
}

/* Vectors get an axis of size 1 for the product, and the result loses it. */
static gg_var *multiply(gg_var *a, gg_var *b) {
  const unsigned int na = gg_var_type(a)->nd, nb = gg_var_type(b)->nd;
  unsigned int n = 0;
  int pattern[3];

  pattern[n++] = 0;
  if (na == 3)
    pattern[n++] = 1;
  if (nb == 3)
    pattern[n++] = 2;
  return gg_dimshuffle(batched_dot(na == 3 ? a : gg__expand(a, 1),
                                   nb == 3 ? b : gg__expand(b, 2), 1),
                       n, pattern);
}

gg_var *gg_batched_dot(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  if (!gg__given(&gg__op_batched_dot, 2, in))
    return NULL;
  const gg_type *x = gg_var_type(a), *y = gg_var_type(b);
  if (x->nd == 0 || y->nd == 0)
    return gg__refuse(&gg__op_batched_dot, 2, in, GA_VALUE_ERROR,
                      "a scalar has no axis for the batch");
  if (x->nd > 3 || y->nd > 3)
    return gg__refuse(&gg__op_batched_dot, 2, in, GA_UNSUPPORTED_ERROR,
                      "more than 3 dimensions");
  if (x->nd == 1 || y->nd == 1)
    return gg_mul(with_axes(a, y->nd), with_axes(b, x->nd));
  int dtype = gg__common_dtype(x->dtype, y->dtype);
  if (gg__float_dtype(dtype) != dtype)
    return gg__refuse(&gg__op_batched_dot, 2, in, GA_UNSUPPORTED_ERROR,
                      "expected a float or complex dtype");
  return multiply(gg_cast(a, dtype), gg_cast(b, dtype));
}

/* --- in texts and files --- */

const gg_op_form gg__forms_batched[] = {
    GG_FORM_PROPS(batched_dot, "F3F3", gg__dot_fields, NULL),
    GG_FORM_PROPS(batched_gemm, "F3F3F3", gg__gemm_fields, NULL), GG_FORMS_END};

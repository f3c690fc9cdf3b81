/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by index, and the sum of rows that is its gradient. */
#include <string.h>

#include "ops/ops.h"

/* --- take --- */

static int infer_take(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dims[0] = gg_var_type(a->in[1])->dims[0];
  return GA_NO_ERROR;
}

static int shape_take(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[0];
  out->dim[0] = in[1].dim[0];
  if (in[0].dim[0] == 0 && in[1].dim[0] != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no rows to take");
  return GA_NO_ERROR;
}

static int prepare_take(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_in[1] = 2;
  return GpuArray_take1_prepare(out, p->out[0], p->in[0], p->in[1]);
}

static int reference_take(const gg_prepare *p) {
  const GpuArray *const x = p->in[0], *const index = p->in[1];
  const size_t rows = x->dimensions[0];
  size_t bytes = ga__dtype_size(x->typecode);

  for (size_t i = 1; i < x->nd; i++)
    bytes *= x->dimensions[i];
  for (size_t i = 0; i < index->dimensions[0]; i++) {
    double at = ga__dtype_to_double(index->typecode,
                                    (const char *)p->from[1] +
                                        i * ga__dtype_size(index->typecode));
    at += at < 0 ? (double)rows : 0;
    at = at < 0 ? 0 : at >= (double)rows ? (double)rows - 1 : at;
    memcpy((char *)p->to[0] + i * bytes,
           (const char *)p->from[0] + (size_t)at * bytes, bytes);
  }
  return GA_NO_ERROR;
}

static int grad_take(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[3] = {a->in[0], a->in[1], gout[0]};

  gin[0] = gg_op_apply(NULL, &gg__op_take_grad, NULL, 3, in);
  return GA_NO_ERROR;
}

const gg_op gg__op_take = {.name = "take",
                           .kind = GG_OP_KERNEL,
                           .half_ok = 1,
                           .n_out = 1,
                           .infer = infer_take,
                           .shape = shape_take,
                           .grad = grad_take,
                           .prepare = prepare_take,
                           .reference = reference_take};

gg_var *gg_take(gg_var *x, gg_var *index) {
  gg_var *in[2] = {x, index};

  if (!gg__given(&gg__op_take, 2, in))
    return NULL;
  ga__kind kind = ga__dtype_kind(gg_var_type(index)->dtype);
  if (gg_var_type(x)->nd == 0 || gg_var_type(index)->nd != 1 ||
      (kind != GA_KIND_INT && kind != GA_KIND_UINT))
    return gg__refuse(&gg__op_take, 2, in, GA_VALUE_ERROR,
                      "expected rows and a vector of integers");
  return gg_op_apply(NULL, &gg__op_take, NULL, 2, in);
}

/* --- its gradient --- */

static int infer_take_grad(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dtype = gg_var_type(a->in[2])->dtype;
  return GA_NO_ERROR;
}

/* Added in the order of the indices, so that two runs give the same bits. Bad
 * indices stop at the ends, as those of take do. */
static int lower_take_grad(const gg_apply *a, gg_var **out) {
  gg_var *const x = a->in[0], *const g = a->in[2];
  gg_var *const zero = gg_i64(gg_var_graph(x), 0);
  gg_var *const one = gg_i64(gg_var_graph(x), 1);
  gg_var *const n = gg_shape(x, 0);
  gg_var *index = a->in[1];

  index = gg_where(gg_lt(index, zero), gg_add(index, n), index);
  index = gg_clip(index, zero, gg_sub(n, one));
  out[0] = gg__put_add_rows(gg_fill(x, gg__num(g, 0)), index, g);
  return GA_NO_ERROR;
}

static int grad_take_grad(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gin[2] = gg_take(gout[0], a->in[1]);
  return GA_NO_ERROR;
}

const gg_op gg__op_take_grad = {.name = "take_grad",
                                .kind = GG_OP_MACRO,
                                .n_out = 1,
                                .shape_only = 1,
                                .infer = infer_take_grad,
                                .shape = gg__shape_first,
                                .grad = grad_take_grad,
                                .lower = lower_take_grad};

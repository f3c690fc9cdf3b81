/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantised floats: y = round(x / scale) + zero. */
#include <gpugraph/op.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* Repeat values of blocks: each is for block_size elements along the axis. */
static gg_var *per_block(gg__onnx_call *c, gg_var *v, int axis) {
  const int64_t block = gg__call_int(c, "block_size", 0);

  return block == 0 ? v : gg_repeat(v, axis, block);
}

/* Input i, a scale or a zero point, so that it broadcasts with x. It is a
 * scalar, or has one element per index of the axis, or one per block. */
static int beside(gg__onnx_call *c, size_t i, gg_var **out) {
  gg_var *v = gg__call_in(c, i);
  const unsigned int nd = gg__call_rank(c, 0), k = gg__call_rank(c, i);
  int axis;

  *out = v;
  if (v == NULL || k == 0)
    return GA_NO_ERROR;
  if (k == 1 && gg_var_type(v)->dims[0] == 1) {
    *out = gg_squeeze(v, 0);
    return GA_NO_ERROR;
  }
  GA_TRY(gg__call_axis_attr(c, 1, nd, &axis));
  if (k == 1 && nd != 1)
    *out = gg__along(v, nd, axis);
  else
    *out = per_block(c, v, axis);
  return GA_NO_ERROR;
}

/* The dtype of the result: that of the zero point, else output_dtype, else
 * `missing`. */
static int target(gg__onnx_call *c, const gg_var *zero, int missing,
                  int *dtype) {
  const int64_t type = gg__call_int(c, "output_dtype", 0);

  *dtype = zero != NULL ? gg__dtype_of(zero)
           : type == 0  ? missing
                        : gg__onnx_dtype(type);
  if (*dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "elements of type %s",
                    gg__onnx_type_name(type));
  return GA_NO_ERROR;
}

/* The cast turns values out of range into the nearest limit. */
int gg__from_quantize(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *scale, *zero;
  int dtype;

  GA_TRY(beside(c, 1, &scale));
  GA_TRY(beside(c, 2, &zero));
  GA_TRY(target(c, zero, GA_UBYTE, &dtype));
  gg_var *y = gg_round(gg_div(gg_cast(x, gg__dtype_of(scale)), scale));
  if (zero != NULL)
    y = gg_add(y, gg_cast(zero, gg__dtype_of(y)));
  c->out[0] = gg_cast(y, dtype);
  return GA_NO_ERROR;
}

int gg__from_dequantize(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *scale, *zero;
  int dtype;

  GA_TRY(beside(c, 1, &scale));
  GA_TRY(beside(c, 2, &zero));
  GA_TRY(target(c, NULL, gg__dtype_of(scale), &dtype));
  gg_var *y = gg_cast(x, GA_INT);
  if (zero != NULL)
    y = gg_sub(y, gg_cast(zero, GA_INT));
  c->out[0] = gg_cast(gg_mul(gg_cast(y, gg__dtype_of(scale)), scale), dtype);
  return GA_NO_ERROR;
}

/* Quantise to uint8, with the scale and zero point that fit the range of x,
 * extended to 0. Zeros alone count as the range 0 ... 1. */
int gg__from_dynamic_quantize(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *none = gg__like(x, 0),
         *most = gg__like(x, 255);
  gg_var *lo = gg_minimum(gg_min(x), none), *hi = gg_maximum(gg_max(x), none);
  gg_var *range = gg_where(gg_eq(hi, lo), gg__like(x, 1), gg_sub(hi, lo));
  gg_var *scale = gg_div(range, most);
  gg_var *zero = gg_round(gg_clip(gg_div(gg_neg(lo), scale), none, most));

  c->out[0] = gg_cast(gg_add(gg_round(gg_div(x, scale)), zero), GA_UBYTE);
  if (c->n_out > 1)
    c->out[1] = scale;
  if (c->n_out > 2)
    c->out[2] = gg_cast(zero, GA_UBYTE);
  return GA_NO_ERROR;
}

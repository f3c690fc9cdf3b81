/* SPDX-License-Identifier: BSD-2-Clause */
/* The builders in op_table.def, and functions that they share. Like building
 * functions of the library, these return NULL if an argument is NULL. */
#ifndef ONNX_OPS_BUILDERS_H
#define ONNX_OPS_BUILDERS_H

#include <gpugraph/arrange.h>
#include <gpugraph/ops.h>

#include "onnx/ops/onnx_call.h"

#define OP(name, since, until, most, builder, attrs)                           \
  int gg__from_##builder(gg__onnx_call *c);
#define ONE(name, since, function)
#define TWO(name, since, function)
#define OLD(name, function)
#define SAME(name, since, until, most, builder, attrs, arg)                    \
  int gg__from_##builder(gg__onnx_call *c);
#include "onnx/ops/op_table.def"
#undef OP
#undef ONE
#undef TWO
#undef OLD
#undef SAME

/* a / b, for integers rounded towards 0. */
gg_var *gg__onnx_divide(gg_var *a, gg_var *b);
/* The larger of x and 0, in the dtype of x. */
gg_var *gg__onnx_relu(gg_var *x);
/* x, times slope where it is negative, in the dtype of x. */
gg_var *gg__onnx_prelu(gg_var *x, gg_var *slope);
/* a to the power of b, in the dtype of a. */
gg_var *gg__onnx_power(gg_var *a, gg_var *b);
/* A vector as an array of rank nd, along `axis`; other axes have size 1. */
gg_var *gg__along(gg_var *vector, unsigned int nd, int axis);
/* x reshaped to nd sizes. One of them may be -1: it follows from the others. */
gg_var *gg__to_sizes(gg_var *x, unsigned int nd, gg_var *const *sizes);
/* The product of the sizes of axes begin ... end - 1, 1 for none. */
gg_var *gg__span(gg_var *x, unsigned int begin, unsigned int end);
/* x as a matrix: axes before `axis` become rows, the others columns. */
gg_var *gg__as_matrix(gg_var *x, unsigned int axis);
/* x reshaped to the sizes of `like`. */
gg_var *gg__as_like(gg_var *x, gg_var *like);
/* An int64 scalar divided by n > 0, rounded down. */
gg_var *gg__over(gg_var *size, int64_t n);
/* The product of matrices by NumPy's rules: axes before the last two
 * broadcast. */
gg_var *gg__matmul(gg_var *a, gg_var *b);
/* The largest or the smallest value of x's dtype, for floats an infinity, as a
 * scalar. */
gg_var *gg__limit(gg_var *x, int highest);
/* x with the first lengths[i] elements along axis `time` of entry i of the
 * batch in reverse order. */
gg_var *gg__reverse_sequences(gg_var *x, gg_var *lengths, int batch, int time);
/* Nonzero unless the device of a graph has no float64. */
int gg__has_double(gg_graph *g);
/* x as float64, or as float32 where the device has no float64. */
gg_var *gg__as_widest(gg_var *x);
/* Sums of products in float64 as int32, which wrap around. Algorithms of
 * convolutions leave rounding errors. */
gg_var *gg__wrapped(gg_var *sum);
/* gg__matmul of int32, whose factors have 9 bits, as int32 that wraps. */
gg_var *gg__int_matmul(gg_var *a, gg_var *b);
/* Input x_at less its zero point, input zero_at, as int32. A vector of zero
 * points belongs to an axis of x. */
gg_var *gg__centred(gg__onnx_call *c, size_t x_at, size_t zero_at, int axis);
/* An int32 sum of products as quantised values: times the scales of both
 * operands, inputs a_at and b_at, by the scale of the result, input y_at, plus
 * its zero point, the input after that. A vector b_at belongs to `axis` of the
 * sum, other vectors to the axis before it. */
gg_var *gg__requantised(gg__onnx_call *c, gg_var *sum, size_t a_at, size_t b_at,
                        size_t y_at, int axis);

#endif

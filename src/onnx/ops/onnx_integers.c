/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of quantised matrices: sums have 32 bits and wrap around, on every
 * device. */
#include <gpugraph/op.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* float32 is exact for sums of so many products of factors with 9 bits, of
 * which none is larger than 255: 255 * 255 * 256 < 2^24. */
#define PART 256

gg_var *gg__wrapped(gg_var *sum) {
  return gg_cast(gg_cast(gg_round(sum), GA_LONG), GA_INT);
}

/* --- products --- */

/* x as float32, with `axis` cut into parts of PART elements: an axis of parts
 * and one of elements. Zeros are appended. */
static gg_var *cut(gg_var *x, int axis) {
  const int nd = (int)gg_var_type(x)->nd;
  const int64_t size = gg_var_type(x)->dims[axis];
  const int64_t n = size <= PART ? 1 : (size - 1) / PART + 1;
  int64_t none[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};
  gg_var *sizes[GG_MAX_ND];

  for (int i = 0; i < nd; i++)
    sizes[i < axis ? i : i + 1] = gg__size_of(x, i);
  sizes[axis] = gg_i64(gg_var_graph(x), n);
  sizes[axis + 1] = gg_i64(gg_var_graph(x), PART);
  after[axis] = n * PART - size;
  x = gg_pad(gg_cast(x, GA_FLOAT), none, after, GG_PAD_CONSTANT, NULL);
  return gg__to_sizes(x, (unsigned int)nd + 1, sizes);
}

/* The product without float64: exact ones of parts, which are added. If the
 * size of the axis is open, integers are multiplied, which is slower. */
static gg_var *in_parts(gg_var *a, gg_var *b) {
  const unsigned int na = gg_var_type(a)->nd, nb = gg_var_type(b)->nd;
  const int at = (int)na - 1, bt = nb == 1 ? 0 : (int)nb - 2;
  const int first = 0;

  if (na == 0 || nb == 0 || na == GG_MAX_ND || nb == GG_MAX_ND ||
      gg_var_type(a)->dims[at] < 0 ||
      gg_var_type(a)->dims[at] != gg_var_type(b)->dims[bt])
    return gg__matmul(a, b);
  gg_var *each = gg_einsum(na == 1 && nb == 1 ? "pj,pj->p"
                           : na == 1          ? "pj,...pjk->p...k"
                           : nb == 1          ? "...ipj,pj->p...i"
                                              : "...ipj,...pjk->p...ik",
                           2, (gg_var *[]){cut(a, at), cut(b, bt)});
  return gg_cast(gg_reduce(GG_SUM, gg_cast(each, GA_INT), 1, &first, 0),
                 GA_INT);
}

gg_var *gg__int_matmul(gg_var *a, gg_var *b) {
  if (a == NULL || b == NULL)
    return NULL;
  if (!gg__has_double(gg_var_graph(a)))
    return in_parts(a, b);
  return gg__wrapped(gg__matmul(gg_cast(a, GA_DOUBLE), gg_cast(b, GA_DOUBLE)));
}

/* --- zero points and scales --- */

/* Input `at`, one value or one for each index of an axis of an array of rank
 * nd, so that it broadcasts. */
static gg_var *per_axis(gg__onnx_call *c, size_t at, unsigned int nd,
                        int axis) {
  gg_var *v = gg__call_in(c, at);

  if (v == NULL || gg_var_type(v)->nd != 1)
    return v;
  return gg_var_type(v)->dims[0] == 1 ? gg_squeeze(v, 0)
                                      : gg__along(v, nd, axis);
}

gg_var *gg__centred(gg__onnx_call *c, size_t x_at, size_t zero_at, int axis) {
  gg_var *x = gg_cast(gg__call_in(c, x_at), GA_INT);

  if (x == NULL || !gg__call_has(c, zero_at))
    return x;
  gg_var *zero = per_axis(c, zero_at, gg_var_type(x)->nd, axis);
  return gg_sub(x, gg_cast(zero, GA_INT));
}

static gg_var *scale(gg__onnx_call *c, size_t at, unsigned int nd, int axis) {
  return gg__as_widest(per_axis(c, at, nd, axis));
}

gg_var *gg__requantised(gg__onnx_call *c, gg_var *sum, size_t a_at, size_t b_at,
                        size_t y_at, int axis) {
  if (sum == NULL)
    return NULL;
  const unsigned int nd = gg_var_type(sum)->nd;
  gg_var *by =
      gg_div(gg_mul(scale(c, a_at, nd, axis - 1), scale(c, b_at, nd, axis)),
             scale(c, y_at, nd, axis - 1));
  gg_var *zero = scale(c, y_at + 1, nd, axis - 1);

  return gg_cast(gg_add(gg_round(gg_mul(gg__as_widest(sum), by)), zero),
                 gg__dtype_of(gg__call_in(c, y_at + 1)));
}

/* --- ops --- */

int gg__from_matmul_integer(gg__onnx_call *c) {
  const int row = (int)gg__call_rank(c, 0) - 2;
  const int column = (int)gg__call_rank(c, 1) - 1;

  c->out[0] =
      gg__int_matmul(gg__centred(c, 0, 2, row), gg__centred(c, 1, 3, column));
  return GA_NO_ERROR;
}

/* Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. */
int gg__from_qlinear_matmul(gg__onnx_call *c) {
  const int row = (int)gg__call_rank(c, 0) - 2;
  const int column = (int)gg__call_rank(c, 3) - 1;
  gg_var *sum =
      gg__int_matmul(gg__centred(c, 0, 2, row), gg__centred(c, 3, 5, column));
  const int last = sum == NULL ? 0 : (int)gg_var_type(sum)->nd - 1;

  c->out[0] = gg__requantised(c, sum, 1, 4, 6, last);
  return GA_NO_ERROR;
}

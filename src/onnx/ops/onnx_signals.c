/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows, grids, sequences of different lengths, and crops. */
#include <gpugraph/gather.h>
#include <gpugraph/images.h>
#include <gpugraph/op.h>
#include <math.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- windows: a[0] + a[1] cos(2 pi i / n) + a[2] cos(4 pi i / n) --- */

int gg__from_window(gg__onnx_call *c) {
  static const double factors[][3] = {
      {0.5, -0.5, 0}, {25.0 / 46, -21.0 / 46, 0}, {0.42, -0.5, 0.08}};
  const double *a = factors[c->row->arg];
  const int dtype = gg__onnx_dtype(gg__call_int(c, "output_datatype", 1));
  gg_var *size, *zero = gg_i64(c->g, 0), *one = gg_i64(c->g, 1);

  if (dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "elements of type %s",
                    gg__onnx_type_name(gg__call_int(c, "output_datatype", 1)));
  GA_TRY(gg__call_size(c, 0, &size));
  gg_var *at = gg__as_widest(gg_arange(zero, size, one));
  gg_var *whole = gg__as_widest(
      gg__call_int(c, "periodic", 1) != 0 ? size : gg_sub(size, one));
  gg_var *angle =
      gg_div(gg_mul(at, gg__like(at, 2 * 3.14159265358979323846)), whole);
  gg_var *y = gg_add(gg__like(angle, a[0]),
                     gg_mul(gg__like(angle, a[1]), gg_cos(angle)));
  if (a[2] != 0)
    y = gg_add(y, gg_mul(gg__like(angle, a[2]), gg_cos(gg_add(angle, angle))));
  c->out[0] = gg_cast(y, dtype);
  return GA_NO_ERROR;
}

/* --- grids --- */

/* Inputs: theta [batch, d, d + 1], and sizes whose last d are those of the
 * grid. Positions are computed in the widest float dtype. */
int gg__from_affine_grid(gg__onnx_call *c) {
  gg_var *theta = gg__call_in(c, 0), *sizes[5];
  size_t n;

  GA_TRY(gg__call_sizes(c, 1, 5, &n, sizes));
  if (n < 4 || gg__call_rank(c, 0) != 3)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu sizes, expected 4 or 5, and %u dimensions, expected 3",
                    n, gg__call_rank(c, 0));
  const int64_t d = (int64_t)n - 2, want[3] = {GG_ANY, d, d + 1};
  gg_var *map = gg_specify_shape(gg__as_widest(theta), want);
  gg_var *y =
      gg_affine_grid(map, sizes + 2, gg__call_int(c, "align_corners", 0) != 0);
  c->out[0] = gg_cast(y, gg__dtype_of(theta));
  return GA_NO_ERROR;
}

/* --- sequences --- */

gg_var *gg__reverse_sequences(gg_var *x, gg_var *lengths, int batch, int time) {
  if (x == NULL || lengths == NULL)
    return NULL;
  gg_var *at = gg_positions(x, time);
  gg_var *n = gg__along(gg_cast(lengths, GA_LONG), gg_var_type(x)->nd, batch);
  gg_var *back = gg_sub(gg_sub(n, gg__like(n, 1)), at);
  return gg_take_along(x, time, gg_where(gg_lt(at, n), back, at));
}

int gg__from_reverse_sequence(gg__onnx_call *c) {
  const unsigned int nd = gg__call_rank(c, 0);
  int batch, time;

  GA_TRY(gg__call_axis(gg__call_int(c, "batch_axis", 1), nd, &batch));
  GA_TRY(gg__call_axis(gg__call_int(c, "time_axis", 0), nd, &time));
  c->out[0] =
      gg__reverse_sequences(gg__call_in(c, 0), gg__call_in(c, 1), batch, time);
  return GA_NO_ERROR;
}

/* --- crops and pads about the middle --- */

int gg__from_center_crop_pad(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const unsigned int nd = gg__call_rank(c, 0);
  size_t n, k;
  int64_t want[GG_MAX_ND], before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};
  const int64_t *axes = gg__call_ints(c, "axes", &k);
  int axis;

  GA_TRY(gg__call_known(c, 1, GG_MAX_ND, &n, want));
  if (n != (k == 0 ? nd : k))
    return ga__fail(GA_VALUE_ERROR, "%zu sizes of %zu axes", n,
                    k == 0 ? (size_t)nd : k);
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gg__call_axis(k == 0 ? (int64_t)i : axes[i], nd, &axis));
    const int64_t have = gg_var_type(x)->dims[axis];

    if (have < 0)
      return ga__fail(GA_UNSUPPORTED_ERROR, "the size of dim %d must be known",
                      axis);
    if (want[i] < 0)
      return ga__fail(GA_VALUE_ERROR, "%lld is no size", (long long)want[i]);
    const int64_t more = want[i] - have;
    before[axis] = more / 2;
    after[axis] = more - before[axis];
  }
  c->out[0] = gg_pad(x, before, after, GG_PAD_CONSTANT, NULL);
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of matrices, and convolutions. */
#include "base/dtype.h"
#include "onnx/savers.h"

static gg__name in(gg__save *s, const gg_apply *a, unsigned int i) {
  return gg__name_of(s, a->in[i]);
}

static gg__name scaled(gg__save *s, const gg_apply *a, gg__name x,
                       double factor) {
  if (factor == 1)
    return x;
  return gg__node(
      s, "Mul",
      GG_IN(gg__scalar_name(s, gg_var_type(a->out[0])->dtype, factor), x),
      NULL);
}

static gg__name matmul(gg__save *s, gg__name x, gg__name y) {
  return gg__node(s, "MatMul", GG_IN(x, y), NULL);
}

static gg__name add(gg__save *s, gg__name x, gg__name y) {
  return gg__node(s, "Add", GG_IN(x, y), NULL);
}

gg__name gg__save_dot(gg__save *s, const gg_apply *a) {
  return scaled(s, a, matmul(s, in(s, a, 0), in(s, a, 1)),
                gg__prop_real(a, "alpha"));
}

/* beta C + alpha A B; without C for a beta of 0, even if it is not finite. */
gg__name gg__save_gemm(gg__save *s, const gg_apply *a) {
  const double beta = gg__prop_real(a, "beta");
  gg__name y = scaled(s, a, matmul(s, in(s, a, 1), in(s, a, 2)),
                      gg__prop_real(a, "alpha"));

  return beta == 0 ? y : add(s, scaled(s, a, in(s, a, 0), beta), y);
}

/* A + alpha x y^T */
gg__name gg__save_ger(gg__save *s, const gg_apply *a) {
  const int64_t column = 1, row = 0;
  gg__name x = gg__node(s, "Unsqueeze",
                        GG_IN(in(s, a, 1), gg__ints(s, 1, &column)), NULL);
  gg__name y =
      gg__node(s, "Unsqueeze", GG_IN(in(s, a, 2), gg__ints(s, 1, &row)), NULL);

  return add(s, in(s, a, 0),
             scaled(s, a, gg__node(s, "Mul", GG_IN(x, y), NULL),
                    gg__prop_real(a, "alpha")));
}

/* Filters that are read backwards, along their last n axes. */
static gg__name flipped(gg__save *s, gg__name w, unsigned int n) {
  int64_t start[3], stop[3], step[3], axes[3];

  for (unsigned int i = 0; i < n; i++) {
    start[i] = step[i] = -1;
    stop[i] = INT64_MIN;
    axes[i] = 2 + i;
  }
  return gg__node(s, "Slice",
                  GG_IN(w, gg__ints(s, n, start), gg__ints(s, n, stop),
                        gg__ints(s, n, axes), gg__ints(s, n, step)),
                  NULL);
}

gg__name gg__save_conv(gg__save *s, const gg_apply *a) {
  const unsigned int n = gg_var_type(a->in[0])->nd - 2;
  int64_t stride[3], dilation[3], pads[6];
  gg__name w = in(s, a, 1);

  for (unsigned int i = 0; i < n; i++) {
    stride[i] = gg__prop_at(a, "stride", i);
    dilation[i] = gg__prop_at(a, "dilation", i);
    pads[i] = gg__prop_at(a, "before", i);
    pads[n + i] = gg__prop_at(a, "after", i);
  }
  if (gg__prop(a, "flip") != 0)
    w = flipped(s, w, n);
  return gg__node(s, "Conv", GG_IN(in(s, a, 0), w),
                  GG_ATTRS(GG_A_INT("group", gg__prop(a, "groups")),
                           GG_A_INTS("strides", n, stride),
                           GG_A_INTS("dilations", n, dilation),
                           GG_A_INTS("pads", 2 * n, pads)));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of matrices, and convolutions. */
#include "base/dtype.h"
#include "onnx/save/savers.h"

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
  return scaled(s, a, matmul(s, gg__name_in(s, a, 0), gg__name_in(s, a, 1)),
                gg__prop_real(a, "alpha"));
}

/* beta C + alpha A B; without C for a beta of 0, even if it is not finite. */
gg__name gg__save_gemm(gg__save *s, const gg_apply *a) {
  const double beta = gg__prop_real(a, "beta");
  gg__name y =
      scaled(s, a, matmul(s, gg__name_in(s, a, 1), gg__name_in(s, a, 2)),
             gg__prop_real(a, "alpha"));

  return beta == 0 ? y : add(s, scaled(s, a, gg__name_in(s, a, 0), beta), y);
}

/* A + alpha x y^T */
gg__name gg__save_ger(gg__save *s, const gg_apply *a) {
  const int64_t column = 1, row = 0;
  gg__name x =
      gg__node(s, "Unsqueeze",
               GG_IN(gg__name_in(s, a, 1), gg__ints(s, 1, &column)), NULL);
  gg__name y = gg__node(
      s, "Unsqueeze", GG_IN(gg__name_in(s, a, 2), gg__ints(s, 1, &row)), NULL);

  return add(s, gg__name_in(s, a, 0),
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

/* The geometry of a convolution, as attributes have it. */
typedef struct geometry {
  unsigned int n; /* spatial dimensions */
  int64_t stride[3], dilation[3], pads[6];
} geometry;

static geometry geometry_of(const gg_apply *a) {
  geometry g = {.n = gg_var_type(a->in[0])->nd - 2};

  for (unsigned int i = 0; i < g.n; i++) {
    g.stride[i] = gg__prop_at(a, "stride", i);
    g.dilation[i] = gg__prop_at(a, "dilation", i);
    g.pads[i] = gg__prop_at(a, "before", i);
    g.pads[g.n + i] = gg__prop_at(a, "after", i);
  }
  return g;
}

static gg__name filters(gg__save *s, const gg_apply *a, const geometry *g) {
  gg__name w = gg__name_in(s, a, 1);

  return gg__prop(a, "flip") != 0 ? flipped(s, w, g->n) : w;
}

gg__name gg__save_conv(gg__save *s, const gg_apply *a) {
  const geometry g = geometry_of(a);

  return gg__node(s, "Conv", GG_IN(gg__name_in(s, a, 0), filters(s, a, &g)),
                  GG_ATTRS(GG_A_INT("group", gg__prop(a, "groups")),
                           GG_A_INTS("strides", g.n, g.stride),
                           GG_A_INTS("dilations", g.n, g.dilation),
                           GG_A_INTS("pads", (size_t)2 * g.n, g.pads)));
}

/* Set more[] to the elements behind the last window. Returns 0 if sizes are
 * open. */
static int find_rest(const gg_apply *a, const geometry *g, int64_t *more) {
  for (unsigned int i = 0; i < g->n; i++) {
    const int64_t y = gg_var_type(a->in[0])->dims[2 + i];
    const int64_t w = gg_var_type(a->in[1])->dims[2 + i];
    const int64_t x = gg_var_type(a->out[0])->dims[2 + i];

    if (y == GG_ANY || w == GG_ANY || x == GG_ANY || y == 0)
      return 0;
    more[i] = x + g->pads[i] + g->pads[g->n + i] - (w - 1) * g->dilation[i] -
              1 - (y - 1) * g->stride[i];
  }
  return 1;
}

/* (y, w, x): the gradient by the input. */
gg__name gg__save_conv_input(gg__save *s, const gg_apply *a) {
  const geometry g = geometry_of(a);
  int64_t more[3];

  if (!find_rest(a, &g, more))
    return gg__save_problem(s, a, "sizes along its windows must be known");
  return gg__node(s, "ConvTranspose",
                  GG_IN(gg__name_in(s, a, 0), filters(s, a, &g)),
                  GG_ATTRS(GG_A_INT("group", gg__prop(a, "groups")),
                           GG_A_INTS("strides", g.n, g.stride),
                           GG_A_INTS("dilations", g.n, g.dilation),
                           GG_A_INTS("pads", (size_t)2 * g.n, g.pads),
                           GG_A_INTS("output_padding", g.n, more)));
}

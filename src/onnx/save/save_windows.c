/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools, and the gradient of a convolution by its filters. */
#include <gpugraph/arrange.h>
#include <gpugraph/conv.h>
#include <gpugraph/gather.h>
#include <gpugraph/pooling.h>
#include <string.h>

#include "onnx/ops/builders.h"
#include "onnx/save/savers.h"

static unsigned int rank(const gg_apply *a, unsigned int i) {
  return gg_var_type(a->in[i])->nd;
}

/* --- pools --- */

/* Nonzero if a model has such windows. */
static int has_pool(gg__save *s, const gg_apply *a, int64_t flags) {
  const unsigned int n = gg__prop_count(a, "size");

  if (rank(a, a->n_in - 1) != n + 2) {
    gg__save_problem(s, a, "%u axes with windows of %u dimensions, expected %u",
                     n, rank(a, a->n_in - 1), n + 2);
    return 0;
  }
  if ((flags & GA_POOLING_ADAPTIVE) != 0 ||
      ((flags & GA_POOLING_COUNT_ALL) != 0 && (flags & GA_POOLING_CEIL) != 0)) {
    gg__save_problem(s, a, "a model has no such windows");
    return 0;
  }
  return 1;
}

/* Write a pool; outputs that are asked for are in out[]. */
static void write_pool(gg__save *s, const gg_apply *a, const char *op,
                       size_t n_out, gg__name *out) {
  const unsigned int n = gg__prop_count(a, "size");
  const int64_t flags = gg__prop(a, "flags");
  const int is_mean = strcmp(op, "AveragePool") == 0;
  int64_t size[3], stride[3], dilation[3], pads[6];

  out[0] = out[n_out - 1] = "?";
  if (!has_pool(s, a, flags))
    return;
  for (unsigned int i = 0; i < n; i++) {
    size[i] = gg__prop_at(a, "size", i);
    stride[i] = gg__prop_at(a, "stride", i);
    dilation[i] = gg__prop_at(a, "dilation", i);
    pads[i] = gg__prop_at(a, "before", i);
    pads[n + i] = gg__prop_at(a, "after", i);
    if (is_mean && dilation[i] != 1) /* since opset 19 */
      gg__save_problem(s, a, "means have a dilation of %lld, expected 1",
                       (long long)dilation[i]);
  }
  const int64_t padded =
      (flags & (GA_POOLING_COUNT_PADDING | GA_POOLING_COUNT_ALL)) != 0;
  const gg__out_attr last =
      is_mean ? (gg__out_attr)GG_A_INT("count_include_pad", padded)
              : (gg__out_attr)GG_A_INTS("dilations", n, dilation);
  gg__node_outs(s, op, GG_IN(gg__name_in(s, a, 0)),
                GG_ATTRS(GG_A_INTS("kernel_shape", n, size),
                         GG_A_INTS("strides", n, stride),
                         GG_A_INTS("pads", (size_t)2 * n, pads),
                         GG_A_INT("ceil_mode", (flags & GA_POOLING_CEIL) != 0),
                         last),
                n_out, out);
}

gg__name gg__save_pool_max(gg__save *s, const gg_apply *a) {
  gg__name out;

  write_pool(s, a, "MaxPool", 1, &out);
  return out;
}

gg__name gg__save_pool_mean(gg__save *s, const gg_apply *a) {
  gg__name out;

  write_pool(s, a, "AveragePool", 1, &out);
  return out;
}

/* A model counts within all of x, the graph within an image's channel. */
gg__name gg__save_pool_indices(gg__save *s, const gg_apply *a) {
  gg__name out[2], plane, none = gg__scalar_name(s, GA_LONG, 0);

  write_pool(s, a, "MaxPool", 2, out);
  plane = gg__node(s, "ReduceProd",
                   GG_IN(gg__node(s, "Shape", GG_IN(gg__name_in(s, a, 0)),
                                  GG_ATTRS(GG_A_INT("start", 2)))),
                   GG_ATTRS(GG_A_INT("keepdims", 0)));
  gg__name in_plane = gg__two(s, "Mod", out[1], plane);
  return gg__node(s, "Where",
                  GG_IN(gg__two(s, "Less", out[1], none), out[1], in_plane),
                  NULL);
}

static gg__name as(gg__save *s, gg__name x, int from, int to) {
  return from == to ? x : gg__cast_name(s, x, to);
}

/* The regions of a node in `dtype`, as in models: an index of an image, which
 * counts from the start, and four corners, [n, 5]. */
static gg__name save_regions(gg__save *s, const gg_apply *a, int dtype,
                             gg__name corners) {
  static const int64_t last[] = {1};
  gg__name at = gg__name_in(s, a, 2), none = gg__scalar_name(s, GA_LONG, 0);
  gg__name from_end = gg__two(s, "Add", at, gg__size_vector(s, a->in[0], 0));

  at = gg__node(s, "Where", GG_IN(gg__two(s, "Less", at, none), from_end, at),
                NULL);
  at = gg__node(s, "Unsqueeze",
                GG_IN(gg__cast_name(s, at, dtype), gg__ints(s, 1, last)), NULL);
  return gg__node(s, "Concat", GG_IN(at, corners),
                  GG_ATTRS(GG_A_INT("axis", 1)));
}

/* All is computed in one dtype. The scale of a model is a float32; another one
 * multiplies the corners. */
gg__name gg__save_roi_pool(gg__save *s, const gg_apply *a) {
  const int x = gg_var_type(a->in[0])->dtype;
  const int given = gg_var_type(a->in[1])->dtype;
  const int corner = gpuarray_work_dtype(given);
  const int dtype = x == GA_DOUBLE ? GA_DOUBLE : corner;
  const double scale = gg__prop_real(a, "scale");
  const int fits =
      dtype == GA_FLOAT || (dtype == corner && (double)(float)scale == scale);
  const int64_t parts[2] = {gg__prop(a, "rows"), gg__prop(a, "columns")};

  if (gg__is_used(s, a->out[1]))
    gg__bind(s, a->out[1],
             gg__save_problem(s, a, "models have no places of such maxima"));
  gg__name corners = as(s, gg__name_in(s, a, 1), given, corner);
  if (!fits)
    corners = gg__two(s, "Mul", corners, gg__scalar_name(s, corner, scale));
  corners = as(s, corners, corner, dtype);
  gg__name y =
      gg__node(s, "MaxRoiPool",
               GG_IN(as(s, gg__name_in(s, a, 0), x, dtype),
                     save_regions(s, a, dtype, corners)),
               GG_ATTRS(GG_A_INTS("pooled_shape", 2, parts),
                        GG_A_FLOAT("spatial_scale", fits ? scale : 1)));
  return as(s, y, dtype, x);
}

/* Set sizes[] to those of x, with the axes from `lead` on as one. */
static void line_sizes(gg_var *x, unsigned int lead, gg_var **sizes) {
  for (unsigned int i = 0; i < lead; i++)
    sizes[i] = gg__size_of(x, (int)i);
  sizes[lead] = gg__span(x, lead, gg_var_type(x)->nd);
}

static gg_var *as_lines(gg_var *x, unsigned int lead) {
  gg_var *sizes[GG_MAX_ND];

  line_sizes(x, lead, sizes);
  return gg_reshape_sizes(x, lead + 1, sizes);
}

/* (g, indices, like): sums of g at the indices. Those below 0 add to one more
 * element, which is cut off. */
gg_var *gg__compose_pool_pick(const gg_apply *a) {
  const unsigned int nd = rank(a, 2), lead = nd - gg__prop_count(a, "size");
  gg_var *like = a->in[2], *sizes[GG_MAX_ND];
  gg_graph *g = gg_var_graph(like);

  line_sizes(like, lead, sizes);
  gg_var *at = gg_where(gg_lt(a->in[1], gg_i64(g, 0)), sizes[lead], a->in[1]);
  sizes[lead] = gg_add(sizes[lead], gg_i64(g, 1));
  gg_var *all =
      gg_put_along(gg_alloc(gg__like(a->in[0], 0), lead + 1, sizes), (int)lead,
                   as_lines(at, lead), as_lines(a->in[0], lead), GG_PUT_ADD);
  for (unsigned int i = lead; i < nd; i++)
    sizes[i] = gg__size_of(like, (int)i);
  return gg_reshape_sizes(gg_slice(all, (int)lead, 0, -1, 1), nd, sizes);
}

/* --- gradients by filters --- */

/* x [images, groups * channels, ...] as [channels, groups * images, ...]. */
static gg_var *turned(gg_var *x, int64_t groups) {
  const unsigned int nd = gg_var_type(x)->nd;
  gg_var *sizes[GG_MAX_ND + 1], *n = gg_i64(gg_var_graph(x), groups);
  int pattern[GG_MAX_ND + 1] = {2, 1, 0};

  sizes[0] = gg__size_of(x, 0);
  sizes[1] = n;
  sizes[2] = gg_floordiv(gg__size_of(x, 1), n);
  for (unsigned int i = 2; i < nd; i++) {
    sizes[i + 1] = gg__size_of(x, (int)i);
    pattern[i + 1] = (int)i + 1;
  }
  gg_var *y =
      gg_dimshuffle(gg_reshape_sizes(x, nd + 1, sizes), nd + 1, pattern);
  sizes[1] = gg_mul(sizes[0], n);
  sizes[0] = sizes[2];
  memmove(&sizes[2], &sizes[3], (nd - 2) * sizeof *sizes);
  return gg_reshape_sizes(y, nd, sizes);
}

/* The first two axes of x in the other order. */
static gg_var *swapped(gg_var *x) {
  return x == NULL ? NULL : gg_moveaxis(x, 0, 1);
}

/* (x, y, w): images as channels, so that windows of x are weighed by y; strides
 * and dilations change their places. Windows behind the last filter element are
 * cut off. */
gg_var *gg__compose_conv_filters(const gg_apply *a) {
  const unsigned int n = rank(a, 0) - 2;
  const int64_t groups = gg__prop(a, "groups");
  GpuConv c = {.nd = n, .groups = (size_t)groups};

  for (unsigned int i = 0; i < n; i++) {
    c.stride[i] = (size_t)gg__prop_at(a, "dilation", i);
    c.dilation[i] = (size_t)gg__prop_at(a, "stride", i);
    c.before[i] = (size_t)gg__prop_at(a, "before", i);
    c.after[i] = (size_t)gg__prop_at(a, "after", i);
  }
  gg_var *x = groups == 1 ? swapped(a->in[0]) : turned(a->in[0], groups);
  gg_var *w = swapped(gg_conv(x, swapped(a->in[1]), &c));
  for (unsigned int i = 0; i < n && w != NULL; i++) {
    const int axis = (int)i + 2;

    w = gg_slice_at(w, axis, NULL, gg__size_of(a->in[2], axis), NULL);
    if (gg__prop(a, "flip") != 0)
      w = gg_flip(w, axis);
  }
  return w;
}

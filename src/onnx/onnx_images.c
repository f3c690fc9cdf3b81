/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that sample images at any positions, and images of columns. */
#include <gpugraph/images.h>
#include <gpugraph/op.h>
#include <gpugraph/statistics.h>
#include <string.h>

#include "base/err.h"
#include "onnx/builders.h"
#include "onnx/onnx_window.h"

/* Index of a text in a list of n, whose order is that of an enum. */
static int find_name(const char *what, const char *const *names, size_t n,
                     const char *text, int *out) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], text) == 0) {
      *out = (int)i;
      return GA_NO_ERROR;
    }
  return ga__fail(GA_VALUE_ERROR, "%s is \"%s\"", what, text);
}

int gg__from_grid_sample(gg__onnx_call *c) {
  static const char *const modes[] = {"nearest", "linear",   "cubic",
                                      "nearest", "bilinear", "bicubic"};
  static const char *const pads[] = {"zeros", "border", "reflection"};
  int mode = 0, outside = 0;

  GA_TRY(
      find_name("mode", modes, 6, gg__call_text(c, "mode", "linear"), &mode));
  GA_TRY(find_name("padding_mode", pads, 3,
                   gg__call_text(c, "padding_mode", "zeros"), &outside));
  c->out[0] = gg_grid_sample(gg__call_in(c, 0), gg__call_in(c, 1),
                             (ga_resize_mode)(mode % 3), (gg_outside)outside,
                             gg__call_int(c, "align_corners", 0) != 0);
  return GA_NO_ERROR;
}

/* --- images of columns --- */

/* Inputs: columns, sizes of images, sizes of blocks. */
int gg__from_col2im(gg__onnx_call *c) {
  int64_t stride[GG_WINDOW_ND], dilation[GG_WINDOW_ND], pads[2 * GG_WINDOW_ND];
  int64_t block[GG_WINDOW_ND];
  gg_var *sizes[GG_WINDOW_ND];
  GpuPooling p = {.nd = 0};
  size_t n, m;

  GA_TRY(gg__call_sizes(c, 1, GG_WINDOW_ND, &n, sizes));
  GA_TRY(gg__call_known(c, 2, GG_WINDOW_ND, &m, block));
  if (n != m || n == 0)
    return ga__fail(GA_VALUE_ERROR, "%zu sizes of images, %zu of blocks", n, m);
  p.nd = (unsigned int)n;
  GA_TRY(gg__window_list(c, "strides", p.nd, 1, 1, stride));
  GA_TRY(gg__window_list(c, "dilations", p.nd, 1, 1, dilation));
  GA_TRY(gg__window_list(c, "pads", 2 * p.nd, 0, 0, pads));
  for (size_t i = 0; i < n; i++) {
    if (block[i] < 1 || block[i] > GG_WINDOW_MOST)
      return ga__fail(GA_VALUE_ERROR, "dim %zu: blocks of %lld", i,
                      (long long)block[i]);
    p.size[i] = (size_t)block[i];
    p.stride[i] = (size_t)stride[i];
    p.dilation[i] = (size_t)dilation[i];
    p.before[i] = (size_t)pads[i];
    p.after[i] = (size_t)pads[n + i];
  }
  c->out[0] = gg_windows_back(gg__call_in(c, 0), &p, sizes);
  return GA_NO_ERROR;
}

/* --- regions of interest --- */

/* Samples along one axis of the image, for each region: the two neighbours, the
 * weight of the second one, and whether the sample lies in the image; each
 * [regions, bins * samples]. */
typedef struct samples {
  gg_var *low, *high, *weight, *inside;
} samples;

/* `from` and `to` are the bounds of regions [regions]; n the size of the axis,
 * bins times each samples. */
static samples sample_axis(gg_var *from, gg_var *to, gg_var *n, int64_t bins,
                           int64_t each, int is_aligned) {
  gg_graph *g = gg_var_graph(from);
  gg_var *length = gg_sub(to, from), *size = gg_cast(n, gg__dtype_of(from));
  gg_var *zero = gg__like(from, 0), *last = gg_sub(size, gg__like(from, 1));

  if (!is_aligned)
    length = gg_maximum(length, gg__like(length, 1));
  gg_var *at =
      gg_cast(gg_arange(gg_i64(g, 0), gg_i64(g, bins * each), gg_i64(g, 1)),
              gg__dtype_of(from));
  at = gg_expand_dims(gg_add(at, gg__like(at, 0.5)), 0);
  gg_var *step = gg_div(length, gg__like(length, (double)(bins * each)));
  gg_var *y =
      gg_add(gg_expand_dims(from, 1), gg_mul(at, gg_expand_dims(step, 1)));
  gg_var *inside = gg_and(gg_ge(y, gg__like(y, -1)), gg_le(y, size));
  y = gg_clip(y, zero, last);
  gg_var *low = gg_floor(y),
         *high = gg_minimum(gg_add(low, gg__like(low, 1)), last);
  return (samples){gg_cast(low, GA_LONG), gg_cast(high, GA_LONG),
                   gg_sub(y, low), inside};
}

/* The elements of all images, [channels, images * rows * columns], at samples
 * times their weights, [channels, regions, y samples, x samples]. */
static gg_var *corner(gg_var *x, gg_var *flat, gg_var *image, gg_var *row,
                      gg_var *column, gg_var *weight) {
  gg_var *line = gg_add(gg_mul(gg_expand_dims(image, 1), gg_shape(x, 2)), row);
  gg_var *at = gg_add(gg_mul(gg_expand_dims(line, 2), gg_shape(x, 3)),
                      gg_expand_dims(column, 1));
  gg_var *sizes[] = {gg__size_of(x, 1), gg__size_of(row, 0),
                     gg__size_of(row, 1), gg__size_of(column, 1)};
  gg_var *v = gg__to_sizes(gg_take_axis(flat, 1, gg_flatten(at)), 4, sizes);

  return gg_mul(v, gg_expand_dims(weight, 0));
}

/* wy wx for each region and pair of samples, 0 outside. */
static gg_var *weights(gg_var *wy, gg_var *wx, const samples *y,
                       const samples *x) {
  gg_var *inside =
      gg_and(gg_expand_dims(y->inside, 2), gg_expand_dims(x->inside, 1));

  return gg_where(inside, gg_mul(gg_expand_dims(wy, 2), gg_expand_dims(wx, 1)),
                  gg__like(wy, 0));
}

/* The bins of all samples: largest of the four weighted neighbours, or their
 * sum. */
static gg_var *all_samples(gg_var *x, gg_var *image, const samples *y,
                           const samples *k, int is_max) {
  static const int order[] = {1, 0, 2, 3};
  gg_var *(*const join)(gg_var *, gg_var *) = is_max ? gg_maximum : gg_add;
  gg_var *flat = gg__as_matrix(gg_dimshuffle(x, 4, order), 1), *all = NULL;
  gg_var *wy[] = {gg_sub(gg__like(y->weight, 1), y->weight), y->weight};
  gg_var *wx[] = {gg_sub(gg__like(k->weight, 1), k->weight), k->weight};

  for (int i = 0; i < 4; i++) {
    gg_var *v = corner(x, flat, image, i < 2 ? y->low : y->high,
                       i % 2 == 0 ? k->low : k->high,
                       weights(wy[i / 2], wx[i % 2], y, k));

    all = all == NULL ? v : join(all, v);
  }
  return all;
}

typedef struct region {
  int64_t rows, columns, each;
  int is_max, is_aligned;
  double scale;
} region;

static int read_region(gg__onnx_call *c, region *r) {
  static const char *const modes[] = {"avg", "max"};
  static const char *const rules[] = {"output_half_pixel", "half_pixel"};

  r->rows = gg__call_int(c, "output_height", 1);
  r->columns = gg__call_int(c, "output_width", 1);
  r->each = gg__call_int(c, "sampling_ratio", 0);
  r->scale = gg__call_float(c, "spatial_scale", 1);
  GA_TRY(
      find_name("mode", modes, 2, gg__call_text(c, "mode", "avg"), &r->is_max));
  GA_TRY(find_name("coordinate_transformation_mode", rules, 2,
                   gg__call_text(c, "coordinate_transformation_mode",
                                 rules[c->version >= 16]),
                   &r->is_aligned));
  if (r->each == 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "sampling_ratio 0, by which regions decide how many "
                    "samples there are");
  if (r->rows < 1 || r->rows > GG_WINDOW_MOST || r->columns < 1 ||
      r->columns > GG_WINDOW_MOST || r->each < 1 || r->each > 1000)
    return ga__fail(GA_VALUE_ERROR, "%lld x %lld bins of %lld x %lld samples",
                    (long long)r->rows, (long long)r->columns,
                    (long long)r->each, (long long)r->each);
  return gg__call_rank(c, 0) == 4 && gg__call_rank(c, 1) == 2 &&
                 gg__call_rank(c, 2) == 1
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR,
                        "%u, %u and %u dimensions, expected 4, 2 and 1",
                        gg__call_rank(c, 0), gg__call_rank(c, 1),
                        gg__call_rank(c, 2));
}

/* Inputs: x [images, channels, rows, columns], regions [n, 4] as left, top,
 * right, bottom, and the image of each. The result is [n, channels, bins]. */
int gg__from_roi_align(gg__onnx_call *c) {
  static const int order[] = {1, 0, 2, 4}, axes[] = {3, 5};
  gg_var *x = gg__call_in(c, 0), *image = gg_cast(gg__call_in(c, 2), GA_LONG);
  gg_var *bound[4];
  region r = {.rows = 0};

  GA_TRY(read_region(c, &r));
  gg_var *rois = gg_cast(gg__call_in(c, 1), gg__dtype_of(x));
  for (int i = 0; i < 4; i++)
    bound[i] = gg_sub(gg_mul(gg_index(rois, 1, i), gg__like(rois, r.scale)),
                      gg__like(rois, r.is_aligned ? 0.5 : 0));
  GA_TRY(gg_graph_status(c->g));
  const samples ys = sample_axis(bound[1], bound[3], gg_shape(x, 2), r.rows,
                                 r.each, r.is_aligned);
  const samples xs = sample_axis(bound[0], bound[2], gg_shape(x, 3), r.columns,
                                 r.each, r.is_aligned);
  gg_var *sizes[] = {gg__size_of(x, 1),       gg__size_of(rois, 0),
                     gg_i64(c->g, r.rows),    gg_i64(c->g, r.each),
                     gg_i64(c->g, r.columns), gg_i64(c->g, r.each)};
  gg_var *all =
      gg__to_sizes(all_samples(x, image, &ys, &xs, r.is_max), 6, sizes);
  gg_var *y = r.is_max
                  ? gg_reduce(GG_MAX, all, 2, axes, 1)
                  : gg_cast(gg_mean_axes(all, 2, axes, 1), gg__dtype_of(x));
  c->out[0] = gg_dimshuffle(y, 4, order);
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that sample images at any positions, and images of columns. */
#include <gpugraph/images.h>
#include <gpugraph/op.h>

#include "base/err.h"
#include "onnx/ops/builders.h"
#include "onnx/ops/onnx_window.h"

int gg__from_grid_sample(gg__onnx_call *c) {
  static const char *const modes[] = {"nearest",  "linear",  "cubic", "nearest",
                                      "bilinear", "bicubic", NULL};
  static const char *const pads[] = {"zeros", "border", "reflection", NULL};
  int mode = 0, outside = 0;

  GA_TRY(gg__call_word(c, "mode", "linear", modes, &mode));
  GA_TRY(gg__call_word(c, "padding_mode", "zeros", pads, &outside));
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

/* The largest of the four neighbours of each sample, times their weights. */
static gg_var *all_samples(gg_var *x, gg_var *image, const samples *y,
                           const samples *k) {
  static const int order[] = {1, 0, 2, 3};
  gg_var *flat = gg__as_matrix(gg_dimshuffle(x, 4, order), 1), *all = NULL;
  gg_var *wy[] = {gg_sub(gg__like(y->weight, 1), y->weight), y->weight};
  gg_var *wx[] = {gg_sub(gg__like(k->weight, 1), k->weight), k->weight};

  for (int i = 0; i < 4; i++) {
    gg_var *v = corner(x, flat, image, i < 2 ? y->low : y->high,
                       i % 2 == 0 ? k->low : k->high,
                       weights(wy[i / 2], wx[i % 2], y, k));

    all = all == NULL ? v : gg_maximum(all, v);
  }
  return all;
}

static int read_region(gg__onnx_call *c, gg_regions *r, int *is_max) {
  static const char *const modes[] = {"avg", "max", NULL};
  static const char *const rules[] = {"output_half_pixel", "half_pixel", NULL};
  const int64_t rows = gg__call_int(c, "output_height", 1);
  const int64_t columns = gg__call_int(c, "output_width", 1);
  const int64_t ratio = gg__call_int(c, "sampling_ratio", 0);

  GA_TRY(gg__call_word(c, "mode", "avg", modes, is_max));
  GA_TRY(gg__call_word(c, "coordinate_transformation_mode",
                       rules[c->version >= 16], rules, &r->is_aligned));
  if (ratio == 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "sampling_ratio 0, by which regions decide how many "
                    "samples there are");
  if (rows < 1 || rows > GG_WINDOW_MOST || columns < 1 ||
      columns > GG_WINDOW_MOST || ratio < 1 || ratio > 1000)
    return ga__fail(GA_VALUE_ERROR, "%lld x %lld bins of %lld x %lld samples",
                    (long long)rows, (long long)columns, (long long)ratio,
                    (long long)ratio);
  r->rows = (size_t)rows;
  r->columns = (size_t)columns;
  r->ratio = (size_t)ratio;
  r->scale = gg__call_float(c, "spatial_scale", 1);
  return GA_NO_ERROR;
}

/* The largest sample of each bin, as the format defines it: of neighbours times
 * their weights. */
static gg_var *largest_samples(gg_var *x, gg_var *rois, gg_var *image,
                               const gg_regions *r) {
  static const int order[] = {1, 0, 2, 4}, axes[] = {3, 5};
  gg_graph *g = gg_var_graph(x);
  const int64_t each = (int64_t)r->ratio, rows = (int64_t)r->rows;
  const int64_t columns = (int64_t)r->columns;
  gg_var *bound[4];

  for (int i = 0; i < 4; i++)
    bound[i] = gg_sub(gg_mul(gg_index(rois, 1, i), gg__like(rois, r->scale)),
                      gg__like(rois, r->is_aligned ? 0.5 : 0));
  if (gg_graph_status(g) != GA_NO_ERROR)
    return NULL;
  const samples ys = sample_axis(bound[1], bound[3], gg_shape(x, 2), rows, each,
                                 r->is_aligned);
  const samples xs = sample_axis(bound[0], bound[2], gg_shape(x, 3), columns,
                                 each, r->is_aligned);
  gg_var *sizes[] = {gg__size_of(x, 1), gg__size_of(rois, 0), gg_i64(g, rows),
                     gg_i64(g, each),   gg_i64(g, columns),   gg_i64(g, each)};
  gg_var *all = gg__to_sizes(all_samples(x, image, &ys, &xs), 6, sizes);
  return gg_dimshuffle(gg_reduce(GG_MAX, all, 2, axes, 1), 4, order);
}

/* Inputs: x [images, channels, rows, columns], regions [n, 4] as left, top,
 * right, bottom, and the image of each. The result is [n, channels, bins]. */
int gg__from_roi_align(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *image = gg_cast(gg__call_in(c, 2), GA_LONG);
  gg_regions r = {.rows = 0};
  int is_max = 0;

  GA_TRY(read_region(c, &r, &is_max));
  if (gg__call_rank(c, 0) != 4 || gg__call_rank(c, 1) != 2 ||
      gg__call_rank(c, 2) != 1)
    return ga__fail(
        GA_VALUE_ERROR, "%u, %u and %u dimensions, expected 4, 2 and 1",
        gg__call_rank(c, 0), gg__call_rank(c, 1), gg__call_rank(c, 2));
  gg_var *rois = gg_cast(gg__call_in(c, 1), gg__dtype_of(x));
  c->out[0] = is_max ? largest_samples(x, rois, image, &r)
                     : gg_roi_align(x, rois, image, &r);
  return GA_NO_ERROR;
}

/* Inputs: x [images, channels, rows, columns], and regions [n, 5] as image,
 * left, top, right, bottom. */
int gg__from_max_roi_pool(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *rois = gg__call_in(c, 1);
  size_t n;
  const int64_t *bins = gg__call_ints(c, "pooled_shape", &n);

  if (n != 2 || bins[0] < 1 || bins[0] > GG_WINDOW_MOST || bins[1] < 1 ||
      bins[1] > GG_WINDOW_MOST)
    return ga__fail(GA_VALUE_ERROR,
                    "pooled_shape has %zu sizes, expected 2 of at least 1", n);
  if (gg__call_rank(c, 1) != 2 ||
      (gg_var_type(rois)->dims[1] != 5 && gg_var_type(rois)->dims[1] != GG_ANY))
    return ga__fail(GA_VALUE_ERROR, "regions of %u dimensions, expected [n, 5]",
                    gg__call_rank(c, 1));
  const gg_regions r = {.rows = (size_t)bins[0],
                        .columns = (size_t)bins[1],
                        .scale = gg__call_float(c, "spatial_scale", 1)};
  c->out[0] = gg_roi_pool(x, gg_slice(rois, 1, 1, 5, 1),
                          gg_cast(gg_index(rois, 1, 0), GA_LONG), &r);
  return GA_NO_ERROR;
}

/* --- deformable convolutions, of images --- */

typedef struct deform {
  gg__window w; /* with two dimensions */
  int64_t groups, offset_groups, channels, filters;
} deform;

/* Check the counts, and that products of sizes fit: sizes that w leaves open
 * are attributes, which may be huge. */
static int check_deform(const deform *d, int64_t each) {
  if (d->groups < 1 || d->offset_groups < 1 || d->groups > GG_WINDOW_MOST ||
      d->filters < 0 || each < 0 || each > GG_WINDOW_MOST ||
      d->filters % d->groups != 0)
    return ga__fail(GA_VALUE_ERROR,
                    "%lld filters in %lld groups, and %lld "
                    "groups of offsets",
                    (long long)d->filters, (long long)d->groups,
                    (long long)d->offset_groups);
  if (each * d->groups % d->offset_groups != 0)
    return ga__fail(GA_VALUE_ERROR, "%lld channels in %lld groups of offsets",
                    (long long)(each * d->groups), (long long)d->offset_groups);
  const double n =
      (double)each * (double)d->w.kernel[0] * (double)d->w.kernel[1];
  return n < 0x1p56 ? GA_NO_ERROR
                    : ga__fail(GA_VALUE_ERROR, "filters of %g elements", n);
}

static int read_deform(gg__onnx_call *c, deform *d) {
  const gg_var *w = gg__call_in(c, 1);

  if (gg__call_rank(c, 0) != 4 || gg__call_rank(c, 1) != 4 ||
      gg__call_rank(c, 2) != 4)
    return ga__fail(
        GA_UNSUPPORTED_ERROR, "%u, %u and %u dimensions, supported are 4 each",
        gg__call_rank(c, 0), gg__call_rank(c, 1), gg__call_rank(c, 2));
  GA_TRY(gg__window_read(c, gg_var_type(w)->dims + 2, &d->w));
  d->groups = gg__call_int(c, "group", 1);
  d->offset_groups = gg__call_int(c, "offset_group", 1);
  d->filters = gg_var_type(w)->dims[0];
  GA_TRY(check_deform(d, gg_var_type(w)->dims[1]));
  d->channels = gg_var_type(w)->dims[1] * d->groups;
  return GA_NO_ERROR;
}

/* The position, in elements, of the window's elements along axis `i`, in a
 * shape that broadcasts to [kernel rows, kernel columns, rows, columns]. */
static gg_var *window_positions(gg_graph *g, const deform *d, unsigned int i,
                                gg_var *n) {
  gg_var *zero = gg_i64(g, 0), *one = gg_i64(g, 1);
  gg_var *in = gg_mul(gg_arange(zero, gg_i64(g, d->w.kernel[i]), one),
                      gg_i64(g, d->w.dilation[i]));
  gg_var *at = gg_mul(gg_arange(zero, n, one), gg_i64(g, d->w.stride[i]));

  at = gg_sub(at, gg_i64(g, d->w.before[i]));
  return gg__as_widest(
      gg_add(gg__along(in, 4, (int)i), gg__along(at, 4, 2 + (int)i)));
}

/* The grid [images * groups, kernel elements * rows, columns, 2] that
 * gg_grid_sample reads without aligned corners, where `offset` is [images,
 * groups * kernel elements * 2, rows, columns], vertical offsets first. In the
 * widest float dtype: positions that are whole numbers stay so. */
static gg_var *deformed_grid(const deform *d, gg_var *x, gg_var *offset) {
  gg_graph *g = gg_var_graph(x);
  gg_var *rows = gg__size_of(offset, 2), *columns = gg__size_of(offset, 3);
  gg_var *all = gg_mul(gg__size_of(x, 0), gg_i64(g, d->offset_groups));
  gg_var *apart[] = {all,
                     gg_i64(g, d->w.kernel[0]),
                     gg_i64(g, d->w.kernel[1]),
                     gg_i64(g, 2),
                     rows,
                     columns};
  gg_var *both = gg__to_sizes(offset, 6, apart), *at[2];

  for (unsigned int i = 0; i < 2; i++) {
    gg_var *size = gg__as_widest(gg_shape(x, 2 + (int)i));
    gg_var *p = gg_add(gg_index(both, 3, i),
                       window_positions(g, d, i, i == 0 ? rows : columns));
    gg_var *twice = gg_add(gg_add(p, p), gg__like(p, 1));

    at[1 - i] = gg_sub(gg_div(twice, size), gg__like(p, 1));
  }
  gg_var *joined[] = {all,
                      gg_mul(gg_i64(g, d->w.kernel[0] * d->w.kernel[1]), rows),
                      columns, gg_i64(g, 2)};
  return gg__to_sizes(gg_stack(-1, 2, at), 4, joined);
}

/* The sampled elements of windows, times the mask (input 4): [images, groups of
 * filters, channels of a group * kernel elements, results]. */
static gg_var *deformed_windows(gg__onnx_call *c, const deform *d, gg_var *x,
                                gg_var *offset) {
  const int64_t k = d->w.kernel[0] * d->w.kernel[1], og = d->offset_groups;
  gg_var *n = gg__size_of(x, 0), *mask = gg__call_in(c, 4);
  gg_var *results = gg__span(offset, 2, 4);
  gg_var *parts[] = {gg_mul(n, gg_i64(c->g, og)),
                     gg_i64(c->g, d->channels / og), gg__size_of(x, 2),
                     gg__size_of(x, 3)};
  gg_var *v =
      gg_grid_sample(gg__to_sizes(x, 4, parts), deformed_grid(d, x, offset),
                     GA_RESIZE_LINEAR, GG_OUTSIDE_ZERO, 0);
  gg_var *sizes[] = {n, gg_i64(c->g, og), gg_i64(c->g, d->channels / og),
                     gg_i64(c->g, k), results};

  v = gg__to_sizes(v, 5, sizes);
  sizes[2] = gg_i64(c->g, 1);
  if (mask != NULL)
    v = gg_mul(v, gg__to_sizes(mask, 5, sizes));
  gg_var *grouped[] = {n, gg_i64(c->g, d->groups),
                       gg_i64(c->g, d->channels / d->groups * k), results};
  return gg__to_sizes(v, 4, grouped);
}

/* Inputs: x, filters, offsets, bias, mask. */
int gg__from_deform_conv(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *offset = gg__call_in(c, 2);
  gg_var *bias = gg__call_in(c, 3);
  deform d;

  GA_TRY(read_deform(c, &d));
  const int64_t each = d.channels / d.groups * d.w.kernel[0] * d.w.kernel[1];
  gg_var *filters[] = {gg_i64(c->g, d.groups),
                       gg_i64(c->g, d.filters / d.groups), gg_i64(c->g, each)};
  gg_var *w = gg__to_sizes(gg__call_in(c, 1), 3, filters);
  gg_var *v = deformed_windows(c, &d, x, gg__as_widest(offset));
  gg_var *sizes[] = {gg__size_of(x, 0), gg_i64(c->g, d.filters),
                     gg__size_of(offset, 2), gg__size_of(offset, 3)};
  gg_var *y = gg__to_sizes(gg_einsum("ngkp,gmk->ngmp", 2, (gg_var *[]){v, w}),
                           4, sizes);

  c->out[0] = bias == NULL ? y : gg_add(y, gg__along(bias, 4, 1));
  return GA_NO_ERROR;
}

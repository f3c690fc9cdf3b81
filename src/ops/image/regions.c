/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of images: means of samples, which are reads by index, and largest
 * elements, which a loop over the regions finds. */
#include <gpugraph/arrange.h>
#include <gpugraph/gather.h>
#include <gpugraph/images.h>
#include <gpugraph/scan.h>
#include <gpugraph/statistics.h>
#include <math.h>

#include "ops/compose.h"

/* What sizes must be, for messages. */
static const char four[] = "regions are [regions, 4], and x has elements";

/* Samples along one axis of all regions, [regions, samples]. */
typedef struct samples {
  gg_var *at[2]; /* the elements on both sides, int64 */
  gg_var *weight[2];
  gg_var *is_in; /* else the sample is 0 */
} samples;

static gg_var *num(gg_var *like, double v) {
  return gg_weak(gg_var_graph(like), v);
}

/* Column k of the regions as [regions, 1], scaled and moved by `shift`. */
static gg_var *border(gg_var *regions, unsigned int k, double scale,
                      double shift) {
  gg_var *v = gg_expand_dims(gg_index(regions, 1, k), 1);

  return gg_add(gg_mul(v, num(regions, scale)), num(regions, shift));
}

/* The positions of `n` times `ratio` samples between two borders. */
static gg_var *place(gg_var *low, gg_var *high, size_t n, size_t ratio,
                     int is_aligned) {
  gg_graph *g = gg_var_graph(low);
  gg_var *size = gg_sub(high, low);
  gg_var *i = gg_cast(
      gg_arange(gg_i64(g, 0), gg_i64(g, (int64_t)(n * ratio)), gg_i64(g, 1)),
      gg_var_type(low)->dtype);

  if (!is_aligned)
    size = gg_maximum(size, num(low, 1));
  i = gg_mul(gg_add(i, num(i, 0.5)), num(i, 1.0 / (double)(n * ratio)));
  return gg_add(low, gg_mul(size, gg__expand(i, 0)));
}

static void find_samples(samples *s, gg_var *p, gg_var *size) {
  const int dtype = gg_var_type(p)->dtype;
  gg_var *n = gg_cast(size, dtype), *last = gg_sub(n, num(p, 1));
  gg_var *at = gg_minimum(gg_maximum(p, num(p, 0)), last);
  gg_var *low = gg_floor(at), *part = gg_sub(at, low);

  s->at[0] = gg_cast(low, GA_LONG);
  s->at[1] = gg_cast(gg_minimum(gg_add(low, num(p, 1)), last), GA_LONG);
  s->weight[0] = gg_sub(num(p, 1), part);
  s->weight[1] = part;
  s->is_in = gg_and(gg_ge(p, num(p, -1)), gg_le(p, n));
}

/* Values of rows [regions, rows] and of columns [regions, columns] together,
 * [1, regions * rows * columns]. */
static gg_var *cross(gg_var *(*with)(gg_var *, gg_var *), gg_var *rows,
                     gg_var *columns) {
  return gg_expand_dims(
      gg_flatten(with(gg_expand_dims(rows, 2), gg_expand_dims(columns, 1))), 0);
}

/* All samples, [channels, regions * rows * columns]. x is [channels, images *
 * rows * columns], `first` has the index of the first row of each region's
 * image, [regions, 1]. */
static gg_var *read_samples(gg_var *x, gg_var *first, const samples *rows,
                            const samples *columns, gg_var *width) {
  gg_var *is_in = cross(gg_and, rows->is_in, columns->is_in), *sum = NULL;

  for (int k = 0; k < 4; k++) {
    gg_var *line = gg_mul(gg_add(first, rows->at[k / 2]), width);
    gg_var *index =
        gg_add(gg_expand_dims(line, 2), gg_expand_dims(columns->at[k % 2], 1));
    gg_var *weight = cross(gg_mul, rows->weight[k / 2], columns->weight[k % 2]);
    gg_var *part = gg_mul(
        gg_where(is_in, gg_take_axis(x, 1, gg_flatten(index)), num(x, 0)),
        weight);
    sum = sum == NULL ? part : gg_add(sum, part);
  }
  return sum;
}

static int check_regions(const gg_op *op, gg_var *const *in,
                         const gg_regions *r) {
  if (!gg__given(op, 3, in))
    return 0;
  if (r == NULL || r->rows == 0 || r->columns == 0 || r->ratio == 0 ||
      r->rows > 1u << 20 || r->columns > 1u << 20 || r->ratio > 1u << 10 ||
      !isfinite(r->scale)) {
    if (r == NULL)
      gg__refuse(op, 3, in, GA_VALUE_ERROR, "no sizes of regions");
    else
      gg__refuse(op, 3, in, GA_VALUE_ERROR,
                 "%zu rows, %zu columns, %zu samples, scale %g; expected at "
                 "least 1 of each, and a finite scale",
                 r->rows, r->columns, r->ratio, r->scale);
    return 0;
  }
  const gg_type *regions = gg_var_type(in[1]);
  if (gg__rank_of(in[0]) != 4 || regions->nd != 2 ||
      (regions->dims[1] >= 0 && regions->dims[1] != 4) ||
      gg__rank_of(in[2]) != 1) {
    gg__refuse(op, 3, in, GA_VALUE_ERROR,
               "expected [images, channels, rows, columns], [regions, 4], "
               "[regions]");
    return 0;
  }
  if (ga__dtype_kind(gg_var_type(in[0])->dtype) != GA_KIND_FLOAT ||
      ga__dtype_kind(regions->dtype) != GA_KIND_FLOAT ||
      !gg__is_integer(gg_var_type(in[2])->dtype)) {
    gg__refuse(op, 3, in, GA_UNSUPPORTED_ERROR,
               "expected floats, floats, integers");
    return 0;
  }
  return 1;
}

/* The images of the operands (x, regions, images). Calls check their count. */
static gg_var *for_each_region(const gg_op *op, gg_var *const *in) {
  gg_var *const size = gg_shape(in[1], 0);

  return gg__with_sizes(op, 3, in, in[2], &size, "an image for each region");
}

/* The samples of regions [regions, 4] in images of size[2] rows and size[3]
 * columns. */
static void sample_regions(gg_var *regions, const gg_regions *r,
                           gg_var *const *size, samples *rows,
                           samples *columns) {
  const double shift = r->is_aligned ? -0.5 : 0;

  for (unsigned int k = 0; k < 2; k++)
    find_samples(k == 0 ? columns : rows,
                 place(border(regions, k, r->scale, shift),
                       border(regions, k + 2, r->scale, shift),
                       k == 0 ? r->columns : r->rows, r->ratio, r->is_aligned),
                 size[3 - k]);
}

/* Samples [channels, all of the regions] as means [regions, channels, rows,
 * columns]. */
static gg_var *mean_samples(gg_var *y, gg_var *channels, gg_var *regions,
                            const gg_regions *r) {
  gg_graph *g = gg_var_graph(channels);
  gg_var *ratio = gg_i64(g, (int64_t)r->ratio);
  gg_var *const parts[6] = {
      channels, gg_shape(regions, 0),           gg_i64(g, (int64_t)r->rows),
      ratio,    gg_i64(g, (int64_t)r->columns), ratio};

  y = gg_mean_axes(gg_reshape_sizes(y, 6, parts), 2, (const int[]){3, 5}, 0);
  return gg_dimshuffle(y, 4, (const int[]){1, 0, 2, 3});
}

/* The operands (x, regions, images) as they should be for check_regions. */
static gg_var *align(const gg_op *op, gg_var *const *in, const gg_regions *r) {
  const int dtype = gg_var_type(in[0])->dtype, work = ga__dtype_work(dtype);
  gg_var *const images = for_each_region(op, in), *x = in[0], *size[4];
  samples rows, columns;

  if (images == NULL)
    return NULL;
  gg__sizes_of(x, size);
  gg_var *const regions = gg__with_last(in[1], 4);
  sample_regions(gg_cast(regions, work), r, size, &rows, &columns);
  gg_var *const flat[2] = {
      size[1], gg__number_mul(size[0], gg__number_mul(size[2], size[3]))};
  x = gg_dimshuffle(x, 4, (const int[]){1, 0, 2, 3});
  x = gg_cast(gg_reshape_sizes(x, 2, flat), work);
  gg_var *first = gg_mul(gg_expand_dims(gg_cast(images, GA_LONG), 1), size[2]);
  gg_var *y = read_samples(x, first, &rows, &columns, size[3]);
  return gg_cast(mean_samples(y, size[1], regions, r), dtype);
}

gg_var *gg_roi_align(gg_var *x, gg_var *regions, gg_var *images,
                     const gg_regions *r) {
  static const gg_op op = {.name = "roi_align"};
  gg_var *const in[3] = {x, regions, images};

  if (!check_regions(&op, in, r))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 3, in, four);
  return gg_parts_end(g, outer, align(&op, in, r));
}

/* --- largest elements --- */

/* The elements of all bins of one axis: first and behind the last one, [regions
 * or 1, bins], int64, inside of the image. */
typedef struct bins {
  gg_var *first, *end;
} bins;

/* The nearest whole number, halves away from 0, within 2^30. */
static gg_var *round_away(gg_var *v) {
  gg_var *near = gg_where(gg_lt(v, num(v, 0)), gg_ceil(gg_sub(v, num(v, 0.5))),
                          gg_floor(gg_add(v, num(v, 0.5))));

  return gg_cast(gg_clip(near, num(v, -0x1p30), num(v, 0x1p30)), GA_LONG);
}

/* The whole numbers from `first` on, `n` of them, as [1, n]. */
static gg_var *count(gg_var *like, int64_t first, size_t n) {
  gg_var *i = gg_arange(gg__whole_number(like, first),
                        gg__whole_number(like, first + (int64_t)n),
                        gg__whole_number(like, 1));

  return gg_expand_dims(i, 0);
}

/* Bin i has the elements from floor(i s / n) to ceil((i + 1) s / n) of the s
 * elements between two corners, both included. */
static bins find_bins(gg_var *low, gg_var *high, size_t n, gg_var *size) {
  gg_var *from = round_away(low), *by = gg__whole_number(low, (int64_t)n);
  gg_var *one = gg__whole_number(low, 1), *none = gg__whole_number(low, 0);
  gg_var *span = gg_maximum(gg_add(gg_sub(round_away(high), from), one), one);
  gg_var *first = gg_floordiv(gg_mul(count(low, 0, n), span), by);
  gg_var *end = gg_neg(gg_floordiv(gg_neg(gg_mul(count(low, 1, n), span)), by));

  return (bins){gg_clip(gg_add(first, from), none, size),
                gg_clip(gg_add(end, from), none, size)};
}

/* Where bins [1, n] have the elements of an axis of `size`: [n, size]. */
static gg_var *mask_of(const bins *b, gg_var *size) {
  gg_var *i =
      gg_arange(gg__whole_number(size, 0), size, gg__whole_number(size, 1));
  gg_var *first = gg_dimshuffle(b->first, 2, (int[]){1, 0});
  gg_var *end = gg_dimshuffle(b->end, 2, (int[]){1, 0});

  i = gg_expand_dims(i, 0);
  return gg_and(gg_ge(i, first), gg_lt(i, end));
}

/* The largest elements of x [a, b, size] in each bin along the last axis, [a,
 * b, n], and their positions. In an empty bin the position has no meaning. */
static void find_largest(gg_var *x, const bins *b, gg_var *size, gg_var **value,
                         gg_var **at) {
  gg_var *none = num(x, -INFINITY);
  gg_var *in = gg_where(mask_of(b, size), gg_expand_dims(x, 2), none);

  *value = gg_max_axis(in, 3);
  *at = gg_argmax_axis(in, 3);
  /* If all are -infinity, the first one is that of the bin. */
  *at = gg_where(gg_eq(*value, none), gg_expand_dims(b->first, 0), *at);
}

/* The position of the first largest element in each bin of a plane, [channels,
 * rows, columns]; -1 for empty bins. x is [channels, rows, columns]. */
static gg_var *locate(gg_var *x, const bins *rows, const bins *columns,
                      gg_var *const *size) {
  gg_var *in_line, *column, *largest, *row;

  find_largest(x, columns, size[3], &in_line, &column);
  find_largest(gg_dimshuffle(in_line, 3, (int[]){0, 2, 1}), rows, size[2],
               &largest, &row);
  row = gg_dimshuffle(row, 3, (int[]){0, 2, 1});
  gg_var *limit = gg_sub(size[2], gg__whole_number(row, 1));
  column = gg_take_along(column, 1, gg_minimum(row, limit));
  gg_var *full = gg_and(
      gg_dimshuffle(gg_lt(rows->first, rows->end), 3, (int[]){-1, 1, -1}),
      gg_dimshuffle(gg_lt(columns->first, columns->end), 3,
                    (int[]){-1, -1, 1}));
  return gg_where(full, gg_add(gg_mul(row, size[3]), column),
                  gg__whole_number(row, -1));
}

/* Row r of `all`, the bins of all regions, in a loop: [1, n]. */
static bins bins_of(gg_scan *s, const bins *all) {
  return (bins){gg_expand_dims(gg_scan_sequence(s, all->first, 0), 0),
                gg_expand_dims(gg_scan_sequence(s, all->end, 0), 0)};
}

/* The same for all regions, one after the other: [regions, channels, rows,
 * columns]. */
static gg_var *locate_all(gg_var *x, const bins *rows, const bins *columns,
                          gg_var *images, gg_var *const *size) {
  gg_scan *const s = gg_scan_open(gg_var_graph(images));
  const bins i = bins_of(s, rows), j = bins_of(s, columns);
  gg_var *image = gg_expand_dims(gg_scan_sequence(s, images, 0), 0);
  gg_var *plane = gg_squeeze(gg_take_axis(x, 0, image), 0), *all = NULL;
  gg_var *at = gg_scan_output(s, locate(plane, &i, &j, size));

  if (gg_scan_close(s) == GA_NO_ERROR)
    all = gg_scan_all(s, at);
  gg_scan_free(s);
  return all;
}

/* The elements of x at such positions, 0 for -1. */
static gg_var *read_located(gg_var *x, gg_var *at, gg_var *images,
                            gg_var *const *size) {
  gg_var *plane = gg__number_mul(size[2], size[3]);
  gg_var *none = gg__whole_number(at, 0);
  gg_var *c = gg_arange(none, size[1], gg__whole_number(at, 1));
  gg_var *first = gg_mul(
      gg_add(gg_mul(gg_dimshuffle(images, 4, (int[]){0, -1, -1, -1}), size[1]),
             gg_dimshuffle(c, 4, (int[]){-1, 0, -1, -1})),
      plane);
  gg_var *index = gg_add(first, gg_maximum(at, none));
  gg_var *y = gg__reshape_like(gg_take(gg_flatten(x), gg_flatten(index)), at);

  return gg_where(gg_lt(at, none), num(x, 0), y);
}

gg_var *gg_roi_pool(gg_var *x, gg_var *regions, gg_var *images,
                    const gg_regions *r) {
  static const gg_op op = {.name = "roi_pool"};
  gg_var *const in[3] = {x, regions, images};
  gg_regions own = r != NULL ? *r : (gg_regions){.rows = 0};
  gg_var *size[4];
  bins part[2];

  own.ratio = 1;
  if (!check_regions(&op, in, r != NULL ? &own : NULL))
    return NULL;
  images = for_each_region(&op, in);
  if (images == NULL)
    return NULL;
  gg__sizes_of(x, size);
  regions = gg__with_last(regions, 4);
  regions = gg_cast(regions, ga__dtype_work(gg_var_type(regions)->dtype));
  for (unsigned int k = 0; k < 2; k++)
    part[k] = find_bins(border(regions, k, own.scale, 0),
                        border(regions, k + 2, own.scale, 0),
                        k == 0 ? own.columns : own.rows, size[3 - k]);
  images = gg_cast(images, GA_LONG);
  gg_var *at = locate_all(x, &part[1], &part[0], images, size);
  return at != NULL ? read_located(x, at, images, size) : NULL;
}

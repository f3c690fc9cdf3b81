/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of images: means of samples, which are reads by index, and largest
 * elements. */
#include <gpugraph/arrange.h>
#include <gpugraph/gather.h>
#include <gpugraph/images.h>
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

gg_var *gg_roi_pool(gg_var *x, gg_var *regions, gg_var *images,
                    const gg_regions *r) {
  static const gg_op op = {.name = "roi_pool"};
  gg_var *const in[3] = {x, regions, images};
  gg_regions own = r != NULL ? *r : (gg_regions){.rows = 0};

  own.ratio = 1;
  if (!check_regions(&op, in, r != NULL ? &own : NULL))
    return NULL;
  images = for_each_region(&op, in);
  if (images == NULL)
    return NULL;
  const gg__roi_props p = {(int64_t)own.rows, (int64_t)own.columns, own.scale};
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 3, in, four);
  return gg_parts_end(g, outer,
                      gg_op_apply(NULL, &gg__op_roi_pool, &p, 3,
                                  (gg_var *[]){x, gg__with_last(regions, 4),
                                               gg_cast(images, GA_LONG)}));
}

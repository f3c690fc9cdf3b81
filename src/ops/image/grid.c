/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling images at the positions of a grid: for each neighbour of a position
 * one read by index, and its weight. */
#include <gpugraph/gather.h>
#include <gpugraph/images.h>

#include "ops/compose.h"

#define CUBIC (-0.75)

enum { AXES = GA_POOLING_ND, TAPS = 4 };

/* The neighbours of positions along one axis: as floats, and their weights. */
typedef struct taps {
  unsigned int n;
  gg_var *at[TAPS], *weight[TAPS];
} taps;

typedef struct sampling {
  gg_var *x; /* [images, channels, all positions] */
  unsigned int n;
  gg_var *size[AXES]; /* int64 */
  taps taps[AXES];
} sampling;

static gg_var *num(gg_var *like, double v) {
  return gg_weak(gg_var_graph(like), v);
}

/* --- positions --- */

/* Positions from -1 to 1 as positions in an image of `size` elements. */
static gg_var *place(gg_var *p, gg_var *size, int align) {
  gg_var *up = gg_add(p, num(p, 1));

  return align ? gg_mul(gg_mul(up, num(p, 0.5)), gg_sub(size, num(p, 1)))
               : gg_mul(gg_sub(gg_mul(up, size), num(p, 1)), num(p, 0.5));
}

static gg_var *limit(gg_var *p, gg_var *size) {
  return gg_minimum(gg_maximum(p, num(p, 0)), gg_sub(size, num(p, 1)));
}

/* Reflect at the centres of the first and the last element (`align`), or at
 * their borders. */
static gg_var *reflect(gg_var *p, gg_var *size, int align) {
  gg_var *low = num(p, align ? 0 : -0.5);
  gg_var *span = align ? gg_maximum(gg_sub(size, num(p, 1)), num(p, 1)) : size;
  gg_var *away = gg_abs(gg_sub(p, low));
  gg_var *turns = gg_floor(gg_div(away, span));
  gg_var *rest = gg_sub(away, gg_mul(turns, span));
  gg_var *is_odd = gg_gt(
      gg_sub(turns, gg_mul(gg_floor(gg_mul(turns, num(p, 0.5))), num(p, 2))),
      num(p, 0.5));

  return gg_add(gg_where(is_odd, gg_sub(span, rest), rest), low);
}

static gg_var *bring_inside(gg_var *p, gg_var *size, gg_outside outside,
                            int align) {
  if (outside == GG_OUTSIDE_ZERO)
    return p;
  return limit(outside == GG_OUTSIDE_REFLECT ? reflect(p, size, align) : p,
               size);
}

/* --- neighbours --- */

/* The weight of a neighbour at distance t, at most 1 (`near`), or from 1 to
 * 2. */
static gg_var *cubic_weight(gg_var *t, int near) {
  const double a = CUBIC;
  const double c[2][4] = {{-4 * a, 8 * a, -5 * a, a}, {1, 0, -a - 3, a + 2}};
  const double *k = c[near];
  gg_var *y = gg_add(gg_mul(t, num(t, k[3])), num(t, k[2]));

  y = gg_add(gg_mul(y, t), num(t, k[1]));
  return gg_add(gg_mul(y, t), num(t, k[0]));
}

static void find_cubic(taps *to, gg_var *p, gg_var *size, gg_outside outside,
                       int align) {
  gg_var *low = gg_floor(p);
  gg_var *part = gg_sub(p, low);

  to->n = 4;
  for (int k = 0; k < 4; k++) {
    gg_var *t =
        k < 2 ? gg_add(part, num(p, 1 - k)) : gg_sub(num(p, k - 1), part);
    to->at[k] = bring_inside(gg_add(low, num(p, k - 1)), size, outside, align);
    to->weight[k] = cubic_weight(t, k == 1 || k == 2);
  }
}

static void find_taps(taps *to, gg_var *p, gg_var *size, ga_resize_mode mode,
                      gg_outside outside, int align) {
  if (mode == GA_RESIZE_CUBIC) {
    find_cubic(to, p, size, outside, align);
    return;
  }
  p = bring_inside(p, size, outside, align);
  to->n = mode == GA_RESIZE_NEAREST ? 1 : 2;
  to->at[0] = mode == GA_RESIZE_NEAREST ? gg_round(p) : gg_floor(p);
  if (to->n == 1)
    return;
  gg_var *part = gg_sub(p, to->at[0]);
  to->at[1] = gg_add(to->at[0], num(p, 1));
  to->weight[0] = gg_sub(num(p, 1), part);
  to->weight[1] = part;
}

/* --- sums --- */

/* A neighbour of each position, [images, 1, positions]. */
typedef struct neighbour {
  gg_var *index, *is_in;
  gg_var *weight; /* NULL: 1 */
} neighbour;

/* Elements times their weights. What lies outside is 0 even if the element that
 * is read in its place is not finite. */
static gg_var *read(const sampling *s, const neighbour *k) {
  gg_var *v =
      gg_where(k->is_in, gg_take_along(s->x, 2, k->index), num(s->x, 0));

  return k->weight != NULL ? gg_mul(v, k->weight) : v;
}

/* Set `to` to the neighbour that is `before` along the axes before d, where it
 * is NULL for d = 0, and tap k along axis d. */
static void step(neighbour *to, const sampling *s, const neighbour *before,
                 unsigned int d, unsigned int k) {
  gg_var *at = s->taps[d].at[k], *weight = s->taps[d].weight[k];
  gg_var *last = gg_cast(gg_sub(s->size[d], gg_weak_int(gg_var_graph(at), 1)),
                         gg_var_type(at)->dtype);

  to->is_in = gg_and(gg_ge(at, num(at, 0)), gg_le(at, last));
  to->index = gg_cast(gg_minimum(gg_maximum(at, num(at, 0)), last), GA_LONG);
  to->weight = weight != NULL ? gg_where(to->is_in, weight, num(at, 0)) : NULL;
  if (before == NULL)
    return;
  to->index = gg_add(gg_mul(before->index, s->size[d]), to->index);
  to->is_in = gg_and(before->is_in, to->is_in);
  if (weight != NULL)
    to->weight = gg_mul(before->weight, to->weight);
}

/* The sum over all neighbours along the axes from d on; `before` is that along
 * the axes before it, NULL at first. */
static gg_var *sum_taps(const sampling *s, unsigned int d,
                        const neighbour *before) {
  gg_var *sum = NULL;

  if (d == s->n || d == AXES)
    return read(s, before);
  for (unsigned int k = 0; k < s->taps[d].n; k++) {
    neighbour own;

    step(&own, s, before, d, k);
    gg_var *part = sum_taps(s, d + 1, &own);
    sum = sum == NULL ? part : gg_add(sum, part);
  }
  return sum;
}

/* --- builders --- */

static int check_sample(const gg_op *op, gg_var *x, gg_var *grid,
                        ga_resize_mode mode, gg_outside outside) {
  gg_var *const in[2] = {x, grid};

  if (!gg__given(op, 2, in))
    return 0;
  const unsigned int nd = gg__rank_of(x);
  const int64_t last = gg__rank_of(grid) > 0
                           ? gg_var_type(grid)->dims[gg__rank_of(grid) - 1]
                           : 0;
  if (nd < 3 || nd > 2 + AXES || gg__rank_of(grid) != nd ||
      (last >= 0 && last != nd - 2)) {
    gg__refuse(op, 2, in, GA_VALUE_ERROR,
               "expected 1 to 3 sizes, and as many coordinates");
    return 0;
  }
  for (unsigned int d = 2; d < nd; d++)
    if (gg_var_type(x)->dims[d] == 0) {
      gg__refuse(op, 2, in, GA_VALUE_ERROR, "dim %u: an image without elements",
                 d);
      return 0;
    }
  if ((unsigned int)mode > GA_RESIZE_CUBIC ||
      (unsigned int)outside > GG_OUTSIDE_REFLECT) {
    gg__refuse(op, 2, in, GA_VALUE_ERROR, "mode %d, outside %d", (int)mode,
               (int)outside);
    return 0;
  }
  if (ga__dtype_kind(gg_var_type(x)->dtype) != GA_KIND_FLOAT ||
      ga__dtype_kind(gg_var_type(grid)->dtype) != GA_KIND_FLOAT) {
    gg__refuse(op, 2, in, GA_UNSUPPORTED_ERROR, "expected floats");
    return 0;
  }
  return 1;
}

/* Coordinate k of all positions of a grid, [images, 1, positions]. */
static gg_var *coordinate(gg_var *grid, unsigned int k) {
  const unsigned int last = gg__rank_of(grid) - 1;
  gg_var *const sizes[3] = {gg_shape(grid, 0), gg_i64(gg_var_graph(grid), 1),
                            gg__number_of(grid, 1, last)};
  gg_var *one = gg_slice(grid, (int)last, k, (int64_t)k + 1, 1);

  return gg_reshape_sizes(one, 3, sizes);
}

static gg_var *sample(const gg_op *op, gg_var *x, gg_var *grid,
                      ga_resize_mode mode, gg_outside outside, int align) {
  gg_var *const in[2] = {x, grid};
  gg_var *want[GG_MAX_ND] = {NULL};
  const int dtype = gg_var_type(x)->dtype, work = ga__dtype_work(dtype);
  const unsigned int nd = gg__rank_of(x);
  gg_var *sizes[GG_MAX_ND] = {gg_shape(x, 0), gg_shape(x, 1)};
  gg_var *const flat[3] = {sizes[0], sizes[1], gg__number_of(x, 2, nd)};
  sampling s = {.n = nd - 2};

  want[0] = sizes[0];
  want[nd - 1] = gg__whole_number(x, s.n);
  grid = gg__with_sizes(op, 2, in, grid, want,
                        "a grid for each image, of as many coordinates as the "
                        "image has sizes");
  s.x = gg_cast(gg_reshape_sizes(x, 3, flat), work);
  if (grid == NULL ||
      s.x == NULL) /* no images or no channels: there is no such reshape */
    return NULL;
  for (unsigned int d = 0; d < s.n; d++) {
    gg_var *p = gg_cast(coordinate(grid, s.n - 1 - d), work);
    s.size[d] = gg_shape(x, (int)d + 2);
    gg_var *size = gg_cast(s.size[d], work);
    if (p == NULL || size == NULL)
      return NULL;
    find_taps(&s.taps[d], place(p, size, align), size, mode, outside, align);
    sizes[d + 2] = gg_shape(grid, (int)d + 1);
  }
  return gg_reshape_sizes(gg_cast(sum_taps(&s, 0, NULL), dtype), nd, sizes);
}

gg_var *gg_grid_sample(gg_var *x, gg_var *grid, ga_resize_mode mode,
                       gg_outside outside, int align) {
  static const gg_op op = {.name = "grid_sample"};

  if (!check_sample(&op, x, grid, mode, outside))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 2, (gg_var *[]){x, grid}, "images have elements");
  return gg_parts_end(g, outer, sample(&op, x, grid, mode, outside, align));
}

/* Positions along an axis of `size` elements, from -1 to 1. */
static gg_var *positions(gg_var *size, int dtype, int align) {
  gg_var *i = gg_cast(gg__count_up(size), dtype);
  gg_var *n = gg_cast(size, dtype);

  if (!align)
    return gg_sub(gg_div(gg_add(gg_mul(i, num(i, 2)), num(i, 1)), n),
                  num(i, 1));
  /* The only position is 0. */
  gg_var *last = gg_sub(n, num(i, 1));
  return gg_where(
      gg_gt(last, num(i, 0)),
      gg_sub(gg_div(gg_mul(i, num(i, 2)), gg_maximum(last, num(i, 1))),
             num(i, 1)),
      num(i, 0));
}

/* Column k of theta, [images, 1 ..., n]. */
static gg_var *column(gg_var *theta, unsigned int n, unsigned int k) {
  int pattern[GG_MAX_ND] = {0};

  for (unsigned int d = 1; d <= n; d++)
    pattern[d] = -1;
  pattern[n + 1] = 1;
  return gg_dimshuffle(gg_index(theta, 2, k), n + 2, pattern);
}

/* Nonzero if these can be the n sizes of a grid. */
static int check_sizes(const gg_op *op, gg_var *theta, unsigned int n,
                       gg_var *const *sizes) {
  double known;

  if (!gg__given(op, n, sizes))
    return 0;
  for (unsigned int d = 0; d < n; d++) {
    if (!gg__check_number(op, theta, sizes[d]))
      return 0;
    if (gg_var_uniform(sizes[d], &known) && known < 0) {
      gg__refuse(op, 1, &theta, GA_VALUE_ERROR, "dim %u: %.0f is not a size", d,
                 known);
      return 0;
    }
  }
  return 1;
}

/* The grid of n sizes. */
static gg_var *map_grid(gg_var *theta, unsigned int n, gg_var *const *sizes,
                        int align) {
  const int dtype = gg_var_type(theta)->dtype, work = ga__dtype_work(dtype);

  theta = gg_cast(gg__with_last(theta, n + 1), work);
  gg_var *sum = column(theta, n, n);
  for (unsigned int d = 0; d < n; d++) {
    int pattern[GG_MAX_ND];

    for (unsigned int k = 0; k < n + 2; k++)
      pattern[k] = k == d + 1 ? 0 : -1;
    gg_var *p = positions(sizes[d], work, align);
    sum = gg_add(sum, gg_mul(gg_dimshuffle(p, n + 2, pattern),
                             column(theta, n, n - 1 - d)));
  }
  return gg_cast(sum, dtype);
}

gg_var *gg_affine_grid(gg_var *theta, gg_var *const *sizes, int align) {
  static const gg_op op = {.name = "affine_grid"};

  if (!gg__given_beside(&op, theta, 1, sizes))
    return NULL;
  const gg_type *t = gg_var_type(theta);
  const unsigned int n = t->nd == 3 && t->dims[1] >= 1 && t->dims[1] <= AXES
                             ? (unsigned int)t->dims[1]
                             : 0;
  if (n == 0 || (t->dims[2] >= 0 && t->dims[2] != n + 1) || sizes == NULL ||
      ga__dtype_kind(t->dtype) != GA_KIND_FLOAT)
    return gg__refuse(&op, 1, &theta, GA_VALUE_ERROR,
                      "expected floats [images, n, n + 1] for n of 1 to 3, and "
                      "n sizes");
  if (!check_sizes(&op, theta, n, sizes))
    return NULL;
  gg_graph *const g = gg_var_graph(theta);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 1, &theta,
                     "theta is [images, n, n + 1], and sizes are 0 or more");
  return gg_parts_end(g, outer, map_grid(theta, n, sizes, align));
}

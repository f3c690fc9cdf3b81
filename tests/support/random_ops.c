/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops with properties at random, extreme ones among them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "support/random_graph.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- what properties are made of --- */

static int chance(random_graph *r, unsigned int one_in) {
  return random_below(r, one_in) == 0;
}

static unsigned int rank(const gg_var *v) {
  return gg_var_type(v)->nd;
}

/* A value with an axis, and one of its axes, counted from either end. */
static gg_var *pick_axis(random_graph *r, int *axis) {
  gg_var *x = random_pick(r);
  const int nd = (int)rank(x);

  *axis = 0;
  if (nd == 0)
    return NULL;
  *axis = (int)random_below(r, 2 * (size_t)nd) - nd;
  return x;
}

/* The sizes that a value has now, of which its type may know nothing. */
static size_t sizes_of(const gg_var *v, size_t *dims) {
  size_t n = 1;

  if (gg_var_test_value(v, dims) == NULL)
    return 0;
  for (unsigned int i = 0; i < rank(v); i++)
    n *= dims[i];
  return n;
}

static const int64_t bounds[] = {GG_END,
                                 GG_END,
                                 0,
                                 1,
                                 2,
                                 4,
                                 -1,
                                 -2,
                                 -5,
                                 100,
                                 -100,
                                 INT64_MAX,
                                 INT64_MAX - 1,
                                 INT64_MIN + 1,
                                 INT64_MIN + 2,
                                 (int64_t)1 << 32};
static const int64_t steps[] = {1, 1, 1, -1, 2, -2, 3, INT64_MAX, -INT64_MAX};

#define ANY_OF(r, list) list[random_below(r, COUNT(list))]

/* --- constants --- */

/* Not -0, as the sign of a zero is not promised. */
static const double extremes[] = {0,   1, -1,  0.5, INFINITY, -INFINITY,
                                  NAN, 3, 127, 255, 65504};

static double draw_element(random_graph *r, int dtype) {
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT)
    return random_below(r, dtype == GA_BOOL ? 2 : 4);
  return chance(r, 4) ? 0 : random_between(r, -2, 2);
}

/* An array, whose elements are all equal or not, with sizes of the graph. */
static gg_var *constant(random_graph *r) {
  const int dtype = random_dtype(r);
  const size_t bytes = ga__dtype_size(dtype);
  const unsigned int nd = random_below(r, 4);
  const int is_uniform = chance(r, 2), is_extreme = chance(r, 4);
  size_t dims[GG_MAX_ND] = {0}, n = 1;
  double x = is_extreme ? ANY_OF(r, extremes) : draw_element(r, dtype);

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i] = chance(r, 4) ? 1 : r->size[random_below(r, RANDOM_SIZES)];
  char *data = malloc((n + 1) * bytes);
  assert_non_null(data);
  for (size_t i = 0; i < n; i++) {
    ga__dtype_from_double(dtype, data + i * bytes, x);
    if (!is_uniform)
      x = draw_element(r, dtype);
  }
  gg_var *v = gg_constant(r->g, dtype, nd, dims, data);
  free(data);
  return v;
}

/* --- values whose elements are all equal, or follow from sizes --- */

/* A size: of an axis, or a number. */
static gg_var *size(random_graph *r) {
  int axis;
  gg_var *x = pick_axis(r, &axis);

  return x != NULL && chance(r, 2)
             ? gg_shape(x, axis)
             : gg_i64(r->g, (int64_t)r->size[random_below(r, RANDOM_SIZES)]);
}

static gg_var *alloc(random_graph *r) {
  const unsigned int nd = 1 + random_below(r, 3);
  gg_var *sizes[3] = {size(r), size(r), size(r)};
  gg_var *value = chance(r, 2) ? gg_f32(r->g, 1) : random_pick(r);

  return gg_alloc(value, nd, sizes);
}

static gg_var *uniform(random_graph *r) {
  gg_var *x = random_pick(r);
  int axis;

  switch (random_below(r, 8)) {
  case 0:
    return gg_ones_like(x);
  case 1:
    return gg_zeros_like(x);
  case 2:
    return gg_fill(x, gg_scalar(r->g, random_dtype(r), ANY_OF(r, extremes)));
  case 3:
    return gg_fill(x, random_pick(r));
  case 4:
    return gg_size(x);
  case 5:
    return gg_arange(gg_i64(r->g, (int64_t)random_below(r, 5) - 2), size(r),
                     gg_i64(r->g, chance(r, 2) ? 1 : -2));
  case 6:
    x = pick_axis(r, &axis);
    return chance(r, 2) ? gg_shape(x, axis) : gg_positions(x, axis);
  default:
    return alloc(r);
  }
}

/* --- axes --- */

static gg_var *reduction(random_graph *r) {
  const gg_reduction op = (gg_reduction)random_below(r, GG_VARIANCE + 1);
  gg_var *x = random_pick(r);
  int axes[GG_MAX_ND];
  unsigned int n = 0;

  for (unsigned int i = 0; i < rank(x); i++)
    if (chance(r, 2))
      axes[n++] = chance(r, 2) ? (int)i : (int)i - (int)rank(x);
  return gg_reduce(op, x, n, axes, (int)random_below(r, 2));
}

/* Axes in another order, new ones, and some of size 1 left out. */
static gg_var *dimshuffle(random_graph *r) {
  gg_var *x = random_pick(r);
  int pattern[GG_MAX_ND];
  unsigned int n = 0;

  for (unsigned int i = 0; i < rank(x); i++) {
    if (gg_var_type(x)->dims[i] == 1 && chance(r, 2))
      continue;
    unsigned int at = random_below(r, n + 1);
    memmove(pattern + at + 1, pattern + at, (n - at) * sizeof *pattern);
    pattern[at] = (int)i;
    n++;
    if (chance(r, 4))
      pattern[n++] = -1;
  }
  return gg_dimshuffle(x, n, pattern);
}

/* A part of n that divides it. */
static int64_t divisor(random_graph *r, size_t n) {
  const size_t d = 1 + random_below(r, n < 8 ? n : 8);

  return (int64_t)(n != 0 && n % d == 0 ? d : n);
}

static gg_var *reshape(random_graph *r) {
  gg_var *x = random_pick(r), *as[3];
  int64_t dims[3] = {1, 1, 1};
  size_t at[GG_MAX_ND], n = sizes_of(x, at);
  const unsigned int nd = 1 + random_below(r, 3);

  for (unsigned int i = 0; i + 1 < nd; i++) {
    dims[i] = divisor(r, n);
    n = dims[i] != 0 ? n / (size_t)dims[i] : 0;
  }
  dims[nd - 1] = (int64_t)n;
  if (chance(r, 2))
    dims[random_below(r, nd)] = -1;
  for (unsigned int i = 0; i < nd; i++)
    as[i] = gg_i64(r->g, dims[i]);
  return chance(r, 2) ? gg_reshape(x, nd, dims) : gg_reshape_sizes(x, nd, as);
}

/* By vectors that follow from the sizes of x. */
static gg_var *by_vector(random_graph *r) {
  gg_var *const x = random_pick(r), *const s = gg_shape_vector(x);
  gg_var *const two = gg_i64(r->g, 2);

  if (rank(x) == 0)
    return s;
  switch (random_below(r, 5)) {
  case 0:
    return gg_reshape_vector(x, gg_slice(s, 0, GG_END, GG_END, -1));
  case 1:
    return gg_reshape_vector(
        x, gg_stack(0, 2, (gg_var *[]){gg_floordiv(two, two), gg_prod(s)}));
  case 2:
    return gg_slice_vector(x, NULL, gg_floordiv(s, two), s, NULL);
  case 3:
    return gg_broadcast_vector(x, gg_where(gg_gt(s, two), s, s));
  default:
    return gg_mul(s, gg_maximum(s, two));
  }
}

static gg_var *specify(random_graph *r) {
  gg_var *x = random_pick(r);
  size_t at[GG_MAX_ND];
  int64_t dims[GG_MAX_ND];

  sizes_of(x, at);
  for (unsigned int i = 0; i < rank(x); i++)
    dims[i] = chance(r, 2) ? GG_ANY : (int64_t)at[i];
  return gg_specify_shape(x, dims);
}

static gg_var *join(random_graph *r) {
  gg_var *x[4];
  int axis;

  x[0] = pick_axis(r, &axis);
  if (x[0] == NULL)
    return NULL;
  unsigned int n = 1 + random_below(r, 4);
  for (unsigned int i = 1; i < n; i++)
    x[i] = chance(r, 3)
               ? x[0]
               : random_operand(r, gg_var_type(x[0])->dtype, rank(x[0]));
  return gg_join(axis, n, x);
}

/* --- parts --- */

static gg_var *part(random_graph *r) {
  int axis;
  gg_var *x = pick_axis(r, &axis);

  if (chance(r, 3))
    return gg_index(x, axis,
                    chance(r, 2) ? -1 - (int64_t)random_below(r, 3)
                                 : (int64_t)random_below(r, 3));
  const int64_t start = ANY_OF(r, bounds), stop = ANY_OF(r, bounds);
  const int64_t step = ANY_OF(r, steps);
  if (chance(r, 3))
    return gg_slice_set(x, axis, start, stop, step, random_pick(r));
  return gg_slice(x, axis, start, stop, step);
}

/* Indices that are there, from either end. */
static gg_var *indices(random_graph *r, const gg_var *x, int axis) {
  size_t dims[GG_MAX_ND], n = random_below(r, 4);
  int64_t at[4];

  sizes_of(x, dims);
  size_t rows = dims[axis < 0 ? axis + (int)rank(x) : axis];
  for (size_t i = 0; i < n && rows != 0; i++)
    at[i] = (int64_t)random_below(r, 2 * rows) - (int64_t)rows;
  return gg_constant(r->g, GA_LONG, 1, rows != 0 ? &n : &rows, at);
}

/* Indices as an array of rank nd, which repeats along all other axes. */
static gg_var *along(gg_var *index, unsigned int nd, int axis) {
  const int k = axis < 0 ? axis + (int)nd : axis;
  int pattern[GG_MAX_ND];

  for (int i = 0; i < (int)nd; i++)
    pattern[i] = i == k ? 0 : -1;
  return gg_dimshuffle(index, nd, pattern);
}

static gg_var *rows(random_graph *r) {
  int axis;
  gg_var *x = pick_axis(r, &axis), *v = random_pick(r);

  if (x == NULL)
    return NULL;
  gg_var *index = indices(r, x, axis);
  switch (random_below(r, 5)) {
  case 0:
    return gg_put(x, axis, index, chance(r, 2) ? gg_f32(r->g, 2) : v);
  case 1:
    return gg_put_add(x, axis, index, chance(r, 2) ? gg_f32(r->g, 2) : v);
  case 2:
    return gg_put_with(x, axis, index, gg_f32(r->g, 0.5f),
                       chance(r, 2) ? GG_PUT_MAX : GG_PUT_MIN);
  case 3:
    return gg_take_along(x, axis, along(index, rank(x), axis));
  default:
    return gg_take_axis(x, axis, index);
  }
}

/* --- elements --- */

static gg_var *elements(random_graph *r) {
  gg_var *x = random_pick(r), *y = random_pick(r), *z = random_pick(r);

  switch (random_below(r, 6)) {
  case 0:
    return gg_cast(x, random_dtype(r));
  case 1:
    return gg_clip(x, gg_f32(r->g, -1), chance(r, 2) ? y : gg_f32(r->g, 1));
  case 2:
    return gg_where(x, y, z);
  case 3:
    return gg_pow(
        x, gg_scalar(r->g, gg_var_type(x)->dtype, (double)random_below(r, 6)));
  case 4:
    return gg_maximum(x, gg_scalar(r->g, random_dtype(r), ANY_OF(r, extremes)));
  default:
    return gg_minimum(x, gg_scalar(r->g, random_dtype(r), ANY_OF(r, extremes)));
  }
}

gg_var *random_op(random_graph *r) {
  static gg_var *(*const kinds[])(random_graph *) = {
      constant, constant,  uniform,      uniform,     reduction, dimshuffle,
      reshape,  specify,   join,         part,        part,      rows,
      elements, by_vector, random_order, random_order};

  return ANY_OF(r, kinds)(r);
}

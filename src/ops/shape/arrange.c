/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that rearrange elements, composed of the basic ops. */
#include <gpugraph/arrange.h>
#include <gpugraph/sizes.h>

#include "ops/compose.h"

/* --- axes --- */

gg_var *gg_expand_dims(gg_var *x, int axis) {
  const int nd = x != NULL ? (int)gg__rank_of(x) + 1 : 0;
  const int at = axis < 0 ? axis + nd : axis;

  if (x == NULL)
    return NULL;
  if (at < 0 || at >= nd || nd > GG_MAX_ND)
    return gg__refuse(GG_CALLED("expand_dims"), 1, &x, GA_VALUE_ERROR,
                      "no axis %d of %d", axis, nd);
  return gg__expand(x, (unsigned int)at);
}

gg_var *gg_squeeze(gg_var *x, int axis) {
  int pattern[GG_MAX_ND];
  unsigned int k, n = 0;

  if (x == NULL || gg__axis(x, GG_CALLED("squeeze"), axis, &k) != GA_NO_ERROR)
    return NULL;
  if (gg_var_type(x)->dims[k] != 1)
    return gg__refuse(GG_CALLED("squeeze"), 1, &x, GA_VALUE_ERROR,
                      "axis %u is not known to have size 1", k);
  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    if (i != k)
      pattern[n++] = (int)i;
  return gg_dimshuffle(x, n, pattern);
}

gg_var *gg_moveaxis(gg_var *x, int from, int to) {
  int pattern[GG_MAX_ND];
  unsigned int source, target, i = 0;

  if (x == NULL ||
      gg__axis(x, GG_CALLED("moveaxis"), from, &source) != GA_NO_ERROR ||
      gg__axis(x, GG_CALLED("moveaxis"), to, &target) != GA_NO_ERROR)
    return NULL;
  for (unsigned int k = 0; k < gg__rank_of(x); k++) {
    i += k != target && i == source;
    pattern[k] = (int)(k == target ? source : i++);
  }
  return gg_dimshuffle(x, gg__rank_of(x), pattern);
}

gg_var *gg_swapaxes(gg_var *x, int a, int b) {
  int pattern[GG_MAX_ND];
  unsigned int i, k;

  if (x == NULL || gg__axis(x, GG_CALLED("swapaxes"), a, &i) != GA_NO_ERROR ||
      gg__axis(x, GG_CALLED("swapaxes"), b, &k) != GA_NO_ERROR)
    return NULL;
  for (unsigned int j = 0; j < gg__rank_of(x); j++)
    pattern[j] = (int)(j == i ? k : j == k ? i : j);
  return gg_dimshuffle(x, gg__rank_of(x), pattern);
}

gg_var *gg_atleast(gg_var *x, unsigned int nd) {
  if (x == NULL || gg__rank_of(x) >= nd)
    return x;
  if (nd > GG_MAX_ND)
    return gg__refuse(GG_CALLED("atleast"), 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  return gg__pad_rank(x, nd - gg__rank_of(x));
}

gg_var *gg_broadcast_to(gg_var *x, unsigned int nd, const int64_t *dims) {
  gg_var *sizes[GG_MAX_ND] = {NULL};

  if (x == NULL)
    return NULL;
  if (nd > GG_MAX_ND)
    return gg__refuse(GG_CALLED("broadcast_to"), 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  if (!gg__listed(GG_CALLED("broadcast_to"), x, nd, dims))
    return NULL;
  for (unsigned int i = 0; i < nd; i++)
    sizes[i] = gg_i64(gg_var_graph(x), dims[i]);
  return gg_alloc(x, nd, sizes);
}

/* The size of axis k of x after it was broadcast to `size`. */
static gg_var *broadcast_size(gg_var *x, unsigned int k, gg_var *size) {
  gg_var *const own = gg_shape(x, (int)k), *const one = gg__num(size, 1);
  double known = 0;

  if (gg_var_type(x)->dims[k] == 1)
    return size;
  if (gg_var_uniform(size, &known))
    return known == 1 ? own : size;
  return gg_where(gg_eq(size, one), own, gg_cast(size, GA_LONG));
}

gg_var *gg_broadcast_sizes(gg_var *x, unsigned int nd, gg_var *const *sizes) {
  const gg_op *const op = GG_CALLED("broadcast_sizes");
  gg_var *all[GG_MAX_ND];

  if (!gg__given_beside(op, x, nd, sizes) || !gg__listed(op, x, nd, sizes))
    return NULL;
  const unsigned int own = gg__rank_of(x), most = own > nd ? own : nd;
  if (nd > GG_MAX_ND)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  for (unsigned int i = 0; i < nd; i++)
    if (sizes[i] == NULL)
      return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "size %u is NULL", i);
    else if (!gg__check_number(op, x, sizes[i]))
      return NULL;
  for (unsigned int i = 0; i < most; i++)
    if (i < most - nd)
      all[i] = gg_shape(x, (int)i);
    else if (i < most - own)
      all[i] = sizes[i];
    else
      all[i] = broadcast_size(x, i - (most - own),
                              gg_element(sizes[i - (most - nd)], 0));
  return gg_alloc(x, most, all);
}

gg_var *gg_flip(gg_var *x, int axis) {
  return gg_slice(x, axis, GG_END, GG_END, -1);
}

gg_var *gg_rot90(gg_var *x, int k, int a, int b) {
  unsigned int i, j;

  if (x == NULL || gg__axis(x, GG_CALLED("rot90"), a, &i) != GA_NO_ERROR ||
      gg__axis(x, GG_CALLED("rot90"), b, &j) != GA_NO_ERROR)
    return NULL;
  if (i == j)
    return gg__refuse(GG_CALLED("rot90"), 1, &x, GA_VALUE_ERROR,
                      "axis %u is given twice", i);
  switch (k & 3) {
  case 1:
    return gg_swapaxes(gg_flip(x, b), a, b);
  case 2:
    return gg_flip(gg_flip(x, a), b);
  case 3:
    return gg_flip(gg_swapaxes(x, a, b), b);
  default:
    return x;
  }
}

/* --- slices of several axes --- */

gg_var *gg_slice_sizes(gg_var *x, unsigned int n, const int *axes,
                       gg_var *const *start, gg_var *const *stop,
                       gg_var *const *step) {
  gg_var *const *const bounds[3] = {start, stop, step};
  unsigned int k, used = 0;

  for (int i = 0; i < 3; i++)
    if (!gg__given_beside(GG_CALLED("slice_sizes"), x, n, bounds[i]))
      x = NULL;
  for (unsigned int i = 0; x != NULL && i < n; i++) {
    const int axis = axes != NULL ? axes[i] : (int)i;
    if (gg__axis(x, GG_CALLED("slice_sizes"), axis, &k) != GA_NO_ERROR)
      return NULL;
    if (used >> k & 1u)
      return gg__refuse(GG_CALLED("slice_sizes"), 1, &x, GA_VALUE_ERROR,
                        "axis %u is given twice", k);
    used |= 1u << k;
    x = gg_slice_at(x, axis, start != NULL ? start[i] : NULL,
                    stop != NULL ? stop[i] : NULL,
                    step != NULL ? step[i] : NULL);
  }
  return x;
}

/* --- split and stack --- */

/* Returns `err`. On an error the n results are NULL. */
static int give(int err, unsigned int n, gg_var **out) {
  for (unsigned int i = 0; err != GA_NO_ERROR && i < n; i++)
    out[i] = NULL;
  return err;
}

/* Returns the size of each of n equal parts of axis k, an int64 scalar. If the
 * size of the axis is unknown, calls check that it is a multiple of n: *x is
 * replaced by a view that does so. */
static gg_var *equal_parts(const gg_op *op, gg_var **x, unsigned int k,
                           unsigned int n) {
  gg_graph *const g = gg_var_graph(*x);
  const int64_t size = gg_var_type(*x)->dims[k];
  gg_var *sizes[GG_MAX_ND];

  if (n == 0 || (size != GG_ANY && size % n != 0))
    return gg__refuse(op, 1, x, GA_VALUE_ERROR,
                      "axis %u of size %lld is not %u equal parts", k,
                      (long long)size, n);
  if (size != GG_ANY)
    return gg_i64(g, size / n);
  gg_var *const part = gg_floordiv(gg_shape(*x, (int)k), gg_i64(g, n));
  gg__sizes_of(*x, sizes);
  sizes[k] = gg_mul(part, gg_i64(g, n));
  *x = gg_specify_sizes(*x, sizes);
  return part;
}

static int split(const gg_op *op, gg_var *x, int axis, unsigned int n,
                 gg_var **out) {
  unsigned int k;

  if (x == NULL)
    return GA_VALUE_ERROR;
  gg_graph *const g = gg_var_graph(x);
  GA_TRY(gg__axis(x, op, axis, &k));
  gg_var *const part = equal_parts(op, &x, k, n);
  if (part == NULL || x == NULL)
    return gg_graph_status(g);
  for (unsigned int i = 0; i < n; i++)
    out[i] = gg_slice_at(x, (int)k, gg__number_mul(part, gg_i64(g, i)),
                         gg__number_mul(part, gg_i64(g, i + 1)), NULL);
  return gg_graph_status(g);
}

int gg__split(const gg_op *op, gg_var *x, int axis, unsigned int n,
              gg_var **out) {
  return give(split(op, x, axis, n, out), n, out);
}

int gg_split(gg_var *x, int axis, unsigned int n, gg_var **out) {
  return gg__split(GG_CALLED("split"), x, axis, n, out);
}

static int split_at(gg_var *x, int axis, unsigned int n, const int64_t *bounds,
                    gg_var **out) {
  unsigned int k;

  if (x == NULL)
    return GA_VALUE_ERROR;
  GA_TRY(gg__axis(x, GG_CALLED("split_at"), axis, &k));
  if (!gg__listed(GG_CALLED("split_at"), x, n, bounds))
    return GA_VALUE_ERROR;
  for (unsigned int i = 0; i <= n; i++)
    out[i] = gg_slice(x, (int)k, i > 0 ? bounds[i - 1] : 0,
                      i < n ? bounds[i] : GG_END, 1);
  return gg_graph_status(gg_var_graph(x));
}

int gg_split_at(gg_var *x, int axis, unsigned int n, const int64_t *bounds,
                gg_var **out) {
  return give(split_at(x, axis, n, bounds, out), n + 1, out);
}

static int split_bounds(gg_var *x, int axis, unsigned int n,
                        gg_var *const *bounds, gg_var **out) {
  const gg_op *const op = GG_CALLED("split_bounds");
  unsigned int k;

  if (!gg__given_beside(op, x, n, bounds) || !gg__listed(op, x, n, bounds))
    return GA_VALUE_ERROR;
  GA_TRY(gg__axis(x, op, axis, &k));
  for (unsigned int i = 0; i < n; i++)
    if (bounds[i] == NULL) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR, "bound %u is NULL", i);
      return GA_VALUE_ERROR;
    } else if (!gg__check_number(op, x, bounds[i])) {
      return GA_VALUE_ERROR;
    }
  for (unsigned int i = 0; i <= n; i++)
    out[i] = gg_slice_at(x, (int)k, i > 0 ? bounds[i - 1] : NULL,
                         i < n ? bounds[i] : NULL, NULL);
  return gg_graph_status(gg_var_graph(x));
}

int gg_split_bounds(gg_var *x, int axis, unsigned int n, gg_var *const *bounds,
                    gg_var **out) {
  return give(split_bounds(x, axis, n, bounds, out), n + 1, out);
}

gg_var *gg_stack(int axis, unsigned int n, gg_var *const *x) {
  gg_var *rows[GG_MAX_JOIN];

  if (n == 0 || !gg__given(GG_CALLED("stack"), n, x))
    return NULL;
  if (n > GG_MAX_JOIN)
    return gg__refuse(GG_CALLED("stack"), 1, x, GA_VALUE_ERROR,
                      "%u operands are more than %d", n, GG_MAX_JOIN);
  const int at = axis < 0 ? axis + (int)gg__rank_of(x[0]) + 1 : axis;
  for (unsigned int i = 0; i < n; i++)
    rows[i] = gg_expand_dims(x[i], at);
  return gg_join(at, n, rows);
}

/* --- tile and repeat --- */

/* How the axes of x are repeated. */
typedef struct repeat {
  gg_var *by[GG_MAX_ND];
  int each; /* 1: each element; 0: the axis as a whole */
} repeat;

static unsigned int count_repeats(const gg_var *x, const repeat *r) {
  unsigned int n = 0;

  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    n += r->by[i] != NULL;
  return n;
}

/* Insert a new axis beside each axis that is repeated, broadcast it, and join
 * the two. The rank with the new axes must not exceed GG_MAX_ND. */
static gg_var *repeat_at_once(gg_var *x, const repeat *r) {
  int pattern[GG_MAX_ND];
  gg_var *stretched[GG_MAX_ND], *sizes[GG_MAX_ND];
  unsigned int n = 0;

  gg__sizes_of(x, sizes);
  for (unsigned int i = 0; i < gg__rank_of(x); i++) {
    if (r->by[i] != NULL && !r->each) {
      stretched[n] = r->by[i];
      pattern[n++] = -1;
    }
    stretched[n] = sizes[i];
    pattern[n++] = (int)i;
    if (r->by[i] != NULL && r->each) {
      stretched[n] = r->by[i];
      pattern[n++] = -1;
    }
    if (r->by[i] != NULL)
      sizes[i] = gg__number_mul(sizes[i], r->by[i]);
  }
  gg_var *const y = gg_alloc(gg_dimshuffle(x, n, pattern), n, stretched);
  return y != NULL ? gg_reshape_sizes(y, gg__rank_of(x), sizes) : NULL;
}

/* x reshaped to rank 3, with axis k in the middle. */
static gg_var *as_three(gg_var *x, unsigned int k) {
  gg_graph *const g = gg_var_graph(x);
  gg_var *sizes[3] = {gg_i64(g, 1), gg_shape(x, (int)k), gg_i64(g, 1)};

  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    if (i != k)
      sizes[i < k ? 0 : 2] =
          gg__number_mul(sizes[i < k ? 0 : 2], gg_shape(x, (int)i));
  return gg_reshape_sizes(x, 3, sizes);
}

static gg_var *repeat_one(gg_var *x, unsigned int k, gg_var *by, int each) {
  const repeat r = {.by = {NULL, by}, .each = each};
  gg_var *sizes[GG_MAX_ND];

  gg__sizes_of(x, sizes);
  sizes[k] = gg__number_mul(sizes[k], by);
  gg_var *const y = repeat_at_once(as_three(x, k), &r);
  return y != NULL ? gg_reshape_sizes(y, gg__rank_of(x), sizes) : NULL;
}

static gg_var *repeat_axes(gg_var *x, const repeat *r) {
  if (gg__rank_of(x) + count_repeats(x, r) <= GG_MAX_ND)
    return count_repeats(x, r) > 0 ? repeat_at_once(x, r) : x;
  for (unsigned int i = 0; x != NULL && i < gg__rank_of(x); i++)
    if (r->by[i] != NULL)
      x = repeat_one(x, i, r->by[i], r->each);
  return x;
}

/* Check n, a number of copies. *out is NULL if it is known to be 1. Returns 0
 * and records an error if n is no valid number. */
static int take_count(const gg_op *op, gg_var *x, gg_var *n, gg_var **out) {
  double known;

  *out = NULL;
  if (n == NULL)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "a number is NULL") != NULL;
  if (!gg__check_number(op, x, n))
    return 0;
  n = gg_element(n, 0);
  if (!gg_var_uniform(n, &known)) {
    *out = gg_cast(n, GA_LONG);
    return *out != NULL;
  }
  if (known < 0)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "%.0f copies", known) != NULL;
  *out = known != 1 ? n : NULL;
  return 1;
}

gg_var *gg_tile_sizes(gg_var *x, unsigned int nd, gg_var *const *reps) {
  const gg_op *const op = GG_CALLED("tile");
  repeat r = {.each = 0};

  if (!gg__given_beside(op, x, nd, reps) || !gg__listed(op, x, nd, reps))
    return NULL;
  x = gg_atleast(x, nd);
  if (x == NULL)
    return NULL;
  for (unsigned int i = 0; i < nd; i++)
    if (!take_count(op, x, reps[i], &r.by[gg__rank_of(x) - nd + i]))
      return NULL;
  return repeat_axes(x, &r);
}

gg_var *gg_repeat_sizes(gg_var *x, int axis, gg_var *n) {
  const gg_op *const op = GG_CALLED("repeat");
  repeat r = {.each = 1};
  unsigned int k;

  if (!gg__given_beside(op, x, 1, &n) ||
      gg__axis(x, op, axis, &k) != GA_NO_ERROR ||
      !take_count(op, x, n, &r.by[k]))
    return NULL;
  return repeat_axes(x, &r);
}

gg_var *gg_tile(gg_var *x, unsigned int nd, const int64_t *reps) {
  gg_var *n[GG_MAX_ND] = {NULL};

  if (x != NULL && !gg__listed(GG_CALLED("tile"), x, nd, reps))
    return NULL;
  for (unsigned int i = 0; x != NULL && i < nd && i < GG_MAX_ND; i++)
    n[i] = gg_i64(gg_var_graph(x), reps[i]);
  return gg_tile_sizes(x, nd, n);
}

gg_var *gg_repeat(gg_var *x, int axis, int64_t n) {
  return x != NULL ? gg_repeat_sizes(x, axis, gg_i64(gg_var_graph(x), n))
                   : NULL;
}

/* --- roll --- */

/* x[at:] followed by x[:at]. */
static gg_var *roll_from(gg_var *x, unsigned int k, gg_var *at) {
  gg_var *const parts[2] = {gg_slice_at(x, (int)k, at, NULL, NULL),
                            gg_slice_at(x, (int)k, NULL, at, NULL)};

  return parts[0] != NULL && parts[1] != NULL ? gg_join((int)k, 2, parts)
                                              : NULL;
}

gg_var *gg_roll_at(gg_var *x, int axis, gg_var *shift) {
  gg_var *const in[2] = {x, shift};
  unsigned int k;

  if (!gg__given(GG_CALLED("roll"), 2, in) ||
      gg__axis(x, GG_CALLED("roll"), axis, &k) != GA_NO_ERROR ||
      !gg__check_number(GG_CALLED("roll"), x, shift))
    return NULL;
  return roll_from(
      x, k, gg_mod(gg_neg(gg_cast(shift, GA_LONG)), gg_shape(x, (int)k)));
}

gg_var *gg_roll(gg_var *x, int axis, int64_t shift) {
  unsigned int k;

  if (x == NULL || gg__axis(x, GG_CALLED("roll"), axis, &k) != GA_NO_ERROR)
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const int64_t n = gg_var_type(x)->dims[k];
  if (n == GG_ANY)
    return gg_roll_at(x, axis, gg_i64(g, shift));
  if (n == 0 || shift % n == 0)
    return x;
  return roll_from(x, k, gg_i64(g, ((-(shift % n)) + n) % n));
}

/* --- differences, grids --- */

/* Nonzero if an axis, which may count from the end, is known to have no
 * elements. */
static int is_empty(const gg_var *x, int axis) {
  const gg_type *t = gg_var_type(x);
  const unsigned int k = (unsigned int)(axis < 0 ? axis + (int)t->nd : axis);

  return k < t->nd && t->dims[k] == 0;
}

gg_var *gg_diff(gg_var *x, int axis, unsigned int n) {
  const int is_bool = x != NULL && gg_var_type(x)->dtype == GA_BOOL;

  for (unsigned int i = 0; x != NULL && i < n; i++) {
    gg_var *const left = gg_slice(x, axis, GG_END, -1, 1);
    gg_var *const right = gg_slice(x, axis, 1, GG_END, 1);
    x = is_bool ? gg_ne(right, left) : gg_sub(right, left);
    if (x != NULL && is_empty(x, axis))
      break; /* so are all further differences */
  }
  return x;
}

static int check_grid(unsigned int n, gg_var *const *x) {
  if (n == 0 || !gg__given(GG_CALLED("meshgrid"), n, x))
    return 0;
  for (unsigned int i = 0; i < n; i++)
    if (gg__rank_of(x[i]) != 1 || n > GG_MAX_ND) {
      gg__refuse(GG_CALLED("meshgrid"), 1, &x[i], GA_VALUE_ERROR,
                 "expected up to %d vectors", GG_MAX_ND);
      return 0;
    }
  return 1;
}

int gg_meshgrid(unsigned int n, gg_var *const *x, int xy, gg_var **out) {
  gg_var *sizes[GG_MAX_ND];
  int pattern[GG_MAX_ND];

  if (!check_grid(n, x))
    return give(GA_VALUE_ERROR, n, out);
  const gg_graph *const g = gg_var_graph(x[0]); /* `out` may be `x` */
  for (unsigned int i = 0; i < n; i++)
    sizes[xy && n > 1 && i < 2 ? 1 - i : i] = gg_shape(x[i], 0);
  for (unsigned int i = 0; i < n; i++) {
    const unsigned int at = xy && n > 1 && i < 2 ? 1 - i : i;
    for (unsigned int k = 0; k < n; k++)
      pattern[k] = k == at ? 0 : -1;
    out[i] = gg_alloc(gg_dimshuffle(x[i], n, pattern), n, sizes);
  }
  return give(gg_graph_status(g), n, out);
}

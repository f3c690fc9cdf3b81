/* SPDX-License-Identifier: BSD-2-Clause */
/* Adding elements at the ends of axes, composed of the basic ops. */
#include <gpugraph/arrange.h>
#include <gpugraph/sizes.h>

#include "ops/compose.h"

/* How many elements are added at the ends of an axis; negative counts remove
 * elements. */
typedef struct padding {
  gg_var *before, *after; /* int64 scalars */
} padding;

static int is_known(const gg_var *v, double *value) {
  return gg_var_uniform(v, value);
}

/* --- counts that are negative --- */

/* The start of the slice that removes elements; NULL for 0. */
static gg_var *first_kept(gg_var *before) {
  gg_var *const zero = gg__num(before, 0);
  double n;

  return is_known(before, &n) && n >= 0
             ? NULL
             : gg_element(gg_maximum(gg_neg(before), zero), 0);
}

/* The stop of the slice that removes elements; NULL for the size. */
static gg_var *last_kept(gg_var *x, unsigned int k, gg_var *after) {
  gg_var *const zero = gg__num(after, 0), *const size = gg_shape(x, (int)k);
  double n;

  if (is_known(after, &n))
    return n < 0 ? after : NULL;
  return gg_maximum(gg_add(size, gg_minimum(after, zero)), zero);
}

/* x, which has the elements that negative counts remove: calls check an open
 * size. */
static gg_var *with_removed(gg_var *x, unsigned int k, const padding *p) {
  static const gg_op op = {.name = "pad"};
  gg_var *const zero = gg__whole_number(x, 0);
  gg_var *const kept = gg__number_add(gg__number_least(p->before, zero),
                                      gg__number_least(p->after, zero));
  gg_var *sizes[GG_MAX_ND] = {NULL};
  double known;

  if (kept == NULL || (is_known(kept, &known) && known == 0))
    return x;
  sizes[k] = gg__number_most(gg_shape(x, (int)k),
                             gg__number_mul(kept, gg__whole_number(x, -1)));
  return gg__with_sizes(&op, 1, &x, x, sizes,
                        "as many as are removed, or more");
}

/* x without the elements that negative counts remove. */
static gg_var *without(gg_var *x, unsigned int k, const padding *p) {
  gg_var *const start = first_kept(p->before), *const stop =
                                                   last_kept(x, k, p->after);

  return start != NULL || stop != NULL
             ? gg_slice_at(x, (int)k, start, stop, NULL)
             : x;
}

/* --- elements of x --- */

/* The index of the element of x that is copied to position i, which counts from
 * the first element of x and may be outside of 0 .. n - 1. */
static gg_var *padded_from(gg_pad_mode mode, gg_var *i, gg_var *n) {
  gg_graph *const g = gg_var_graph(n);
  gg_var *const one = gg_i64(g, 1), *const last = gg_sub(n, one);
  gg_var *turn;

  if (mode == GG_PAD_EDGE)
    return gg_clip(i, gg_i64(g, 0), last);
  if (mode == GG_PAD_WRAP)
    return gg_mod(i, n);
  /* Indices run forward and back. In one period each edge occurs once (reflect)
   * or twice (symmetric). */
  if (mode == GG_PAD_REFLECT)
    turn = gg_mul(gg_i64(g, 2), last);
  else
    turn = gg_mul(gg_i64(g, 2), n);
  turn = gg_maximum(turn, one);
  gg_var *const at = gg_mod(i, turn);
  gg_var *const back =
      gg_sub(mode == GG_PAD_REFLECT ? turn : gg_sub(turn, one), at);
  return gg_where(gg_gt(at, last), back, at);
}

static gg_var *pad_axis(gg_var *x, unsigned int k, const padding *p,
                        gg_pad_mode mode) {
  double before = 0, after = 0;

  if (gg_var_type(x)->dims[k] == 0 &&
      ((is_known(p->before, &before) && before > 0) ||
       (is_known(p->after, &after) && after > 0)))
    return gg__refuse(GG_CALLED("pad"), 1, &x, GA_VALUE_ERROR,
                      "dim %u has no elements to repeat", k);
  gg_var *const n = gg_shape(x, (int)k);
  gg_var *const i = gg_arange(gg_neg(p->before), gg__number_add(n, p->after),
                              gg_i64(gg_var_graph(x), 1));

  return i != NULL ? gg_take_axis(x, (int)k, padded_from(mode, i, n)) : NULL;
}

/* --- a constant --- */

/* Append to the parts an array of the value, of size n along axis k and as
 * large as x along the others, unless n is known to be 0. */
static void add_values(gg_var *x, unsigned int k, gg_var *n, gg_var *value,
                       gg_var **parts, unsigned int *n_parts) {
  gg_var *sizes[GG_MAX_ND];
  double known;

  if (is_known(n, &known) && known == 0)
    return;
  gg__sizes_of(x, sizes);
  sizes[k] = n;
  parts[(*n_parts)++] = gg_alloc(value, gg__rank_of(x), sizes);
}

static gg_var *pad_constant(gg_var *x, unsigned int k, const padding *p,
                            gg_var *value) {
  gg_var *parts[3];
  unsigned int n = 0;

  add_values(x, k, p->before, value, parts, &n);
  parts[n++] = x;
  add_values(x, k, p->after, value, parts, &n);
  return gg__given(GG_CALLED("pad"), n, parts) ? gg_join((int)k, n, parts)
                                               : NULL;
}

/* --- builders --- */

static int is_none(const padding *p) {
  double before, after;

  return is_known(p->before, &before) && is_known(p->after, &after) &&
         before == 0 && after == 0;
}

/* Convert a count to an int64 scalar. NULL gives the count 0. Returns 0 and
 * records an error if it is no integer scalar, or if its negative is beyond
 * int64. */
static int take_count(gg_var *x, gg_var *n, gg_var **out) {
  double count;

  *out = gg_i64(gg_var_graph(x), 0);
  if (n == NULL)
    return *out != NULL;
  if (!gg__check_number(GG_CALLED("pad"), x, n))
    return 0;
  *out = gg_element(gg_cast(n, GA_LONG), 0);
  if (is_known(*out, &count) && count <= -0x1p63)
    return gg__refuse(GG_CALLED("pad"), 1, &x, GA_VALUE_ERROR,
                      "%.0f elements cannot be added", count) != NULL;
  return *out != NULL;
}

static gg_var *pad_one(gg_var *x, unsigned int k, padding p, gg_pad_mode mode,
                       gg_var *value) {
  gg_var *const zero = gg_i64(gg_var_graph(x), 0);

  x = with_removed(x, k, &p);
  x = x != NULL ? without(x, k, &p) : NULL;
  p.before = gg__number_most(p.before, zero);
  p.after = gg__number_most(p.after, zero);
  if (x == NULL || p.before == NULL || p.after == NULL || is_none(&p))
    return x;
  return mode == GG_PAD_CONSTANT ? pad_constant(x, k, &p, value)
                                 : pad_axis(x, k, &p, mode);
}

static gg_var *no_counts(gg_var *x, int is_before) {
  return gg__refuse(GG_CALLED("pad"), 1, &x, GA_VALUE_ERROR,
                    "the list `%s` is NULL", is_before ? "before" : "after");
}

gg_var *gg_pad_sizes(gg_var *x, gg_var *const *before, gg_var *const *after,
                     gg_pad_mode mode, gg_var *value) {
  static const gg_op op = {.name = "pad"};
  gg_graph *const g = gg_var_graph(x);
  padding p[GG_MAX_ND];

  if (!gg__given_beside(GG_CALLED("pad"), x, 1, &value))
    return NULL;
  if ((unsigned int)mode > GG_PAD_SYMMETRIC)
    return gg__refuse(GG_CALLED("pad"), 1, &x, GA_VALUE_ERROR,
                      "%d is not a mode", (int)mode);
  if (gg__rank_of(x) > 0 && (before == NULL || after == NULL))
    return no_counts(x, before == NULL);
  if (value == NULL)
    value = gg__num(x, 0);
  else if (gg__rank_of(value) != 0)
    return gg__refuse(GG_CALLED("pad"), 1, &value, GA_VALUE_ERROR,
                      "the value is not a scalar");
  value = gg_cast(value, gg_var_type(x)->dtype);
  for (unsigned int k = 0; k < gg__rank_of(x); k++)
    if (!take_count(x, before[k], &p[k].before) ||
        !take_count(x, after[k], &p[k].after))
      return NULL;
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, NULL);
  for (unsigned int k = 0; x != NULL && k < gg__rank_of(x); k++)
    x = pad_one(x, k, p[k], mode, value);
  return gg_parts_end(g, outer, x);
}

gg_var *gg_pad(gg_var *x, const int64_t *before, const int64_t *after,
               gg_pad_mode mode, gg_var *value) {
  gg_var *first[GG_MAX_ND], *last[GG_MAX_ND];

  if (x != NULL && gg__rank_of(x) > 0 && (before == NULL || after == NULL))
    return no_counts(x, before == NULL);
  for (unsigned int k = 0; x != NULL && k < gg__rank_of(x); k++) {
    first[k] = gg_i64(gg_var_graph(x), before[k]);
    last[k] = gg_i64(gg_var_graph(x), after[k]);
  }
  return gg_pad_sizes(x, first, last, mode, value);
}

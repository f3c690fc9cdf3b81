/* SPDX-License-Identifier: BSD-2-Clause */
/* What is composed of selections. Where the data decide sizes, the count is a
 * sum that the device computes; calls wait for it. */
#include <gpugraph/cumulate.h>
#include <gpugraph/select.h>
#include <gpugraph/sort.h>

#include "base/dtype.h"
#include "ops/compose.h"
#include "ops/ops.h"

gg_var *gg__as_mask(gg_var *x) {
  return gg_var_type(x)->dtype == GA_BOOL ? x : gg_ne(x, gg__num(x, 0));
}

gg_var *gg__count_of(gg_var *mask) {
  return gg_sum(gg_cast(gg__as_mask(mask), GA_LONG));
}

/* `flat` with the shape of x. */
static gg_var *shaped_as(gg_var *flat, gg_var *x) {
  gg_var *sizes[GG_MAX_ND];

  gg__sizes_of(x, sizes);
  return gg_reshape_sizes(flat, gg__rank_of(x), sizes);
}

/* --- sizes that the data decide --- */

gg_var *gg_nonzero(gg_var *x) {
  return x != NULL ? gg_nonzero_bounded(x, gg__count_of(x), 0, NULL) : NULL;
}

gg_var *gg_flatnonzero(gg_var *x) {
  return x != NULL ? gg_flatnonzero_bounded(x, gg__count_of(x), 0, NULL) : NULL;
}

/* x as [elements of the mask, ...]. Calls check that the mask has the leading
 * sizes of x. */
static gg_var *rows_under(gg_var *x, gg_var *mask) {
  const unsigned int nd = gg_var_type(x)->nd, lead = gg_var_type(mask)->nd;
  gg_var *all[GG_MAX_ND], *sizes[GG_MAX_ND] = {gg_size(mask)};

  for (unsigned int d = 0; d < nd; d++)
    all[d] = gg_shape(d < lead ? mask : x, (int)d);
  for (unsigned int d = lead; d < nd; d++)
    sizes[d - lead + 1] = all[d];
  x = gg_specify_sizes(x, all);
  return gg_reshape_sizes(x, nd - lead + 1, sizes);
}

gg_var *gg_compress(gg_var *x, gg_var *mask) {
  static const gg_op name = {.name = "compress"};
  gg_var *const in[2] = {x, mask};

  if (!gg__given(&name, 2, in))
    return NULL;
  const unsigned int nd = gg_var_type(x)->nd, lead = gg_var_type(mask)->nd;
  if (lead == 0 || lead > nd)
    return gg__refuse(&name, 2, in, GA_VALUE_ERROR,
                      "a mask of %u dimensions, expected 1 to %u", lead, nd);
  return lead == nd ? gg_compress_bounded(x, mask, gg__count_of(mask), NULL)
                    : gg_take(rows_under(x, mask), gg_flatnonzero(mask));
}

/* --- runs, distinct elements, sets --- */

static int has_nan(const gg_var *x) {
  const ga__kind kind = ga__dtype_kind(gg_var_type(x)->dtype);

  return kind == GA_KIND_FLOAT || kind == GA_KIND_COMPLEX;
}

/* For each element of a vector, whether it differs from the one before, or is
 * the first. */
static gg_var *begins_run(gg_var *x, int nan_equals) {
  gg_var *const at = gg_positions(x, 0);
  gg_var *const before = gg_take_along(
      x, 0,
      gg_maximum(gg_sub(at, gg__whole_number(x, 1)), gg__whole_number(x, 0)));
  gg_var *differs = gg_ne(x, before);

  if (nan_equals && has_nan(x))
    differs = gg_and(differs, gg_or(gg_eq(x, x), gg_eq(before, before)));
  return gg_or(gg_eq(at, gg__whole_number(x, 0)), differs);
}

/* starts[i + 1] - starts[i]; the last run ends at n. */
static gg_var *lengths_of(gg_var *starts, gg_var *n) {
  gg_var *const next = gg_add(gg_positions(starts, 0), gg__whole_number(n, 1));
  gg_var *const runs = gg_shape(starts, 0);
  gg_var *const end = gg_take_along(
      starts, 0, gg_minimum(next, gg_sub(runs, gg__whole_number(n, 1))));

  return gg_sub(gg_where(gg_lt(next, runs), end, n), starts);
}

gg_var *gg_run_lengths(gg_var *x, gg_var **starts, gg_var **lengths) {
  if (starts != NULL)
    *starts = NULL;
  if (lengths != NULL)
    *lengths = NULL;
  if (x == NULL)
    return NULL;
  x = gg_flatten(x);
  if (x == NULL)
    return NULL;
  gg_var *const at = gg_flatnonzero(begins_run(x, 1));
  if (starts != NULL)
    *starts = at;
  if (lengths != NULL && at != NULL)
    *lengths = lengths_of(at, gg_size(x));
  return at != NULL ? gg_take(x, at) : NULL;
}

gg_var *gg_unique(gg_var *x, gg_var **first, gg_var **inverse,
                  gg_var **counts) {
  gg_var **const results[3] = {first, inverse, counts};

  for (int i = 0; i < 3; i++)
    if (results[i] != NULL)
      *results[i] = NULL;
  if (x == NULL)
    return NULL;
  x = gg_flatten(x);
  gg_var *const places = gg_argsort(x, 0, 0);
  gg_var *const sorted = gg_take(x, places);
  gg_var *const begins = sorted != NULL ? begins_run(sorted, 1) : NULL;
  gg_var *const at = gg_flatnonzero(begins);
  if (at == NULL)
    return NULL;
  if (first != NULL)
    *first = gg_take(places, at);
  if (inverse != NULL)
    *inverse = gg_put(
        gg_zeros_like(places), 0, places,
        gg_sub(gg_cumsum(gg_cast(begins, GA_LONG), 0), gg__whole_number(x, 1)));
  if (counts != NULL)
    *counts = lengths_of(at, gg_size(x));
  return gg_take(sorted, at);
}

/* Check two operands of an op on sets, and join them as vectors. */
static gg_var *joined(const char *op, gg_var *a, gg_var *b) {
  const gg_op name = {.name = op};
  gg_var *const in[2] = {a, b};

  if (!gg__given(&name, 2, in))
    return NULL;
  if (gg_var_type(a)->dtype != gg_var_type(b)->dtype)
    return gg__refuse(&name, 2, in, GA_VALUE_ERROR,
                      "the operands have different dtypes");
  return gg_join(0, 2, (gg_var *[]){gg_flatten(a), gg_flatten(b)});
}

/* All elements are sorted together. Sorting is stable and elements of the set
 * come first, so an element is in the set if its run begins with one of it. */
gg_var *gg_is_member(gg_var *x, gg_var *set) {
  gg_var *const all = joined("is_member", set, x);

  if (all == NULL)
    return NULL;
  gg_var *const m = gg_size(set), *places = gg_argsort(all, 0, 0);
  gg_var *const at = gg_positions(all, 0);
  gg_var *const begins = begins_run(gg_take(all, places), 0);
  gg_var *const start =
      gg_cummax(gg_where(begins, at, gg__whole_number(x, 0)), 0);
  gg_var *const found = gg_take(gg_lt(places, m), start);
  gg_var *const back = gg_put(gg_lt(at, at), 0, places, found);

  return shaped_as(gg_slice_at(back, 0, m, NULL, NULL), x);
}

gg_var *gg_union(gg_var *a, gg_var *b) {
  return gg_unique(joined("union", a, b), NULL, NULL, NULL);
}

static gg_var *chosen(const char *op, gg_var *a, gg_var *b, int members) {
  if (joined(op, a, b) == NULL)
    return NULL;
  gg_var *const own = gg_unique(a, NULL, NULL, NULL);
  gg_var *const is = gg_is_member(own, b);
  return gg_compress(own, members || is == NULL ? is : gg_not(is));
}

gg_var *gg_intersection(gg_var *a, gg_var *b) {
  return chosen("intersection", a, b, 1);
}

gg_var *gg_difference(gg_var *a, gg_var *b) {
  return chosen("difference", a, b, 0);
}

/* --- writing under a mask --- */

gg_var *gg__combined(gg_var *x, gg_var *v, gg_put_op how) {
  const int is_bool = gg_var_type(x)->dtype == GA_BOOL;

  switch (how) {
  case GG_PUT_ADD:
    return is_bool ? gg_or(x, v) : gg_add(x, v);
  case GG_PUT_MUL:
    return is_bool ? gg_and(x, v) : gg_mul(x, v);
  case GG_PUT_MAX:
    return is_bool ? gg_or(x, v) : gg_maximum(x, v);
  case GG_PUT_MIN:
    return is_bool ? gg_and(x, v) : gg_minimum(x, v);
  case GG_PUT_SET:
    break;
  }
  return v;
}

/* Each element takes the element of v at the number of elements of the mask
 * before it. An element behind the last one of v stands for all that are
 * missing, so that v may be empty. */
static gg_var *put_list(gg_var *x, gg_var *mask, gg_var *v, gg_put_op how) {
  gg_var *const before =
      gg_cumulate(GA_CUMULATE_SUM, gg_flatten(mask), 0, GA_CUMULATE_EXCLUSIVE);
  gg_var *const n = gg_size(v), *one = gg__whole_number(x, 1);
  gg_var *const both[2] = {v, gg_alloc(gg__num(v, 0), 1, &one)};
  gg_var *const taken = gg_take(gg_join(0, 2, both), gg_minimum(before, n));

  mask = gg_and(mask, shaped_as(gg_lt(before, n), x));
  return gg_where(mask, gg__combined(x, shaped_as(taken, x), how), x);
}

gg_var *gg_mask_put(gg_var *x, gg_var *mask, gg_var *v, gg_put_op how) {
  static const gg_op name = {.name = "mask_put"};
  gg_var *const in[3] = {x, mask, v};

  if (!gg__given(&name, 3, in))
    return NULL;
  if (gg_var_type(x)->nd != gg_var_type(mask)->nd || gg_var_type(v)->nd > 1)
    return gg__refuse(&name, 3, in, GA_VALUE_ERROR,
                      "x has %u dimensions, the mask has %u, the values %u",
                      gg_var_type(x)->nd, gg_var_type(mask)->nd,
                      gg_var_type(v)->nd);
  if ((int)how < GG_PUT_SET || how > GG_PUT_MIN)
    return gg__refuse(&name, 3, in, GA_VALUE_ERROR, "%d is no way to put",
                      (int)how);
  mask = gg__as_mask(mask);
  v = gg_cast(v, gg_var_type(x)->dtype);
  if (mask == NULL || v == NULL)
    return NULL;
  return gg_var_type(v)->nd == 0 ? gg_where(mask, gg__combined(x, v, how), x)
                                 : put_list(x, mask, v, how);
}

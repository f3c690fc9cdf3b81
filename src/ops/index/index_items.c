/* SPDX-License-Identifier: BSD-2-Clause */
/* The items of an index: which axes they are for, and where the axes of what
 * they select lie. */
#include <gpugraph/select.h>

#include "ops/index/index_items.h"

/* --- items --- */

gg_item gg_item_slice(int64_t start, int64_t stop, int64_t step) {
  return (gg_item){
      .kind = GG_ITEM_SLICE, .start = start, .stop = stop, .step = step};
}

gg_item gg_item_all(void) {
  return gg_item_slice(GG_END, GG_END, 1);
}

gg_item gg_item_slice_at(gg_var *start, gg_var *stop, gg_var *step) {
  return (gg_item){.kind = GG_ITEM_SLICE_AT, .bound = {start, stop, step}};
}

gg_item gg_item_at(int64_t position) {
  return (gg_item){.kind = GG_ITEM_AT, .start = position};
}

gg_item gg_item_new(void) {
  return (gg_item){.kind = GG_ITEM_NEW};
}

gg_item gg_item_rest(void) {
  return (gg_item){.kind = GG_ITEM_REST};
}

gg_item gg_item_of(gg_var *array) {
  return (gg_item){.kind = GG_ITEM_OF, .array = array};
}

/* --- checks --- */

static int is_mask(const gg_item *item) {
  return item->kind == GG_ITEM_OF && gg_var_type(item->array)->dtype == GA_BOOL;
}

/* How many axes of x an item is for. `rest` is the number of those that no
 * other item is for. */
static unsigned int axes_of(const gg_item *item, unsigned int rest) {
  if (item->kind == GG_ITEM_NEW)
    return 0;
  if (item->kind == GG_ITEM_REST)
    return rest;
  return is_mask(item) ? gg__rank_of(item->array) : 1;
}

static int check_array(const gg__selection *s, size_t i, gg_var *array) {
  if (array == NULL)
    return gg__refuse(s->op, 1, (gg_var *[]){s->x}, GA_VALUE_ERROR,
                      "the array of item %zu is NULL", i) != NULL;
  gg_var *const in[2] = {s->x, array};
  const gg_type *t = gg_var_type(array);
  if (t->dtype != GA_BOOL && !gg__is_integer(t->dtype))
    return gg__refuse(s->op, 2, in, GA_VALUE_ERROR,
                      "item %zu is neither of integers nor of bool", i) != NULL;
  if (t->dtype == GA_BOOL && t->nd == 0)
    return gg__refuse(s->op, 2, in, GA_VALUE_ERROR,
                      "the mask of item %zu has no axis", i) != NULL;
  return 1;
}

/* Check the items, each by itself. Sets *rest to the number of axes that no
 * item but `rest` is for. */
static int check_items(const gg__selection *s, size_t n, const gg_item *items,
                       unsigned int *rest) {
  const unsigned int nd = gg__rank_of(s->x);
  unsigned int used = 0, rests = 0;

  if (n > GG_MAX_ITEMS || (n != 0 && items == NULL))
    return gg__refuse(s->op, 1, (gg_var *[]){s->x}, GA_VALUE_ERROR,
                      items == NULL ? "no list of %zu items"
                                    : "%zu items are too many",
                      n) != NULL;
  for (size_t i = 0; i < n; i++) {
    if ((int)items[i].kind < 0 || items[i].kind > GG_ITEM_OF)
      return gg__refuse(s->op, 1, (gg_var *[]){s->x}, GA_VALUE_ERROR,
                        "item %zu is of unknown kind %d", i,
                        (int)items[i].kind) != NULL;
    if (items[i].kind == GG_ITEM_OF && !check_array(s, i, items[i].array))
      return 0;
    rests += items[i].kind == GG_ITEM_REST;
    used += axes_of(&items[i], 0);
  }
  if (rests > 1 || used > nd)
    return gg__refuse(s->op, 1, (gg_var *[]){s->x}, GA_VALUE_ERROR,
                      rests > 1 ? "%u items stand for the rest"
                                : "the items are for %u axes",
                      rests > 1 ? rests : used) != NULL;
  *rest = nd - used;
  return 1;
}

/* --- arrays --- */

/* The mask, with the promise that it has the sizes of x from `axis` on. */
static gg_var *fitting_mask(const gg__selection *s, gg_var *mask,
                            unsigned int axis) {
  const gg_type *x = gg_var_type(s->x), *t = gg_var_type(mask);
  gg_var *const in[2] = {s->x, mask};
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int d = 0; d < t->nd; d++) {
    const int64_t want = x->dims[axis + d];
    if (want != GG_ANY && t->dims[d] != GG_ANY && want != t->dims[d])
      return gg__refuse(s->op, 2, in, GA_VALUE_ERROR,
                        "axis %u of x has %lld, axis %u of its mask has %lld",
                        axis + d, (long long)want, d, (long long)t->dims[d]);
    sizes[d] = gg_shape(s->x, (int)(axis + d));
  }
  return gg_specify_sizes(mask, sizes);
}

/* Set what selects along the axes of a mask: its coordinates. */
static int set_mask(gg__selection *s, gg_var *mask, unsigned int axis) {
  gg_var *const fits = fitting_mask(s, mask, axis);

  if (fits == NULL)
    return 0;
  s->mask = fits;
  s->n_arrays++;
  gg_var *const at = gg_nonzero(fits);
  for (unsigned int d = 0; d < gg__rank_of(mask) && at != NULL; d++)
    s->axis[axis + d].array = gg_index(at, 1, (int64_t)d);
  return at != NULL;
}

static int set_arrays(gg__selection *s, const gg_item *item,
                      unsigned int axis) {
  s->axis[axis].item = *item;
  if (item->kind != GG_ITEM_OF)
    return 1;
  if (is_mask(item))
    return set_mask(s, item->array, axis);
  s->axis[axis].array = item->array;
  s->n_arrays++;
  return 1;
}

/* Whether two arrays broadcast to each other, as far as sizes are known. */
static int broadcasts(const gg__selection *s, gg_var *a, gg_var *b) {
  const gg_type *t = gg_var_type(a), *u = gg_var_type(b);

  for (unsigned int d = 1; d <= t->nd && d <= u->nd; d++) {
    const int64_t m = t->dims[t->nd - d], n = u->dims[u->nd - d];
    if (m != GG_ANY && n != GG_ANY && m != 1 && n != 1 && m != n)
      return gg__refuse(s->op, 2, (gg_var *[]){a, b}, GA_VALUE_ERROR,
                        "%lld and %lld indices do not broadcast along axis -%u",
                        (long long)m, (long long)n, d) != NULL;
  }
  return 1;
}

/* Set the range of axes that arrays index, and their common rank. */
static int set_range(gg__selection *s) {
  const unsigned int nd = gg__rank_of(s->x);

  for (unsigned int d = 0; d < nd; d++) {
    gg_var *const array = s->axis[d].array;
    if (array == NULL)
      continue;
    if (s->end == 0)
      s->first = d;
    for (unsigned int k = s->first; k < d; k++)
      if (s->axis[k].array != NULL && !broadcasts(s, s->axis[k].array, array))
        return 0;
    s->end = d + 1;
    if (gg__rank_of(array) > s->array_nd)
      s->array_nd = gg__rank_of(array);
  }
  if (s->n_arrays != 1)
    s->mask = NULL;
  return 1;
}

/* --- the order of axes --- */

/* Set at[d] to the axis in memory of each axis of x that is kept. Returns that
 * of the arrays. */
static unsigned int lay_out(gg__selection *s, unsigned int *at) {
  const unsigned int nd = gg__rank_of(s->x);
  unsigned int n = 0, arrays = 0;

  for (unsigned int d = 0; d < nd; d++) {
    if (d == s->first && s->end != 0) {
      arrays = n;
      n += s->array_nd;
    }
    at[d] = n;
    n += (unsigned int)gg__is_kept(&s->axis[d]);
  }
  s->nd = n;
  return arrays;
}

/* NumPy's order as it grows. Arrays and positions stand side by side until
 * something follows them; if they go on after that, they come first. */
typedef struct order {
  int axes[2 * GG_MAX_ITEMS];
  unsigned int n, arrays_at;
  enum { BEFORE, WITHIN, BEHIND, APART } place;
} order;

static void pass(order *o, int is_index) {
  if (is_index && o->place == BEFORE)
    o->arrays_at = o->n;
  if (is_index && o->place >= BEHIND)
    o->arrays_at = 0;
  if (is_index)
    o->place = o->place >= BEHIND ? APART : WITHIN;
  else if (o->place == WITHIN)
    o->place = BEHIND;
}

/* Put the axes of the arrays, of which `arrays` is the first in memory, among
 * the others. */
static int finish_order(gg__selection *s, const order *o, unsigned int arrays) {
  s->out_nd = o->n + s->array_nd;
  if (s->nd > GG_MAX_ND || s->out_nd > GG_MAX_ND)
    return gg__refuse(s->op, 1, (gg_var *[]){s->x}, GA_VALUE_ERROR,
                      "the result has %u dimensions, at most %d", s->out_nd,
                      GG_MAX_ND) != NULL;
  for (unsigned int i = 0; i < s->out_nd; i++) {
    const unsigned int k = i - o->arrays_at;
    if (i < o->arrays_at)
      s->order[i] = o->axes[i];
    else
      s->order[i] =
          k < s->array_nd ? (int)(arrays + k) : o->axes[i - s->array_nd];
  }
  return 1;
}

static int set_order(gg__selection *s, size_t n, const gg_item *items,
                     unsigned int rest) {
  unsigned int at[GG_MAX_ND], axis = 0;
  const unsigned int arrays = lay_out(s, at), nd = gg__rank_of(s->x);
  order o = {.n = 0};

  for (size_t i = 0; i < n; i++) {
    const unsigned int axes = axes_of(&items[i], rest);
    pass(&o, items[i].kind == GG_ITEM_AT || items[i].kind == GG_ITEM_OF);
    if (items[i].kind == GG_ITEM_NEW)
      o.axes[o.n++] = -1;
    for (unsigned int d = axis; d < axis + axes; d++)
      if (gg__is_kept(&s->axis[d]))
        o.axes[o.n++] = (int)at[d];
    axis += axes;
  }
  for (; axis < nd; axis++)
    o.axes[o.n++] = (int)at[axis];
  return finish_order(s, &o, arrays);
}

int gg__select_by(gg__selection *s, const gg_op *op, gg_var *x, size_t n,
                  const gg_item *items) {
  unsigned int rest = 0, axis = 0;

  *s = (gg__selection){.op = op, .x = x};
  if (!gg__given(op, 1, &x) || !check_items(s, n, items, &rest))
    return 0;
  for (unsigned int d = 0; d < GG_MAX_ND; d++)
    s->axis[d].item = gg_item_all();
  for (size_t i = 0; i < n; i++) {
    const unsigned int axes = axes_of(&items[i], rest);
    if (axes != 0 && items[i].kind != GG_ITEM_REST &&
        !set_arrays(s, &items[i], axis))
      return 0;
    axis += axes;
  }
  return set_range(s) && set_order(s, n, items, rest);
}

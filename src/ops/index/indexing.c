/* SPDX-License-Identifier: BSD-2-Clause */
/* Index by several items. Slices and positions outside of the range of axes
 * with arrays are views. In the range, each axis has its positions as integers
 * that broadcast to what is selected; a map joins them to one index along the
 * axes of the range, which take and put use. */
#include <gpugraph/arrange.h>
#include <gpugraph/select.h>

#include "ops/index/index_items.h"

/* --- views --- */

/* The views that lead from x to what slices and positions outside of the range
 * leave: view[i + 1] is view[i] with its axis axes[i] indexed. */
typedef struct views {
  gg_var *view[GG_MAX_ND + 1];
  unsigned int axes[GG_MAX_ND], n;
} views;

static gg_var *item_of(const gg_item *item, gg_var *v, unsigned int axis) {
  if (item->kind == GG_ITEM_AT)
    return gg_index(v, (int)axis, item->start);
  if (item->kind == GG_ITEM_SLICE_AT)
    return gg_slice_at(v, (int)axis, item->bound[0], item->bound[1],
                       item->bound[2]);
  return gg_slice(v, (int)axis, item->start, item->stop, item->step);
}

static int in_range(const gg__selection *s, unsigned int axis) {
  return axis >= s->first && axis < s->end;
}

/* Views of the last axes come first, so axes keep their places until then. */
static gg_var *open_views(const gg__selection *s, views *w) {
  w->n = 0;
  w->view[0] = s->x;
  for (unsigned int d = gg__rank_of(s->x); d-- > 0;) {
    if (in_range(s, d) || w->view[w->n] == NULL)
      continue;
    gg_var *const v = item_of(&s->axis[d].item, w->view[w->n], d);
    if (v == w->view[w->n])
      continue;
    w->axes[w->n++] = d;
    w->view[w->n] = v;
  }
  return w->view[w->n];
}

/* `v` with y at what one item selects. */
static gg_var *put_item(const gg_item *item, gg_var *v, unsigned int axis,
                        gg_var *y) {
  const int64_t at = item->start;

  if (item->kind == GG_ITEM_SLICE_AT)
    return gg_slice_set_at(v, (int)axis, item->bound[0], item->bound[1],
                           item->bound[2], y);
  if (item->kind == GG_ITEM_AT)
    return gg_slice_set(v, (int)axis, at,
                        at == -1 || at == INT64_MAX ? GG_END : at + 1, 1,
                        gg__expand(y, axis));
  return gg_slice_set(v, (int)axis, at, item->stop, item->step, y);
}

/* --- one index for the axes of the range --- */

static unsigned int kept_between(const gg__selection *s, unsigned int first,
                                 unsigned int end) {
  unsigned int n = 0;

  for (unsigned int d = first; d < end; d++)
    n += (unsigned int)gg__is_kept(&s->axis[d]);
  return n;
}

/* x with `n` axes of size 1 behind its own. */
static gg_var *pad_behind(gg_var *x, unsigned int n) {
  int pattern[GG_MAX_ND];

  if (x == NULL || n == 0)
    return x;
  const unsigned int nd = gg__rank_of(x);
  for (unsigned int i = 0; i < nd + n; i++)
    pattern[i] = i < nd ? (int)i : -1;
  return gg_dimshuffle(x, nd + n, pattern);
}

/* The integers along an axis of the range, with axes as all have them; those of
 * slices and of a position are views of all positions. */
static gg_var *integers(const gg__selection *s, unsigned int axis) {
  const gg__axis_index *const a = &s->axis[axis];
  const gg__axis_props p = {axis};
  gg_var *x = s->x;
  gg_var *const i =
      a->array != NULL
          ? a->array
          : item_of(&a->item, gg_op_apply(NULL, &gg__op_iota, &p, 1, &x), 0);

  return pad_behind(
      i, kept_between(s, gg__is_kept(a) ? axis + 1 : s->first, s->end));
}

/* What the integers along an axis add to the index: the elements before them.
 * One out of range adds as many as all axes of the range have, so that the sum
 * is out of range, too. */
static gg_var *elements_before(const gg__selection *s, unsigned int axis) {
  gg_var *const array = s->axis[axis].array;
  gg_var *const step = gg__number_of(s->x, axis + 1, s->end);
  gg_var *i = gg_cast(integers(s, axis), GA_LONG);

  if (array == NULL)
    return gg_mul(i, step);
  gg_var *const n = gg_shape(s->x, (int)axis);
  gg_var *const zero = gg__whole_number(s->x, 0);
  if (ga__dtype_kind(gg_var_type(array)->dtype) == GA_KIND_INT)
    i = gg_where(gg_lt(i, zero), gg_add(i, n), i);
  return gg_where(gg_and(gg_ge(i, zero), gg_lt(i, n)), gg_mul(i, step),
                  gg__number_of(s->x, s->first, s->end));
}

static gg_var *joined(const gg__selection *s) {
  gg_var *all = elements_before(s, s->first);

  for (unsigned int d = s->first + 1; d < s->end; d++)
    all = gg_add(all, elements_before(s, d));
  return all;
}

/* [axes of the arrays, slices in the range] */
static gg_var *one_index(const gg__selection *s) {
  if (s->mask != NULL)
    return gg_flatnonzero(s->mask);
  return s->end - s->first == 1 ? s->axis[s->first].array : joined(s);
}

/* --- shapes --- */

/* What take and put need: the views, the index, and sizes. */
typedef struct picks {
  const gg__selection *s;
  views w;
  gg_var *x;                /* [before, range, behind] */
  gg_var *index;            /* NULL without arrays */
  unsigned int before;      /* axes */
  gg_var *sizes[GG_MAX_ND]; /* of x */
} picks;

static int open_picks(picks *p, const gg__selection *s) {
  p->s = s;
  p->x = open_views(s, &p->w);
  if (p->x == NULL)
    return 0;
  p->before = kept_between(s, 0, s->first);
  gg__sizes_of(p->x, p->sizes);
  p->index = s->n_arrays != 0 ? one_index(s) : NULL;
  return s->n_arrays == 0 || p->index != NULL;
}

/* v, whose axes `before` to `before + n` become others. */
static gg_var *with_axes(const picks *p, gg_var *v, unsigned int n,
                         unsigned int n_others, gg_var *const *others) {
  gg_var *sizes[2 * GG_MAX_ND];

  if (v == NULL || (n == 1 && n_others == 1))
    return v;
  const unsigned int nd = gg__rank_of(v), to = nd - n + n_others;
  for (unsigned int d = 0; d < to; d++) {
    if (d < p->before)
      sizes[d] = p->sizes[d];
    else if (d < p->before + n_others)
      sizes[d] = others[d - p->before];
    else
      sizes[d] = p->sizes[gg__rank_of(p->x) - to + d];
  }
  return gg_reshape_sizes(v, to, sizes);
}

/* x with the axes of the range as one. */
static gg_var *flat_x(const picks *p) {
  gg_var *const n = gg__number_of(p->s->x, p->s->first, p->s->end);

  return with_axes(p, p->x, p->s->end - p->s->first, 1, &n);
}

static gg_var *flat_index(const picks *p) {
  return gg__rank_of(p->index) == 1 ? p->index : gg_flatten(p->index);
}

/* --- take --- */

/* Where no axis lies behind the range, elements are taken, not slices: x and
 * the index repeat along each other's axes, so that a map can read x. */
static gg_var *taken_elements(const picks *p) {
  const unsigned int nd = gg__rank_of(p->index);

  return gg_take_along(pad_behind(flat_x(p), nd - 1), (int)p->before,
                       gg__pad_rank(p->index, p->before));
}

/* What is selected, with its axes as they lie in memory. */
static gg_var *taken(const picks *p) {
  gg_var *sizes[GG_MAX_ND];

  if (p->index == NULL)
    return p->x;
  if (p->s->mask != NULL && gg__rank_of(p->s->mask) == gg__rank_of(p->x))
    return gg_compress(p->x, p->s->mask);
  if (gg__rank_of(p->index) > 1 &&
      p->before + p->s->end - p->s->first == gg__rank_of(p->x))
    return taken_elements(p);
  gg__sizes_of(p->index, sizes);
  return with_axes(p, gg_take_axis(flat_x(p), (int)p->before, flat_index(p)), 1,
                   gg__rank_of(p->index), sizes);
}

static gg_var *in_order(const gg__selection *s, gg_var *v) {
  int same = s->nd == s->out_nd;

  for (unsigned int i = 0; i < s->out_nd && same; i++)
    same = s->order[i] == (int)i;
  return same || v == NULL ? v : gg_dimshuffle(v, s->out_nd, s->order);
}

gg_var *gg_index_take(gg_var *x, size_t n, const gg_item *items) {
  gg__selection s;
  picks p;

  if (!gg__select_by(&s, GG_CALLED("index_take"), x, n, items) ||
      !open_picks(&p, &s))
    return NULL;
  return in_order(&s, taken(&p));
}

/* --- put --- */

/* v in the order of memory; new axes, of size 1, are dropped. */
static gg_var *values_in_memory(const gg__selection *s, gg_var *v) {
  const unsigned int nd = gg__rank_of(v);
  int pattern[GG_MAX_ND];
  int64_t ones[GG_MAX_ND];

  if (nd > s->out_nd)
    return gg__refuse(s->op, 2, (gg_var *[]){s->x, v}, GA_VALUE_ERROR,
                      "the values have %u dimensions, what they replace has %u",
                      nd, s->out_nd);
  for (unsigned int i = 0; i < s->out_nd; i++) {
    if (s->order[i] >= 0)
      pattern[s->order[i]] = (int)i;
    ones[i] = s->order[i] >= 0 ? GG_ANY : 1;
  }
  v = gg_cast(gg__pad_rank(v, s->out_nd - nd), gg_var_type(s->x)->dtype);
  v = v != NULL ? gg_specify_shape(v, ones) : NULL;
  return v != NULL ? gg_dimshuffle(v, s->nd, pattern) : NULL;
}

/* v with the promise that it has the sizes of `like` where it does not
 * broadcast. */
static gg_var *fitting_values(const gg__selection *s, gg_var *v, gg_var *like) {
  const gg_type *t = gg_var_type(v), *want = gg_var_type(like);
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int i = 0; i < s->nd; i++) {
    if (t->dims[i] != 1 && t->dims[i] != GG_ANY && want->dims[i] != GG_ANY &&
        t->dims[i] != want->dims[i])
      return gg__refuse(s->op, 2, (gg_var *[]){s->x, v}, GA_VALUE_ERROR,
                        "%lld values for %lld elements along an axis",
                        (long long)t->dims[i], (long long)want->dims[i]);
    sizes[i] =
        t->dims[i] == 1 ? gg__whole_number(v, GG_ANY) : gg_shape(like, (int)i);
  }
  return gg_specify_sizes(v, sizes);
}

/* The values do not differ along the elements of the mask, so their number does
 * not matter. */
static gg_var *put_under_mask(const picks *p, gg_var *v, gg_put_op how) {
  gg_var *const mask = p->s->mask;
  const unsigned int nd = gg__rank_of(p->x),
                     end = p->before + gg__rank_of(mask);
  int of_mask[GG_MAX_ND], of_values[GG_MAX_ND];

  for (unsigned int d = 0; d < nd; d++) {
    const int is_masked = d >= p->before && d < end;
    of_mask[d] = is_masked ? (int)(d - p->before) : -1;
    of_values[d] = d < p->before ? (int)d : (int)(d + p->before + 1 - end);
    of_values[d] = is_masked ? -1 : of_values[d];
  }
  /* Of `v`, the axis of the elements, of size 1, is dropped. */
  v = gg_dimshuffle(v, nd, of_values);
  return v != NULL ? gg_where(gg_dimshuffle(mask, nd, of_mask),
                              gg__combined(p->x, v, how), p->x)
                   : NULL;
}

static gg_var *put_picks(const picks *p, gg_var *like, gg_var *v,
                         gg_put_op how) {
  gg_var *const index = flat_index(p);
  gg_var *const n = index != NULL ? gg_shape(index, 0) : NULL;

  v = with_axes(p, gg_fill(like, v), gg__rank_of(p->index), 1, &n);
  gg_var *const y = gg_put_with(flat_x(p), (int)p->before, index, v, how);
  return with_axes(p, y, 1, p->s->end - p->s->first, p->sizes + p->before);
}

/* What the views leave, with v put. */
static gg_var *put_values(const picks *p, gg_var *v, gg_put_op how) {
  gg_var *const like = taken(p);

  v = like != NULL ? values_in_memory(p->s, v) : NULL;
  v = v != NULL ? fitting_values(p->s, v, like) : NULL;
  if (v == NULL)
    return NULL;
  if (p->index == NULL)
    return gg__combined(p->x, gg_fill(p->x, v), how);
  if (p->s->mask != NULL && gg_var_type(v)->dims[p->before] == 1)
    return put_under_mask(p, v, how);
  return put_picks(p, like, v, how);
}

gg_var *gg_index_put(gg_var *x, size_t n, const gg_item *items, gg_var *v,
                     gg_put_op how) {
  const gg_op *const op = GG_CALLED("index_put");
  gg__selection s;
  picks p;

  if (!gg__given(op, 2, (gg_var *[]){x, v}))
    return NULL;
  if ((int)how < GG_PUT_SET || how > GG_PUT_MIN)
    return gg__refuse(op, 2, (gg_var *[]){x, v}, GA_VALUE_ERROR,
                      "unknown operation %d", (int)how);
  if (!gg__select_by(&s, op, x, n, items) || !open_picks(&p, &s))
    return NULL;
  gg_var *y = put_values(&p, v, how);
  for (unsigned int i = p.w.n; i-- > 0 && y != NULL;)
    y = put_item(&s.axis[p.w.axes[i]].item, p.w.view[i], p.w.axes[i], y);
  return y;
}

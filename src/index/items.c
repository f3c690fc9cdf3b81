/* SPDX-License-Identifier: BSD-2-Clause */
/* Index by several items. Slices and positions are views. The integers of
 * arrays become one index along the axes that they select, side by side as one
 * axis, by which take and put work. */
#include <gpuarray/items.h>
#include <gpuarray/select.h>
#include <string.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "index/put_check.h"

/* What selects along one axis of x. */
typedef struct along {
  int64_t start, step; /* of a slice, with positions from 0; step 0: one */
  size_t count;        /* elements of the slice */
  int is_array;
  GpuArray array; /* integers; owned */
} along;

/* Axes of the view that take and put work on, with their sizes and strides. */
typedef struct picks {
  const GpuArray *x;
  along *axes;                /* of x */
  unsigned int nd, n_arrays;  /* of the view */
  unsigned int at;            /* the first axis of arrays in the view */
  size_t dims[GA_ND_MAX];     /* of the view */
  ssize_t strides[GA_ND_MAX]; /* in bytes */
  size_t offset;
  GpuArray view, flat; /* `flat` has the axes of arrays as one */
  GpuArray index;      /* along them */
  int is_copy;         /* `flat` is a copy */
} picks;

static void picks_clear(picks *p) {
  for (unsigned int d = 0; p->axes != NULL && d < p->x->nd; d++)
    GpuArray_clear(&p->axes[d].array);
  ga__free(p->axes);
  GpuArray_clear(&p->view);
  GpuArray_clear(&p->flat);
  GpuArray_clear(&p->index);
}

/* --- items --- */

static int is_mask(const ga_item *item) {
  return item->kind == GA_ITEM_MASK ||
         (item->kind == GA_ITEM_OF && item->array->typecode == GA_BOOL);
}

static int is_array(const ga_item *item) {
  return item->kind == GA_ITEM_OF || item->kind == GA_ITEM_MASK;
}

/* How many axes of x an item is for; `rest` for those that no other is for. */
static unsigned int axes_of(const ga_item *item, unsigned int rest) {
  if (item->kind == GA_ITEM_NEW)
    return 0;
  if (item->kind == GA_ITEM_REST)
    return rest;
  return is_mask(item) ? item->array->nd : 1;
}

static int check_item(const GpuArray *x, unsigned int i, const ga_item *item) {
  if ((int)item->kind < GA_ITEM_SLICE || item->kind > GA_ITEM_MASK)
    return ga__fail(GA_VALUE_ERROR, "item %u is of unknown kind %d", i,
                    (int)item->kind);
  if (item->kind == GA_ITEM_SLICE && item->step == 0)
    return ga__fail(GA_VALUE_ERROR, "item %u: the step is 0", i);
  if (!is_array(item))
    return GA_NO_ERROR;
  GA_TRY(ga__operand_check_array("item", item->array, GpuArray_context(x),
                                 GA_OPERAND_ANY));
  if (is_mask(item))
    return item->array->nd > 0
               ? GA_NO_ERROR
               : ga__fail(GA_VALUE_ERROR, "the mask of item %u has no axis", i);
  return ga__put_check_type(item->array);
}

/* Set *rest to the number of axes that no item but `rest` is for. */
static int check_items(const GpuArray *x, unsigned int n, const ga_item *items,
                       unsigned int *rest) {
  unsigned int used = 0, rests = 0, news = 0;

  if (n > GA_MAX_ITEMS || (n > 0 && items == NULL))
    return ga__fail(
        GA_VALUE_ERROR,
        items == NULL ? "no list of %u items" : "%u items are too many", n);
  for (unsigned int i = 0; i < n; i++) {
    GA_TRY(check_item(x, i, &items[i]));
    used += axes_of(&items[i], 0);
    rests += items[i].kind == GA_ITEM_REST;
    news += items[i].kind == GA_ITEM_NEW;
  }
  if (rests > 1)
    return ga__fail(GA_VALUE_ERROR, "%u items are for the rest of the axes",
                    rests);
  if (used > x->nd)
    return ga__fail(GA_VALUE_ERROR, "items for %u axes of an array of %u", used,
                    x->nd);
  if (x->nd + news > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u new axes for an array of %u", news,
                    x->nd);
  *rest = x->nd - used;
  return GA_NO_ERROR;
}

/* --- along one axis --- */

static int64_t clip(int64_t v, int64_t lo, int64_t hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

/* An end of a slice of n elements, by Python's rules. */
static int64_t end_of(int64_t v, int64_t n, int64_t open, int64_t lo,
                      int64_t hi) {
  if (v == GA_ITEM_OPEN)
    return open;
  return clip(v < 0 ? v + n : v, lo, hi);
}

static void set_slice(along *a, const ga_item *item, size_t size) {
  const int64_t n = (int64_t)size, step = item->step;
  const int is_up = step > 0;
  const int64_t lo = is_up ? 0 : -1, hi = is_up ? n : n - 1;
  const int64_t start = end_of(item->start, n, is_up ? 0 : n - 1, lo, hi);
  const int64_t stop = end_of(item->stop, n, is_up ? n : -1, lo, hi);
  const int64_t span = is_up ? stop - start : start - stop;
  const uint64_t by = is_up ? (uint64_t)step : -(uint64_t)step;

  a->start = start;
  a->step = step;
  a->count = span > 0 ? (size_t)(((uint64_t)span - 1) / by + 1) : 0;
  if (a->count == 0)
    a->start = 0;
  if (a->count < 2)
    a->step = 1;
}

static int set_position(along *a, const ga_item *item, unsigned int axis,
                        size_t size) {
  const int64_t n = (int64_t)size, at = item->start;

  if (at < -n || at >= n)
    return ga__fail(GA_VALUE_ERROR,
                    "position %lld of axis %u, which has %zu elements",
                    (long long)at, axis, size);
  a->start = at < 0 ? at + n : at;
  a->step = 0;
  a->count = 1;
  return GA_NO_ERROR;
}

/* The coordinates of a mask's elements, a vector for each axis. */
static int set_mask(picks *p, const ga_item *item, unsigned int axis) {
  const GpuArray *mask = item->array;
  GpuArray at = {0};
  int err;

  GA_TRY(ga__operand_place(NULL, "mask", mask, mask->nd,
                           p->x->dimensions + axis, 0));
  GA_TRY(GpuArray_nonzero(&at, mask));
  for (unsigned int k = 0; k < mask->nd; k++) {
    const ssize_t starts[2] = {0, (ssize_t)k}, steps[2] = {1, 0};
    const ssize_t stops[2] = {(ssize_t)at.dimensions[0], 0};

    p->axes[axis + k].is_array = 1;
    GA_CHECK(
        GpuArray_index(&p->axes[axis + k].array, &at, starts, stops, steps));
  }

done:
  GpuArray_clear(&at);
  return err;
}

static int set_axis(picks *p, const ga_item *item, unsigned int axis) {
  along *a = &p->axes[axis];

  if (item->kind == GA_ITEM_SLICE)
    set_slice(a, item, p->x->dimensions[axis]);
  else if (item->kind == GA_ITEM_AT)
    return set_position(a, item, axis, p->x->dimensions[axis]);
  else if (is_mask(item))
    return set_mask(p, item, axis);
  else if (item->kind == GA_ITEM_OF) {
    a->is_array = 1;
    return GpuArray_view(&a->array, item->array);
  }
  return GA_NO_ERROR;
}

static int set_axes(picks *p, unsigned int n, const ga_item *items,
                    unsigned int rest) {
  const ga_item all = ga_item_all();
  unsigned int axis = 0;

  p->axes = ga__calloc(p->x->nd + 1, sizeof *p->axes);
  if (p->axes == NULL)
    return ga__fail_nomem();
  for (unsigned int d = 0; d < p->x->nd; d++)
    set_slice(&p->axes[d], &all, p->x->dimensions[d]);
  for (unsigned int i = 0; i < n; i++) {
    if (items[i].kind != GA_ITEM_NEW && items[i].kind != GA_ITEM_REST)
      GA_TRY(set_axis(p, &items[i], axis));
    axis += axes_of(&items[i], rest);
  }
  for (unsigned int d = 0; d < p->x->nd; d++)
    p->n_arrays += (unsigned int)p->axes[d].is_array;
  return GA_NO_ERROR;
}

/* --- the view --- */

static void add_axis(picks *p, size_t dim, ssize_t stride) {
  p->dims[p->nd] = dim;
  p->strides[p->nd++] = stride;
}

/* Add axis d of x unless an array or a position replaces it. */
static void add_kept(picks *p, unsigned int d) {
  const along *a = &p->axes[d];

  if (!a->is_array && a->step != 0)
    add_axis(p, a->count, p->x->strides[d] * (ssize_t)a->step);
}

/* Add those that arrays select. */
static void add_arrays(picks *p) {
  p->at = p->nd;
  for (unsigned int d = 0; d < p->x->nd; d++)
    if (p->axes[d].is_array)
      add_axis(p, p->x->dimensions[d], p->x->strides[d]);
}

/* Do arrays and positions stand side by side? */
static int are_beside(unsigned int n, const ga_item *items) {
  unsigned int groups = 0;
  int was_index = 0;

  for (unsigned int i = 0; i < n; i++) {
    const int is_index = items[i].kind == GA_ITEM_AT || is_array(&items[i]);
    groups += is_index && !was_index;
    was_index = is_index;
  }
  return groups < 2;
}

/* List the axes of the view: those of arrays side by side, where the first of
 * arrays and positions is, or first of all. */
static void list_axes(picks *p, unsigned int n, const ga_item *items,
                      unsigned int rest) {
  int is_due = p->n_arrays > 0;
  unsigned int axis = 0;

  if (is_due && !are_beside(n, items)) {
    add_arrays(p);
    is_due = 0;
  }
  for (unsigned int i = 0; i < n; i++) {
    const unsigned int end = axis + axes_of(&items[i], rest);
    if (is_due && (items[i].kind == GA_ITEM_AT || is_array(&items[i]))) {
      add_arrays(p);
      is_due = 0;
    }
    if (items[i].kind == GA_ITEM_NEW)
      add_axis(p, 1, 0);
    for (; axis < end; axis++)
      add_kept(p, axis);
  }
  for (; axis < p->x->nd; axis++)
    add_kept(p, axis);
}

/* Without elements, x may have no memory that the view could begin in. */
static int make_view(picks *p) {
  const int is_empty = ga__array_total(p->x) == 0;
  size_t offset = p->x->offset;

  for (unsigned int d = 0; d < p->x->nd && !is_empty; d++)
    if (!p->axes[d].is_array)
      offset = (size_t)((ssize_t)offset +
                        p->x->strides[d] * (ssize_t)p->axes[d].start);
  GA_TRY(GpuArray_view(&p->view, p->x));
  return ga__array_set_shape(&p->view, p->nd, p->dims, p->strides, offset);
}

/* --- one index --- */

/* Set `dims` to what the arrays broadcast to. */
static int broadcast(const picks *p, unsigned int *nd, size_t *dims) {
  *nd = 0;
  for (unsigned int d = 0; d < p->x->nd; d++)
    if (p->axes[d].is_array && p->axes[d].array.nd > *nd)
      *nd = p->axes[d].array.nd;
  for (unsigned int k = 0; k < *nd; k++)
    dims[k] = 1;
  for (unsigned int d = 0; d < p->x->nd; d++) {
    const GpuArray *a = &p->axes[d].array;
    const unsigned int pad = *nd - a->nd;

    for (unsigned int k = 0; p->axes[d].is_array && k < a->nd; k++) {
      if (dims[pad + k] == 1)
        dims[pad + k] = a->dimensions[k];
      else if (a->dimensions[k] != 1 && a->dimensions[k] != dims[pad + k])
        return ga__fail(GA_VALUE_ERROR,
                        "arrays of %zu and %zu elements along an axis do not "
                        "broadcast",
                        dims[pad + k], a->dimensions[k]);
    }
  }
  return GA_NO_ERROR;
}

/* Add to the index what the integers along axis d add: the elements before
 * them. One that is out of range adds all, so that the sum is out of range,
 * too. */
static int add_integers(picks *p, unsigned int d, int64_t step, int64_t total,
                        int is_first) {
  const GpuArray *a = &p->axes[d].array;
  const int64_t n = (int64_t)p->x->dimensions[d];
  gpuelemwise_arg args[5] = {{"z", GA_LONG, GE_READ | GE_WRITE},
                             {"i", a->typecode, GE_READ},
                             {"n", GA_LONG, GE_READ | GE_SCALAR},
                             {"by", GA_LONG, GE_READ | GE_SCALAR},
                             {"all", GA_LONG, GE_READ | GE_SCALAR}};
  const char *text =
      ga__dtype_kind(a->typecode) == GA_KIND_UINT
          ? "z += i < (ulong)n ? (long)i * by : all"
          : "long k = i < 0 ? i + n : i; z += k >= 0 && k < n ? k * by : all";
  GpuElemwise *ge = NULL;

  if (is_first)
    GA_TRY(GpuArray_memset(&p->index, 0));
  GA_TRY(ga__elemwise_new(&ge, GpuArray_context(p->x), NULL, text, 5, args, 0));
  const int err = GpuElemwise_call(ge,
                                   (void *[]){&p->index, (void *)a, (void *)&n,
                                              (void *)&step, (void *)&total},
                                   GE_BROADCAST | GE_PADSHAPE);
  GpuElemwise_free(ge);
  return err;
}

static int join_arrays(picks *p, int64_t total) {
  size_t dims[GA_ND_MAX];
  int64_t step = total;
  unsigned int nd;
  int is_first = 1;

  GA_TRY(broadcast(p, &nd, dims));
  GA_TRY(GpuArray_empty(&p->index, GpuArray_context(p->x), GA_LONG, nd, dims,
                        GA_C_ORDER));
  if (ga__array_total(&p->index) == 0 || total == 0)
    return GA_NO_ERROR;
  for (unsigned int d = 0; d < p->x->nd; d++) {
    if (!p->axes[d].is_array)
      continue;
    step /= (int64_t)p->x->dimensions[d];
    GA_TRY(add_integers(p, d, step, total, is_first));
    is_first = 0;
  }
  return GA_NO_ERROR;
}

/* The index along the axes of arrays as one, which have `total` elements. */
static int make_index(picks *p, int64_t total, int check_error) {
  for (unsigned int d = 0; d < p->x->nd; d++) {
    along *a = &p->axes[d];

    if (!a->is_array)
      continue;
    if (check_error && ga__array_total(&a->array) > 0)
      GA_TRY(ga__put_check_indices(&a->array, p->x->dimensions[d], d));
    if (p->n_arrays == 1)
      return GpuArray_view(&p->index, &a->array);
  }
  return join_arrays(p, total);
}

/* Make `flat`, and the index. */
static int flatten(picks *p, int check_error) {
  const unsigned int n = p->n_arrays, behind = p->nd - p->at - n;
  size_t dims[GA_ND_MAX], total = 1;

  for (unsigned int k = 0; k < n; k++)
    total *= p->dims[p->at + k];
  memcpy(dims, p->dims, p->at * sizeof *dims);
  dims[p->at] = total;
  memcpy(dims + p->at + 1, p->dims + p->at + n, behind * sizeof *dims);
  int err =
      GpuArray_reshape(&p->flat, &p->view, p->nd - n + 1, dims, GA_C_ORDER, 1);
  if (err == GA_COPY_ERROR) {
    p->is_copy = 1;
    err = GpuArray_reshape(&p->flat, &p->view, p->nd - n + 1, dims, GA_C_ORDER,
                           0);
  }
  return err == GA_NO_ERROR ? make_index(p, (int64_t)total, check_error) : err;
}

/* Clear *p in any case. */
static int open_picks(picks *p, const GpuArray *x, unsigned int n,
                      const ga_item *items, int check_error) {
  unsigned int rest = 0;

  *p = (picks){.x = x};
  GA_TRY(ga__array_check(x));
  GA_TRY(ga__operand_check_array("x", x, GpuArray_context(x), GA_OPERAND_ANY));
  GA_TRY(check_items(x, n, items, &rest));
  GA_TRY(set_axes(p, n, items, rest));
  list_axes(p, n, items, rest);
  GA_TRY(make_view(p));
  return p->n_arrays > 0 ? flatten(p, check_error) : GA_NO_ERROR;
}

/* --- calls --- */

static int is_given(const GpuArray *a, const GpuArray *x, unsigned int n,
                    const ga_item *items) {
  int is = a == x;

  for (unsigned int i = 0; i < n && items != NULL; i++)
    is |= a == items[i].array;
  return is;
}

int GpuArray_index_take(GpuArray *res, const GpuArray *x, unsigned int n,
                        const ga_item *items, int check_error) {
  picks p;
  int err;

  if (res == NULL || is_given(res, x, n, items))
    return ga__fail(GA_VALUE_ERROR, res == NULL
                                        ? "the result is NULL"
                                        : "the result is the same array as an "
                                          "operand");
  *res = (GpuArray){0};
  GA_CHECK(open_picks(&p, x, n, items, check_error));
  GA_CHECK(p.n_arrays > 0 ? GpuArray_take(res, &p.flat, &p.index, p.at, 0)
                          : GpuArray_copy(res, &p.view, GA_C_ORDER));

done:
  picks_clear(&p);
  return err;
}

/* Without arrays, the view is the only row of an array. */
static int put_view(picks *p, const GpuArray *v, ga_put_op op) {
  static const size_t one = 1;
  int err;

  GA_TRY(GpuArray_zeros(&p->index, GpuArray_context(p->x), GA_LONG, 1, &one,
                        GA_C_ORDER));
  memmove(p->dims + 1, p->dims, p->nd * sizeof *p->dims);
  memmove(p->strides + 1, p->strides, p->nd * sizeof *p->strides);
  p->dims[0] = 1;
  p->strides[0] = 0;
  GA_CHECK(GpuArray_view(&p->flat, &p->view));
  GA_CHECK(ga__array_set_shape(&p->flat, p->nd + 1, p->dims, p->strides,
                               p->view.offset));
  GA_CHECK(GpuArray_put(&p->flat, &p->index, v, 0, op, 0));

done:
  return err;
}

/* A copy goes back to where it came from. */
static int put_picks(picks *p, const GpuArray *v, ga_put_op op) {
  GA_TRY(GpuArray_put(&p->flat, &p->index, v, p->at, op, 0));
  if (!p->is_copy)
    return GA_NO_ERROR;
  GA_TRY(GpuArray_reshape_inplace(&p->flat, p->nd, p->dims, GA_C_ORDER));
  return GpuArray_setarray(&p->view, &p->flat);
}

int GpuArray_index_put(GpuArray *x, unsigned int n, const ga_item *items,
                       const GpuArray *v, ga_put_op op, int check_error) {
  picks p = {.x = x};
  int err;

  GA_TRY(ga__array_check(x));
  GA_TRY(ga__array_check(v));
  GA_TRY(ga__operand_check_result("x", x, GpuArray_context(x), GA_OPERAND_ANY));
  GA_TRY(ga__operand_check_apart("x", x, "values", v));
  GA_CHECK(open_picks(&p, x, n, items, check_error));
  if (p.n_arrays == 0 && p.nd == GA_ND_MAX)
    GA_CHECK(ga__fail(GA_VALUE_ERROR, "%u dimensions are too many", p.nd));
  GA_CHECK(p.n_arrays > 0 ? put_picks(&p, v, op) : put_view(&p, v, op));

done:
  picks_clear(&p);
  return err;
}

int GpuArray_mask_put(GpuArray *x, const GpuArray *mask, const GpuArray *v,
                      ga_put_op op) {
  const ga_item item = ga_item_mask(mask);

  return GpuArray_index_put(x, 1, &item, v, op, 0);
}

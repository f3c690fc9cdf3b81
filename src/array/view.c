/* SPDX-License-Identifier: BSD-2-Clause */
/* Views: other geometries of the same buffer. Each function first computes the
 * new sizes and strides, and then changes an array. */
#include "array/geometry.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"

/* Sizes, strides and offset of a future view. Strides and offset are bytes. */
typedef struct shape {
  unsigned int nd;
  size_t offset;
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX];
} shape;

static int shape_apply(GpuArray *a, const shape *s) {
  return ga__array_set_shape(a, s->nd, s->dims, s->strides, s->offset);
}

/* Zero an output whose call fails. */
static int give_up(GpuArray *v, int err) {
  memset(v, 0, sizeof *v);
  return err;
}

/* Make `v` a view of `a` with another shape. On failure `v` is zeroed. */
static int view_with_shape(GpuArray *v, const GpuArray *a, const shape *s) {
  memset(v, 0, sizeof *v);
  v->typecode = a->typecode;
  v->flags = a->flags;
  int err = shape_apply(v, s);
  if (err != GA_NO_ERROR)
    return give_up(v, err);
  v->data = a->data;
  gpudata_retain(v->data);
  return GA_NO_ERROR;
}

int GpuArray_view(GpuArray *v, const GpuArray *a) {
  int err = ga__array_check(a);

  if (err != GA_NO_ERROR)
    return give_up(v, err);
  *v = *a;
  v->dimensions = NULL;
  v->strides = NULL;
  err = ga__array_set_shape(v, a->nd, a->dimensions, a->strides, a->offset);
  if (err != GA_NO_ERROR)
    return give_up(v, err);
  gpudata_retain(v->data);
  return GA_NO_ERROR;
}

/* --- index --- */

/* Set *n to the number of indices of start:stop:step in a dimension of size
 * `dim`; GA_VALUE_ERROR when some lie outside. */
static int slice_count(size_t *n, unsigned int k, size_t dim, ssize_t start,
                       ssize_t stop, ssize_t step) {
  ssize_t size = (ssize_t)dim;
  size_t stride = step < 0 ? 0 - (size_t)step : (size_t)step;
  int fits;

  if (step > 0)
    fits = start >= 0 && start <= stop && stop <= size;
  else if (step < 0)
    fits = stop >= -1 && stop <= start &&
           (start < size || (start == size && stop == start));
  else
    fits = start >= 0 && start < size;
  if (!fits)
    return ga__fail(GA_VALUE_ERROR, "dim %u: slice %zd:%zd:%zd of size %zu", k,
                    start, stop, step, dim);
  size_t span = step > 0   ? (size_t)(stop - start)
                : step < 0 ? (size_t)(start - stop)
                           : 1;
  *n = step == 0 ? 1 : span / stride + (span % stride != 0);
  return GA_NO_ERROR;
}

/* stride * step, or `stride` where the product overflows. That happens only
 * where at most one element is selected and the stride has no effect. */
static ssize_t mul_or_keep(ssize_t stride, ssize_t step) {
  size_t s = stride < 0 ? 0 - (size_t)stride : (size_t)stride;
  size_t t = step < 0 ? 0 - (size_t)step : (size_t)step;

  return t != 0 && s > SSIZE_MAX / t ? stride : stride * step;
}

static int index_shape(shape *s, const GpuArray *a, const ssize_t *starts,
                       const ssize_t *stops, const ssize_t *steps) {
  size_t n = 0, moved = 0;
  int is_empty = 0;

  GA_TRY(ga__array_check(a));
  if (a->nd > 0 && (starts == NULL || stops == NULL || steps == NULL))
    return ga__fail(GA_VALUE_ERROR, "a list of the slice is NULL");
  s->nd = 0;
  s->offset = a->offset;
  for (unsigned int k = 0; k < a->nd; k++) {
    GA_TRY(slice_count(&n, k, a->dimensions[k], starts[k], stops[k], steps[k]));
    moved += (size_t)starts[k] * (size_t)a->strides[k];
    is_empty |= n == 0;
    if (steps[k] == 0)
      continue;
    s->dims[s->nd] = n;
    s->strides[s->nd++] = mul_or_keep(a->strides[k], steps[k]);
  }
  if (!is_empty) /* an empty slice may start behind the last element */
    s->offset += moved;
  return GA_NO_ERROR;
}

int GpuArray_index(GpuArray *r, const GpuArray *a, const ssize_t *starts,
                   const ssize_t *stops, const ssize_t *steps) {
  shape s;
  int err = index_shape(&s, a, starts, stops, steps);

  return err == GA_NO_ERROR ? view_with_shape(r, a, &s) : give_up(r, err);
}

int GpuArray_index_inplace(GpuArray *a, const ssize_t *starts,
                           const ssize_t *stops, const ssize_t *steps) {
  shape s;

  GA_TRY(index_shape(&s, a, starts, stops, steps));
  return shape_apply(a, &s);
}

/* --- reshape --- */

static void reverse_shape(shape *s) {
  for (unsigned int i = 0; i + 1 < s->nd - i; i++) {
    size_t d;
    ssize_t t;

    unsigned int j = s->nd - 1 - i;
    d = s->dims[i], s->dims[i] = s->dims[j], s->dims[j] = d;
    t = s->strides[i], s->strides[i] = s->strides[j], s->strides[j] = t;
  }
}

/* The sizes and strides of `a` without the dimensions of size 1. */
static void squeeze_shape(shape *s, const GpuArray *a) {
  s->nd = 0;
  s->offset = a->offset;
  for (unsigned int k = 0; k < a->nd; k++) {
    if (a->dimensions[k] == 1)
      continue;
    s->dims[s->nd] = a->dimensions[k];
    s->strides[s->nd++] = a->strides[k];
  }
}

/* Find strides for the sizes in `to` that visit the elements of `from` in C
 * order. Runs of old and of new dimensions with equal products are matched; a
 * run of old ones can be divided differently only if it has no gaps. Returns 0
 * when there are no such strides. Totals are equal and not 0. */
static int match_strides(shape *to, const shape *from, size_t elsize) {
  unsigned int o = 0, n = 0;

  while (o < from->nd) {
    unsigned int o_end = o, n_end = n;
    size_t o_total = from->dims[o_end++];
    size_t n_total = to->dims[n_end++];
    while (o_total != n_total) {
      if (o_total < n_total)
        o_total *= from->dims[o_end++];
      else
        n_total *= to->dims[n_end++];
    }
    for (unsigned int k = o; k + 1 < o_end; k++) {
      if (from->strides[k] != (ssize_t)from->dims[k + 1] * from->strides[k + 1])
        return 0;
    }
    ssize_t step = from->strides[o_end - 1];
    for (unsigned int k = n_end; k-- > n;) {
      to->strides[k] = step;
      step *= (ssize_t)to->dims[k];
    }
    o = o_end, n = n_end;
  }
  /* The remaining dimensions have size 1. */
  for (; n < to->nd; n++)
    to->strides[n] = n > 0 ? to->strides[n - 1] : (ssize_t)elsize;
  return 1;
}

static int reshape_check(const GpuArray *a, unsigned int nd,
                         const size_t *newdims, ga_order ord) {
  size_t total;

  GA_TRY(ga__array_check(a));
  if (ord != GA_ANY_ORDER && ord != GA_C_ORDER && ord != GA_F_ORDER)
    return ga__fail(GA_VALUE_ERROR, "unknown order %d", (int)ord);
  if (nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, the limit is %d", nd,
                    GA_ND_MAX);
  if (nd > 0 && newdims == NULL)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions without sizes", nd);
  GA_TRY(ga__dims_total(&total, nd, newdims));
  if (total != ga__array_total(a))
    return ga__fail(GA_INVALID_ERROR, "reshape: %zu elements into %zu",
                    ga__array_total(a), total);
  return GA_NO_ERROR;
}

/* The shape of a checked reshape; GA_COPY_ERROR when no strides describe it.
 * `ord` is C or F. */
static int reshape_shape(shape *s, const GpuArray *a, unsigned int nd,
                         const size_t *newdims, ga_order ord) {
  size_t elsize = GpuArray_ITEMSIZE(a);
  shape from;

  s->nd = nd;
  s->offset = a->offset;
  if (nd > 0)
    memcpy(s->dims, newdims, nd * sizeof *newdims);
  if (ga__array_total(a) == 0) {
    ga__strides_fill(s->strides, nd, newdims, elsize, ord);
    return GA_NO_ERROR;
  }
  squeeze_shape(&from, a);
  if (ord == GA_F_ORDER) { /* F order is C order with the dimensions reversed */
    reverse_shape(&from);
    reverse_shape(s);
  }
  int found = match_strides(s, &from, elsize);
  if (ord == GA_F_ORDER)
    reverse_shape(s);
  if (!found)
    return ga__fail(GA_COPY_ERROR, "reshape: needs a copy of %zu elements",
                    ga__array_total(a));
  return GA_NO_ERROR;
}

int GpuArray_reshape(GpuArray *res, const GpuArray *a, unsigned int nd,
                     const size_t *newdims, ga_order ord, int nocopy) {
  shape s;
  int err = reshape_check(a, nd, newdims, ord);

  if (err != GA_NO_ERROR)
    return give_up(res, err);
  ord = ga__array_order(a, ord);
  err = reshape_shape(&s, a, nd, newdims, ord);
  if (err == GA_NO_ERROR)
    return view_with_shape(res, a, &s);
  if (nocopy)
    return give_up(res, err);

  GA_TRY(GpuArray_copy(res, a, ord));
  err = GpuArray_reshape_inplace(res, nd, newdims, ord);
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}

int GpuArray_reshape_inplace(GpuArray *a, unsigned int nd,
                             const size_t *newdims, ga_order ord) {
  shape s;

  GA_TRY(reshape_check(a, nd, newdims, ord));
  GA_TRY(reshape_shape(&s, a, nd, newdims, ga__array_order(a, ord)));
  return shape_apply(a, &s);
}

/* --- transpose --- */

static int transpose_shape(shape *s, const GpuArray *a,
                           const unsigned int *new_axes) {
  unsigned char seen[GA_ND_MAX] = {0};

  GA_TRY(ga__array_check(a));
  s->nd = a->nd;
  s->offset = a->offset;
  for (unsigned int k = 0; k < a->nd; k++) {
    unsigned int axis = new_axes ? new_axes[k] : a->nd - 1 - k;
    if (axis >= a->nd)
      return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                      axis, a->nd);
    if (seen[axis])
      return ga__fail(GA_VALUE_ERROR, "axis %u is named twice", axis);
    seen[axis] = 1;
    s->dims[k] = a->dimensions[axis];
    s->strides[k] = a->strides[axis];
  }
  return GA_NO_ERROR;
}

int GpuArray_transpose(GpuArray *res, const GpuArray *a,
                       const unsigned int *new_axes) {
  shape s;
  int err = transpose_shape(&s, a, new_axes);

  return err == GA_NO_ERROR ? view_with_shape(res, a, &s) : give_up(res, err);
}

int GpuArray_transpose_inplace(GpuArray *a, const unsigned int *new_axes) {
  shape s;

  GA_TRY(transpose_shape(&s, a, new_axes));
  return shape_apply(a, &s);
}

/* --- split --- */

static int split_check(const GpuArray *a, size_t n, const size_t *p,
                       unsigned int axis) {
  size_t last = 0;

  GA_TRY(ga__array_check(a));
  if (axis >= a->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, a->nd);
  if (n > 0 && p == NULL)
    return ga__fail(GA_VALUE_ERROR, "%zu split points, but NULL", n);
  for (size_t i = 0; i < n; i++) {
    if (p[i] < last || p[i] > a->dimensions[axis])
      return ga__fail(GA_VALUE_ERROR,
                      "split point %zu: %zu is not between %zu and %zu", i,
                      p[i], last, a->dimensions[axis]);
    last = p[i];
  }
  return GA_NO_ERROR;
}

/* Make `part` a view of the indices [from, to) of `a` along `axis`. */
static int view_part(GpuArray *part, const GpuArray *a, unsigned int axis,
                     size_t from, size_t to) {
  GA_TRY(GpuArray_view(part, a));
  part->dimensions[axis] = to - from;
  if (ga__array_total(part) > 0)
    part->offset += from * (size_t)a->strides[axis];
  GpuArray_fix_flags(part);
  return GA_NO_ERROR;
}

int GpuArray_split(GpuArray **rs, const GpuArray *a, size_t n, size_t *p,
                   unsigned int axis) {
  size_t from = 0, to;
  int err;

  for (size_t i = 0; i <= n; i++)
    memset(rs[i], 0, sizeof *rs[i]);
  GA_TRY(split_check(a, n, p, axis));
  for (size_t i = 0; i <= n; i++, from = to) {
    to = i < n ? p[i] : a->dimensions[axis];
    GA_CHECK(view_part(rs[i], a, axis, from, to));
  }

done:
  if (err != GA_NO_ERROR) {
    for (size_t i = 0; i <= n; i++)
      GpuArray_clear(rs[i]);
  }
  return err;
}

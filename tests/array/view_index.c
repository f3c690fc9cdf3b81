/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpuarray/index.h>

#include <stdlib.h>
#include <string.h>

#include "view_calls.h"

enum { TAKEN = 5 }; /* along the axis */

/* Numbers of rows along an axis: for whole rows, or for each element that is
 * taken. */
typedef struct picks {
  unsigned int axis, nd; /* of the elements that are taken */
  size_t dims[VIEW_ND], n;
  int is_each;
  int32_t *rows; /* TAKEN, or n; below 0 from the end */
  GpuArray index;
} picks;

static int has_rows(const view *v, unsigned int axis) {
  return v->a.nd > 0 && v->a.dimensions[axis] > 0;
}

static void picks_make(picks *p, const view *v, unsigned int axis,
                       int is_each) {
  const size_t rows = v->a.dimensions[axis], taken = TAKEN;

  p->axis = axis;
  p->nd = v->a.nd;
  p->is_each = is_each;
  memcpy(p->dims, v->a.dimensions, p->nd * sizeof *p->dims);
  p->dims[axis] = TAKEN;
  p->n = dims_total(p->nd, p->dims);
  size_t n = is_each ? p->n : TAKEN;
  p->rows = calloc(n + 1, sizeof *p->rows);
  for (size_t k = 0; k < n; k++)
    p->rows[k] = (int32_t)draw(rows) - (draw(2) ? (int32_t)rows : 0);
  if (is_each)
    test_array(&p->index, GA_INT, p->nd, p->dims, p->rows);
  else
    test_array(&p->index, GA_INT, 1, &taken, p->rows);
}

static void picks_drop(picks *p) {
  GpuArray_clear(&p->index);
  free(p->rows);
}

/* The element of `v` for element k of those that are taken. */
static size_t picked(const picks *p, const view *v, size_t k) {
  size_t c[VIEW_ND];

  dims_coordinates(k, p->nd, p->dims, c);
  int32_t row = p->rows[p->is_each ? k : c[p->axis]];
  c[p->axis] =
      (size_t)(row < 0 ? row + (int32_t)v->a.dimensions[p->axis] : row);
  return dims_position(v->a.nd, v->a.dimensions, c);
}

/* --- takes --- */

/* Clears the result. */
static void check_taken(GpuArray *r, const picks *p, const view *v) {
  double *want = calloc(p->n + 1, sizeof *want);

  for (size_t k = 0; k < p->n; k++)
    want[k] = view_get(v, picked(p, v, k));
  view_check_values(r, want, p->n);
  GpuArray_clear(r);
  free(want);
}

static void take1(view *v) {
  GpuArray r;
  picks p;

  if (!has_rows(v, 0))
    return;
  picks_make(&p, v, 0, 0);
  assert_ok(GpuArray_empty(&r, test_context(), v->a.typecode, p.nd, p.dims,
                           GA_C_ORDER));
  assert_ok(GpuArray_take1(&r, &v->a, &p.index, (int)draw(2)));
  check_taken(&r, &p, v);
  picks_drop(&p);
}

static void take(view *v) {
  const unsigned int axis = (unsigned int)draw(v->a.nd);
  GpuArray r;
  picks p;

  if (!has_rows(v, axis))
    return;
  picks_make(&p, v, axis, 0);
  assert_ok(GpuArray_take(&r, &v->a, &p.index, axis, (int)draw(2)));
  check_taken(&r, &p, v);
  picks_drop(&p);
}

static void gather(view *v) {
  const unsigned int axis = (unsigned int)draw(v->a.nd);
  GpuArray r;
  picks p;

  if (!has_rows(v, axis))
    return;
  picks_make(&p, v, axis, 1);
  assert_ok(GpuArray_gather(&r, &v->a, &p.index, axis, (int)draw(2)));
  check_taken(&r, &p, v);
  picks_drop(&p);
}

/* --- puts --- */

static void put_values(view *v, int is_each) {
  const unsigned int axis = (unsigned int)draw(v->a.nd);
  const ga_put_op op = draw(2) ? GA_PUT_ADD : GA_PUT_SET;
  picks p;
  view values;

  if (!has_rows(v, axis))
    return;
  picks_make(&p, v, axis, is_each);
  if (p.n > VIEW_ROOM) {
    picks_drop(&p);
    return;
  }
  view_make(&values, v->a.typecode, p.nd, p.dims);
  assert_ok((is_each ? GpuArray_scatter : GpuArray_put)(
      &v->a, &p.index, &values.a, axis, op, (int)draw(2)));
  for (size_t k = 0; k < p.n; k++) {
    const size_t i = picked(&p, v, k);

    view_set(v, i,
             view_get(&values, k) + (op == GA_PUT_ADD ? view_get(v, i) : 0));
  }
  view_check_buffer(v);
  view_drop(&values);
  picks_drop(&p);
}

static void put(view *v) {
  put_values(v, 0);
}

static void scatter(view *v) {
  put_values(v, 1);
}

/* --- the table --- */

#define ANY_TYPE                                                               \
  { GA_FLOAT, GA_UBYTE, GA_SHORT, GA_INT, GA_LONG, -1 }

const view_call view_index_calls[] = {
    {"take1", take1, 0, ANY_TYPE},
    {"take", take, 0, ANY_TYPE},
    {"gather", gather, 0, ANY_TYPE},
    {"put", put, 1, {GA_FLOAT, GA_INT, -1}},
    {"scatter", scatter, 1, {GA_FLOAT, GA_INT, -1}},
};
const size_t n_view_index_calls =
    sizeof view_index_calls / sizeof *view_index_calls;

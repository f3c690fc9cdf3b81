/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_calls.h"

#include <gpuarray/create.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/index.h>
#include <gpuarray/reduction.h>

#include <stdlib.h>
#include <string.h>

/* The elements of a view in C order; to be freed. */
static double *values_of(const view *v) {
  double *values = calloc(v->n + 1, sizeof *values);

  for (size_t i = 0; i < v->n; i++)
    values[i] = view_get(v, i);
  return values;
}

/* `r` has the values of the view in C order; clears it. */
static void check_same(GpuArray *r, const view *v) {
  double *want = values_of(v);

  view_check_values(r, want, v->n);
  GpuArray_clear(r);
  free(want);
}

/* --- copies --- */

static void copy(view *v) {
  GpuArray r;

  assert_ok(GpuArray_copy(&r, &v->a, draw(2) ? GA_C_ORDER : GA_F_ORDER));
  check_same(&r, v);
}

static void cast(view *v) {
  GpuArray r;

  assert_ok(GpuArray_cast(&r, &v->a, GA_LONG, GA_C_ORDER));
  check_same(&r, v);
}

/* Into one dimension, by way of a copy if it must be. */
static void flatten(view *v) {
  GpuArray r;

  assert_ok(GpuArray_reshape(&r, &v->a, 1, &v->n, GA_C_ORDER, 0));
  check_same(&r, v);
}

static void transfer(view *v) {
  GpuArray r;

  assert_ok(GpuArray_empty(&r, test_second_context(), v->a.typecode, v->a.nd,
                           v->a.dimensions, GA_C_ORDER));
  assert_ok(GpuArray_transfer(&r, &v->a));
  check_same(&r, v);
}

/* With a cast, from an array whose axes of size 1 repeat. */
static void assign(view *v) {
  size_t dims[VIEW_ND], c[VIEW_ND];
  view from;

  for (unsigned int d = 0; d < v->a.nd; d++)
    dims[d] = draw(3) ? v->a.dimensions[d] : 1;
  view_make(&from, draw(2) ? GA_FLOAT : v->a.typecode, v->a.nd, dims);
  assert_ok(GpuArray_setarray(&v->a, &from.a));
  for (size_t i = 0; i < v->n; i++) {
    dims_coordinates(i, v->a.nd, v->a.dimensions, c);
    for (unsigned int d = 0; d < v->a.nd; d++)
      c[d] = dims[d] == 1 ? 0 : c[d];
    view_set(v, i, view_get(&from, dims_position(v->a.nd, dims, c)));
  }
  view_check_buffer(v);
  view_drop(&from);
}

/* From a view of the same buffer: all axes backwards. */
static void assign_overlapping(view *v) {
  ssize_t starts[VIEW_ND], stops[VIEW_ND], steps[VIEW_ND];
  double *values = values_of(v);
  GpuArray back;

  for (unsigned int d = 0; d < v->a.nd; d++) {
    starts[d] = (ssize_t)v->a.dimensions[d] - 1;
    stops[d] = steps[d] = -1;
    if (v->a.dimensions[d] == 0)
      starts[d] = stops[d] = 0;
  }
  assert_ok(GpuArray_index(&back, &v->a, starts, stops, steps));
  assert_ok(GpuArray_setarray(&v->a, &back));
  for (size_t i = 0; i < v->n; i++)
    view_set(v, i, values[v->n - 1 - i]);
  view_check_buffer(v);
  GpuArray_clear(&back);
  free(values);
}

static void move_shape(view *v) {
  view flat;

  view_make(&flat, v->a.typecode, 1, &v->n);
  assert_ok(GpuArray_move(&v->a, &flat.a));
  for (size_t i = 0; i < v->n; i++)
    view_set(v, i, view_get(&flat, i));
  view_check_buffer(v);
  view_drop(&flat);
}

static void fill(view *v) {
  const float seven = 7;

  assert_ok(GpuArray_fill(&v->a, GA_FLOAT, &seven));
  for (size_t i = 0; i < v->n; i++)
    view_set(v, i, 7);
  view_check_buffer(v);
}

/* --- element by element --- */

static void add(view *v) {
  gpuelemwise_arg args[3] = {{"c", v->a.typecode, GE_WRITE | GE_READ},
                             {"a", v->a.typecode, GE_READ},
                             {"b", 0, GE_READ}};
  view a, b;
  void *call[3] = {&v->a, &a.a, &b.a};
  GpuElemwise *ge;

  view_like(&a, v, v->a.typecode);
  view_like(&b, v, draw(2) ? GA_SHORT : v->a.typecode);
  args[2].typecode = b.a.typecode;
  ge =
      GpuElemwise_new(test_context(), "", "c = c + a * b", 3, args, v->a.nd, 0);
  assert_non_null(ge);
  assert_ok(GpuElemwise_call(ge, call, 0));
  for (size_t i = 0; i < v->n; i++)
    view_set(v, i, view_get(v, i) + view_get(&a, i) * view_get(&b, i));
  view_check_buffer(v);
  GpuElemwise_free(ge);
  view_drop(&b);
  view_drop(&a);
}

static void choose(view *v) {
  double *want = values_of(v);
  view cond, y;
  GpuArray r;

  view_like(&cond, v, GA_BOOL);
  view_like(&y, v, v->a.typecode);
  assert_ok(GpuArray_where(&r, &cond.a, &v->a, &y.a));
  for (size_t i = 0; i < v->n; i++)
    want[i] = view_get(&cond, i) != 0 ? want[i] : view_get(&y, i);
  view_check_values(&r, want, v->n);
  GpuArray_clear(&r);
  free(want);
  view_drop(&y);
  view_drop(&cond);
}

/* --- reductions --- */

/* The axes of a reduction and of its result. */
typedef struct axis_set {
  unsigned int n, list[VIEW_ND]; /* reduced, in their order */
  unsigned char is_in[VIEW_ND];
  unsigned int nd; /* that are left */
  size_t dims[VIEW_ND], total;
} axis_set;

/* At least one, in a random order. */
static void draw_axes(axis_set *x, const view *v) {
  memset(x, 0, sizeof *x);
  do {
    const size_t d = draw(v->a.nd);

    if (!x->is_in[d])
      x->list[x->n++] = (unsigned int)d;
    x->is_in[d] = 1;
  } while (draw(3));
  for (unsigned int d = 0; d < v->a.nd; d++) {
    if (!x->is_in[d])
      x->dims[x->nd++] = v->a.dimensions[d];
  }
  x->total = dims_total(x->nd, x->dims);
}

/* Where element i goes, and its position along the axes in their order. */
static size_t result_of(const view *v, const axis_set *x, size_t i) {
  size_t c[VIEW_ND], at = 0;

  dims_coordinates(i, v->a.nd, v->a.dimensions, c);
  for (unsigned int d = 0; d < v->a.nd; d++) {
    if (!x->is_in[d])
      at = at * v->a.dimensions[d] + c[d];
  }
  return at;
}

static size_t place_of(const view *v, const axis_set *x, size_t i) {
  size_t c[VIEW_ND], at = 0;

  dims_coordinates(i, v->a.nd, v->a.dimensions, c);
  for (unsigned int k = 0; k < x->n; k++)
    at = at * v->a.dimensions[x->list[k]] + c[x->list[k]];
  return at;
}

static void reduce(view *v) {
  const ga_reduce_op op = v->n == 0 || draw(2) ? GA_REDUCE_SUM : GA_REDUCE_MAX;
  double *want;
  GpuArray r;
  axis_set x;

  if (v->a.nd == 0)
    return;
  draw_axes(&x, v);
  want = calloc(x.total + 1, sizeof *want); /* no element is below 0 */
  for (size_t i = 0; i < v->n; i++) {
    double *w = &want[result_of(v, &x, i)];

    *w = op == GA_REDUCE_SUM   ? *w + view_get(v, i)
         : *w > view_get(v, i) ? *w
                               : view_get(v, i);
  }
  assert_ok(
      GpuArray_reduction(&r, &v->a, op, x.n, x.list, (int)draw(2), -1, -1));
  view_check_values(&r, want, x.total);
  GpuArray_clear(&r);
  free(want);
}

static void find_most(view *v) {
  double *most, *at;
  GpuArray m, p;
  axis_set x;

  if (v->a.nd == 0 || v->n == 0)
    return;
  draw_axes(&x, v);
  most = calloc(x.total, sizeof *most);
  at = calloc(x.total, sizeof *at);
  for (size_t k = 0; k < x.total; k++)
    most[k] = -1;
  for (size_t i = 0; i < v->n; i++) {
    const size_t k = result_of(v, &x, i);
    const double value = view_get(v, i), where = (double)place_of(v, &x, i);

    if (value > most[k] || (value == most[k] && where < at[k])) {
      most[k] = value;
      at[k] = where;
    }
  }
  assert_ok(GpuArray_empty(&m, test_context(), v->a.typecode, x.nd, x.dims,
                           GA_F_ORDER));
  assert_ok(
      GpuArray_empty(&p, test_context(), GA_LONG, x.nd, x.dims, GA_C_ORDER));
  assert_ok(GpuArray_maxandargmax(&m, &p, &v->a, x.n, x.list));
  view_check_values(&m, most, x.total);
  view_check_values(&p, at, x.total);
  GpuArray_clear(&m);
  GpuArray_clear(&p);
  free(most);
  free(at);
}

/* --- parts --- */

/* Split in two, joined the other way round. */
static void split_and_join(view *v) {
  view parts[2];
  GpuArray *list[2] = {&parts[0].a, &parts[1].a}, r;
  const GpuArray *swapped[2] = {&parts[1].a, &parts[0].a};
  view_axis axes[2][VIEW_ND];
  double *want;
  size_t rows = 1, n = 0;

  if (v->a.nd == 0)
    return;
  unsigned int along = (unsigned int)draw(v->a.nd);
  size_t at = draw(v->a.dimensions[along] + 1);
  assert_ok(GpuArray_split(list, &v->a, 1, &at, along));
  for (int k = 0; k < 2; k++) {
    for (unsigned int d = 0; d < v->a.nd; d++)
      axes[k][d] = (view_axis){(int)d, k && d == along ? (ssize_t)at : 0, 1};
    view_remap(&parts[k], v, axes[k]);
    view_check_places(&parts[k]);
  }
  assert_ok(GpuArray_concatenate(&r, swapped, 2, along, v->a.typecode));
  for (unsigned int d = 0; d < along; d++)
    rows *= v->a.dimensions[d];
  want = calloc(v->n + 1, sizeof *want);
  for (size_t row = 0; v->n > 0 && row < rows; row++) {
    for (int k = 1; k >= 0; k--) {
      for (size_t i = 0; i < parts[k].n / rows; i++)
        want[n++] = view_get(&parts[k], row * (parts[k].n / rows) + i);
    }
  }
  view_check_values(&r, want, v->n);
  GpuArray_clear(&r);
  GpuArray_clear(&parts[0].a);
  GpuArray_clear(&parts[1].a);
  free(want);
}

/* --- the table --- */

#define ANY_TYPE                                                               \
  { GA_FLOAT, GA_UBYTE, GA_SHORT, GA_INT, GA_LONG, -1 }

const view_call view_calls[] = {
    {"copy", copy, 0, ANY_TYPE},
    {"assign", assign, 1, ANY_TYPE},
    {"assign_overlapping", assign_overlapping, 1, ANY_TYPE},
    {"move_shape", move_shape, 1, ANY_TYPE},
    {"add", add, 1, {GA_FLOAT, GA_INT, GA_HALF, -1}},
    {"reduce", reduce, 0, {GA_FLOAT, GA_INT, -1}},
    {"find_most", find_most, 0, {GA_FLOAT, -1}},
    {"split_and_join", split_and_join, 0, ANY_TYPE},
    {"cast", cast, 0, {GA_FLOAT, -1}},
    {"flatten", flatten, 0, ANY_TYPE},
    {"transfer", transfer, 0, ANY_TYPE},
    {"fill", fill, 1, {GA_FLOAT, -1}},
    {"choose", choose, 0, {GA_FLOAT, -1}},
};
const size_t n_view_calls = sizeof view_calls / sizeof *view_calls;

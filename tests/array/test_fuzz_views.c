/* SPDX-License-Identifier: BSD-2-Clause */
/* Random views of random arrays, and what is done with them, against a model
 * (view_model.h). After each call the whole buffer must be what the model is.
 * GPUGRAPH_FUZZ_SEED is where the numbers start, GPUGRAPH_FUZZ_SECONDS how long
 * each mapping of kernels is tried. */
#include "view_model.h"

#include <gpuarray/elemwise.h>
#include <gpuarray/reduction.h>

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { TRIALS = 400 };

/* A new array has these values in C order. */
static void check_values(const GpuArray *a, const double *want, size_t n) {
  char *got = malloc(n * GpuArray_ITEMSIZE(a) + 1);

  assert_int_equal(test_size(a), n);
  test_gather(a, got);
  for (size_t i = 0; i < n; i++) {
    if (test_get(got, a->typecode, i) != want[i])
      fail_msg("element %zu of %zu: %g, expected %g", i, n,
               test_get(got, a->typecode, i), want[i]);
  }
  free(got);
}

/* --- what is done with them --- */

static const int types[] = {GA_UBYTE, GA_SHORT, GA_INT, GA_FLOAT, GA_LONG};

static int random_type(void) {
  return types[draw(sizeof types / sizeof *types)];
}

static void copy(void) {
  double *want;
  GpuArray r;
  view v;

  view_random(&v, random_type(), 1);
  want = calloc(v.n + 1, sizeof *want);
  for (size_t i = 0; i < v.n; i++)
    want[i] = view_get(&v, i);
  assert_ok(GpuArray_copy(&r, &v.a, draw(2) ? GA_C_ORDER : GA_F_ORDER));
  check_values(&r, want, v.n);
  GpuArray_clear(&r);
  free(want);
  view_drop(&v);
}

/* With a cast, from an array whose axes of size 1 repeat. */
static void assign(void) {
  size_t dims[VIEW_ND], c[VIEW_ND];
  view v, from;

  view_random(&v, random_type(), 0);
  for (unsigned int d = 0; d < v.a.nd; d++)
    dims[d] = draw(3) ? v.a.dimensions[d] : 1;
  view_make(&from, draw(2) ? GA_FLOAT : v.a.typecode, v.a.nd, dims);
  assert_ok(GpuArray_setarray(&v.a, &from.a));
  for (size_t i = 0; i < v.n; i++) {
    dims_coordinates(i, v.a.nd, v.a.dimensions, c);
    for (unsigned int d = 0; d < v.a.nd; d++)
      c[d] = dims[d] == 1 ? 0 : c[d];
    view_set(&v, i, view_get(&from, dims_position(v.a.nd, dims, c)));
  }
  view_check_buffer(&v);
  view_drop(&from);
  view_drop(&v);
}

/* From a view of the same buffer: all axes backwards. */
static void assign_overlapping(void) {
  ssize_t starts[VIEW_ND], stops[VIEW_ND], steps[VIEW_ND];
  double *values;
  GpuArray back;
  view v;

  view_random(&v, random_type(), 0);
  for (unsigned int d = 0; d < v.a.nd; d++) {
    starts[d] = (ssize_t)v.a.dimensions[d] - 1;
    stops[d] = steps[d] = -1;
    if (v.a.dimensions[d] == 0)
      starts[d] = stops[d] = 0;
  }
  values = calloc(v.n + 1, sizeof *values);
  for (size_t i = 0; i < v.n; i++)
    values[i] = view_get(&v, v.n - 1 - i);
  assert_ok(GpuArray_index(&back, &v.a, starts, stops, steps));
  assert_ok(GpuArray_setarray(&v.a, &back));
  for (size_t i = 0; i < v.n; i++)
    view_set(&v, i, values[i]);
  view_check_buffer(&v);
  GpuArray_clear(&back);
  free(values);
  view_drop(&v);
}

static void move_shape(void) {
  view v, flat;
  size_t n;

  view_random(&v, random_type(), 0);
  n = v.n;
  view_make(&flat, v.a.typecode, 1, &n);
  assert_ok(GpuArray_move(&v.a, &flat.a));
  for (size_t i = 0; i < n; i++)
    view_set(&v, i, view_get(&flat, i));
  view_check_buffer(&v);
  view_drop(&flat);
  view_drop(&v);
}

static void add(void) {
  gpuelemwise_arg args[3] = {
      {"c", 0, GE_WRITE | GE_READ}, {"a", 0, GE_READ}, {"b", 0, GE_READ}};
  view c, a, b;
  void *call[3] = {&c.a, &a.a, &b.a};
  GpuElemwise *ge;

  view_random(&c, draw(3) ? draw(2) ? GA_FLOAT : GA_INT : GA_HALF, 0);
  view_like(&a, &c, c.a.typecode);
  view_like(&b, &c, draw(2) ? GA_SHORT : c.a.typecode);
  args[0].typecode = args[1].typecode = c.a.typecode;
  args[2].typecode = b.a.typecode;
  ge = GpuElemwise_new(test_context(), "", "c = c + a * b", 3, args, c.a.nd, 0);
  assert_non_null(ge);
  assert_ok(GpuElemwise_call(ge, call, 0));
  for (size_t i = 0; i < c.n; i++)
    view_set(&c, i, view_get(&c, i) + view_get(&a, i) * view_get(&b, i));
  view_check_buffer(&c);
  GpuElemwise_free(ge);
  view_drop(&b);
  view_drop(&a);
  view_drop(&c);
}

/* The sizes of a reduction's result, and for element i of the source where it
 * goes. */
static unsigned int kept_dims(const view *v, const unsigned char *reduced,
                              size_t *dims) {
  unsigned int n = 0;

  for (unsigned int d = 0; d < v->a.nd; d++) {
    if (!reduced[d])
      dims[n++] = v->a.dimensions[d];
  }
  return n;
}

static size_t result_of(const view *v, const unsigned char *reduced, size_t i) {
  size_t c[VIEW_ND], at = 0;

  dims_coordinates(i, v->a.nd, v->a.dimensions, c);
  for (unsigned int d = 0; d < v->a.nd; d++) {
    if (!reduced[d])
      at = at * v->a.dimensions[d] + c[d];
  }
  return at;
}

/* At least one axis, in a random order. */
static unsigned int random_axes(unsigned int nd, unsigned int *axes,
                                unsigned char *reduced) {
  unsigned int n = 0;

  memset(reduced, 0, VIEW_ND);
  do {
    const size_t d = draw(nd);

    if (!reduced[d])
      axes[n++] = (unsigned int)d;
    reduced[d] = 1;
  } while (draw(2));
  return n;
}

static void reduce(void) {
  const ga_reduce_op op = draw(2) ? GA_REDUCE_SUM : GA_REDUCE_MAX;
  unsigned char reduced[VIEW_ND];
  unsigned int axes[VIEW_ND], n;
  size_t dims[VIEW_ND], n_out;
  double *want;
  GpuArray r;
  view v;

  view_random(&v, draw(2) ? GA_FLOAT : GA_INT, 1);
  if (v.a.nd > 0 && v.n > 0) {
    n = random_axes(v.a.nd, axes, reduced);
    n_out = dims_total(kept_dims(&v, reduced, dims), dims);
    want = calloc(n_out, sizeof *want); /* no element is below 0 */
    for (size_t i = 0; i < v.n; i++) {
      double *w = &want[result_of(&v, reduced, i)];

      *w = op == GA_REDUCE_SUM    ? *w + view_get(&v, i)
           : *w > view_get(&v, i) ? *w
                                  : view_get(&v, i);
    }
    assert_ok(GpuArray_reduction(&r, &v.a, op, n, axes, (int)draw(2), -1, -1));
    check_values(&r, want, n_out);
    GpuArray_clear(&r);
    free(want);
  }
  view_drop(&v);
}

/* The position along the axes in their order. */
static size_t place_of(const view *v, const unsigned int *axes, unsigned int n,
                       size_t i) {
  size_t c[VIEW_ND], at = 0;

  dims_coordinates(i, v->a.nd, v->a.dimensions, c);
  for (unsigned int k = 0; k < n; k++)
    at = at * v->a.dimensions[axes[k]] + c[axes[k]];
  return at;
}

static void find_most(void) {
  unsigned char reduced[VIEW_ND];
  unsigned int axes[VIEW_ND], n, nd;
  size_t dims[VIEW_ND], n_out;
  double *most, *at;
  GpuArray m, p;
  view v;

  view_random(&v, GA_FLOAT, 1);
  if (v.a.nd > 0 && v.n > 0) {
    n = random_axes(v.a.nd, axes, reduced);
    nd = kept_dims(&v, reduced, dims);
    n_out = dims_total(nd, dims);
    most = calloc(n_out, sizeof *most);
    at = calloc(n_out, sizeof *at);
    for (size_t k = 0; k < n_out; k++)
      most[k] = -1;
    for (size_t i = 0; i < v.n; i++) {
      const size_t k = result_of(&v, reduced, i);
      const double where = (double)place_of(&v, axes, n, i);

      if (view_get(&v, i) > most[k] ||
          (view_get(&v, i) == most[k] && where < at[k])) {
        most[k] = view_get(&v, i);
        at[k] = where;
      }
    }
    assert_ok(
        GpuArray_empty(&m, test_context(), GA_FLOAT, nd, dims, GA_F_ORDER));
    assert_ok(
        GpuArray_empty(&p, test_context(), GA_LONG, nd, dims, GA_C_ORDER));
    assert_ok(GpuArray_maxandargmax(&m, &p, &v.a, n, axes));
    check_values(&m, most, n_out);
    check_values(&p, at, n_out);
    GpuArray_clear(&m);
    GpuArray_clear(&p);
    free(most);
    free(at);
  }
  view_drop(&v);
}

/* Split in two, joined the other way round. */
static void split_and_join(void) {
  view v, parts[2];
  GpuArray *list[2] = {&parts[0].a, &parts[1].a}, r;
  const GpuArray *swapped[2] = {&parts[1].a, &parts[0].a};
  view_axis axes[2][VIEW_ND];
  double *want;
  size_t at, rows = 1, n = 0;

  view_random(&v, random_type(), 1);
  if (v.a.nd > 0) {
    const unsigned int along = (unsigned int)draw(v.a.nd);

    at = draw(v.a.dimensions[along] + 1);
    assert_ok(GpuArray_split(list, &v.a, 1, &at, along));
    for (int k = 0; k < 2; k++) {
      for (unsigned int d = 0; d < v.a.nd; d++)
        axes[k][d] = (view_axis){(int)d, k && d == along ? (ssize_t)at : 0, 1};
      view_remap(&parts[k], &v, axes[k]);
      view_check_places(&parts[k]);
    }
    assert_ok(GpuArray_concatenate(&r, swapped, 2, along, v.a.typecode));
    for (unsigned int d = 0; d < along; d++)
      rows *= v.a.dimensions[d];
    want = calloc(v.n + 1, sizeof *want);
    for (size_t row = 0; v.n > 0 && row < rows; row++) {
      for (int k = 1; k >= 0; k--) {
        for (size_t i = 0; i < parts[k].n / rows; i++)
          want[n++] = view_get(&parts[k], row * (parts[k].n / rows) + i);
      }
    }
    check_values(&r, want, v.n);
    GpuArray_clear(&r);
    GpuArray_clear(&parts[0].a);
    GpuArray_clear(&parts[1].a);
    free(want);
  }
  view_drop(&v);
}

static void take(void) {
  enum { TAKEN = 5 };
  const size_t n = TAKEN;
  size_t dims[VIEW_ND], row;
  int32_t rows[TAKEN];
  double *want;
  GpuArray i, r;
  view v;

  view_random(&v, random_type(), 1);
  if (v.a.nd > 0 && v.a.dimensions[0] > 0) {
    memcpy(dims, v.a.dimensions, v.a.nd * sizeof *dims);
    dims[0] = TAKEN;
    row = v.n / v.a.dimensions[0];
    want = calloc(TAKEN * row + 1, sizeof *want);
    for (size_t k = 0; k < TAKEN; k++) {
      const size_t from = draw(v.a.dimensions[0]);

      rows[k] = (int32_t)from - (draw(2) ? (int32_t)v.a.dimensions[0] : 0);
      for (size_t j = 0; j < row; j++)
        want[k * row + j] = view_get(&v, from * row + j);
    }
    test_array(&i, GA_INT, 1, &n, rows);
    assert_ok(GpuArray_empty(&r, test_context(), v.a.typecode, v.a.nd, dims,
                             GA_C_ORDER));
    assert_ok(GpuArray_take1(&r, &v.a, &i, (int)draw(2)));
    check_values(&r, want, TAKEN * row);
    GpuArray_clear(&r);
    GpuArray_clear(&i);
    free(want);
  }
  view_drop(&v);
}

/* --- all of it --- */

static size_t from_environment(const char *name, size_t otherwise) {
  const char *text = getenv(name);

  return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

static void try_all(void) {
  static void (*const calls[])(void) = {
      copy,   assign,    assign_overlapping, move_shape, add,
      reduce, find_most, split_and_join,     take};
  const size_t n_calls = sizeof calls / sizeof *calls;
  const size_t seed = from_environment("GPUGRAPH_FUZZ_SEED", 1);
  const size_t seconds = from_environment("GPUGRAPH_FUZZ_SECONDS", 15);
  const uint64_t end = ga__now_ns() + seconds * UINT64_C(1000000000);
  size_t k = 0;

  do {
    draw_from((seed + k) * UINT64_C(0x9E3779B97F4A7C15));
    calls[k % n_calls]();
    k++;
  } while (k < n_calls || (k < TRIALS && ga__now_ns() < end));
  print_message("%zu trials from seed %zu\n", k, seed);
}

static void test_views(void **state) {
  (void)state;
  test_mappings(try_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_views),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

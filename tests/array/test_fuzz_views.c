/* SPDX-License-Identifier: BSD-2-Clause */
/* Random views of random arrays, and what is done with them, against a model:
 * for every view the list of the places of its elements in the buffer, in C
 * order, and for every buffer its bytes. After each call the whole buffer must
 * be what the model is. GPUGRAPH_FUZZ_SEED is where the numbers start,
 * GPUGRAPH_FUZZ_SECONDS how long each mapping of kernels is tried. */
#include "support/device.h"

#include <gpuarray/elemwise.h>
#include <gpuarray/reduction.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dtype.h"

enum { ND = 8, MOST = 1500, TRIALS = 400 };

typedef struct view {
  GpuArray a;
  unsigned char *host; /* the model of the buffer, shared by its views */
  size_t bytes;        /* of it */
  size_t n, at[MOST];  /* places of the elements, in bytes */
} view;

static uint64_t rng;

static size_t below(size_t n) {
  rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return n == 0 ? 0 : (size_t)(rng >> 33) % n;
}

/* --- places --- */

static size_t total(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

static void coordinates(size_t i, unsigned int nd, const size_t *dims,
                        size_t *c) {
  for (unsigned int d = nd; d-- > 0; i /= dims[d])
    c[d] = i % dims[d];
}

static size_t position(unsigned int nd, const size_t *dims, const size_t *c) {
  size_t i = 0;

  for (unsigned int d = 0; d < nd; d++)
    i = i * dims[d] + c[d];
  return i;
}

/* Where an axis of the old view gets its coordinate: start + step * that of
 * axis `from` of the new one; -1: start alone. */
typedef struct axis {
  int from;
  ssize_t start, step;
} axis;

/* The places of a new view with the sizes of `to`, out of those of `v`. */
static void remap(view *to, const view *v, const axis *axes) {
  size_t c[ND], old[ND];

  to->host = v->host;
  to->bytes = v->bytes;
  to->n = total(to->a.nd, to->a.dimensions);
  assert_true(to->n <= MOST);
  for (size_t i = 0; i < to->n; i++) {
    coordinates(i, to->a.nd, to->a.dimensions, c);
    for (unsigned int d = 0; d < v->a.nd; d++) {
      ssize_t at = axes[d].from < 0 ? 0 : (ssize_t)c[axes[d].from];
      old[d] = (size_t)(axes[d].start + axes[d].step * at);
    }
    to->at[i] = v->at[position(v->a.nd, v->a.dimensions, old)];
  }
}

/* What strides and offset say is what the model says; flags fit. */
static void check_places(const view *v) {
  const size_t size = GpuArray_ITEMSIZE(&v->a);
  int is_plain = 1;
  size_t c[ND];

  assert_int_equal(total(v->a.nd, v->a.dimensions), v->n);
  assert_true(v->a.offset <= v->bytes);
  for (size_t i = 0; i < v->n; i++) {
    size_t at = v->a.offset;

    coordinates(i, v->a.nd, v->a.dimensions, c);
    for (unsigned int d = 0; d < v->a.nd; d++)
      at += c[d] * (size_t)v->a.strides[d];
    assert_int_equal(at, v->at[i]);
    is_plain &= v->at[i] == v->at[0] + i * size;
  }
  assert_int_equal(GpuArray_IS_C_CONTIGUOUS(&v->a), is_plain);
}

/* --- contents --- */

static double get(const view *v, size_t i) {
  return test_get(v->host + v->at[i], v->a.typecode, 0);
}

static void set(view *v, size_t i, double value) {
  test_set(v->host + v->at[i], v->a.typecode, 0, value);
}

static void check_buffer(const view *v) {
  unsigned char *got = malloc(v->bytes + 1);

  assert_ok(gpudata_read(got, v->a.data, 0, v->bytes));
  assert_memory_equal(got, v->host, v->bytes);
  free(got);
}

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

/* --- making views --- */

static void random_dims(unsigned int nd, size_t *dims) {
  const size_t most = nd <= 2 ? 33 : nd <= 3 ? 9 : nd <= 5 ? 3 : 2;

  for (unsigned int d = 0; d < nd; d++)
    dims[d] = below(12) == 0 ? below(2) : 1 + below(most);
}

/* Small whole numbers, exact in every type and sum. */
static void make_base(view *v, int typecode, unsigned int nd,
                      const size_t *dims) {
  size_t size, total_bytes;
  axis axes[ND];
  view flat;

  assert_ok(GpuArray_empty(&v->a, test_context(), typecode, nd, dims,
                           below(2) ? GA_F_ORDER : GA_C_ORDER));
  size = GpuArray_ITEMSIZE(&v->a);
  v->n = total(nd, dims);
  total_bytes = v->n * size;
  v->bytes = total_bytes;
  v->host = calloc(total_bytes + 1, 1);
  for (size_t i = 0; i < v->n; i++)
    test_set(v->host, typecode, i, (double)below(typecode == GA_BOOL ? 2 : 9));
  assert_ok(GpuArray_write(&v->a, v->host, total_bytes));
  /* In Fortran order the places are those of the reversed sizes. */
  flat = *v;
  for (size_t i = 0; i < v->n; i++)
    flat.at[i] = v->at[i] = i * size;
  if (!GpuArray_IS_C_CONTIGUOUS(&v->a)) {
    size_t reversed[ND];

    for (unsigned int d = 0; d < nd; d++) {
      reversed[d] = dims[nd - 1 - d];
      axes[d] = (axis){(int)(nd - 1 - d), 0, 1};
    }
    flat.a.dimensions = reversed;
    remap(v, &flat, axes);
  }
}

/* Replace *v by `next`, which has been made of it. */
static void step_to(view *v, view *next) {
  GpuArray_clear(&v->a);
  *v = *next;
  check_places(v);
}

static void slice(view *v) {
  ssize_t starts[ND], stops[ND], steps[ND];
  axis axes[ND];
  view next;
  int n = 0;

  for (unsigned int d = 0; d < v->a.nd; d++) {
    const ssize_t dim = (ssize_t)v->a.dimensions[d];
    ssize_t low = (ssize_t)below((size_t)dim + 1);
    ssize_t high = low + (ssize_t)below((size_t)(dim - low) + 1);

    steps[d] = (ssize_t)below(4) + 1;
    starts[d] = low, stops[d] = high;
    if (below(3) == 0) { /* everything */
      starts[d] = 0, stops[d] = dim, steps[d] = 1;
    } else if (below(3) == 0 && dim > 0) { /* backwards */
      starts[d] = high > 0 ? high - 1 : 0;
      stops[d] = high > 0 ? low - 1 : 0;
      steps[d] = -steps[d];
    } else if (below(4) == 0 && dim > 0) { /* one of them */
      starts[d] = low < dim ? low : dim - 1;
      steps[d] = 0;
    }
    axes[d] = (axis){steps[d] == 0 ? -1 : n++, starts[d], steps[d]};
  }
  assert_ok(GpuArray_index(&next.a, &v->a, starts, stops, steps));
  assert_int_equal(next.a.nd, n);
  remap(&next, v, axes);
  step_to(v, &next);
}

static void turn(view *v) {
  unsigned int order[ND];
  axis axes[ND];
  view next;

  for (unsigned int d = 0; d < v->a.nd; d++) {
    const size_t other = below(d + 1);

    order[d] = d;
    order[d] = order[other];
    order[other] = d;
  }
  for (unsigned int d = 0; d < v->a.nd; d++)
    axes[order[d]] = (axis){(int)d, 0, 1};
  assert_ok(GpuArray_transpose(&next.a, &v->a, order));
  remap(&next, v, axes);
  step_to(v, &next);
}

/* Two axes become one or one becomes two; that may need a copy. */
static void reshape(view *v) {
  size_t dims[ND];
  unsigned int nd = v->a.nd;
  view next = *v;
  int err;

  if (nd == 0)
    return;
  memcpy(dims, v->a.dimensions, nd * sizeof *dims);
  if (nd > 1 && below(2)) {
    const size_t d = below(nd - 1);

    dims[d] *= dims[d + 1];
    memmove(dims + d + 1, dims + d + 2, (nd - d - 2) * sizeof *dims);
    nd--;
  } else if (nd < ND && dims[nd - 1] % 2 == 0) {
    dims[nd - 1] /= 2;
    dims[nd++] = 2;
  }
  err = GpuArray_reshape(&next.a, &v->a, nd, dims, GA_C_ORDER, 1);
  if (err == GA_COPY_ERROR)
    return;
  assert_ok(err);
  step_to(v, &next);
}

/* A new axis along which elements repeat; such a view is for reading. */
static void repeat(view *v) {
  size_t dims[ND];
  ssize_t strides[ND];
  axis axes[ND];
  const unsigned int where = (unsigned int)below(v->a.nd + 1);
  unsigned int n = 0;
  view next;

  if (v->a.nd == ND || v->n * 3 > MOST)
    return;
  for (unsigned int d = 0; d <= v->a.nd; d++) {
    if (d == where) {
      dims[n] = 1 + below(3);
      strides[n++] = 0;
    }
    if (d == v->a.nd)
      break;
    axes[d] = (axis){(int)n, 0, 1};
    dims[n] = v->a.dimensions[d];
    strides[n++] = v->a.strides[d];
  }
  assert_ok(GpuArray_fromdata(&next.a, v->a.data, v->a.offset, v->a.typecode, n,
                              dims, strides, 1));
  remap(&next, v, axes);
  step_to(v, &next);
}

static void random_view(view *v, int typecode, int repeats) {
  const unsigned int nd = (unsigned int)below(ND + 1);
  size_t dims[ND];

  do
    random_dims(nd, dims);
  while (total(nd, dims) > MOST);
  make_base(v, typecode, nd, dims);
  for (size_t k = below(4); k > 0; k--) {
    switch (below(repeats ? 4 : 3)) {
    case 0:
      slice(v);
      break;
    case 1:
      turn(v);
      break;
    case 2:
      reshape(v);
      break;
    default:
      repeat(v);
    }
  }
}

/* A view of another array with the sizes of `v`. */
static void view_like(view *like, const view *v, int typecode) {
  size_t dims[ND];

  if (v->a.nd > 0)
    memcpy(dims, v->a.dimensions, v->a.nd * sizeof *dims);
  make_base(like, typecode, v->a.nd, dims);
}

static void drop(view *v) {
  GpuArray_clear(&v->a);
  free(v->host);
}

/* --- what is done with them --- */

static const int types[] = {GA_UBYTE, GA_SHORT, GA_INT, GA_FLOAT, GA_LONG};

static int random_type(void) {
  return types[below(sizeof types / sizeof *types)];
}

static void copy(void) {
  double *want;
  GpuArray r;
  view v;

  random_view(&v, random_type(), 1);
  want = calloc(v.n + 1, sizeof *want);
  for (size_t i = 0; i < v.n; i++)
    want[i] = get(&v, i);
  assert_ok(GpuArray_copy(&r, &v.a, below(2) ? GA_C_ORDER : GA_F_ORDER));
  check_values(&r, want, v.n);
  GpuArray_clear(&r);
  free(want);
  drop(&v);
}

/* With a cast, from an array whose axes of size 1 repeat. */
static void assign(void) {
  size_t dims[ND], c[ND];
  view v, from;

  random_view(&v, random_type(), 0);
  for (unsigned int d = 0; d < v.a.nd; d++)
    dims[d] = below(3) ? v.a.dimensions[d] : 1;
  make_base(&from, below(2) ? GA_FLOAT : v.a.typecode, v.a.nd, dims);
  assert_ok(GpuArray_setarray(&v.a, &from.a));
  for (size_t i = 0; i < v.n; i++) {
    coordinates(i, v.a.nd, v.a.dimensions, c);
    for (unsigned int d = 0; d < v.a.nd; d++)
      c[d] = dims[d] == 1 ? 0 : c[d];
    set(&v, i, get(&from, position(v.a.nd, dims, c)));
  }
  check_buffer(&v);
  drop(&from);
  drop(&v);
}

/* From a view of the same buffer: all axes backwards. */
static void assign_overlapping(void) {
  ssize_t starts[ND], stops[ND], steps[ND];
  double *values;
  GpuArray back;
  view v;

  random_view(&v, random_type(), 0);
  for (unsigned int d = 0; d < v.a.nd; d++) {
    starts[d] = (ssize_t)v.a.dimensions[d] - 1;
    stops[d] = steps[d] = -1;
    if (v.a.dimensions[d] == 0)
      starts[d] = stops[d] = 0;
  }
  values = calloc(v.n + 1, sizeof *values);
  for (size_t i = 0; i < v.n; i++)
    values[i] = get(&v, v.n - 1 - i);
  assert_ok(GpuArray_index(&back, &v.a, starts, stops, steps));
  assert_ok(GpuArray_setarray(&v.a, &back));
  for (size_t i = 0; i < v.n; i++)
    set(&v, i, values[i]);
  check_buffer(&v);
  GpuArray_clear(&back);
  free(values);
  drop(&v);
}

static void move_shape(void) {
  view v, flat;
  size_t n;

  random_view(&v, random_type(), 0);
  n = v.n;
  make_base(&flat, v.a.typecode, 1, &n);
  assert_ok(GpuArray_move(&v.a, &flat.a));
  for (size_t i = 0; i < n; i++)
    set(&v, i, get(&flat, i));
  check_buffer(&v);
  drop(&flat);
  drop(&v);
}

static void add(void) {
  gpuelemwise_arg args[3] = {
      {"c", 0, GE_WRITE | GE_READ}, {"a", 0, GE_READ}, {"b", 0, GE_READ}};
  view c, a, b;
  void *call[3] = {&c.a, &a.a, &b.a};
  GpuElemwise *ge;

  random_view(&c, below(3) ? below(2) ? GA_FLOAT : GA_INT : GA_HALF, 0);
  view_like(&a, &c, c.a.typecode);
  view_like(&b, &c, below(2) ? GA_SHORT : c.a.typecode);
  args[0].typecode = args[1].typecode = c.a.typecode;
  args[2].typecode = b.a.typecode;
  ge = GpuElemwise_new(test_context(), "", "c = c + a * b", 3, args, c.a.nd, 0);
  assert_non_null(ge);
  assert_ok(GpuElemwise_call(ge, call, 0));
  for (size_t i = 0; i < c.n; i++)
    set(&c, i, get(&c, i) + get(&a, i) * get(&b, i));
  check_buffer(&c);
  GpuElemwise_free(ge);
  drop(&b);
  drop(&a);
  drop(&c);
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
  size_t c[ND], at = 0;

  coordinates(i, v->a.nd, v->a.dimensions, c);
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

  memset(reduced, 0, ND);
  do {
    const size_t d = below(nd);

    if (!reduced[d])
      axes[n++] = (unsigned int)d;
    reduced[d] = 1;
  } while (below(2));
  return n;
}

static void reduce(void) {
  const ga_reduce_op op = below(2) ? GA_REDUCE_SUM : GA_REDUCE_MAX;
  unsigned char reduced[ND];
  unsigned int axes[ND], n;
  size_t dims[ND], n_out;
  double *want;
  GpuArray r;
  view v;

  random_view(&v, below(2) ? GA_FLOAT : GA_INT, 1);
  if (v.a.nd > 0 && v.n > 0) {
    n = random_axes(v.a.nd, axes, reduced);
    n_out = total(kept_dims(&v, reduced, dims), dims);
    want = calloc(n_out, sizeof *want); /* no element is below 0 */
    for (size_t i = 0; i < v.n; i++) {
      double *w = &want[result_of(&v, reduced, i)];

      *w = op == GA_REDUCE_SUM ? *w + get(&v, i)
           : *w > get(&v, i)   ? *w
                               : get(&v, i);
    }
    assert_ok(GpuArray_reduction(&r, &v.a, op, n, axes, (int)below(2), -1, -1));
    check_values(&r, want, n_out);
    GpuArray_clear(&r);
    free(want);
  }
  drop(&v);
}

/* The position along the axes in their order. */
static size_t place_of(const view *v, const unsigned int *axes, unsigned int n,
                       size_t i) {
  size_t c[ND], at = 0;

  coordinates(i, v->a.nd, v->a.dimensions, c);
  for (unsigned int k = 0; k < n; k++)
    at = at * v->a.dimensions[axes[k]] + c[axes[k]];
  return at;
}

static void find_most(void) {
  unsigned char reduced[ND];
  unsigned int axes[ND], n, nd;
  size_t dims[ND], n_out;
  double *most, *at;
  GpuArray m, p;
  view v;

  random_view(&v, GA_FLOAT, 1);
  if (v.a.nd > 0 && v.n > 0) {
    n = random_axes(v.a.nd, axes, reduced);
    nd = kept_dims(&v, reduced, dims);
    n_out = total(nd, dims);
    most = calloc(n_out, sizeof *most);
    at = calloc(n_out, sizeof *at);
    for (size_t k = 0; k < n_out; k++)
      most[k] = -1;
    for (size_t i = 0; i < v.n; i++) {
      const size_t k = result_of(&v, reduced, i);
      const double where = (double)place_of(&v, axes, n, i);

      if (get(&v, i) > most[k] || (get(&v, i) == most[k] && where < at[k])) {
        most[k] = get(&v, i);
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
  drop(&v);
}

/* Split in two, joined the other way round. */
static void split_and_join(void) {
  view v, parts[2];
  GpuArray *list[2] = {&parts[0].a, &parts[1].a}, r;
  const GpuArray *swapped[2] = {&parts[1].a, &parts[0].a};
  axis axes[2][ND];
  double *want;
  size_t at, rows = 1, n = 0;

  random_view(&v, random_type(), 1);
  if (v.a.nd > 0) {
    const unsigned int along = (unsigned int)below(v.a.nd);

    at = below(v.a.dimensions[along] + 1);
    assert_ok(GpuArray_split(list, &v.a, 1, &at, along));
    for (int k = 0; k < 2; k++) {
      for (unsigned int d = 0; d < v.a.nd; d++)
        axes[k][d] = (axis){(int)d, k && d == along ? (ssize_t)at : 0, 1};
      remap(&parts[k], &v, axes[k]);
      check_places(&parts[k]);
    }
    assert_ok(GpuArray_concatenate(&r, swapped, 2, along, v.a.typecode));
    for (unsigned int d = 0; d < along; d++)
      rows *= v.a.dimensions[d];
    want = calloc(v.n + 1, sizeof *want);
    for (size_t row = 0; v.n > 0 && row < rows; row++) {
      for (int k = 1; k >= 0; k--) {
        for (size_t i = 0; i < parts[k].n / rows; i++)
          want[n++] = get(&parts[k], row * (parts[k].n / rows) + i);
      }
    }
    check_values(&r, want, v.n);
    GpuArray_clear(&r);
    GpuArray_clear(&parts[0].a);
    GpuArray_clear(&parts[1].a);
    free(want);
  }
  drop(&v);
}

static void take(void) {
  enum { TAKEN = 5 };
  const size_t n = TAKEN;
  size_t dims[ND], row;
  int32_t rows[TAKEN];
  double *want;
  GpuArray i, r;
  view v;

  random_view(&v, random_type(), 1);
  if (v.a.nd > 0 && v.a.dimensions[0] > 0) {
    memcpy(dims, v.a.dimensions, v.a.nd * sizeof *dims);
    dims[0] = TAKEN;
    row = v.n / v.a.dimensions[0];
    want = calloc(TAKEN * row + 1, sizeof *want);
    for (size_t k = 0; k < TAKEN; k++) {
      const size_t from = below(v.a.dimensions[0]);

      rows[k] = (int32_t)from - (below(2) ? (int32_t)v.a.dimensions[0] : 0);
      for (size_t j = 0; j < row; j++)
        want[k * row + j] = get(&v, from * row + j);
    }
    test_array(&i, GA_INT, 1, &n, rows);
    assert_ok(GpuArray_empty(&r, test_context(), v.a.typecode, v.a.nd, dims,
                             GA_C_ORDER));
    assert_ok(GpuArray_take1(&r, &v.a, &i, (int)below(2)));
    check_values(&r, want, TAKEN * row);
    GpuArray_clear(&r);
    GpuArray_clear(&i);
    free(want);
  }
  drop(&v);
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
    rng = (seed + k) * UINT64_C(0x9E3779B97F4A7C15);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by number, against a loop on the host. */
#include "support/device.h"

#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/index_guard.h>
#include <gpuarray/launch.h>

#include "base/alloc.h"
#include "base/dtype.h"

#define ROWS 10
#define TAKEN 7

static const double picks[TAKEN] = {3, 0, 9, 9, 1, 4, 2};

static void make_indices(GpuArray *i, int typecode, const double *numbers) {
  char data[TAKEN * 8];
  size_t n = TAKEN;

  for (size_t k = 0; k < n; k++)
    test_set(data, typecode, k, numbers[k]);
  test_array(i, typecode, 1, &n, data);
}

/* What taking from `v` must give; the caller frees it. */
static void *take_on_host(const GpuArray *v, const double *numbers) {
  size_t row = test_size(v) / v->dimensions[0] * ga__dtype_size(v->typecode);
  char *all = calloc(test_size(v) + 1, 16), *want = calloc(TAKEN, row + 1);

  test_gather(v, all);
  for (size_t k = 0; k < TAKEN; k++) {
    size_t from = (size_t)(numbers[k] < 0 ? numbers[k] + ROWS : numbers[k]);
    memcpy(want + k * row, all + from * row, row);
  }
  free(all);
  return want;
}

static void make_result(GpuArray *a, const GpuArray *v) {
  size_t dims[8];

  memcpy(dims, v->dimensions, v->nd * sizeof *dims);
  dims[0] = TAKEN;
  assert_ok(
      GpuArray_empty(a, test_context(), v->typecode, v->nd, dims, GA_C_ORDER));
}

static void check_take(const GpuArray *v, int index_type,
                       const double *numbers) {
  GpuArray a, i;
  void *want = take_on_host(v, numbers);

  make_indices(&i, index_type, numbers);
  for (int checked = 0; checked < 2; checked++) {
    make_result(&a, v);
    assert_ok(GpuArray_take1(&a, v, &i, checked));
    test_array_equal(&a, want);
    GpuArray_clear(&a);
  }
  GpuArray_clear(&i);
  free(want);
}

static void make_values(GpuArray *v, int typecode, unsigned int nd,
                        const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  char *data = calloc(n + 1, 16);
  test_fill(data, typecode, n, 0, 100, 1);
  test_array(v, typecode, nd, dims, data);
  free(data);
}

static void test_index_types(void **state) {
  static const int types[] = {GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                              GA_INT,  GA_UINT,  GA_LONG,  GA_ULONG};
  const double negative[TAKEN] = {-1, 0, -10, 9, 1, -3, 2};
  size_t dims[2] = {ROWS, 12};
  GpuArray v;

  (void)state;
  make_values(&v, GA_FLOAT, 2, dims);
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    check_take(&v, types[t],
               ga__dtype_kind(types[t]) == GA_KIND_INT ? negative : picks);
  GpuArray_clear(&v);
}

/* Rows of every length move in words of every size. */
static void test_row_sizes(void **state) {
  static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 100, 3000};
  static const int types[] = {GA_BOOL, GA_HALF, GA_DOUBLE, GA_CFLOAT};
  GpuArray v;

  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
      size_t dims[2] = {ROWS, lengths[k]};
      make_values(&v, types[t], 2, dims);
      check_take(&v, GA_INT, picks);
      GpuArray_clear(&v);
    }
  }
}

/* --- into another type --- */

static const int dtypes[] = {GA_BOOL, GA_SHORT,  GA_ULONG,
                             GA_HALF, GA_CFLOAT, GA_DOUBLE};

/* Doubles come last. */
static int count_dtypes(void) {
  const int n = sizeof dtypes / sizeof dtypes[0];

  return gpucontext_caps(test_context())->fp64 ? n : n - 1;
}

/* Taking is taking without conversion and then assigning. */
static void check_converted(const GpuArray *v, const GpuArray *i, int to_type) {
  GpuArray taken, want, got;

  make_result(&taken, v);
  assert_ok(GpuArray_take1(&taken, v, i, 0));
  assert_ok(GpuArray_empty(&want, test_context(), to_type, v->nd,
                           taken.dimensions, GA_C_ORDER));
  assert_ok(GpuArray_setarray(&want, &taken));
  size_t bytes = test_size(&want) * GpuArray_ITEMSIZE(&want);
  char *host = calloc(bytes + 1, 1);
  assert_ok(GpuArray_read(host, bytes, &want));
  for (int checked = 0; checked < 2; checked++) {
    assert_ok(GpuArray_empty(&got, test_context(), to_type, v->nd,
                             taken.dimensions, GA_C_ORDER));
    assert_ok(GpuArray_take1(&got, v, i, checked));
    test_array_equal(&got, host);
    GpuArray_clear(&got);
  }
  free(host);
  GpuArray_clear(&want);
  GpuArray_clear(&taken);
}

static void test_other_types(void **state) {
  const unsigned int turn[] = {0, 2, 1};
  const int n = count_dtypes();
  size_t dims[3] = {ROWS, 3, 5};
  GpuArray i, v, turned;

  (void)state;
  make_indices(&i, GA_SHORT, picks);
  for (int from = 0; from < n; from++) {
    make_values(&v, dtypes[from], 3, dims);
    assert_ok(GpuArray_transpose(&turned, &v, turn));
    for (int to = 0; to < n; to++) {
      check_converted(&v, &i, dtypes[to]);
      check_converted(&turned, &i, dtypes[to]);
    }
    GpuArray_clear(&turned);
    GpuArray_clear(&v);
  }
  GpuArray_clear(&i);
}

/* A double just above the middle of two halfs, which a float does not see. */
static void round_once(void) {
  const double middle = 1.0 + 0x1p-11 + 0x1p-40;
  const unsigned short above = 0x3c01;
  const size_t one = 1;
  const int first = 0;
  GpuArray v, i, a;

  test_array(&v, GA_DOUBLE, 1, &one, &middle);
  test_array(&i, GA_INT, 1, &one, &first);
  assert_ok(GpuArray_empty(&a, test_context(), GA_HALF, 1, &one, GA_C_ORDER));
  assert_ok(GpuArray_take1(&a, &v, &i, 1));
  test_array_equal(&a, &above);
  GpuArray_clear(&a);
  GpuArray_clear(&i);
  GpuArray_clear(&v);
}

static void test_rounded_once(void **state) {
  (void)state;
  test_need_double();
  test_mappings(round_once);
}

static void test_strided_values(void **state) {
  static const unsigned int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}};
  size_t n = ROWS, dims[3];
  GpuArray v, turned, line, backwards;
  ssize_t start = ROWS - 1, stop = -1, step = -1;

  (void)state;
  for (size_t k = 0; k < 3; k++) {
    dims[orders[k][0]] = ROWS;
    dims[orders[k][1]] = 6;
    dims[orders[k][2]] = 5;
    make_values(&v, GA_FLOAT, 3, dims);
    assert_ok(GpuArray_transpose(&turned, &v, orders[k]));
    check_take(&turned, GA_INT, picks);
    GpuArray_clear(&turned);
    GpuArray_clear(&v);
  }
  make_values(&line, GA_SHORT, 1, &n);
  assert_ok(GpuArray_index(&backwards, &line, &start, &stop, &step));
  check_take(&backwards, GA_INT, picks);
  GpuArray_clear(&backwards);
  GpuArray_clear(&line);
}

/* Results larger than a cache, in rows that are no multiple of a vector. */
static void test_large_result(void **state) {
  test_need_buffer((size_t)9000 * 1001 * sizeof(float));

  size_t n = 9000, length = 1001, dims[2] = {10, 1001}, all[2] = {9000, 1001};
  unsigned char *numbers = malloc(n);
  float *host = malloc(n * length * sizeof *host),
        *values = malloc(10 * length * sizeof *values);
  GpuArray v, a, i;

  (void)state;
  for (size_t k = 0; k < n; k++)
    numbers[k] = (unsigned char)(k * 7 % 10);
  test_fill(values, GA_FLOAT, 10 * length, 0, 1, 4);
  test_array(&v, GA_FLOAT, 2, dims, values);
  test_array(&i, GA_UBYTE, 1, &n, numbers);
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 2, all, GA_C_ORDER));
  assert_ok(GpuArray_take1(&a, &v, &i, 0));
  assert_ok(GpuArray_read(host, n * length * sizeof *host, &a));
  for (size_t k = 0; k < n; k++)
    assert_memory_equal(host + k * length, values + numbers[k] * length,
                        length * sizeof *host);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
  free(values);
  free(host);
  free(numbers);
}

/* Whatever the device is, both mappings must be right on it. */
static void test_other_class(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps before = *caps;

  caps->is_cpu = !caps->is_cpu;
  test_row_sizes(state);
  test_strided_values(state);
  *caps = before;
}

/* --- errors --- */

static void test_out_of_bounds(void **state) {
  const double high[TAKEN] = {3, 0, 9, 12, 1, 40, 2};
  const double low[TAKEN] = {3, 0, 9, 9, -11, 4, 2};
  const float zeros[TAKEN * 4] = {0};
  size_t dims[2] = {ROWS, 4};
  GpuArray v, a, i, none, empty;

  (void)state;
  make_values(&v, GA_FLOAT, 2, dims);
  make_result(&a, &v);
  make_indices(&i, GA_LONG, high);
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_ok(GpuArray_take1(&a, &v, &i, 0));
  assert_ok(gpucontext_guard_indices(test_context(), 1));
  assert_ok(GpuArray_memset(&a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &v, &i, 1));
  test_array_equal(&a, zeros);
  assert_message(GA_VALUE_ERROR, "index 12 at position 3 out of bounds for "
                                 "axis 0 with size 10");
  GpuArray_clear(&i);
  make_indices(&i, GA_BYTE, low);
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &v, &i, 1));
  assert_message(GA_VALUE_ERROR, "index -11 at position 4");
  GpuArray_clear(&i);
  /* Rows without elements. */
  dims[1] = 0;
  make_values(&none, GA_FLOAT, 2, dims);
  make_result(&empty, &none);
  make_indices(&i, GA_LONG, high);
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&empty, &none, &i, 1));
  assert_message(GA_VALUE_ERROR, "index 12 at position 3 out of bounds");
  GpuArray_clear(&i);
  GpuArray_clear(&empty);
  GpuArray_clear(&none);
  /* The report does not stay. */
  make_indices(&i, GA_INT, picks);
  assert_ok(GpuArray_take1(&a, &v, &i, 1));
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

static void test_misfits(void **state) {
  size_t dims[2] = {ROWS, 4}, narrow[2] = {TAKEN, 3}, none[2] = {0, 4};
  GpuArray v, a, i, floats, wrong, empty;

  (void)state;
  make_values(&v, GA_FLOAT, 2, dims);
  make_values(&wrong, GA_FLOAT, 2, narrow);
  make_values(&empty, GA_FLOAT, 2, none);
  make_result(&a, &v);
  make_indices(&i, GA_INT, picks);
  make_indices(&floats, GA_FLOAT, picks);
  assert_code(GA_INVALID_ERROR, GpuArray_take1(&wrong, &v, &i, 0));
  assert_message(GA_INVALID_ERROR, "result: dim 1: expected 4, got 3");
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &v, &floats, 0));
  assert_message(GA_VALUE_ERROR, "indices: expected integers, got float32");
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &empty, &i, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &a, &i, 0));
  assert_message(GA_VALUE_ERROR, "result: overlaps values");
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_VALUE_ERROR, GpuArray_take1(&a, &v, &i, 0));
  GpuArray_clear(&floats);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&empty);
  GpuArray_clear(&wrong);
  GpuArray_clear(&v);
}

/* --- prepared --- */

static void test_prepared(void **state) {
  const double beyond[TAKEN] = {3, 0, 90, 9, -40, 4, 2};
  const double near[TAKEN] = {3, 0, 9, 9, 0, 4, 2};
  size_t dims[2] = {ROWS, 5};
  GpuArray v, a, i, j;
  GpuLaunch *l;

  (void)state;
  make_values(&v, GA_FLOAT, 2, dims);
  make_result(&a, &v);
  make_indices(&i, GA_INT, picks);
  make_indices(&j, GA_INT, beyond);
  assert_ok(GpuArray_take1_prepare(&l, &a, &v, &i));
  assert_ok(GpuLaunch_guard_indices(l, 0, NULL));
  assert_ok(GpuLaunch_run(l));
  void *want = take_on_host(&v, picks);
  test_array_equal(&a, want);
  free(want);
  assert_ok(GpuLaunch_bind(l, 2, j.data, j.offset));
  assert_ok(GpuLaunch_run(l));
  want = take_on_host(&v, near);
  test_array_equal(&a, want);
  free(want);
  GpuLaunch_free(l);
  GpuArray_clear(&j);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

static void test_out_of_memory(void **state) {
  size_t dims[2] = {ROWS, 5};
  GpuArray v, a, i;
  int done = 0;

  (void)state;
  make_values(&v, GA_FLOAT, 2, dims);
  make_result(&a, &v);
  make_indices(&i, GA_INT, picks);
  for (long nth = 0; !done && nth < 200; nth++) {
    long live = ga__alloc_live();

    ga__alloc_fail(nth, 0); /* round 0 fills the caches */
    done = GpuArray_take1(&a, &v, &i, 1) == GA_NO_ERROR && nth > 0;
    ga__alloc_fail(0, 0);
    if (nth > 0)
      assert_int_equal(live, ga__alloc_live());
  }
  assert_true(done);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_types),
      cmocka_unit_test(test_row_sizes),
      cmocka_unit_test(test_other_types),
      cmocka_unit_test(test_rounded_once),
      cmocka_unit_test(test_strided_values),
      cmocka_unit_test(test_large_result),
      cmocka_unit_test(test_other_class),
      cmocka_unit_test(test_out_of_bounds),
      cmocka_unit_test(test_misfits),
      cmocka_unit_test(test_prepared),
      cmocka_unit_test(test_out_of_memory),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

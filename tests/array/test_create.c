/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays out of values and rules. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/types.h>

#include "base/dtype.h"

static const int all_types[] = {GA_BOOL,   GA_BYTE,   GA_UBYTE,  GA_SHORT,
                                GA_USHORT, GA_INT,    GA_UINT,   GA_LONG,
                                GA_ULONG,  GA_HALF,   GA_BFLOAT, GA_FLOAT,
                                GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};
#define N_TYPES (sizeof all_types / sizeof all_types[0])

static int is_possible(int typecode) {
  return gpucontext_caps(test_context())->fp64 ||
         (typecode != GA_DOUBLE && typecode != GA_CDOUBLE);
}

/* The elements of `a` as doubles; the caller frees them. */
static double *values_of(const GpuArray *a) {
  const size_t n = test_size(a);
  char *data = calloc(n + 1, 16);
  double *v = calloc(n + 1, sizeof *v);

  test_gather(a, data);
  for (size_t i = 0; i < n; i++)
    v[i] = test_get(data, a->typecode, i);
  free(data);
  return v;
}

static void check_all(const GpuArray *a, double want) {
  double *v = values_of(a);

  for (size_t i = 0; i < test_size(a); i++)
    assert_true(v[i] == want);
  free(v);
}

/* --- fill --- */

static void fill_all_types(void) {
  const size_t dims[2] = {37, 1001};

  for (size_t t = 0; t < N_TYPES; t++) {
    const double want = all_types[t] == GA_BOOL ? 1 : 100;
    char value[16] = {0};
    GpuArray a;

    if (!is_possible(all_types[t]))
      continue;
    test_set(value, all_types[t], 0, want);
    assert_ok(
        GpuArray_zeros(&a, test_context(), all_types[t], 2, dims, GA_C_ORDER));
    assert_ok(GpuArray_fill(&a, all_types[t], value));
    memset(value, 0xAA, sizeof value); /* it was read */
    check_all(&a, want);
    assert_ok(GpuArray_fill(&a, GA_LONG, &(int64_t){1}));
    check_all(&a, 1);
    assert_ok(GpuArray_fill(&a, GA_FLOAT, &(float){0}));
    check_all(&a, 0);
    GpuArray_clear(&a);
  }
}

static void fill_types(void **state) {
  (void)state;
  test_mappings(fill_all_types);
}

/* Views of all kinds, and nothing beside them. */
static void fill_views(void **state) {
  const ssize_t starts[2] = {9, 1}, stops[2] = {-1, 7}, steps[2] = {-2, 3};
  const size_t dims[2] = {10, 8};
  float want[80] = {0};
  GpuArray a, v;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_index(&v, &a, starts, stops, steps));
  assert_ok(GpuArray_fill(&v, GA_FLOAT, &(float){2.5f}));
  for (size_t i = 1; i < 10; i += 2) {
    want[i * 8 + 1] = 2.5f;
    want[i * 8 + 4] = 2.5f;
  }
  test_array_equal(&a, want);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}

/* Floats of each width, also without float64 on the device. */
static void fill_takes_a_double(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const int fp64 = caps->fp64;
  const size_t dim = 3;
  const float want[3] = {0.1f, 0.1f, 0.1f};
  const uint16_t half[3] = {0x2e66, 0x2e66, 0x2e66};
  const float complex_want[6] = {0.1f, 2, 0.1f, 2, 0.1f, 2};
  GpuArray a, h, z;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &dim, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&h, test_context(), GA_HALF, 1, &dim, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&z, test_context(), GA_CFLOAT, 1, &dim, GA_C_ORDER));
  caps->fp64 = 0;
  const int errors[3] = {GpuArray_fill(&a, GA_DOUBLE, &(double){0.1}),
                         GpuArray_fill(&h, GA_DOUBLE, &(double){0.1}),
                         GpuArray_fill(&z, GA_CDOUBLE, (double[2]){0.1, 2})};
  caps->fp64 = fp64;
  for (int i = 0; i < 3; i++)
    assert_ok(errors[i]);
  test_array_equal(&a, want);
  test_array_equal(&h, half);
  test_array_equal(&z, complex_want);
  GpuArray_clear(&z);
  GpuArray_clear(&a);
  GpuArray_clear(&h);
}

static void fill_refuses(void **state) {
  const size_t dim = 3, none = 0;
  const float x[3] = {1, 2, 3};
  GpuArray a, empty;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &dim, x);
  assert_code(GA_VALUE_ERROR, GpuArray_fill(&a, GA_FLOAT, NULL));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_fill(&a, 999, x));
  assert_message(GA_UNSUPPORTED_ERROR, "999");
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR, GpuArray_fill(&a, GA_FLOAT, x));
  test_array_equal(&a, x);
  assert_ok(
      GpuArray_empty(&empty, test_context(), GA_FLOAT, 1, &none, GA_C_ORDER));
  assert_ok(GpuArray_fill(&empty, GA_FLOAT, x));
  GpuArray_clear(&empty);
  GpuArray_clear(&a);
}

/* --- arange --- */

static void count_all_types(void) {
  for (size_t t = 0; t < N_TYPES; t++) {
    const int type = all_types[t];
    GpuArray a;

    if (type == GA_BOOL || !is_possible(type))
      continue;
    assert_ok(GpuArray_arange(&a, test_context(), type, 3, 120, 2));
    assert_int_equal(a.dimensions[0], 59);
    double *v = values_of(&a);
    for (int i = 0; i < 59; i++)
      assert_true(v[i] == 3 + 2 * i);
    free(v);
    GpuArray_clear(&a);
  }
}

static void arange_types(void **state) {
  (void)state;
  test_mappings(count_all_types);
}

static void count_parts(void) {
  float *x;
  GpuArray a;

  assert_ok(GpuArray_arange(&a, test_context(), GA_FLOAT, 1, -1, -0.25));
  assert_int_equal(a.dimensions[0], 8);
  x = calloc(100000, sizeof *x);
  test_gather(&a, x);
  for (int i = 0; i < 8; i++)
    assert_true(x[i] == 1 - 0.25f * (float)i);
  GpuArray_clear(&a);
  assert_ok(GpuArray_arange(&a, test_context(), GA_FLOAT, 0.5, 100000.5, 1));
  assert_int_equal(a.dimensions[0], 100000);
  test_gather(&a, x);
  for (int i = 0; i < 100000; i++)
    assert_true(x[i] == (float)i + 0.5f);
  free(x);
  GpuArray_clear(&a);
  assert_ok(GpuArray_arange(&a, test_context(), GA_FLOAT, 5, 5, 1));
  assert_int_equal(a.dimensions[0], 0);
  GpuArray_clear(&a);
}

static void arange_of_parts(void **state) {
  (void)state;
  test_mappings(count_parts);
}

static void arange_of_long(void **state) {
  const double start = -9007199254740992.0;
  int64_t got[3];
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_arange(&a, test_context(), GA_LONG, start, start + 6, 2));
  test_gather(&a, got);
  for (int i = 0; i < 3; i++)
    assert_true(got[i] == -9007199254740992 + 2 * i);
  GpuArray_clear(&a);
}

/* Steps that int64 does not hold, and one that nothing uses. */
static void arange_of_far_steps(void **state) {
  const double most = 3 * 4611686018427387904.0; /* 3 * 2^62 */
  uint64_t got[2];
  float one;
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_arange(&a, test_context(), GA_ULONG, most, -1e6, -most));
  assert_int_equal(a.dimensions[0], 2);
  test_gather(&a, got);
  assert_true(got[0] == (uint64_t)most && got[1] == 0);
  GpuArray_clear(&a);
  assert_ok(GpuArray_arange(&a, test_context(), GA_ULONG, 5, 6, 1e300));
  assert_int_equal(a.dimensions[0], 1);
  test_gather(&a, got);
  assert_true(got[0] == 5);
  GpuArray_clear(&a);
  assert_ok(GpuArray_arange(&a, test_context(), GA_FLOAT, 5, 6, 1e300));
  test_gather(&a, &one);
  assert_true(one == 5);
  GpuArray_clear(&a);
}

static void arange_refuses(void **state) {
  gpucontext *ctx = test_context();
  GpuArray a;

  (void)state;
  assert_code(GA_VALUE_ERROR, GpuArray_arange(&a, ctx, GA_UBYTE, 0, 257, 1));
  assert_message(GA_VALUE_ERROR, "256");
  assert_null(a.data);
  assert_code(GA_VALUE_ERROR, GpuArray_arange(&a, ctx, GA_UINT, 3, -2, -1));
  assert_code(GA_VALUE_ERROR, GpuArray_arange(&a, ctx, GA_INT, 0, 3, 0.5));
  assert_message(GA_VALUE_ERROR, "0.5");
  assert_code(GA_VALUE_ERROR, GpuArray_arange(&a, ctx, GA_FLOAT, 0, 3, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_arange(&a, ctx, GA_FLOAT, (double)NAN, 3, 1));
  assert_code(GA_VALUE_ERROR, GpuArray_arange(&a, ctx, GA_BOOL, 0, 2, 1));
  assert_code(GA_XLARGE_ERROR, GpuArray_arange(&a, ctx, GA_FLOAT, 0, 1e30, 1));
}

/* --- eye --- */

static void eyes(void **state) {
  (void)state;
  for (ssize_t k = -6; k <= 8; k++) {
    GpuArray a;

    assert_ok(GpuArray_eye(&a, test_context(), GA_INT, 5, 7, k));
    double *v = values_of(&a);
    for (ssize_t i = 0; i < 5; i++) {
      for (ssize_t j = 0; j < 7; j++)
        assert_true(v[i * 7 + j] == (j - i == k));
    }
    free(v);
    GpuArray_clear(&a);
  }
}

/* --- cast --- */

static void casts(void **state) {
  const float x[6] = {0, 1.75f, -2.5f, 100, 3, 4};
  const int32_t want[6] = {0, 1, -2, 100, 3, 4};
  const uint8_t truth[6] = {0, 1, 1, 1, 1, 1};
  const size_t dims[2] = {2, 3};
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, x);
  assert_ok(GpuArray_cast(&r, &a, GA_INT, GA_F_ORDER));
  assert_true(GpuArray_IS_F_CONTIGUOUS(&r));
  test_array_equal(&r, want);
  GpuArray_clear(&r);
  assert_ok(GpuArray_cast(&r, &a, GA_BOOL, GA_ANY_ORDER));
  assert_true(GpuArray_IS_C_CONTIGUOUS(&r));
  test_array_equal(&r, truth);
  GpuArray_clear(&r);
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_cast(&r, &a, 999, GA_ANY_ORDER));
  assert_message(GA_UNSUPPORTED_ERROR, "999");
  assert_null(r.data);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fill_types),
      cmocka_unit_test(fill_views),
      cmocka_unit_test(fill_takes_a_double),
      cmocka_unit_test(fill_refuses),
      cmocka_unit_test(arange_types),
      cmocka_unit_test(arange_of_parts),
      cmocka_unit_test(arange_of_long),
      cmocka_unit_test(arange_of_far_steps),
      cmocka_unit_test(arange_refuses),
      cmocka_unit_test(eyes),
      cmocka_unit_test(casts),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

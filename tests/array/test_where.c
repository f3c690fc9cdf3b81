/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing between arrays. */
#include "support/device.h"

#include <math.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/index.h>

#include "base/dtype.h"

static const int all_types[] = {GA_BOOL,   GA_BYTE,   GA_UBYTE,  GA_SHORT,
                                GA_USHORT, GA_INT,    GA_UINT,   GA_LONG,
                                GA_ULONG,  GA_HALF,   GA_BFLOAT, GA_FLOAT,
                                GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};

/* Every dtype as condition and as value; bits stay as they are. */
static void all_dtypes(void) {
  const size_t dims[2] = {3, 5};

  for (size_t t = 0; t < sizeof all_types / sizeof all_types[0]; t++) {
    const int type = all_types[t];
    const size_t item = ga__dtype_size(type);
    unsigned char x[15 * 16], y[15 * 16], want[15 * 16], c[15 * 16] = {0};
    GpuArray dc, dx, dy, r;

    if (!gpucontext_caps(test_context())->fp64 &&
        (type == GA_DOUBLE || type == GA_CDOUBLE))
      continue;
    memset(x, 0x7F, sizeof x); /* NaNs of their own kind, too */
    memset(y, 0x01, sizeof y);
    for (size_t k = 0; k < 15; k++) {
      if (k % 3 == 1)
        test_set(c, type, k, 1);
      memcpy(want + k * item, k % 3 == 1 ? x : y, item);
    }
    test_array(&dc, type, 2, dims, c);
    test_array(&dx, type, 2, dims, x);
    test_array(&dy, type, 2, dims, y);
    assert_ok(GpuArray_where(&r, &dc, &dx, &dy));
    assert_int_equal(r.typecode, type);
    test_array_equal(&r, want);
    GpuArray_clear(&r);
    GpuArray_clear(&dc);
    GpuArray_clear(&dx);
    GpuArray_clear(&dy);
  }
}

static void dtypes(void **state) {
  (void)state;
  test_mappings(all_dtypes);
}

static void broadcasts(void **state) {
  const size_t cd[2] = {3, 1}, xd[1] = {4}, none = 0;
  const float c[3] = {0, NAN, -1};
  const int32_t x[4] = {1, 2, 3, 4}, y = 9;
  const int32_t want[12] = {9, 9, 9, 9, 1, 2, 3, 4, 1, 2, 3, 4};
  GpuArray dc, dx, dy, r;
  GpuLaunch *l;

  (void)state;
  test_array(&dc, GA_FLOAT, 2, cd, c);
  test_array(&dx, GA_INT, 1, xd, x);
  test_array(&dy, GA_INT, 0, NULL, &y);
  for (int i = 0; i < 2; i++) {
    assert_ok(GpuArray_where(&r, &dc, &dx, &dy));
    assert_int_equal(r.nd, 2);
    test_array_equal(&r, want);
    GpuArray_clear(&r);
  }
  assert_ok(GpuArray_empty(&r, test_context(), GA_INT, 2, (size_t[]){3, 4},
                           GA_F_ORDER));
  assert_ok(GpuArray_where_prepare(&l, &r, &dc, &dx, &dy));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&r, want);
  GpuLaunch_free(l);
  GpuArray_clear(&r);
  GpuArray_clear(&dx);
  test_array(&dx, GA_INT, 1, &none, x);
  assert_ok(GpuArray_where(&r, &dc, &dx, &dy));
  assert_int_equal(test_size(&r), 0);
  GpuArray_clear(&r);
  GpuArray_clear(&dx);
  GpuArray_clear(&dy);
  GpuArray_clear(&dc);
}

static void refuses(void **state) {
  const size_t three = 3, two = 2;
  const float x[3] = {1, 2, 3};
  GpuArray a, b, i, r;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &three, x);
  test_array(&b, GA_FLOAT, 1, &two, x);
  test_array(&i, GA_INT, 1, &three, x);
  assert_code(GA_VALUE_ERROR, GpuArray_where(&r, &a, &a, &b));
  assert_message(GA_VALUE_ERROR, "y: dim 0: expected 3, got 2");
  assert_null(r.data);
  assert_code(GA_VALUE_ERROR, GpuArray_where(&r, &a, &a, &i));
  assert_message(GA_VALUE_ERROR, "expected float32, got int32");
  assert_code(GA_VALUE_ERROR, GpuArray_where_prepare(&l, &a, &a, &a, &a));
  assert_message(GA_VALUE_ERROR, "overlaps");
  assert_code(GA_VALUE_ERROR, GpuArray_where_prepare(&l, &b, &a, &a, &a));
  assert_message(GA_VALUE_ERROR, "result: dim 0: expected 3, got 2");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dtypes),
      cmocka_unit_test(broadcasts),
      cmocka_unit_test(refuses),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

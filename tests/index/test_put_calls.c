/* SPDX-License-Identifier: BSD-2-Clause */
/* What take, gather, put and scatter refuse, and their prepared calls. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/index_guard.h>

#include "base/alloc.h"

/* --- bad indices --- */

static void bad_indices(void) {
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {2, 3}, n = 5, vdims[2] = {2, 5};
  const int32_t at[5] = {0, -3, 2, 3, -4};
  const float taken[10] = {1, 1, 3, 3, 1, 4, 4, 6, 6, 4};
  const float put[6] = {20, 2, 30, 20, 5, 30};
  const float values[10] = {10, 20, 30, 40, 50, 10, 20, 30, 40, 50};
  GpuArray a, index, v, r;

  test_array(&a, GA_FLOAT, 2, dims, x);
  test_array(&index, GA_INT, 1, &n, at);
  test_array(&v, GA_FLOAT, 2, vdims, values);
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_code(GA_VALUE_ERROR, GpuArray_take(&r, &a, &index, 1, 1));
  assert_message(GA_VALUE_ERROR,
                 "index 3 at position 3 out of bounds for axis 1 with size 3");
  assert_null(r.data);
  assert_code(GA_VALUE_ERROR, GpuArray_put(&a, &index, &v, 1, GA_PUT_SET, 1));
  assert_message(GA_VALUE_ERROR, "index 3 at position 3");
  test_array_equal(&a, x);
  assert_ok(GpuArray_take(&r, &a, &index, 1, 0));
  test_array_equal(&r, taken);
  GpuArray_clear(&r);
  assert_ok(GpuArray_put(&a, &index, &v, 1, GA_PUT_SET, 0));
  test_array_equal(&a, put);
  GpuArray_clear(&v);
  GpuArray_clear(&index);
  GpuArray_clear(&a);
}

static void reports_bad_indices(void **state) {
  (void)state;
  test_mappings(bad_indices);
}

static void reports_wide_indices(void **state) {
  const uint64_t at[2] = {1, UINT64_MAX};
  const int64_t low[2] = {1, INT64_MIN};
  const size_t n = 2;
  const float x[2] = {1, 2};
  GpuArray a, index, r;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&index, GA_ULONG, 1, &n, at);
  assert_code(GA_VALUE_ERROR, GpuArray_gather(&r, &a, &index, 0, 1));
  assert_message(GA_VALUE_ERROR, "18446744073709551615");
  GpuArray_clear(&index);
  test_array(&index, GA_LONG, 1, &n, low);
  assert_code(GA_VALUE_ERROR, GpuArray_gather(&r, &a, &index, 0, 1));
  assert_message(GA_VALUE_ERROR, "-9223372036854775808");
  GpuArray_clear(&index);
  GpuArray_clear(&a);
}

/* One index; one of an axis without elements. */
static void reports_single_indices(void **state) {
  const float x[2] = {1, 2};
  const size_t n = 2, one = 1, none = 0;
  const int32_t good = -1, bad = 2, zero = 0;
  GpuArray a, empty, index, v;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&empty, GA_FLOAT, 1, &none, x);
  test_array(&v, GA_FLOAT, 1, &one, x);
  test_array(&index, GA_INT, 1, &one, &good);
  assert_ok(GpuArray_put(&a, &index, &v, 0, GA_PUT_SET, 1));
  test_array_equal(&a, (float[]){1, 1});
  GpuArray_clear(&index);
  test_array(&index, GA_INT, 1, &one, &bad);
  assert_code(GA_VALUE_ERROR, GpuArray_put(&a, &index, &v, 0, GA_PUT_SET, 1));
  assert_message(GA_VALUE_ERROR,
                 "index 2 at position 0 out of bounds for axis 0 with size 2");
  GpuArray_clear(&index);
  test_array(&index, GA_INT, 1, &one, &zero);
  assert_code(GA_VALUE_ERROR,
              GpuArray_put(&empty, &index, &v, 0, GA_PUT_SET, 1));
  assert_message(GA_VALUE_ERROR, "axis 0 has size 0");
  GpuArray_clear(&index);
  GpuArray_clear(&v);
  GpuArray_clear(&empty);
  GpuArray_clear(&a);
}

/* Allocations of a checked put fail, with good and with bad indices. Each array
 * has a size of its own, so that no prepared check is found. */
static void checks_without_memory(void **state) {
  enum { MOST = 60 };
  static const int32_t at[2] = {0, 1 << 30};
  const float x[1] = {7};
  const size_t one = 1;
  GpuArray index, v;

  (void)state;
  test_array(&v, GA_FLOAT, 1, &one, x);
  for (size_t k = 0; k < 2; k++) {
    unsigned int failed = 0;

    test_array(&index, GA_INT, 1, &one, &at[k]);
    for (size_t nth = 1; nth <= MOST; nth++) {
      const size_t n = 1000 + k * MOST + nth;
      GpuArray a;

      assert_ok(
          GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
      ga__alloc_fail((long)nth, 0);
      const int err = GpuArray_put(&a, &index, &v, 0, GA_PUT_SET, 1);
      ga__alloc_fail(0, 0);
      failed += err == GA_MEMORY_ERROR;
      if (err == GA_VALUE_ERROR)
        assert_message(GA_VALUE_ERROR, "index 1073741824 at position 0");
      if (err != GA_MEMORY_ERROR)
        assert_int_equal(err, k == 0 ? GA_NO_ERROR : GA_VALUE_ERROR);
      GpuArray_clear(&a);
    }
    assert_true(failed > 5 && failed < MOST);
    GpuArray_clear(&index);
  }
  GpuArray_clear(&v);
}

/* --- misuse --- */

static void refuses(void **state) {
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {2, 3}, n = 2, none[2] = {0, 3};
  const int32_t at[2] = {0, 1};
  GpuArray a, index, floats, r, empty;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, x);
  test_array(&index, GA_INT, 1, &n, at);
  test_array(&floats, GA_FLOAT, 1, &n, x);
  assert_code(GA_VALUE_ERROR, GpuArray_take(&r, &a, &index, 2, 0));
  assert_message(GA_VALUE_ERROR, "axis 2 of an array of 2 dimensions");
  assert_code(GA_VALUE_ERROR, GpuArray_take(&r, &a, &floats, 0, 0));
  assert_message(GA_VALUE_ERROR, "float32");
  assert_code(GA_VALUE_ERROR, GpuArray_gather(&r, &a, &index, 0, 0));
  assert_message(GA_VALUE_ERROR, "expected 2 dimensions, got 1");
  assert_code(GA_VALUE_ERROR,
              GpuArray_put(&a, &index, &floats, 0, GA_PUT_SET, 0));
  assert_message(GA_VALUE_ERROR, "values: dim 1: expected 3, got 2");
  assert_code(GA_VALUE_ERROR,
              GpuArray_put(&a, &index, &index, 0, GA_PUT_SET, 0));
  assert_message(GA_VALUE_ERROR, "expected float32, got int32");
  assert_code(GA_VALUE_ERROR,
              GpuArray_put(&a, &index, &floats, 1, (ga_put_op)9, 0));
  assert_message(GA_VALUE_ERROR, "9");
  assert_code(GA_VALUE_ERROR, GpuArray_put(&a, &index, &a, 0, GA_PUT_SET, 0));
  assert_message(GA_VALUE_ERROR, "overlaps");
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR,
              GpuArray_put(&a, &index, &floats, 1, GA_PUT_SET, 0));
  test_array_equal(&a, x);
  test_array(&empty, GA_FLOAT, 2, none, x);
  assert_code(GA_VALUE_ERROR, GpuArray_take(&r, &empty, &index, 0, 0));
  assert_message(GA_VALUE_ERROR, "size 0");
  GpuArray_clear(&empty);
  GpuArray_clear(&floats);
  GpuArray_clear(&index);
  GpuArray_clear(&a);
}

/* A device that ends loops early would leave moves out. */
static void too_many_for_loops(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  const size_t n = 70000, rows = 3;
  GpuArray a, index, v;
  GpuLaunch *l;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_INT, 1, &rows, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&index, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&v, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  caps->long_loops = 0;
  assert_code(GA_DEVSUP_ERROR,
              GpuArray_put_prepare(&l, &a, &index, &v, 0, GA_PUT_ADD));
  assert_message(GA_DEVSUP_ERROR, "70000 indices in order");
  assert_null(l);
  assert_ok(GpuArray_put_prepare(&l, &a, &index, &v, 0, GA_PUT_SET_ANY));
  *caps = real;
  GpuLaunch_free(l);
  GpuArray_clear(&v);
  GpuArray_clear(&index);
  GpuArray_clear(&a);
}

/* The message names the dtype of the array. */
static void without_doubles(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  const size_t n = 3;
  GpuArray a, index, v;
  GpuLaunch *l;

  (void)state;
  test_need_double();
  assert_ok(GpuArray_zeros(&a, test_context(), GA_CDOUBLE, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&index, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&v, test_context(), GA_CDOUBLE, 1, &n, GA_C_ORDER));
  caps->fp64 = 0;
  const int err = GpuArray_put_prepare(&l, &a, &index, &v, 0, GA_PUT_ADD);
  *caps = real;
  assert_code(GA_DEVSUP_ERROR, err);
  assert_message(GA_DEVSUP_ERROR, "array: the device has no complex128");
  GpuArray_clear(&v);
  GpuArray_clear(&index);
  GpuArray_clear(&a);
}

/* --- ways to add --- */

/* Commands of a run that adds n values in any order: one by atomic additions,
 * three or more where the indices are sorted first. */
static unsigned int commands(int typecode, size_t rows, size_t words,
                             unsigned int axis, size_t n) {
  const size_t dims[2] = {rows, words};
  const size_t vdims[2] = {axis == 0 ? n : rows, axis == 0 ? words : n};
  GpuLaunchStats stats;
  GpuArray a, v, index;
  GpuLaunch *l;

  assert_ok(GpuArray_zeros(&a, test_context(), typecode, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&v, test_context(), typecode, 2, vdims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&index, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_put_prepare(&l, &a, &index, &v, axis, GA_PUT_ADD_ANY));
  assert_ok(GpuLaunch_stats(l, &stats));
  GpuLaunch_free(l);
  GpuArray_clear(&index);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  return stats.kernels;
}

/* Floats have no atomic addition: where rows are long it is faster to sort. */
static void adds_in_order_where_faster(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;

  (void)state;
  test_need_group(64);
  caps->is_cpu = 0;
  assert_int_equal(commands(GA_FLOAT, 10, 4096, 0, 64), 3);
  assert_int_equal(commands(GA_FLOAT, 10, 4095, 0, 64), 1);
  assert_int_equal(commands(GA_FLOAT, 4096, 10, 1, 64), 1);
  assert_int_equal(commands(GA_INT, 10, 4096, 0, 64), 1);
  assert_int_equal(commands(GA_FLOAT, 400, 4, 0, 20000), 1);
  assert_true(commands(GA_FLOAT, 300, 4, 0, 20000) > 3);
  *caps = real;
}

/* --- prepared --- */

static void prepared(void) {
  const float x[2][6] = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}};
  const size_t dims[2] = {2, 3}, n = 2;
  const int32_t at[2] = {2, 0};
  float got[4];
  GpuArray a, b, index, res;
  GpuLaunch *l;

  test_array(&a, GA_FLOAT, 2, dims, x[0]);
  test_array(&b, GA_FLOAT, 2, dims, x[1]);
  test_array(&index, GA_INT, 1, &n, at);
  assert_ok(GpuArray_empty(&res, test_context(), GA_FLOAT, 2, (size_t[]){2, 2},
                           GA_F_ORDER));
  assert_ok(GpuArray_take_prepare(&l, &res, &a, &index, 1));
  assert_ok(GpuLaunch_run(l));
  test_gather(&res, got);
  assert_true(got[0] == 3 && got[1] == 1 && got[2] == 6 && got[3] == 4);
  assert_ok(GpuLaunch_bind(l, 1, b.data, b.offset));
  assert_ok(GpuLaunch_run(l));
  test_gather(&res, got);
  assert_true(got[0] == 4 && got[1] == 6 && got[2] == 1 && got[3] == 3);
  GpuLaunch_free(l);
  assert_ok(GpuArray_put_prepare(&l, &a, &index, &res, 1, GA_PUT_ADD));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  {
    const float want[6] = {1 + 12, 2, 3 + 8, 4 + 6, 5, 6 + 2};
    test_array_equal(&a, want);
  }
  GpuArray_clear(&res);
  GpuArray_clear(&index);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

static void prepares(void **state) {
  (void)state;
  test_mappings(prepared);
}

/* Element by element, and back to where they came from. */
static void prepares_elements(void **state) {
  const float x[6] = {1, 2, 3, 4, 5, 6}, zeros[6] = {0};
  const float want[6] = {0, 2, 3, 4, 5, 0}, picks[4] = {3, 2, 4, 5};
  const size_t dims[2] = {2, 3}, narrow[2] = {2, 2};
  const int32_t at[4] = {2, 1, -3, 1};
  GpuArray a, b, index, res;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, x);
  test_array(&b, GA_FLOAT, 2, dims, zeros);
  test_array(&index, GA_INT, 2, narrow, at);
  assert_ok(
      GpuArray_zeros(&res, test_context(), GA_FLOAT, 2, narrow, GA_C_ORDER));
  assert_ok(GpuArray_gather_prepare(&l, &res, &a, &index, 1));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&res, picks);
  GpuLaunch_free(l);
  assert_ok(GpuArray_scatter_prepare(&l, &b, &index, &res, 1, GA_PUT_SET));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&b, want);
  GpuLaunch_free(l);
  GpuArray_clear(&res);
  GpuArray_clear(&index);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports_bad_indices),
      cmocka_unit_test(reports_wide_indices),
      cmocka_unit_test(reports_single_indices),
      cmocka_unit_test(checks_without_memory),
      cmocka_unit_test(refuses),
      cmocka_unit_test(too_many_for_loops),
      cmocka_unit_test(without_doubles),
      cmocka_unit_test(adds_in_order_where_faster),
      cmocka_unit_test(prepares),
      cmocka_unit_test(prepares_elements),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maxima with their positions, into arrays of the caller's. */
#include "support/device.h"

#include <gpuarray/array.h>

static void test_order(void **state) {
  const size_t dims[3] = {4, 5, 6};
  const unsigned int list[2] = {2, 0};
  float data[120], most[5];
  uint64_t at[5];
  GpuArray a, m, i;

  (void)state;
  test_fill(data, GA_FLOAT, 120, -1, 1, 2);
  test_array(&a, GA_FLOAT, 3, dims, data);
  assert_ok(
      GpuArray_zeros(&m, test_context(), GA_FLOAT, 1, dims + 1, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&i, test_context(), GA_SIZE, 1, dims + 1, GA_C_ORDER));
  assert_ok(GpuArray_maxandargmax(&m, &i, &a, 2, list));
  test_gather(&m, most);
  assert_ok(GpuArray_read(at, sizeof at, &i));
  for (size_t y = 0; y < 5; y++) {
    const size_t x = at[y] / 4, z = at[y] % 4;

    assert_true(x < 6);
    assert_true(data[z * 30 + y * 6 + x] == most[y]);
    for (size_t k = 0; k < 24; k++)
      assert_true(data[k / 6 * 30 + y * 6 + k % 6] <= most[y]);
  }
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
}

/* Results are written where the caller's strides say and nowhere else. */
static void test_views(void **state) {
  const size_t dims[2] = {3, 4}, wide[2] = {3, 2};
  const ssize_t starts[2] = {2, 1}, stops[2] = {-1, 2}, steps[2] = {-1, 0};
  const unsigned int axis = 1;
  const int32_t data[12] = {1, 9, 3, 9, 8, 7, 6, 5, -4, -3, -2, -1};
  const int32_t most[6] = {0, -1, 0, 8, 0, 9};
  const int64_t at[6] = {0, 3, 0, 0, 0, 1};
  GpuArray a, m, i, m_view, i_view;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_zeros(&m, test_context(), GA_INT, 2, wide, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&i, test_context(), GA_LONG, 2, wide, GA_C_ORDER));
  assert_ok(GpuArray_index(&m_view, &m, starts, stops, steps));
  assert_ok(GpuArray_index(&i_view, &i, starts, stops, steps));
  assert_ok(GpuArray_maxandargmax(&m_view, &i_view, &a, 1, &axis));
  test_array_equal(&m, most);
  test_array_equal(&i, at);
  GpuArray_clear(&m_view);
  GpuArray_clear(&i_view);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
}

/* No refused call touches the results. */
static void test_refused(void **state) {
  const size_t dims[2] = {3, 4}, four = 4;
  const unsigned int axes[3] = {1, 1, 2};
  const int32_t data[12] = {1, 9, 3, 9, 8, 7, 6, 5, -4, -3, -2, -1};
  const int32_t sevens[4] = {7, 7, 7, 7};
  const int64_t nines[4] = {9, 9, 9, 9};
  GpuArray a, m, i, wrong, none = {0};

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  test_array(&m, GA_INT, 1, dims, sevens);
  test_array(&i, GA_LONG, 1, dims, nines);
  test_array(&wrong, GA_INT, 1, &four, sevens);
  assert_code(GA_INVALID_ERROR, GpuArray_maxandargmax(&m, &i, &a, 0, axes));
  assert_code(GA_INVALID_ERROR, GpuArray_maxandargmax(&m, &i, &a, 2, axes));
  assert_message(GA_INVALID_ERROR, "axis 1 is given twice");
  assert_code(GA_INVALID_ERROR, GpuArray_maxandargmax(&m, &i, &a, 1, axes + 2));
  assert_code(GA_INVALID_ERROR, GpuArray_maxandargmax(&none, &i, &a, 1, axes));
  assert_code(GA_INVALID_ERROR, GpuArray_maxandargmax(&m, NULL, &a, 1, axes));
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&wrong, &i, &a, 1, axes));
  assert_message(GA_VALUE_ERROR, "dstMax: dim 0: expected 3, got 4");
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&m, &wrong, &a, 1, axes));
  assert_message(GA_VALUE_ERROR, "dstArgmax: int32, expected an integer of 64");
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&i, &i, &a, 1, axes));
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&a, &i, &a, 1, axes));
  assert_message(GA_VALUE_ERROR, "dstMax: expected 1 dimensions, got 2");
  m.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR, GpuArray_maxandargmax(&m, &i, &a, 1, axes));
  test_array_equal(&m, sevens);
  test_array_equal(&i, nines);
  GpuArray_clear(&wrong);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

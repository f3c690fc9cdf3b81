/* SPDX-License-Identifier: BSD-2-Clause */
/* Index by several items, beside loops over what NumPy selects. */
#include "support/device.h"

#include <string.h>

#include <gpuarray/items.h>

enum { A = 3, B = 4, C = 5, ROWS = A * B, PLANE = B * C, SIZE = A * PLANE };

static const size_t sizes[3] = {A, B, C};
static const int64_t rows[2] = {2, -3};
static const int32_t columns[3] = {4, 0, 4};
static const unsigned char marks[PLANE] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
                                           0, 0, 0, 0, 0, 1, 0, 0, 0, 1};

/* x[a, b, c] is 100 a + 10 b + c; i [2, 1] has rows, j [3] columns. */
static GpuArray x, i, j, mask, got;
static float values[SIZE];

static float at(size_t a, size_t b, size_t c) {
  return (float)(100 * a + 10 * b + c);
}

/* With its axes in another order, so that strides are not those of C. */
static void make_x(void) {
  static const size_t turned[3] = {C, A, B};
  static const unsigned int back[3] = {1, 2, 0};
  float data[SIZE];
  GpuArray own;

  for (size_t k = 0; k < SIZE; k++) {
    values[k] = at(k / PLANE, k / C % B, k % C);
    data[k] = at(k / B % A, k % B, k / ROWS);
  }
  test_array(&own, GA_FLOAT, 3, turned, data);
  assert_ok(GpuArray_transpose(&x, &own, back));
  GpuArray_clear(&own);
}

static int setup(void **state) {
  (void)state;
  memset(&got, 0, sizeof got);
  make_x();
  test_array(&i, GA_LONG, 2, (size_t[]){2, 1}, rows);
  test_array(&j, GA_INT, 1, (size_t[]){3}, columns);
  test_array(&mask, GA_BOOL, 2, &sizes[1], marks);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&x);
  GpuArray_clear(&i);
  GpuArray_clear(&j);
  GpuArray_clear(&mask);
  GpuArray_clear(&got);
  return 0;
}

#define ITEMS(...)                                                             \
  sizeof((ga_item[]){__VA_ARGS__}) / sizeof(ga_item), (ga_item[]) {            \
    __VA_ARGS__                                                                \
  }

static void expect(int err, unsigned int nd, const size_t *dims,
                   const float *want) {
  assert_ok(err);
  assert_int_equal(got.nd, nd);
  for (unsigned int d = 0; d < nd; d++)
    assert_int_equal(got.dimensions[d], dims[d]);
  test_array_equal(&got, want);
  GpuArray_clear(&got);
}

/* Of an axis of n elements. */
static size_t row(size_t k, size_t n) {
  return (size_t)(rows[k] < 0 ? rows[k] + (int64_t)n : rows[k]);
}

static size_t column(size_t k) {
  return (size_t)columns[k];
}

static void arrays_that_a_slice_parts_come_first(void **state) {
  float want[2 * 3 * B];
  size_t n = 0;

  (void)state;
  for (size_t r = 0; r < 2; r++)
    for (size_t c = 0; c < 3; c++)
      for (size_t b = 0; b < B; b++)
        want[n++] = at(row(r, A), b, column(c));
  expect(GpuArray_index_take(
             &got, &x, ITEMS(ga_item_of(&i), ga_item_all(), ga_item_of(&j)), 1),
         3, (size_t[]){2, 3, B}, want);
  n = 0;
  for (size_t c = 0; c < 3; c++)
    for (size_t b = 0; b < B; b += 2)
      want[n++] = at(1, B - 1 - b, column(c));
  expect(GpuArray_index_take(&got, &x,
                             ITEMS(ga_item_at(-2),
                                   ga_item_slice(GA_ITEM_OPEN, -99, -2),
                                   ga_item_of(&j)),
                             0),
         2, (size_t[]){3, 2}, want);
}

static void arrays_side_by_side_stay(void **state) {
  float want[A * 2 * 3];
  size_t n = 0;

  (void)state;
  for (size_t a = 0; a < A; a++)
    for (size_t r = 0; r < 2; r++)
      for (size_t c = 0; c < 3; c++)
        want[n++] = at(a, row(r, B), column(c));
  expect(GpuArray_index_take(
             &got, &x, ITEMS(ga_item_all(), ga_item_of(&i), ga_item_of(&j)), 0),
         3, (size_t[]){A, 2, 3}, want);
}

static void masks_are_coordinates(void **state) {
  float want[A * 4];
  size_t n = 0;

  (void)state;
  for (size_t a = 0; a < A; a++)
    for (size_t k = 0; k < PLANE; k++)
      if (marks[k])
        want[n++] = at(a, k / C, k % C);
  expect(GpuArray_index_take(&got, &x, ITEMS(ga_item_rest(), ga_item_of(&mask)),
                             0),
         2, (size_t[]){A, 4}, want);
}

static void slices_are_views(void **state) {
  float want[2 * 2];
  size_t n = 0;

  (void)state;
  for (size_t a = 0; a < A; a += 2)
    for (size_t c = 1; c < 3; c++)
      want[n++] = at(a, 2, c);
  expect(GpuArray_index_take(&got, &x,
                             ITEMS(ga_item_slice(GA_ITEM_OPEN, GA_ITEM_OPEN, 2),
                                   ga_item_at(2), ga_item_new(),
                                   ga_item_slice(1, -2, 1)),
                             0),
         3, (size_t[]){2, 1, 2}, want);
  expect(GpuArray_index_take(&got, &x, ITEMS(ga_item_slice(5, 9, 1)), 0), 3,
         (size_t[]){0, B, C}, NULL);
}

/* The elements of x at rows and columns, and others, have strides that do not
 * collapse. Columns repeat. */
static void values_are_added_where_they_were_taken(void **state) {
  static const float v[3] = {1000, 2000, 4000};
  GpuArray add;

  (void)state;
  for (size_t r = 0; r < 2; r++)
    for (size_t c = 0; c < 3; c++)
      for (size_t b = 0; b < B; b++)
        values[row(r, A) * PLANE + b * C + column(c)] += v[c];
  test_array(&add, GA_FLOAT, 2, (size_t[]){3, 1}, v);
  assert_ok(GpuArray_index_put(
      &x, ITEMS(ga_item_of(&i), ga_item_all(), ga_item_of(&j)), &add,
      GA_PUT_ADD, 1));
  test_array_equal(&x, values);
  GpuArray_clear(&add);
}

static void slices_and_masks_are_set(void **state) {
  static const float v[4] = {-1, -2, -3, -4};
  GpuArray some, all;
  size_t n = 0;

  (void)state;
  for (size_t k = 0; k < PLANE; k++)
    if (marks[k])
      values[PLANE + k] = v[n++];
  test_array(&some, GA_FLOAT, 1, (size_t[]){4}, v);
  assert_ok(GpuArray_index_put(&x, ITEMS(ga_item_at(1), ga_item_of(&mask)),
                               &some, GA_PUT_SET, 0));
  test_array_equal(&x, values);
  for (size_t k = 0; k < PLANE; k++)
    values[k] *= v[k / C];
  assert_ok(GpuArray_reshape_inplace(&some, 2, (size_t[]){4, 1}, GA_C_ORDER));
  assert_ok(GpuArray_index_put(&x, ITEMS(ga_item_at(0)), &some, GA_PUT_MUL, 0));
  test_array_equal(&x, values);
  for (size_t k = 0; k < SIZE; k++)
    values[k] = values[k] != 0 ? 5 : values[k]; /* which may be -0 */
  test_array(&all, GA_FLOAT, 0, NULL, (float[]){5});
  assert_ok(GpuArray_mask_put(&x, &x, &all, GA_PUT_SET));
  test_array_equal(&x, values);
  GpuArray_clear(&some);
  GpuArray_clear(&all);
}

/* Rows of no elements lie nowhere: an empty array needs no memory. */
static void an_empty_array_is_indexed(void **state) {
  GpuArray none, value;

  (void)state;
  test_array(&none, GA_FLOAT, 3, (size_t[]){A, B, 0}, values);
  test_array(&value, GA_FLOAT, 0, NULL, (float[]){5});
  expect(
      GpuArray_index_take(&got, &none, ITEMS(ga_item_of(&i), ga_item_at(3)), 1),
      3, (size_t[]){2, 1, 0}, NULL);
  assert_ok(
      GpuArray_index_put(&none, ITEMS(ga_item_at(2)), &value, GA_PUT_ADD, 0));
  GpuArray_clear(&none);
  GpuArray_clear(&value);
}

#define says(err, part)                                                        \
  do {                                                                         \
    assert_code(GA_VALUE_ERROR, err);                                          \
    assert_message(GA_VALUE_ERROR, part);                                      \
    assert_null(got.data);                                                     \
  } while (0)

static void mistakes_are_named(void **state) {
  GpuArray far, two;

  (void)state;
  test_array(&far, GA_LONG, 1, (size_t[]){2}, (int64_t[]){0, 3});
  test_array(&two, GA_FLOAT, 1, (size_t[]){2}, (float[]){1, 2});
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_of(&far)), 1), "3");
  says(
      GpuArray_index_take(&got, &x, ITEMS(ga_item_of(&j), ga_item_of(&far)), 0),
      "arrays of 3 and 2 elements along an axis do not broadcast");
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_at(3)), 0),
       "position 3 of axis 0, which has 3 elements");
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_slice(0, 1, 0)), 0),
       "item 0: the step is 0");
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_rest(), ga_item_rest()), 0),
       "2 items are for the rest");
  says(GpuArray_index_take(
           &got, &x,
           ITEMS(ga_item_at(0), ga_item_at(0), ga_item_at(0), ga_item_at(0)),
           0),
       "items for 4 axes of an array of 3");
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_of(&mask)), 0), "mask");
  says(GpuArray_index_take(&got, &x, ITEMS(ga_item_of(&two)), 0), "integers");
  says(GpuArray_index_put(&x, ITEMS(ga_item_of(&j), ga_item_all()), &two,
                          GA_PUT_SET, 0),
       "expected");
  test_array_equal(&x, values);
  GpuArray_clear(&far);
  GpuArray_clear(&two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
      TEST(arrays_that_a_slice_parts_come_first),
      TEST(arrays_side_by_side_stay),
      TEST(masks_are_coordinates),
      TEST(slices_are_views),
      TEST(values_are_added_where_they_were_taken),
      TEST(slices_and_masks_are_set),
      TEST(an_empty_array_is_indexed),
      TEST(mistakes_are_named),
#undef TEST
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

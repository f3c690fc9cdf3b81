/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies, casts and assignments, against the host. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/util.h>

#include "base/alloc.h"
#include "base/dtype.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const int dtypes[] = {GA_BOOL,   GA_BYTE,   GA_UBYTE,  GA_SHORT,
                             GA_USHORT, GA_INT,    GA_UINT,   GA_LONG,
                             GA_ULONG,  GA_HALF,   GA_BFLOAT, GA_FLOAT,
                             GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};

static int is_supported(int typecode) {
  return (typecode != GA_DOUBLE && typecode != GA_CDOUBLE) ||
         gpucontext_caps(test_context())->fp64;
}

/* --- casts --- */

static void check_cast(int to, int from) {
  enum { N = 37 };
  char src[N * 16] = {0}, want[N * 16] = {0};
  size_t n = N;
  GpuArray a, v;

  test_fill(src, from, n, 0, 100, 3);
  for (size_t i = 0; i < n; i++) {
    double x = test_get(src, from, i);
    test_set(want, to, i, to == GA_BOOL ? x != 0 : x);
  }
  test_array(&v, from, 1, &n, src);
  assert_ok(GpuArray_empty(&a, test_context(), to, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_setarray(&a, &v));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

static void test_casts(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(dtypes); i++) {
    for (size_t k = 0; k < COUNT(dtypes); k++) {
      /* All pairs with float and long, and neighbours in the list. */
      if (!is_supported(dtypes[i]) || !is_supported(dtypes[k]) ||
          (dtypes[i] != GA_FLOAT && dtypes[k] != GA_FLOAT &&
           k != (i + 1) % COUNT(dtypes) && i != (k + 1) % COUNT(dtypes)))
        continue;
      check_cast(dtypes[i], dtypes[k]);
    }
  }
}

/* Rounding a double to float first would give 0x3c00. */
static void test_double_to_half_rounds_once(void **state) {
  const double in[] = {1.0 + 1.0 / 2048 + 1e-12,
                       65519.9999999,
                       65520,
                       -1e300,
                       INFINITY,
                       5.9604644775390625e-8 * 1.5000000001};
  const uint16_t want[] = {0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7c00, 0x0002};
  size_t n = COUNT(in);
  GpuArray a, v;

  (void)state;
  test_need_double();
  test_array(&v, GA_DOUBLE, 1, &n, in);
  assert_ok(GpuArray_empty(&a, test_context(), GA_HALF, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_setarray(&a, &v));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

static void test_bits_survive(void **state) {
  const uint32_t in[] = {0x7fc12345, 0x00000001, 0x80000000, 0xff800000};
  size_t dims[2] = {2, 2};
  GpuArray v, turned, copy;
  const uint32_t want[] = {0x7fc12345, 0x80000000, 0x00000001, 0xff800000};

  (void)state;
  test_array(&v, GA_FLOAT, 2, dims, in);
  assert_ok(GpuArray_transpose(&turned, &v, NULL));
  assert_ok(GpuArray_copy(&copy, &turned, GA_C_ORDER));
  test_array_equal(&copy, want);
  GpuArray_clear(&copy);
  GpuArray_clear(&turned);
  GpuArray_clear(&v);
}

/* --- copies --- */

static void check_copies(int typecode, size_t rows, size_t columns) {
  size_t dims[2] = {rows, columns}, n = rows * columns;
  char *data = calloc(n + 1, 16), *turned_data = calloc(n + 1, 16);
  size_t bytes = ga__dtype_size(typecode);
  GpuArray a, turned, copy;

  test_fill(data, typecode, n, 0, 100, 5);
  for (size_t i = 0; i < n; i++)
    memcpy(turned_data + i * bytes,
           data + (i % rows * columns + i / rows) * bytes, bytes);
  test_array(&a, typecode, 2, dims, data);
  assert_ok(GpuArray_transpose(&turned, &a, NULL));

  assert_ok(GpuArray_copy(&copy, &a, GA_F_ORDER));
  assert_true(GpuArray_IS_F_CONTIGUOUS(&copy));
  test_array_equal(&copy, data);
  GpuArray_clear(&copy);
  assert_ok(GpuArray_copy(&copy, &turned, GA_C_ORDER));
  assert_true(GpuArray_IS_C_CONTIGUOUS(&copy));
  test_array_equal(&copy, turned_data);
  GpuArray_clear(&copy);
  assert_ok(GpuArray_copy(&copy, &turned, GA_ANY_ORDER));
  assert_true(GpuArray_IS_F_CONTIGUOUS(&copy));
  test_array_equal(&copy, turned_data);
  GpuArray_clear(&copy);
  GpuArray_clear(&turned);
  GpuArray_clear(&a);
  free(turned_data);
  free(data);
}

static void test_copies(void **state) {
  static const int types[] = {GA_UBYTE, GA_HALF, GA_FLOAT, GA_LONG, GA_CFLOAT};

  (void)state;
  for (size_t i = 0; i < COUNT(types); i++) {
    check_copies(types[i], 67, 45);
    check_copies(types[i], 300, 300);
  }
  check_copies(GA_FLOAT, 0, 4);
  check_copies(GA_FLOAT, 1, 1);
  check_copies(GA_FLOAT, 3, 1000);
  check_copies(GA_CDOUBLE, 20, 30); /* words only: needs no fp64 */
  check_copies(GA_FLOAT, 300, 1000);
}

/* Every second element of a row, of rows of any length, up to the buffer's last
 * element and back from it. */
static void check_seconds(int typecode, size_t columns, ssize_t step) {
  const size_t rows = 5, n = (columns + 1) / 2, dims[2] = {rows, columns};
  const size_t bytes = ga__dtype_size(typecode);
  const ssize_t last = (ssize_t)(n - 1) * 2;
  const ssize_t starts[2] = {0, step > 0 ? 0 : last};
  const ssize_t stops[2] = {(ssize_t)rows, step > 0 ? (ssize_t)columns : -1};
  const ssize_t steps[2] = {1, step};
  char *data = calloc(rows * columns, bytes), *want = calloc(rows * n, bytes);
  GpuArray a, copy;

  test_fill(data, typecode, rows * columns, 0, 100, 5);
  for (size_t i = 0; i < rows * n; i++) {
    const size_t k = i % n * 2, from = step > 0 ? k : (size_t)last - k;

    memcpy(want + i * bytes, data + (i / n * columns + from) * bytes, bytes);
  }
  test_array(&a, typecode, 2, dims, data);
  assert_ok(GpuArray_index_inplace(&a, starts, stops, steps));
  assert_ok(GpuArray_copy(&copy, &a, GA_C_ORDER));
  test_array_equal(&copy, want);
  GpuArray_clear(&copy);
  GpuArray_clear(&a);
  free(want);
  free(data);
}

static void test_seconds(void **state) {
  static const int types[] = {GA_UBYTE, GA_HALF, GA_FLOAT, GA_LONG, GA_CFLOAT};
  static const size_t columns[] = {1, 2, 33, 126, 127};

  (void)state;
  for (size_t i = 0; i < COUNT(types); i++)
    check_seconds(types[i], 1001, 2);
  for (size_t k = 0; k < COUNT(columns); k++)
    check_seconds(GA_FLOAT, columns[k], 2);
  check_seconds(GA_FLOAT, 127, -2);
}

/* Types that kernels do not compute with are copied all the same. */
static void test_copy_of_vectors(void **state) {
  static gpuarray_type rgb = {"rgb", 6, 2, 0};
  size_t dims[2] = {31, 17}, n = 31 * 17;
  uint32_t *data = calloc(n, 16);
  int types[2] = {GA_FLOAT4, 0};

  (void)state;
  types[1] = gpuarray_register_type(&rgb, NULL);
  test_fill(data, GA_UINT, n * 4, 0, 1e9, 8);
  for (int k = 0; k < 2; k++) {
    GpuArray a, turned, copy, back;

    test_array(&a, types[k], 2, dims, data);
    assert_ok(GpuArray_transpose(&turned, &a, NULL));
    assert_ok(GpuArray_copy(&copy, &turned, GA_C_ORDER));
    assert_ok(GpuArray_transpose(&back, &copy, NULL));
    test_array_equal(&back, data);
    GpuArray_clear(&back);
    GpuArray_clear(&copy);
    GpuArray_clear(&turned);
    GpuArray_clear(&a);
  }
  free(data);
}

/* The context keeps what a copy needs, and lets go of it when it dies. */
static void test_copies_end_with_their_context(void **state) {
  size_t dims[2] = {30, 40};
  gpucontext *ctx;
  GpuArray a, b;

  (void)state;
  test_context();
  long live = ga__alloc_live();
  assert_ok(gpucontext_open(&ctx, NULL));
  assert_ok(GpuArray_zeros(&a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_copy(&b, &a, GA_F_ORDER));
  assert_ok(GpuArray_setarray(&b, &a));
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  assert_int_equal(live, ga__alloc_live());
}

static void test_copy_of_nothing(void **state) {
  GpuArray zero = {0}, copy;

  (void)state;
  assert_code(GA_INVALID_ERROR, GpuArray_copy(&copy, &zero, GA_C_ORDER));
  assert_null(copy.data);
}

/* Axes in every order, as for images. */
static void test_copy_of_four_axes(void **state) {
  static const unsigned int orders[][4] = {
      {0, 2, 3, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 0, 1, 3}};
  size_t dims[4] = {3, 5, 20, 18}, n = 3 * 5 * 20 * 18;
  float *data = calloc(n, sizeof *data), *want = calloc(n, sizeof *want);
  GpuArray a;

  (void)state;
  test_fill(data, GA_FLOAT, n, 0, 100, 6);
  test_array(&a, GA_FLOAT, 4, dims, data);
  for (size_t i = 0; i < COUNT(orders); i++) {
    GpuArray turned, copy;

    assert_ok(GpuArray_transpose(&turned, &a, orders[i]));
    test_gather(&turned, want);
    assert_ok(GpuArray_copy(&copy, &turned, GA_C_ORDER));
    test_array_equal(&copy, want);
    GpuArray_clear(&copy);
    GpuArray_clear(&turned);
  }
  GpuArray_clear(&a);
  free(want);
  free(data);
}

/* --- assignment --- */

static void test_assign_repeats(void **state) {
  const float column[3] = {1, 2, 3}, five = 5;
  const float want_five[6] = {5, 5, 5, 5, 5, 5};
  const float want[6] = {1, 1, 2, 2, 3, 3};
  size_t dims[2] = {3, 2}, ones[2] = {3, 1}, too_long[1] = {3};
  GpuArray a, v, scalar, bad;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  test_array(&v, GA_FLOAT, 2, ones, column);
  test_array(&scalar, GA_FLOAT, 0, NULL, &five);
  test_array(&bad, GA_FLOAT, 1, too_long, column);
  assert_ok(GpuArray_setarray(&a, &v));
  test_array_equal(&a, want);
  assert_code(GA_VALUE_ERROR, GpuArray_setarray(&a, &bad));
  assert_message(GA_VALUE_ERROR, "dim 1: expected 2, got 3");
  test_array_equal(&a, want);
  assert_ok(GpuArray_setarray(&a, &scalar));
  test_array_equal(&a, want_five);
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_VALUE_ERROR, GpuArray_setarray(&a, &v));
  GpuArray_clear(&bad);
  GpuArray_clear(&scalar);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}

static void test_assign_to_itself_shifted(void **state) {
  const int data[6] = {1, 2, 3, 4, 5, 6}, want[6] = {1, 1, 2, 3, 4, 5};
  size_t n = 6;
  ssize_t start = 0, stop = 5, step = 1, from_one = 1, to_six = 6;
  GpuArray a, head, tail;

  (void)state;
  test_array(&a, GA_INT, 1, &n, data);
  assert_ok(GpuArray_index(&head, &a, &start, &stop, &step));
  assert_ok(GpuArray_index(&tail, &a, &from_one, &to_six, &step));
  assert_ok(GpuArray_setarray(&tail, &head));
  test_array_equal(&a, want);
  assert_ok(GpuArray_setarray(&a, &a));
  test_array_equal(&a, want);
  GpuArray_clear(&tail);
  GpuArray_clear(&head);
  GpuArray_clear(&a);
}

static void test_transpose_in_place(void **state) {
  const int data[4] = {1, 2, 3, 4}, want[4] = {1, 3, 2, 4};
  size_t dims[2] = {2, 2};
  GpuArray a, turned;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_transpose(&turned, &a, NULL));
  assert_ok(GpuArray_setarray(&a, &turned));
  test_array_equal(&a, want);
  GpuArray_clear(&turned);
  GpuArray_clear(&a);
}

/* --- moves --- */

static void check_move(ga_order to, ga_order from) {
  size_t wide[2] = {4, 6}, tall[3] = {2, 3, 4};
  int data[24], got[24];
  GpuArray dst, src, c;

  for (int i = 0; i < 24; i++)
    data[i] = i;
  test_array(&c, GA_INT, 2, wide, data);
  assert_ok(GpuArray_copy(&src, &c, from));
  assert_ok(GpuArray_empty(&dst, test_context(), GA_INT, 3, tall, to));
  assert_ok(GpuArray_move(&dst, &src));
  test_gather(&dst, got);
  assert_memory_equal(got, data, sizeof data);
  GpuArray_clear(&dst);
  GpuArray_clear(&src);
  GpuArray_clear(&c);
}

static void test_moves(void **state) {
  size_t four = 4, five = 5;
  GpuArray a, b;

  (void)state;
  check_move(GA_C_ORDER, GA_C_ORDER);
  check_move(GA_C_ORDER, GA_F_ORDER);
  check_move(GA_F_ORDER, GA_C_ORDER);
  check_move(GA_F_ORDER, GA_F_ORDER);
  assert_ok(GpuArray_zeros(&a, test_context(), GA_INT, 1, &four, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&b, test_context(), GA_INT, 1, &five, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, GpuArray_move(&a, &b));
  assert_message(GA_VALUE_ERROR, "5 elements into an array of 4");
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

/* Floats at odd addresses: no copy takes them, from nowhere to nowhere. */
static void test_unaligned(void **state) {
  const size_t room = 64, dims[2] = {3, 2};
  const ssize_t gaps[2] = {8, 4}, odd[2] = {10, 5};
  const float ones[6] = {1, 1, 1, 1, 1, 1};
  GpuArray bytes, shifted, spread, a, copy;

  (void)state;
  assert_ok(
      GpuArray_zeros(&bytes, test_context(), GA_UBYTE, 1, &room, GA_C_ORDER));
  assert_ok(
      GpuArray_fromdata(&shifted, bytes.data, 1, GA_FLOAT, 2, dims, gaps, 1));
  assert_ok(
      GpuArray_fromdata(&spread, bytes.data, 0, GA_FLOAT, 2, dims, odd, 1));
  test_array(&a, GA_FLOAT, 2, dims, ones);
  assert_code(GA_UNALIGNED_ERROR, GpuArray_setarray(&a, &shifted));
  assert_message(GA_UNALIGNED_ERROR, "offset 1: elements are not aligned for");
  assert_code(GA_UNALIGNED_ERROR, GpuArray_setarray(&shifted, &a));
  assert_code(GA_UNALIGNED_ERROR, GpuArray_setarray(&a, &spread));
  assert_code(GA_UNALIGNED_ERROR, GpuArray_move(&a, &shifted));
  assert_code(GA_UNALIGNED_ERROR, GpuArray_move(&spread, &a));
  assert_code(GA_UNALIGNED_ERROR, GpuArray_transfer(&a, &shifted));
  assert_code(GA_UNALIGNED_ERROR, GpuArray_copy(&copy, &spread, GA_C_ORDER));
  assert_null(copy.data);
  test_array_equal(&a, ones);
  GpuArray_clear(&a);
  GpuArray_clear(&spread);
  GpuArray_clear(&shifted);
  GpuArray_clear(&bytes);
}

/* --- between contexts --- */

static void test_transfers(void **state) {
  size_t dims[2] = {5, 7};
  int data[35], turned_data[35];
  gpucontext *other;
  GpuArray a, turned, b, wrong;

  (void)state;
  test_context();
  assert_ok(gpucontext_open(&other, NULL));
  test_fill(data, GA_INT, 35, 0, 100, 7);
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_empty(&b, other, GA_INT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_transfer(&b, &a));
  test_array_equal(&b, data);
  GpuArray_clear(&b);

  assert_ok(GpuArray_transpose(&turned, &a, NULL));
  test_gather(&turned, turned_data);
  assert_ok(
      GpuArray_empty(&b, other, GA_INT, 2, turned.dimensions, GA_C_ORDER));
  assert_ok(GpuArray_transfer(&b, &turned));
  test_array_equal(&b, turned_data);
  assert_code(GA_VALUE_ERROR, GpuArray_transfer(&b, &a));
  assert_message(GA_VALUE_ERROR, "dim 0: expected 7, got 5");
  assert_ok(GpuArray_empty(&wrong, other, GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_transfer(&wrong, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_setarray(&wrong, &a));
  GpuArray_clear(&wrong);
  GpuArray_clear(&b);
  GpuArray_clear(&turned);
  GpuArray_clear(&a);
  gpucontext_deref(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_casts),
      cmocka_unit_test(test_double_to_half_rounds_once),
      cmocka_unit_test(test_bits_survive),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_seconds),
      cmocka_unit_test(test_copy_of_vectors),
      cmocka_unit_test(test_copies_end_with_their_context),
      cmocka_unit_test(test_copy_of_nothing),
      cmocka_unit_test(test_copy_of_four_axes),
      cmocka_unit_test(test_assign_repeats),
      cmocka_unit_test(test_assign_to_itself_shifted),
      cmocka_unit_test(test_transpose_in_place),
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_unaligned),
      cmocka_unit_test(test_transfers),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

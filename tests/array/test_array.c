/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays: allocation and its limits, flags, foreign buffers, host transfers. */
#include "support/device.h"

#include <gpuarray/profile.h>

#include <limits.h>
#include <string.h>

static void assert_zeroed(const GpuArray *a) {
  static const GpuArray zero;

  assert_memory_equal(a, &zero, sizeof zero);
}

static void test_empty_sets_strides(void **state) {
  size_t dims[3] = {2, 3, 4};
  ssize_t c[3] = {48, 16, 4}, f[3] = {4, 8, 24};
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 3, dims, GA_C_ORDER));
  assert_memory_equal(a.strides, c, sizeof c);
  assert_memory_equal(a.dimensions, dims, sizeof dims);
  assert_int_equal(a.flags, GA_CARRAY);
  assert_int_equal(a.offset, 0);
  assert_ptr_equal(GpuArray_context(&a), test_context());
  GpuArray_clear(&a);
  assert_zeroed(&a);
  GpuArray_clear(&a);
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 3, dims, GA_F_ORDER));
  assert_memory_equal(a.strides, f, sizeof f);
  assert_int_equal(a.flags, GA_FARRAY);
  GpuArray_clear(&a);
  GpuArray_clear(NULL);
}

/* Arrays that both orders describe have both flags, as in NumPy. */
static void test_flags_of_small_shapes(void **state) {
  static const struct {
    unsigned int nd;
    size_t dims[3];
  } cases[] = {{0, {0}},       {1, {5}},       {1, {0}},      {2, {1, 5}},
               {3, {1, 5, 1}}, {3, {1, 1, 1}}, {2, {0, 4}},   {2, {4, 0}},
               {3, {3, 0, 2}}, {1, {1}},       {3, {1, 1, 7}}};
  int both = GA_C_CONTIGUOUS | GA_F_CONTIGUOUS | GA_BEHAVED;
  GpuArray a;

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, cases[i].nd,
                             cases[i].dims, i % 2 ? GA_F_ORDER : GA_ANY_ORDER));
    assert_int_equal(a.flags, both);
    GpuArray_clear(&a);
  }
}

static void test_empty_refuses(void **state) {
  size_t dims[65] = {2, 3}, huge[2] = {SIZE_MAX, 0};
  size_t wide[3] = {(size_t)1 << 32, (size_t)1 << 32, 4};
  size_t bytes[2] = {(size_t)1 << 31, (size_t)1 << 30};
  gpucontext *ctx = test_context();
  GpuArray a;

  (void)state;
  memset(&a, 0xff, sizeof a);
  assert_code(GA_VALUE_ERROR,
              GpuArray_empty(&a, ctx, 9999, 2, dims, GA_C_ORDER));
  assert_message(GA_VALUE_ERROR, "9999");
  assert_zeroed(&a);
  assert_code(GA_VALUE_ERROR,
              GpuArray_empty(&a, ctx, GA_FLOAT, 2, dims, (ga_order)7));
  assert_message(GA_VALUE_ERROR, "order 7");
  assert_code(GA_VALUE_ERROR,
              GpuArray_empty(&a, ctx, GA_FLOAT, 65, dims, GA_C_ORDER));
  assert_message(GA_VALUE_ERROR, "65 dimensions, the limit is 64");
  assert_code(GA_VALUE_ERROR,
              GpuArray_empty(&a, ctx, GA_FLOAT, 2, NULL, GA_C_ORDER));
  assert_code(GA_XLARGE_ERROR,
              GpuArray_empty(&a, ctx, GA_FLOAT, 3, wide, GA_C_ORDER));
  assert_message(GA_XLARGE_ERROR, "4294967296");
  assert_code(GA_XLARGE_ERROR,
              GpuArray_empty(&a, ctx, GA_CDOUBLE, 2, bytes, GA_C_ORDER));
  assert_code(GA_XLARGE_ERROR,
              GpuArray_zeros(&a, ctx, GA_FLOAT, 2, huge, GA_C_ORDER));
  assert_code(GA_INVALID_ERROR,
              GpuArray_empty(&a, NULL, GA_FLOAT, 1, dims, GA_C_ORDER));
  assert_zeroed(&a);
}

static void test_zeros_are_zero(void **state) {
  size_t dims[2] = {5, 7}, empty[2] = {5, 0};
  float zero[35] = {0};
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, dims, GA_F_ORDER));
  test_array_equal(&a, zero);
  GpuArray_clear(&a);
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, empty, GA_C_ORDER));
  assert_ok(GpuArray_sync(&a));
  GpuArray_clear(&a);
}

static void test_fromdata_counts_references(void **state) {
  ssize_t strides[2] = {16, 4};
  size_t dims[2] = {3, 4};
  unsigned int refs;
  GpuArray a;

  (void)state;
  gpudata *buf = gpudata_alloc(test_context(), 48, NULL, 0, NULL);
  assert_non_null(buf);
  assert_ok(GpuArray_fromdata(&a, buf, 0, GA_FLOAT, 2, dims, strides, 0));
  assert_int_equal(a.flags, GA_C_CONTIGUOUS | GA_ALIGNED);
  assert_ok(gpudata_property(buf, GA_BUFFER_PROP_REFCNT, &refs));
  assert_int_equal(refs, 2);
  GpuArray_clear(&a);
  assert_code(GA_VALUE_ERROR,
              GpuArray_fromdata(&a, buf, 0, 9999, 2, dims, strides, 0));
  assert_zeroed(&a);
  assert_ok(gpudata_property(buf, GA_BUFFER_PROP_REFCNT, &refs));
  assert_int_equal(refs, 1);
  gpudata_release(buf);
}

static void test_fromdata_stays_inside(void **state) {
  static const struct {
    size_t offset;
    size_t dims[2];
    ssize_t strides[2];
    int code;
  } cases[] = {
      {0, {3, 4}, {16, 4}, GA_NO_ERROR},
      {44, {3, 4}, {-16, -4}, GA_NO_ERROR},
      {32, {3, 4}, {-16, 4}, GA_NO_ERROR},
      {44, {3, 4}, {0, 0}, GA_NO_ERROR},
      {48, {3, 0}, {999, 4}, GA_NO_ERROR},
      {4, {3, 4}, {16, 4}, GA_VALUE_ERROR},
      {40, {3, 4}, {-16, -4}, GA_VALUE_ERROR},
      {0, {3, 4}, {20, 4}, GA_VALUE_ERROR},
      {SIZE_MAX - 3, {1, 1}, {4, 4}, GA_VALUE_ERROR},
      {0, {3, 4}, {SSIZE_MAX, 4}, GA_XLARGE_ERROR},
      {0, {2, 2}, {SSIZE_MAX / 2 + 1, SSIZE_MAX / 2 + 1}, GA_XLARGE_ERROR},
      {0, {2, 1}, {-SSIZE_MAX - 1, 4}, GA_XLARGE_ERROR},
  };
  GpuArray a;

  (void)state;
  gpudata *buf = gpudata_alloc(test_context(), 48, NULL, 0, NULL);
  assert_non_null(buf);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_code(cases[i].code,
                GpuArray_fromdata(&a, buf, cases[i].offset, GA_FLOAT, 2,
                                  cases[i].dims, cases[i].strides, 1));
    GpuArray_clear(&a);
  }
  assert_code(GA_INVALID_ERROR,
              GpuArray_fromdata(&a, NULL, 0, GA_FLOAT, 2, cases[0].dims,
                                cases[0].strides, 1));
  gpudata_release(buf);
}

static void test_alignment_flag(void **state) {
  size_t dims[2] = {2, 2}, one[2] = {1, 2};
  ssize_t odd[2] = {9, 4}, even[2] = {12, 4};
  GpuArray a;

  (void)state;
  gpudata *buf = gpudata_alloc(test_context(), 64, NULL, 0, NULL);
  assert_non_null(buf);
  assert_ok(GpuArray_fromdata(&a, buf, 4, GA_FLOAT, 2, dims, even, 1));
  assert_true(GpuArray_ISALIGNED(&a));
  GpuArray_clear(&a);
  assert_ok(GpuArray_fromdata(&a, buf, 2, GA_FLOAT, 2, dims, even, 1));
  assert_false(GpuArray_ISALIGNED(&a));
  GpuArray_clear(&a);
  assert_ok(GpuArray_fromdata(&a, buf, 4, GA_FLOAT, 2, dims, odd, 1));
  assert_false(GpuArray_ISALIGNED(&a));
  GpuArray_clear(&a);
  /* The stride of a dimension of size 1 leads nowhere. */
  assert_ok(GpuArray_fromdata(&a, buf, 4, GA_FLOAT, 2, one, odd, 1));
  assert_true(GpuArray_ISALIGNED(&a));
  assert_true(GpuArray_IS_C_CONTIGUOUS(&a));
  GpuArray_clear(&a);
  gpudata_release(buf);
}

/* What callers do who changed sizes or strides themselves. */
static void test_flags_are_worked_out_again(void **state) {
  const size_t dims[2] = {2, 3};
  const int order = GA_C_CONTIGUOUS | GA_F_CONTIGUOUS;
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  a.flags &= ~GA_WRITEABLE;
  a.strides[0] = 4;
  a.strides[1] = 8;
  GpuArray_fix_flags(&a);
  assert_int_equal(a.flags, GA_F_CONTIGUOUS | GA_ALIGNED);
  a.dimensions[1] = 2;
  a.strides[0] = 12;
  a.strides[1] = 4;
  GpuArray_fix_flags(&a);
  assert_int_equal(a.flags & order, 0);
  a.offset = 2;
  a.dimensions[0] = 1;
  GpuArray_fix_flags(&a);
  assert_int_equal(a.flags, order);
  GpuArray_clear(&a);
}

static void test_write_and_read(void **state) {
  float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
  size_t dims[2] = {2, 3};
  GpuArray a;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, in);
  assert_ok(GpuArray_read(out, sizeof out, &a));
  assert_memory_equal(in, out, sizeof in);
  in[0] = 9;
  assert_ok(GpuArray_write(&a, in, 4)); /* a part is fine */
  assert_ok(GpuArray_read(out, 8, &a));
  assert_true(out[0] == 9 && out[1] == 2);
  assert_ok(GpuArray_write(&a, NULL, 0));
  assert_ok(GpuArray_read(NULL, 0, &a));
  GpuArray_clear(&a);
}

static void test_write_and_read_refuse(void **state) {
  ssize_t starts[2] = {0, 0}, stops[2] = {2, 3}, steps[2] = {1, 2};
  float in[7] = {1, 2, 3, 4, 5, 6, 7}, out[7];
  size_t dims[2] = {2, 3};
  GpuArray a, gaps, none = {0};

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, in);
  assert_ok(GpuArray_index(&gaps, &a, starts, stops, steps));
  assert_code(GA_VALUE_ERROR, GpuArray_write(&a, in, 28));
  assert_message(GA_VALUE_ERROR, "28 bytes for an array of 24");
  assert_code(GA_VALUE_ERROR, GpuArray_read(out, 28, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_write(&a, NULL, 4));
  assert_code(GA_VALUE_ERROR, GpuArray_read(NULL, 4, &a));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_write(&gaps, in, 16));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_read(out, 16, &gaps));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_memset(&gaps, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_write(&none, in, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_read(out, 0, &none));
  assert_code(GA_INVALID_ERROR, GpuArray_sync(&none));
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_VALUE_ERROR, GpuArray_write(&a, in, 4));
  assert_message(GA_VALUE_ERROR, "not writeable");
  assert_code(GA_VALUE_ERROR, GpuArray_memset(&a, 0));
  test_array_equal(&a, in);
  GpuArray_clear(&gaps);
  GpuArray_clear(&a);
}

static uint64_t programs(void) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(test_context(), &c));
  return c.programs_built + c.programs_loaded + c.programs_reused;
}

/* Without a program, into the view and nowhere else. */
static void test_memset_stays_inside(void **state) {
  ssize_t starts[2] = {1, 0}, stops[2] = {3, 2}, steps[2] = {1, 1};
  uint8_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint8_t want[8] = {1, 2, 0xab, 0xab, 0xab, 0xab, 7, 8};
  size_t dims[2] = {4, 2};
  const uint64_t before = programs();
  GpuArray a, part;

  (void)state;
  test_array(&a, GA_UBYTE, 2, dims, in);
  assert_ok(GpuArray_index(&part, &a, starts, stops, steps));
  assert_ok(GpuArray_memset(&part, 0x1ab));
  test_array_equal(&a, want);
  GpuArray_clear(&part);
  assert_ok(GpuArray_memset(&a, 7));
  memset(want, 7, sizeof want);
  test_array_equal(&a, want);
  assert_int_equal(programs(), before); /* the driver does it */
  GpuArray_clear(&a);
}

static void test_share_looks_at_bytes(void **state) {
  ssize_t zero[1] = {0}, mid[1] = {3}, end[1] = {6}, up[1] = {1},
          down[1] = {-1};
  ssize_t before[1] = {-1}, last[1] = {5};
  float data[6] = {0};
  size_t dims[1] = {6};
  GpuArray a, b, low, high, back;

  (void)state;
  test_array(&a, GA_FLOAT, 1, dims, data);
  test_array(&b, GA_FLOAT, 1, dims, data);
  assert_ok(GpuArray_index(&low, &a, zero, mid, up));
  assert_ok(GpuArray_index(&high, &a, mid, end, up));
  assert_ok(GpuArray_index(&back, &a, last, before, down));
  assert_int_equal(GpuArray_share(&a, &a), 1);
  assert_int_equal(GpuArray_share(&a, &b), 0);
  assert_int_equal(GpuArray_share(&low, &high), 0);
  assert_int_equal(GpuArray_share(&low, &back), 1);
  assert_int_equal(GpuArray_share(&back, &high), 1);
  GpuArray_clear(&low);
  assert_int_equal(GpuArray_share(&low, &a), 0);
  GpuArray_clear(&high);
  GpuArray_clear(&back);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void test_error_text(void **state) {
  GpuArray none = {0};

  (void)state;
  assert_code(GA_INVALID_ERROR, GpuArray_sync(&none));
  assert_string_equal(GpuArray_error(&none, GA_INVALID_ERROR),
                      "the array is not initialised");
  assert_non_null(GpuArray_error(NULL, GA_COPY_ERROR));
  assert_null(GpuArray_context(&none));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty_sets_strides),
      cmocka_unit_test(test_flags_of_small_shapes),
      cmocka_unit_test(test_empty_refuses),
      cmocka_unit_test(test_zeros_are_zero),
      cmocka_unit_test(test_fromdata_counts_references),
      cmocka_unit_test(test_fromdata_stays_inside),
      cmocka_unit_test(test_alignment_flag),
      cmocka_unit_test(test_flags_are_worked_out_again),
      cmocka_unit_test(test_write_and_read),
      cmocka_unit_test(test_write_and_read_refuse),
      cmocka_unit_test(test_memset_stays_inside),
      cmocka_unit_test(test_share_looks_at_bytes),
      cmocka_unit_test(test_error_text),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

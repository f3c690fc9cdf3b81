/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing where the layout allows it, and copies where they are allowed. */
#include "support/device.h"

#include <gpuarray/convert.h>

#include <string.h>

#include "base/alloc.h"

static const gpuwant any_c = {GA_KEEP_TYPE, GA_C_ORDER, 0};

static void layouts_that_fit_are_shared(void **state) {
  const size_t dims[2] = {2, 3};
  const int data[6] = {1, 2, 3, 4, 5, 6};
  GpuArray a, t, out;
  gpuwant want = any_c;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  for (int copy = GA_COPY_NEVER; copy <= GA_COPY_IF_NEEDED; copy++) {
    assert_ok(GpuArray_convert(&out, &a, &want, (ga_copyif)copy));
    assert_ptr_equal(out.data, a.data);
    GpuArray_clear(&out);
  }
  assert_ok(GpuArray_transpose(&t, &a, NULL));
  want.order = GA_F_ORDER;
  assert_ok(GpuArray_convert(&out, &t, &want, GA_COPY_NEVER));
  assert_ptr_equal(out.data, a.data);
  GpuArray_clear(&out);
  want.order = GA_ANY_ORDER;
  assert_ok(GpuArray_convert(&out, &t, &want, GA_COPY_NEVER));
  assert_ptr_equal(out.data, a.data);
  GpuArray_clear(&a); /* what is shared keeps the buffer */
  GpuArray_clear(&t);
  {
    const int turned[6] = {1, 4, 2, 5, 3, 6};

    test_array_equal(&out, turned);
  }
  GpuArray_clear(&out);
}

static void copies_are_made_when_allowed(void **state) {
  const size_t dims[2] = {2, 3};
  const int data[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 4, 2, 5, 3, 6};
  GpuArray a, t, out;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_transpose(&t, &a, NULL));
  assert_code(GA_COPY_ERROR, GpuArray_convert(&out, &t, &any_c, GA_COPY_NEVER));
  assert_message(GA_COPY_ERROR, "not contiguous in C order");
  assert_null(out.data);
  assert_ok(GpuArray_convert(&out, &t, &any_c, GA_COPY_IF_NEEDED));
  assert_ptr_not_equal(out.data, a.data);
  assert_true(GpuArray_IS_C_CONTIGUOUS(&out));
  test_array_equal(&out, turned);
  GpuArray_clear(&out);
  assert_ok(GpuArray_convert(&out, &a, &any_c, GA_COPY_ALWAYS));
  assert_ptr_not_equal(out.data, a.data);
  test_array_equal(&out, data);
  GpuArray_clear(&out);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}

/* What a size of 1 has as its stride says nothing about the layout. */
static void sizes_of_one_do_not_count(void **state) {
  const size_t dims[4] = {1, 2, 1, 3};
  const ssize_t strides[4] = {-77, 3, 0, 1}, plain[4] = {6, 3, 3, 1};
  const float data[6] = {1, 2, 3, 4, 5, 6};
  gpuwant want = {GA_KEEP_TYPE, GA_C_ORDER,
                  GA_WANT_NO_REVERSAL | GA_WANT_WHOLE_STRIDES};
  ssize_t got[4];
  GpuArray a, out;

  (void)state;
  test_array_strided(&a, GA_FLOAT, 4, dims, strides, data);
  a.strides[2] = 5; /* no multiple of anything */
  assert_ok(GpuArray_convert(&out, &a, &want, GA_COPY_NEVER));
  assert_ptr_equal(out.data, a.data);
  for (int k = 0; k < 4; k++)
    assert_int_equal(out.strides[k], plain[k] * 4);
  test_array_equal(&out, data);
  assert_ok(GpuArray_element_strides(got, &a));
  assert_memory_equal(got, plain, sizeof got);
  GpuArray_clear(&out);
  GpuArray_clear(&a);
}

static void each_want_is_looked_at(void **state) {
  enum { N = 4 };
  const size_t dims[1] = {N};
  const ssize_t back[1] = {-1};
  const float data[N] = {1, 2, 3, 4};
  static const struct {
    int flags;
    const char *why;
  } wants[] = {{GA_WANT_NO_REVERSAL, "dim 0: stride -4"},
               {GA_WANT_NO_OFFSET, "24 bytes into the buffer"},
               {GA_WANT_WRITEABLE, "not writeable"}};
  GpuArray a, out;

  (void)state;
  test_array_strided(&a, GA_FLOAT, 1, dims, back, data);
  a.flags &= ~GA_WRITEABLE;
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    const gpuwant want = {GA_KEEP_TYPE, GA_C_ORDER,
                          GA_WANT_STRIDED | wants[i].flags};

    assert_code(GA_COPY_ERROR,
                GpuArray_convert(&out, &a, &want, GA_COPY_NEVER));
    assert_message(GA_COPY_ERROR, wants[i].why);
    assert_ok(GpuArray_convert(&out, &a, &want, GA_COPY_IF_NEEDED));
    assert_true(out.strides[0] == 4 && out.offset == 0);
    assert_true(GpuArray_ISWRITEABLE(&out));
    test_array_equal(&out, data);
    GpuArray_clear(&out);
  }
  GpuArray_clear(&a);
}

/* Every third byte offset of a float is not aligned, nor is its stride whole.
 */
static void odd_strides_are_copied(void **state) {
  const size_t bytes = 64, dims[1] = {5};
  const ssize_t strides[1] = {5};
  unsigned char raw[64];
  float data[5];
  gpuwant want = {GA_KEEP_TYPE, GA_ANY_ORDER,
                  GA_WANT_STRIDED | GA_WANT_WHOLE_STRIDES};
  GpuArray a, out;
  ssize_t got[1];

  (void)state;
  test_fill(data, GA_FLOAT, 5, -1, 1, 3);
  for (int i = 0; i < 5; i++)
    memcpy(raw + 3 + 5 * i, &data[i], 4);
  gpudata *d = gpudata_alloc(test_context(), bytes, raw, GA_BUFFER_INIT, NULL);
  assert_ok(GpuArray_fromdata(&a, d, 3, GA_FLOAT, 1, dims, strides, 1));
  gpudata_release(d);
  assert_code(GA_VALUE_ERROR, GpuArray_element_strides(got, &a));
  assert_message(GA_VALUE_ERROR, "stride 5 is not a multiple of 4");
  assert_code(GA_COPY_ERROR, GpuArray_convert(&out, &a, &want, GA_COPY_NEVER));
  want.flags = GA_WANT_STRIDED | GA_WANT_ALIGNED;
  assert_code(GA_COPY_ERROR, GpuArray_convert(&out, &a, &want, GA_COPY_NEVER));
  assert_message(GA_COPY_ERROR, "not aligned");
  GpuArray_clear(&a);
}

static void types_are_cast(void **state) {
  const size_t dims[2] = {2, 2};
  const int data[4] = {1, 2, 3, 4};
  const double turned[4] = {1, 3, 2, 4};
  gpuwant want = {GA_DOUBLE, GA_F_ORDER, 0};
  GpuArray a, t, out;

  (void)state;
  test_need_double();
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_transpose(&t, &a, NULL));
  assert_code(GA_COPY_ERROR, GpuArray_convert(&out, &t, &want, GA_COPY_NEVER));
  assert_message(GA_COPY_ERROR, "wanted float64, have int32");
  assert_ok(GpuArray_convert(&out, &t, &want, GA_COPY_IF_NEEDED));
  assert_true(GpuArray_IS_F_CONTIGUOUS(&out));
  test_array_equal(&out, turned);
  GpuArray_clear(&out);
  long live = ga__alloc_live();
  want.typecode = 99;
  assert_code(GA_VALUE_ERROR, GpuArray_convert(&out, &t, &want, 1));
  want = (gpuwant){GA_KEEP_TYPE, (ga_order)7, 0};
  assert_code(GA_VALUE_ERROR, GpuArray_convert(&out, &t, &want, 1));
  assert_code(GA_INVALID_ERROR, GpuArray_convert(&out, &out, &any_c, 1));
  assert_int_equal(ga__alloc_live(), live);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_that_fit_are_shared),
      cmocka_unit_test(copies_are_made_when_allowed),
      cmocka_unit_test(sizes_of_one_do_not_count),
      cmocka_unit_test(each_want_is_looked_at),
      cmocka_unit_test(odd_strides_are_copied),
      cmocka_unit_test(types_are_cast),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

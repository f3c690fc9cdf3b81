/* SPDX-License-Identifier: BSD-2-Clause */
/* Printing: every dtype, every layout, and a file that is full. */
#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/util.h>

/* What GpuArray_fdump prints; the caller frees it. */
static char *dump(const GpuArray *a) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);

  assert_non_null(f);
  assert_ok(GpuArray_fdump(f, a));
  fclose(f);
  return text;
}

static void check_dump(int typecode, const void *two, const char *want) {
  size_t dims[1] = {2};
  GpuArray a;

  test_array(&a, typecode, 1, dims, two);
  char *text = dump(&a);
  assert_string_equal(text, want);
  free(text);
  GpuArray_clear(&a);
}

static void test_dump_of_each_dtype(void **state) {
  int8_t i8[2] = {-128, 127};
  uint8_t u8[2] = {0, 255};
  int16_t i16[2] = {-32768, 7};
  uint16_t u16[2] = {1, 65535};
  int32_t i32[2] = {INT32_MIN, INT32_MAX};
  uint32_t u32[2] = {0, UINT32_MAX};
  int64_t i64[2] = {INT64_MIN, -1};
  uint64_t u64[2] = {0, UINT64_MAX};
  float f32[2] = {0.1f, -2};
  double f64[2] = {0.1, 1e300};
  ga_half_t f16[2];
  ga_bfloat_t bf16[2];
  float c64[4] = {1, -2, 0.5f, 0};

  (void)state;
  f16[0] = ga_float2half(1.5f);
  f16[1] = ga_float2half(65504.0f);
  bf16[0] = ga_float2bfloat(1.0078125f);
  bf16[1] = ga_float2bfloat(-1e38f);
  check_dump(GA_BYTE, i8, "[0] = -128\n[1] = 127\n");
  check_dump(GA_UBYTE, u8, "[0] = 0\n[1] = 255\n");
  check_dump(GA_BOOL, "\0\1", "[0] = 0\n[1] = 1\n");
  check_dump(GA_SHORT, i16, "[0] = -32768\n[1] = 7\n");
  check_dump(GA_USHORT, u16, "[0] = 1\n[1] = 65535\n");
  check_dump(GA_INT, i32, "[0] = -2147483648\n[1] = 2147483647\n");
  check_dump(GA_UINT, u32, "[0] = 0\n[1] = 4294967295\n");
  check_dump(GA_LONG, i64, "[0] = -9223372036854775808\n[1] = -1\n");
  check_dump(GA_ULONG, u64, "[0] = 0\n[1] = 18446744073709551615\n");
  check_dump(GA_FLOAT, f32, "[0] = 0.100000001\n[1] = -2\n");
  check_dump(GA_DOUBLE, f64,
             "[0] = 0.10000000000000001\n[1] = 1.0000000000000001e+300\n");
  check_dump(GA_HALF, f16, "[0] = 1.5\n[1] = 65504\n");
  check_dump(GA_BFLOAT, bf16, "[0] = 1.008\n[1] = -9.969e+37\n");
  check_dump(GA_CFLOAT, c64, "[0] = (1, -2)\n[1] = (0.5, 0)\n");
}

static void test_dump_is_in_c_order(void **state) {
  size_t dims[2] = {2, 3};
  ssize_t strides[2] = {-1, 4}; /* elements */
  int32_t data[6] = {0, 1, 2, 3, 4, 5};
  GpuArray a;

  (void)state;
  test_array_strided(&a, GA_INT, 2, dims, strides, data);
  char *text = dump(&a);
  assert_string_equal(text, "[0] = 0\n[1] = 1\n[2] = 2\n"
                            "[3] = 3\n[4] = 4\n[5] = 5\n");
  free(text);
  GpuArray_clear(&a);
}

static void test_dump_of_nothing(void **state) {
  size_t dims[2] = {0, 3};
  GpuArray a, none = {0};

  (void)state;
  test_array(&a, GA_INT, 2, dims, NULL);
  char *text = dump(&a);
  assert_string_equal(text, "");
  free(text);
  GpuArray_clear(&a);
  assert_code(GA_INVALID_ERROR, GpuArray_fdump(stdout, &none));
}

static void test_dump_reports_a_full_file(void **state) {
  FILE *full = fopen("/dev/full", "w");
  int32_t data[1] = {1};
  size_t dims[1] = {1};
  GpuArray a;

  (void)state;
  if (full == NULL)
    skip();
  setvbuf(full, NULL, _IONBF, 0);
  test_array(&a, GA_INT, 1, dims, data);
  assert_code(GA_SYS_ERROR, GpuArray_fdump(full, &a));
  assert_message(GA_SYS_ERROR, "element 0 of 1");
  fclose(full);
  GpuArray_clear(&a);
}

static void test_fprintf_tells_the_geometry(void **state) {
  size_t dims[2] = {2, 3}, n = 0;
  GpuArray a, none = {0};
  char *text = NULL;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  GpuArray_fprintf(f, &a);
  GpuArray_fprintf(f, &none);
  fclose(f);
  assert_non_null(strstr(text, "GpuArray float32 (typecode 11) [2, 3], strides "
                               "[12, 4], offset 0, flags C_CONTIGUOUS ALIGNED "
                               "WRITEABLE, data "));
  assert_non_null(strstr(text, "GpuArray, not initialised\n"));
  free(text);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dump_of_each_dtype),
      cmocka_unit_test(test_dump_is_in_c_order),
      cmocka_unit_test(test_dump_of_nothing),
      cmocka_unit_test(test_dump_reports_a_full_file),
      cmocka_unit_test(test_fprintf_tells_the_geometry),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

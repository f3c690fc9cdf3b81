/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of a model's tensors, within it and in other files, at their
 * limits. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "onnx/format/tensor.h"
#include "onnx/wire_bytes.h"
#include "support/device.h"
#include "support/tmpfile.h"

/* --- elements of tensors --- */

static ga__arena files_arena;
static gg__onnx_files files = {.arena = &files_arena};

static const int64_t *dims_of(size_t nd, const int64_t *d) {
  static int64_t dims[GG_MAX_ND + 1];

  for (size_t i = 0; i < nd; i++)
    dims[i] = d[i];
  return dims;
}

#define DIMS(...)                                                              \
  .nd = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                    \
  .dims = dims_of(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),          \
                  (int64_t[]){__VA_ARGS__})

static void has_elements(const gg__onnx_tensor *t, const void *want, size_t n) {
  const void *elements;
  void *own;

  assert_ok(gg__onnx_tensor_check(t, &files));
  assert_ok(gg__onnx_tensor_elements(t, &files, &elements, &own));
  if (n > 0)
    assert_memory_equal(elements, want, n);
  ga__free(own);
}

static void no_elements(const gg__onnx_tensor *t, int code, const char *why) {
  assert_code(code, gg__onnx_tensor_check(t, &files));
  assert_message(code, why);
}

static void test_types(void **state) {
  (void)state;
  assert_int_equal(gg__onnx_dtype(0), -1);
  assert_int_equal(gg__onnx_dtype(1), GA_FLOAT);
  assert_int_equal(gg__onnx_dtype(-1), -1);
  assert_int_equal(gg__onnx_dtype(27), -1);
  assert_int_equal(gg__onnx_dtype(INT64_MAX), -1);
  assert_int_equal(gg__onnx_dtype(INT64_MIN), -1);
  assert_string_equal(gg__onnx_type_name(0), "undefined");
  assert_string_equal(gg__onnx_type_name(26), "int2");
  assert_string_equal(gg__onnx_type_name(27), "unknown");
  assert_string_equal(gg__onnx_type_name(-1), "unknown");
}

static void test_raw_elements(void **state) {
  const gg__onnx_tensor raw = {
      .name = "w", .type = 5, DIMS(3), .raw = BYTES("\1\0\2\0\3\0")};
  gg__onnx_tensor t = raw;
  const int16_t want[] = {1, 2, 3};

  (void)state;
  has_elements(&raw, want, sizeof want);
  const void *elements;
  void *own;
  assert_ok(gg__onnx_tensor_elements(&raw, &files, &elements, &own));
  assert_ptr_equal(elements, raw.raw.p); /* where they lie */
  assert_null(own);
  t.raw.n = 5;
  no_elements(&t, GA_VALUE_ERROR, "tensor \"w\" has 5 bytes, its sizes need 6");
  t = (gg__onnx_tensor){
      .name = "b", .type = 9, DIMS(3), .raw = BYTES("\0\1\2")};
  has_elements(&t, "\0\1\1", 3);
  t = (gg__onnx_tensor){
      .name = "u", .type = 2, DIMS(3), .raw = BYTES("\0\1\2")};
  has_elements(&t, "\0\1\2", 3);
  t = (gg__onnx_tensor){.name = "scalar", .type = 2, .raw = BYTES("\7")};
  has_elements(&t, "\7", 1);
  t = raw;
  t.segment = BYTES("");
  no_elements(&t, GA_UNSUPPORTED_ERROR, "tensor \"w\" is a part of one");
  t = raw;
  t.type = 8;
  no_elements(&t, GA_UNSUPPORTED_ERROR,
              "tensor \"w\": elements of type string (8)");
  t.type = 0;
  no_elements(&t, GA_UNSUPPORTED_ERROR, "elements of type undefined (0)");
}

static void test_sizes(void **state) {
  gg__onnx_tensor t = {
      .name = "w", .type = 2, DIMS(1, 1, 1, 1, 1, 1, 1, 1), .raw = BYTES("\7")};

  (void)state;
  has_elements(&t, "\7", 1);
  t = (gg__onnx_tensor){.name = "w",
                        .type = 2,
                        DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1),
                        .raw = BYTES("\7")};
  no_elements(&t, GA_UNSUPPORTED_ERROR,
              "tensor \"w\" has 9 dimensions, at most 8 are supported");
  t = (gg__onnx_tensor){.name = "w", .type = 2, DIMS(2, -1)};
  no_elements(&t, GA_VALUE_ERROR, "tensor \"w\": dim 1: -1 is no size");
  t = (gg__onnx_tensor){.name = "w", .type = 2, DIMS(0, 5), .raw = BYTES("")};
  has_elements(&t, NULL, 0);
  t = (gg__onnx_tensor){.name = "w", .type = 7, DIMS(0, SSIZE_MAX / 8 + 1)};
  no_elements(&t, GA_XLARGE_ERROR, "tensor \"w\" is too large");
  t = (gg__onnx_tensor){.name = "w", .type = 7, DIMS(0, SSIZE_MAX / 8)};
  has_elements(&t, NULL, 0);
  t = (gg__onnx_tensor){
      .name = "w", .type = 2, DIMS(1 << 30, 1 << 30, 1 << 30)};
  no_elements(&t, GA_XLARGE_ERROR, "tensor \"w\" is too large");
}

/* Elements in a list of numbers, by the id of their field. */
static gg__onnx_tensor of_list(int64_t type, int64_t n, gg__bytes message) {
  return (gg__onnx_tensor){
      .name = "l", .type = type, DIMS(n), .message = message};
}

static void test_lists_of_elements(void **state) {
  gg__onnx_tensor t = of_list(1, 1, BYTES("\x22\4\0\0\x80\x3f"));
  const float one = 1;
  const double two = 2;

  (void)state;
  has_elements(&t, &one, sizeof one);
  t = of_list(11, 1, BYTES("\x52\x08\0\0\0\0\0\0\0\x40"));
  has_elements(&t, &two, sizeof two);
  t = of_list(3, 3, BYTES("\x2a\3\1\2\3"));
  has_elements(&t, "\1\2\3", 3);
  t = of_list(5, 2, BYTES("\x2a\3\1\x80\2"));
  has_elements(&t, (const int16_t[]){1, 256}, 4);
  t = of_list(6, 2, BYTES("\x28\1\x08\5\x28\2")); /* field 1 is another */
  has_elements(&t, (const int32_t[]){1, 2}, 8);
  t = of_list(7, 2, BYTES("\x3a\2\1\2"));
  has_elements(&t, (const int64_t[]){1, 2}, 16);
  t = of_list(9, 3, BYTES("\x2a\3\0\1\2"));
  has_elements(&t, "\0\1\1", 3);
  t = of_list(3, 2, BYTES("\x2a\3\1\2\3"));
  no_elements(&t, GA_VALUE_ERROR,
              "tensor \"l\" has 3 elements, its sizes need 2");
  t = of_list(3, 3, BYTES("\x2d\0\0\0\0"));
  no_elements(&t, GA_VALUE_ERROR, "field 5 has wire type 5, expected 0");
  t = of_list(3, 1, BYTES("\x2a"));
  no_elements(&t, GA_VALUE_ERROR, "a number ends too early");
  t = of_list(7, 1, BYTES("\x3a\2\x80\x80")); /* no number ends */
  no_elements(&t, GA_VALUE_ERROR, "has 0 elements");
  t = of_list(7, 1, BYTES("\x3a\3\1\x80\x80"));
  assert_ok(gg__onnx_tensor_check(&t, &files));
  const void *elements;
  void *own;
  assert_code(GA_VALUE_ERROR,
              gg__onnx_tensor_elements(&t, &files, &elements, &own));
  ga__free(own);
}

/* Bools are copied, and lists are read. */
static void test_elements_without_memory(void **state) {
  const gg__onnx_tensor bools = {
      .name = "b", .type = 9, .nd = 0, .raw = BYTES("\1")};
  const gg__onnx_tensor list = {
      .name = "l", .type = 3, .nd = 0, .message = BYTES("\x2a\1\1")};

  (void)state;
  for (int i = 0; i < 2; i++)
    for (long nth = 1, left = 0; left <= 0; nth++) {
      const void *elements;
      void *own;
      ga__alloc_fail(nth, 0);
      const int err = gg__onnx_tensor_elements(i == 0 ? &bools : &list, &files,
                                               &elements, &own);
      left = ga__alloc_fail(0, 0);
      assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
      if (err == GA_NO_ERROR)
        assert_memory_equal(elements, "\1", 1);
      ga__free(own);
    }
}

/* --- elements in other files --- */

static char folder[4096];

static gg__onnx_tensor external(size_t n, const gg__onnx_entry *entries) {
  return (gg__onnx_tensor){.name = "e",
                           .type = 2,
                           DIMS(3),
                           .is_external = 1,
                           .n_entries = n,
                           .entries = entries};
}

#define EXTERNAL(...)                                                          \
  external(sizeof((gg__onnx_entry[]){__VA_ARGS__}) / sizeof(gg__onnx_entry),   \
           (gg__onnx_entry[]){__VA_ARGS__})
#define FILE_A                                                                 \
  { "location", "a.bin" }

static void test_other_files(void **state) {
  gg__onnx_tensor t = EXTERNAL(FILE_A);

  (void)state;
  has_elements(&t, "abc", 3);
  const struct gg__onnx_file *first = files.open;
  t = EXTERNAL({"offset", "1"}, FILE_A, {"length", "3"});
  has_elements(&t, "bcd", 3);
  assert_ptr_equal(files.open, first); /* mapped once */
  t = EXTERNAL({"location", "b.bin"});
  has_elements(&t, "xyz", 3);
  assert_ptr_not_equal(files.open, first);
  t = EXTERNAL(FILE_A, {"offset", "2"});
  no_elements(&t, GA_VALUE_ERROR,
              "tensor \"e\": 3 bytes at 2 are not within the 4 bytes of a.bin");
  t = EXTERNAL(FILE_A, {"offset", "4"}, {"length", "0"});
  no_elements(&t, GA_VALUE_ERROR, "has 0 bytes, its sizes need 3");
  t = EXTERNAL(FILE_A, {"offset", "5"}, {"length", "0"});
  no_elements(&t, GA_VALUE_ERROR, "0 bytes at 5 are not within");
  t = EXTERNAL(FILE_A, {"length", "18446744073709551615"});
  no_elements(&t, GA_VALUE_ERROR, "18446744073709551615 bytes at 0 are not");
  t = EXTERNAL(FILE_A, {"length", "18446744073709551616"});
  no_elements(&t, GA_VALUE_ERROR,
              "tensor \"e\": length \"18446744073709551616\" is no size");
  t = EXTERNAL(FILE_A, {"offset", "1x"});
  no_elements(&t, GA_VALUE_ERROR, "offset \"1x\" is no size");
  t = EXTERNAL(FILE_A, {"offset", ""});
  no_elements(&t, GA_VALUE_ERROR, "offset \"\" is no size");
  t = EXTERNAL({"offset", "0"});
  no_elements(&t, GA_VALUE_ERROR, "tensor \"e\" names no file");
  t = EXTERNAL({"location", "none.bin"});
  no_elements(&t, GA_SYS_ERROR, "cannot find none.bin in ");
  const void *elements;
  void *own;
  assert_code(GA_SYS_ERROR,
              gg__onnx_tensor_elements(&t, &files, &elements, &own));
  t = EXTERNAL({"location", "sub"});
  no_elements(&t, GA_SYS_ERROR, "sub");
  t = EXTERNAL({"location", "."});
  no_elements(&t, GA_VALUE_ERROR, "leaves the model's folder");
}

/* Every allocation fails once, of opening a file. */
static void test_files_without_memory(void **state) {
  const gg__onnx_tensor t = EXTERNAL(FILE_A);

  (void)state;
  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__arena arena = {0};
    gg__onnx_files own = {.arena = &arena, .folder = folder};
    ga__alloc_fail(nth, 0);
    const int err = gg__onnx_tensor_check(&t, &own);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    gg__onnx_files_clear(&own);
    ga__arena_clear(&arena);
  }
}

static int open_files(void **state) {
  const char *path = test_file_path("a.bin");

  (void)state;
  test_file_write(path, "abcd", 4);
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path),
           path);
  test_file_write(test_file_path("b.bin"), "xyz", 3);
  const char *sub = test_file_path("sub");
  rmdir(sub);
  assert_int_equal(mkdir(sub, 0700), 0);
  files.folder = folder;
  return 0;
}

static int close_files(void **state) {
  (void)state;
  rmdir(test_file_path("sub"));
  gg__onnx_files_clear(&files);
  assert_null(files.open);
  ga__arena_clear(&files_arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_raw_elements),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_lists_of_elements),
      cmocka_unit_test(test_elements_without_memory),
      cmocka_unit_test_setup_teardown(test_other_files, open_files,
                                      close_files),
      cmocka_unit_test_setup_teardown(test_files_without_memory, open_files,
                                      close_files),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

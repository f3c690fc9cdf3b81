/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of safetensors files: what they must say of each tensor, and where
 * tensors must lie, by the message of each refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <gpuarray/types.h>

#include "base/alloc.h"
#include "text/safetensors_header.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define TENSOR(name, dtype, shape, offsets)                                    \
  "\"" name "\": {\"dtype\": " dtype ", \"shape\": " shape                     \
  ", \"data_offsets\": " offsets "}"
#define A TENSOR("a", "\"F32\"", "[2]", "[0, 8]")
#define ONE(dtype, shape, offsets) "{" TENSOR("a", dtype, shape, offsets) "}"

typedef struct reading {
  ga__arena arena;
  gg__safetensors list;
} reading;

/* A header of `length` bytes, as the file says, in a file of n bytes. */
static int read_bytes(reading *r, const char *json, uint64_t length, size_t n) {
  unsigned char *file = calloc(n + (n == 0), 1);

  assert_non_null(file);
  for (size_t i = 0; i < 8 && i < n; i++)
    file[i] = (unsigned char)(length >> (8 * i));
  if (n > 8)
    memcpy(file + 8, json, strlen(json));
  *r = (reading){.arena = GA_ARENA_INIT};
  int err = gg__safetensors_read(&r->list, &r->arena, file, n);
  free(file);
  return err;
}

static int read_header(reading *r, const char *json, size_t behind) {
  return read_bytes(r, json, strlen(json), 8 + strlen(json) + behind);
}

static void reading_free(reading *r) {
  ga__vec_clear(&r->list);
  ga__arena_clear(&r->arena);
}

typedef struct refusal {
  const char *json;
  size_t behind; /* bytes of elements */
  const char *message;
} refusal;

#define RANGE "its offsets are no range"

static const refusal refused[] = {
    /* Members of a tensor. */
    {"{\"a\": {}}", 0, "\"a\" lacks its dtype, shape or offsets"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": []}}", 0, "lacks its dtype"},
    {"{\"a\": {\"shape\": [], \"data_offsets\": [0, 0]}}", 0, "lacks its"},
    {"{\"a\": {\"dtype\": \"F32\", \"dtype\": \"F32\"}}", 0,
     "tensor \"a\" has two of \"dtype\""},
    {"{\"a\": {\"size\": 1}}", 0, "tensor \"a\" has \"size\""},
    {ONE("1", "[2]", "[0, 8]"), 8, "expected '\"'"},
    {ONE("\"F32\"", "2", "[0, 8]"), 8, "expected '['"},
    {ONE("\"F32\"", "[x]", "[0, 8]"), 8, "expected a size"},
    {ONE("\"F32\"", "[-2]", "[0, 8]"), 8, "expected a size"},
    {ONE("\"F32\"", "[2 1]", "[0, 8]"), 8, "expected ','"},
    {ONE("\"F32\"", "[2]", "8"), 8, "expected '['"},
    {ONE("\"F32\"", "[2]", "[x, 8]"), 8, "expected a size"},
    {ONE("\"F32\"", "[2]", "[0 8]"), 8, "expected ','"},
    {ONE("\"F32\"", "[2]", "[0, x]"), 8, "expected a size"},
    {ONE("\"F32\"", "[2]", "[0, 8 8]"), 8, "expected ','"},
    {ONE("\"F32\"", "[2]", "[0, 8, 8]"), 8, RANGE},
    {ONE("\"F32\"", "[2]", "[8, 0]"), 8, RANGE},
    {ONE("\"F32\"", "[0]", "[0]"), 0, RANGE},
    /* Sizes. */
    {ONE("\"F32\"", "[2]", "[0, 7]"), 7, "has 7 bytes, its sizes need 8"},
    {ONE("\"F32\"", "[2]", "[0, 9]"), 9, "has 9 bytes, its sizes need 8"},
    {ONE("\"BOOL\"", "[2]", "[0, 1]"), 1, "has 1 bytes, its sizes need 2"},
    {ONE("\"U8\"", "[1,1,1,1,1,1,1,2]", "[0, 1]"), 1, "its sizes need 2"},
    {ONE("\"F32\"", "[2305843009213693951]", "[0, 8]"), 8,
     "its sizes need 9223372036854775804"},
    {ONE("\"F32\"", "[2305843009213693952]", "[0, 8]"), 8, "is too large"},
    {ONE("\"F32\"", "[18446744073709551615]", "[0, 8]"), 8, "is too large"},
    {ONE("\"F32\"", "[0, 9223372036854775807]", "[0, 0]"), 0, "is too large"},
    {ONE("\"F32\"", "[4294967296, 4294967296]", "[0, 0]"), 0, "is too large"},
    /* Places. */
    {"{" A "}", 7, "\"a\" lies at 0 to 8, expected 0 and at most 7"},
    {"{" A "}", 9, "1 bytes follow the last tensor"},
    {"{}", 1, "1 bytes follow the last tensor"},
    {"{" A ", " TENSOR("b", "\"U8\"", "[3]", "[9, 12]") "}", 12,
     "\"b\" lies at 9 to 12, expected 8 and at most 12"},
    {"{" A ", " TENSOR("b", "\"U8\"", "[3]", "[7, 10]") "}", 10,
     "\"b\" lies at 7 to 10, expected 8"},
    {"{" A ", " TENSOR("b", "\"F32\"", "[2]", "[0, 8]") "}", 8,
     "\"b\" lies at 0 to 8, expected 8"},
    /* Names, and what is no header. */
    {"{" A ", " A "}", 8, "two tensors are called \"a\""},
    {"{" A "} x", 8, "something follows the value"},
    {"{" A " " A "}", 8, "expected ','"},
    {"{\"a\" 1}", 0, "expected ':'"},
    {"{\"a\": 1}", 0, "expected '{'"},
    {"{a: 1}", 0, "expected '\"'"},
    {"[]", 0, "expected '{'"},
    {"", 0, "expected '{'"},
    {"{", 0, "expected '\"'"},
    {"{\"__metadata__\": }", 0, "expected a value"},
    {"{\"a\": {\"dtype\" \"F32\"}}", 0, "expected ':'"},
    {"{\"a\": {\"dtype\": \"F32\" \"shape\": []}}", 0, "expected ','"},
};

static void bad_headers_are_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(refused); i++) {
    const long before = ga__alloc_live();
    reading r;
    const int err = read_header(&r, refused[i].json, refused[i].behind);
    reading_free(&r);
    assert_int_equal(ga__alloc_live(), before);
    if (err == GA_NO_ERROR)
      fail_msg("%s: accepted", refused[i].json);
    assert_int_equal(err, GA_VALUE_ERROR);
    if (strstr(ga__err_text(err), refused[i].message) == NULL)
      fail_msg("%s: %s", refused[i].json, ga__err_text(err));
  }
}

static void lengths_are_checked(void **state) {
  const uint64_t most = GG_SAFETENSORS_MOST;
  static const char too_long[] = "are allowed", no_json[] = "expected '{'";
  const struct {
    uint64_t length;
    size_t n;
    const char *message;
  } list[] = {
      {0, 0, "ends within its header"},
      {0, 7, "ends within its header"},
      {0, 8, no_json},
      {1, 8, too_long},
      {UINT64_MAX, 16, too_long},
      {3, 10, too_long},
      {most + 1, most + 9, too_long},
      {most, most + 8, no_json},
  };

  (void)state;
  for (size_t i = 0; i < COUNT(list); i++) {
    reading r;
    const int err = read_bytes(&r, "", list[i].length, list[i].n);
    reading_free(&r);
    assert_int_equal(err, GA_VALUE_ERROR);
    assert_non_null(strstr(ga__err_text(err), list[i].message));
  }
}

/* In the order of their places; empty ones first, by name. */
static void tensors_are_sorted(void **state) {
  static const char json[] =
      "{\"__metadata__\": {\"format\": [\"pt\", 1]}, " TENSOR(
          "b", "\"U8\"", "[3]",
          "[8, 11]") ", " TENSOR("z", "\"F32\"", "[0, 4]",
                                 "[0, 0]") ", " A
                                           ", " TENSOR("y", "\"BOOL\"", "[0]",
                                                       "[0, 0]") "}";
  const uint64_t start = 8 + sizeof json - 1;
  static const char *const names[] = {"y", "z", "a", "b"};
  static const int dtypes[] = {GA_BOOL, GA_FLOAT, GA_FLOAT, GA_UBYTE};
  static const uint64_t ends[] = {0, 0, 8, 11};
  reading r;

  (void)state;
  assert_int_equal(read_header(&r, json, 11), GA_NO_ERROR);
  assert_int_equal(r.list.n, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(r.list.v[i].name, names[i]);
    assert_int_equal(r.list.v[i].dtype, dtypes[i]);
    assert_int_equal(r.list.v[i].begin, start + (i == 0 ? 0 : ends[i - 1]));
    assert_int_equal(r.list.v[i].end, start + ends[i]);
  }
  assert_int_equal(r.list.v[1].nd, 2);
  assert_int_equal(r.list.v[1].dims[1], 4);
  reading_free(&r);
  assert_int_equal(read_header(&r, "{}", 0), GA_NO_ERROR);
  assert_int_equal(r.list.n, 0);
  reading_free(&r);
}

/* An empty tensor may lie at the end of another one, whatever its name. */
static void an_empty_tensor_may_come_last(void **state) {
  reading r;

  (void)state;
  assert_int_equal(
      read_header(&r,
                  "{" TENSOR("b", "\"U8\"", "[3]", "[0, 3]") ", " TENSOR(
                      "a", "\"U8\"", "[0]", "[3, 3]") "}",
                  3),
      GA_NO_ERROR);
  assert_string_equal(r.list.v[0].name, "b");
  assert_string_equal(r.list.v[1].name, "a");
  reading_free(&r);
}

/* Of dtypes and ranks that no array has, the place is known. */
static void strangers_are_listed(void **state) {
  reading r;

  (void)state;
  assert_int_equal(read_header(&r, ONE("\"F8\"", "[7]", "[0, 3]"), 3),
                   GA_NO_ERROR);
  assert_int_equal(r.list.v[0].dtype, -1);
  assert_string_equal(r.list.v[0].type, "F8");
  reading_free(&r);
  assert_int_equal(
      read_header(&r, ONE("\"U8\"", "[1,2,3,4,5,6,7,8,9]", "[0, 3]"), 3),
      GA_NO_ERROR);
  assert_int_equal(r.list.v[0].nd, 9);
  assert_int_equal(r.list.v[0].dims[7], 8);
  assert_int_equal(r.list.v[0].dtype, GA_UBYTE);
  reading_free(&r);
  /* Whatever comes first. */
  assert_int_equal(read_header(&r,
                               "{\"a\": {\"dtype\": \"U8\", "
                               "\"data_offsets\": [0, 3], "
                               "\"shape\": [1,2,3,4,5,6,7,8,9]}}",
                               3),
                   GA_NO_ERROR);
  assert_int_equal(r.list.v[0].nd, 9);
  reading_free(&r);
}

static void each_allocation_may_fail(void **state) {
  const long before = ga__alloc_live();

  (void)state;
  for (long nth = 1, left = 0; left <= 0; nth++) {
    reading r;
    ga__alloc_fail(nth, 0);
    const int err = read_header(
        &r, "{" A ", " TENSOR("b", "\"U8\"", "[3]", "[8, 11]") "}", 11);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    reading_free(&r);
    assert_int_equal(ga__alloc_live(), before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_headers_are_refused),
      cmocka_unit_test(lengths_are_checked),
      cmocka_unit_test(tensors_are_sorted),
      cmocka_unit_test(an_empty_tensor_may_come_last),
      cmocka_unit_test(strangers_are_listed),
      cmocka_unit_test(each_allocation_may_fail),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of models below the ops: numbers and fields on the wire, and
 * records by tables of fields, each at its limits. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "onnx/format/message.h"
#include "onnx/wire_bytes.h"
#include "support/device.h"

/* --- fields on the wire --- */

static int next_of(gg__bytes b, gg__field *f) {
  gg__wire w = gg__wire_of(b);
  int more = 0;

  memset(f, 0, sizeof *f);
  const int err = gg__wire_next(&w, f, &more);
  assert_true(more);
  if (err == GA_NO_ERROR) { /* the field has used all bytes */
    assert_ok(gg__wire_next(&w, f, &more));
    assert_false(more);
    w = gg__wire_of(b);
    assert_ok(gg__wire_next(&w, f, &more));
  }
  return err;
}

static void is_number(gg__bytes b, uint32_t id, int type, uint64_t value) {
  gg__field f;

  assert_ok(next_of(b, &f));
  assert_int_equal(f.id, id);
  assert_int_equal(f.type, type);
  assert_true(f.value == value);
  assert_null(f.bytes.p);
}

static void no_field(gg__bytes b, const char *why) {
  gg__field f;

  assert_code(GA_VALUE_ERROR, next_of(b, &f));
  assert_message(GA_VALUE_ERROR, why);
}

static void test_numbers(void **state) {
  (void)state;
  is_number(BYTES("\x08\x00"), 1, GG_WIRE_VARINT, 0);
  is_number(BYTES("\x78\x7f"), 15, GG_WIRE_VARINT, 127);
  is_number(BYTES("\x80\x01\x80\x01"), 16, GG_WIRE_VARINT, 128);
  is_number(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1,
            GG_WIRE_VARINT, UINT64_MAX);
  is_number(BYTES("\xf8\xff\xff\xff\x0f\x05"), 0x1fffffff, GG_WIRE_VARINT, 5);
  is_number(BYTES("\x0d\x01\x02\x03\x84"), 1, GG_WIRE_32, 0x84030201);
  is_number(BYTES("\x09\x01\x02\x03\x04\x05\x06\x07\x88"), 1, GG_WIRE_64,
            0x8807060504030201);
}

static void test_damaged_numbers(void **state) {
  (void)state;
  no_field(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
           "a number has more than 64 bits");
  no_field(BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
           "a number has more than 64 bits");
  no_field(BYTES("\x08"), "a number ends too early");
  no_field(BYTES("\x08\x80"), "a number ends too early");
  no_field(BYTES("\x80"), "a number ends too early");
  no_field(BYTES("\x0d\1\2\3"), "a number ends too early");
  no_field(BYTES("\x09\1\2\3\4\5\6\7"), "a number ends too early");
  no_field(BYTES("\x00\x01"), "0 is no field");
  no_field(BYTES("\x80\x80\x80\x80\x10\x01"), "536870912 is no field");
  no_field(BYTES("\x0b\x01"), "wire type 3 is unknown");
  no_field(BYTES("\x0f\x01"), "wire type 7 is unknown");
}

static void test_bytes(void **state) {
  gg__field f;

  (void)state;
  assert_ok(next_of(BYTES("\x0a\3abc"), &f));
  assert_int_equal(f.type, GG_WIRE_BYTES);
  assert_int_equal(f.bytes.n, 3);
  assert_memory_equal(f.bytes.p, "abc", 3);
  assert_ok(gg__field_is(&f, GG_WIRE_BYTES));
  assert_code(GA_VALUE_ERROR, gg__field_is(&f, GG_WIRE_VARINT));
  assert_message(GA_VALUE_ERROR, "field 1 has wire type 2, expected 0");
  assert_ok(next_of(BYTES("\x0a\0"), &f));
  assert_int_equal(f.bytes.n, 0);
  no_field(BYTES("\x0a\4abc"), "4 bytes announced, 3 are left");
  no_field(BYTES("\x0a"), "a number ends too early");
}

/* All numbers of a field, each of 4 or 8 bytes. */
static size_t numbers_of(gg__bytes b, int type, void *out) {
  gg__field f;
  size_t counted, n = 0;

  assert_ok(next_of(b, &f));
  assert_ok(gg__wire_count(&f, type, &counted));
  assert_ok(gg__field_numbers(&f, type, out, &n));
  assert_int_equal(n, counted);
  return n;
}

static void test_repeated_numbers(void **state) {
  uint64_t wide[4];
  uint32_t narrow[4];
  gg__field f;
  size_t n = 0;

  (void)state;
  assert_int_equal(numbers_of(BYTES("\x0a\4\1\x80\1\2"), GG_WIRE_VARINT, wide),
                   3);
  assert_true(wide[0] == 1 && wide[1] == 128 && wide[2] == 2);
  assert_int_equal(numbers_of(BYTES("\x08\7"), GG_WIRE_VARINT, wide), 1);
  assert_true(wide[0] == 7);
  assert_int_equal(numbers_of(BYTES("\x0a\0"), GG_WIRE_VARINT, wide), 0);
  assert_int_equal(
      numbers_of(BYTES("\x0a\x08\1\0\0\0\2\0\0\0"), GG_WIRE_32, narrow), 2);
  assert_true(narrow[0] == 1 && narrow[1] == 2);
  assert_int_equal(
      numbers_of(BYTES("\x0a\x08\1\0\0\0\2\0\0\0"), GG_WIRE_64, wide), 1);
  assert_true(wide[0] == 0x200000001);
  assert_ok(next_of(BYTES("\x0a\x05\1\0\0\0\2"), &f));
  assert_ok(gg__wire_count(&f, GG_WIRE_32, &n));
  assert_int_equal(n, 1);
  n = 0;
  assert_code(GA_VALUE_ERROR, gg__field_numbers(&f, GG_WIRE_32, narrow, &n));
  assert_ok(next_of(BYTES("\x08\7"), &f));
  assert_code(GA_VALUE_ERROR, gg__wire_count(&f, GG_WIRE_32, &n));
  assert_code(GA_VALUE_ERROR, gg__field_numbers(&f, GG_WIRE_32, narrow, &n));
}

/* --- records --- */

typedef struct inner {
  int64_t i;
} inner;

typedef struct outer {
  int64_t i;
  float f;
  const char *text;
  gg__bytes bytes;
  inner member;
  const struct outer *pointer;
  size_t n_ints, n_floats, n_texts, n_records;
  const int64_t *ints;
  const float *floats;
  const char **texts;
  const inner *records;
} outer;

#define AT(member) offsetof(outer, member)

static const gg__schema inner_schema = {
    "an inner one",
    sizeof(inner),
    &(const inner){-1},
    1,
    (const gg__field_spec[]){{1, GG_AS_INT, offsetof(inner, i), 0, NULL}},
    NULL};
static const gg__schema outer_schema;
static const gg__field_spec outer_fields[] = {
    {1, GG_AS_INT, AT(i), 0, NULL},
    {2, GG_AS_FLOAT, AT(f), 0, NULL},
    {3, GG_AS_TEXT, AT(text), 0, NULL},
    {4, GG_AS_BYTES, AT(bytes), 0, NULL},
    {5, GG_AS_RECORD, AT(member), 0, &inner_schema},
    {6, GG_AS_POINTER, AT(pointer), 0, &outer_schema},
    {7, GG_AS_INTS, AT(ints), AT(n_ints), NULL},
    {8, GG_AS_FLOATS, AT(floats), AT(n_floats), NULL},
    {9, GG_AS_TEXTS, AT(texts), AT(n_texts), NULL},
    {10, GG_AS_RECORDS, AT(records), AT(n_records), &inner_schema},
};
static const gg__schema outer_schema = {
    "an outer one", sizeof(outer),
    NULL,           sizeof outer_fields / sizeof *outer_fields,
    outer_fields,   NULL};

static int read_outer(gg__bytes b, ga__arena *arena, outer *out) {
  memset(out, 0x55, sizeof *out);
  return gg__record_read(arena, &outer_schema, b.p, b, out);
}

static void test_records(void **state) {
  ga__arena arena = {0};
  outer o;

  (void)state;
  assert_ok(read_outer(BYTES("\x08\7\x15\0\0\x80\x3f\x1a\2hi\x22\1x"
                             "\x2a\2\x08\5\x32\2\x08\6\x78\1"),
                       &arena, &o));
  assert_int_equal(o.i, 7);
  assert_true(o.f == 1);
  assert_string_equal(o.text, "hi");
  assert_int_equal(o.bytes.n, 1);
  assert_int_equal(o.bytes.p[0], 'x');
  assert_int_equal(o.member.i, 5);
  assert_int_equal(o.pointer->i, 6);
  assert_null(o.pointer->text);
  assert_int_equal(o.n_ints + o.n_floats + o.n_texts + o.n_records, 0);
  assert_ok(read_outer(BYTES("\x1a\0\x2a\0"), &arena, &o));
  assert_string_equal(o.text, "");
  assert_int_equal(o.member.i, -1);
  ga__arena_clear(&arena);
}

static void test_lists(void **state) {
  ga__arena arena = {0};
  outer o;

  (void)state;
  assert_ok(read_outer(BYTES("\x38\1\x3a\2\2\3\x38\4\x42\4\0\0\x80\x3f"
                             "\x45\0\0\0\x40\x4a\1a\x4a\0\x52\2\x08\x08\x52\0"),
                       &arena, &o));
  assert_int_equal(o.n_ints, 4);
  for (int i = 0; i < 4; i++)
    assert_int_equal(o.ints[i], i + 1);
  assert_int_equal(o.n_floats, 2);
  assert_true(o.floats[0] == 1 && o.floats[1] == 2);
  assert_int_equal(o.n_texts, 2);
  assert_string_equal(o.texts[0], "a");
  assert_string_equal(o.texts[1], "");
  assert_int_equal(o.n_records, 2);
  assert_int_equal(o.records[0].i, 8);
  assert_int_equal(o.records[1].i, -1);
  ga__arena_clear(&arena);
}

static void no_record(gg__bytes b, const char *why) {
  ga__arena arena = {0};
  outer o;

  assert_code(GA_VALUE_ERROR, read_outer(b, &arena, &o));
  assert_message(GA_VALUE_ERROR, why);
  ga__arena_clear(&arena);
}

static void test_damaged_records(void **state) {
  (void)state;
  no_record(BYTES("\x0a\1x"),
            "an outer one at byte 0: field 1 has wire type 2");
  no_record(BYTES("\x10\1"), "field 2 has wire type 0, expected 5");
  no_record(BYTES("\x18\1"), "field 3 has wire type 0, expected 2");
  no_record(BYTES("\x1a\2a\0"), "a text has a byte 0");
  no_record(BYTES("\x20\1"), "field 4 has wire type 0, expected 2");
  no_record(BYTES("\x28\1"), "field 5 has wire type 0, expected 2");
  no_record(BYTES("\x30\1"), "field 6 has wire type 0, expected 2");
  no_record(BYTES("\x3d\0\0\0\0"), "field 7 has wire type 5, expected 0");
  no_record(BYTES("\x40\0"), "field 8 has wire type 0, expected 5");
  no_record(BYTES("\x48\1"), "field 9 has wire type 0, expected 2");
  no_record(BYTES("\x50\1"), "field 10 has wire type 0, expected 2");
  no_record(BYTES("\x08\1\x52\3\x0a\1x"), "an inner one at byte 4: field 1");
  no_record(BYTES("\x08"), "an outer one at byte 0: a number ends too early");
}

/* Record in record, `deep` times. */
static int read_deep(unsigned int deep) {
  static uint8_t bytes[4 * GG_RECORD_DEEP];
  const uint8_t *const end = bytes + sizeof bytes;
  uint8_t *p = bytes + sizeof bytes;
  ga__arena arena = {0};
  outer o;

  for (unsigned int i = 0; i < deep; i++) {
    const size_t n = (size_t)(end - p);

    if (n >= 128)
      *--p = (uint8_t)(n >> 7);
    *--p = (uint8_t)(n >= 128 ? n | 0x80 : n);
    *--p = 0x32;
  }
  const int err = read_outer((gg__bytes){p, (size_t)(end - p)}, &arena, &o);
  ga__arena_clear(&arena);
  return err;
}

static void test_deep_records(void **state) {
  (void)state;
  assert_ok(read_deep(GG_RECORD_DEEP - 1));
  assert_code(GA_VALUE_ERROR, read_deep(GG_RECORD_DEEP));
  assert_message(GA_VALUE_ERROR, "more than 100 messages lie in each other");
}

/* Every allocation fails once. */
static void test_records_without_memory(void **state) {
  const gg__bytes b = BYTES("\x1a\2hi\x32\2\x08\6\x38\1\x4a\1a\x52\2\x08\x08");
  int failed = 0;

  (void)state;
  for (long nth = 1;; nth++) {
    ga__arena arena = {0};
    outer o;

    ga__alloc_fail(nth, 0);
    const int err = read_outer(b, &arena, &o);
    ga__alloc_fail(0, 0);
    ga__arena_clear(&arena);
    if (err == GA_NO_ERROR)
      break;
    assert_int_equal(err, GA_MEMORY_ERROR);
    failed++;
  }
  assert_true(failed > 0);
}

/* A field of `n` equal bytes behind a tag of one byte. Returns its end. */
static uint8_t *put_field(uint8_t *p, uint8_t tag, size_t n, uint8_t value) {
  *p++ = tag;
  *p++ = (uint8_t)(n & 0x7f) | 0x80;
  *p++ = (uint8_t)(n >> 7 & 0x7f) | 0x80;
  *p++ = (uint8_t)(n >> 14);
  memset(p, value, n);
  return p + n;
}

/* The same with fields that need memory of their own, each for itself. */
static void test_long_fields(void **state) {
  static const uint8_t tags[] = {0x1a, 0x3a, 0x42, 0x4a}; /* 3, 7, 8, 9 */
  enum { N = 100000 };
  uint8_t *bytes = malloc(N + 4);

  (void)state;
  assert_non_null(bytes);
  for (size_t i = 0; i < sizeof tags; i++) {
    const uint8_t *end = put_field(bytes, tags[i], N, 1);
    for (long nth = 1, left = 0; left <= 0; nth++) {
      ga__arena arena = {0};
      outer o;
      ga__fail(GA_VALUE_ERROR, "none");
      ga__alloc_fail(nth, 0);
      const int err =
          read_outer((gg__bytes){bytes, (size_t)(end - bytes)}, &arena, &o);
      left = ga__alloc_fail(0, 0);
      assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
      if (err != GA_NO_ERROR)
        assert_message(err, "out of host memory");
      else
        assert_int_equal(o.n_ints + 4 * o.n_floats,
                         tags[i] == 0x3a || tags[i] == 0x42 ? N : 0);
      ga__arena_clear(&arena);
    }
  }
  free(bytes);
}

/* So many records in each other that they need several blocks of memory. */
static void test_deep_records_without_memory(void **state) {
  (void)state;
  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__alloc_fail(nth, 0);
    const int err = read_deep(GG_RECORD_DEEP - 1);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_damaged_numbers),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_repeated_numbers),
      cmocka_unit_test(test_records),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_damaged_records),
      cmocka_unit_test(test_deep_records),
      cmocka_unit_test(test_records_without_memory),
      cmocka_unit_test(test_long_fields),
      cmocka_unit_test(test_deep_records_without_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of models below the ops: numbers and fields on the wire, records
 * by tables of fields, and the elements of tensors, each at its limits. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "onnx/format/message.h"
#include "onnx/format/tensor.h"
#include "support/device.h"
#include "support/tmpfile.h"

#define BYTES(text) ((gg__bytes){(const uint8_t *)(text), sizeof(text) - 1})

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved files that are not as they were: cut off, changed, or written by
 * nobody. */
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "support/funcs.h"
#include "support/tmpfile.h"
#include "text/learner.h"
#include "text/saved.h"

typedef struct bytes {
  unsigned char *p;
  size_t n;
} bytes;

static bytes saved_file(void) {
  gg_graph *g = learner_new(test_context());
  const char *path = test_file_path("saved.gg");
  bytes b;

  assert_ok(gg_graph_save(g, path));
  b.p = test_file_read(path, &b.n);
  gg_graph_free(g);
  return b;
}

/* Load these bytes without a context; the code, and the message in `why`. */
static int load_bytes(const void *p, size_t n, char *why, size_t room) {
  const char *path = test_file_path("changed.gg");
  gg_graph *g = gg_graph_new(NULL);

  test_file_write(path, p, n);
  int err = gg_graph_load(g, path);
  assert_int_equal(gg_graph_status(g), err);
  snprintf(why, room, "%s", gg_graph_error(g));
  if (err != GA_NO_ERROR)
    assert_int_equal(gg_graph_size(g), 0);
  gg_graph_free(g);
  return err;
}

static void assert_refused(const bytes *b, int code, const char *message) {
  char why[512];
  const int err = load_bytes(b->p, b->n, why, sizeof why);

  if (strstr(why, message) == NULL)
    fail_msg("expected: %s\ngot: %s", message, why);
  assert_int_equal(err, code);
}

static void test_cut_off(void **state) {
  bytes b = saved_file();
  char why[512];

  (void)state;
  for (size_t n = 0; n < b.n; n += n < 400 ? 1 : 37)
    if (load_bytes(b.p, n, why, sizeof why) == GA_NO_ERROR && n > 0)
      fail_msg("%zu bytes of %zu were read", n, b.n);
  b.n += 1;
  b.p = realloc(b.p, b.n);
  assert_non_null(b.p);
  b.p[b.n - 1] = 0;
  assert_refused(&b, GA_VALUE_ERROR, "bytes follow the last block");
  free(b.p);
}

/* Each byte of header, table, text and values is under a sum; what lies
 * between does not matter. */
static void test_each_byte_counts(void **state) {
  bytes b = saved_file();
  char why[512];
  size_t unseen = 0;

  (void)state;
  for (size_t i = 0; i < b.n; i += i < 300 ? 1 : 7) {
    b.p[i] ^= 0x10;
    if (load_bytes(b.p, b.n, why, sizeof why) == GA_NO_ERROR) {
      unseen++;
      assert_int_equal(b.p[i], 0x10);
    }
    b.p[i] ^= 0x10;
  }
  assert_true(unseen < 3 * GG_SAVED_ALIGN);
  free(b.p);
}

static void put(bytes *b, size_t at, int n, uint64_t v) {
  for (int i = 0; i < n; i++)
    b->p[at + (size_t)i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get(const bytes *b, size_t at) {
  uint64_t v = 0;

  for (int i = 8; i-- > 0;)
    v = v << 8 | b->p[at + (size_t)i];
  return v;
}

/* Make the sums right again. */
static void seal(bytes *b) {
  const uint64_t n = get(b, GG_AT_BLOCKS) * GG_ENTRY_BYTES + get(b, GG_AT_TEXT);

  if (n <= b->n - GG_HEADER_BYTES)
    put(b, GG_AT_SUM, 8, ga__xxh64_of(b->p + GG_HEADER_BYTES, (size_t)n));
  put(b, GG_AT_HEADER_SUM, 8, ga__xxh64_of(b->p, GG_AT_HEADER_SUM));
}

/* Someone means it: the sums are right, the rest is not. */
static const struct {
  size_t at;
  int n;
  uint64_t v;
  int code;
  const char *message;
} hostile[] = {
    {GG_AT_VERSION, 4, 4, GA_UNSUPPORTED_ERROR, "version 4 is later than 3"},
    {GG_AT_VERSION, 4, 0, GA_VALUE_ERROR, "the header is invalid"},
    {GG_AT_ORDER, 4, 3, GA_VALUE_ERROR, "the header is invalid"},
    {GG_AT_TEXT, 8, UINT64_MAX, GA_VALUE_ERROR, "the file is truncated"},
    {GG_AT_TEXT, 8, 1u << 30, GA_VALUE_ERROR, "the file is truncated"},
    {GG_AT_BLOCKS, 8, UINT64_MAX / 24 + 2, GA_VALUE_ERROR,
     "the file is truncated"},
    {GG_AT_BLOCKS, 8, 1u << 30, GA_VALUE_ERROR, "the file is truncated"},
    {GG_AT_BLOCKS, 8, 4, GA_VALUE_ERROR, "is not within the file"},
    {GG_HEADER_BYTES, 8, 0, GA_VALUE_ERROR, "block 0 is not within the file"},
    {GG_HEADER_BYTES + 8, 8, UINT64_MAX, GA_VALUE_ERROR,
     "block 0 is not within the file"},
    {GG_HEADER_BYTES + 16, 8, 7, GA_VALUE_ERROR, "block 0 is damaged"},
};

static void test_hostile(void **state) {
  bytes b = saved_file();
  unsigned char *good = malloc(b.n);

  (void)state;
  assert_non_null(good);
  memcpy(good, b.p, b.n);
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    put(&b, hostile[i].at, hostile[i].n, hostile[i].v);
    seal(&b);
    assert_refused(&b, hostile[i].code, hostile[i].message);
    memcpy(b.p, good, b.n);
  }
  free(good);
  free(b.p);
}

/* A file of one block of 12 bytes with a text that was never printed. */
static bytes file_of(const char *text) {
  const size_t at =
      (size_t)gg__saved_align(GG_HEADER_BYTES + GG_ENTRY_BYTES + strlen(text));
  bytes b = {calloc(1, at + 12), at + 12};

  assert_non_null(b.p);
  memcpy(b.p, GG_SAVED_MAGIC, 8);
  put(&b, GG_AT_VERSION, 4, 1);
  put(&b, GG_AT_ORDER, 4, GG_SAVED_LITTLE);
  put(&b, GG_AT_TEXT, 8, strlen(text));
  put(&b, GG_AT_BLOCKS, 8, 1);
  memcpy(b.p + GG_HEADER_BYTES + GG_ENTRY_BYTES, text, strlen(text));
  for (size_t i = 0; i < 12; i++)
    b.p[at + i] = (unsigned char)(i + 1);
  put(&b, GG_HEADER_BYTES, 8, at);
  put(&b, GG_HEADER_BYTES + 8, 8, 12);
  put(&b, GG_HEADER_BYTES + 16, 8, ga__xxh64_of(b.p + at, 12));
  seal(&b);
  return b;
}

static const struct {
  const char *text, *message;
} hostile_texts[] = {
    {"w = shared float32[3] @1", ":1:23: there is no block 1"},
    {"w = shared float32[3] @99999999999999999999",
     ":1:23: there is no block 99999999999999999999"},
    {"w = shared float32[3] @0\nv = shared float32[3] @0 # again",
     ":2:23: there is no block 0 any more"},
    {"w = shared float32[4] @0", ":1:23: expected a block of 16 bytes, got 12"},
    {"w = shared float32[1000000, 1000000] @0",
     ":1:38: expected a block of 4000000000000 bytes, got 12"},
    {"w = shared float32[1000000, 1000000]",
     ":1:37: expected the block of the values, got the end of the text"},
    {"w = shared float32[3] 0",
     ":1:23: expected the block of the values, got '0'"},
    {"k = float64[3] @0", ":1:16: expected a block of 24 bytes, got 12"},
    {"x = input float32 @0", ":1:19: expected the end of the line, got '@0'"},
    {"y = gizmo(x)", ":1:5: there is no op called gizmo"},
};

/* The message is the path and this. */
static void assert_says(const bytes *b, int code, const char *message) {
  char why[512], want[512];
  const int err = load_bytes(b->p, b->n, why, sizeof why);

  snprintf(want, sizeof want, "%s%s", test_file_path("changed.gg"), message);
  assert_string_equal(why, want);
  assert_int_equal(err, code);
}

static void test_hostile_texts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof hostile_texts / sizeof *hostile_texts; i++) {
    bytes b = file_of(hostile_texts[i].text);
    assert_says(&b,
                strstr(hostile_texts[i].text, "gizmo") != NULL
                    ? GA_UNSUPPORTED_ERROR
                    : GA_VALUE_ERROR,
                hostile_texts[i].message);
    free(b.p);
  }
}

/* Of a constant, of an array, and of one that is only looked at. */
static void test_damaged_values(void **state) {
  static const char *const texts[] = {"k = float32[3] @0",
                                      "k = shared float32[3] @0"};
  char want[1100];

  (void)state;
  for (int i = 0; i < 4; i++) {
    const char *path = test_file_path("damaged.gg");
    bytes b = file_of(texts[i % 2]);
    gg_graph *g = gg_graph_new(i < 2 ? NULL : test_context());

    b.p[b.n - 1] ^= 1;
    test_file_write(path, b.p, b.n);
    assert_int_equal(gg_graph_load(g, path), GA_VALUE_ERROR);
    snprintf(want, sizeof want, "%s:1:%d: %s: block 0 is damaged", path,
             i % 2 == 0 ? 5 : 12, path);
    assert_string_equal(gg_graph_error(g), want);
    gg_graph_free(g);
    free(b.p);
  }
}

/* The other byte order is turned around, for arrays and constants. */
static void test_other_order(void **state) {
  static const char *const texts[] = {"v = shared int32[3] @0",
                                      "v = int32[3] @0"};
  const char *path = test_file_path("order.gg");
  const int32_t want[3] = {0x01020304, 0x05060708, 0x090a0b0c};
  int32_t got[3];

  (void)state;
  for (int i = 0; i < 2; i++) {
    bytes b = file_of(texts[i]);
    put(&b, GG_AT_ORDER, 4, GG_SAVED_BIG);
    seal(&b);
    test_file_write(path, b.p, b.n);
    free(b.p);
    gg_graph *g = gg_graph_new(test_context());
    assert_ok(gg_graph_load(g, path));
    gg_var *v = gg_graph_find(g, "v");
    if (i == 0)
      assert_ok(gg_shared_read(v, got, sizeof got));
    else
      memcpy(got, gg_var_data(v), sizeof got);
    assert_memory_equal(got, want, sizeof got);
    gg_graph_free(g);
  }
}

/* Bools are 0 and 1, whatever the file holds. */
static void test_bools(void **state) {
  const char *path = test_file_path("bools.gg");
  bytes b = file_of("v = shared bool[12] @0");
  unsigned char got[12];
  gg_graph *g = gg_graph_new(test_context());

  (void)state;
  test_file_write(path, b.p, b.n);
  free(b.p);
  assert_ok(gg_graph_load(g, path));
  assert_ok(gg_shared_read(gg_graph_find(g, "v"), got, sizeof got));
  for (size_t i = 0; i < sizeof got; i++)
    assert_int_equal(got[i], 1);
  gg_graph_free(g);
}

/* A text is a file too, and tells its name. */
static void test_text_file(void **state) {
  bytes b = {(unsigned char *)"x = input float32\ny = exp(z)\n", 29};

  (void)state;
  assert_refused(&b, GA_VALUE_ERROR, "changed.gg:2:9: 'z' is not defined");
  b.n = 18;
  assert_refused(&b, GA_NO_ERROR, "");
  b.n = 3;
  assert_refused(&b, GA_VALUE_ERROR, "changed.gg:1:4: expected");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_each_byte_counts),
      cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_hostile_texts),
      cmocka_unit_test(test_damaged_values),
      cmocka_unit_test(test_other_order),
      cmocka_unit_test(test_bools),
      cmocka_unit_test(test_text_file),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

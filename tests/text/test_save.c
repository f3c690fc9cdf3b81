/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved files: what comes back, what files that nobody wrote are told, and what
 * a failure leaves behind. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/xxh64.h"
#include "graph/graph.h"
#include "support/funcs.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "text/saved.h"

static const float six[6] = {1, -2, 3, 0.1f, 5, 6};

/* A step of something like learning: y = x w + b, w -= 0.1 y. */
static gg_graph *make_graph(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, six + 3);
  float many[200];

  for (size_t i = 0; i < 200; i++)
    many[i] = 1.0f / (float)(i + 1);
  gg_var *k = gg_constant(g, GA_FLOAT, 1, (size_t[]){200}, many);
  gg_var *y = gg_named(gg_add(gg_mul(x, w), gg_add(b, gg_sum(k))), "y");
  assert_ok(gg_graph_add_func(g, &(gg_func_spec){.name = "predict",
                                                 .inputs = GG_VARS(x),
                                                 .outputs = GG_VARS(y)}));
  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){
             .name = "step",
             .inputs = GG_VARS(x),
             .updates = GG_UPDATES({w, gg_sub(w, gg_mul(gg_f32(g, 0.1f), y))}),
         }));
  return g;
}

static void call(gg_graph *g, const char *name, const float *x, float *y) {
  GpuArray in = {0}, out = {0};
  GpuArray *outs[1] = {&out};
  gg_func *f = func_make(g, gg_graph_func(g, name));

  float_vector(&in, 6, x);
  func_run(f, (GpuArray *[]){&in}, outs);
  if (y != NULL)
    assert_ok(GpuArray_read(y, 6 * sizeof *y, &out));
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* --- there and back --- */

/* Functions, names, constants in blocks, and values as they are when saved. */
static void test_round_trip(void **state) {
  gg_graph *g = make_graph(test_context());
  float want[6], got[6], w[6];

  (void)state;
  call(g, "step", six, NULL);
  call(g, "predict", six, want);
  assert_ok(gg_shared_read(gg_graph_find(g, "w"), w, sizeof w));
  assert_memory_not_equal(w, six, sizeof w);
  gg_graph *h = graph_of_file(test_context(), g);
  assert_shared(gg_graph_find(h, "w"), w, 6);
  assert_shared(gg_graph_find(h, "b"), six + 3, 1);
  call(h, "predict", six, got);
  assert_memory_equal(got, want, sizeof got);
  /* The copy learns on its own, and in the same way. */
  call(h, "step", six, NULL);
  assert_shared(gg_graph_find(g, "w"), w, 6);
  call(g, "step", six, NULL);
  call(g, "predict", six, want);
  call(h, "predict", six, got);
  assert_memory_equal(got, want, sizeof got);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Text with values is as good as a file. */
static void test_text_with_values(void **state) {
  gg_graph *g = make_graph(test_context());
  char *text = graph_text(g, GG_TEXT_VALUES);
  float want[6], got[6];

  (void)state;
  gg_graph *h = graph_of_text(test_context(), text);
  call(g, "predict", six, want);
  call(h, "predict", six, got);
  assert_memory_equal(got, want, sizeof got);
  free(text);
  /* Without them, there are zeros. */
  text = graph_text(g, 0);
  gg_graph_free(h);
  h = graph_of_text(test_context(), text);
  assert_shared(gg_graph_find(h, "w"), (float[6]){0}, 6);
  free(text);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Streams go on where they were: states are shared variables that move on by
 * default. */
static void draw(gg_graph *g, float *y) {
  GpuArray out = {0};
  gg_func *f = func_make(g, gg_graph_func(g, "draw"));

  func_run(f, NULL, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(y, 6 * sizeof *y, &out));
  GpuArray_clear(&out);
  gg_func_free(f);
}

static void test_streams(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_random *r = gg_random_new(g, GG_PHILOX, 7);
  gg_var *u =
      gg_random_normal(r, GG_DRAW(GA_FLOAT, 6), gg_f32(g, 0), gg_f32(g, 1));
  float first[6], want[6], got[6];

  (void)state;
  for (size_t i = 0; i < gg_random_count(r); i++)
    assert_ok(gg_shared_set_update(gg_random_state(r, i),
                                   gg_random_updates(r, NULL)[i].value));
  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){.name = "draw", .outputs = GG_VARS(u)}));
  draw(g, first);
  gg_graph *h = graph_of_file(test_context(), g);
  draw(g, want);
  draw(h, got);
  assert_memory_not_equal(first, want, sizeof want);
  assert_memory_equal(got, want, sizeof want);
  draw(g, want);
  draw(h, got);
  assert_memory_equal(got, want, sizeof want);
  gg_random_free(r);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Every dtype, sizes of 0 and 1, and sizes that changed. */
static void test_values(void **state) {
  static const int dtypes[] = {GA_BOOL,   GA_BYTE, GA_UBYTE, GA_SHORT,
                               GA_USHORT, GA_INT,  GA_UINT,  GA_LONG,
                               GA_ULONG,  GA_HALF, GA_FLOAT, GA_BFLOAT};
  gg_graph *g = gg_graph_new(test_context());
  char name[16], want[60], got[60];
  GpuArray one = {0};

  (void)state;
  for (int i = 0; i < 12; i++) {
    snprintf(name, sizeof name, "v%d", i);
    test_fill(want, dtypes[i], 6, 0, 2, (uint32_t)i);
    gg_shared_host(g, name, dtypes[i], 2, (size_t[]){2, 3}, want);
  }
  gg_shared_host(g, "empty", GA_FLOAT, 2, (size_t[]){0, 1}, six);
  gg_var *v =
      gg_shared_host_sized(g, "shrunk", GA_FLOAT, 1, (size_t[]){6}, six, NULL);
  float_vector(&one, 1, six + 4);
  assert_ok(gg_shared_set(v, &one));
  GpuArray_clear(&one);
  gg_graph *h = graph_of_file(test_context(), g);
  for (int i = 0; i < 12; i++) {
    snprintf(name, sizeof name, "v%d", i);
    const size_t bytes = 6 * gpuarray_get_elsize(dtypes[i]);

    assert_ok(gg_shared_read(gg_graph_find(g, name), want, bytes));
    assert_ok(gg_shared_read(gg_graph_find(h, name), got, bytes));
    assert_memory_equal(got, want, bytes);
  }
  assert_ok(gg_shared_read(gg_graph_find(h, "empty"), got, 0));
  v = gg_graph_find(h, "shrunk");
  assert_int_equal(gg_var_type(v)->dims[0], GG_ANY);
  assert_shared(v, six + 4, 1);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* A value without elements ends the file. */
static void test_nothing_at_the_end(void **state) {
  gg_graph *g = gg_graph_new(test_context());

  (void)state;
  gg_shared_host(g, "none", GA_FLOAT, 1, (size_t[]){0}, six);
  gg_graph *h = graph_of_file(test_context(), g);
  assert_shared(gg_graph_find(h, "none"), six, 0);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* More than a piece of the stream, whatever the mapping. */
static void large(void) {
  const size_t n = 700001;
  float *values = malloc(n * sizeof *values), *got;
  gg_graph *g = gg_graph_new(test_context());

  got = malloc(n * sizeof *got);
  assert_non_null(values);
  assert_non_null(got);
  test_fill(values, GA_FLOAT, n, -1, 1, 3);
  gg_shared_host(g, "large", GA_FLOAT, 1, &n, values);
  gg_graph *h = graph_of_file(test_context(), g);
  assert_ok(gg_shared_read(gg_graph_find(h, "large"), got, n * sizeof *got));
  assert_memory_equal(got, values, n * sizeof *got);
  free(values);
  free(got);
  gg_graph_free(g);
  gg_graph_free(h);
}

static void test_large(void **state) {
  (void)state;
  test_mappings(large);
}

/* Into a context of its own. */
static void test_other_context(void **state) {
  gg_graph *g = make_graph(test_context());
  gpucontext_props *p = NULL;
  gpucontext *other = NULL;
  float w[6];

  (void)state;
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_init(&other, "opencl", p));
  gg_graph *h = graph_of_file(other, g);
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "w")), other);
  assert_ok(gg_shared_read(gg_graph_find(h, "w"), w, sizeof w));
  assert_memory_equal(w, six, sizeof w);
  gg_graph_free(g);
  gg_graph_free(h);
  gpucontext_deref(other);
}

/* Without one: for those who only look. */
static void test_no_context(void **state) {
  gg_graph *g = make_graph(test_context());
  char *once = graph_text(g, 0);
  GpuArray a = {0};
  float w[6];

  (void)state;
  gg_graph *h = graph_of_file(NULL, g);
  char *twice = graph_text(h, 0);
  assert_string_equal(once, twice);
  assert_int_equal(gg_shared_read(gg_graph_find(h, "w"), w, sizeof w),
                   GA_INVALID_ERROR);
  assert_string_equal(gg_graph_error(h), "shared w has no value: its graph has "
                                         "no context");
  gg_graph_reset_error(h);
  assert_int_equal(gg_shared_get(gg_graph_find(h, "w"), &a), GA_INVALID_ERROR);
  assert_string_equal(gg_graph_error(h), "shared w has no value: its graph has "
                                         "no context");
  gg_graph_reset_error(h);
  assert_int_equal(gg_graph_save(h, test_file_path("never.gg")),
                   GA_INVALID_ERROR);
  assert_false(test_file_exists(test_file_path("never.gg")));
  gg_graph_reset_error(h);
  gg_graph *same = graph_of_text(NULL, twice);
  free(once);
  free(twice);
  gg_graph_free(g);
  gg_graph_free(h);
  gg_graph_free(same);
}

/* --- files that are not as they were --- */

typedef struct bytes {
  unsigned char *p;
  size_t n;
} bytes;

static bytes saved_file(void) {
  gg_graph *g = make_graph(test_context());
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

/* --- failures --- */

static void assert_error(gg_graph *g, int code, const char *message) {
  assert_int_equal(gg_graph_status(g), code);
  if (strstr(gg_graph_error(g), message) == NULL)
    fail_msg("expected: %s\ngot: %s", message, gg_graph_error(g));
  gg_graph_reset_error(g);
}

static void test_system_refuses(void **state) {
  gg_graph *g = make_graph(test_context());
  const size_t size = gg_graph_size(g);
  const char *pipe = test_file_path("save.pipe");

  (void)state;
  assert_code(GA_SYS_ERROR, gg_graph_save(g, "/nowhere/at/all.gg"));
  assert_message(GA_SYS_ERROR, "/nowhere/at/all.gg");
  assert_ok(gg_graph_status(g));
  assert_int_equal(gg_graph_load(g, "/nowhere/at/all.gg"), GA_SYS_ERROR);
  assert_error(g, GA_SYS_ERROR, "/nowhere/at/all.gg");
  assert_int_equal(gg_graph_load(g, "/dev/null"), GA_VALUE_ERROR);
  assert_error(g, GA_VALUE_ERROR, "not a regular file");
  assert_int_equal(mkfifo(pipe, 0600), 0); /* nobody writes to it */
  assert_int_equal(gg_graph_load(g, pipe), GA_VALUE_ERROR);
  assert_error(g, GA_VALUE_ERROR, "not a regular file");
  assert_int_equal(unlink(pipe), 0);
  assert_int_equal(gg_graph_size(g), size);
  /* An error that is there stays, whatever the file. */
  const char *empty = test_file_path("empty.gg");
  test_file_write(empty, "", 0);
  gg_add(g->vars.v[0], NULL);
  assert_int_equal(gg_graph_load(g, empty), GA_VALUE_ERROR);
  assert_error(g, GA_VALUE_ERROR, "operand 1 is NULL");
  assert_ok(gg_graph_load(g, empty));
  gg_graph_free(g);
}

/* A file of text alone: every allocation fails once. */
static void load_text_without_memory(const char *path) {
  static const char text[] = "x = input float32\ny = exp(x)\n";

  test_file_write(path, text, strlen(text));
  for (long n = 1, left = 0; left <= 0; n++) {
    gg_graph *g = gg_graph_new(NULL);
    ga__alloc_fail(n, 0);
    const int err = gg_graph_load(g, path);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    gg_graph_free(g);
  }
}

/* Every allocation of the host fails once. */
static void test_no_memory(void **state) {
  const char *path = test_file_path("memory.gg");
  gg_graph *g = make_graph(test_context());
  int err = GA_MEMORY_ERROR;
  long n;

  (void)state;
  assert_ok(gg_graph_save(g, path));
  for (n = 1; err != GA_NO_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = gg_graph_save(g, path);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    gg_graph_reset_error(g);
    gg_graph *h = gg_graph_new(NULL);
    assert_ok(gg_graph_load(h, path));
    gg_graph_free(h);
  }
  n = 1;
  for (long left = 0; left <= 0; n++) {
    gg_graph *h = gg_graph_new(test_context());
    ga__alloc_fail(n, 0);
    err = gg_graph_load(h, path);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    assert_null(err == GA_NO_ERROR ? NULL : gg_graph_func(h, "step"));
    gg_graph_free(h);
  }
  load_text_without_memory(path);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_text_with_values),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_nothing_at_the_end),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_other_context),
      cmocka_unit_test(test_no_context),
      cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_each_byte_counts),
      cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_hostile_texts),
      cmocka_unit_test(test_damaged_values),
      cmocka_unit_test(test_other_order),
      cmocka_unit_test(test_bools),
      cmocka_unit_test(test_text_file),
      cmocka_unit_test(test_system_refuses),
      cmocka_unit_test(test_no_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

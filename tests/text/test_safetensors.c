/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of shared variables in safetensors files. With SAFETENSORS=FOLDER the
 * file ours.safetensors is left there, and theirs.safetensors is read, if it
 * is there, with the same values (check_safetensors.sh). */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "support/device.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"

static const int dtypes[] = {GA_BOOL,  GA_UBYTE,  GA_BYTE,  GA_USHORT, GA_SHORT,
                             GA_UINT,  GA_INT,    GA_ULONG, GA_LONG,   GA_HALF,
                             GA_FLOAT, GA_DOUBLE, GA_BFLOAT};
#define DTYPES (sizeof dtypes / sizeof *dtypes)

/* A file in the folder that the environment names, or of the test. */
static const char *file(const char *name) {
  static char path[512];
  const char *folder = getenv("SAFETENSORS");

  if (folder == NULL)
    return test_file_path(name);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* Element i is i % 3, or its truth. bfloat16 comes last: NumPy lacks it. */
static void make(gg_graph *g, gg_var **vars, size_t n, int zero) {
  const size_t dims[] = {2, 3};
  char data[6 * 8];

  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < 6; i++) {
      const double x = zero ? 0 : (double)(i % 3);
      ga__dtype_from_double(dtypes[k], data + i * ga__dtype_size(dtypes[k]),
                            dtypes[k] == GA_BOOL ? x != 0 : x);
    }
    vars[k] =
        gg_shared_host(g, ga__dtype_name(dtypes[k]), dtypes[k], 2, dims, data);
    assert_non_null(vars[k]);
  }
  vars[n] = NULL;
}

static void assert_values(const gg_var *v) {
  const int dtype = gg_var_type(v)->dtype;
  const size_t item = ga__dtype_size(dtype);
  char data[6 * 8];

  assert_int_equal(gg_var_type(v)->nd, 2);
  assert_ok(gg_shared_read(v, data, 6 * item));
  for (size_t i = 0; i < 6; i++) {
    const double x = (double)(i % 3);
    assert_true(ga__dtype_to_double(dtype, data + i * item) ==
                (dtype == GA_BOOL ? x != 0 : x));
  }
}

/* Out, into variables of zeros, and as new variables. */
static void test_all_dtypes(void **state) {
  gg_graph *g = gg_graph_new(test_context()), *h = gg_graph_new(test_context());
  gg_graph *k = gg_graph_new(test_context());
  gg_var *vars[DTYPES + 1], *zeros[DTYPES + 1];
  const char *path = file("ours.safetensors");

  (void)state;
  make(g, vars, DTYPES, 0);
  make(h, zeros, DTYPES, 1);
  assert_ok(gg_safetensors_save(vars, path));
  assert_ok(gg_safetensors_load(zeros, path));
  assert_ok(gg_safetensors_add(k, path));
  for (size_t i = 0; i < DTYPES; i++) {
    assert_values(zeros[i]);
    assert_values(gg_graph_find(k, gg_var_name(vars[i])));
  }
  assert_int_equal(gg_graph_size(k), DTYPES);
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(k, path));
  assert_message(GA_VALUE_ERROR, "the graph has a variable \"uint64\"");
  gg_graph_free(g);
  gg_graph_free(h);
  gg_graph_free(k);
}

static void test_theirs(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  const char *path = file("theirs.safetensors");
  gg_var *zeros[DTYPES + 1];

  (void)state;
  if (test_file_exists(path)) {
    make(g, zeros, DTYPES - 1, 1);
    assert_ok(gg_safetensors_load(zeros, path));
    for (size_t i = 0; zeros[i] != NULL; i++)
      assert_values(zeros[i]);
  }
  gg_graph_free(g);
}

/* Sizes that may change do; empty arrays, and names with all characters. */
static void test_sizes(void **state) {
  const char *path = test_file_path("sizes.safetensors");
  const char *name = "a \"b\"\\\n\x01\xc3\xa9";
  gg_graph *g = gg_graph_new(test_context()), *h = gg_graph_new(test_context());
  const size_t two = 2, five = 5, none[] = {0, 3};
  const int64_t any = GG_ANY;
  const float in[] = {1, 2, 3, 4, 5};
  float out[5];
  gg_var *v = gg_shared_host(g, name, GA_FLOAT, 1, &five, in);
  gg_var *e = gg_shared_host(g, "none", GA_FLOAT, 2, none, in);
  gg_var *w = gg_shared_host_sized(h, name, GA_FLOAT, 1, &two, in, &any);
  gg_var *f = gg_shared_host(h, "none", GA_FLOAT, 2, none, in);

  (void)state;
  for (int i = 0; i < 2; i++) {
    assert_ok(
        gg_safetensors_save(i == 0 ? GG_VARS(v, e) : GG_VARS(e, v), path));
    assert_ok(gg_safetensors_load(GG_VARS(f, w), path));
    assert_ok(gg_shared_read(w, out, sizeof out));
    assert_memory_equal(in, out, sizeof in);
  }
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Values begin at a multiple of 8 bytes, whatever the names. */
static void test_alignment(void **state) {
  const char *path = test_file_path("aligned.safetensors");
  const float in[] = {1, 2};
  const size_t two = 2;
  char name[10] = "";

  (void)state;
  for (size_t i = 0; i < 8; i++) {
    gg_graph *g = gg_graph_new(test_context());
    name[i] = 'w';
    gg_var *w = gg_shared_host(g, name, GA_FLOAT, 1, &two, in);
    assert_ok(gg_safetensors_save(GG_VARS(w), path));
    size_t n;
    unsigned char *bytes = test_file_read(path, &n);
    assert_int_equal(bytes[0] % 8, 0);
    assert_int_equal(n, 8 + bytes[0] + sizeof in);
    assert_memory_equal(bytes + n - sizeof in, in, sizeof in);
    free(bytes);
    gg_graph_free(g);
  }
}

/* --- wrong files --- */

/* Write a file with this header and n bytes behind it. */
static const char *write_header(const char *json, size_t n) {
  const size_t length = strlen(json);
  const char *path = test_file_path("odd.safetensors");
  char *bytes = calloc(8 + length + n, 1);

  assert_non_null(bytes);
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(length >> 8 * i);
  memcpy(bytes + 8, json, length);
  memset(bytes + 8 + length, 2, n);
  test_file_write(path, bytes, 8 + length + n);
  free(bytes);
  return path;
}

/* Read such a file into float32[2] "w". */
static int read_header(const char *json, size_t n) {
  const size_t two = 2;
  const float before[] = {5, 6};
  const char *path = write_header(json, n);
  gg_graph *g = gg_graph_new(test_context());
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &two, before);
  float after[2];

  const int err = gg_safetensors_load(GG_VARS(w), path);
  assert_ok(gg_graph_status(g)); /* another file may be read */
  assert_ok(gg_shared_read(w, after, sizeof after));
  if (err != GA_NO_ERROR)
    assert_memory_equal(before, after, sizeof before);
  gg_graph_free(g);
  return err;
}

static void test_odd_files(void **state) {
  static const struct {
    const char *json;
    size_t n;
    const char *part; /* NULL: it is read */
  } odd[] = {
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
       NULL},
      {" {\"__metadata__\":{\"a\":\"b\"} , \"w\" : {\"data_offsets\":[0, 8],"
       "\"dtype\":\"F32\",\"shape\":[2]}} \n",
       8, NULL},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9,
       "1 bytes follow the last tensor"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7,
       "\"w\" lies at 0 to 8, expected 0 and at most 7"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12,
       "\"w\" lies at 4 to 12, expected 0"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8,
       "its offsets are no range"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]}}", 8,
       "its offsets are no range"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8,
       "8 bytes, its sizes need 12"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,4],"
       "\"data_offsets\":[0,8]}}",
       8, "\"w\" is too large"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],"
       "\"data_offsets\":[0,8]}}",
       8, "more than 64 bits"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8,
       "expected a size"},
      {"{\"w\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8,
       "\"w\" is float64[1], expected float32[2]"},
      {"{\"w\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", 16,
       "\"w\" is float64[2], expected float32[2]"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,2],"
       "\"data_offsets\":[0,8]}}",
       8, "\"w\" is float32[1, 1, 1, 1, 1, 1, 1, 2], expected float32[2]"},
      {"{\"w\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[0,8]}}", 8,
       "2 is no bool"},
      {"{\"w\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
       "elements of type F4"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],"
       "\"data_offsets\":[0,8]}}",
       8, "9 dimensions"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 0, "lacks its dtype"},
      {"{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "two of \"dtype\""},
      {"{\"w\":{\"type\":\"F32\"}}", 0, "\"w\" has \"type\""},
      {"{\"v\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0,
       "has no tensor \"w\""},
      {"{\"v\\u0000\":1}", 0, "no character of a text"},
      {"{\"\\ud800\":1}", 0, "half of a pair"},
      {"{\"\xff\":1}", 0, "no character of a text"},
      {"{\"__metadata__\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
       "["
       "[[[[[[[[[[[[[[[[[[[[[[[[[[[",
       0, "values nest too deep"},
      {"{\"__metadata__\":{\"a\":", 0, "expected a value"},
      {"{} {}", 0, "something follows"},
      {"", 0, "expected '{'"},
      {"{\"w\"", 0, "expected ':'"},
      {"{\"w", 0, "the text has no end"}};

  (void)state;
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    const int err = read_header(odd[i].json, odd[i].n);

    if ((err == GA_NO_ERROR) != (odd[i].part == NULL))
      fail_msg("%s: %s", odd[i].json, gpuarray_error_text(err));
    if (odd[i].part != NULL)
      assert_message(err, odd[i].part);
  }
}

/* Files whose tensors cannot become variables. */
static void test_odd_additions(void **state) {
  static const struct {
    const char *json;
    size_t n;
    int code;
    const char *part;
  } odd[] = {
      {"{\"w\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
       GA_UNSUPPORTED_ERROR, "elements of type F4"},
      {"{\"w\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[0,8]}}", 8,
       GA_VALUE_ERROR, "2 is no bool"},
      {"{\"\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
       GA_VALUE_ERROR, "a tensor has no name"},
      {"{\"w", 0, GA_VALUE_ERROR, "the text has no end"}};

  (void)state;
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    const char *path = write_header(odd[i].json, odd[i].n);
    gg_graph *g = gg_graph_new(test_context());

    assert_code(odd[i].code, gg_safetensors_add(g, path));
    assert_message(odd[i].code, odd[i].part);
    assert_int_equal(gg_graph_size(g), 0);
    gg_graph_free(g);
  }
}

static void assert_bad(gg_var *const *vars, const char *path,
                       const char *message) {
  assert_code(GA_VALUE_ERROR, gg_safetensors_save(vars, path));
  assert_string_equal(gpuarray_error_text(GA_VALUE_ERROR), message);
  if (vars != NULL && vars[0] != NULL)
    gg_graph_reset_error(gg_var_graph(vars[0]));
}

/* What each message says. */
static void test_messages(void **state) {
  gg_graph *g = gg_graph_new(test_context()), *h = gg_graph_new(test_context());
  const char *path = test_file_path("messages.safetensors");
  const size_t one = 1;
  const float v = 1;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &one, &v);
  gg_var *w2 = gg_shared_host(g, "w", GA_FLOAT, 1, &one, &v);
  gg_var *unnamed = gg_shared_host(g, "", GA_FLOAT, 1, &one, &v);
  gg_var *taken = gg_shared_host(g, "__metadata__", GA_FLOAT, 1, &one, &v);
  gg_var *bytes = gg_shared_host(g, "\xff", GA_FLOAT, 1, &one, &v);
  gg_var *foreign = gg_shared_host(h, "v", GA_FLOAT, 1, &one, &v);

  (void)state;
  assert_bad(NULL, path, "safetensors: there is no variable");
  assert_bad(GG_VARS(w), NULL, "safetensors: there is no path");
  assert_bad(GG_VARS(w, w2), path,
             "safetensors: \"w\" cannot be the name of a tensor: two variables "
             "have it");
  assert_bad(GG_VARS(unnamed), path,
             "safetensors: \"\" cannot be the name of a tensor");
  assert_bad(GG_VARS(w, taken), path,
             "safetensors: \"__metadata__\" cannot be the name of a tensor");
  assert_bad(GG_VARS(bytes), path,
             "safetensors: \"\xff\" cannot be the name of a tensor");
  assert_bad(GG_VARS(w, foreign), path,
             "safetensors: variable 1 is no shared variable of the graph");
  assert_false(test_file_exists(path));
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(NULL, path));
  assert_message(GA_VALUE_ERROR, "gg_safetensors_add: the graph is NULL");
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(g, NULL));
  assert_message(GA_VALUE_ERROR, "gg_safetensors_add: the path is NULL");
  gg_graph_free(g);
  gg_graph_free(h);
}

/* A graph with an error does nothing, and a variable may lack a value. */
static void test_bad_graphs(void **state) {
  const char *path = write_header("{}", 0);
  const char *never = test_file_path("never.safetensors");
  gg_graph *g = gg_graph_new(test_context());
  const size_t one = 1;
  const float v = 1;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &one, &v);

  (void)state;
  gg_add(w, NULL);
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(g, path));
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_code(GA_VALUE_ERROR, gg_safetensors_save(GG_VARS(w), never));
  assert_false(test_file_exists(never));
  gg_graph_reset_error(g);
  assert_ok(gg_safetensors_add(g, path));
  gg_graph_free(g);
  g = graph_of_text(NULL, "w = shared float32[2]\n");
  assert_code(GA_INVALID_ERROR,
              gg_safetensors_save(GG_VARS(gg_graph_find(g, "w")), never));
  assert_false(test_file_exists(never));
  gg_graph_free(g);
}

static void test_arguments(void **state) {
  gg_graph *g = gg_graph_new(test_context()), *bare = gg_graph_new(NULL);
  const size_t one = 1;
  const float v = 1;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *none = NULL;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &one, &v);
  gg_var *w2 = gg_shared_host(g, "w", GA_FLOAT, 1, &one, &v);
  gg_var *unnamed = gg_shared_host(g, "", GA_FLOAT, 1, &one, &v);
  gg_var *const *bad[] = {GG_VARS(x), GG_VARS(w, w2), GG_VARS(w, none),
                          GG_VARS(unnamed), GG_VARS(none)};
  const char *path = test_file_path("none.safetensors");

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_code(GA_VALUE_ERROR, gg_safetensors_save(bad[i], path));
    gg_graph_reset_error(g);
    assert_code(GA_VALUE_ERROR, gg_safetensors_load(bad[i], path));
    gg_graph_reset_error(g);
  }
  assert_false(test_file_exists(path));
  assert_code(GA_VALUE_ERROR, gg_safetensors_save(NULL, path));
  assert_code(GA_VALUE_ERROR, gg_safetensors_save(GG_VARS(w), NULL));
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(NULL, path));
  assert_code(GA_VALUE_ERROR, gg_safetensors_add(bare, path));
  assert_code(GA_SYS_ERROR, gg_safetensors_load(GG_VARS(w), path));
  gg_graph_free(g);
  gg_graph_free(bare);
}

/* The format has no complex numbers. */
static void test_complex(void **state) {
  static const int complex[] = {GA_CFLOAT, GA_CDOUBLE};
  const char *path = test_file_path("complex.safetensors");
  const size_t one = 1;
  const double v[2] = {1, 2};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    gg_graph *g = gg_graph_new(test_context());
    gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &one, v);
    gg_var *z = gg_shared_host(g, "z", complex[i], 1, &one, v);

    assert_code(GA_UNSUPPORTED_ERROR, gg_safetensors_save(GG_VARS(w, z), path));
    assert_message(GA_UNSUPPORTED_ERROR, "\"z\" is complex");
    assert_false(test_file_exists(path));
    gg_graph_free(g);
  }
}

enum { SAVE, LOAD, ADD, WAYS };

/* One of the ways with the variables of g. */
static int use_file(int way, gg_var *const *vars, const char *path) {
  if (way == SAVE)
    return gg_safetensors_save(vars, path);
  if (way == LOAD)
    return gg_safetensors_load(vars, path);
  gg_graph *h = gg_graph_new(test_context());
  const int err = h != NULL ? gg_safetensors_add(h, path) : GA_MEMORY_ERROR;
  gg_graph_free(h);
  return err;
}

/* Every allocation fails once, or that one and all after it. */
static void fail_each(int way, gg_var *const *vars, const char *path,
                      int persistent) {
  gg_graph *g = gg_var_graph(vars[0]);

  for (long nth = 1, left = 0; left <= 0; nth++) {
    const long live = ga__alloc_live();
    ga__alloc_fail(nth, persistent);
    const int err = use_file(way, vars, path);
    left = ga__alloc_fail(0, 0);
    left = left == -1 ? 0 : left; /* it went on */
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    gg_graph_reset_error(g);
    assert_true(ga__alloc_live() <= live + 1); /* the message */
  }
}

static void test_without_memory(void **state) {
  const char *path = test_file_path("memory.safetensors");
  gg_graph *g = gg_graph_new(test_context());
  gg_var *vars[DTYPES + 1];

  (void)state;
  make(g, vars, DTYPES, 0);
  assert_ok(gg_safetensors_save(vars, path));
  assert_ok(gg_safetensors_load(vars, path));
  for (int way = 0; way < WAYS; way++)
    for (int persistent = 0; persistent < 2; persistent++)
      fail_each(way, vars, path, persistent);
  gg_graph_free(g);
}

/* Whatever the length of the header, also where its last byte is one more than
 * there is memory for. */
static void test_headers_without_memory(void **state) {
  const char *path = test_file_path("header.safetensors");
  const float in[] = {1, 2};
  const size_t two = 2;
  char name[81] = "";

  (void)state;
  for (size_t i = 0; i < sizeof name - 1; i++) {
    gg_graph *g = gg_graph_new(test_context());
    name[i] = 'w';
    gg_var *w = gg_shared_host(g, name, GA_FLOAT, 1, &two, in);
    fail_each(SAVE, GG_VARS(w), path, 0);
    gg_graph_free(g);
  }
}

/* A value that gets other sizes. */
static void test_resized_without_memory(void **state) {
  const char *path = test_file_path("resized.safetensors");
  const size_t two = 2, five = 5;
  const int64_t any = GG_ANY;
  const float in[] = {1, 2, 3, 4, 5};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 1, &five, in);

  (void)state;
  assert_ok(gg_safetensors_save(GG_VARS(v), path));
  for (long nth = 1, left = 0; left <= 0; nth++) {
    gg_graph *h = gg_graph_new(test_context());
    gg_var *w = gg_shared_host_sized(h, "v", GA_FLOAT, 1, &two, in, &any);
    float out[5] = {0};

    ga__alloc_fail(nth, 0);
    const int err = gg_safetensors_load(GG_VARS(w), path);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    assert_ok(gg_shared_read(w, out, left > 0 ? sizeof out : 2 * sizeof *out));
    assert_memory_equal(out, in, left > 0 ? sizeof out : 2 * sizeof *out);
    gg_graph_free(h);
  }
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_dtypes),
      cmocka_unit_test(test_theirs),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_alignment),
      cmocka_unit_test(test_odd_files),
      cmocka_unit_test(test_odd_additions),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_bad_graphs),
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_complex),
      cmocka_unit_test(test_without_memory),
      cmocka_unit_test(test_headers_without_memory),
      cmocka_unit_test(test_resized_without_memory),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved files: what comes back, and what a failure leaves behind. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "graph/graph.h"
#include "support/funcs.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "text/learner.h"

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
  gg_graph *g = learner_new(test_context());
  float want[6], got[6], w[6];

  (void)state;
  call(g, "step", learner_weights, NULL);
  call(g, "predict", learner_weights, want);
  assert_ok(gg_shared_read(gg_graph_find(g, "w"), w, sizeof w));
  assert_memory_not_equal(w, learner_weights, sizeof w);
  gg_graph *h = graph_of_file(test_context(), g);
  assert_shared(gg_graph_find(h, "w"), w, 6);
  assert_shared(gg_graph_find(h, "b"), learner_weights + 3, 1);
  call(h, "predict", learner_weights, got);
  assert_memory_equal(got, want, sizeof got);
  /* The copy learns on its own, and in the same way. */
  call(h, "step", learner_weights, NULL);
  assert_shared(gg_graph_find(g, "w"), w, 6);
  call(g, "step", learner_weights, NULL);
  call(g, "predict", learner_weights, want);
  call(h, "predict", learner_weights, got);
  assert_memory_equal(got, want, sizeof got);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Text with values is as good as a file. */
static void test_text_with_values(void **state) {
  gg_graph *g = learner_new(test_context());
  char *text = graph_text(g, GG_TEXT_VALUES);
  float want[6], got[6];

  (void)state;
  gg_graph *h = graph_of_text(test_context(), text);
  call(g, "predict", learner_weights, want);
  call(h, "predict", learner_weights, got);
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
  gg_shared_host(g, "empty", GA_FLOAT, 2, (size_t[]){0, 1}, learner_weights);
  gg_var *v = gg_shared_host_sized(g, "shrunk", GA_FLOAT, 1, (size_t[]){6},
                                   learner_weights, NULL);
  float_vector(&one, 1, learner_weights + 4);
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
  assert_shared(v, learner_weights + 4, 1);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* A value without elements ends the file. */
static void test_nothing_at_the_end(void **state) {
  gg_graph *g = gg_graph_new(test_context());

  (void)state;
  gg_shared_host(g, "none", GA_FLOAT, 1, (size_t[]){0}, learner_weights);
  gg_graph *h = graph_of_file(test_context(), g);
  assert_shared(gg_graph_find(h, "none"), learner_weights, 0);
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
  gg_graph *g = learner_new(test_context());
  gpucontext_props *p = NULL;
  gpucontext *other = NULL;
  float w[6];

  (void)state;
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_init(&other, "opencl", p));
  gg_graph *h = graph_of_file(other, g);
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "w")), other);
  assert_ok(gg_shared_read(gg_graph_find(h, "w"), w, sizeof w));
  assert_memory_equal(w, learner_weights, sizeof w);
  gg_graph_free(g);
  gg_graph_free(h);
  gpucontext_deref(other);
}

/* Without one: for those who only look. */
static void test_no_context(void **state) {
  gg_graph *g = learner_new(test_context());
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

/* --- failures --- */

static void assert_error(gg_graph *g, int code, const char *message) {
  assert_int_equal(gg_graph_status(g), code);
  if (strstr(gg_graph_error(g), message) == NULL)
    fail_msg("expected: %s\ngot: %s", message, gg_graph_error(g));
  gg_graph_reset_error(g);
}

static void test_system_refuses(void **state) {
  gg_graph *g = learner_new(test_context());
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
  gg_graph *g = learner_new(test_context());
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
      cmocka_unit_test(test_system_refuses),
      cmocka_unit_test(test_no_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

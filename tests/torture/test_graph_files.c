/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of graphs and of their values whose file operations fail, one after the
 * other: a load that fails reports it and leaves the graph empty, a save that
 * fails reports it and leaves the old file, and nothing stays open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "torture/file_fault.h"

static const float values[4] = {1, -2, 3, 0.5f};
static char path[1024];
static int is_text; /* a file without a header */

/* A shared variable and a constant, both of which files keep in blocks. */
static gg_graph *make_graph(void) {
  gg_graph *g = gg_graph_new(test_context());
  float many[200];

  for (size_t i = 0; i < 200; i++)
    many[i] = (float)i;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){4}, values);
  gg_var *k = gg_constant(g, GA_FLOAT, 1, (size_t[]){200}, many);
  assert_non_null(gg_named(gg_add(gg_sum(w), k), "y"));
  return g;
}

/* --- loads --- */

/* The file at `path` in a context or none. NULL and *err if that fails. */
static gg_graph *load(gpucontext *ctx, int *err) {
  gg_graph *g = gg_graph_new(ctx);

  *err = gg_graph_load(g, path);
  assert_int_equal(gg_graph_status(g), *err);
  if (*err == GA_NO_ERROR)
    return g;
  assert_non_null(strstr(gg_graph_error(g), path));
  if (is_text) /* nothing of it was parsed */
    assert_null(strstr(gg_graph_error(g), ":1:"));
  assert_int_equal(gg_graph_size(g), 0);
  gg_graph_free(g);
  return NULL;
}

/* How many of the operations fail the load. The others change nothing. */
static int n_failures(gpucontext *ctx, int how, int code) {
  int n = 0, err;

  file_fault_arm(0, 0, 0);
  gg_graph *g = load(ctx, &err);
  const long calls = file_fault_disarm(NULL);
  assert_ok(err);
  char *want = graph_text(g, ctx != NULL ? GG_TEXT_VALUES : 0);
  gg_graph_free(g);
  for (long nth = 1; nth <= calls; nth++) {
    const long open = file_fault_open();
    file_fault_arm(nth, how, 0);
    g = load(ctx, &err);
    file_fault_disarm(NULL);
    assert_int_equal(file_fault_open(), open);
    if (g != NULL) {
      char *got = graph_text(g, ctx != NULL ? GG_TEXT_VALUES : 0);
      assert_string_equal(got, want);
      free(got);
      gg_graph_free(g);
    } else {
      assert_int_equal(err, code);
      n++;
    }
  }
  free(want);
  return n;
}

/* `all` counts the status, the open, seeks and reads, but not the close. */
static void assert_loads(gpucontext *ctx, int all, int reads) {
  assert_int_equal(n_failures(ctx, EIO, GA_SYS_ERROR), all);
  assert_int_equal(n_failures(ctx, FILE_END, GA_VALUE_ERROR), reads);
  assert_int_equal(n_failures(ctx, EINTR, GA_SYS_ERROR), all - reads);
  assert_int_equal(n_failures(ctx, FILE_SHORT, GA_SYS_ERROR), 0);
}

static void a_text_is_read_or_not(void **state) {
  static const char text[] = "x = input float32\ny = exp(x)\n";

  (void)state;
  test_file_write(path, text, strlen(text));
  is_text = 1;
  assert_loads(NULL, 4, 2);
  is_text = 0;
}

static void a_graph_is_read_or_not(void **state) {
  gg_graph *g = make_graph();

  (void)state;
  assert_ok(gg_graph_save(g, path));
  gg_graph_free(g);
  assert_loads(NULL, 11, 5);
  assert_loads(test_context(), 11, 5);
}

/* --- values alone --- */

static void values_are_saved_or_not(void **state) {
  gg_graph *g = make_graph();
  gg_var *const w[] = {gg_graph_find(g, "w"), NULL};
  size_t n, m;
  int failed = 0;

  (void)state;
  file_fault_arm(0, 0, 0);
  assert_ok(gg_safetensors_save(w, path));
  const long calls = file_fault_disarm(NULL);
  unsigned char *want = test_file_read(path, &n);
  for (long nth = 1; nth <= calls; nth++) {
    const long open = file_fault_open();
    test_file_write(path, "old", 3);
    file_fault_arm(nth, EIO, 0);
    const int err = gg_safetensors_save(w, path);
    file_fault_disarm(NULL);
    assert_int_equal(file_fault_open(), open);
    unsigned char *got = test_file_read(path, &m);
    if (err == GA_NO_ERROR) {
      assert_int_equal(m, n);
      assert_memory_equal(got, want, n);
    } else if (m != n) { /* else its new name was not synced */
      assert_int_equal(m, 3);
      assert_memory_equal(got, "old", 3);
    }
    failed += err != GA_NO_ERROR;
    free(got);
  }
  /* Length, header and elements are three writes. */
  assert_int_equal(failed, 11);
  free(want);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_is_read_or_not),
      cmocka_unit_test(a_graph_is_read_or_not),
      cmocka_unit_test(values_are_saved_or_not),
  };

  snprintf(path, sizeof path, "%s", test_file_path("faults"));
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

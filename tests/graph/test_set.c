/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that are set or added to by index: in place in shared variables,
 * what broadcasts, what is refused. */
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *w, *index;
static GpuArray at;
static const float start[6] = {1, 2, 3, 4, 5, 6};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){3, 2}, start);
  index = gg_input(g, "i", GA_LONG, 1);
  test_array(&at, GA_LONG, 1, (size_t[]){3}, (int64_t[]){2, 0, 2});
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&at);
  gg_graph_free(g);
  return 0;
}

/* Update w by `value`, in place; *code is what the call returns. */
static void update(gg_var *value, int code) {
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(index),
                                            .updates = GG_UPDATES({w, value}),
                                            .flags = GG_ALLOW_UNUSED_INPUT});
  char *text = func_text(f);

  if (strstr(text, "in place") == NULL)
    fail_msg("not in place:\n%s", text);
  free(text);
  assert_code(code, gg_func_call(f, (GpuArray *[]){&at}, NULL));
  gg_func_free(f);
}

static void test_put(void **state) {
  (void)state;
  update(gg_put(w, 0, index, gg_f32(g, 9)), GA_NO_ERROR);
  assert_shared(w, (float[]){9, 9, 3, 4, 9, 9}, 6);
}

static void test_put_add(void **state) {
  (void)state;
  update(gg_put_add(w, 0, index, gg_index(w, 0, 0)), GA_NO_ERROR);
  assert_shared(w, (float[]){2, 4, 3, 4, 7, 10}, 6);
}

static void test_slice_set(void **state) {
  (void)state;
  update(gg_slice_set(w, 1, -1, GG_END, 1, gg_f32(g, 0)), GA_NO_ERROR);
  assert_shared(w, (float[]){1, 0, 3, 0, 5, 0}, 6);
  update(gg_slice_set(w, 0, 0, 2, 1,
                      gg_add(gg_slice(w, 0, 0, 2, 1), gg_f32(g, 1))),
         GA_NO_ERROR);
  assert_shared(w, (float[]){2, 1, 4, 1, 5, 0}, 6);
}

static void test_bad_indices(void **state) {
  (void)state;
  GpuArray_clear(&at);
  test_array(&at, GA_LONG, 1, (size_t[]){3}, (int64_t[]){3, -4, -1});
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  update(gg_put_add(w, 0, index, gg_f32(g, 1)), GA_NO_ERROR);
  assert_shared(w, (float[]){1, 2, 3, 4, 6, 7}, 6);
}

static void test_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  assert_null(gg_put(w, 2, index, x));
  assert_non_null(strstr(gg_graph_error(g), "there is no axis 2"));
  gg_graph_reset_error(g);
  assert_null(gg_put(w, 0, x, x));
  assert_non_null(strstr(gg_graph_error(g), "expected a vector of integers"));
  gg_graph_reset_error(g);
  assert_null(gg_slice_set(w, 0, 0, 1, 0, x));
  assert_non_null(strstr(gg_graph_error(g), "the step must not be 0"));
  gg_graph_reset_error(g);
  assert_null(gg_take_axis(NULL, 0, index));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_put),         TEST(test_put_add), TEST(test_slice_set),
      TEST(test_bad_indices), TEST(test_refused),
  };

  return cmocka_run_group_tests_name("set", tests, NULL, test_context_drop);
}

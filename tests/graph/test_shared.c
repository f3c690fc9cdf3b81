/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared variables: types, values in and out, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "support/device.h"

static gg_graph *g;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static const float six[6] = {1, 2, 3, 4, 5, 6};

static gg_var *matrix(const char *name) {
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){2, 3}, six);
}

static void assert_value(const gg_var *v, const float *want, size_t n) {
  float got[16];

  assert_ok(gg_shared_read(v, got, n * sizeof *got));
  assert_memory_equal(got, want, n * sizeof *got);
}

static void assert_graph_error(int code, const char *message) {
  assert_int_equal(gg_graph_status(g), code);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void assert_type(const gg_var *v, const char *want) {
  char text[160];

  assert_string_equal(gg_type_text(gg_var_type(v), text, sizeof text), want);
}

/* Sizes are part of the type unless the creator says otherwise. */
static void test_type(void **state) {
  const size_t sizes[2] = {1, 3};
  gg_var *w = matrix("w");
  GpuArray a;

  (void)state;
  assert_type(w, "float32[2, 3]");
  assert_string_equal(gg_var_name(w), "w");
  assert_type(gg_shared_host_sized(g, "any", GA_FLOAT, 2, sizes, six, NULL),
              "float32[?, ?]");
  assert_type(gg_shared_host_sized(g, "rows", GA_FLOAT, 2, sizes, six,
                                   (int64_t[]){GG_ANY, 3}),
              "float32[?, 3]");
  test_array(&a, GA_FLOAT, 2, sizes, six);
  assert_type(gg_shared(g, "fixed", &a), "float32[1, 3]");
  assert_type(gg_shared_sized(g, "columns", &a, (int64_t[]){1, GG_ANY}),
              "float32[1, ?]");
  GpuArray_clear(&a);
}

/* What cannot work with a variable's sizes is refused when it is built. */
static void test_sizes_refused(void **state) {
  const size_t sizes[2] = {2, 3};
  gg_var *w = matrix("w"), *v = gg_input(g, "v", GA_FLOAT, 2);
  gg_func *f;

  (void)state;
  assert_null(gg_dot(w, w));
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_non_null(strstr(gg_graph_error(g), "3"));
  gg_graph_reset_error(g);
  assert_null(gg_shared_host_sized(g, "n", GA_FLOAT, 2, sizes, six,
                                   (int64_t[]){GG_ANY, 4}));
  assert_graph_error(GA_VALUE_ERROR, "shared n: dim 1: expected 4, got 3");
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){
                              .inputs = GG_VARS(v),
                              .updates = GG_UPDATES(
                                  {w, gg_join(0, 2, (gg_var *[]){w, w})})}));
  assert_null(f);
  assert_graph_error(GA_VALUE_ERROR,
                     "update of w: float32[2, 3] cannot take float32[4, 3]");
}

/* The value is a copy, in C order whatever the array's is. */
static void test_from_array(void **state) {
  const float transposed[6] = {1, 4, 2, 5, 3, 6};
  float changed[6] = {0};
  GpuArray a, t;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 3}, six);
  assert_ok(GpuArray_transpose(&t, &a, NULL));
  gg_var *v = gg_shared(g, "v", &t);
  assert_non_null(v);
  assert_ok(GpuArray_write(&a, changed, sizeof changed));
  assert_value(v, transposed, 6);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}

static void test_getting(void **state) {
  gg_var *v = matrix("v");
  const float zeros[6] = {0};
  GpuArray a;

  (void)state;
  assert_ok(gg_shared_get(v, &a));
  test_array_equal(&a, six);
  /* A copy: later writes do not show. */
  assert_ok(gg_shared_write(v, zeros, sizeof zeros));
  test_array_equal(&a, six);
  assert_value(v, zeros, 6);
  GpuArray_clear(&a);
}

static void test_setting(void **state) {
  const float more[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  gg_var *v =
      gg_shared_host_sized(g, "v", GA_FLOAT, 2, (size_t[]){2, 3}, six, NULL);
  const uint64_t version = v->storage->version;
  gpudata *buffer = v->storage->value.data;
  GpuArray a, b;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 3}, more);
  assert_ok(gg_shared_set(v, &a));
  assert_value(v, more, 6);
  /* Equal sizes keep the buffer. */
  assert_ptr_equal(v->storage->value.data, buffer);
  assert_int_equal(v->storage->version, version);

  test_array(&b, GA_FLOAT, 2, (size_t[]){4, 2}, more);
  assert_ok(gg_shared_set(v, &b));
  assert_value(v, more, 8);
  assert_int_equal(v->storage->version, version + 1);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* The memory stays, and who sees it sees zeros. */
static void test_zero(void **state) {
  const float zeros[6] = {0};
  gg_var *v = matrix("v");
  gg_var *none = gg_shared_host(g, "none", GA_FLOAT, 1, (size_t[]){0}, NULL);
  const uint64_t version = v->storage->version;
  GpuArray copy, view;

  (void)state;
  assert_ok(gg_shared_get(v, &copy));
  assert_ok(gg_shared_view(v, &view));
  assert_ok(gg_shared_zero(v));
  assert_value(v, zeros, 6);
  assert_int_equal(v->storage->version, version);
  test_array_equal(&view, zeros);
  test_array_equal(&copy, six);
  assert_ok(gg_shared_zero(none));
  assert_code(GA_VALUE_ERROR, gg_shared_zero(gg_f32(g, 1)));
  assert_graph_error(GA_VALUE_ERROR, "'' is not a shared variable");
  assert_code(GA_VALUE_ERROR, gg_shared_zero(NULL));
  GpuArray_clear(&copy);
  GpuArray_clear(&view);
}

static void test_refused(void **state) {
  gg_var *v = matrix("v"), *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 1, (size_t[]){1}, six);
  float got[6];
  GpuArray a;

  (void)state;
  assert_code(GA_VALUE_ERROR, gg_shared_read(v, got, 20));
  assert_graph_error(GA_VALUE_ERROR, "shared v: expected 24 bytes, got 20");
  assert_code(GA_VALUE_ERROR, gg_shared_write(v, six, 28));
  assert_graph_error(GA_VALUE_ERROR, "shared v: expected 24 bytes, got 28");
  assert_code(GA_VALUE_ERROR, gg_shared_read(x, got, 24));
  assert_graph_error(GA_VALUE_ERROR, "'x' is not a shared variable");
  assert_code(GA_VALUE_ERROR, gg_shared_get(NULL, &a));

  test_array(&a, GA_FLOAT, 1, (size_t[]){6}, six);
  assert_code(GA_VALUE_ERROR, gg_shared_set(v, &a));
  assert_graph_error(GA_VALUE_ERROR, "shared v: expected float32 of rank 2, "
                                     "got float32 of rank 1");
  assert_code(GA_VALUE_ERROR, gg_shared_set(b, &a));
  assert_graph_error(GA_VALUE_ERROR, "shared b: dim 0: expected 1, got 6");
  GpuArray_clear(&a);
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, six);
  assert_code(GA_VALUE_ERROR, gg_shared_set(v, &a));
  assert_graph_error(GA_VALUE_ERROR, "shared v: dim 1: expected 3, got 2");
  assert_value(v, six, 6);
  GpuArray_clear(&a);

  assert_null(gg_shared_host(g, "c", 99, 0, NULL, six));
  assert_graph_error(GA_UNSUPPORTED_ERROR, "shared c: graphs have no dtype ?");
  assert_null(gg_shared_host(g, "n", GA_FLOAT, 9, (size_t[9]){0}, six));
  assert_graph_error(GA_VALUE_ERROR, "shared n: 9 dimensions are more than 8");
}

/* Scalars and nothing at all. */
static void test_small(void **state) {
  const int64_t number = -5;
  int64_t got = 0;
  gg_var *s = gg_shared_host(g, "s", GA_LONG, 0, NULL, &number);
  gg_var *none = gg_shared_host(g, "none", GA_FLOAT, 1, (size_t[]){0}, NULL);

  (void)state;
  assert_ok(gg_shared_read(s, &got, sizeof got));
  assert_int_equal(got, -5);
  assert_non_null(none);
  assert_ok(gg_shared_read(none, &got, 0));
}

/* The value outlives its graph as long as someone holds it. */
static void test_storage_is_counted(void **state) {
  gg_graph *h = gg_graph_new(test_context());
  gg_var *v = matrix("v"), *w = gg__clone_leaf(h, v);

  (void)state;
  assert_ptr_equal(v->storage, w->storage);
  gg_graph_free(g);
  g = NULL;
  assert_value(w, six, 6);
  gg_graph_free(h);
}

static void test_host_graph_has_no_values(void **state) {
  gg_graph *h = gg_graph_new(NULL);
  GpuArray a;

  (void)state;
  test_array(&a, GA_FLOAT, 1, (size_t[]){6}, six);
  assert_null(gg_shared(h, "v", &a));
  assert_string_equal(gg_graph_error(h), "shared v: the graph has no context");
  assert_null(gg_shared_host(h, "w", GA_FLOAT, 1, (size_t[]){6}, six));
  GpuArray_clear(&a);
  gg_graph_free(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_type, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sizes_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_from_array, setup, teardown),
      cmocka_unit_test_setup_teardown(test_getting, setup, teardown),
      cmocka_unit_test_setup_teardown(test_setting, setup, teardown),
      cmocka_unit_test_setup_teardown(test_zero, setup, teardown),
      cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_small, setup, teardown),
      cmocka_unit_test_setup_teardown(test_storage_is_counted, setup, teardown),
      cmocka_unit_test(test_host_graph_has_no_values),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of functions, and calls that want some of the outputs. */
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *w;
static gg_func *f, *copy;
static GpuArray in, out, other;
static const float start[3] = {1, 2, 3};
static int performed; /* calls of the op "seen" */

static int perform_seen(const gg_prepare *p) {
  performed++;
  memcpy(p->to[0], p->from[0], 3 * sizeof(float));
  return GA_NO_ERROR;
}

static int infer_seen(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape_seen(const gg_apply *a, const gg_dims *dims,
                      const double *const *host, gg_dims *result) {
  (void)a;
  (void)host;
  *result = dims[0];
  return GA_NO_ERROR;
}

static const gg_op seen = {.name = "seen",
                           .kind = GG_OP_PERFORM,
                           .n_out = 1,
                           .infer = infer_seen,
                           .shape = shape_seen,
                           .perform = perform_seen,
                           .on_host = 1};

/* Outputs x + w and seen(x w), update w - x. */
static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, start);
  gg_var *product = gg_mul(x, w);
  product = gg_op_apply(NULL, &seen, NULL, 1, &product);
  f = func_make(
      g, &(gg_func_spec){.name = "step",
                         .inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_named(gg_add(x, w), "sum"),
                                            gg_named(product, "product")),
                         .updates = GG_UPDATES({w, gg_sub(w, x)})});
  copy = NULL;
  performed = 0;
  memset(&out, 0, sizeof out);
  memset(&other, 0, sizeof other);
  float_vector(&in, 3, (float[]){1, 1, 1});
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  gg_func_free(f);
  gg_func_free(copy);
  gg_graph_free(g);
  return 0;
}

static void run(gg_func *fn) {
  func_run(fn, (GpuArray *[]){&in}, (GpuArray *[]){&out, &other});
}

static void test_same(void **state) {
  (void)state;
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = "again"}));
  run(copy);
  assert_floats(&out, (float[]){2, 3, 4}, 3);
  assert_floats(&other, (float[]){1, 2, 3}, 3);
  assert_shared(w, (float[]){0, 1, 2}, 3);
  run(f); /* they share w */
  assert_floats(&out, (float[]){1, 2, 3}, 3);
  assert_string_equal(gg_func_output_name(copy, 1), "product");
}

static void test_swap(void **state) {
  gg_graph *h = gg_graph_new(test_context());
  gg_var *v =
      gg_shared_host(h, "v", GA_FLOAT, 1, (size_t[]){3}, (float[]){5, 6, 7});

  (void)state;
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.swaps = GG_SWAPS({w, v})}));
  run(copy);
  assert_floats(&out, (float[]){6, 7, 8}, 3);
  assert_shared(v, (float[]){4, 5, 6}, 3);
  assert_shared(w, start, 3);
  gg_graph_free(h);
}

static void test_no_updates(void **state) {
  (void)state;
  assert_ok(
      gg_func_copy(&copy, f, &(gg_copy_spec){.flags = GG_COPY_NO_UPDATES}));
  run(copy);
  assert_floats(&other, start, 3);
  assert_shared(w, start, 3);
}

static void test_outputs(void **state) {
  const unsigned int which[2] = {1, 0};

  (void)state;
  assert_ok(gg_func_copy(&copy, f,
                         &(gg_copy_spec){.outputs = which, .n_outputs = 1}));
  assert_int_equal(gg_func_n_outputs(copy), 1);
  assert_string_equal(gg_func_output_name(copy, 0), "product");
  func_run(copy, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_floats(&out, start, 3);
  gg_func_free(copy);
  assert_ok(gg_func_copy(&copy, f,
                         &(gg_copy_spec){.outputs = which, .n_outputs = 2}));
  func_run(copy, (GpuArray *[]){&in}, (GpuArray *[]){&out, &other});
  assert_floats(&other, (float[]){1, 2, 3}, 3);
}

/* What is not wanted is not computed; updates are made. */
static void test_some(void **state) {
  (void)state;
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, NULL});
  assert_floats(&out, (float[]){2, 3, 4}, 3);
  assert_int_equal(performed, 0);
  assert_shared(w, (float[]){0, 1, 2}, 3);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){NULL, &other});
  assert_floats(&other, (float[]){0, 1, 2}, 3);
  assert_int_equal(performed, 1);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){NULL, NULL});
  assert_int_equal(performed, 1);
  assert_shared(w, (float[]){-2, -1, 0}, 3);
  run(f);
  assert_int_equal(performed, 2);
  assert_int_equal(func_stats(f).calls, 4);
}

static void refuse(const gg_copy_spec *spec, const char *message) {
  assert_code(GA_VALUE_ERROR, gg_func_copy(&copy, f, spec));
  assert_null(copy);
  assert_string_equal(gg_func_error(f), message);
}

static void test_refused(void **state) {
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 1, (size_t[]){3}, start);
  gg_var *d = gg_shared_host(g, "d", GA_INT, 1, (size_t[]){3}, start);
  const unsigned int third = 2;

  (void)state;
  refuse(&(gg_copy_spec){.swaps = GG_SWAPS({x, v})},
         "step: swap 0: expected shared variables");
  refuse(&(gg_copy_spec){.swaps = GG_SWAPS({v, w})},
         "step: swap 0: step does not use v");
  refuse(&(gg_copy_spec){.swaps = GG_SWAPS({w, d})},
         "step: swap 0: w is float32[3] and cannot be int32[3]");
  refuse(&(gg_copy_spec){.outputs = &third, .n_outputs = 1},
         "step: step has 2 outputs: there is no 2");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_same),    TEST(test_swap), TEST(test_no_updates),
      TEST(test_outputs), TEST(test_some), TEST(test_refused),
  };

  return cmocka_run_group_tests_name("func_copy", tests, NULL,
                                     test_context_drop);
}

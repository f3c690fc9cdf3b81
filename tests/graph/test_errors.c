/* SPDX-License-Identifier: BSD-2-Clause */
/* What is refused, in which words, and that failures change nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};

/* gg_func_new fails and says this. */
static void assert_refused(const gg_func_spec *spec, const char *message) {
  gg_func *f = (gg_func *)&f;

  assert_int_not_equal(gg_func_new(&f, g, spec), GA_NO_ERROR);
  assert_null(f);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

/* gg_func_call fails and says this. */
static void assert_call_refused(gg_func *f, GpuArray *const *in,
                                GpuArray *const *o, const char *message) {
  assert_int_not_equal(gg_func_call(f, in, o), GA_NO_ERROR);
  assert_string_equal(gg_func_error(f), message);
}

/* --- compiling --- */

static void test_missing_input(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *xent = gg_named(gg_add(x, gg_exp(y)), "xent");

  (void)state;
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(x, xent)},
      "output 1 (xent) depends on input y, which is not among the inputs");
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x),
                      .outputs = GG_VARS(x),
                      .updates = GG_UPDATES({w, gg_mul(w, y)})},
      "the update of w depends on input y, which is not among the inputs");
}

static void test_unused_input(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);

  (void)state;
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = GG_VARS(x)},
      "input 1 (y) is not used; GG_ALLOW_UNUSED_INPUT permits that");
}

static void test_inputs(void **state) {
  gg_graph *other = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *z = gg_neg(x);
  gg_var *far = gg_input(other, "far", GA_FLOAT, 1);

  (void)state;
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x, x), .outputs = GG_VARS(z)},
      "inputs 0 and 1 are the same (x)");
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(z), .outputs = GG_VARS(z)},
                 "input 0 (unnamed) is not an input");
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(far)},
                 "output 0 (far) is of another graph");
  gg_graph_free(other);
}

static void test_updates(void **state) {
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1), *y = gg_neg(x);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *b1 = gg_shared_host(g, "b", GA_FLOAT, 1, (size_t[]){1}, six);
  gg_var *pair = gg_constant(g, GA_FLOAT, 1, (size_t[]){2}, six);

  (void)state;
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x), .updates = GG_UPDATES({w, y})},
      "update of w: float32[6] cannot take float64[?]");
  assert_refused(&(gg_func_spec){.updates = GG_UPDATES({b1, pair})},
                 "update of b: float32[1] cannot take float32[2]");
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x), .updates = GG_UPDATES({x, y})},
      "update 0: x is not a shared variable");
  assert_refused(&(gg_func_spec){.updates = GG_UPDATES({w, w}, {w, w})},
                 "w is updated twice");
  assert_refused(&(gg_func_spec){.updates = GG_UPDATES({w, NULL})},
                 "the new value of update 0 is NULL");
}

static void test_givens(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1),
         *y = gg_input(g, "y", GA_DOUBLE, 1);

  (void)state;
  assert_refused(
      &(gg_func_spec){.outputs = GG_VARS(x), .givens = GG_GIVENS({x, y})},
      "given 0: x is float32[?] and cannot be float64[?]");
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                 .outputs = GG_VARS(x),
                                 .givens = GG_GIVENS({x, gg_neg(x)})},
                 "given 0: x is an input of the function");
}

/* The first thing that went wrong while building is what is reported. */
static void test_graph_error(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){3});
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 1, (int64_t[]){4});
  gg_var *z = gg_exp(gg_add(x, y));

  (void)state;
  assert_null(z);
  assert_non_null(gg_exp(x)); /* the thread's last error stays */
  assert_int_equal(gpuarray_error_code(), gg_graph_status(g));
  assert_string_equal(gpuarray_error_text(GA_NO_ERROR), gg_graph_error(g));
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = GG_VARS(z)},
      "add(float32[3], float32[4]): dim 0: 3 and 4 do not broadcast");
}

/* --- calling --- */

static gg_func *xent(void) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);

  return func_make(g, &(gg_func_spec){.name = "train",
                                      .inputs = GG_VARS(x, y),
                                      .outputs = GG_VARS(gg_add(
                                          gg_exp(gg_sum_axis(x, 1)), y))});
}

static void test_arguments(void **state) {
  gg_func *f = xent();
  size_t two_three[2] = {2, 3}, three_two[2] = {3, 2}, n = 2;
  const double d[2] = {1, 2};
  GpuArray none = {0};

  (void)state;
  assert_string_equal(gg_func_error(f), "");
  float_array(&a, 2, two_three, six);
  assert_call_refused(f, NULL, (GpuArray *[]){&out},
                      "train: expected 2 inputs, got none");
  assert_call_refused(f, (GpuArray *[]){&a, &none}, (GpuArray *[]){&out},
                      "train: input 1 (y): expected float32[?], got nothing");
  test_array(&b, GA_DOUBLE, 1, &n, d);
  assert_call_refused(
      f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out},
      "train: input 1 (y): expected float32[?], got float64[2]; "
      "GG_ALLOW_DOWNCAST converts it");
  GpuArray_clear(&b);
  float_array(&b, 2, three_two, six);
  assert_call_refused(
      f, (GpuArray *[]){&b, &b}, (GpuArray *[]){&out},
      "train: input 0 (x): expected float32[?, 3], got float32[3, 2]");
  GpuArray_clear(&b);
  float_vector(&b, 2, six);
  assert_call_refused(f, (GpuArray *[]){&a, &b}, NULL,
                      "train: expected 1 outputs, got none");
  assert_int_equal(func_stats(f).calls, 0);
  gg_func_free(f);
}

/* Sizes that only a call shows to clash; the output stays as it was. */
static void test_clash(void **state) {
  gg_func *f = xent();
  size_t two_three[2] = {2, 3};

  (void)state;
  float_array(&a, 2, two_three, six);
  float_vector(&b, 5, six);
  float_vector(&out, 6, six);
  assert_call_refused(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out},
                      "train: add: dim 0: y has 5, exp has 2");
  assert_floats(&out, six, 6);
  gg_func_free(f);
}

/* Rules and macros make nodes that nobody wrote: errors name what was. */
static void test_clash_of_macros(void **state) {
  static const char *const
      ruled = "train: crossentropy: dim 0: labels has 7, x has 2; "
              "computed as where: dim 0: ",
      *const lowered = "train: crossentropy(float32[2, 3], int32[7]): dim 0: "
                       "labels has 7, x has 2; computed as where: dim 0: ",
      *const gradient = "train: softmax: dim 0: x has 2, labels has 7; "
                        "computed as sub: dim 0: ";
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_var *labels = gg_input(g, "labels", GA_INT, 1);
  gg_var *loss = gg_crossentropy(gg_softmax(x), labels), *dx;
  const int seven[7] = {0, 1, 2, 0, 1, 2, 0};
  const struct {
    gg_mode mode;
    gg_var *result;
    const char *text;
  } cases[] = {{GG_FAST_RUN, loss, ruled},
               {GG_NO_REWRITE, loss, lowered},
               {GG_FAST_RUN, NULL, gradient},
               {GG_NO_REWRITE, NULL, lowered}};

  (void)state;
  assert_ok(gg_grad(&dx, gg_mean(loss), 1, &x));
  float_array(&a, 2, (size_t[]){2, 3}, six);
  test_array(&b, GA_INT, 1, (size_t[]){7}, seven);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    gg_var *result = cases[i].result != NULL ? cases[i].result : dx;
    gg_func *f = func_make(g, &(gg_func_spec){.name = "train",
                                              .mode = cases[i].mode,
                                              .inputs = GG_VARS(x, labels),
                                              .outputs = GG_VARS(result)});

    assert_int_not_equal(
        gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}), 0);
    if (strncmp(gg_func_error(f), cases[i].text, strlen(cases[i].text)) != 0)
      fail_msg("%s", gg_func_error(f));
    gg_func_free(f);
  }
}

/* What was said of a size does not hold. */
static void test_specified(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *one = gg_specify_shape(y, (int64_t[]){1});
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_mul(x, one))});
  const float twice[6] = {2, 4, 6, 8, 10, 12};

  (void)state;
  float_vector(&a, 6, six);
  float_vector(&b, 2, six);
  assert_call_refused(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out},
                      "function: specify_shape(float32[2]): dim 0: expected 1, "
                      "got 2");
  GpuArray_clear(&b);
  float_vector(&b, 1, six + 1);
  assert_ok(gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_floats(&out, twice, 6);
  gg_func_free(f);
}

/* A size of 1 stretches only when it is known to be 1. */
static void test_no_stretch(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = GG_VARS(gg_mul(x, y))});

  (void)state;
  float_vector(&a, 6, six);
  float_vector(&b, 1, six);
  assert_call_refused(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out},
                      "function: mul: dim 0: x has 6, y has 1");
  gg_func_free(f);
}

/* A product whose sizes clash says so by its types. */
static void test_op_clash(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *w = gg_input(g, "w", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.name = "predict",
                                            .inputs = GG_VARS(x, w),
                                            .outputs = GG_VARS(gg_dot(x, w))});
  size_t two_three[2] = {2, 3};

  (void)state;
  float_array(&a, 2, two_three, six);
  float_vector(&b, 2, six);
  assert_call_refused(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out},
                      "predict: dot(float32[2, 3], float32[2]): inner sizes 3 "
                      "and 2 differ");
  gg_func_free(f);
}

/* The new value of a variable of size 1 must have that size. */
static void test_update_size(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){1}, six);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .updates = GG_UPDATES({w, x})});

  (void)state;
  float_vector(&a, 6, six);
  assert_call_refused(f, (GpuArray *[]){&a}, NULL,
                      "function: update of w: dim 0: expected 1, got 6");
  assert_shared(w, six, 1);
  gg_func_free(f);
}

/* --- out of memory --- */

/* A function with a map, a reduction, a product, a table, a copy, a temporary
 * and an update. */
typedef struct rich {
  gg_var *w;
  gg_func *f;
} rich;

static int make_rich(rich *r) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, six);
  gg_var *e = gg_exp(gg_neg(x)), *z = gg_dot(e, w);
  gg_var *at = gg_cast(gg_positions(w, 0), GA_FLOAT);
  gg_var *w1 = gg_add(gg_mul(w, gg_mean_axis(e, 0)), at);

  r->w = w;
  return gg_func_new(&r->f, g,
                     &(gg_func_spec){.inputs = GG_VARS(x),
                                     .outputs = GG_VARS(gg_tanh(z), x),
                                     .updates = GG_UPDATES({w, w1})});
}

/* Fail each allocation of making a function: nothing is left, and the graph
 * knows why. */
static void test_new_without_memory(void **state) {
  long n;
  rich r;
  int err = GA_MEMORY_ERROR;

  (void)state;
  for (n = 1; err != GA_NO_ERROR; n++) {
    gg_graph_free(g);
    g = NULL;
    long live = ga__alloc_live();
    g = gg_graph_new(test_context());
    ga__alloc_fail(n, 0);
    memset(&r, 0, sizeof r);
    err = make_rich(&r);
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(r.f);
      assert_string_not_equal(gg_graph_error(g), "");
    }
    gg_func_free(r.f);
    gg_graph_free(g);
    g = NULL;
    /* The context keeps what it has learnt. */
    if (n > 1)
      assert_true(ga__alloc_live() - live < 8);
    assert_true(n < 5000);
  }
  assert_true(n > 50);
}

/* Fail each allocation of a first call: outputs and shared values stay, and
 * the function works afterwards. */
static void test_call_without_memory(void **state) {
  const float old_w[3] = {1, 2, 3};
  size_t dims[2] = {2, 3};
  GpuArray x = {0}, first = {0}, second = {0};
  long n;
  int err = GA_MEMORY_ERROR;
  rich r;

  (void)state;
  float_array(&x, 2, dims, six);
  for (n = 1; err != GA_NO_ERROR; n++) {
    assert_ok(make_rich(&r));
    float_vector(&first, 6, six);
    ga__alloc_fail(n, 0);
    err =
        gg_func_call(r.f, (GpuArray *[]){&x}, (GpuArray *[]){&first, &second});
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_string_not_equal(gg_func_error(r.f), "");
      assert_shared(r.w, old_w, 3);
      assert_floats(&first, six, 6);
      assert_null(second.data);
      func_run(r.f, (GpuArray *[]){&x}, (GpuArray *[]){&first, &second});
    }
    assert_floats(&second, six, 6);
    gg_func_free(r.f);
    GpuArray_clear(&first);
    GpuArray_clear(&second);
    gg_graph_free(g);
    g = gg_graph_new(test_context());
    assert_true(n < 5000);
  }
  assert_true(n > 50);
  GpuArray_clear(&x);
}

static int refuse(const gg_apply *node, gg_type *types) {
  (void)types;
  return gg_op_fail(node, GA_VALUE_ERROR, "no");
}

/* A message has the types of the first operands alone. */
static void test_many_operands(void **state) {
  static const gg_op op = {
      .name = "many", .kind = GG_OP_KERNEL, .n_out = 1, .infer = refuse};
  enum { N = 200000 };
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), **v = malloc(N * sizeof(gg_var *));

  (void)state;
  assert_non_null(v);
  for (size_t i = 0; i < N; i++)
    v[i] = x;
  assert_null(gg_op_apply(g, &op, NULL, N, v));
  assert_in_range(strlen(gg_graph_error(g)), 100, 500);
  assert_non_null(strstr(gg_graph_error(g), ", ... 200000 operands): no"));
  gg_graph_reset_error(g);
  assert_null(gg_join(0, N, v));
  assert_in_range(strlen(gg_graph_error(g)), 10, 500);
  gg_graph_reset_error(g);
  free(v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_missing_input, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_unused_input, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_inputs, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_many_operands, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_updates, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_givens, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_graph_error, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_arguments, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_clash_of_macros, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_clash, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_specified, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_no_stretch, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_op_clash, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_update_size, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_new_without_memory, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_call_without_memory, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

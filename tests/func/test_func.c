/* SPDX-License-Identifier: BSD-2-Clause */
/* Calling compiled functions: values, arguments, outputs, givens, modes. */
#include <gpuarray/profile.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const float ten[6] = {10, 20, 30, 40, 50, 60};

/* --- values --- */

/* exp(x) + y, one kernel. */
static void test_values(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_add(gg_exp(x), y))});
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = expf(six[i]) + ten[i];
  float_vector(&a, 6, six);
  float_vector(&b, 6, ten);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  assert_int_equal(func_stats(f).steps, 1);
  assert_int_equal(func_stats(f).calls, 1);
  assert_int_equal(func_stats(f).host_steps, 0);
  gg_func_free(f);
}

/* The same values whatever is rewritten and fused. */
static void test_modes(void **state) {
  const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *m = gg_reduce(GG_MAX, x, 1, (int[]){1}, 1);
  gg_var *e = gg_exp(gg_sub(x, m));
  gg_var *p = gg_div(e, gg_reduce(GG_SUM, e, 1, (int[]){1}, 1));
  size_t dims[2] = {2, 3};
  float want[6], s;
  gg_func *f;

  (void)state;
  s = 1 + expf(-1) + expf(-2);
  for (int i = 0; i < 6; i++)
    want[i] = expf((float)(i % 3 - 2)) / s;
  float_array(&a, 2, dims, six);
  for (size_t k = 0; k < 3; k++) {
    f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                     .outputs = GG_VARS(p),
                                     .mode = modes[k]});
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_floats(&out, want, 6);
    gg_func_free(f);
  }
}

/* Inputs of any strides: a transposed view, a reversed one. */
static void test_strides(void **state) {
  const ssize_t across[2] = {1, 3}, back[2] = {-2, -1};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_FLOAT, 2);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = GG_VARS(gg_mul(x, y))});
  size_t dims[2] = {3, 2};
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = six[i] * ten[i];
  test_array_strided(&a, GA_FLOAT, 2, dims, across, six);
  test_array_strided(&b, GA_FLOAT, 2, dims, back, ten);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  gg_func_free(f);
}

/* Arrays that start anywhere: a plan made for aligned memory, then others. */
static void test_offsets(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_neg(x))});
  enum { N = 4099 };
  static float all[N + 8], want[N];
  size_t n = N;
  ssize_t stride = sizeof(float);
  GpuArray part;

  (void)state;
  for (size_t i = 0; i < N + 8; i++)
    all[i] = (float)i;
  float_vector(&a, N + 8, all);
  for (size_t k = 0; k < 8; k++) {
    assert_ok(GpuArray_fromdata(&part, a.data, a.offset + k * sizeof(float),
                                GA_FLOAT, 1, &n, &stride, 0));
    func_run(f, (GpuArray *[]){&part}, (GpuArray *[]){&out});
    for (size_t i = 0; i < N; i++)
      want[i] = -(float)(i + k);
    assert_floats(&out, want, N);
    GpuArray_clear(&part);
  }
  gg_func_free(f);
}

static void test_zero_size(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *sums = gg_sum_axis(gg_sqr(x), 0);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_exp(x), sums)});
  const float zeros[3] = {0, 0, 0};
  size_t none[2] = {0, 3};

  (void)state;
  float_array(&a, 2, none, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_int_equal(test_size(&out), 0);
  assert_int_equal(out.dimensions[1], 3);
  assert_floats(&out2, zeros, 3);
  gg_func_free(f);
}

/* Sizes are numbers that the host knows: a new batch size needs a new plan but
 * no new program. */
static void test_batch_size(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_sub(x, gg_mean(x)),
                                                      gg_mean(gg_sqr(x)))});
  static float v[2000], want[2000];
  size_t sizes[3] = {2000, 1000, 2000}, n, i;
  gpucontext_counters before, after;
  double mean, square;

  (void)state;
  for (i = 0; i < 2000; i++)
    v[i] = (float)(i % 17);
  for (int k = 0; k < 3; k++) {
    n = sizes[k];
    assert_ok(gpucontext_count(test_context(), &before));
    float_vector(&a, n, v);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_ok(gpucontext_count(test_context(), &after));
    if (k > 0)
      assert_int_equal(after.programs_built - before.programs_built, 0);
    mean = square = 0;
    for (i = 0; i < n; i++) {
      mean += v[i] / (double)n;
      square += v[i] * v[i] / (double)n;
    }
    for (i = 0; i < n; i++)
      want[i] = (float)(v[i] - mean);
    float mean_square = (float)square;
    assert_floats(&out, want, n);
    assert_floats(&out2, &mean_square, 1);
    GpuArray_clear(&a);
  }
  assert_int_equal(func_stats(f).plans, 2);
  gg_func_free(f);
}

/* --- outputs --- */

/* A zeroed output is made; one that fits is kept; any other is replaced. */
static void test_outputs(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_neg(x))});
  const float want[6] = {-1, -2, -3, -4, -5, -6};
  const ssize_t gaps[1] = {2};
  const size_t six_dims[1] = {6}, two_dims[2] = {2, 3};

  (void)state;
  float_vector(&a, 6, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  gpudata *data = out.data;
  assert_floats(&out, want, 6);
  assert_ok(GpuArray_memset(&out, 0));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ptr_equal(out.data, data);
  assert_floats(&out, want, 6);

  /* The first half of a larger array is as good. */
  float_vector(&b, 12, (const float[12]){0});
  GpuArray_clear(&out);
  assert_ok(GpuArray_fromdata(&out, b.data, b.offset, GA_FLOAT, 1, six_dims,
                              b.strides, 1));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ptr_equal(out.data, b.data);
  assert_floats(&out, want, 6);

  /* Wrong rank, gaps, read only. */
  GpuArray_clear(&out);
  float_array(&out, 2, two_dims, ten);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(out.nd, 1);
  assert_floats(&out, want, 6);
  GpuArray_clear(&out);
  test_array_strided(&out, GA_FLOAT, 1, six_dims, gaps, ten);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_true(GpuArray_IS_C_CONTIGUOUS(&out));
  assert_floats(&out, want, 6);
  out.flags &= ~GA_WRITEABLE;
  data = out.data;
  gpudata_retain(data);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ptr_not_equal(out.data, data);
  assert_floats(&out, want, 6);
  gpudata_release(data);
  gg_func_free(f);
}

/* An output that shares memory with an input is replaced, and so is a second
 * output in the same memory. */
static void test_aliases(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_neg(x), gg_sqr(x))});
  const float neg[6] = {-1, -2, -3, -4, -5, -6};
  const float sqr[6] = {1, 4, 9, 16, 25, 36};

  (void)state;
  float_vector(&a, 6, six);
  assert_ok(GpuArray_view(&out, &a));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_ptr_not_equal(out.data, a.data);
  assert_floats(&a, six, 6);
  assert_floats(&out, neg, 6);
  assert_floats(&out2, sqr, 6);
  GpuArray_clear(&out2);
  assert_ok(GpuArray_view(&out2, &out));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, neg, 6);
  assert_floats(&out2, sqr, 6);
  /* The output of one call is the input of the next, and back. */
  func_run(f, (GpuArray *[]){&out}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, six, 6);
  gg_func_free(f);
}

/* The same where no kernel reads the input. */
static void test_shape_alias(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_zeros_like(x))});
  const float zeros[6] = {0};

  (void)state;
  float_vector(&a, 6, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_setarray(&out, &a));
  GpuArray_clear(&a);
  assert_ok(GpuArray_view(&a, &out));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&a, six, 6);
  assert_floats(&out, zeros, 6);
  gg_func_free(f);
}

/* Outputs that are inputs, shared, constant, a view or the same twice are
 * copies of their own. */
static void test_copies(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_exp(x);
  gg_var *s = gg_shared_host(g, "s", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *c = gg_constant(g, GA_FLOAT, 1, (size_t[]){3}, ten);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(x, s, c, y, y, gg_transpose(x),
                                            gg_transpose(y), gg_f32(g, 7))});
  const float t[6] = {1, 4, 2, 5, 3, 6}, seven = 7;
  float e[6], et[6];
  GpuArray r[8] = {{0}}, *pr[8];
  size_t dims[2] = {2, 3};

  (void)state;
  for (int i = 0; i < 6; i++) {
    e[i] = expf(six[i]);
    et[i] = expf(t[i]);
  }
  for (int i = 0; i < 8; i++)
    pr[i] = &r[i];
  float_array(&a, 2, dims, six);
  for (int k = 0; k < 2; k++) {
    func_run(f, (GpuArray *[]){&a}, pr);
    assert_floats(&r[0], six, 6);
    assert_floats(&r[1], six, 6);
    assert_floats(&r[2], ten, 3);
    assert_floats(&r[3], e, 6);
    assert_floats(&r[4], e, 6);
    assert_floats(&r[5], t, 6);
    assert_floats(&r[6], et, 6);
    assert_floats(&r[7], &seven, 1);
    assert_int_equal(r[5].dimensions[0], 3);
    assert_false(GpuArray_share(&r[0], &a));
    assert_false(GpuArray_share(&r[3], &r[4]));
  }
  for (int i = 0; i < 8; i++)
    GpuArray_clear(&r[i]);
  gg_func_free(f);
}

/* Numbers that the host knows, as outputs and as operands of kernels. */
static void test_host_numbers(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *n = gg_shape(x, 1);
  gg_var *flat = gg_mul(gg_flatten(x), gg_cast(gg_size(x), GA_FLOAT));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(n, flat)});
  float want[6];
  int64_t got = 0;
  size_t dims[2] = {2, 3};

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = 6 * six[i];
  float_array(&a, 2, dims, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_int_equal(out.typecode, GA_LONG);
  assert_ok(GpuArray_read(&got, sizeof got, &out));
  assert_int_equal(got, 3);
  assert_floats(&out2, want, 6);
  gg_func_free(f);
}

/* --- what functions hold --- */

/* Graph and arrays may go first. */
static void test_lifetime(void **state) {
  gg_graph *own = gg_graph_new(test_context());
  gg_var *s = gg_shared_host(own, "s", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_func *f = func_make(own, &(gg_func_spec){.outputs = GG_VARS(gg_neg(s))});
  const float want[6] = {-1, -2, -3, -4, -5, -6};

  (void)state;
  gg_graph_free(own);
  func_run(f, NULL, (GpuArray *[]){&out});
  gg_func_free(f);
  assert_floats(&out, want, 6);
}

static void test_nothing_to_do(void **state) {
  gg_func *f = func_make(g, &(gg_func_spec){0});

  (void)state;
  func_run(f, NULL, NULL);
  gg_func_free(f);
  gg_func_free(NULL);
}

/* Arguments that are NULL are errors. */
static void test_null(void **state) {
  gg_func *f = func_make(g, &(gg_func_spec){0}), *copy = f;
  gg_func_stats stats;

  (void)state;
  assert_message(gg_func_stat(NULL, &stats), "no function");
  assert_code(GA_VALUE_ERROR, gg_func_stat(f, NULL));
  assert_message(gg_func_profile(NULL, 1), "no function");
  assert_int_equal(gg_func_profile_rows(NULL, NULL, 0), 0);
  assert_code(GA_VALUE_ERROR, gg_func_copy(NULL, f, &(gg_copy_spec){0}));
  assert_message(gg_func_copy(&copy, NULL, &(gg_copy_spec){0}), "no function");
  assert_null(copy);
  assert_code(GA_VALUE_ERROR, gg_func_copy(&copy, f, NULL));
  assert_non_null(strstr(gg_func_error(f), "the spec is NULL"));
  assert_code(GA_VALUE_ERROR, gg_func_new(NULL, g, &(gg_func_spec){0}));
  assert_string_equal(gg_graph_error(g), "gg_func_new: the result is NULL");
  gg_func_free(f);
}

static void test_unused_input(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(y, x),
                                            .outputs = GG_VARS(gg_neg(x)),
                                            .flags = GG_ALLOW_UNUSED_INPUT});
  const float want[6] = {-1, -2, -3, -4, -5, -6};
  char *text = NULL;
  size_t bytes;
  FILE *trace = open_memstream(&text, &bytes);

  (void)state;
  float_vector(&a, 6, six);
  float_vector(&b, 2, six);
  func_run(f, (GpuArray *[]){&b, &a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(y, x),
                                   .outputs = GG_VARS(gg_neg(x)),
                                   .flags = GG_WARN_UNUSED_INPUT,
                                   .trace = trace});
  fclose(trace);
  assert_string_equal(text, "input 0 (y) is not used\n");
  free(text);
  gg_func_free(f);
}

/* The same graph is the same steps by the same rewrites, wherever its nodes lie
 * in memory: `leap` variables are built before it. To be freed. */
static char *steps_of_softmax(int leap) {
  gg_graph *own = gg_graph_new(test_context());
  gg_var *x, *w, *b1, *cost, *d[2];
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);
  gg_func *f;

  assert_non_null(file);
  while (leap-- > 0)
    gg_input(own, "unused", GA_FLOAT, 3);
  x = gg_input(own, "x", GA_FLOAT, 2);
  w = gg_shared_host(own, "w", GA_FLOAT, 2, (size_t[]){3, 2}, six);
  b1 = gg_shared_host(own, "b", GA_FLOAT, 1, (size_t[]){2}, six);
  cost = gg_neg(gg_mean(gg_log(gg_softmax(gg_add(gg_dot(x, w), b1)))));
  assert_ok(gg_grad(d, cost, 2, (gg_var *[]){w, b1}));
  f = func_make(own,
                &(gg_func_spec){.inputs = GG_VARS(x),
                                .outputs = GG_VARS(cost),
                                .updates = GG_UPDATES({w, gg_sub(w, d[0])},
                                                      {b1, gg_sub(b1, d[1])})});
  assert_ok(gg_func_print(f, file));
  assert_ok(gg_func_print_rewrites(f, file));
  fclose(file);
  gg_func_free(f);
  gg_graph_free(own);
  return text;
}

static void test_deterministic(void **state) {
  char *first = steps_of_softmax(0), *second = steps_of_softmax(1000);

  (void)state;
  assert_non_null(strstr(first, "rows{"));
  assert_string_equal(first, second);
  free(first);
  free(second);
}

/* --- givens --- */

static void test_givens(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *all = gg_shared_host(g, "all", GA_FLOAT, 1, (size_t[]){6}, ten);
  gg_var *sum = gg_add(x, y), *z = gg_exp(sum);
  const float want[6] = {11, 22, 33, 44, 55, 66};
  const float twice[6] = {12, 24, 36, 48, 60, 72};
  gg_func *f;

  (void)state;
  float_vector(&a, 6, six);
  /* An input by a shared variable, and a computed variable by another. */
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_log(z)),
                                   .givens = GG_GIVENS({y, all})});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  gg_func_free(f);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_log(z)),
                         .givens = GG_GIVENS({z, gg_exp(gg_add(x, all))})});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  gg_func_free(f);
  /* A given may contain what it replaces. */
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_log(z)),
                                   .givens = GG_GIVENS({sum, gg_add(sum, x)})});
  float_vector(&b, 6, ten);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, twice, 6);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_modes, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_strides, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_offsets, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_zero_size, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_batch_size, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_outputs, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_aliases, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_shape_alias, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_copies, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_host_numbers, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_lifetime, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_nothing_to_do, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_null, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_unused_input, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_deterministic, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_givens, graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

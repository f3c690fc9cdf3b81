/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are prepared ahead of calls: calls compile and plan nothing
 * more. */
#include <gpuarray/profile.h>
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"

enum { WIDTH = 5, CLASSES = 3 };

static const gg_dims pictures = {2, {4, WIDTH}}, labels = {1, {4}};

/* Programs that the context had to have so far. */
static uint64_t programs(void) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(test_context(), &c));
  return c.programs_built + c.programs_loaded;
}

static uint64_t used_bytes(void) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(test_context(), &c));
  return c.used_bytes;
}

/* A shared matrix whose elements are 0, 1/64, 2/64, ... */
static gg_var *weights(const char *name, size_t rows, size_t columns) {
  float v[64];
  GpuArray w;

  for (size_t i = 0; i < rows * columns; i++)
    v[i] = (float)i / 64;
  float_array(&w, 2, (size_t[]){rows, columns}, v);
  gg_var *var = gg_shared(g, name, &w);
  GpuArray_clear(&w);
  return var;
}

/* A step of training a net with one hidden layer. */
static gg_func *make_step(gg_var **w, gg_mode mode) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_INT, 1);
  gg_var *v = weights("v", WIDTH, 4), *grad[2];

  *w = weights("w", 4, CLASSES);
  gg_var *p = gg_softmax(gg_dot(gg_tanh(gg_dot(x, v)), *w));
  gg_var *loss = gg_mean(gg_crossentropy(p, y));
  assert_ok(gg_grad(grad, loss, 2, (gg_var *[]){v, *w}));
  return func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                         .outputs = GG_VARS(loss, gg_argmax_axis(p, 1)),
                         .updates = GG_UPDATES({v, gg_sub(v, grad[0])},
                                               {*w, gg_sub(*w, grad[1])}),
                         .mode = mode});
}

static void fill_arguments(size_t rows) {
  float v[64];
  int y[16] = {0, 2, 1, 0};

  for (size_t i = 0; i < rows * WIDTH; i++)
    v[i] = (float)(i % 7) / 8;
  float_array(&a, 2, (size_t[]){rows, WIDTH}, v);
  assert_ok(GpuArray_empty(&b, test_context(), GA_INT, 1, &rows, GA_C_ORDER));
  assert_ok(GpuArray_write(&b, y, rows * sizeof *y));
}

static void step(gg_func *f) {
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
}

static void read_weights(const gg_var *w, float *v) {
  assert_ok(gg_shared_read((gg_var *)w, v, 4 * CLASSES * sizeof *v));
}

/* --- what is prepared --- */

/* `also`: what calls of this mode need beside their plan. */
static void test_step_of(gg_mode mode, uint64_t also) {
  float before[4 * CLASSES], after[4 * CLASSES];
  gg_var *w;
  gg_func *f = make_step(&w, mode);

  read_weights(w, before);
  assert_ok(gg_func_prepare(f, (gg_dims[]){pictures, labels}));
  const uint64_t n = programs();
  assert_int_equal(func_stats(f).plans, 1);
  assert_int_equal(func_stats(f).calls, 0);
  assert_true(func_stats(f).steps > 0);
  read_weights(w, after);
  assert_memory_equal(before, after, sizeof before);
  fill_arguments(4);
  step(f);
  assert_in_range(programs(), n, n + also);
  assert_int_equal(func_stats(f).plans, 1);
  read_weights(w, after);
  assert_memory_not_equal(before, after, sizeof before);
  gg_func_free(f);
}

static void test_step(void **state) {
  (void)state;
  test_step_of(GG_FAST_RUN, 0);
}

static void test_debug(void **state) {
  (void)state;
  test_step_of(GG_DEBUG, 2); /* copies of views for the host, in any order */
}

static size_t kernel_text(const gg_func *f) {
  char *text = NULL;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);

  assert_ok(gg_func_print_kernels(f, file));
  fclose(file);
  free(text);
  return bytes;
}

/* The last plan is one that a call ran, also if a call for some outputs and
 * another plan came after. */
static void test_last(void **state) {
  gg_var *w;
  gg_func *f = make_step(&w, GG_FAST_RUN);

  (void)state;
  assert_ok(gg_func_prepare(f, (gg_dims[]){{2, {64, WIDTH}}, {1, {64}}}));
  assert_int_equal(kernel_text(f), 0);
  const size_t large = func_stats(f).temp_bytes;
  gg_func_free(f);
  f = make_step(&w, GG_FAST_RUN);
  fill_arguments(4);
  step(f);
  const size_t small = func_stats(f).temp_bytes;
  assert_true(small < large);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, NULL});
  assert_ok(gg_func_prepare(f, (gg_dims[]){{2, {64, WIDTH}}, {1, {64}}}));
  assert_int_equal(func_stats(f).temp_bytes, small);
  assert_true(kernel_text(f) > 0);
  gg_func_free(f);
}

/* The same results as a function that was not prepared. */
static void test_results(void **state) {
  float got[2][4 * CLASSES];
  gg_var *w;

  (void)state;
  for (int k = 0; k < 2; k++) {
    gg_func *f = make_step(&w, GG_FAST_RUN);
    if (k == 1)
      assert_ok(gg_func_prepare(f, (gg_dims[]){pictures, labels}));
    fill_arguments(4);
    for (int i = 0; i < 3; i++)
      step(f);
    read_weights(w, got[k]);
    gg_func_free(f);
    graph_teardown(state);
    graph_setup(state);
  }
  assert_memory_equal(got[0], got[1], sizeof got[0]);
}

/* Plans for several sizes live side by side, and what is there is not made
 * again. */
static void test_sizes(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_mul(x, gg_sum(x)))});
  const float v[8] = {1, 1, 1, 1, 1, 1, 1, 1};

  (void)state;
  for (int turn = 0; turn < 2; turn++)
    for (size_t n = 1; n <= 8; n++)
      assert_ok(gg_func_prepare(f, &(gg_dims){1, {n}}));
  for (size_t n = 1; n <= 8; n++) {
    float want[8];
    for (size_t i = 0; i < n; i++)
      want[i] = (float)n;
    float_vector(&a, n, v);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_floats(&out, want, n);
    GpuArray_clear(&a);
  }
  assert_int_equal(func_stats(f).plans, 8);
  /* One that was prepared last does not go first. */
  for (size_t n = 9; n <= GG_MAX_PLANS + 1; n++)
    assert_ok(gg_func_prepare(f, &(gg_dims){1, {n}}));
  float_vector(&a, 8, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(func_stats(f).plans, GG_MAX_PLANS + 1);
  gg_func_free(f);
}

/* On CPUs a sum of few elements runs the kernel of long ones. */
static void test_short_sums(void **state) {
  static const size_t sizes[] = {2, 3, 5, 9, 33, 63, 64, 100, 1000};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_sum(x))});
  const float v[5] = {1, 2, 3, 4, 5};

  (void)state;
  assert_ok(gg_func_prepare(f, &(gg_dims){1, {2000}}));
  const uint64_t n = programs();
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    assert_ok(gg_func_prepare(f, &(gg_dims){1, {sizes[k]}}));
  if (gpucontext_caps(test_context())->is_cpu)
    assert_int_equal(programs(), n);
  float_vector(&a, 5, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){15}, 1);
  gg_func_free(f);
}

static gg_var *add_row(void *arg, gg_var *so_far, gg_var *row) {
  (void)arg;
  return gg_tanh(gg_add(so_far, row));
}

/* The bodies of loops are compiled, too. */
static void test_loop(void **state) {
  const float v[6] = {0}, zeros[2] = {0};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2),
         *start = gg_input(g, "s", GA_FLOAT, 1);
  gg_var *y = gg_fold(add_row, NULL, start, x);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, start), .outputs = GG_VARS(y)});

  (void)state;
  assert_ok(gg_func_prepare(f, (gg_dims[]){{2, {3, 2}}, {1, {2}}}));
  const uint64_t n = programs();
  float_array(&a, 2, (size_t[]){3, 2}, v);
  float_vector(&b, 2, zeros);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, zeros, 2);
  assert_int_equal(programs(), n);
  gg_func_free(f);
}

static void test_no_inputs(void **state) {
  gg_var *w = weights("w", 2, 2);
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(gg_exp(w))});

  (void)state;
  assert_ok(gg_func_prepare(f, NULL));
  assert_int_equal(func_stats(f).plans, 1);
  gg_func_free(f);
}

/* Arguments and outputs that stood for those of a call are gone. */
static void test_memory(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  for (int flags = 0; flags <= GG_FREE_TEMPS; flags += GG_FREE_TEMPS) {
    gg_func *f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x),
                           .outputs = GG_VARS(gg_mul(x, gg_sum(gg_exp(x)))),
                           .flags = flags});
    const uint64_t before = used_bytes();
    assert_ok(gg_func_prepare(f, &(gg_dims){1, {1 << 20}}));
    assert_true(used_bytes() < before + (1 << 20));
    gg_func_free(f);
  }
}

/* --- mistakes --- */

static void assert_fails(const gg_func *f, int err, const char *text) {
  assert_int_not_equal(err, GA_NO_ERROR);
  assert_message(err, text);
  assert_non_null(strstr(gg_func_error(f), text));
}

static void test_mistakes(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = GG_VARS(gg_add(x, y))});
  const struct {
    gg_dims sizes[2];
    const char *message;
  } bad[] = {
      {{{1, {3}}, {1, {3}}}, "(x): expected float32[?, 3], got float32[3]"},
      {{{2, {2, 4}}, {1, {3}}}, "got float32[2, 4]"},
      {{{77, {2, 3}}, {1, {3}}}, "input 0 (x)"},
      {{{2, {2, 3}}, {0, {0}}}, "input 1 (y)"},
      {{{2, {2, 3}}, {1, {4}}}, "dim 1"},
      {{{2, {SIZE_MAX / 2, 3}}, {1, {3}}}, "f"},
  };

  (void)state;
  assert_int_equal(gg_func_prepare(NULL, NULL), GA_VALUE_ERROR);
  assert_fails(f, gg_func_prepare(f, NULL), "expected sizes of 2 inputs");
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_fails(f, gg_func_prepare(f, bad[k].sizes), bad[k].message);
  assert_int_equal(func_stats(f).plans, 0);
  assert_ok(gg_func_prepare(f, (gg_dims[]){{2, {2, 3}}, {1, {3}}}));
  gg_func_free(f);
}

/* Sizes that depend on an argument's value are not known. */
static void test_unknown(void **state) {
  gg_var *n = gg_input(g, "n", GA_LONG, 0);
  gg_var *y = gg_arange(gg_i64(g, 0), n, gg_i64(g, 1));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(n), .outputs = GG_VARS(y)});

  (void)state;
  assert_fails(f, gg_func_prepare(f, &(gg_dims){0}),
               "sizes depend on the value of n");
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_step),       TEST(test_debug),  TEST(test_results),
      TEST(test_sizes),      TEST(test_loop),   TEST(test_no_inputs),
      TEST(test_short_sums), TEST(test_memory), TEST(test_mistakes),
      TEST(test_unknown),    TEST(test_last),
  };

  return cmocka_run_group_tests_name("prepare", tests, NULL, test_context_drop);
}

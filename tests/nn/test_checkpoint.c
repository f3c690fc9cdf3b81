/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers that gradients compute again: the same values in less memory. */
#include "support/graph_case.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpugraph/nn.h>
#include <string.h>

enum { B = 256, E = 16, BLOCKS = 6, LAYERS = 3 };

/* What builds one block. */
typedef struct block {
  gg_params *p;
  double dropout;
} block;

typedef struct trial {
  gg_params *p;
  gg_func *f;
  gg_var *cost;
} trial;

static float values[B * E];

static gg_var *layers(void *arg, gg_var *x) {
  const block *at = arg;
  char name[16];

  for (int i = 0; i < LAYERS; i++) {
    snprintf(name, sizeof name, "d%d", i);
    x = gg_add(gg_tanh(gg_nn_dense(at->p, name, x, E, GG_NN_NO_BIAS)), x);
    x = gg_nn_dropout(at->p, x, at->dropout);
  }
  return x;
}

static void make(trial *t, gg_var *x, double dropout, int again) {
  char name[16];

  t->p = gg_params_new(g, GA_FLOAT, 3);
  for (int i = 0; i < BLOCKS; i++) {
    snprintf(name, sizeof name, "block%d", i);
    block at = {gg_params_group(t->p, name), dropout};
    x = again ? gg_checkpoint(layers, &at, x) : layers(&at, x);
  }
  t->cost = gg_mean(gg_sqr(x));
}

static void compile(trial *t, gg_var *x) {
  const gg_optimiser how = gg_sgd(0.05);

  t->f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(t->cost),
                         .updates = gg_optimise(t->p, t->cost, &how)});
}

static void drop(trial *t) {
  gg_func_free(t->f);
  gg_params_free(t->p);
}

/* The bits of the cost after some steps, and of a weight. */
static void run(const trial *t, float *to) {
  for (int i = 0; i < 3; i++) {
    func_run(t->f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_ok(GpuArray_read(&to[i], sizeof *to, &out));
  }
  assert_ok(gg_shared_read(gg_params_find(t->p, "block0.d0.weight"), &to[3],
                           E * E * sizeof *to));
}

static gg_var *make_x(void) {
  const size_t dims[2] = {B, E};

  test_fill(values, GA_FLOAT, B * E, -1, 1, 3);
  test_array(&a, GA_FLOAT, 2, dims, values);
  return gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){-1, E});
}

static uint64_t peak(uint64_t *used) {
  gpucontext_counters now;

  assert_ok(gpucontext_count(gg_graph_context(g), &now));
  *used = now.used_bytes;
  return now.peak_bytes;
}

static int is_cpu(void) {
  return gpucontext_caps(test_context())->is_cpu;
}

/* Products that are computed again may be added up in another order, if another
 * map follows them in their kernel. On CPUs those of these sizes are not. */
static void assert_same(const float *x, const float *y, size_t n) {
  if (is_cpu())
    assert_memory_equal(x, y, n * sizeof *x);
  else
    test_close(GA_FLOAT, x, y, n, 1e-5, 1e-6);
}

/* The largest memory so far belongs to the function that ran last. On GPUs the
 * products of both need workspaces of the same size. */
static void gradients_take_less_memory(void **state) {
  gg_var *x = make_x();
  float first[3 + E * E], second[3 + E * E];
  uint64_t before, after, used;
  trial t[2];

  (void)state;
  make(&t[0], x, 0, 1);
  make(&t[1], x, 0, 0);
  compile(&t[0], x);
  peak(&before);
  run(&t[0], first);
  const uint64_t less = peak(&used) - before;
  drop(&t[0]);
  compile(&t[1], x);
  peak(&after);
  run(&t[1], second);
  const uint64_t more = peak(&used) - after;
  drop(&t[1]);
  assert_same(first, second, 3 + E * E);
  assert_true(first[2] < first[0]);
  if (less * 10 >= more * (is_cpu() ? 7 : 9))
    fail_msg("%llu bytes, and %llu without", (unsigned long long)less,
             (unsigned long long)more);
}

/* What is computed again draws the same numbers. In one of the functions the
 * factor of a dropout is that of a product, which rounds differently. */
static void random_numbers_are_the_same(void **state) {
  gg_var *x = make_x();
  float first[3 + E * E], second[3 + E * E];
  trial t[2];

  (void)state;
  test_need_full();
  for (int i = 0; i < 2; i++) {
    make(&t[i], x, 0.2, i);
    compile(&t[i], x);
    run(&t[i], i == 0 ? first : second);
    drop(&t[i]);
  }
  test_close(GA_FLOAT, first, second, 3 + E * E, 1e-5, 1e-6);
}

static gg_var *fails(void *arg, gg_var *x) {
  (void)arg;
  return gg_nn_dense(NULL, "d", x, 1, 0);
}

static gg_var *squares(void *arg, gg_var *x) {
  (void)arg;
  return gg_sum(gg_mul(gg_sqr(x), gg_sin(x)));
}

/* Any rank of results, and gradients of any order. */
static void gradients_are_those_of_differences(void **state) {
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1), *grad;
  double data[5];

  (void)state;
  test_need_double();
  test_need_full();
  test_fill(data, GA_DOUBLE, 5, -1, 1, 3);
  test_array(&b, GA_DOUBLE, 1, (size_t[]){5}, data);
  gg_var *y = gg_checkpoint(squares, NULL, x);
  assert_int_equal(gg_var_type(y)->nd, 0);
  assert_ok(gg_grad(&grad, y, 1, &x));
  assert_ok(gg_check_gradient(y, 1, &x, (GpuArray *[]){&b}, 0, 0));
  assert_ok(gg_check_gradient(grad, 1, &x, (GpuArray *[]){&b}, 0, 0));
}

static void bad_arguments_are_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  graph_refused(gg_checkpoint(NULL, NULL, x),
                "checkpoint(float32[?, ?]): the function is NULL");
  assert_null(gg_checkpoint(fails, NULL, x));
  graph_says(GA_VALUE_ERROR, "the group of parameters is NULL");
  assert_null(gg_checkpoint(squares, NULL, NULL));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(gradients_take_less_memory),
                                     TEST(random_numbers_are_the_same),
                                     TEST(gradients_are_those_of_differences),
                                     TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of random numbers in graphs: seeds, order, states, updates; draws
 * inside of other kernels; gradients that see the same numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "support/funcs.h"

enum { N = 1000 };

static const gg_generator generators[] = {GG_PHILOX, GG_MRG31K3P};

static gg_graph *g;
static gg_random *r;
static GpuArray a, b, c;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  gg_random_free(r);
  r = NULL;
  gg_graph_free(g);
  return 0;
}

static void reopen(gg_generator kind, uint64_t seed) {
  gg_random_free(r);
  r = gg_random_new(g, kind, seed);
  assert_non_null(r);
}

static gg_var *uniform(void) {
  gg_var *u =
      gg_random_uniform(r, GG_DRAW(GA_FLOAT, N), gg_f32(g, 0), gg_f32(g, 1));

  if (u == NULL)
    fail_msg("%s", gg_graph_error(g));
  return u;
}

/* A function of no inputs that moves its stream on. */
static gg_func *sampler(gg_var *x) {
  return func_make(g, &(gg_func_spec){.outputs = GG_VARS(x)});
}

static void sample(gg_func *f, float *out) {
  func_run(f, NULL, (GpuArray *[]){&a});
  assert_ok(GpuArray_read(out, N * sizeof *out, &a));
}

static int same(const float *x, const float *y) {
  return memcmp(x, y, N * sizeof *x) == 0;
}

/* --- order --- */

/* Every call and every draw has numbers of its own; seeds bring them back. */
static void test_seeds(void **state) {
  float first[N], second[N], other[N], again[N];

  (void)state;
  for (int k = 0; k < 2; k++) {
    reopen(generators[k], 42);
    gg_func *f = sampler(uniform());
    gg_func *h = sampler(uniform());
    assert_int_equal(gg_random_count(r), 2);
    sample(f, first);
    sample(f, second);
    sample(h, other);
    assert_false(same(first, second));
    assert_false(same(first, other));
    assert_ok(gg_random_seed(r, 43));
    sample(f, again);
    assert_false(same(first, again));
    assert_ok(gg_random_seed(r, 42));
    sample(f, again);
    assert_true(same(first, again));
    sample(f, again);
    assert_true(same(second, again));
    gg_func_free(f);
    gg_func_free(h);
    /* The first draw of another that is opened alike. */
    reopen(generators[k], 42);
    f = sampler(uniform());
    sample(f, again);
    assert_true(same(first, again));
    gg_func_free(f);
  }
}

static void test_states(void **state) {
  float first[N], second[N], again[N];
  GpuArray kept = {0};

  (void)state;
  for (int k = 0; k < 2; k++) {
    reopen(generators[k], 7);
    gg_func *f = sampler(uniform());
    sample(f, first);
    assert_ok(gg_shared_get(gg_random_state(r, 0), &kept));
    sample(f, first);
    sample(f, second);
    assert_ok(gg_shared_set(gg_random_state(r, 0), &kept));
    sample(f, again);
    assert_true(same(first, again));
    sample(f, again);
    assert_true(same(second, again));
    assert_null(gg_random_state(r, 1));
    GpuArray_clear(&kept);
    gg_func_free(f);
  }
}

/* Without its update a stream stays; a list of all updates moves streams that
 * the function has no use for, too. */
static void test_no_update(void **state) {
  float first[N], second[N];
  gg_func *f;

  (void)state;
  reopen(GG_PHILOX, 7);
  gg_var *u = uniform();
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(u),
                                   .flags = GG_NO_DEFAULT_UPDATES});
  sample(f, first);
  sample(f, second);
  assert_true(same(first, second));
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.updates = gg_random_updates(r, NULL)});
  func_run(f, NULL, NULL);
  gg_func_free(f);
  f = sampler(u);
  sample(f, second);
  assert_false(same(first, second));
  gg_func_free(f);
}

/* Updates of others come with those of the streams. */
static void test_updates(void **state) {
  const float zero = 0, three = 3;
  gg_var *count = gg_shared_host(g, "count", GA_FLOAT, 0, NULL, &zero);
  const gg_update more[] = {{count, gg_add(count, gg_f32(g, 1))}, {NULL, NULL}};
  float first[N], second[N];
  gg_func *f;

  (void)state;
  reopen(GG_PHILOX, 7);
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(uniform()),
                                   .updates = gg_random_updates(r, more)});
  sample(f, first);
  sample(f, second);
  sample(f, second);
  assert_false(same(first, second));
  assert_shared(count, &three, 1);
  gg_func_free(f);
}

/* --- the numbers --- */

/* The published ones: 7 substreams of 6 numbers make a draw of 42. */
static void test_reference(void **state) {
  double want[12][7][5], got[6][7];
  FILE *file = fopen("tests/random/samples_MRG31k3p_12_7_5.txt", "r");
  gg_var *u[12];
  gg_func *f;

  (void)state;
  test_need_double();
  assert_non_null(file);
  for (int i = 0; i < 12 * 7 * 5; i++)
    assert_int_equal(fscanf(file, "%lf", &want[0][0][0] + i), 1);
  fclose(file);
  reopen(GG_MRG31K3P, 12345);
  for (int i = 0; i < 12; i++)
    u[i] = gg_random_uniform(r, GG_DRAW(GA_DOUBLE, 6, 7), gg_f64(g, 0),
                             gg_f64(g, 1));
  for (int i = 0; i < 12; i++) {
    f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(u[i])});
    func_run(f, NULL, (GpuArray *[]){&a});
    assert_ok(GpuArray_read(got, sizeof got, &a));
    for (int k = 0; k < 7 * 5; k++)
      assert_memory_equal(&got[k % 5][k / 5], &want[i][k / 5][k % 5], 8);
    gg_func_free(f);
    GpuArray_clear(&a);
  }
}

/* What is compiled does not matter: modes, and kernels that a draw is part of.
 */
static void test_modes(void **state) {
  static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};
  float first[N], got[N];

  (void)state;
  for (int k = 0; k < 2; k++) {
    reopen(generators[k], 5);
    gg_var *u = uniform();
    gg_var *y = gg_add(gg_mul(u, gg_f32(g, 2)), gg_f32(g, -1));

    for (int m = 0; m < 3; m++) {
      gg_func *f =
          func_make(g, &(gg_func_spec){.outputs = GG_VARS(y, u),
                                       .mode = modes[m],
                                       .flags = GG_NO_DEFAULT_UPDATES});

      func_run(f, NULL, (GpuArray *[]){&a, &b});
      assert_ok(GpuArray_read(m == 0 ? first : got, sizeof got, &a));
      if (m > 0)
        assert_true(same(first, got));
      assert_ok(GpuArray_read(got, sizeof got, &b));
      for (int i = 0; i < N; i++)
        assert_true(first[i] == 2 * got[i] - 1);
      gg_func_free(f);
    }
  }
}

/* The shape of what comes with the call, of any rank and size. */
static void test_like(void **state) {
  static const size_t shapes[][2] = {{3, 5}, {1, 1}, {0, 4}, {70, 300}};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *f;

  (void)state;
  for (int k = 0; k < 2; k++) {
    reopen(generators[k], 5);
    gg_var *u = gg_random_uniform(r, GG_DRAW_LIKE(GA_FLOAT, x), gg_f32(g, 0),
                                  gg_f32(g, 1));
    f = func_make(g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(u)});
    for (int s = 0; s < 4; s++) {
      assert_ok(GpuArray_zeros(&b, test_context(), GA_FLOAT, 2, shapes[s],
                               GA_C_ORDER));
      func_run(f, (GpuArray *[]){&b}, (GpuArray *[]){&a});
      assert_int_equal(a.dimensions[0], shapes[s][0]);
      assert_int_equal(a.dimensions[1], shapes[s][1]);
      GpuArray_clear(&b);
      GpuArray_clear(&a);
    }
    gg_func_free(f);
  }
}

/* --- in other kernels, and gradients --- */

/* Dropout is one kernel, and its gradient has the same mask. */
static void test_dropout(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *keep = gg_f32(g, 0.75f);
  gg_var *dx;
  float ones[N], got[N], grad[N];
  gg_func *f;

  (void)state;
  reopen(GG_PHILOX, 9);
  gg_var *mask = gg_random_bernoulli(r, GG_DRAW_LIKE(GA_FLOAT, x), keep);
  gg_var *z = gg_div(gg_mul(x, mask), keep);
  assert_ok(gg_grad(&dx, gg_sum(z), 1, &x));
  for (int i = 0; i < N; i++)
    ones[i] = 1;
  float_vector(&c, N, ones);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z),
                                   .flags = GG_NO_DEFAULT_UPDATES});
  func_run(f, (GpuArray *[]){&c}, (GpuArray *[]){&a});
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z, dx),
                                   .updates = gg_random_updates(r, NULL)});
  func_run(f, (GpuArray *[]){&c}, (GpuArray *[]){&a, &b});
  assert_ok(GpuArray_read(got, sizeof got, &a));
  assert_ok(GpuArray_read(grad, sizeof grad, &b));
  assert_true(same(got, grad));
  for (int i = 0; i < N; i++)
    assert_true(got[i] == 0 || got[i] == 1 / 0.75f);
  gg_func_free(f);
}

/* Numbers move with their parameters: d sum / d low is sum(1 - u), ... */
static void test_parameters(void **state) {
  gg_var *p = gg_input(g, "p", GA_FLOAT, 0), *q = gg_input(g, "q", GA_FLOAT, 0);
  gg_var *in[2] = {p, q}, *grad[2], *x;
  const float low = 2, high = 5;
  float got[2], sum, want;
  gg_func *f;

  (void)state;
  float_array(&a, 0, NULL, &low);
  float_array(&b, 0, NULL, &high);
  for (int k = 0; k < 4; k++) {
    const int is_normal = k % 2;

    reopen(generators[k / 2], 11);
    x = (is_normal ? gg_random_normal
                   : gg_random_uniform)(r, GG_DRAW(GA_FLOAT, N), p, q);
    assert_ok(gg_grad(grad, gg_sum(x), 2, in));
    f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(p, q),
                           .outputs = GG_VARS(gg_sum(x), grad[0], grad[1])});
    GpuArray out[3] = {{0}, {0}, {0}};
    func_run(f, (GpuArray *[]){&a, &b},
             (GpuArray *[]){&out[0], &out[1], &out[2]});
    assert_ok(GpuArray_read(&sum, sizeof sum, &out[0]));
    for (int i = 0; i < 2; i++)
      assert_ok(GpuArray_read(&got[i], sizeof got[i], &out[i + 1]));
    want = is_normal ? (sum - N * low) / high : (sum - N * low) / (high - low);
    assert_float_equal(got[1], want, 0.01);
    want = is_normal ? N : N - want;
    assert_float_equal(got[0], want, 0.01);
    for (int i = 0; i < 3; i++)
      GpuArray_clear(&out[i]);
    gg_func_free(f);
  }
}

/* A chance has no gradient: it is not connected. */
static void test_disconnected(void **state) {
  gg_var *p = gg_input(g, "p", GA_FLOAT, 0), *grad;

  (void)state;
  reopen(GG_PHILOX, 11);
  gg_var *x = gg_random_bernoulli(r, GG_DRAW(GA_FLOAT, N), p);
  assert_int_not_equal(gg_grad(&grad, gg_sum(x), 1, &p), GA_NO_ERROR);
  assert_non_null(strstr(gg_graph_error(g), "does not influence the cost"));
}

/* --- refusals --- */

static void expect_error(const gg_var *v, const char *part) {
  assert_null(v);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", gg_graph_error(g), part);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  const float odds[3] = {0.5f, 1.5f, 0};
  const size_t three = 3;
  const uint64_t half = UINT64_C(1) << 63, most = UINT64_MAX;
  gg_var *far = gg_constant(g, GA_ULONG, 0, NULL, &half);
  gg_var *zero = gg_f32(g, 0), *one = gg_f32(g, 1), *i = gg_i64(g, 4);
  gg_var *vector = gg_input(g, "v", GA_FLOAT, 1);
  const gg_draw *d = GG_DRAW(GA_FLOAT, 4);

  (void)state;
  assert_null(gg_random_new(g, GG_PHILOX, 0));
  expect_error(NULL, "seed: expected at least 1, got 0");
  assert_null(gg_random_new(g, GG_MRG31K3P, 0));
  expect_error(NULL, "seed: expected at least 1, got 0");
  assert_null(gg_random_new(g, GG_MRG31K3P, 2147462579));
  expect_error(NULL, "numbers below 2147462579");
  reopen(GG_PHILOX, 3);
  assert_code(GA_VALUE_ERROR, gg_random_seed(r, 0));
  expect_error(NULL, "seed: expected at least 1, got 0");
  expect_error(gg_random_bernoulli(r, d, gg_f32(g, 1.5f)),
               "p: 1.5 is not between 0 and 1");
  expect_error(gg_random_bernoulli(r, d, gg_f32(g, -0.1f)), "p: -0.1");
  expect_error(gg_random_bernoulli(r, GG_DRAW(GA_FLOAT, 3),
                                   gg_constant(g, GA_FLOAT, 1, &three, odds)),
               "p: 1.5");
  expect_error(gg_random_uniform(r, GG_DRAW(GA_INT, 4), zero, one),
               "random numbers are floats");
  expect_error(gg_random_uniform(r, GG_DRAW(GA_FLOAT, -4), zero, one),
               "negative size");
  expect_error(
      gg_random_uniform(r, &(gg_draw){.dtype = GA_FLOAT}, zero, vector),
      "high has 1 dimensions, the draw 0");
  expect_error(gg_random_uniform(r, GG_DRAW(GA_FLOAT, 1), zero, vector),
               "high: dim 0 does not fit");
  expect_error(gg_random_integers(r, GG_DRAW(GA_INT, 4), i, i),
               "no integers from 4 up to");
  expect_error(gg_random_integers(r, GG_DRAW(GA_ULONG, 4), far, i),
               "no integers from 9223372036854775808 up to but without 4");
  expect_error(gg_random_integers(r, GG_DRAW(GA_LONG, 4), gg_i64(g, -1),
                                  gg_constant(g, GA_ULONG, 0, NULL, &most)),
               "too many integers from -1 up to but without "
               "18446744073709551615");
  assert_non_null(gg_random_integers(r, GG_DRAW(GA_ULONG, 4), i, far));
  assert_non_null(
      gg_random_integers(r, GG_DRAW(GA_LONG, 4), gg_i64(g, -1), far));
  expect_error(gg_random_integers(r, GG_DRAW(GA_INT, 4), zero, i),
               "expected integer bounds");
  expect_error(gg_random_uniform(r, d, NULL, one), "low is NULL");
  expect_error(gg_random_normal(r, NULL, zero, one), "the draw is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_seeds, setup, teardown),
      cmocka_unit_test_setup_teardown(test_states, setup, teardown),
      cmocka_unit_test_setup_teardown(test_no_update, setup, teardown),
      cmocka_unit_test_setup_teardown(test_updates, setup, teardown),
      cmocka_unit_test_setup_teardown(test_reference, setup, teardown),
      cmocka_unit_test_setup_teardown(test_modes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_like, setup, teardown),
      cmocka_unit_test_setup_teardown(test_dropout, setup, teardown),
      cmocka_unit_test_setup_teardown(test_parameters, setup, teardown),
      cmocka_unit_test_setup_teardown(test_disconnected, setup, teardown),
      cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

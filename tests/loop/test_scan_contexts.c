/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices in a context that is not the graph's own. */
#include <string.h>

#include "graph/graph.h"
#include "support/funcs.h"

enum { STEPS = 5, N = 3 };

static gg_graph *g;
static gpucontext *here, *there;

static const float vxs[STEPS * N] = {0.3f,  -0.5f, 0.8f,  0.1f, 0.9f,
                                     -0.7f, 0.2f,  0.4f,  0.6f, -0.2f,
                                     -0.9f, 0.5f,  -0.4f, 0.7f, 0.35f};
static const float vw[N * N] = {0.5f,  -0.3f, 0.2f, 0.1f, 0.6f,
                                -0.4f, 0.3f,  0.2f, -0.5f};

static int setup(void **state) {
  (void)state;
  here = test_context();
  there = test_second_context();
  g = gg_graph_new(here);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static gg_var *matrix(gpucontext *ctx, const char *name, int64_t rows) {
  return gg_input_in(g, ctx, name, GA_FLOAT, 2, (int64_t[]){rows, N});
}

static void array_in(GpuArray *a, gpucontext *ctx, size_t rows,
                     const float *v) {
  assert_ok(
      GpuArray_empty(a, ctx, GA_FLOAT, 2, (size_t[]){rows, N}, GA_C_ORDER));
  assert_ok(GpuArray_write(a, v, rows * N * sizeof *v));
}

static void assert_error(int code, const char *part) {
  assert_int_equal(gg_graph_status(g), code);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("the message is \"%s\", without \"%s\"", gg_graph_error(g), part);
  gg_graph_reset_error(g);
}

/* h[t] = tanh(x[t] + w h[t - 1]) from zeros, which are everywhere. */
static gg_scan *net(gg_var *xs, gg_var *w, gg_var **h) {
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0);

  *h = gg_scan_state(
      s, gg_constant(g, GA_FLOAT, 1, (size_t[]){N}, (const float[N]){0}));
  gg_scan_next(s, *h, gg_tanh(gg_add(x, gg_dot(w, *h))));
  return s;
}

/* The loop and its gradient, in `ctx`. */
static void run_net(gpucontext *ctx, float *hs, float *dw) {
  gg_var *xs = matrix(ctx, "xs", GG_ANY), *w = matrix(ctx, "w", N), *h;
  gg_scan *s = net(xs, w, &h);
  GpuArray in[2], out[2] = {{0}, {0}};
  gg_var *d = NULL;
  gg_func *f;

  assert_ok(gg_scan_close(s));
  gg_var *all = gg_scan_all(s, h);
  gg_scan_free(s);
  assert_ptr_equal(gg_var_context(all), ctx);
  assert_ok(gg_grad(&d, gg_sum(gg_exp(all)), 1, &w));
  assert_ptr_equal(gg_var_context(d), ctx);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(xs, w), .outputs = GG_VARS(all, d)});
  array_in(&in[0], ctx, STEPS, vxs);
  array_in(&in[1], ctx, N, vw);
  func_run(f, (GpuArray *[]){&in[0], &in[1]}, (GpuArray *[]){&out[0], &out[1]});
  assert_ptr_equal(GpuArray_context(&out[0]), ctx);
  assert_ptr_equal(GpuArray_context(&out[1]), ctx);
  assert_int_equal(func_stats(f).transfers, 0);
  test_gather(&out[0], hs);
  test_gather(&out[1], dw);
  for (int i = 0; i < 2; i++) {
    GpuArray_clear(&in[i]);
    GpuArray_clear(&out[i]);
  }
  gg_func_free(f);
}

static void loops_run_where_their_operands_are(void **state) {
  float hs[2][STEPS * N], dw[2][N * N];

  (void)state;
  run_net(here, hs[0], dw[0]);
  run_net(there, hs[1], dw[1]);
  test_close(GA_FLOAT, hs[0], hs[1], STEPS * N, 1e-5, 1e-6);
  test_close(GA_FLOAT, dw[0], dw[1], N * N, 1e-5, 1e-6);
}

static void mixtures_are_errors(void **state) {
  gg_var *xs = matrix(there, "xs", GG_ANY), *w = matrix(here, "w", N), *h;
  gg_scan *s = net(xs, w, &h);

  (void)state;
  assert_error(GA_VALUE_ERROR, "gg_transfer moves one to the other");
  gg_scan_free(s);
  /* Also of operands that no op of the body has in common. */
  s = gg_scan_open(g);
  gg_scan_output(s, gg_exp(gg_scan_sequence(s, xs, 0)));
  gg_scan_output(s, gg_exp(gg_scan_sequence(s, w, 0)));
  assert_code(GA_VALUE_ERROR, gg_scan_close(s));
  assert_error(GA_VALUE_ERROR, "operand 1 (xs) is in ");
  gg_scan_free(s);
}

/* What does not change is moved before the loop; what does cannot be. */
static void transfers_stand_outside(void **state) {
  gg_var *xs = matrix(there, "xs", GG_ANY), *w = matrix(here, "w", N), *h;
  gg_scan *s = net(xs, gg_transfer(w, there), &h);
  GpuArray in[2], out = {0};
  float want[STEPS * N], dw[N * N], got[N];
  gg_func *f;

  (void)state;
  assert_ok(gg_scan_close(s));
  gg_var *y = gg_transfer(gg_scan_last(s, h), here);
  gg_scan_free(s);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(xs, w), .outputs = GG_VARS(y)});
  array_in(&in[0], there, STEPS, vxs);
  array_in(&in[1], here, N, vw);
  func_run(f, (GpuArray *[]){&in[0], &in[1]}, (GpuArray *[]){&out});
  assert_int_equal(func_stats(f).transfers, 2);
  test_gather(&out, got);
  gg_func_free(f);
  run_net(here, want, dw);
  test_close(GA_FLOAT, got, want + (STEPS - 1) * N, N, 1e-5, 1e-6);
  for (int i = 0; i < 2; i++)
    GpuArray_clear(&in[i]);
  GpuArray_clear(&out);

  s = gg_scan_open(g);
  h = gg_scan_sequence(s, xs, 0);
  gg_scan_output(s, gg_transfer(gg_exp(h), here));
  assert_code(GA_UNSUPPORTED_ERROR, gg_scan_close(s));
  assert_error(GA_UNSUPPORTED_ERROR,
               "scan: a step moves values to another context");
  gg_scan_free(s);
}

/* The host reads the condition there. */
static void loops_end_there(void **state) {
  gg_var *xs = matrix(there, "xs", GG_ANY);
  gg_scan *s = gg_scan_open(g);
  GpuArray in, out[2] = {{0}, {0}};
  float got[STEPS * N];
  int64_t count = 0;
  gg_func *f;

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *y = gg_scan_output(s, gg_mul(x, gg_f32(g, 2)));
  gg_scan_until(s, gg_gt(gg_index(x, 0, 2), gg_f32(g, 0.55f)));
  gg_scan_backwards(s);
  assert_ok(gg_scan_close(s));
  y = gg_scan_all(s, y);
  gg_var *n = gg_scan_count(s);
  gg_scan_free(s);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(xs), .outputs = GG_VARS(y, n)});
  array_in(&in, there, STEPS, vxs);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out[0], &out[1]});
  test_gather(&out[0], got);
  assert_ok(GpuArray_read(&count, sizeof count, &out[1]));
  /* Row 2, the third from the end, ends with more than 0.55. */
  assert_int_equal(count, 3);
  for (int t = 0; t < STEPS; t++)
    for (int i = 0; i < N; i++)
      assert_true(got[t * N + i] ==
                  (t < 3 ? 2 * vxs[(STEPS - 1 - t) * N + i] : 0));
  GpuArray_clear(&in);
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
  gg_func_free(f);
}

/* --- choices --- */

static void choices_run_there(void **state) {
  gg_var *x = matrix(there, "x", 1), *w = matrix(here, "w", 1);
  gg_var *c = gg_gt(gg_sum(x), gg_f32(g, 0));
  gg_var *y = gg_ifelse(c, gg_exp(x), gg_neg(gg_transfer(gg_sqr(w), there)));
  const float vx[2][N] = {{1, 2, 3}, {-1, -2, -3}}, vy[N] = {1, 2, 3};
  const float want[2][N] = {{2.7182817f, 7.3890562f, 20.085537f}, {-1, -4, -9}};
  GpuArray in[2], out = {0};
  float got[N];
  gg_func *f;

  (void)state;
  assert_ptr_equal(gg_var_context(y), there);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, w), .outputs = GG_VARS(y)});
  array_in(&in[1], here, 1, vy);
  for (int i = 0; i < 2; i++) {
    array_in(&in[0], there, 1, vx[i]);
    func_run(f, (GpuArray *[]){&in[0], &in[1]}, (GpuArray *[]){&out});
    test_gather(&out, got);
    test_close(GA_FLOAT, got, want[i], N, 1e-5, 1e-6);
    GpuArray_clear(&in[0]);
  }
  GpuArray_clear(&in[1]);
  GpuArray_clear(&out);
  gg_func_free(f);
  assert_null(gg_ifelse(c, x, w));
  assert_error(GA_VALUE_ERROR, "gg_transfer moves one to the other");
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(loops_run_where_their_operands_are),
      TEST(mixtures_are_errors),
      TEST(transfers_stand_outside),
      TEST(loops_end_there),
      TEST(choices_run_there),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of loops against differences; second order, forward derivatives. */
#include <gpugraph/rop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *xs, *h0, *w; /* [5, 3], [3], [3, 3] */

static const float vxs[15] = {0.3f,  -0.5f, 0.8f,  0.1f, 0.9f,
                              -0.7f, 0.2f,  0.4f,  0.6f, -0.2f,
                              -0.9f, 0.5f,  -0.4f, 0.7f, 0.35f};
static const float vh0[3] = {0.2f, -0.1f, 0.4f};
static const float vw[9] = {0.5f,  -0.3f, 0.2f, 0.1f, 0.6f,
                            -0.4f, 0.3f,  0.2f, -0.5f};

static gg_var *shared(const char *name, unsigned int nd, const size_t *dims,
                      const float *v) {
  return gg_shared_host(g, name, GA_FLOAT, nd, dims, v);
}

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  xs = shared("xs", 2, (size_t[]){5, 3}, vxs);
  h0 = shared("h0", 1, (size_t[]){3}, vh0);
  w = shared("w", 2, (size_t[]){3, 3}, vw);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* --- differences --- */

enum { MAX_ELEMENTS = 32 };

static size_t evaluate(gg_func *f, float *got) {
  GpuArray out;

  memset(&out, 0, sizeof out);
  func_run(f, NULL, (GpuArray *[]){&out});
  size_t n = test_size(&out);
  assert_true(n <= MAX_ELEMENTS);
  test_gather(&out, got);
  GpuArray_clear(&out);
  return n;
}

static void compare(gg_func *cost, gg_func *grad, gg_var *v, size_t n) {
  const float t = 1e-2f;
  float at[MAX_ELEMENTS], got[MAX_ELEMENTS], up, down, was, slope;

  assert_ok(gg_shared_read(v, at, n * sizeof *at));
  assert_int_equal(evaluate(grad, got), n);
  for (size_t i = 0; i < n; i++) {
    was = at[i];
    at[i] = was + t;
    assert_ok(gg_shared_write(v, at, n * sizeof *at));
    evaluate(cost, &up);
    at[i] = was - t;
    assert_ok(gg_shared_write(v, at, n * sizeof *at));
    evaluate(cost, &down);
    at[i] = was;
    assert_ok(gg_shared_write(v, at, n * sizeof *at));
    slope = (up - down) / (2 * t);
    if (fabsf(slope - got[i]) > 3e-3f * (1 + fabsf(slope)))
      fail_msg("%s, element %zu: %g by differences, %g by gradient",
               gg_var_name(v), i, (double)slope, (double)got[i]);
  }
}

static void check(gg_var *cost, gg_var *wrt, size_t n) {
  gg_var *d = NULL;
  gg_func *fc, *fd;

  gg_grad(&d, cost, 1, &wrt);
  fc = func_make(g, &(gg_func_spec){.outputs = GG_VARS(cost)});
  fd = func_make(g, &(gg_func_spec){.outputs = GG_VARS(d)});
  compare(fc, fd, wrt, n);
  gg_func_free(fc);
  gg_func_free(fd);
}

/* The same of a cost that the gradient of `cost` makes. */
static void check_second(gg_var *cost, gg_var *wrt, size_t n) {
  gg_var *d = NULL;

  gg_grad(&d, cost, 1, &wrt);
  check(gg_sum(gg_sqr(d)), wrt, n);
}

static void check_all(gg_var *cost) {
  check(cost, h0, 3);
  check(cost, w, 9);
  check(cost, xs, 15);
}

/* --- loops --- */

static gg_var *cell(gg_var *x, gg_var *h) {
  return gg_tanh(gg_add(x, gg_dot(w, h)));
}

/* A small recurrent net; what becomes of it is closed by the caller. */
static gg_scan *net(gg_var **h) {
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0);

  *h = gg_scan_state(s, h0);
  gg_scan_next(s, *h, cell(x, *h));
  return s;
}

static void last_value(void **state) {
  gg_var *h;
  gg_scan *s = net(&h);

  (void)state;
  gg_scan_close(s);
  check_all(gg_sum(gg_exp(gg_scan_last(s, h))));
  gg_scan_free(s);
}

static void all_values(void **state) {
  gg_var *h;
  gg_scan *s = net(&h);

  (void)state;
  gg_scan_close(s);
  check_all(gg_sum(gg_exp(gg_scan_all(s, h))));
  check_all(gg_add(gg_sum(gg_sqr(gg_index(gg_scan_all(s, h), 0, 2))),
                   gg_sum(gg_scan_last(s, h))));
  gg_scan_free(s);
}

static void outputs(void **state) {
  gg_var *h;
  gg_scan *s = net(&h);

  (void)state;
  gg_var *y = gg_scan_output(s, gg_sum(gg_mul(h, gg_exp(h))));
  gg_scan_close(s);
  check_all(gg_sum(gg_sqr(gg_scan_all(s, y))));
  check_all(gg_add(gg_scan_last(s, y), gg_sum(gg_scan_last(s, h))));
  gg_scan_free(s);
}

static void taps(void **state) {
  gg_var *init = gg_join(0, 2,
                         (gg_var *[]){gg_dimshuffle(h0, 2, (int[]){-1, 0}),
                                      gg_slice(w, 0, 0, 1, 1)});
  gg_scan *s = gg_scan_open(g);
  gg_var *h[2], *x = gg_scan_sequence(s, xs, 0),
                *y = gg_scan_sequence(s, xs, -1);

  (void)state;
  gg_scan_state_taps(s, init, 2, (int[]){-1, -2}, h);
  gg_scan_next(s, h[0], gg_add(gg_mul(cell(x, h[0]), y), gg_sqr(h[1])));
  gg_scan_close(s);
  check_all(gg_sum(gg_sqr(gg_scan_all(s, h[0]))));
  check_all(gg_sum(gg_scan_last(s, h[0])));
  gg_scan_free(s);
}

static void backwards(void **state) {
  gg_var *h;
  gg_scan *s = net(&h);

  (void)state;
  gg_scan_backwards(s);
  gg_scan_steps(s, gg_i64(g, 4));
  gg_scan_close(s);
  check_all(gg_sum(gg_exp(gg_scan_all(s, h))));
  gg_scan_free(s);
}

/* It ends in the step whose row has a last element above 0.55, the third. */
static void until(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, gg_add(xs, gg_f32(g, 0)), 0);
  gg_var *h = gg_scan_state(s, h0);

  (void)state;
  gg_scan_next(s, h, cell(x, h));
  gg_var *end = gg_mul(gg_gt(gg_index(x, 0, 2), gg_f32(g, 0.55f)),
                       gg_lt(gg_index(x, 0, 2), gg_f32(g, 0.7f)));
  gg_var *y = gg_scan_output(s, gg_sum(gg_sqr(h)));
  gg_scan_until(s, end);
  gg_scan_close(s);
  check_all(gg_sum(gg_exp(gg_scan_last(s, h))));
  check_all(gg_add(gg_sum(gg_exp(gg_scan_all(s, h))),
                   gg_sum(gg_sqr(gg_scan_all(s, y)))));
  gg_scan_free(s);
}

/* With what is behind the last two steps taken as constant. */
static void truncated(void **state) {
  gg_var *h, *d[2], *want[2], *first, *x;
  gg_scan *s = net(&h);
  gg_func *f;
  GpuArray out[4];
  float got[2][15];
  int i;

  (void)state;
  gg_scan_truncate(s, 2);
  gg_scan_close(s);
  assert_ok(
      gg_grad(d, gg_sum(gg_exp(gg_scan_last(s, h))), 2, (gg_var *[]){w, h0}));
  first = gg_stop_gradient(gg_index(gg_scan_all(s, h), 0, 2));
  for (i = 3, x = first; i < 5; i++)
    x = cell(gg_index(xs, 0, i), x);
  assert_ok(gg_grad_ex(want, gg_sum(gg_exp(x)), 2, (gg_var *[]){w, h0}, 0, NULL,
                       GG_GRAD_ALLOW_DISCONNECTED));
  gg_scan_free(s);
  f = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(d[0], want[0], d[1], want[1])});
  memset(out, 0, sizeof out);
  func_run(f, NULL, (GpuArray *[]){&out[0], &out[1], &out[2], &out[3]});
  for (i = 0; i < 4; i += 2) {
    for (int k = 0; k < 2; k++) {
      test_gather(&out[i + k], got[k]);
    }
    test_close(GA_FLOAT, got[0], got[1], test_size(&out[i]), 1e-5, 1e-6);
  }
  for (i = 0; i < 4; i++)
    GpuArray_clear(&out[i]);
  gg_func_free(f);
}

static void second_order(void **state) {
  gg_var *h;
  gg_scan *s = net(&h);

  (void)state;
  gg_scan_close(s);
  gg_var *cost = gg_sum(gg_exp(gg_scan_all(s, h)));
  check_second(cost, h0, 3);
  check_second(cost, w, 9);
  check_second(gg_sum(gg_exp(gg_scan_last(s, h))), xs, 15);
  gg_scan_free(s);
}

static void nested(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0), *h = gg_scan_state(s, h0);

  (void)state;
  gg_scan *t = gg_scan_open(g);
  gg_var *e = gg_scan_sequence(t, h, 0);
  gg_var *u = gg_scan_state(t, gg_sum(x));
  gg_scan_next(t, u, gg_sin(gg_add(u, e)));
  gg_scan_close(t);
  gg_scan_next(s, h, gg_mul(cell(x, h), gg_scan_all(t, u)));
  gg_scan_free(t);
  gg_scan_close(s);
  check_all(gg_sum(gg_exp(gg_scan_all(s, h))));
  gg_scan_free(s);
}

/* The gradient of a loop with many steps, and one by hand. */
static void no_steps(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, h0);

  (void)state;
  gg_scan_next(s, h, gg_dot(w, h));
  gg_scan_steps(s, gg_sub(gg_shape(xs, 0), gg_i64(g, 5)));
  gg_scan_close(s);
  check(gg_sum(gg_exp(gg_scan_last(s, h))), h0, 3);
  check(gg_sum(gg_exp(gg_scan_last(s, h))), w, 9);
  gg_scan_free(s);
}

/* More taps than one join takes. */
static void deep_taps(void **state) {
  float v[70] = {0}, got[70];
  gg_var *init = shared("init", 1, (size_t[]){70}, v), *h, *d;
  gg_scan *s = gg_scan_open(g);
  GpuArray out = {0};

  (void)state;
  assert_non_null(gg_scan_state_taps(s, init, 1, (int[]){-70}, &h));
  gg_scan_next(s, h, gg_mul(h, gg_f32(g, 2)));
  gg_scan_steps(s, gg_i64(g, 3));
  gg_scan_close(s);
  if (gg_grad(&d, gg_scan_last(s, h), 1, &init) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(d)});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (size_t i = 0; i < 70; i++)
    assert_true(got[i] == (i == 2 ? 2 : 0));
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_scan_free(s);
}

/* What a body's op says of its gradient is told of the loop's. */
static void undefined(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, h0), *d;

  (void)state;
  gg_scan_next(s, h, gg_undefined_gradient(gg_dot(w, h), "h is a rank"));
  gg_scan_steps(s, gg_i64(g, 3));
  gg_scan_close(s);
  gg_var *cost = gg_sum(gg_scan_last(s, h));
  assert_code(GA_UNSUPPORTED_ERROR, gg_grad(&d, cost, 1, &w));
  assert_null(d);
  assert_non_null(
      strstr(gg_graph_error(g), "operand 0 has no gradient: h is a rank"));
  gg_scan_free(s);
}

/* --- along a direction --- */

static void forward(void **state) {
  const float t = 1e-2f, vd[9] = {1, -1, 0.5f, 2, 0, 1, -0.5f, 1, 1};
  gg_var *dir = shared("dir", 2, (size_t[]){3, 3}, vd), *h, *y, *r = NULL;
  gg_scan *s = net(&h);
  float at[9], up[15], down[15], got[15];
  gg_func *f, *fr;

  (void)state;
  gg_scan_close(s);
  y = gg_scan_all(s, h);
  gg_rop(&r, 1, &y, 1, &w, &dir);
  gg_scan_free(s);
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(y)});
  fr = func_make(g, &(gg_func_spec){.outputs = GG_VARS(r)});
  size_t n = evaluate(fr, got);
  assert_int_equal(n, 15);
  for (size_t i = 0; i < 9; i++)
    at[i] = vw[i] + t * vd[i];
  assert_ok(gg_shared_write(w, at, sizeof at));
  evaluate(f, up);
  for (size_t i = 0; i < 9; i++)
    at[i] = vw[i] - t * vd[i];
  assert_ok(gg_shared_write(w, at, sizeof at));
  evaluate(f, down);
  for (size_t i = 0; i < n; i++)
    assert_true(fabsf((up[i] - down[i]) / (2 * t) - got[i]) < 3e-3f);
  gg_func_free(f);
  gg_func_free(fr);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(last_value), TEST(all_values), TEST(outputs),   TEST(taps),
      TEST(backwards),  TEST(until),      TEST(truncated), TEST(second_order),
      TEST(nested),     TEST(no_steps),   TEST(undefined), TEST(forward),
      TEST(deep_taps),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

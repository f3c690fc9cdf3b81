/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward derivatives against differences, and which outputs depend on what. */
#include <math.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *m, *dx, *dm;

static const float vx[3] = {0.5f, -1, 2}, vdx[3] = {1, -2, 0.5f};
static const float vm[6] = {1, 2, 3, -1, 0.5f, 2}, vdm[6] = {1, 0, -1, 2, 1, 0};

static gg_var *shared(const char *name, unsigned int nd, const float *v) {
  static const size_t dims[2] = {2, 3};

  return gg_shared_host(g, name, GA_FLOAT, nd, dims + 2 - nd, v);
}

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = shared("x", 1, vx);
  dx = shared("dx", 1, vdx);
  m = shared("m", 2, vm);
  dm = shared("dm", 2, vdm);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static size_t evaluate(gg_var *v, float *got) {
  GpuArray out;
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(v)});

  memset(&out, 0, sizeof out);
  func_run(f, NULL, (GpuArray *[]){&out});
  size_t n = test_size(&out);
  assert_true(n <= 8);
  test_gather(&out, got);
  GpuArray_clear(&out);
  gg_func_free(f);
  return n;
}

/* y at x + t dx, m + t dm */
static size_t evaluate_at(gg_var *y, float t, float *got) {
  float at[6];

  for (size_t i = 0; i < 3; i++)
    at[i] = vx[i] + t * vdx[i];
  assert_ok(gg_shared_write(x, at, 3 * sizeof *at));
  for (size_t i = 0; i < 6; i++)
    at[i] = vm[i] + t * vdm[i];
  assert_ok(gg_shared_write(m, at, 6 * sizeof *at));
  return evaluate(y, got);
}

static void check(gg_var *y) {
  const float t = 1e-2f;
  float up[8], down[8], got[8];
  gg_var *r;

  if (gg_rop(&r, 1, &y, 2, (gg_var *[]){x, m}, (gg_var *[]){dx, dm}) !=
      GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  size_t n = evaluate_at(y, t, up);
  evaluate_at(y, -t, down);
  assert_int_equal(evaluate_at(r, 0, got), n);
  for (size_t i = 0; i < n; i++)
    if (fabsf((up[i] - down[i]) / (2 * t) - got[i]) >
        2e-3f * (1 + fabsf(got[i])))
      fail_msg("element %zu: %g by differences, %g by rop", i,
               (double)((up[i] - down[i]) / (2 * t)), (double)got[i]);
}

static void built_in_ops_move(void **state) {
  (void)state;
  check(gg_mul(gg_exp(x), gg_tanh(x)));
  check(gg_dot(m, gg_sin(x)));
  check(gg_softmax(m));
  check(gg_sum(gg_sqr(gg_add(m, x))));
  check(gg_reduce(GG_MAX, m, 1, (int[]){0}, 0));
  check(gg_dot(gg_transpose(gg_sub(m, gg_f32(g, 1))), gg_dot(m, x)));
  check(gg_batched_dot(m, gg_dimshuffle(gg_sin(m), 3, (int[]){0, 1, -1})));
}

/* --- an op of one's own --- */

static int rop_calls;

static int rop_square(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  rop_calls++;
  dout[0] = gg_mul(gg_mul(gg_f32(g, 2), a->in[0]), din[0]);
  return GA_NO_ERROR;
}

static double eval_square(const double *v) {
  return v[0] * v[0];
}

static void an_ops_own_rule_is_used(void **state) {
  static const gg_code code = {"(%0 * %0)", eval_square, 1, 1};
  static const gg_op square = {.name = "square",
                               .kind = GG_OP_ELEMWISE,
                               .n_out = 1,
                               .code = &code,
                               .rop = rop_square};

  (void)state;
  rop_calls = 0;
  check(gg_exp(gg_op_elemwise(&square, NULL, 1, &x)));
  assert_int_equal(rop_calls, 1);
}

static void what_does_not_move_is_zero(void **state) {
  gg_var *y[2] = {gg_exp(x), gg_neg(m)}, *r[2];
  float got[8];

  (void)state;
  assert_ok(gg_rop(r, 2, y, 1, &x, &dx));
  assert_int_equal(evaluate(r[1], got), 6);
  assert_true(got[0] == 0 && got[5] == 0);
}

static void refuses(int code, gg_var *y, gg_var *wrt, gg_var *dir,
                    const char *message) {
  gg_var *r = y;

  assert_code(code, gg_rop(&r, 1, &y, 1, &wrt, &dir));
  assert_null(r);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void errors(void **state) {
  static const gg_code code = {"(%0)", NULL, 1, 1};
  static const gg_op plain = {
      .name = "plain", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &code};

  (void)state;
  refuses(GA_VALUE_ERROR, gg_exp(x), x, dm,
          "rop: variable 0 (x) is float32[3] and cannot move by float32[2, 3]");
  refuses(GA_VALUE_ERROR, gg_shape(m, 0), m, dm,
          "rop: result 0 () is neither float nor complex");
  refuses(GA_UNSUPPORTED_ERROR, gg_op_elemwise(&plain, NULL, 1, &x), x, dx,
          "plain(float32[3]): this op has neither a forward derivative nor a "
          "gradient");
}

/* --- connection patterns --- */

/* (p, q) -> p, q: each output depends on its own input alone. */
static int connected_same(const gg_apply *a, unsigned int in,
                          unsigned int out) {
  (void)a;
  return in == out;
}

static int infer_pair(const gg_apply *a, gg_type *type) {
  type[0] = *gg_var_type(a->in[0]);
  type[1] = *gg_var_type(a->in[1]);
  return GA_NO_ERROR;
}

static void outputs_may_be_disconnected(void **state) {
  static const gg_op pair = {.name = "pair",
                             .kind = GG_OP_PERFORM,
                             .n_out = 2,
                             .infer = infer_pair,
                             .connected = connected_same};
  gg_var *d;
  gg_apply *a =
      gg_var_owner(gg_op_apply(NULL, &pair, NULL, 2, (gg_var *[]){x, m}));

  (void)state;
  /* No gradient is asked of the op, which has none. */
  assert_code(GA_VALUE_ERROR, gg_grad(&d, gg_sum(a->out[1]), 1, &x));
  assert_string_equal(gg_graph_error(g),
                      "gradient: variable 0 (x) does not influence the cost");
  gg_graph_reset_error(g);
  assert_code(GA_UNSUPPORTED_ERROR, gg_grad(&d, gg_sum(a->out[0]), 1, &x));
  gg_graph_reset_error(g);
}

/* What is drawn does not move with the probabilities, also as floats, just as
 * it has no gradient by them. */
static void samples_do_not_move(void **state) {
  gg_random *r = gg_random_new(g, GG_PHILOX, 1);
  gg_var *y = gg_random_binomial(r, GG_DRAW(GA_FLOAT, 3), gg_f32(g, 9), x), *d;
  float got[8];

  (void)state;
  assert_ok(gg_rop(&d, 1, &y, 1, &x, &dx));
  assert_int_equal(evaluate(d, got), 3);
  for (size_t i = 0; i < 3; i++)
    assert_true(got[i] == 0);
  y = gg_add(y, x);
  assert_ok(gg_rop(&d, 1, &y, 1, &x, &dx));
  evaluate(d, got);
  assert_memory_equal(got, vdx, sizeof vdx);
  gg_random_free(r);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(built_in_ops_move),           TEST(an_ops_own_rule_is_used),
      TEST(what_does_not_move_is_zero),  TEST(errors),
      TEST(outputs_may_be_disconnected), TEST(samples_do_not_move),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

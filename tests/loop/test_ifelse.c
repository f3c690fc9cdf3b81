/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices: values, laziness, derivatives, errors. */
#include <gpugraph/op.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *c, *x;
static GpuArray flag, in, out, out2;

static const float vx[3] = {1, 2, 3};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  c = gg_input(g, "c", GA_FLOAT, 0);
  x = gg_input(g, "x", GA_FLOAT, 1);
  float_vector(&in, 3, vx);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&flag);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_graph_free(g);
  return 0;
}

static void set_flag(float v) {
  GpuArray_clear(&flag);
  float_array(&flag, 0, NULL, &v);
}

static gg_func *compile(gg_var *y, gg_mode mode) {
  return func_make(g, &(gg_func_spec){.inputs = GG_VARS(c, x),
                                      .outputs = GG_VARS(y),
                                      .mode = mode,
                                      .flags = GG_ALLOW_UNUSED_INPUT});
}

static void run(gg_func *f, float cond, const float *want, size_t n) {
  set_flag(cond);
  func_run(f, (GpuArray *[]){&flag, &in}, (GpuArray *[]){&out});
  assert_floats(&out, want, n);
}

static void expect(gg_var *y, const float *yes, const float *no, size_t n) {
  static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};

  for (size_t i = 0; i < 3; i++) {
    gg_func *f = compile(y, modes[i]);
    run(f, 1, yes, n);
    run(f, 0, no, n);
    run(f, -2, yes, n);
    gg_func_free(f);
  }
}

/* --- values --- */

static void one_of_two(void **state) {
  const float yes[3] = {2, 4, 6}, no[3] = {-1, -2, -3};

  (void)state;
  expect(gg_ifelse(c, gg_add(x, x), gg_neg(x)), yes, no, 3);
  expect(gg_ifelse(c, gg_add(x, x), gg_neg(gg_add(x, gg_f32(g, 0)))), yes, no,
         3);
}

static void values_may_be_leaves(void **state) {
  const float no[3] = {5, 5, 5};
  gg_var *five = gg_constant(g, GA_FLOAT, 1, (size_t[]){3}, no);

  (void)state;
  expect(gg_ifelse(c, x, five), vx, no, 3);
  expect(gg_ifelse(c, x, x), vx, vx, 3);
  expect(gg_ifelse(c, gg_transpose(x), gg_fill(x, gg_f32(g, 5))), vx, no, 3);
}

static void conditions_are_computed(void **state) {
  const float yes = 6, no = 14;
  gg_var *big = gg_gt(gg_mul(gg_sum(x), c), gg_f32(g, 3));

  (void)state;
  set_flag(1);
  {
    gg_func *f =
        compile(gg_ifelse(big, gg_sum(x), gg_sum(gg_sqr(x))), GG_FAST_RUN);

    run(f, 1, &yes, 1);
    run(f, 0, &no, 1);
    gg_func_free(f);
  }
}

static void several_values(void **state) {
  gg_var *y[2];
  gg_func *f;
  const float twice[3] = {2, 4, 6}, six = 6;

  (void)state;
  assert_ok(gg_ifelse_all(y, c, 2, (gg_var *[]){gg_add(x, x), gg_sum(x)},
                          (gg_var *[]){x, gg_max(x)}));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(c, x),
                                   .outputs = GG_VARS(y[0], y[1])});
  set_flag(1);
  func_run(f, (GpuArray *[]){&flag, &in}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, twice, 3);
  assert_floats(&out2, &six, 1);
  set_flag(0);
  func_run(f, (GpuArray *[]){&flag, &in}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, vx, 3);
  assert_floats(&out2, &vx[2], 1);
  gg_func_free(f);
}

static void choices_nest(void **state) {
  const float yes[3] = {2, 4, 6}, no[3] = {-1, -2, -3};
  gg_var *inner = gg_ifelse(gg_gt(c, gg_f32(g, 5)), gg_exp(x), gg_add(x, x));

  (void)state;
  expect(gg_neg(gg_ifelse(c, gg_neg(inner), x)), yes, no, 3);
}

/* --- laziness --- */

static int calls[2];

static int infer_same(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape_same(const gg_apply *a, const gg_dims *dims,
                      const double *const *host, gg_dims *to) {
  (void)a;
  (void)host;
  *to = dims[0];
  return GA_NO_ERROR;
}

/* A copy that counts. */
static int perform_count(const gg_prepare *p) {
  calls[*(const int *)p->apply->props]++;
  memcpy(p->to[0], p->from[0], p->in[0]->dimensions[0] * sizeof(float));
  return GA_NO_ERROR;
}

static int grad_count(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  return GA_NO_ERROR;
}

static const gg_op count = {.name = "count",
                            .kind = GG_OP_PERFORM,
                            .props_bytes = sizeof(int),
                            .n_out = 1,
                            .on_host = 1,
                            .infer = infer_same,
                            .shape = shape_same,
                            .grad = grad_count,
                            .perform = perform_count};

static gg_var *counted(int which, gg_var *v) {
  return gg_op_apply(NULL, &count, &which, 1, &v);
}

static void expect_calls(gg_func *f, float cond, int first, int second) {
  calls[0] = calls[1] = 0;
  set_flag(cond);
  func_run(f, (GpuArray *[]){&flag, &in}, (GpuArray *[]){&out});
  assert_int_equal(calls[0], first);
  assert_int_equal(calls[1], second);
}

static void only_the_branch_taken_runs(void **state) {
  static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};
  gg_var *a = counted(0, gg_exp(x)), *b = counted(1, gg_sin(x));

  (void)state;
  for (int i = 0; i < 3; i++) {
    gg_func *f = compile(gg_ifelse(c, gg_neg(a), gg_mul(b, b)), modes[i]);
    expect_calls(f, 1, 1, 0);
    expect_calls(f, 0, 0, 1);
    gg_func_free(f);
  }
}

static void what_others_need_runs(void **state) {
  gg_var *a = counted(0, gg_exp(x)), *b = counted(1, gg_sin(x));
  gg_func *f = compile(gg_add(gg_ifelse(c, a, b), b), GG_FAST_RUN);

  (void)state;
  expect_calls(f, 1, 1, 1);
  expect_calls(f, 0, 0, 1);
  gg_func_free(f);
}

static void branches_within_branches_are_lazy(void **state) {
  gg_var *deep = gg_ifelse(gg_gt(c, gg_f32(g, 5)), counted(0, x), x);
  gg_func *f = compile(gg_ifelse(c, gg_neg(deep), counted(1, x)), GG_FAST_RUN);

  (void)state;
  expect_calls(f, 9, 1, 0);
  expect_calls(f, 1, 0, 0);
  expect_calls(f, 0, 0, 1);
  gg_func_free(f);
}

/* One choice per step. */
static void loops_choose(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *v = gg_scan_sequence(s, x, 0), *h = gg_scan_state(s, gg_f32(g, 1));
  const float yes[3] = {2, 0, 3};

  (void)state;
  gg_scan_next(s, h,
               gg_ifelse(gg_eq(v, gg_f32(g, 2)), gg_sub(h, gg_f32(g, 2)),
                         gg_add(gg_mul(h, gg_f32(g, 1)), gg_sqrt(gg_sqr(v)))));
  gg_scan_close(s);
  expect(gg_scan_all(s, h), yes, yes, 3);
  gg_scan_free(s);
}

/* --- derivatives --- */

static void gradients_follow_the_branch(void **state) {
  const float yes[3] = {2, 4, 6}, no[3] = {3, 3, 3};
  gg_var *d = NULL;

  (void)state;
  gg_grad(&d, gg_sum(gg_ifelse(c, gg_sqr(x), gg_mul(x, gg_f32(g, 3)))), 1, &x);
  expect(d, yes, no, 3);
}

static void second_derivatives(void **state) {
  const float yes[3] = {6, 12, 18}, no[3] = {0, 0, 0};
  gg_var *d = NULL, *dd = NULL;

  (void)state;
  gg_grad(&d, gg_sum(gg_ifelse(c, gg_mul(x, gg_sqr(x)), gg_neg(x))), 1, &x);
  gg_grad(&dd, gg_sum(d), 1, &x);
  expect(dd, yes, no, 3);
}

static void moves_follow_the_branch(void **state) {
  const float yes[3] = {2, 8, 18}, no[3] = {-1, -2, -3};
  gg_var *y = gg_ifelse(c, gg_sqr(x), gg_neg(x)), *r = NULL;

  (void)state;
  gg_rop(&r, 1, &y, 1, &x, &x);
  expect(r, yes, no, 3);
}

/* --- branches whose sizes the data decide --- */

/* Squares of what exceeds 1.5, or cubes of what is below `end`: branches of two
 * elements and of one. */
static gg_var *powers(gg_var *cond, gg_var *end) {
  gg_var *some = gg_compress(x, gg_gt(x, gg_f32(g, 1.5f)));
  gg_var *others = gg_compress(x, gg_lt(x, end));

  return gg_ifelse(cond, gg_sqr(some), gg_mul(others, gg_sqr(others)));
}

static void expect_fast(gg_var *y, const float *yes, size_t n_yes,
                        const float *no, size_t n_no) {
  gg_func *f = compile(y, GG_FAST_RUN);

  for (int i = 0; i < 2; i++) {
    run(f, 1, yes, n_yes);
    run(f, 0, no, n_no);
  }
  gg_func_free(f);
}

static void branches_may_select(void **state) {
  const float yes[2] = {4, 9}, no[1] = {1};
  const float d_yes[3] = {0, 4, 6}, d_no[3] = {3, 0, 0};
  const float dd_yes[3] = {0, 2, 2}, dd_no[3] = {6, 0, 0};
  gg_var *y = powers(c, gg_f32(g, 1.5f)), *d = NULL, *dd = NULL, *r = NULL;

  (void)state;
  expect_fast(y, yes, 2, no, 1);
  gg_grad(&d, gg_sum(y), 1, &x);
  expect_fast(d, d_yes, 3, d_no, 3);
  gg_grad(&dd, gg_sum(d), 1, &x);
  expect_fast(dd, dd_yes, 3, dd_no, 3);
  y = gg_sum(y);
  gg_rop(&r, 1, &y, 1, &x, &x);
  expect_fast(r, (float[]){26}, 1, (float[]){3}, 1);
}

/* A branch of a fixed size does not fix that of the other one. */
static void one_branch_may_select(void **state) {
  const float yes[3] = {5, 6, 7}, no[2] = {-2, -3};
  const float d_yes[3] = {0, 0, 0}, d_no[3] = {0, -1, -1};
  gg_var *some = gg_compress(x, gg_gt(x, gg_f32(g, 1.5f))), *d = NULL;
  gg_var *y = gg_ifelse(c, gg_constant(g, GA_FLOAT, 1, (size_t[]){3}, yes),
                        gg_neg(some));

  (void)state;
  expect_fast(y, yes, 3, no, 2);
  gg_grad(&d, gg_sum(y), 1, &x);
  expect_fast(d, d_yes, 3, d_no, 3);
}

/* Iterations take the branch of one element, and twice that of two. */
static void iterations_select(void **state) {
  const float want[3] = {3, 8, 12}, second[3] = {6, 4, 4};
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0), *h, *d = NULL, *dd = NULL;

  (void)state;
  h = gg_scan_state(s, gg_f32(g, 0));
  gg_scan_next(s, h,
               gg_add(h, gg_sum(powers(gg_gt(row, gg_f32(g, 1.5f)),
                                       gg_add(row, gg_f32(g, 0.5f))))));
  assert_ok(gg_scan_close(s));
  gg_grad(&d, gg_scan_last(s, h), 1, &x);
  expect_fast(d, want, 3, want, 3);
  gg_grad(&dd, gg_sum(d), 1, &x);
  expect_fast(dd, second, 3, second, 3);
  gg_scan_free(s);
}

/* --- errors --- */

static void expect_error(int code, const char *message) {
  assert_int_equal(gg_graph_status(g), code);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void types_must_agree(void **state) {
  (void)state;
  assert_null(gg_ifelse(c, x, gg_cast(x, GA_INT)));
  expect_error(GA_VALUE_ERROR,
               "ifelse(bool, float32[?], int32[?]): output 0 is float32[?] if "
               "the condition holds, else int32[?]");
  assert_null(gg_ifelse(x, x, x));
  expect_error(GA_VALUE_ERROR, "ifelse: the condition has 1 dimensions, "
                               "expected a scalar");
  assert_null(gg_ifelse(c, x, gg_sum(x)));
  gg_graph_reset_error(g);
  assert_null(gg_ifelse(c, NULL, x));
}

static void sizes_must_agree(void **state) {
  gg_func *f =
      compile(gg_ifelse(c, gg_join(0, 2, (gg_var *[]){x, x}), x), GG_FAST_RUN);

  (void)state;
  set_flag(1);
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&flag, &in},
                                           (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "ifelse: output 0, dim 0: 6 if the "
                                           "condition holds, else 3"));
  gg_func_free(f);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_of_two),
      TEST(values_may_be_leaves),
      TEST(conditions_are_computed),
      TEST(several_values),
      TEST(choices_nest),
      TEST(only_the_branch_taken_runs),
      TEST(what_others_need_runs),
      TEST(branches_within_branches_are_lazy),
      TEST(loops_choose),
      TEST(gradients_follow_the_branch),
      TEST(second_derivatives),
      TEST(moves_follow_the_branch),
      TEST(branches_may_select),
      TEST(one_branch_may_select),
      TEST(iterations_select),
      TEST(types_must_agree),
      TEST(sizes_must_agree),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug mode finds ops that do not do what they say; the guard finds NaN. */
#undef GG_NO_SITES
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "support/funcs.h"

static gg_graph *g;
static gg_var *x;
static gg_func *f;
static GpuArray in, out;

static int setup(void **state) {
  const float data[6] = {1, 2, 3, 4, 5, 6};

  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  f = NULL;
  memset(&out, 0, sizeof out);
  float_array(&in, 2, (size_t[]){2, 3}, data);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void make(gg_var *y, gg_mode mode, int flags) {
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(y),
                                   .mode = mode,
                                   .flags = flags});
}

static int call(void) {
  return gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
}

/* The call fails, and its message has all of these. */
static void assert_found(const char *what, const char *where, int line) {
  char place[16];

  snprintf(place, sizeof place, ":%d)", line);
  assert_code(GA_VALUE_ERROR, call());
  if (strstr(gg_func_error(f), what) == NULL ||
      strstr(gg_func_error(f), where) == NULL ||
      (line != 0 && strstr(gg_func_error(f), place) == NULL))
    fail_msg("\"%s\" lacks \"%s\", \"%s\" or line %d", gg_func_error(f), what,
             where, line);
  assert_null(out.data);
}

/* --- ops that are wrong --- */

static double eval_twice(const double *v) {
  return 2 * v[0];
}

/* Wrong from 5 on. */
static const gg_code twice_code = {
    "(%0 < (%T)(5) ? %0 + %0 : %0 + %0 + (%T)(1))", eval_twice, 1, 1};
static const gg_op twice = {
    .name = "twice", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &twice_code};

static int infer_same(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape_same(const gg_apply *a, const gg_dims *dims,
                      const double *const *host, gg_dims *result) {
  (void)a;
  (void)host;
  *result = dims[0];
  return GA_NO_ERROR;
}

/* Sets its result to 0 and, which it should not, its input too. */
static int perform_spoil(const gg_prepare *p) {
  GA_TRY(GpuArray_memset(p->out[0], 0));
  return GpuArray_memset(p->in[0], 0);
}

static const gg_op spoil = {.name = "spoil",
                            .kind = GG_OP_PERFORM,
                            .n_out = 1,
                            .infer = infer_same,
                            .shape = shape_same,
                            .perform = perform_spoil};

/* Another result each time. */
static int count;

static int perform_count(const gg_prepare *p) {
  float *to = p->to[0];
  size_t i;

  count++;
  for (i = 0; i < 6; i++)
    to[i] = (float)count;
  return GA_NO_ERROR;
}

static int new_state(const gg_prepare *p, void **state) {
  (void)p;
  *state = &count;
  return GA_NO_ERROR;
}

static void free_state(void *state) {
  (void)state;
}

static const gg_op counting = {.name = "counting",
                               .kind = GG_OP_PERFORM,
                               .n_out = 1,
                               .infer = infer_same,
                               .shape = shape_same,
                               .perform = perform_count,
                               .on_host = 1,
                               .state_new = new_state,
                               .state_free = free_state};

/* --- debug mode --- */

static gg_var *apply(const gg_op *op, gg_var *v) {
  return gg_op_apply(NULL, op, NULL, 1, &v);
}

static void test_right(void **state) {
  gg_var *y = gg_softmax(gg_dot(x, gg_transpose(gg_exp(x))));

  (void)state;
  make(y, GG_DEBUG, GG_NAN_GUARD | GG_INF_GUARD);
  assert_ok(call());
  assert_ok(call());
  assert_int_equal(out.dimensions[1], 2);
}

/* The node is named, though all are one kernel. */
static void test_wrong_kernel(void **state) {
  gg_var *y;
  const int line = __LINE__ + 3;

  (void)state;
  y = gg_sqrt(GG_SITED(apply, &twice, gg_add(x, x)));
  make(y, GG_DEBUG, 0);
  assert_found("twice at [0, 2] of float32[2, 3]",
               "the device found 13, the host 12", line);
}

/* Without the twin's steps: the kernel as it is. */
static void test_wrong_fused(void **state) {
  (void)state;
  make(gg_neg(apply(&twice, x)), GG_DEBUG, 0);
  gg_func_free(f->plain);
  f->plain = NULL;
  assert_found("neg at [1, 1]", "the device found -11, the host -10", 0);
}

/* The same, and one byte more than there is room for. */
static int perform_over(const gg_prepare *p) {
  const GpuArray *to = p->out[0];
  const unsigned char junk = 1;
  const size_t bytes = test_size(to) * sizeof(float);

  GA_TRY(GpuArray_setarray(p->out[0], p->in[0]));
  return gpudata_write(to->data, to->offset + bytes + 2, &junk, 1);
}

static const gg_op over = {.name = "over",
                           .kind = GG_OP_PERFORM,
                           .n_out = 1,
                           .infer = infer_same,
                           .shape = shape_same,
                           .perform = perform_over};

static void test_beyond(void **state) {
  int line;

  (void)state;
  make(gg_exp((line = __LINE__, gg_op_apply(g, &over, NULL, 1, &x))), GG_DEBUG,
       0);
  assert_found("over wrote byte 2 behind a buffer of 24", "over", line);
}

static void test_changed_input(void **state) {
  (void)state;
  make(apply(&spoil, gg_exp(x)), GG_DEBUG, 0);
  assert_found("spoil changed its input exp", "at [0, 0]", 0);
}

static void test_results_differ(void **state) {
  (void)state;
  count = 0;
  make(gg_named(apply(&counting, x), "counted"), GG_DEBUG, 0);
  assert_found("output 0 (counted) at [0, 0]", "2 after rewriting, 1 without",
               0);
}

/* Shared variables keep their values, those that are updated in place, too. */
static void test_shared_kept(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(apply(&counting, x)),
                                   .updates = GG_UPDATES({w, gg_sub(w, x)}),
                                   .mode = GG_DEBUG});
  count = 0;
  assert_code(GA_VALUE_ERROR, call());
  assert_shared(w, start, 6);
}

static void test_shared_updated(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3}, end[6] = {2, 1, 0, -1, -2, -3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_sum(w)),
                                   .updates = GG_UPDATES({w, gg_sub(w, x)}),
                                   .mode = GG_DEBUG});
  assert_ok(call());
  assert_floats(&out, (float[]){18}, 1);
  assert_shared(w, end, 6);
}

/* --- the guard --- */

/* log(x - 4) is NaN below 4; the kernel stores another value of it. */
static gg_var *logarithm(int *line) {
  *line = __LINE__ + 1;
  return gg_mul(gg_log(gg_sub(x, gg_f32(g, 4))), gg_f32(g, 3));
}

static void test_nan(void **state) {
  int line;
  gg_var *y = logarithm(&line);

  (void)state;
  make(y, GG_FAST_RUN, GG_NAN_GUARD);
  assert_found("NaN in log at [0, 0] of float32[2, 3]", "step map{", line);
}

static void test_infinity(void **state) {
  (void)state;
  make(gg_sum(gg_reciprocal(gg_sub(x, gg_f32(g, 4)))), GG_FAST_RUN,
       GG_INF_GUARD);
  assert_found("infinity in ", "at [1, 0] of float32[2, 3]", 0);
}

static void test_nan_of_argument(void **state) {
  const float data[6] = {1, 2, 3, 4, NAN, 6};

  (void)state;
  GpuArray_clear(&in);
  float_array(&in, 2, (size_t[]){2, 3}, data);
  make(gg_isnan(x), GG_FAST_RUN, GG_NAN_GUARD);
  assert_found("NaN in x at [1, 1] of float32[2, 3]", "", 0);
}

/* Nothing is looked for that was not asked for. */
static void test_no_guard(void **state) {
  int line;
  gg_var *y = logarithm(&line);

  (void)state;
  make(y, GG_FAST_RUN, GG_INF_GUARD);
  assert_code(GA_VALUE_ERROR, call()); /* log(0) */
  assert_non_null(strstr(gg_func_error(f), "infinity"));
  gg_func_free(f);
  make(y, GG_FAST_RUN, 0);
  assert_ok(call());
}

/* --- what is compared with nothing but itself, and what lies elsewhere --- */

/* A cell with draws, which are the same when they are computed again, in a loop
 * whose products leave it. */
static gg_var *loop(gg_var *rows, gg_random *r) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, rows, 0), *h, *w, *kept;

  w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){3, 3},
                     (const float[9]){1, 0, 0.5f, 0, 1, 0, -1, 0, 1});
  if (gg_var_context(rows) != test_context())
    w = gg_transfer(w, gg_var_context(rows));
  kept = gg_random_bernoulli(r, GG_DRAW(GA_FLOAT, 3), gg_f32(g, 0.5f));
  h = gg_scan_state(s, gg_zeros_like(gg_index(rows, 0, 0)));
  gg_scan_next(s, h,
               gg_tanh(gg_add(gg_mul(gg_transfer(kept, gg_var_context(rows)),
                                     gg_dot(row, w)),
                              gg_dot(h, w))));
  gg_scan_close(s);
  h = gg_scan_all(s, h);
  gg_scan_free(s);
  return h;
}

/* Debug mode finds nothing wrong, and sees what a function without it does. */
static void check_loop(gpucontext *ctx) {
  gg_random *r = gg_random_new(g, GG_PHILOX, 3);
  gg_var *all = loop(gg_transfer(x, ctx), r), *d = NULL;
  float got[2][6];

  all = gg_transfer(all, test_context());
  assert_ok(gg_grad(&d, gg_sum(gg_exp(all)), 1, &x));
  for (int i = 0; i < 2; i++) {
    make(gg_add(all, d), i == 0 ? GG_DEBUG : GG_FAST_RUN,
         GG_NO_DEFAULT_UPDATES);
    if (call() != GA_NO_ERROR)
      fail_msg("%s", gg_func_error(f));
    test_gather(&out, got[i]);
    gg_func_free(f);
    f = NULL;
  }
  test_close(GA_FLOAT, got[0], got[1], 6, 1e-5, 1e-6);
  gg_random_free(r);
}

static void test_loop(void **state) {
  (void)state;
  check_loop(test_context());
}

static void test_contexts(void **state) {
  (void)state;
  check_loop(test_second_context());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_right),
      TEST(test_wrong_kernel),
      TEST(test_wrong_fused),
      TEST(test_changed_input),
      TEST(test_beyond),
      TEST(test_results_differ),
      TEST(test_shared_kept),
      TEST(test_shared_updated),
      TEST(test_nan),
      TEST(test_infinity),
      TEST(test_nan_of_argument),
      TEST(test_no_guard),
      TEST(test_loop),
      TEST(test_contexts),
  };

  return cmocka_run_group_tests_name("debug", tests, NULL, test_context_drop);
}

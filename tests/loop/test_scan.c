/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops against plain C: sequences, states, taps, bodies, memory, errors. How
 * many steps they have is in test_scan_steps. */
#include <stdlib.h>
#include <string.h>

#include "scan_forms.h"

/* --- values --- */

/* h[t] = h[t-1] / 2 + x[t] */
static void states_follow_sequences(void **state) {
  static const size_t sizes[] = {10, 7, 1, 10, 3};
  gg_var *xs = vector("xs");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;
  float want[10], last = 3;

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_state(s, gg_f32(g, 3));
  gg_scan_next(s, h, gg_add(gg_mul(h, gg_f32(g, 0.5f)), x));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs),
                                   .outputs = GG_VARS(gg_scan_all(s, h),
                                                      gg_scan_last(s, h))});
  gg_scan_free(s);
  for (size_t i = 0; i < 10; i++)
    want[i] = last = 0.5f * last + ten[i];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    float_vector(&in, sizes[i], ten);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2});
    assert_floats(&out, want, sizes[i]);
    assert_floats(&out2, want + sizes[i] - 1, 1);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

/* A row has the name of its sequence, which is an input. */
static void rows_stay_in_the_body(void **state) {
  gg_var *xs = vector("xs");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_scan_output(s, gg_exp(x));
  gg_scan_close(s);
  gg_scan_free(s);
  assert_int_not_equal(
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(xs),
                                  .outputs = GG_VARS(gg_neg(x), xs)}),
      GA_NO_ERROR);
  expect_error("output neg depends on xs of a loop's body, which has no value "
               "outside of the loop; what a step makes is its output");
}

/* x[t-1] + 10 x[t+1] of a sequence that is asked for twice. */
static void sequences_have_taps(void **state) {
  gg_var *xs = constant(1, (size_t[]){5}, ten), *y;
  gg_scan *s = gg_scan_open(g);
  const float want[3] = {31, 42, 53};

  (void)state;
  y = gg_add(gg_scan_sequence(s, xs, -1),
             gg_mul(gg_scan_sequence(s, xs, 1), gg_f32(g, 10)));
  gg_scan_output(s, y);
  gg_scan_close(s);
  expect(gg_scan_all(s, y), want, 3);
  gg_scan_free(s);
}

/* Fibonacci, with rows of three so that no offset is aligned. */
static void states_have_taps(void **state) {
  static const float first[6] = {0, 1, 2, 1, 1, 5};
  gg_var *h[2];
  gg_scan *s = gg_scan_open(g);
  float want[8][3], two[2][3];

  (void)state;
  memcpy(two, first, sizeof two);
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      want[i][k] = two[0][k] + two[1][k];
      two[0][k] = two[1][k];
      two[1][k] = want[i][k];
    }
  gg_scan_state_taps(s, constant(2, (size_t[]){2, 3}, first), 2,
                     (int[]){-2, -1}, h);
  gg_scan_next(s, h[0], gg_add(h[0], h[1]));
  gg_scan_steps(s, gg_i64(g, 8));
  gg_scan_close(s);
  expect(gg_scan_all(s, h[1]), want[0], 24);
  expect(gg_scan_last(s, h[0]), want[7], 3);
  gg_scan_free(s);
}

/* A state of which only the value three steps ago is used. */
static void states_may_look_far_back(void **state) {
  gg_var *h;
  gg_scan *s = gg_scan_open(g);
  const float want[7] = {2, 3, 4, 3, 4, 5, 4};

  (void)state;
  gg_scan_state_taps(s, constant(1, (size_t[]){3}, ten), 1, (int[]){-3}, &h);
  gg_scan_next(s, h, gg_add(h, gg_f32(g, 1)));
  gg_scan_steps(s, gg_i64(g, 7));
  gg_scan_close(s);
  expect(gg_scan_all(s, h), want, 7);
  expect(gg_scan_last(s, h), want + 6, 1);
  gg_scan_free(s);
}

/* Two states that change places, a float and an integer that counts. */
static void states_are_many(void **state) {
  gg_scan *s = gg_scan_open(g);
  const float want[5] = {2, 1, 2, 1, 2}, counted[5] = {1, 2, 3, 4, 5};

  (void)state;
  gg_var *a = gg_scan_state(s, gg_f32(g, 1));
  gg_var *b = gg_scan_state(s, gg_f32(g, 2));
  gg_var *n = gg_scan_state(s, gg_scalar(g, GA_INT, 0));
  gg_scan_next(s, a, b);
  gg_scan_next(s, b, a);
  gg_scan_next(s, n, gg_add(n, gg_scalar(g, GA_INT, 1)));
  gg_scan_steps(s, gg_i64(g, 5));
  gg_scan_close(s);
  expect(gg_scan_all(s, a), want, 5);
  expect(gg_scan_last(s, b), want + 1, 1);
  expect(gg_cast(gg_scan_all(s, n), GA_FLOAT), counted, 5);
  gg_scan_free(s);
}

static void sequences_go_backwards(void **state) {
  gg_var *xs = constant(1, (size_t[]){6}, ten), *x, *h;
  gg_scan *s = gg_scan_open(g);
  const float want[4] = {6, 11, 15, 18};

  (void)state;
  x = gg_scan_sequence(s, xs, 0);
  h = gg_scan_state(s, gg_f32(g, 0));
  gg_scan_next(s, h, gg_add(h, x));
  gg_scan_backwards(s);
  gg_scan_steps(s, gg_i64(g, 4));
  gg_scan_close(s);
  expect(gg_scan_all(s, h), want, 4);
  gg_scan_free(s);
}

/* Columns of a matrix as rows. */
static void sequences_may_be_views(void **state) {
  gg_var *m = constant(2, (size_t[]){2, 5}, ten), *row, *h;
  gg_scan *s = gg_scan_open(g);
  const float want[2] = {15, 40};

  (void)state;
  row = gg_scan_sequence(s, gg_transpose(m), 0);
  h = gg_scan_state(s, gg_zeros_like(gg_index(m, 1, 0)));
  gg_scan_next(s, h, gg_add(h, row));
  gg_scan_close(s);
  expect(gg_scan_last(s, h), want, 2);
  gg_scan_free(s);
}

/* --- bodies --- */

/* What the body computes from nothing that changes is computed before. */
static void constant_work_leaves_the_loop(void **state) {
  gg_var *w = vector("w"), *xs = vector("xs");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;
  GpuArray ws;
  const float want[2] = {10, 20};

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_state(s, gg_zeros_like(w));
  gg_scan_next(s, h, gg_add(h, gg_mul(gg_log(gg_exp(w)), x)));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(w, xs),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  char *text = func_text(f);
  assert_non_null(strstr(text, "map{"));
  assert_true(strstr(text, "map{") < strstr(text, "scan"));
  free(text);
  float_vector(&ws, 2, ten);
  float_vector(&in, 4, ten);
  func_run(f, (GpuArray *[]){&ws, &in}, (GpuArray *[]){&out});
  assert_floats(&out, want, 2);
  GpuArray_clear(&ws);
  gg_func_free(f);
}

/* Running sums of each row, by a loop over rows of a loop over elements. */
static void loops_stand_in_loops(void **state) {
  gg_var *m = constant(2, (size_t[]){2, 5}, ten), *row, *x, *h, *sums;
  gg_scan *s = gg_scan_open(g);
  const float want[10] = {1, 3, 6, 10, 15, 6, 13, 21, 30, 40};

  (void)state;
  row = gg_scan_sequence(s, m, 0);
  gg_scan *t = gg_scan_open(g);
  x = gg_scan_sequence(t, row, 0);
  h = gg_scan_state(t, gg_f32(g, 0));
  gg_scan_next(t, h, gg_add(h, x));
  gg_scan_close(t);
  sums = gg_scan_output(s, gg_scan_all(t, h));
  gg_scan_free(t);
  gg_scan_close(s);
  expect(gg_scan_all(s, sums), want, 10);
  gg_scan_free(s);
}

static gg_var *square(void *arg, gg_var *row) {
  (void)arg;
  return gg_sqr(row);
}

static gg_var *horner(void *arg, gg_var *so_far, gg_var *row) {
  return gg_add(gg_mul(so_far, arg), row);
}

static void short_forms(void **state) {
  gg_var *xs = constant(1, (size_t[]){4}, ten);
  const float squares[4] = {1, 4, 9, 16}, folded = 1234;

  (void)state;
  expect(gg_map(square, NULL, xs), squares, 4);
  expect(gg_fold(horner, gg_f32(g, 10), gg_f32(g, 0), xs), &folded, 1);
}

/* A shared variable as a state that calls go on with. */
static void loops_update_shared_variables(void **state) {
  const float one = 1, want = 1024;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 0, NULL, &one);
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  (void)state;
  gg_var *h = gg_scan_state(s, w);
  gg_scan_next(s, h, gg_add(h, h));
  gg_scan_steps(s, gg_i64(g, 5));
  gg_scan_close(s);
  f = func_make(
      g, &(gg_func_spec){.updates = GG_UPDATES({w, gg_scan_last(s, h)})});
  gg_scan_free(s);
  func_run(f, NULL, NULL);
  func_run(f, NULL, NULL);
  assert_shared(w, &want, 1);
  gg_func_free(f);
}

static gg_var *powers(float by) {
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));

  gg_scan_next(s, h, gg_mul(h, gg_f32(g, by)));
  gg_scan_steps(s, gg_i64(g, 3));
  gg_scan_close(s);
  gg_var *v = gg_scan_last(s, h);
  gg_scan_free(s);
  return v;
}

static void equal_loops_are_one(void **state) {
  (void)state;
  assert_ptr_equal(powers(2), powers(2));
  assert_ptr_not_equal(powers(2), powers(3));
}

/* What is inside of a loop is printed behind it. */
static void loops_are_printed(void **state) {
  gg_var *v = gg_neg(powers(2));
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);

  (void)state;
  assert_non_null(f);
  assert_ok(gg_debugprint(f, 1, &v));
  fclose(f);
  assert_non_null(strstr(text, "neg [id A] float32\n"
                               "  scan{1 state}.1 [id B] float32\n"));
  assert_non_null(strstr(text, "inside of scan{1 state}.1 [id B]:\n"
                               "mul [id A] float32\n"));
  free(text);
}

/* --- memory --- */

static size_t temp_bytes(int64_t steps) {
  static const float zeros[1024];
  gg_var *x = constant(1, (size_t[]){1024}, zeros), *h;
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  h = gg_scan_state(s, x);
  gg_scan_next(s, h, gg_cos(h));
  gg_scan_steps(s, gg_i64(g, steps));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){
                       .outputs = GG_VARS(gg_index(gg_scan_all(s, h), 0, -1))});
  gg_scan_free(s);
  func_run(f, NULL, (GpuArray *[]){&out});
  size_t bytes = func_stats(f).temp_bytes;
  gg_func_free(f);
  return bytes;
}

static void last_values_need_no_trace(void **state) {
  (void)state;
  assert_int_equal(temp_bytes(10), temp_bytes(1000));
  assert_true(temp_bytes(10) <= 3 * 4096);
}

/* --- errors --- */

static void states_keep_their_type(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));

  (void)state;
  gg_scan_next(s, h, gg_cast(h, GA_INT));
  gg_scan_steps(s, gg_i64(g, 3));
  assert_code(GA_VALUE_ERROR, gg_scan_close(s));
  expect_error("scan(int64, float32[1]): state 0 starts as float32, but its "
               "next value is int32");
  gg_scan_free(s);
}

static void loops_are_complete(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));

  (void)state;
  gg_scan_close(s);
  expect_error("scan: state 0 has no next value");
  gg_scan_next(s, h, h);
  gg_scan_close(s);
  expect_error("scan: neither sequences nor a number of steps");
  gg_scan_all(s, h);
  expect_error("scan: the loop is still open");
  gg_scan_next(s, h, h);
  expect_error("scan: state 0 has two next values");
  gg_scan_steps(s, gg_f32(g, 1));
  expect_error("scan: the number of steps is not an integer scalar");
  gg_scan_steps(s, gg_i64(g, -2));
  gg_scan_close(s);
  expect_error("scan(int64, float32[1]): -2 steps");
  gg_scan_truncate(s, 0);
  expect_error("scan: gradients cannot go back 0 steps");
  gg_scan_sequence(s, gg_f32(g, 1), 0);
  expect_error("scan: a sequence needs an axis for its steps");
  gg_scan_free(s);
  gg_scan_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(states_follow_sequences),
      TEST(rows_stay_in_the_body),
      TEST(sequences_have_taps),
      TEST(states_have_taps),
      TEST(states_may_look_far_back),
      TEST(states_are_many),
      TEST(sequences_go_backwards),
      TEST(sequences_may_be_views),
      TEST(constant_work_leaves_the_loop),
      TEST(loops_stand_in_loops),
      TEST(short_forms),
      TEST(loops_update_shared_variables),
      TEST(equal_loops_are_one),
      TEST(loops_are_printed),
      TEST(last_values_need_no_trace),
      TEST(states_keep_their_type),
      TEST(loops_are_complete),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

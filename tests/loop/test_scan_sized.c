/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices inside of which the data decide sizes, against loops on the
 * host. */
#include "loop/scan_forms.h"
#include "support/roundtrip.h"

#include <gpuarray/profile.h>
#include <gpugraph/ifelse.h>
#include <gpugraph/report.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t any[] = {GG_ANY};

/* --- texts --- */

static void has(const char *text, const char *part) {
  if (strstr(text, part) == NULL)
    fail_msg("no \"%s\" in:\n%s", part, text);
}

/* --- a set that shrinks --- */

/* Each iteration keeps what exceeds the mean, until at most one element is
 * left. `sum` becomes the sum of the set before each iteration. */
static gg_scan *shrink(gg_var *x, gg_var **set, gg_var **sum) {
  gg_scan *s = gg_scan_open(g);

  *set = gg_scan_state_sized(s, x, any);
  *sum = gg_scan_output(s, gg_sum(*set));
  gg_var *kept = gg_compress(*set, gg_gt(*set, gg_mean(*set)));
  gg_scan_next(s, *set, kept);
  gg_scan_until(s, gg_lt(gg_shape(kept, 0), gg_i64(g, 2)));
  gg_scan_steps(s, gg_shape(x, 0));
  assert_ok(gg_scan_close(s));
  return s;
}

/* The same on the host; returns the number of iterations. */
static size_t shrink_host(float *v, size_t *n, float *sums) {
  size_t t = 0;

  do {
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
      sum += (double)v[i];
    for (size_t i = 0; i < *n; i++)
      if ((double)v[i] > sum / (double)*n)
        v[kept++] = v[i];
    sums[t++] = (float)sum;
    *n = kept;
  } while (*n > 1);
  return t;
}

enum { MOST = 40 };

static size_t draw(float *v, size_t n, unsigned int seed) {
  for (size_t i = 0; i < n; i++)
    v[i] = (float)((i * i * (5 + seed) + 3 * i) % 64);
  GpuArray_clear(&in);
  float_vector(&in, n, v);
  return n;
}

static void a_set_may_shrink(void **state) {
  gg_var *x = vector("x"), *set, *sum;
  gg_scan *s = shrink(x, &set, &sum);
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs = GG_VARS(gg_scan_last(s, set), gg_scan_all(s, sum),
                                gg_mul(gg_scan_count(s), gg_scan_count(s)))});
  GpuArray r[3] = {{0}};
  float v[MOST], sums[MOST];
  gpucontext_counters before, after;
  size_t made = 0;

  (void)state;
  gg_scan_free(s);
  for (unsigned int i = 0; i < 12; i++) {
    memset(sums, 0, sizeof sums);
    const size_t rows = draw(v, 10 + 2 * (i % 6), i % 6);
    size_t n = rows;
    int64_t count;
    gpucontext_count(test_context(), &before);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&r[0], &r[1], &r[2]});
    gpucontext_count(test_context(), &after);
    const size_t t = shrink_host(v, &n, sums);
    assert_floats(&r[0], v, n);
    assert_floats(&r[1], sums, rows);
    assert_ok(GpuArray_read(&count, sizeof count, &r[2]));
    assert_int_equal(count, t * t);
    /* The count of each iteration, and nothing else. */
    assert_int_equal(after.host_reads - before.host_reads, t);
    if (i == 6)
      made = func_stats(f).kernels_made;
  }
  assert_int_equal(func_stats(f).kernels_made, made);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&r[i]);
  gg_func_free(f);
}

/* --- derivatives --- */

/* Elements that exceed the mean are squared, until one is left. */
static gg_var *powers(gg_var *x) {
  gg_scan *s = gg_scan_open(g);
  gg_var *set = gg_scan_state_sized(s, x, any);
  gg_var *kept = gg_compress(set, gg_gt(set, gg_mean(set)));

  gg_scan_next(s, set, gg_mul(kept, kept));
  gg_scan_until(s, gg_lt(gg_shape(kept, 0), gg_i64(g, 2)));
  gg_scan_steps(s, gg_shape(x, 0));
  assert_ok(gg_scan_close(s));
  gg_var *last = gg_scan_last(s, set);
  gg_scan_free(s);
  return last;
}

/* After three iterations, 1.5 to the 8th is left. */
static void derivatives_pass_states_that_shrink(void **state) {
  static const float v[] = {0.2f, 1.3f, 0.4f, 1.1f, 1.5f, 0.9f, 0.1f};
  static const double top = 1.5;
  const float first = (float)(8 * pow(top, 7));
  float slope[7] = {0}, bend[7] = {0};
  gg_var *x = vector("x"), *y = powers(x), *slopes, *bends, *move;
  GpuArray third = {0};

  (void)state;
  slope[4] = first;
  bend[4] = (float)(56 * pow(top, 6));
  assert_ok(gg_grad(&slopes, gg_sum(y), 1, &x));
  assert_ok(gg_grad(&bends, gg_sum(slopes), 1, &x));
  assert_ok(gg_rop(&move, 1, &y, 1, &x, (gg_var *[]){gg_ones_like(x)}));
  const gg_func_spec spec = {.name = "powers",
                             .inputs = GG_VARS(x),
                             .outputs = GG_VARS(slopes, bends, move)};
  gg_func *f = func_make(g, &spec);
  float_vector(&in, 7, v);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2, &third});
  assert_floats(&out, slope, 7);
  assert_floats(&out2, bend, 7);
  assert_floats(&third, &first, 1);
  GpuArray_clear(&third);
  gg_func_free(f);
  assert_ok(gg_graph_add_func(g, &spec));
  char *const text = graph_text(g, 0);
  assert_same_text(text);
  free(text);
}

/* --- sizes inside of an iteration --- */

/* For each row: the sum of its positive elements' squares, and how many such
 * elements all rows had so far. With `all`: the positive elements,
 * which are joined, since they are no rows of an array. */
static gg_scan *each_row(gg_var *x, gg_var **squares, gg_var **count,
                         gg_var **all) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_var *some = gg_compress(row, gg_gt(row, gg_f32(g, 0)));

  if (all != NULL) {
    *all = gg_scan_state_sized(s, constant(1, (size_t[]){0}, NULL), any);
    gg_scan_next(s, *all, gg_join(0, 2, (gg_var *[]){*all, some}));
  }
  *count = gg_scan_state(s, gg_i64(g, 0));
  *squares = gg_scan_output(s, gg_sum(gg_mul(some, some)));
  gg_scan_next(s, *count, gg_add(*count, gg_shape(some, 0)));
  assert_ok(gg_scan_close(s));
  return s;
}

static const float rows[] = {1, -2, 3, 1, 0, 0, 0, 0, -1, 2, 2, -5};

static void an_iteration_may_select(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *squares, *count, *joined, *gx;
  gg_scan *s = each_row(x, &squares, &count, &joined);
  const float want[] = {11, 0, 8}, positive[] = {1, 3, 1, 2, 2};
  const int64_t many[] = {3, 3, 5};
  GpuArray sum = {0};
  float slope[12];
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_scan_all(s, squares),
                                            gg_scan_all(s, count),
                                            gg_scan_last(s, joined))});

  (void)state;
  gg_scan_free(s);
  float_array(&in, 2, (size_t[]){3, 4}, rows);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&sum, &out2, &out});
  assert_floats(&sum, want, 3);
  assert_int_equal(test_size(&out2), 3);
  test_array_equal(&out2, many);
  assert_floats(&out, positive, 5);
  GpuArray_clear(&sum);
  gg_func_free(f);
  /* The gradient is such a loop, too. */
  s = each_row(x, &squares, &count, NULL);
  gg_var *all = gg_scan_all(s, squares);
  gg_scan_free(s);
  assert_ok(gg_grad(&gx, gg_sum(gg_mul(all, all)), 1, &x));
  f = func_make(g,
                &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gx)});
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  for (size_t i = 0; i < 12; i++)
    slope[i] = rows[i] > 0 ? 4 * want[i / 4] * rows[i] : 0;
  assert_floats(&out, slope, 12);
  gg_func_free(f);
}

/* A loop inside of a loop, both of which select. */
static void loops_may_be_nested(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *set, *sum;
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_scan *inner =
      shrink(gg_compress(row, gg_ge(row, gg_f32(g, 0))), &set, &sum);
  gg_var *left = gg_scan_output(s, gg_sum(gg_scan_last(inner, set)));
  float want[3];

  (void)state;
  gg_scan_free(inner);
  assert_ok(gg_scan_close(s));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_all(s, left))});
  gg_scan_free(s);
  float_array(&in, 2, (size_t[]){3, 4}, rows);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  for (int i = 0; i < 3; i++) {
    float v[4], sums[MOST];
    size_t n = 0;
    for (int k = 0; k < 4; k++)
      if (rows[4 * i + k] >= 0)
        v[n++] = rows[4 * i + k];
    shrink_host(v, &n, sums);
    want[i] = n != 0 ? v[0] : 0;
  }
  assert_floats(&out, want, 3);
  gg_func_free(f);
}

/* Sizes inside may follow from a count that is the same in all iterations. Then
 * the loop itself is no stage. */
static void a_count_may_come_from_outside(void **state) {
  gg_var *x = vector("x");
  gg_scan *s = gg_scan_open(g);
  gg_var *most = gg_cast(gg_max(x), GA_LONG);
  gg_var *h = gg_scan_state(s, gg_f32(g, 0));
  const float want = 3 * (1 + 3), v[] = {1, 3, 4};
  gpucontext_counters before, after;

  (void)state;
  gg_scan_next(s, h,
               gg_add(h, gg_sum(gg_slice_at(
                             x, 0, NULL, gg_sub(most, gg_i64(g, 2)), NULL))));
  gg_scan_steps(s, gg_i64(g, 3));
  assert_ok(gg_scan_close(s));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  float_vector(&in, 3, v);
  gpucontext_count(test_context(), &before);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  gpucontext_count(test_context(), &after);
  assert_floats(&out, &want, 1);
  assert_int_equal(after.host_reads - before.host_reads, 1);
  gg_func_free(f);
}

/* --- choices --- */

/* Branches may have different sizes, and only one of them selects. */
static void branches_may_differ_in_size(void **state) {
  gg_var *x = vector("x"), *zero = gg_f32(g, 0);
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs = GG_VARS(gg_ifelse(gg_gt(gg_sum(x), zero),
                                          gg_compress(x, gg_gt(x, zero)),
                                          gg_unique(x, NULL, NULL, NULL)))});
  const float v[] = {1, -2, 3}, some[] = {1, 3};
  const float w[] = {-7, 1, 1, -7, 2}, distinct[] = {-7, 1, 2};
  gpucontext_counters before, after;

  (void)state;
  for (int i = 0; i < 2; i++) {
    float_vector(&in, 3, v);
    gpucontext_count(test_context(), &before);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    gpucontext_count(test_context(), &after);
    assert_floats(&out, some, 2);
    assert_int_equal(after.host_reads - before.host_reads, 2);
    GpuArray_clear(&in);
    float_vector(&in, 5, w);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    assert_floats(&out, distinct, 3);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

/* A size that the host knows, inside of a choice and outside. A vector of sizes
 * that the device computes. */
static void sizes_may_come_from_outside(void **state) {
  gg_var *x = vector("x"), *half = gg_floordiv(gg_shape(x, 0), gg_i64(g, 2));
  gg_var *ends = gg_cast(gg_cumsum(x, 0), GA_LONG);
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, gg_f32(g, 0));
  const float v[] = {2, 1, 3, -1}, first[] = {-2, -1}, sum = 9;

  (void)state;
  gg_scan_next(
      s, h,
      gg_add(h, gg_sum(gg_slice_at(x, 0, NULL, gg_index(ends, 0, 1), NULL))));
  gg_scan_steps(s, gg_sub(gg_shape(x, 0), gg_i64(g, 1)));
  gg_scan_until(s, gg_gt(h, gg_f32(g, 100)));
  assert_ok(gg_scan_close(s));
  gg_var *y = gg_ifelse(gg_lt(gg_sum(x), gg_f32(g, 0)),
                        gg_slice_at(x, 0, half, NULL, NULL),
                        gg_neg(gg_slice_at(x, 0, NULL, half, NULL)));
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs =
                 GG_VARS(gg_add(gg_scan_last(s, h),
                                gg_cast(gg_sub(half, gg_i64(g, 11)), GA_FLOAT)),
                         y)});
  gg_scan_free(s);
  float_vector(&in, 4, v);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, &sum, 1);
  assert_floats(&out2, first, 2);
  gg_func_free(f);
}

/* --- errors --- */

static void what_is_refused_while_building(void **state) {
  gg_var *x = vector("x"), *set, *sum, *gx;
  gg_scan *s = shrink(x, &set, &sum);

  (void)state;
  assert_null(gg_scan_all(s, set));
  expect_error("scan: the values of a state whose sizes change are no rows of "
               "one array");
  gg_scan_free(s);
  s = gg_scan_open(g);
  set = gg_scan_state_sized(s, x, any);
  gg_scan_next(s, set, gg_join(0, 2, (gg_var *[]){set, set}));
  gg_scan_steps(s, gg_i64(g, 2));
  gg_scan_truncate(s, 1);
  assert_ok(gg_scan_close(s));
  assert_int_equal(gg_grad(&gx, gg_sum(gg_scan_last(s, set)), 1, &x),
                   GA_UNSUPPORTED_ERROR);
  has(gg_graph_error(g), "no truncated gradient passes a state whose sizes "
                         "change (state 0, x)");
  gg_graph_reset_error(g);
  gg_scan_free(s);
  s = gg_scan_open(g);
  assert_null(
      gg_scan_state_sized(s, constant(1, (size_t[]){3}, ten), (int64_t[]){4}));
  expect_error("scan: dim 0 of a state is 3 at first, expected 4");
  assert_null(gg_scan_state_sized(s, x, NULL));
  expect_error("scan: a state without sizes");
  gg_scan_free(s);
}

static void call_fails(gg_func *f, const char *message) {
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out}));
  if (strstr(gg_func_error(f), message) == NULL)
    fail_msg("%s", gg_func_error(f));
}

static void what_calls_refuse(void **state) {
  gg_var *x = vector("x");
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, x);
  gg_var *some = gg_scan_output(s, gg_compress(h, gg_gt(h, gg_f32(g, 2))));
  const float v[] = {1, 2, 3};

  (void)state;
  gg_scan_next(s, h, gg_add(h, gg_f32(g, 1)));
  gg_scan_steps(s, gg_i64(g, 3));
  assert_ok(gg_scan_close(s));
  float_vector(&in, 3, v);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_all(s, some))});
  call_fails(f, "iteration 1: scan: output 0 (compress), dim 0: 1 in iteration "
                "0, 2 in iteration 1: such rows are no array");
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, some))});
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){3, 4, 5}, 3);
  gg_func_free(f);
  gg_scan_free(s);

  s = gg_scan_open(g);
  h = gg_scan_state(s, x);
  gg_scan_next(s, h, gg_compress(h, gg_gt(h, gg_f32(g, 1))));
  gg_scan_steps(s, gg_i64(g, 3));
  assert_ok(gg_scan_close(s));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  call_fails(f, "iteration 0: scan: state 0 (compress), dim 0: 3 at first, "
                "then 2; gg_scan_state_sized makes states whose sizes change");
  gg_func_free(f);
}

/* --- other ways to run and to store --- */

/* Debug mode and guards check what is inside. A profile lists the waits: here a
 * count and a condition that the device computes. */
static void loops_are_seen(void **state) {
  gg_var *x = vector("x"), *set;
  gg_scan *s = gg_scan_open(g);
  gg_profile_wait w[4] = {{0}};
  float v[MOST], sums[MOST];
  size_t n = draw(v, 12, 3);
  char *text;

  (void)state;
  set = gg_scan_state_sized(s, x, any);
  gg_var *kept = gg_compress(set, gg_gt(set, gg_mean(set)));
  gg_scan_next(s, set, kept);
  gg_scan_until(s, gg_lt(gg_sum(kept), gg_f32(g, 64)));
  gg_scan_steps(s, gg_shape(x, 0));
  assert_ok(gg_scan_close(s));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, set)),
                                   .flags = GG_PROFILE | GG_NAN_GUARD});
  gg_func *h =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, set)),
                                   .mode = GG_DEBUG});
  gg_scan_free(s);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  func_run(h, (GpuArray *[]){&in}, (GpuArray *[]){&out2});
  assert_floats(&out, v, shrink_host(v, &n, sums) != 0 ? n : 0);
  assert_floats(&out2, v, n);
  assert_int_equal(gg_func_profile_waits(f, w, 4), 2);
  assert_int_equal(w[0].calls, w[1].calls);
  assert_true(strcmp(w[0].label, "scan") == 0 ||
              strcmp(w[1].label, "scan") == 0);
  text = func_written(f, gg_func_profile_print);
  has(text, "waits for values from the device:\n");
  has(text, "compress");
  free(text);
  text = func_text(f);
  has(text, "body of a loop of function: 1 inputs, 2 outputs");
  free(text);
  gg_func_free(f);
  gg_func_free(h);
}

/* Loops and choices that are no stages wait for their conditions, too. */
static void conditions_are_waits(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 0);
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, x), *next = gg_add(h, h);
  gg_profile_wait w[2] = {{0}};
  const float one = 1, want = -16;

  (void)state;
  gg_scan_next(s, h, next);
  gg_scan_until(s, gg_gt(next, gg_f32(g, 10)));
  gg_scan_steps(s, gg_i64(g, 9));
  assert_ok(gg_scan_close(s));
  h = gg_scan_last(s, h);
  gg_scan_free(s);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_ifelse(gg_gt(h, gg_f32(g, 3)),
                                                      gg_neg(h), gg_exp(h)))});
  test_array(&in, GA_FLOAT, 0, NULL, &one);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_int_equal(gg_func_profile_waits(f, w, 2), 0);
  assert_ok(gg_func_profile(f, 1));
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_floats(&out, &want, 1);
  assert_int_equal(gg_func_profile_waits(f, w, 2), 2);
  const int is_loop = strcmp(w[0].label, "scan") == 0;
  assert_string_equal(w[!is_loop].label, "scan");
  assert_int_equal(w[!is_loop].calls, 4);
  assert_string_equal(w[is_loop].label, "ifelse");
  assert_int_equal(w[is_loop].calls, 1);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_set_may_shrink),
      TEST(derivatives_pass_states_that_shrink),
      TEST(an_iteration_may_select),
      TEST(loops_may_be_nested),
      TEST(a_count_may_come_from_outside),
      TEST(branches_may_differ_in_size),
      TEST(sizes_may_come_from_outside),
      TEST(what_is_refused_while_building),
      TEST(what_calls_refuse),
      TEST(loops_are_seen),
      TEST(conditions_are_waits),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

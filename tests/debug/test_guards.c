/* SPDX-License-Identifier: BSD-2-Clause */
/* Guards find the first NaN, infinity or large number, and the first index that
 * is out of range. */
#undef GG_NO_SITES
#include <gpuarray/index_guard.h>
#include <gpugraph/sparse.h>
#include <math.h>

#include "debug/debugged.h"

/* --- values --- */

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

/* exp(20) is the first beyond 1e10; the kernel stores its logarithm. */
static void test_big(void **state) {
  int line;
  gg_var *y = gg_exp((line = __LINE__, gg_mul(x, gg_f32(g, 4))));

  (void)state;
  make(gg_log(gg_add(y, y)), GG_FAST_RUN, GG_BIG_GUARD);
  assert_ok(call());
  GpuArray_clear(&out);
  gg_func_free(f);
  make(gg_add(y, y), GG_FAST_RUN, GG_BIG_GUARD);
  assert_found("e+10, beyond 1e+10, in exp at [1, 2] of float32[2, 3]",
               "step map{", line);
}

static void check_big_argument(float v, int flags, const char *want) {
  const float data[6] = {1, 2, v, 4, 5, 6};

  GpuArray_clear(&in);
  float_array(&in, 2, (size_t[]){2, 3}, data);
  make(gg_isnan(x), GG_FAST_RUN, flags);
  if (want != NULL)
    assert_found(want, "in x at [0, 2] of float32[2, 3]", 0);
  else
    assert_ok(call());
  GpuArray_clear(&out);
  gg_func_free(f);
  f = NULL;
}

/* The limit itself is fine, and constants are. */
static void test_big_argument(void **state) {
  gg_var *top = gg_f32(g, 3e38f);

  (void)state;
  check_big_argument(1e10f, GG_BIG_GUARD, NULL);
  check_big_argument(NAN, GG_BIG_GUARD, NULL);
  check_big_argument(-2e10f, GG_BIG_GUARD, "-2e+10, beyond 1e+10,");
  check_big_argument(INFINITY, GG_BIG_GUARD, "infinity");
  check_big_argument(2e10f, GG_NAN_GUARD | GG_INF_GUARD, NULL);
  GpuArray_memset(&in, 0);
  make(gg_minimum(x, top), GG_FAST_RUN, GG_BIG_GUARD);
  assert_ok(call());
}

/* A loop over the rows of x, {1, 2, 3} and {4, 5, 6}, from {1, 1, 1} on. */
static void check_guarded_loop(gg_var *(*next)(gg_var *, gg_var *), int flags,
                               const char *what, const char *where) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_var *h = gg_scan_state(s, gg_ones_like(gg_index(x, 0, 0)));
  const int line = __LINE__ + 2;

  h = (gg_scan_next(s, h, GG_SITED_CALLER(next, h, row)), gg_scan_close(s), h);
  make(gg_scan_last(s, h), GG_FAST_RUN, flags);
  gg_scan_free(s);
  assert_found(what, where, line);
  gg_func *original = f;
  assert_ok(gg_func_copy(&f, original, &(gg_copy_spec){.name = NULL}));
  assert_found(what, where, line);
  gg_func_free(original);
  gg_func_free(f);
  f = NULL;
}

static gg_var *next_log(gg_var *h, gg_var *row) {
  return (gg_log)((gg_sub)(h, (gg_mul)(row, (gg_f32)(g, 0.5f))));
}

static gg_var *next_square(gg_var *h, gg_var *row) {
  return (gg_mul)(h, (gg_mul)(row, (gg_f32)(g, 1e5f)));
}

static void test_guarded_loop(void **state) {
  (void)state;
  check_guarded_loop(next_log, GG_NAN_GUARD, "iteration 0: NaN in log",
                     "at [2] of float32[3], step map{");
  check_guarded_loop(next_log, GG_INF_GUARD, "iteration 0: infinity in log",
                     "at [1] of float32[3], step map{");
  check_guarded_loop(next_square, GG_BIG_GUARD,
                     "iteration 1: ", "e+10, beyond 1e+10, in ");
}

/* What a guard finds leaves the caller's arrays alone. */
static void test_guarded_output(void **state) {
  const float old[6] = {9, 9, 9, 9, 9, 9};
  int line;

  (void)state;
  make(logarithm(&line), GG_FAST_RUN, GG_NAN_GUARD);
  float_array(&out, 2, (size_t[]){2, 3}, old);
  assert_code(GA_VALUE_ERROR, call());
  assert_floats(&out, old, 6);
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

/* --- indices --- */

static int built; /* the line of the op that uses the index */

/* A function of an index with these values fails so; NULL: it does not. */
static void check_index(gg_var *(*use)(gg_var *, gg_var *), int mode, int flags,
                        const int64_t *index, const char *want) {
  gg_var *i = gg_input(g, "i", GA_LONG, 1);
  char place[16];
  GpuArray at;

  test_array(&at, GA_LONG, 1, (size_t[]){2}, index);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i),
                                   .outputs = GG_VARS(use(x, i)),
                                   .mode = (gg_mode)mode,
                                   .flags = flags});
  snprintf(place, sizeof place, ":%d)", built);
  int err = gg_func_call(f, (GpuArray *[]){&in, &at}, (GpuArray *[]){&out});
  assert_code(want == NULL ? GA_NO_ERROR : GA_VALUE_ERROR, err);
  if (want != NULL && (strstr(gg_func_error(f), want) == NULL ||
                       strstr(gg_func_error(f), place) == NULL))
    fail_msg("\"%s\" lacks \"%s\" or line %d", gg_func_error(f), want, built);
  GpuArray_clear(&at);
  gg_func_free(f);
  f = NULL;
}

static gg_var *use_take(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_exp(gg_take(v, i));
}

static gg_var *use_rows(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_take(v, i);
}

static gg_var *use_columns(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_take_axis(v, 1, i);
}

/* Read by index in the kernel of a map, which knows no positions. A GPU reads
 * rows so, too (use_take). */
static gg_var *use_fused(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_exp(gg_take_axis(v, 1, i));
}

static gg_var *use_put(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_put_add(v, 0, i, gg_f32(gg_var_graph(v), 1));
}

static gg_var *use_loss(gg_var *v, gg_var *i) {
  return built = __LINE__, gg_crossentropy(gg_softmax(v), i);
}

static gg_var *use_gradient(gg_var *v, gg_var *i) {
  gg_var *loss = use_loss(v, i), *d = NULL;

  assert_ok(gg_grad(&d, gg_sum(loss), 1, &v));
  return d;
}

/* A sparse matrix with a column in each of two rows. */
static gg_var *use_csr(gg_var *v, gg_var *i) {
  const size_t rows = 3, entries = 2;
  const gg_csr m = {gg_constant(g, GA_LONG, 1, &rows, (int64_t[]){0, 1, 2}), i,
                    gg_constant(g, GA_FLOAT, 1, &entries, (float[]){1, 1}),
                    gg_i64(g, 2)};

  return built = __LINE__, gg_csr_dot(m, v);
}

static gg_var *use_row_gradient(gg_var *v, gg_var *i) {
  gg_var *d = NULL;

  assert_ok(gg_grad(&d, gg_sum(gg_sqr(use_take(v, i))), 1, &v));
  return d;
}

/* One row in each step. */
static gg_var *use_in_loop(gg_var *v, gg_var *i) {
  gg_scan *s = gg_scan_open(gg_var_graph(v));
  gg_var *at = gg_scan_sequence(s, i, 0);
  gg_var *h = gg_scan_state(s, gg_zeros_like(gg_index(v, 1, 0)));

  at = gg_reshape(at, 1, (int64_t[]){1});
  gg_scan_next(s, h, gg_add(h, gg_index(use_columns(v, at), 1, 0)));
  gg_scan_close(s);
  h = gg_scan_all(s, h);
  gg_scan_free(s);
  return h;
}

static void test_index(void **state) {
  static const struct {
    gg_var *(*use)(gg_var *, gg_var *);
    int64_t index[2];
    const char *want; /* NULL: fine */
  } cases[] = {
      {use_take, {-2, 1}, NULL},
      {use_take,
       {0, 2},
       "take: index 2 at position 1 is out of range for axis "
       "0 of size 2"},
      {use_take, {-3, 0}, "take: index -3 at position 0"},
      {use_columns,
       {2, 3},
       "take: index 3 at position 1 is out of range for "
       "axis 1 of size 3"},
      {use_put, {1, 5}, "put: index 5 at position 1"},
      {use_loss,
       {2, 3},
       "crossentropy: index 3 at position 1 is out of range "
       "for axis 1 of size 3"},
      {use_loss, {-1, 0}, "crossentropy: index -1 at position 0"},
      {use_gradient, {0, 7}, "index 7 at position 1"},
      {use_in_loop, {0, 9}, "take: index 9 at position 0"},
  };

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    check_index(cases[k].use, GG_DEBUG, 0, cases[k].index, cases[k].want);
    check_index(cases[k].use, GG_FAST_RUN, GG_BOUNDS_GUARD, cases[k].index,
                cases[k].want);
  }
  check_index(use_take, GG_NO_REWRITE, GG_BOUNDS_GUARD, cases[1].index,
              cases[1].want);
  check_index(use_csr, GG_FAST_RUN, GG_BOUNDS_GUARD, cases[1].index,
              "csr_dot: index 2 at position 1 is out of range for axis 0 of "
              "size 2");
  check_index(use_take, GG_FAST_RUN, GG_NO_INDEX_GUARD, cases[1].index, NULL);
}

/* --- indices that kernels report --- */

/* The call says nothing, the read fails so, once; NULL: it does not. */
static void check_reported(gg_var *(*use)(gg_var *, gg_var *), gg_mode mode,
                           int flags, const int64_t *index, const char *want) {
  gg_var *i = gg_input(g, "i", GA_LONG, 1);
  char place[16];
  float got[6];
  GpuArray at;

  test_array(&at, GA_LONG, 1, (size_t[]){2}, index);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i),
                                   .outputs = GG_VARS(use(x, i)),
                                   .mode = mode,
                                   .flags = flags});
  for (int k = 0; k < 2; k++) {
    func_run(f, (GpuArray *[]){&in, &at}, (GpuArray *[]){&out});
    const size_t bytes = test_size(&out) * sizeof(float);
    snprintf(place, sizeof place, ":%d)", built);
    assert_code(want == NULL ? GA_NO_ERROR : GA_VALUE_ERROR,
                GpuArray_read(got, bytes, &out));
    if (want != NULL) {
      assert_message(GA_VALUE_ERROR, want);
      assert_message(GA_VALUE_ERROR, place);
    }
    assert_ok(GpuArray_read(got, bytes, &out));
  }
  GpuArray_clear(&at);
  GpuArray_clear(&out);
  gg_func_free(f);
  f = NULL;
}

static void test_reported(void **state) {
  static const struct {
    gg_var *(*use)(gg_var *, gg_var *);
    int64_t index[2];
    const char *want; /* NULL: fine */
  } cases[] = {
      {use_take, {-2, 1}, NULL},
      {use_rows,
       {0, 2},
       "take: index 2 at position 1 is out of range for axis 0 of size 2"},
      {use_rows, {-3, 0}, "take: index -3 at position 0"},
      {use_columns, {2, 3}, "take: index 3 at position 1"},
      {use_take, {0, 2}, " is out of range for axis 0 of size 2"},
      {use_fused, {2, 3}, "take: index 3"},
      {use_put, {1, 5}, "put: index 5 at position 1"},
      {use_loss,
       {2, 3},
       "crossentropy: index 3 at position 1 is out of range for axis 1 of "
       "size 3"},
      {use_loss, {-1, 0}, "crossentropy: index -1 at position 0"},
      {use_loss, {0, 2}, NULL},
      {use_gradient, {0, 7}, "crossentropy: index 7 at position 1"},
      {use_row_gradient, {0, 7}, "index 7 at position 1"},
      {use_in_loop, {0, 9}, "take: index 9 at position 0"},
  };

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    check_reported(cases[k].use, GG_FAST_RUN, GG_INDEX_GUARD, cases[k].index,
                   cases[k].want);
    check_reported(cases[k].use, GG_NO_REWRITE, GG_INDEX_GUARD, cases[k].index,
                   cases[k].want);
    check_reported(cases[k].use, GG_FAST_RUN, GG_NO_INDEX_GUARD, cases[k].index,
                   NULL);
  }
}

/* --- edges that decrease --- */

static gg_var *use_search(gg_var *v, gg_var *edges) {
  return built = __LINE__, gg_searchsorted(edges, v, 0);
}

static gg_var *use_bucketize(gg_var *v, gg_var *edges) {
  return built = __LINE__, gg_bucketize(v, edges, 1);
}

static gg_var *use_histogram(gg_var *v, gg_var *edges) {
  return built = __LINE__, gg_histogram(v, edges, NULL);
}

/* Each step searches with the same edges. */
static gg_var *use_search_in_loop(gg_var *v, gg_var *edges) {
  gg_scan *s = gg_scan_open(gg_var_graph(v));
  gg_var *row = gg_scan_sequence(s, v, 0);
  gg_var *h = gg_scan_state(s, gg_i64(gg_var_graph(v), 0));

  gg_scan_next(s, h, gg_add(h, gg_sum(use_search(row, edges))));
  gg_scan_close(s);
  h = gg_scan_all(s, h);
  gg_scan_free(s);
  return h;
}

/* The call or, if `is_late`, the read after it fails so; NULL: neither. */
static void check_edges(gg_var *(*use)(gg_var *, gg_var *), gg_mode mode,
                        int flags, const float *edges, int is_late,
                        const char *want) {
  gg_var *e = gg_input(g, "edges", GA_FLOAT, 1);
  const int code = want == NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
  char place[16], got[64];
  GpuArray at;

  float_array(&at, 1, (size_t[]){4}, edges);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, e),
                                   .outputs = GG_VARS(use(x, e)),
                                   .mode = mode,
                                   .flags = flags});
  snprintf(place, sizeof place, ":%d)", built);
  assert_code(is_late ? GA_NO_ERROR : code,
              gg_func_call(f, (GpuArray *[]){&in, &at}, (GpuArray *[]){&out}));
  if (is_late || want == NULL)
    assert_code(code, GpuArray_read(got, test_size(&out) * 8, &out));
  const char *text =
      is_late ? gpucontext_error(test_context(), code) : gg_func_error(f);
  if (want != NULL &&
      (strstr(text, want) == NULL || strstr(text, place) == NULL))
    fail_msg("\"%s\" lacks \"%s\" or \"%s\"", text, want, place);
  GpuArray_clear(&at);
  GpuArray_clear(&out);
  gg_func_free(f);
  f = NULL;
}

static void test_edges(void **state) {
  static const float fine[4] = {1, 2, 2, 5}, wrong[4] = {1, 2, 1.5f, 5},
                     nan[4] = {1, NAN, 2, 3};
  static const struct {
    gg_var *(*use)(gg_var *, gg_var *);
    const float *edges;
    const char *want; /* NULL: fine */
  } cases[] = {
      {use_search, fine, NULL},
      {use_search, wrong,
       "searchsorted: edges decrease from 2 to 1.5 at position 2"},
      {use_bucketize, nan,
       "searchsorted: edges decrease from nan to 2 at position 2"},
      {use_histogram, fine, NULL},
      {use_histogram, wrong,
       "histogram: edges decrease from 2 to 1.5 at position 2"},
      {use_search_in_loop, wrong, "searchsorted: edges decrease from 2 to 1.5"},
  };

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    gg_var *(*const use)(gg_var *, gg_var *) = cases[k].use;
    const float *e = cases[k].edges;
    check_edges(use, GG_DEBUG, 0, e, 0, cases[k].want);
    check_edges(use, GG_FAST_RUN, GG_BOUNDS_GUARD, e, 0, cases[k].want);
    check_edges(use, GG_FAST_RUN, GG_INDEX_GUARD, e, 1, cases[k].want);
    check_edges(use, GG_NO_REWRITE, GG_INDEX_GUARD, e, 1, cases[k].want);
    check_edges(use, GG_FAST_RUN, GG_NO_INDEX_GUARD, e, 1, NULL);
  }
}

/* Without flags a function does what its context does. */
static void test_reported_by_default(void **state) {
  gpucontext *ctx = test_context();
  const int was_on = gpucontext_guards_indices(ctx);
  const int64_t index[2] = {0, 2};

  (void)state;
  assert_ok(gpucontext_guard_indices(ctx, 1));
  check_reported(use_take, GG_FAST_RUN, 0, index, "take: index 2");
  assert_ok(gpucontext_guard_indices(ctx, 0));
  check_reported(use_take, GG_FAST_RUN, 0, index, NULL);
  assert_ok(gpucontext_guard_indices(ctx, was_on));
}

/* A copy of a function does what the function does. */
static void test_reported_by_copy(void **state) {
  gg_var *i = gg_input(g, "i", GA_LONG, 1);
  gg_func *copy;
  GpuArray at;

  (void)state;
  test_array(&at, GA_LONG, 1, (size_t[]){2}, (int64_t[]){0, 2});
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i),
                                   .outputs = GG_VARS(use_loss(x, i)),
                                   .flags = GG_INDEX_GUARD});
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = "copy"}));
  func_run(copy, (GpuArray *[]){&in, &at}, (GpuArray *[]){&out});
  assert_ok(GpuArray_sync(&out));
  GpuArray_clear(&at);
  at.nd = 0;
  test_array(&at, GA_LONG, 1, (size_t[]){2}, (int64_t[]){0, 3});
  func_run(copy, (GpuArray *[]){&in, &at}, (GpuArray *[]){&out});
  assert_code(GA_VALUE_ERROR, GpuArray_sync(&out));
  assert_message(GA_VALUE_ERROR, "crossentropy: index 3 at position 1");
  GpuArray_clear(&at);
  gg_func_free(copy);
}

static void test_guard_flags(void **state) {
  (void)state;
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(x),
                                          .outputs = GG_VARS(gg_exp(x)),
                                          .flags = GG_INDEX_GUARD |
                                                   GG_NO_INDEX_GUARD}));
  assert_non_null(strstr(gg_graph_error(g), "exclude each other"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_nan),
      TEST(test_infinity),
      TEST(test_nan_of_argument),
      TEST(test_big),
      TEST(test_big_argument),
      TEST(test_guarded_loop),
      TEST(test_guarded_output),
      TEST(test_no_guard),
      TEST(test_index),
      TEST(test_reported),
      TEST(test_edges),
      TEST(test_reported_by_default),
      TEST(test_reported_by_copy),
      TEST(test_guard_flags),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

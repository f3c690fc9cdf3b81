/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices and indices of slices and of joins, all combinations of small bounds:
 * rewriting leaves their elements as they are. */
#include "support/interp.h"
#include "support/rewritten.h"

enum { SIZE = 5, MOST = 2000 };

static const int64_t bounds[] = {GG_END, -2, 0, 1, 3, SIZE, SIZE + 2};
static const int64_t steps[] = {1, 2, -1};
enum {
  N_BOUNDS = sizeof bounds / sizeof *bounds,
  N_STEPS = sizeof steps / sizeof *steps,
  N_SLICES = N_BOUNDS * N_BOUNDS * N_STEPS
};

static gg_graph *g;
static gg_var *made[MOST];
static size_t n_made;

static void add(gg_var *v) {
  assert_non_null(v);
  assert_true(n_made < MOST);
  made[n_made++] = v;
}

/* Slice k of all. */
static gg_var *slice(gg_var *x, int axis, size_t k) {
  return gg_slice(x, axis, bounds[k % N_BOUNDS],
                  bounds[k / N_BOUNDS % N_BOUNDS],
                  steps[k / N_BOUNDS / N_BOUNDS]);
}

/* The size of the inputs' axes is known, or for the call to decide. */
static gg_var *input(unsigned int nd, int64_t size, int is_known) {
  const int64_t n = is_known ? size : GG_ANY;

  return gg_input_sized(g, "x", GA_DOUBLE, nd, (int64_t[]){n, n});
}

static void bind(interp *it, const gg_var *v, unsigned int nd, size_t size) {
  const size_t dims[2] = {size, size};
  double data[SIZE * SIZE];

  for (size_t i = 0; i < SIZE * SIZE; i++)
    data[i] = (double)(i + 100 * size) + 0.5;
  interp_bind(it, v, nd, dims, data);
}

/* Rewrite what was made, and compare. Returns how often the rule fired. */
static unsigned int check(interp *it, const char *rule) {
  gg__build b;

  rewrite_begin(&b, g, GG_FAST_RUN);
  for (size_t i = 0; i < n_made; i++)
    rewrite_output(&b, made[i]);
  rewrite_run(&b);
  for (size_t i = 0; i < n_made; i++) {
    const tensor *t = interp_eval(it, made[i]);
    const tensor *u = interp_eval(it, b.results.v[i]);
    if (t->nd != u->nd || memcmp(t->dim, u->dim, t->nd * sizeof *t->dim) != 0 ||
        memcmp(t->v, u->v, t->n * sizeof *t->v) != 0)
      fail_msg("%s: %zu is another value", rule, i);
  }
  assert_int_equal(rewrite_fired(&b, "refused"), 0);
  const unsigned int fired = rewrite_fired(&b, rule);
  rewrite_end(&b);
  return fired;
}

static void begin(void) {
  n_made = 0;
  assert_non_null(g = gg_graph_new(NULL));
}

/* --- of slices --- */

/* Slices of slice k along the same axis and another one; where elements are
 * left for sure, indices. */
static unsigned int check_slices(size_t k, int is_known) {
  begin();
  interp *it = interp_new();
  gg_var *x = input(2, SIZE, is_known), *inner = slice(x, 0, k);
  bind(it, x, 2, SIZE);
  const int64_t n = (int64_t)interp_eval(it, inner)->dim[0];

  for (size_t i = 0; i < N_SLICES; i++)
    add(slice(inner, 0, i));
  for (size_t i = k % 7; i < N_SLICES; i += 7)
    add(slice(inner, 1, i));
  for (int64_t i = -n; i < n; i++)
    add(gg_index(inner, 0, i));
  add(gg_index(inner, 1, 3));
  const unsigned int fired = check(it, "slice of slice");
  interp_free(it);
  gg_graph_free(g);
  return fired;
}

static void test_slices(void **state) {
  unsigned int fired = 0;

  (void)state;
  for (size_t k = 0; k < N_SLICES; k++)
    fired += check_slices(k, 1) + check_slices(k, 0);
  assert_true(fired > 1000);
}

/* --- of joins --- */

static void check_joins(int is_known) {
  static const size_t sizes[] = {2, 1, 3};
  begin();
  interp *it = interp_new();
  gg_var *part[3];

  for (size_t i = 0; i < 3; i++) {
    part[i] = input(1, (int64_t)sizes[i], is_known);
    bind(it, part[i], 1, sizes[i]);
  }
  gg_var *const joined = gg_join(0, 3, part);
  for (int64_t start = -1; start <= 7; start++)
    for (int64_t stop = -1; stop <= 7; stop++)
      for (size_t k = 0; k < N_STEPS; k++)
        add(gg_slice(joined, 0, start, stop, steps[k]));
  for (size_t k = 0; k < N_SLICES; k++)
    add(slice(joined, 0, k));
  for (int64_t i = -6; i < 6; i++)
    add(gg_index(joined, 0, i));
  const unsigned int fired = check(it, "part of join");
  interp_free(it);
  gg_graph_free(g);
  assert_int_equal(fired > 0, is_known);
}

/* A join that has no other user. */
static gg_var *table(int axis, gg_var *x, gg_var *y, size_t k) {
  return gg_join(axis, 2, (gg_var *[]){x, gg_mul(y, gg_f64(g, (double)k + 2))});
}

/* Along the axis of the join and along another one, before and behind it. */
static void check_tables(int axis, int is_known) {
  begin();
  interp *it = interp_new();
  gg_var *x = input(2, SIZE, is_known), *y = input(2, SIZE, 1);
  bind(it, x, 2, SIZE);
  bind(it, y, 2, SIZE);

  for (int across = 0; across < 2; across++) {
    for (size_t k = 0; k < N_SLICES; k++)
      add(slice(table(axis, x, y, k), across, k));
    for (size_t i = 0; i < SIZE; i++)
      add(gg_index(table(axis, x, y, N_SLICES + i), across, (int64_t)i));
  }
  const unsigned int fired = check(it, "part of join");
  interp_free(it);
  gg_graph_free(g);
  assert_int_equal(fired > 0, is_known);
}

static void test_joins(void **state) {
  (void)state;
  for (int is_known = 0; is_known < 2; is_known++) {
    check_joins(is_known);
    check_tables(0, is_known);
    check_tables(1, is_known);
  }
}

/* --- bounds of 2^30 and more --- */

static void check_fired(const char *rule, gg_var *v, int want) {
  gg__build b;

  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, v);
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, "refused"), 0);
  assert_int_equal(rewrite_fired(&b, rule), want);
  rewrite_end(&b);
}

/* Sums and products of bounds must not overflow, so large ones stay as they
 * are. */
static void test_large_bounds(void **state) {
  enum { MOST_BOUND = (1 << 30) - 1 };
  static const struct {
    int64_t start, stop, step;
    int fired;
  } rows[] = {{MOST_BOUND, GG_END, 1, 1},         {0, MOST_BOUND, 1, 1},
              {GG_END, GG_END, MOST_BOUND, 1},    {0, 0, 1, 1},
              {MOST_BOUND + 1, GG_END, 1, 0},     {0, MOST_BOUND + 1, 1, 0},
              {GG_END, GG_END, MOST_BOUND + 1, 0}};

  (void)state;
  begin();
  gg_var *const inner = gg_slice(input(1, 0, 0), 0, 0, 7, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_fired("slice of slice",
                gg_slice(inner, 0, rows[i].start, rows[i].stop, rows[i].step),
                rows[i].fired);
  gg_var *const large = input(1, (int64_t)1 << 31, 1);
  gg_var *const joined = gg_join(0, 2, (gg_var *[]){large, large});
  check_fired("part of join", gg_index(joined, 0, MOST_BOUND), 1);
  check_fired("part of join", gg_index(joined, 0, MOST_BOUND + 1), 0);
  gg_graph_free(g);
}

/* --- of rows --- */

enum { INNER = 3, EACH = 2, PARTS = 3 };

/* One row times a matrix, in parts that maps alone read, unless `is_result`:
 * then one of them is a result, too. Returns how often "part of row" fired. */
static unsigned int check_row(unsigned int nd, double alpha, int is_result) {
  const size_t sizes[] = {INNER, EACH * PARTS};
  const int64_t row[] = {nd == 2 ? 1 : INNER, INNER};
  double w[INNER * EACH * PARTS], h[INNER] = {1, -2, 3};
  gg_var *part[PARTS];

  begin();
  interp *it = interp_new();
  gg_var *x = gg_input_sized(g, "h", GA_DOUBLE, nd, row);
  gg_var *y =
      gg_input_sized(g, "w", GA_DOUBLE, 2, (int64_t[]){INNER, EACH * PARTS});
  for (int i = 0; i < INNER * EACH * PARTS; i++)
    w[i] = i - 7;
  interp_bind(it, x, nd, nd == 2 ? (size_t[]){1, INNER} : (size_t[]){INNER}, h);
  interp_bind(it, y, 2, sizes, w);
  gg_var *z = gg_mul(gg_dot(x, y), gg_f64(g, alpha));
  for (int i = 0; i < PARTS; i++)
    part[i] = gg_slice(z, (int)nd - 1, i * EACH, (i + 1) * EACH, 1);
  add(gg_add(gg_mul(part[0], part[1]), part[2]));
  if (is_result)
    add(part[1]);
  const unsigned int fired = check(it, "part of row");
  interp_free(it);
  gg_graph_free(g);
  return fired;
}

static void test_rows(void **state) {
  (void)state;
  for (unsigned int nd = 1; nd <= 2; nd++) {
    assert_int_equal(check_row(nd, 1, 0), PARTS);
    assert_int_equal(check_row(nd, -0.5, 0), PARTS);
    assert_int_equal(check_row(nd, 1, 1), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_joins),
      cmocka_unit_test(test_large_bounds),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What random numbers look like, with fixed seeds. Bounds on statistics are at
 * least 5 deviations, or chances of 10^-6, away from what is expected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "support/funcs.h"

enum { N = 1 << 17, BINS = 64 };

static gg_graph *g;
static gg_random *r;
static double x[N], y[N];

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_random_free(r);
  r = NULL;
  gg_graph_free(g);
  return 0;
}

/* A number that is no text in kernels: one program serves all values. */
static gg_var *number(double v) {
  const float f = (float)v;

  return gg_shared_host(g, "number", GA_FLOAT, 0, NULL, &f);
}

static const gg_generator generators[] = {GG_PHILOX, GG_MRG31K3P};

static void reopen(gg_generator kind) {
  gg_random_free(r);
  r = gg_random_new(g, kind, 20260101);
  assert_non_null(r);
}

/* The elements of a draw, and of the next one where `next` is not NULL. */
static void read_draw(gg_var *v, size_t n, double *out, double *next) {
  void *host = malloc(n * 8);
  GpuArray a = {0};
  gg_func *f;

  if (v == NULL)
    fail_msg("%s", gg_graph_error(g));
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(v),
                                   .updates = gg_random_updates(r, NULL)});
  for (double *to = out; to != NULL; to = to == out ? next : NULL) {
    func_run(f, NULL, (GpuArray *[]){&a});
    assert_int_equal(test_size(&a), n);
    assert_ok(GpuArray_read(host, n * gpuarray_get_elsize(a.typecode), &a));
    for (size_t i = 0; i < n; i++)
      to[i] = test_get(host, a.typecode, i);
  }
  GpuArray_clear(&a);
  gg_func_free(f);
  free(host);
}

/* --- statistics --- */

static void check_moments(const double *v, size_t n, double mean,
                          double variance) {
  const double count = (double)n;
  double sum = 0, squares = 0, fourth = 0;

  for (size_t i = 0; i < n; i++) {
    const double d = v[i] - mean;

    sum += d;
    squares += d * d;
    fourth += d * d * d * d;
  }
  fourth = fourth / count - variance * variance; /* of a square's variance */
  if (!(fabs(sum / count) <= 5 * sqrt(variance / count)) ||
      !(fabs(squares / count - variance) <= 5 * sqrt(fourth / count) + 1e-12))
    fail_msg("mean %g, expected %g; variance %g, expected %g",
             mean + sum / count, mean, squares / count, variance);
}

/* Chi-square by Wilson and Hilferty: about normal for many bins. */
static void check_counts(const double *count, const double *expected,
                         unsigned int bins) {
  const double k = bins - 1;
  double chi = 0;

  for (unsigned int i = 0; i < bins; i++)
    chi += (count[i] - expected[i]) * (count[i] - expected[i]) / expected[i];
  double z = (cbrt(chi / k) - (1 - 2 / (9 * k))) / sqrt(2 / (9 * k));
  if (!(fabs(z) < 5))
    fail_msg("chi-square %g for %g degrees of freedom", chi, k);
}

static int ascending(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;

  return (p > q) - (p < q);
}

/* Kolmogorov and Smirnov; sorts. */
static void check_distribution(double *v, size_t n, double (*cdf)(double)) {
  const double count = (double)n;
  double most = 0;

  qsort(v, n, sizeof *v, ascending);
  for (size_t i = 0; i < n; i++) {
    const double p = cdf(v[i]);

    most = fmax(most, fmax(p - (double)i / count, (double)(i + 1) / count - p));
  }
  if (!(most * sqrt(count) < 2.7)) /* 2 exp(-2 * 2.7^2) is 10^-6 */
    fail_msg("distance %g from the distribution", most);
}

/* Correlation of v[i] and w[i + lag], both of mean `mean`. */
static void check_apart(const double *v, const double *w, size_t n, size_t lag,
                        double mean, double variance) {
  const double count = (double)(n - lag);
  double sum = 0;

  for (size_t i = 0; i + lag < n; i++)
    sum += (v[i] - mean) * (w[i + lag] - mean);
  if (!(fabs(sum / count / variance) < 5 / sqrt(count)))
    fail_msg("lag %zu: correlation %g", lag, sum / count / variance);
}

static void check_independence(double mean, double variance) {
  static const size_t lags[] = {1, 2, 3, 4, 8, 16, 1000};

  for (size_t i = 0; i < sizeof lags / sizeof lags[0]; i++)
    check_apart(x, x, N, lags[i], mean, variance);
  check_apart(x, y, N, 0, mean, variance);
}

/* --- uniform and normal --- */

static double cdf_uniform(double v) {
  return v;
}

static double cdf_normal(double v) {
  return erfc(-v / sqrt(2)) / 2;
}

static const int floats[] = {GA_HALF, GA_FLOAT, GA_DOUBLE};

static int has_type(int dtype) {
  return dtype != GA_DOUBLE || gpucontext_caps(test_context())->fp64;
}

static void test_uniform(void **state) {
  double count[BINS], expected[BINS];

  (void)state;
  for (int k = 0; k < 6; k++) {
    const int dtype = floats[k % 3];

    if (!has_type(dtype))
      continue;
    reopen(generators[k / 3]);
    read_draw(
        gg_random_uniform(r, GG_DRAW(dtype, N), gg_f32(g, 0), gg_f32(g, 1)), N,
        x, y);
    memset(count, 0, sizeof count);
    for (int i = 0; i < N; i++) {
      assert_true(x[i] > 0 && x[i] < 1);
      count[(int)(x[i] * BINS)]++;
    }
    for (int i = 0; i < BINS; i++)
      expected[i] = (double)N / BINS;
    /* A half by MRG31k3p has 15 bits before it is rounded to 11. */
    if (dtype != GA_HALF || generators[k / 3] == GG_PHILOX) {
      check_counts(count, expected, BINS);
      check_moments(x, N, 0.5, 1.0 / 12);
    }
    check_independence(0.5, 1.0 / 12);
    if (dtype != GA_HALF)
      check_distribution(x, N, cdf_uniform);
  }
}

/* 128 numbers of Philox, and the rounded ones of MRG31k3p. */
static void test_bfloat(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    reopen(generators[k]);
    read_draw(
        gg_random_uniform(r, GG_DRAW(GA_BFLOAT, N), gg_f32(g, 0), gg_f32(g, 1)),
        N, x, y);
    for (int i = 0; i < N; i++)
      assert_true(x[i] > 0 && x[i] < 1);
    if (generators[k] == GG_PHILOX)
      check_moments(x, N, 0.5, 1.0 / 12);
    check_independence(0.5, 1.0 / 12);
    reopen(generators[k]);
    read_draw(
        gg_random_normal(r, GG_DRAW(GA_BFLOAT, N), gg_f32(g, 0), gg_f32(g, 1)),
        N, x, y);
    check_moments(x, N, 0, 1);
  }
}

static void test_normal(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    const int dtype = floats[k % 3];

    if (!has_type(dtype))
      continue;
    reopen(generators[k / 3]);
    read_draw(
        gg_random_normal(r, GG_DRAW(dtype, N), gg_f32(g, 0), gg_f32(g, 1)), N,
        x, y);
    check_moments(x, N, 0, 1);
    check_independence(0, 1);
    if (dtype != GA_HALF)
      check_distribution(x, N, cdf_normal);
  }
}

/* Parameters that are arrays: a row and a column. */
static void test_broadcast(void **state) {
  const float lows[2] = {-1, 10}, highs[3] = {20, 30, 40};
  const size_t column[2] = {2, 1}, row = 3;
  gg_var *low = gg_constant(g, GA_FLOAT, 2, column, lows);
  gg_var *high = gg_constant(g, GA_FLOAT, 1, &row, highs);

  (void)state;
  reopen(GG_PHILOX);
  read_draw(gg_random_uniform(r, GG_DRAW(GA_FLOAT, 5000, 2, 3), low, high),
            30000, x, NULL);
  for (int p = 0; p < 6; p++) {
    const double from = (double)lows[p / 3], to = (double)highs[p % 3];

    for (int i = 0; i < 5000; i++) {
      y[i] = x[i * 6 + p];
      assert_true(y[i] >= from && y[i] <= to);
    }
    check_moments(y, 5000, (from + to) / 2, (to - from) * (to - from) / 12);
  }
}

/* --- truncated normal --- */

static double bound_low, bound_high;

static double cdf_truncated(double v) {
  const double sign = bound_low > 0 ? -1 : 1;
  const double a = cdf_normal(sign * bound_low);
  const double b = cdf_normal(sign * bound_high);

  return (cdf_normal(sign * v) - a) / (b - a);
}

static void test_truncated(void **state) {
  static const double bounds[][2] = {
      {-2, 2}, {1, 3}, {4, 9}, {-8, -5}, {-0.25, 0.125}};

  (void)state;
  for (int k = 0; k < 10; k++) {
    const int dtype = floats[1 + k % 2];

    if (!has_type(dtype))
      continue;
    reopen(GG_PHILOX);
    bound_low = bounds[k / 2][0];
    bound_high = bounds[k / 2][1];
    read_draw(gg_random_truncated_normal(r, GG_DRAW(dtype, N), number(3),
                                         number(0.5), number(bound_low),
                                         number(bound_high)),
              N, x, NULL);
    for (int i = 0; i < N; i++) {
      x[i] = (x[i] - 3) / 0.5;
      assert_true(x[i] >= bound_low - 1e-5 && x[i] <= bound_high + 1e-5);
    }
    check_distribution(x, N, cdf_truncated);
  }
}

/* --- bernoulli and integers --- */

static void test_bernoulli(void **state) {
  static const int dtypes[] = {GA_BOOL, GA_BYTE, GA_LONG, GA_HALF, GA_FLOAT};
  static const float odds[] = {0, 0.001f, 0.3f, 1};

  (void)state;
  for (int k = 0; k < 20; k++) {
    const double p = (double)odds[k % 4];
    double ones = 0;

    reopen(generators[k % 2]);
    read_draw(gg_random_bernoulli(r, GG_DRAW(dtypes[k / 4], N), number(p)), N,
              x, NULL);
    for (int i = 0; i < N; i++) {
      assert_true(x[i] == 0 || x[i] == 1);
      ones += x[i];
    }
    if (!(fabs(ones - N * p) <= 5 * sqrt(N * p * (1 - p))))
      fail_msg("p %g: %g of %d", p, ones, N);
  }
}

static void test_integers(void **state) {
  static const int64_t bounds[][2] = {{0, 1}, {-3, 4}, {100, 164}};
  static const int dtypes[] = {GA_BYTE, GA_INT, GA_LONG, GA_UBYTE};
  double count[BINS], expected[BINS];

  (void)state;
  for (int k = 0; k < 8; k++) {
    const int64_t *b = bounds[k % 3];
    const unsigned int n = (unsigned int)(b[1] - b[0]);

    if (dtypes[k / 2] == GA_UBYTE && b[0] < 0)
      continue;
    if (dtypes[k / 2] == GA_BYTE && b[1] > 127)
      continue;
    reopen(generators[k % 2]);
    read_draw(gg_random_integers(r, GG_DRAW(dtypes[k / 2], N), gg_i64(g, b[0]),
                                 gg_i64(g, b[1])),
              N, x, NULL);
    memset(count, 0, sizeof count);
    for (int i = 0; i < N; i++) {
      assert_true(x[i] >= (double)b[0] && x[i] < (double)b[1]);
      count[(int)(x[i] - (double)b[0])]++;
    }
    for (unsigned int i = 0; i < n; i++)
      expected[i] = (double)N / n;
    if (n > 1)
      check_counts(count, expected, n);
  }
  /* Bounds that fill the type. */
  reopen(GG_PHILOX);
  read_draw(gg_random_integers(r, GG_DRAW(GA_LONG, N), gg_i64(g, INT64_MIN),
                               gg_i64(g, INT64_MAX)),
            N, x, NULL);
  for (int i = 0; i < N; i++)
    x[i] /= 0x1p63;
  check_moments(x, N, 0, 1.0 / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_uniform, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bfloat, setup, teardown),
      cmocka_unit_test_setup_teardown(test_normal, setup, teardown),
      cmocka_unit_test_setup_teardown(test_broadcast, setup, teardown),
      cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bernoulli, setup, teardown),
      cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

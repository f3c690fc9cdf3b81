/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs with arguments of one element a row, which the posts read and
 * write: normalisation, every operation. */
#include "support/device.h"

#include <gpuarray/rows.h>
#include <math.h>
#include <stdlib.h>

/* --- normalisation: numbers, row arguments, broadcast arguments --- */

static const GpuRowsPhase norm_phases[3] = {
    {"s = x;", "mean = s * scale;"},
    {"w_float d = x - mean; q = d * d;",
     "rstd = (w_float)(1.0f) / sqrt(q * scale + eps); "
     "kept_mean = mean + shift; kept_rstd = rstd;"},
    {"y = (x - mean) * rstd * gamma + beta;", NULL}};
static const GpuRowsReduce norm_reduce[2] = {{"s", GA_REDUCE_SUM, GA_FLOAT},
                                             {"q", GA_REDUCE_SUM, GA_FLOAT}};
static const GpuRowsValue norm_numbers[2] = {{"mean", GA_FLOAT},
                                             {"rstd", GA_FLOAT}};
static const gpuelemwise_arg norm_args[4] = {{"x", GA_HALF, GE_READ},
                                             {"gamma", GA_FLOAT, GE_READ},
                                             {"beta", GA_FLOAT, GE_READ},
                                             {"y", GA_FLOAT, GE_WRITE}};
static const gpuelemwise_arg norm_row_args[5] = {
    {"scale", GA_FLOAT, GE_READ | GE_SCALAR},
    {"eps", GA_FLOAT, GE_READ | GE_SCALAR},
    {"shift", GA_FLOAT, GE_READ},
    {"kept_mean", GA_FLOAT, GE_WRITE},
    {"kept_rstd", GA_HALF, GE_WRITE}};

/* y = (x - mean) * rstd * gamma + beta over the last two of three axes; gamma
 * is [1, b, c], beta is [a, 1, 1], shift is [a, 1, 1]. */
static void norm_of(size_t a, size_t b, size_t c) {
  const GpuRowsSpec spec = {.n_phases = 3,
                            .phases = norm_phases,
                            .n_reduce = 2,
                            .reduce = norm_reduce,
                            .n_numbers = 2,
                            .numbers = norm_numbers,
                            .n_args = 4,
                            .args = norm_args,
                            .n_row_args = 5,
                            .row_args = norm_row_args,
                            .flags = GE_VECTOR};
  const size_t dims[3] = {a, b, c}, gdims[3] = {1, 1, c}, odims[3] = {a, 1, 1};
  const unsigned char reduced[3] = {0, 1, 1};
  const size_t n = b * c;
  float scale = 1.0f / (float)n, eps = 1e-5f;
  uint16_t *x = malloc(a * n * sizeof *x), *rstd = malloc(a * sizeof *rstd);
  float *gamma = malloc(c * sizeof *gamma), *beta = malloc(a * sizeof *beta);
  float *want = malloc(a * n * sizeof *want), *mean = malloc(a * sizeof *mean);
  GpuArray ax, ag, ab, ay, as, am, ar;
  GpuRows *r;
  GpuLaunch *l;
  GpuLaunchStats stats;

  test_fill(x, GA_HALF, a * n, 1, 3, 1);
  test_fill(gamma, GA_FLOAT, c, -1, 1, 2);
  test_fill(beta, GA_FLOAT, a, -1, 1, 3);
  test_array(&ax, GA_HALF, 3, dims, x);
  test_array(&ag, GA_FLOAT, 3, gdims, gamma);
  test_array(&ab, GA_FLOAT, 3, odims, beta);
  test_array(&as, GA_FLOAT, 3, odims, beta);
  assert_ok(GpuArray_empty(&ay, test_context(), GA_FLOAT, 3, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&am, test_context(), GA_FLOAT, 3, odims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&ar, test_context(), GA_HALF, 3, odims, GA_C_ORDER));
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(GpuRows_prepare(&l, r, 3, dims, reduced,
                            (void *[]){&ax, &ag, &ab, &ay},
                            (void *[]){&scale, &eps, &as, &am, &ar}));
  assert_ok(GpuLaunch_run(l));
  test_gather(&ar, rstd);
  for (size_t i = 0; i < a; i++) {
    double sum = 0, sq = 0;
    for (size_t k = 0; k < n; k++)
      sum += test_get(x, GA_HALF, i * n + k);
    double m = sum / (double)n;
    for (size_t k = 0; k < n; k++) {
      double d = test_get(x, GA_HALF, i * n + k) - m;
      sq += d * d;
    }
    double d = 1 / sqrt(sq / (double)n + 1e-5);
    for (size_t k = 0; k < n; k++)
      want[i * n + k] = (float)((test_get(x, GA_HALF, i * n + k) - m) * d *
                                    (double)gamma[k % c] +
                                (double)beta[i]);
    mean[i] = (float)(m + (double)beta[i]);
    assert_true(fabs(test_get(rstd, GA_HALF, i) - d) <= 1e-3 * d);
  }
  test_array_close(&am, mean, 1e-5, 1e-5);
  test_array_close(&ay, want, 1e-5, 2e-5);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.label, "rows");
  assert_true(stats.bytes == (double)(6 * a * n + 4 * c + 14 * a));
  GpuLaunch_free(l);
  GpuRows_free(r);
  GpuArray_clear(&ax);
  GpuArray_clear(&ag);
  GpuArray_clear(&ab);
  GpuArray_clear(&ay);
  GpuArray_clear(&as);
  GpuArray_clear(&am);
  GpuArray_clear(&ar);
  free(x);
  free(gamma);
  free(beta);
  free(want);
  free(mean);
  free(rstd);
}

static void norms(void) {
  norm_of(5, 3, 50);    /* reduced axes that do not merge */
  norm_of(5, 3, 64);    /* in whole vectors */
  norm_of(40, 2, 4);    /* short rows, side by side */
  norm_of(17, 1, 1000); /* one reduced axis */
  norm_of(1, 80, 1024); /* in parts, with what follows the last of them */
  norm_of(3, 1, 66001);
}

static void test_norm(void **state) {
  (void)state;
  test_mappings(norms);
}

/* --- every operation and kind of value --- */

static const GpuRowsPhase ops_phases[2] = {
    {"total = w_to_long(n); product = w_from_bool_float(n < (w_short)(3)) + "
     "(w_float)(1.0f); least = n; some = n > (w_short)(90); "
     "every = n > (w_short)(-1); both = n; either = n; odd = n;",
     "limit = some & every; o_some = some; o_every = every; o_least = least; "
     "o_product = product; o_total = total; o_both = both; o_either = either; "
     "o_odd = odd;"},
    {"flag = limit & (n == least);", NULL}};
static const GpuRowsReduce ops_reduce[8] = {
    {"total", GA_REDUCE_SUM, GA_LONG},  {"product", GA_REDUCE_PROD, GA_FLOAT},
    {"least", GA_REDUCE_MIN, GA_SHORT}, {"some", GA_REDUCE_ANY, GA_BOOL},
    {"every", GA_REDUCE_ALL, GA_BOOL},  {"both", GA_REDUCE_AND, GA_SHORT},
    {"either", GA_REDUCE_OR, GA_SHORT}, {"odd", GA_REDUCE_XOR, GA_SHORT}};
static const GpuRowsValue ops_numbers[1] = {{"limit", GA_BOOL}};
static const gpuelemwise_arg ops_args[2] = {{"n", GA_SHORT, GE_READ},
                                            {"flag", GA_BOOL, GE_WRITE}};
static const gpuelemwise_arg ops_rows[8] = {
    {"o_total", GA_LONG, GE_WRITE},   {"o_product", GA_FLOAT, GE_WRITE},
    {"o_least", GA_SHORT, GE_WRITE},  {"o_some", GA_BOOL, GE_WRITE},
    {"o_every", GA_BOOL, GE_WRITE},   {"o_both", GA_SHORT, GE_WRITE},
    {"o_either", GA_SHORT, GE_WRITE}, {"o_odd", GA_SHORT, GE_WRITE}};

/* What the posts write of one row of shorts. */
static void ops_row(const int16_t *n, size_t count, double out[8]) {
  int16_t both = -1, either = 0, odd = 0;

  out[0] = 0;
  out[1] = out[4] = 1;
  out[2] = INT16_MAX;
  out[3] = 0;
  for (size_t i = 0; i < count; i++) {
    out[0] += n[i];
    out[1] *= n[i] < 3 ? 2 : 1;
    out[2] = fmin(out[2], n[i]);
    out[3] = out[3] != 0 || n[i] > 90;
    out[4] = out[4] != 0 && n[i] > -1;
    both = (int16_t)(both & n[i]);
    either = (int16_t)(either | n[i]);
    odd = (int16_t)(odd ^ n[i]);
  }
  out[5] = both;
  out[6] = either;
  out[7] = odd;
}

static void ops_of(size_t rows, size_t count, int flags) {
  const GpuRowsSpec spec = {.n_phases = 2,
                            .phases = ops_phases,
                            .n_reduce = 8,
                            .reduce = ops_reduce,
                            .n_numbers = 1,
                            .numbers = ops_numbers,
                            .n_args = 2,
                            .args = ops_args,
                            .n_row_args = 8,
                            .row_args = ops_rows,
                            .flags = flags};
  const size_t dims[2] = {rows, count}, odims[2] = {rows, 1};
  const unsigned char reduced[2] = {0, 1};
  int16_t *n = malloc(rows * count * sizeof *n);
  uint8_t *flag = malloc(rows * count);
  double want[8];
  GpuArray an, af, out[8];
  void *row_args[8];
  uint64_t got[64];
  GpuRows *r;
  GpuLaunch *l;

  test_fill(n, GA_SHORT, rows * count, -2, 100, 5);
  for (size_t i = 0; i < count; i++)
    n[i] = (int16_t)abs(n[i]);
  test_array(&an, GA_SHORT, 2, dims, n);
  assert_ok(GpuArray_empty(&af, test_context(), GA_BOOL, 2, dims, GA_C_ORDER));
  for (int k = 0; k < 8; k++) {
    row_args[k] = &out[k];
    assert_ok(GpuArray_empty(&out[k], test_context(), ops_rows[k].typecode, 2,
                             odims, GA_C_ORDER));
  }
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(
      GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){&an, &af}, row_args));
  assert_ok(GpuLaunch_run(l));
  test_gather(&af, flag);
  for (size_t i = 0; i < rows; i++) {
    ops_row(n + i * count, count, want);
    for (size_t k = 0; k < count; k++)
      assert_int_equal(flag[i * count + k],
                       want[3] != 0 && want[4] != 0 &&
                           n[i * count + k] == (int16_t)want[2]);
    for (int k = 0; k < 8; k++) {
      test_gather(&out[k], got);
      assert_true(test_get(got, ops_rows[k].typecode, i) == want[k]);
    }
  }
  for (int k = 0; k < 8; k++)
    GpuArray_clear(&out[k]);
  GpuLaunch_free(l);
  GpuRows_free(r);
  GpuArray_clear(&an);
  GpuArray_clear(&af);
  free(n);
  free(flag);
}

static void every_op(void) {
  ops_of(30, 11, GE_VECTOR);
  ops_of(7, 100, GE_VECTOR);
  ops_of(7, 100, 0);
  ops_of(2, 70000, GE_VECTOR);
}

static void test_ops(void **state) {
  (void)state;
  test_mappings(every_op);
}

/* --- overlaps --- */

/* z is written while x is still to be read; y and t last. */
static const GpuRowsPhase two_phases[2] = {{"s = x; z = x;", "r = s;"},
                                           {"y = x + s;", "t = s + u;"}};
static const GpuRowsReduce two_reduce[1] = {{"s", GA_REDUCE_SUM, GA_FLOAT}};
static const gpuelemwise_arg two_args[3] = {{"x", GA_FLOAT, GE_READ},
                                            {"y", GA_FLOAT, GE_WRITE},
                                            {"z", GA_FLOAT, GE_WRITE}};
static const gpuelemwise_arg two_row_args[3] = {{"r", GA_FLOAT, GE_WRITE},
                                                {"t", GA_FLOAT, GE_WRITE},
                                                {"u", GA_FLOAT, GE_READ}};

/* Prepares with x, y, z of 3 x 4 and r, t, u of 3 x 1 elements that begin at
 * these elements of `a`; runs when there is no message to expect. */
static void run_two(GpuRows *rows, const GpuArray *a, const size_t at[6],
                    const char *message) {
  const size_t dims[2] = {3, 4}, odims[2] = {3, 1};
  const ssize_t strides[2] = {16, 4}, ostrides[2] = {4, 4};
  const unsigned char reduced[2] = {0, 1};
  GpuArray v[6];
  GpuLaunch *l;

  for (int k = 0; k < 6; k++)
    assert_ok(GpuArray_fromdata(&v[k], a->data, a->offset + 4 * at[k], GA_FLOAT,
                                2, k < 3 ? dims : odims,
                                k < 3 ? strides : ostrides, 1));
  const int err = GpuRows_prepare(&l, rows, 2, dims, reduced,
                                  (void *[]){&v[0], &v[1], &v[2]},
                                  (void *[]){&v[3], &v[4], &v[5]});
  if (message != NULL) {
    assert_code(GA_VALUE_ERROR, err);
    assert_message(GA_VALUE_ERROR, message);
    assert_null(l);
  } else {
    assert_ok(err);
    assert_ok(GpuLaunch_run(l));
  }
  GpuLaunch_free(l);
  for (int k = 0; k < 6; k++)
    GpuArray_clear(&v[k]);
}

/* What the last phase writes may be what is read in its place. */
static void test_overlaps(void **state) {
  const GpuRowsSpec spec = {.n_phases = 2,
                            .phases = two_phases,
                            .n_reduce = 1,
                            .reduce = two_reduce,
                            .n_args = 3,
                            .args = two_args,
                            .n_row_args = 3,
                            .row_args = two_row_args,
                            .flags = GE_VECTOR};
  const size_t n = 48;
  float start[48], want[48];
  GpuArray a;
  GpuRows *r;

  (void)state;
  for (size_t i = 0; i < n; i++)
    start[i] = (float)i;
  test_array(&a, GA_FLOAT, 1, &n, start);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  run_two(r, &a, (size_t[]){0, 4, 24, 36, 39, 42}, "y: overlaps x");
  run_two(r, &a, (size_t[]){0, 12, 0, 36, 39, 42}, "z: overlaps x");
  run_two(r, &a, (size_t[]){0, 12, 16, 36, 39, 42}, "z: overlaps y");
  run_two(r, &a, (size_t[]){0, 12, 24, 3, 39, 42}, "r: overlaps x");
  run_two(r, &a, (size_t[]){0, 12, 24, 42, 39, 42}, "r: overlaps u");
  run_two(r, &a, (size_t[]){0, 12, 24, 36, 41, 42}, "t: overlaps u");
  run_two(r, &a, (size_t[]){0, 0, 24, 36, 42, 42}, NULL);
  for (size_t i = 0; i < n; i++)
    want[i] = start[i];
  for (size_t i = 0; i < 3; i++) {
    want[36 + i] = (float)(16 * i + 6);
    want[42 + i] = start[42 + i] + want[36 + i];
    for (size_t k = 4 * i; k < 4 * i + 4; k++) {
      want[24 + k] = start[k];
      want[k] = start[k] + want[36 + i];
    }
  }
  test_array_equal(&a, want);
  GpuRows_free(r);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_norm),
      cmocka_unit_test(test_ops),
      cmocka_unit_test(test_overlaps),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Random counts, choices and orders against their exact probabilities, with
 * fixed seeds; bounds are 5 deviations away from what is expected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "support/funcs.h"

enum { N = 40000 };

static gg_graph *g;
static gg_random *r;
static double x[6 * N];

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  r = gg_random_new(g, GG_PHILOX, 77);
  return r == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_random_free(r);
  gg_graph_free(g);
  return 0;
}

static void read_draw(gg_var *v, size_t n, double *out) {
  void *host = malloc(n * 8);
  GpuArray a = {0};
  gg_func *f;

  if (v == NULL)
    fail_msg("%s", gg_graph_error(g));
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(v),
                                   .updates = gg_random_updates(r, NULL)});
  func_run(f, NULL, (GpuArray *[]){&a});
  assert_int_equal(test_size(&a), n);
  assert_ok(GpuArray_read(host, n * gpuarray_get_elsize(a.typecode), &a));
  for (size_t i = 0; i < n; i++)
    out[i] = test_get(host, a.typecode, i);
  GpuArray_clear(&a);
  gg_func_free(f);
  free(host);
}

/* `count` of `n` where `p` is expected. */
static void check_share(double count, double n, double p, const char *what,
                        int k) {
  if (!(fabs(count - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1e-9))
    fail_msg("%s %d: %g of %g, expected %g", what, k, count, n, n * p);
}

/* `rows` rows that are all alike, computed on the device. */
static gg_var *repeated(size_t rows, size_t columns, const float *row) {
  const size_t dims[2] = {1, columns}, column[2] = {rows, 1};
  float *ones = malloc(rows * sizeof *ones);

  for (size_t i = 0; i < rows; i++)
    ones[i] = 1;
  gg_var *v = gg_mul(gg_constant(g, GA_FLOAT, 2, column, ones),
                     gg_shared_host(g, "row", GA_FLOAT, 2, dims, row));
  free(ones);
  return v;
}

static gg_var *number(int dtype, double v) {
  const float f = (float)v;

  return dtype == GA_DOUBLE ? gg_shared_host(g, "number", dtype, 0, NULL, &v)
                            : gg_shared_host(g, "number", dtype, 0, NULL, &f);
}

/* --- binomial --- */

static double log_chance(double k, double n, double p) {
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
         (k > 0 ? k * log(p) : 0) + (k < n ? (n - k) * log1p(-p) : 0);
}

static void check_binomial(double n, double p) {
  double at = 0, below = 0, chance = 0, sum = 0, mode = floor((n + 1) * p);

  mode = mode > n ? n : mode;
  for (double k = 0; k < mode; k++)
    chance += exp(log_chance(k, n, p));
  for (int i = 0; i < N; i++) {
    assert_true(x[i] >= 0 && x[i] <= n && x[i] == floor(x[i]));
    at += x[i] == mode;
    below += x[i] < mode;
    sum += x[i];
  }
  check_share(at, N, exp(log_chance(mode, n, p)), "the mode of", (int)n);
  check_share(below, N, chance, "below the mode of", (int)n);
  if (!(fabs(sum / N - n * p) <= 5 * sqrt(n * p * (1 - p) / N) + 1e-9))
    fail_msg("n %g, p %g: mean %g", n, p, sum / N);
}

static void test_binomial(void **state) {
  static const struct {
    double n, p;
  } cases[] = {{1, 0.3},   {5, 0},     {5, 1},       {10, 0.5},   {7, 0.999},
               {40, 0.02}, {200, 0.7}, {1000, 0.01}, {1e5, 0.25}, {0, 0.5}};

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    for (int wide = 0; wide < 2; wide++) {
      const int dtype = wide ? GA_DOUBLE : GA_FLOAT;

      if (wide && !gpucontext_caps(test_context())->fp64)
        continue;
      read_draw(gg_random_binomial(r, GG_DRAW(wide ? GA_LONG : GA_FLOAT, N),
                                   number(dtype, cases[k].n),
                                   number(dtype, cases[k].p)),
                N, x);
      check_binomial(cases[k].n, wide ? cases[k].p : (double)(float)cases[k].p);
    }
}

/* n along a column, p along a row. */
static void test_binomial_broadcast(void **state) {
  const float n[2] = {4, 9}, p[3] = {0.25f, 0.5f, 0.75f};
  const size_t column[2] = {2, 1}, row = 3;
  double sum[6] = {0};

  (void)state;
  read_draw(gg_random_binomial(r, GG_DRAW(GA_INT, N, 2, 3),
                               gg_constant(g, GA_FLOAT, 2, column, n),
                               gg_constant(g, GA_FLOAT, 1, &row, p)),
            6 * N, x);
  for (int i = 0; i < 6 * N; i++)
    sum[i % 6] += x[i];
  for (int k = 0; k < 6; k++)
    check_share(sum[k], N * (double)n[k / 3], (double)p[k % 3], "sum", k);
}

/* --- multinomial --- */

static void test_multinomial(void **state) {
  static const float row[6] = {0.5f, 0, 0.25f, 0.125f, 0.0625f, 0.0625f};
  static const int64_t counts[] = {1, 10, 1000};

  (void)state;
  for (int k = 0; k < 3; k++) {
    const size_t rows = counts[k] == 1000 ? 1000 : 6000;
    double sum[6] = {0};

    read_draw(
        gg_random_multinomial(r, GA_INT, counts[k], repeated(rows, 6, row)),
        6 * rows, x);
    for (size_t i = 0; i < rows; i++) {
      double total = 0;

      for (int j = 0; j < 6; j++) {
        total += x[6 * i + (size_t)j];
        sum[j] += x[6 * i + (size_t)j];
      }
      assert_true(total == (double)counts[k]);
    }
    for (int j = 0; j < 6; j++)
      check_share(sum[j], (double)rows * (double)counts[k], (double)row[j],
                  "column", j);
  }
}

/* Weights that do not add up to 1 count in relation; none give nothing. */
static void test_multinomial_weights(void **state) {
  static const float rows[6] = {3, 3, 0, 0, 0, 5};
  const size_t dims[2] = {3, 2};

  (void)state;
  read_draw(
      gg_random_multinomial(r, GA_FLOAT, 10000,
                            gg_shared_host(g, "p", GA_FLOAT, 2, dims, rows)),
      6, x);
  check_share(x[0], 10000, 0.5, "half", 0);
  assert_true(x[0] + x[1] == 10000);
  assert_true(x[2] == 0 && x[3] == 0);
  assert_true(x[4] == 0 && x[5] == 10000);
}

/* --- choices --- */

static void test_choice(void **state) {
  static const float weights[4] = {1, 2, 0, 5};
  const size_t rows = 8000;
  double first[4] = {0}, both = 0;

  (void)state;
  read_draw(gg_random_choice(r, 4, repeated(rows, 4, weights)), 4 * rows, x);
  for (size_t i = 0; i < rows; i++) {
    const double *z = x + 4 * i;

    assert_true(z[0] != z[1] && z[1] != z[2] && z[0] != z[2]);
    assert_true(z[0] >= 0 && z[1] >= 0 && z[2] >= 0 && z[3] == -1);
    assert_true(z[0] != 2 && z[1] != 2 && z[2] != 2);
    first[(int)z[0]]++;
    both += z[0] == 3 && z[1] == 1;
  }
  for (int j = 0; j < 4; j++)
    check_share(first[j], (double)rows, (double)weights[j] / 8, "first", j);
  check_share(both, (double)rows, 5.0 / 8 * 2 / 3, "3 and 1", 0);
}

/* --- orders --- */

static void check_different(const double *v, size_t n, size_t below) {
  unsigned char *seen = calloc(below, 1);

  for (size_t i = 0; i < n; i++) {
    assert_true(v[i] >= 0 && v[i] < (double)below);
    assert_int_equal(seen[(size_t)v[i]]++, 0);
  }
  free(seen);
}

static void test_permutation(void **state) {
  static const size_t sizes[] = {0, 1, 2, 3, 8, 100, 4096, 200000};

  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    read_draw(gg_random_permutation(r, gg_i64(g, (int64_t)sizes[k])), sizes[k],
              x);
    check_different(x, sizes[k], sizes[k]);
  }
  read_draw(gg_random_subset(r, 1000, gg_i64(g, 200000)), 1000, x);
  check_different(x, 1000, 200000);
  read_draw(gg_random_subset(r, 1000, gg_i64(g, (int64_t)1 << 45)), 1000, x);
  for (int i = 1; i < 1000; i++)
    assert_true(x[i] != x[i - 1] && x[i] < 0x1p45);
}

/* All orders of 4 numbers come equally often, odd ones, too. */
static void test_orders(void **state) {
  gg_var *v = gg_random_permutation(r, gg_i64(g, 4));
  gg_func *f =
      func_make(g, &(gg_func_spec){.outputs = GG_VARS(v),
                                   .updates = gg_random_updates(r, NULL)});
  double count[256] = {0};
  int64_t z[4];
  GpuArray a = {0};
  int orders = 0;

  (void)state;
  for (int i = 0; i < 4800; i++) {
    func_run(f, NULL, (GpuArray *[]){&a});
    assert_ok(GpuArray_read(z, sizeof z, &a));
    count[z[0] | z[1] << 2 | z[2] << 4 | z[3] << 6]++;
  }
  for (int i = 0; i < 256; i++) {
    if (count[i] == 0)
      continue;
    orders++;
    check_share(count[i], 4800, 1.0 / 24, "order", i);
  }
  assert_int_equal(orders, 24);
  GpuArray_clear(&a);
  gg_func_free(f);
}

static void test_shuffle(void **state) {
  gg_var *v = gg_input(g, "v", GA_FLOAT, 2);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(v),
                         .outputs = GG_VARS(gg_random_shuffle(r, v))});
  static float rows[300][2], got[300][2];
  GpuArray a, out = {0};

  (void)state;
  for (int i = 0; i < 300; i++)
    rows[i][0] = (float)i, rows[i][1] = (float)-i;
  float_array(&a, 2, (size_t[]){300, 2}, rows[0]);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (int i = 0; i < 300; i++) {
    x[i] = (double)got[i][0];
    assert_true(got[i][1] == -got[i][0]);
  }
  check_different(x, 300, 300);
  assert_memory_not_equal(got, rows, sizeof got);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* An integer among the inputs is read before the call. */
static void test_permutation_of_input(void **state) {
  gg_var *n = gg_input(g, "n", GA_LONG, 0);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(n),
                         .outputs = GG_VARS(gg_random_permutation(r, n))});
  GpuArray a, out = {0};
  int64_t got[5];

  (void)state;
  for (int64_t count = 3; count <= 5; count += 2) {
    test_array(&a, GA_LONG, 0, NULL, &count);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_int_equal(out.dimensions[0], count);
    test_gather(&out, got);
    unsigned int seen = 0;
    for (int64_t i = 0; i < count; i++)
      seen |= 1u << got[i];
    assert_int_equal(seen, (1u << count) - 1);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
  }
  gg_func_free(f);
}

/* --- refusals --- */

static void expect_error(const gg_var *v, const char *part) {
  assert_null(v);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", gg_graph_error(g), part);
  gg_graph_reset_error(g);
}

static gg_var *rows_of_2(float a, float b, float c, float d) {
  const float v[4] = {a, b, c, d};
  const size_t dims[2] = {2, 2};

  return gg_constant(g, GA_FLOAT, 2, dims, v);
}

static void test_refused(void **state) {
  const gg_draw *d = GG_DRAW(GA_INT, 4);
  const int64_t four = 4;
  gg_var *n = gg_shared_host(g, "n", GA_LONG, 0, NULL, &four);
  gg_func *f;
  GpuArray out = {0};

  (void)state;
  expect_error(gg_random_binomial(r, d, gg_f32(g, 3), gg_f32(g, 1.1f)),
               "p: 1.1 is not between 0 and 1");
  expect_error(gg_random_binomial(r, d, gg_f32(g, -3), gg_f32(g, 0.5f)),
               "n: -3 is not between");
  expect_error(
      gg_random_multinomial(r, GA_INT, 1, rows_of_2(0.5f, 0.5f, 0.5f, 0.25f)),
      "p: row 1 adds up to 0.75, not to 1");
  expect_error(
      gg_random_multinomial(r, GA_INT, 1, rows_of_2(0.5f, 0.5f, 1.5f, -0.5f)),
      "p: 1.5 in row 1, column 0, is not a probability");
  expect_error(
      gg_random_multinomial(r, GA_INT, -1, rows_of_2(0.5f, 0.5f, 0.5f, 0.5f)),
      "-1 drawings");
  expect_error(gg_random_multinomial(r, GA_INT, 1, gg_f32(g, 1)),
               "expected rows of probabilities");
  expect_error(gg_random_choice(r, 1, rows_of_2(0.5f, NAN, 1, 1)),
               "p: nan in row 0, column 1");
  expect_error(gg_random_subset(r, -1, gg_i64(g, 3)), "-1 different numbers");
  /* What is known with the call, or only during it. */
  f = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(gg_random_permutation(r, n))});
  assert_ok(gg_func_call(f, NULL, (GpuArray *[]){&out}));
  assert_int_equal(out.dimensions[0], 4); /* read from the device */
  GpuArray_clear(&out);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(
                                       gg_random_subset(r, 5, gg_i64(g, 3)))});
  assert_code(GA_VALUE_ERROR, gg_func_call(f, NULL, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "5 different numbers out of 3"));
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_binomial, setup, teardown),
      cmocka_unit_test_setup_teardown(test_binomial_broadcast, setup, teardown),
      cmocka_unit_test_setup_teardown(test_multinomial, setup, teardown),
      cmocka_unit_test_setup_teardown(test_multinomial_weights, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_choice, setup, teardown),
      cmocka_unit_test_setup_teardown(test_permutation, setup, teardown),
      cmocka_unit_test_setup_teardown(test_orders, setup, teardown),
      cmocka_unit_test_setup_teardown(test_shuffle, setup, teardown),
      cmocka_unit_test_setup_teardown(test_permutation_of_input, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

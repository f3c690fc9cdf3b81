/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudo-inverses, norms, condition numbers, ranks, powers, exponentials and
 * chains of matrices beside closed forms and plain loops. */
#include "support/derivatives.h"

#include "support/roundtrip.h"

#include <math.h>
#include <string.h>

enum { MOST = 32, RESULTS = 9 };

static GpuArray more[RESULTS];

static int setup(void **state) {
  memset(more, 0, sizeof more);
  return graph_setup(state);
}

static int teardown(void **state) {
  for (unsigned int i = 0; i < RESULTS; i++)
    GpuArray_clear(&more[i]);
  return graph_teardown(state);
}

/* Compute values of x, whose argument is `a`, to `more`. */
static void compute(gg_var *x, unsigned int n, gg_var *const *values) {
  gg_var *outputs[RESULTS + 1] = {NULL};
  GpuArray *to[RESULTS];

  for (unsigned int i = 0; i < n; i++) {
    GpuArray_clear(&more[i]);
    to[i] = &more[i];
    outputs[i] = values[i];
  }
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = outputs});
  func_run(f, (GpuArray *[]){&a}, to);
  gg_func_free(f);
}

static void assert_near(const GpuArray *got, const float *want, double atol) {
  test_array_close(got, want, 1e-4, atol);
}

static gg_var *matrices(unsigned int nd) {
  return gg_input(g, "x", GA_FLOAT, nd);
}

/* z = x y, of m x k and k x n. */
static void multiply(float *z, const float *x, const float *y, size_t m,
                     size_t k, size_t n) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t l = 0; l < k; l++)
        sum += (double)x[i * k + l] * (double)y[l * n + j];
      z[i * n + j] = (float)sum;
    }
}

/* --- pseudo-inverses --- */

static void assert_symmetric(const float *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(fabsf(x[i * n + j] - x[j * n + i]) < 1e-4f);
}

static void assert_same(const float *x, const float *y, size_t n) {
  test_close(GA_FLOAT, x, y, n, 1e-3, 1e-4);
}

/* The four conditions that only the pseudo-inverse fulfils. */
static void assert_pseudo_inverse(const float *x, const float *p, size_t m,
                                  size_t n) {
  float xp[MOST], px[MOST], again[MOST];

  multiply(xp, x, p, m, n, m);
  multiply(px, p, x, n, m, n);
  assert_symmetric(xp, m);
  assert_symmetric(px, n);
  multiply(again, xp, x, m, m, n);
  assert_same(again, x, m * n);
  multiply(again, px, p, n, n, m);
  assert_same(again, p, m * n);
}

/* Matrices of full rank, of rank 1, and 0, which one call takes; m x n. */
static void check_pinv(size_t m, size_t n) {
  const size_t sizes[3] = {3, m, n}, one = m * n;
  float v[3 * MOST] = {0}, got[3 * MOST];
  gg_var *x = matrices(3);

  test_fill(v, GA_FLOAT, one, -1, 1, (uint32_t)m);
  for (size_t i = 0; i < one; i++) {
    const size_t row = i / n + 1, column = i % n + 1;

    v[one + i] = (float)(row * column);
  }
  float_array(&a, 3, sizes, v);
  compute(x, 1, (gg_var *[]){gg_pinv(x, -1)});
  assert_int_equal(more[0].dimensions[1], n);
  assert_int_equal(more[0].dimensions[2], m);
  test_gather(&more[0], got);
  for (size_t z = 0; z < 3; z++)
    assert_pseudo_inverse(v + z * one, got + z * one, m, n);
  GpuArray_clear(&a);
}

static void pseudo_inverses_fulfil_their_conditions(void **state) {
  (void)state;
  check_pinv(5, 3);
  if (test_is_quick())
    return;
  check_pinv(3, 5);
  check_pinv(4, 4);
  check_pinv(1, 4);
}

/* Singular values of 1 and 0.1: the smaller one counts or does not. */
static void small_singular_values_count_as_zero(void **state) {
  const size_t square[2] = {2, 2};
  const float v[4] = {1, 0, 0, 0.1f}, all[4] = {1, 0, 0, 10},
              part[4] = {1, 0, 0, 0};
  gg_var *x = matrices(2);

  (void)state;
  float_array(&a, 2, square, v);
  compute(x, 4,
          (gg_var *[]){gg_pinv(x, 0.05), gg_pinv(x, 0.2),
                       gg_matrix_rank(x, 0.05), gg_matrix_rank(x, 0.2)});
  assert_near(&more[0], all, 1e-5);
  assert_near(&more[1], part, 1e-5);
  test_array_equal(&more[2], &(int64_t){2});
  test_array_equal(&more[3], &(int64_t){1});
}

/* The shortest X with the least |A X - B| for A = u v^T, which has rank 1, is
 * v u^T B / (|u| |v|)^2. */
static void pseudo_inverses_solve_least_squares_of_any_rank(void **state) {
  const size_t sizes[2] = {4, 3};
  const float right[4] = {1, 1, 1, 1}, want[3] = {1.f / 42, 2.f / 42, 3.f / 42};
  float v[12];
  gg_var *x = matrices(2);
  gg_var *y = gg_constant(g, GA_FLOAT, 1, sizes, right);

  (void)state;
  for (size_t i = 0; i < 12; i++) {
    const size_t row = i / 3 + 1, column = i % 3 + 1;

    v[i] = (float)(row * column);
  }
  float_array(&a, 2, sizes, v);
  compute(x, 1, (gg_var *[]){gg_dot(gg_pinv(x, -1), y)});
  assert_near(&more[0], want, 1e-5);
}

/* Equal singular values have no derivatives of vectors, but the pseudo-inverse
 * has some: of the identity that of the sum is -1 everywhere. */
static void pseudo_inverses_of_equal_values_have_gradients(void **state) {
  const size_t square[2] = {2, 2};
  const float v[4] = {1, 0, 0, 1}, want[4] = {-1, -1, -1, -1};
  gg_var *x = matrices(2), *by;

  (void)state;
  test_need_full();
  assert_ok(gg_grad(&by, gg_sum(gg_pinv(x, -1)), 1, &x));
  float_array(&a, 2, square, v);
  compute(x, 1, &by);
  assert_near(&more[0], want, 1e-5);
}

/* --- norms, condition numbers, ranks --- */

static void norms_have_closed_forms(void **state) {
  enum { KINDS = GG_NORM_LEAST_ROW + 1 };
  const size_t sizes[3] = {2, 2, 2};
  const float v[8] = {1, -2, 3, 4, 1, 2, 2, 4};
  /* Of ((1, -2), (3, 4)) and ((1, 2), (2, 4)). */
  const double norm[KINDS][2] = {
      {sqrt(30), 5}, {sqrt(50), 5}, {sqrt(15 + sqrt(125)), 5},
      {6, 6},        {7, 6},        {sqrt(15 - sqrt(125)), 0},
      {4, 3},        {3, 3}};
  const double cond[KINDS] = {
      3, 5, (15 + sqrt(125)) / 10, 4.2, 4.2, 10 / (15 + sqrt(125)), 1.2, 1.2};
  gg_var *x = matrices(3), *y[KINDS + 1];

  (void)state;
  float_array(&a, 3, sizes, v);
  for (unsigned int kind = 0; kind < KINDS; kind++)
    y[kind] =
        gg_stack(0, 2, (gg_var *[]){gg_matrix_norm(x, kind), gg_cond(x, kind)});
  y[KINDS] = gg_matrix_rank(x, -1);
  compute(x, KINDS + 1, y);
  for (unsigned int kind = 0; kind < KINDS; kind++) {
    float got[4];
    test_gather(&more[kind], got);
    for (int z = 0; z < 2; z++)
      assert_true(fabs((double)got[z] - norm[kind][z]) < 1e-4);
    assert_true(fabs((double)got[2] - cond[kind]) < 1e-4);
    assert_true(kind == GG_NORM_LEAST_SINGULAR ? got[3] < 1e-6f
                                               : got[3] > 1e6f);
  }
  test_array_equal(&more[KINDS], (int64_t[]){2, 1});
}

/* 0, and a matrix with NaN. */
static void condition_numbers_of_no_inverse(void **state) {
  const size_t sizes[3] = {2, 2, 2};
  const float v[8] = {0, 0, 0, 0, NAN, 1, 1, 2};
  const float zeros[2] = {0, NAN}, ends[2] = {INFINITY, NAN};
  gg_var *x = matrices(3);

  (void)state;
  float_array(&a, 3, sizes, v);
  compute(x, 5,
          (gg_var *[]){gg_matrix_norm(x, GG_NORM_SPECTRAL),
                       gg_cond(x, GG_NORM_SPECTRAL), gg_cond(x, GG_NORM_ROWS),
                       gg_matrix_rank(x, -1), gg_pinv(x, -1)});
  assert_near(&more[0], zeros, 0);
  assert_near(&more[1], ends, 0);
  assert_near(&more[2], ends, 0);
  test_array_equal(&more[3], (int64_t[]){0, 0});
  assert_near(&more[4], (float[]){0, 0, 0, 0, NAN, NAN, NAN, NAN}, 0);
}

/* Sums and squares beside loops, of transposed matrices. */
static void norms_are_those_of_loops(void **state) {
  const size_t sizes[3] = {2, 3, 5};
  const ssize_t strides[3] = {15, 1, 3};
  float v[30], want[3][2] = {{0}};
  gg_var *x = matrices(3);

  (void)state;
  test_fill(v, GA_FLOAT, 30, -2, 2, 4);
  test_array_strided(&a, GA_FLOAT, 3, sizes, strides, v);
  for (int z = 0; z < 2; z++) {
    float column[5] = {0}, row[3] = {0};
    for (int i = 0; i < 15; i++) {
      const float t = v[z * 15 + i];
      column[i % 5] += fabsf(t);
      row[i / 5] += fabsf(t);
      want[0][z] += t * t;
    }
    want[0][z] = sqrtf(want[0][z]);
    for (int i = 0; i < 5; i++)
      want[1][z] = fmaxf(want[1][z], column[i]);
    for (int i = 0; i < 3; i++)
      want[2][z] = fmaxf(want[2][z], row[i]);
  }
  compute(x, 3,
          (gg_var *[]){gg_matrix_norm(x, GG_NORM_FROBENIUS),
                       gg_matrix_norm(x, GG_NORM_COLUMNS),
                       gg_matrix_norm(x, GG_NORM_ROWS)});
  for (int i = 0; i < 3; i++)
    assert_near(&more[i], want[i], 0);
}

/* --- powers and exponentials --- */

static void powers_are_repeated_products(void **state) {
  const size_t square[2] = {3, 3};
  const float v[9] = {2, 1, 0, 0, 1, 1, 1, 0, 1};
  const float one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  float two[9], four[9], five[9], got[9], back[9];
  gg_var *x = matrices(2);

  (void)state;
  multiply(two, v, v, 3, 3, 3);
  multiply(four, two, two, 3, 3, 3);
  multiply(five, four, v, 3, 3, 3);
  float_array(&a, 2, square, v);
  compute(x, 5,
          (gg_var *[]){gg_matrix_power(x, 0), gg_matrix_power(x, 1),
                       gg_matrix_power(x, 5), gg_matrix_power(x, -2),
                       gg_matrix_power(x, 4)});
  assert_near(&more[0], one, 0);
  assert_near(&more[1], v, 0);
  assert_near(&more[2], five, 0);
  assert_near(&more[4], four, 0);
  test_gather(&more[3], got);
  multiply(back, got, two, 3, 3, 3);
  test_close(GA_FLOAT, back, one, 9, 0, 1e-4);
}

/* Diagonal, nilpotent and turning matrices, of which some are squared; one so
 * negative that its exponential is 0, and two that have none. */
static void exponentials_have_closed_forms(void **state) {
  enum { N = 8 };
  const size_t sizes[3] = {N, 2, 2};
  const float v[N * 4] = {1, 0,   0,   -2, 0, 3, 0,        0, 0, -1,    1,
                          0, 0,   -40, 40, 0, 0, 0,        0, 0, -2000, 0,
                          0, -10, NAN, 0,  0, 1, INFINITY, 0, 0, 1};
  const float c1 = cosf(1), s1 = sinf(1), c40 = cosf(40), s40 = sinf(40);
  const float want[N * 4] = {
      expf(1), 0,         0,    expf(-2), 1,   3,   0,   1,   c1,  -s1, s1,
      c1,      c40,       -s40, s40,      c40, 1,   0,   0,   1,   0,   0,
      0,       expf(-10), NAN,  NAN,      NAN, NAN, NAN, NAN, NAN, NAN};
  gg_var *x = matrices(3);

  (void)state;
  float_array(&a, 3, sizes, v);
  compute(x, 1, (gg_var *[]){gg_matrix_exp(x)});
  assert_near(&more[0], want, 1e-4);
}

/* The host computes the same, for test values; exponentials, which are loops,
 * have none. */
static void the_host_has_pseudo_inverses(void **state) {
  const size_t square[2] = {2, 2};
  const float v[4] = {0, -1, 1, 0};
  gg_var *x = matrices(2);

  (void)state;
  assert_ok(gg_test_value(x, square, v));
  const float *p = gg_var_test_value(gg_pinv(x, -1), NULL);
  assert_non_null(p);
  test_close(GA_FLOAT, p, (float[]){0, 1, -1, 0}, 4, 0, 1e-5);
}

/* exp(x) exp(-x) = 1, and exp(2 x) = exp(x)^2. */
static void exponentials_multiply(void **state) {
  const size_t sizes[3] = {2, 4, 4};
  double v[32];
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 3);
  gg_var *y = gg_matrix_exp(x);

  (void)state;
  test_need_double();
  test_need_full();
  test_fill(v, GA_DOUBLE, 32, -3, 3, 9);
  test_array(&a, GA_DOUBLE, 3, sizes, v);
  gg_var *one = gg_sub(gg_batched_dot(y, gg_matrix_exp(gg_neg(x))),
                       gg_matrix_power(x, 0));
  gg_var *two = gg_matrix_exp(gg_add(x, x));
  gg_var *same = gg_sub(two, gg_matrix_power(y, 2));
  gg_var *scale = gg_matrix_norm(two, GG_NORM_ROWS);
  compute(x, 2,
          (gg_var *[]){gg_matrix_norm(one, GG_NORM_ROWS),
                       gg_div(gg_matrix_norm(same, GG_NORM_ROWS), scale)});
  for (int i = 0; i < 2; i++) {
    double got[2];
    assert_ok(GpuArray_read(got, sizeof got, &more[i]));
    assert_true(got[0] < 1e-10 && got[1] < 1e-10);
  }
}

/* --- chains --- */

static void chains_are_products(void **state) {
  const size_t sizes[2] = {2, 3};
  const float v[6] = {1, 2, 3, 4, 5, 6};
  float turned[6], square[4], cube[6], ends[2];
  gg_var *x = matrices(2), *xt = gg_transpose(x);
  gg_var *u = gg_sum_axis(x, 1), *w = gg_sum_axis(x, 0);

  (void)state;
  for (int i = 0; i < 6; i++)
    turned[i % 3 * 2 + i / 3] = v[i];
  multiply(square, v, turned, 2, 3, 2);
  multiply(cube, square, v, 2, 2, 3);
  multiply(ends, (float[]){6, 15}, square, 1, 2, 2);
  float_array(&a, 2, sizes, v);
  compute(x, 4,
          (gg_var *[]){gg_multi_dot(1, &x),
                       gg_multi_dot(3, (gg_var *[]){x, xt, x}),
                       gg_multi_dot(3, (gg_var *[]){u, x, xt}),
                       gg_multi_dot(3, (gg_var *[]){u, x, w})});
  assert_near(&more[0], v, 0);
  assert_near(&more[1], cube, 0);
  assert_near(&more[2], ends, 0);
  assert_near(&more[3], (float[]){6 * 46 + 15 * 109}, 0);
}

/* --- all of them --- */

static void derivatives_are_those_of_differences(void **state) {
  const size_t sizes[3] = {2, 5, 3}, square[3] = {2, 3, 3};
  gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 3, (int64_t[]){2, 5, 3});
  gg_var *y = gg_input_sized(g, "y", GA_DOUBLE, 3, (int64_t[]){2, 3, 3});
  double v[30];

  (void)state;
  test_need_double();
  test_need_full();
  test_fill(v, GA_DOUBLE, 30, -1, 1, 6);
  test_array(&a, GA_DOUBLE, 3, sizes, v);
  check_derivatives(gg_pinv(x, -1), 1, &x);
  check_derivatives(gg_pinv(gg_swapaxes(x, 1, 2), -1), 1, &x);
  check_derivatives(gg_matrix_norm(x, GG_NORM_NUCLEAR), 1, &x);
  GpuArray_clear(&a);
  test_array(&a, GA_DOUBLE, 3, square, v);
  check_derivatives(gg_matrix_exp(y), 1, &y);
  check_derivatives(gg_matrix_power(y, 3), 1, &y);
}

static void nothing_has_values(void **state) {
  const size_t sizes[2] = {0, 0}, wide[2] = {0, 3};
  gg_var *x = matrices(2);

  (void)state;
  test_need_full();
  test_array(&a, GA_FLOAT, 2, sizes, NULL);
  compute(x, 4,
          (gg_var *[]){gg_pinv(x, -1), gg_matrix_power(x, 2), gg_matrix_exp(x),
                       gg_matrix_norm(x, GG_NORM_FROBENIUS)});
  for (int i = 0; i < 3; i++)
    assert_int_equal(test_size(&more[i]), 0);
  assert_near(&more[3], (float[]){0}, 0);
  GpuArray_clear(&a);
  test_array(&a, GA_FLOAT, 2, wide, NULL);
  compute(x, 4,
          (gg_var *[]){gg_pinv(x, -1), gg_matrix_rank(x, -1),
                       gg_matrix_norm(x, GG_NORM_ROWS),
                       gg_matrix_norm(x, GG_NORM_SPECTRAL)});
  assert_int_equal(more[0].dimensions[0], 3);
  test_array_equal(&more[1], &(int64_t){0});
  for (int i = 2; i < 4; i++)
    assert_near(&more[i], (float[]){0}, 0);
}

/* Kernels that a function of `value` sets up. */
static size_t count_kernels(gg_var *x, gg_var *value) {
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(value)});

  GpuArray_clear(&out);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  const size_t n = func_stats(f).kernels_made;
  gg_func_free(f);
  return n;
}

/* Vectors that nothing reads are not computed. */
static void values_alone_take_less(void **state) {
  const size_t sizes[3] = {2, 3, 3};
  float v[18];
  gg_var *x = matrices(3), *w, *vectors, *u, *s;

  (void)state;
  test_fill(v, GA_FLOAT, 18, -1, 1, 2);
  float_array(&a, 3, sizes, v);
  assert_ok(gg_eigh(&w, &vectors, x, 0));
  assert_true(count_kernels(x, gg_eigvalsh(x, 0)) < count_kernels(x, vectors));
  assert_ok(gg_svd(&u, &s, NULL, x, 0));
  assert_true(count_kernels(x, gg_svdvals(x)) < count_kernels(x, u));
}

static void they_are_saved(void **state) {
  (void)state;
  assert_same_text("x = input float64[5, 4]\n"
                   "t = input float64\n"
                   "p = pinv(x, t)\n"
                   "y = input float64[5, 5]\n"
                   "e = matrix_exp(y)\n");
  static const refused_text bad[] = {
      {"x = input float64[5, 4]\ne = matrix_exp(x)\n", "5 x 4 is not square"},
      {"x = input float64[5]\ne = matrix_exp(x)\n", "expected a matrix"},
      {"x = input float64[5, 5]\np = pinv(x, x)\n",
       "expected a scalar for the limit"},
      {"x = input float64[5]\nt = input float64\np = pinv(x, t)\n",
       "expected a matrix"}};
  assert_texts_refused(4, bad);
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){3, 4});
  gg_var *v = gg_input_sized(g, "v", GA_FLOAT, 1, (int64_t[]){4});

  (void)state;
  graph_refused(gg_matrix_power(x, 2),
                "matrix_power(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_matrix_exp(x),
                "matrix_exp(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_cond(x, GG_NORM_ROWS),
                "cond(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_pinv(v, -1), "pinv(float32[4]): expected a matrix");
  graph_refused(gg_pinv(x, (double)NAN), "pinv(float32[3, 4]): rcond is NaN");
  graph_refused(gg_matrix_rank(x, (double)NAN),
                "matrix_rank(float32[3, 4]): the tolerance is NaN");
  graph_refused(gg_matrix_norm(v, GG_NORM_ROWS),
                "matrix_norm(float32[4]): expected a matrix");
  graph_refused(gg_matrix_norm(x, (gg_matrix_norm_kind)9),
                "matrix_norm(float32[3, 4]): norm 9 is not known");
  graph_refused(gg_multi_dot(2, (gg_var *[]){x, x}),
                "multi_dot(float32[3, 4], float32[3, 4]): operands 0 and 1: "
                "sizes 4 and 3 differ");
  graph_refused(gg_multi_dot(3, (gg_var *[]){x, v, x}),
                "multi_dot(float32[3, 4], float32[4], float32[3, 4]): operand "
                "1: expected a matrix");
  assert_null(gg_multi_dot(0, NULL));
  assert_message(GA_VALUE_ERROR, "multi_dot: no operands");
  assert_null(gg_pinv(NULL, 0));
  gg_graph_reset_error(g);
}

/* An inner size of 1 is a size like others in a chain. */
static void chains_do_not_broadcast(void **state) {
  const size_t sizes[2] = {2, 2};
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){2, GG_ANY});
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){1, 2});
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, y),
                      .outputs = GG_VARS(gg_multi_dot(2, (gg_var *[]){x, y}))});

  (void)state;
  float_array(&a, 2, sizes, (float[]){1, 2, 3, 4});
  float_array(&b, 2, (size_t[]){1, 2}, (float[]){1, 2});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  gg_func_free(f);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(pseudo_inverses_fulfil_their_conditions),
      TEST(small_singular_values_count_as_zero),
      TEST(pseudo_inverses_solve_least_squares_of_any_rank),
      TEST(pseudo_inverses_of_equal_values_have_gradients),
      TEST(norms_have_closed_forms),
      TEST(condition_numbers_of_no_inverse),
      TEST(norms_are_those_of_loops),
      TEST(powers_are_repeated_products),
      TEST(exponentials_have_closed_forms),
      TEST(the_host_has_pseudo_inverses),
      TEST(exponentials_multiply),
      TEST(chains_are_products),
      TEST(derivatives_are_those_of_differences),
      TEST(nothing_has_values),
      TEST(values_alone_take_less),
      TEST(they_are_saved),
      TEST(what_does_not_fit_is_refused),
      TEST(chains_do_not_broadcast),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors with column pivots: residuals, the diagonal of R, ranks. */
#include "factor/orthogonal.h"

#include <gpuarray/factor.h>

#include "factor/complex_matrices.h"

enum { MOST_COLUMNS = 200 };

/* Matrices of the given rank, some of whose columns are small. */
static host matrix(unsigned int lead, const size_t *dims, size_t m, size_t n,
                   size_t rank, double scale) {
  host a = host_new(lead, dims, m, n), left = host_new(lead, dims, m, rank),
       right = host_new(lead, dims, rank, n);

  host_random(&left);
  host_random(&right);
  host_multiply(&a, &left, 0, &right, 0);
  for (size_t i = 0; i < host_total(&a); i++)
    a.v[i] *= scale * (i % n % 3 == 0 ? 0.01 : 1);
  free(left.v);
  free(right.v);
  return a;
}

/* The columns of `a` in the given order, each of which is there once. */
static host permuted(const host *a, const int32_t *order) {
  host p = host_new(a->nd - 2, a->dims, a->m, a->n);

  for (size_t z = 0; z < a->batch; z++) {
    char seen[MOST_COLUMNS] = {0};

    for (size_t j = 0; j < a->n; j++) {
      const size_t from = (size_t)order[z * a->n + j];

      assert_true(from < a->n && !seen[from]);
      seen[from] = 1;
      for (size_t i = 0; i < a->m; i++)
        *host_at(&p, z, i, j) = *host_at(a, z, i, from);
    }
  }
  return p;
}

/* |diagonal| does not increase, and is that of a matrix of this rank. */
static void check_diagonal(const host *r, size_t rank, int typecode) {
  const size_t least = r->m < r->n ? r->m : r->n;

  for (size_t z = 0; z < r->batch; z++)
    for (size_t i = 1; i < least; i++) {
      const double x = fabs(*host_at(r, z, i, i)),
                   before = fabs(*host_at(r, z, i - 1, i - 1)),
                   first = fabs(*host_at(r, z, 0, 0));

      assert_true(x <= before * (1 + 8 * eps_of(typecode)));
      assert_true(i < rank || x <= 100 * eps_of(typecode) * first);
    }
}

static void check_pivoted(unsigned int lead, const size_t *dims, size_t m,
                          size_t n, int full, size_t rank, double scale,
                          int typecode, const layout how[3]) {
  const size_t k = full || m < n ? m : n;
  host a = matrix(lead, dims, m, n, rank, scale);
  host q = host_new(lead, dims, m, k), r = host_new(lead, dims, k, n);
  int32_t *order = calloc(a.batch * n + 1, sizeof *order);
  size_t vector[MOST_ND];
  GpuArray da, dq, dr, d_order;
  GpuLaunch *launch;

  for (unsigned int d = 0; d < lead; d++)
    vector[d] = dims[d];
  vector[lead] = n;
  host_round(&a, typecode);
  make(&da, &a, typecode, how[0]);
  make(&dq, &q, typecode, how[1]);
  make(&dr, &r, typecode, how[2]);
  test_array(&d_order, GA_INT, lead + 1, vector, order);
  assert_ok(GpuArray_qr_pivoted_prepare(&launch, &dq, &dr, &d_order, &da));
  run_once(launch);
  host_read(&q, &dq);
  host_read(&r, &dr);
  test_gather(&d_order, order);
  host p = permuted(&a, order);
  check_factors(&p, &q, &r, typecode);
  check_diagonal(&r, rank, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&dq);
  GpuArray_clear(&dr);
  GpuArray_clear(&d_order);
  free(a.v);
  free(p.v);
  free(q.v);
  free(r.v);
  free(order);
}

static void all_of(int typecode) {
  static const size_t sizes[][3] = {
      {0, 0, 0}, {0, 3, 0}, {3, 0, 0},  {1, 1, 1},    {2, 2, 1},
      {5, 5, 0}, {3, 7, 3}, {40, 7, 5}, {40, 60, 20}, {60, 40, 40}};
  const size_t dims[2] = {2, 3};

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    check_pivoted(0, NULL, sizes[k][0], sizes[k][1], (int)k % 2, sizes[k][2], 1,
                  typecode, rows_only);
  for (int h = 0; h < LAYOUTS; h++)
    check_pivoted(2, dims, draw(1, 9), draw(1, 9), h % 2, 9, 1, typecode,
                  (layout[3]){(layout)h, draw_layout(), (layout)h});
}

static void floats(void) {
  all_of(GA_FLOAT);
  check_pivoted(0, NULL, 20, 10, 0, 10, 1e36, GA_FLOAT, rows_only);
  check_pivoted(0, NULL, 20, 10, 0, 10, 1e-30, GA_FLOAT, rows_only);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(floats);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  check_pivoted(0, NULL, 40, 60, 0, 20, 1, GA_DOUBLE, rows_only);
}

/* The product of random matrices, whose columns have different sizes. */
static numbers complex_matrix(unsigned int lead, const size_t *dims, size_t m,
                              size_t n, size_t rank) {
  numbers left = zeros(lead, dims, m, rank), right = zeros(lead, dims, rank, n);

  fill_random(&left, 1);
  fill_random(&right, 1);
  numbers a = product(&left, 0, &right, 0);
  for (size_t i = 0; i < total(&a); i++)
    a.v[i] *= i % n % 3 == 0 ? 0.01 : 1;
  free(left.v);
  free(right.v);
  return a;
}

/* A P = Q R and Q^H Q = 1; the diagonal of R is real, does not increase in
 * size, and is that of a matrix of this rank. */
static void check_complex(unsigned int lead, const size_t *dims, size_t m,
                          size_t n, size_t rank, layout how, int typecode) {
  const size_t k = m < n ? m : n;
  const double eps = eps_of(part_of(typecode));
  numbers a = complex_matrix(lead, dims, m, n, rank);
  numbers q = zeros(lead, dims, m, k), r = zeros(lead, dims, k, n);
  numbers p = zeros(lead, dims, m, n);
  int32_t *order = calloc(a.batch * n, sizeof *order);
  GpuArray da, dq, dr, d_order;

  to_array(&da, &a, typecode, how);
  assert_ok(GpuArray_qr_pivoted(&dq, &dr, &d_order, &da, 0));
  from_array(&q, &dq);
  from_array(&r, &dr);
  test_gather(&d_order, order);
  for (size_t z = 0; z < a.batch; z++)
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < m; i++)
        *at(&p, z, i, j) = *at(&a, z, i, (size_t)order[z * n + j]);
  const numbers qr = product(&q, 0, &r, 0);
  const numbers one = product(&q, GA_FACTOR_CONJ_TRANS, &q, 0);
  expect_near("A P - Q R", &p, &qr, &a, (double)(m + n), typecode);
  for (size_t z = 0; z < a.batch; z++) {
    const double first = cabs(*at(&r, z, 0, 0));

    assert_true(distance(&one, NULL, z) < (double)(m + n) * THRESHOLD * eps);
    for (size_t i = 0; i < k; i++) {
      const double size = cabs(*at(&r, z, i, i));
      const size_t before = i > 0 ? i - 1 : 0;

      assert_true(cimag(*at(&r, z, i, i)) == 0);
      assert_true(size <= cabs(*at(&r, z, before, before)) * (1 + 8 * eps));
      assert_true(i < rank || size <= 100 * eps * first);
    }
  }
  GpuArray_clear(&da);
  GpuArray_clear(&dq);
  GpuArray_clear(&dr);
  GpuArray_clear(&d_order);
  free(a.v);
  free(q.v);
  free(r.v);
  free(p.v);
  free(qr.v);
  free(one.v);
  free(order);
}

static void complex_numbers(void) {
  const size_t dims[2] = {2, 3};

  check_complex(0, NULL, 12, 7, 5, ROWS, GA_CFLOAT);
  check_complex(0, NULL, 9, 40, 9, COLUMNS, GA_CFLOAT);
  check_complex(2, dims, 4, 4, 4, APART, GA_CFLOAT);
}

static void test_complex(void **state) {
  (void)state;
  test_mappings(complex_numbers);
  if (gpucontext_caps(test_context())->fp64)
    check_complex(0, NULL, 12, 7, 5, ROWS, GA_CDOUBLE);
}

/* LAPACK's zgeqp3 gives these: the column of i times 3 first, whose reflector
 * makes R real, as those of one row. NaN comes before all. */
static void all_complex_orders(void) {
  float v[12] = {1, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 2}, r[12];

  for (int k = 0; k < 2; k++) {
    GpuArray a, dr, order;
    int32_t got[3];

    test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 3}, v);
    assert_ok(GpuArray_qr_pivoted(NULL, &dr, &order, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &order));
    assert_ok(GpuArray_read(r, sizeof r, &dr));
    assert_true(k == 1 || (got[0] == 1 && got[1] == 2 && got[2] == 0));
    assert_true(k == 1 || (r[0] == -3 && r[1] == 0 && r[3] == 2 && r[8] == -2 &&
                           r[9] == 0));
    assert_true(k == 0 || (got[0] == 0 && isnan(r[0])));
    GpuArray_clear(&a);
    GpuArray_clear(&dr);
    GpuArray_clear(&order);
    v[1] = NAN;
  }
}

static void test_complex_orders(void **state) {
  (void)state;
  test_mappings(all_complex_orders);
}

/* A known order, with columns that are equal; and a NaN, which spreads. */
static void all_orders(void) {
  float v[12] = {1, 0, 3, 0, 0, 2, 0, -2, 0, 0, 0, 0}, r[12];
  const int32_t want[4] = {2, 1, 0, 3};

  for (int k = 0; k < 3; k++) {
    GpuArray a, dr, order;
    int32_t got[4];

    test_array(&a, GA_FLOAT, 2, (size_t[]){3, 4}, v);
    assert_ok(GpuArray_qr_pivoted(NULL, &dr, &order, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &order));
    assert_ok(GpuArray_read(r, sizeof r, &dr));
    assert_true(k > 0 || memcmp(got, want, sizeof got) == 0);
    assert_true(k > 0 || (r[0] == 3 && fabsf(r[5]) == 2 && r[10] == 0));
    assert_true(k == 0 || (got[0] == 3 && isnan(r[0])));
    assert_true(k != 1 || isnan(r[10]));
    GpuArray_clear(&a);
    GpuArray_clear(&dr);
    GpuArray_clear(&order);
    v[k == 0 ? 3 : 7] = k == 0 ? NAN : 0;
  }
}

static void test_orders(void **state) {
  (void)state;
  test_mappings(all_orders);
}

static void test_refusals(void **state) {
  const float v[12] = {0};
  GpuArray a, b, order, x;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 3}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){2, 3}, v);
  test_array(&order, GA_INT, 1, (size_t[]){4}, v);
  assert_code(GA_INVALID_ERROR,
              GpuArray_qr_pivoted_prepare(&l, NULL, NULL, NULL, &a));
  assert_message(GA_INVALID_ERROR, "q, r and order: no array");
  assert_code(GA_VALUE_ERROR,
              GpuArray_qr_pivoted_prepare(&l, &b, NULL, NULL, &a));
  assert_message(GA_VALUE_ERROR, "q: expected 4 x 3, got 2 x 3");
  assert_code(GA_VALUE_ERROR,
              GpuArray_qr_pivoted_prepare(&l, NULL, NULL, &order, &a));
  assert_message(GA_VALUE_ERROR, "order: dim 0: expected 3, got 4");
  assert_code(GA_VALUE_ERROR,
              GpuArray_qr_pivoted_prepare(&l, &a, NULL, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_qr_pivoted(&x, NULL, NULL, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_qr_pivoted(&x, &x, NULL, &a, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&order);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),         cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_orders),         cmocka_unit_test(test_complex),
      cmocka_unit_test(test_complex_orders), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

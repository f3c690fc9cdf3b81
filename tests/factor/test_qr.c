/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors and least squares, measured as LAPACK's tests measure them. */
#include "factor/orthogonal.h"

#include <gpuarray/factor.h>

/* --- factors --- */

/* Frees the matrices. */
static void check_qr_of(host *a, int full, int typecode, const layout how[3]) {
  const size_t k = full || a->m < a->n ? a->m : a->n;
  host q = host_new(a->nd - 2, a->dims, a->m, k);
  host r = host_new(a->nd - 2, a->dims, k, a->n);
  GpuArray da, dq, dr;
  GpuLaunch *launch;

  host_round(a, typecode);
  make(&da, a, typecode, how[0]);
  make(&dq, &q, typecode, how[1]);
  make(&dr, &r, typecode, how[2]);
  assert_ok(GpuArray_qr_prepare(&launch, &dq, &dr, &da));
  run_once(launch);
  host_read(&q, &dq);
  host_read(&r, &dr);
  check_factors(a, &q, &r, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&dq);
  GpuArray_clear(&dr);
  free(a->v);
  free(q.v);
  free(r.v);
}

static void check_qr(unsigned int lead, const size_t *dims, size_t m, size_t n,
                     int full, int typecode, const layout how[3],
                     double scale) {
  host a = host_new(lead, dims, m, n);

  host_random(&a);
  for (size_t i = 0; i < host_total(&a); i++)
    a.v[i] *= scale;
  check_qr_of(&a, full, typecode, how);
}

static void all_factors(int typecode) {
  static const size_t sizes[][2] = {
      {0, 0},   {1, 1},   {2, 2},     {3, 7},    {7, 3}, {32, 32}, {33, 33},
      {70, 40}, {40, 70}, {150, 100}, {600, 20}, {0, 3}, {3, 0}};
  const size_t dims[2] = {2, 3};

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const layout how[3] = {draw_layout(), draw_layout(), draw_layout()};
    check_qr(0, NULL, sizes[k][0], sizes[k][1], (int)(k % 2), typecode, how, 1);
  }
  for (int h = 0; h < LAYOUTS; h++)
    check_qr(2, dims, draw(1, 40), draw(1, 40), h % 2, typecode,
             (layout[3]){(layout)h, draw_layout(), (layout)h}, 1);
  check_qr(1, (size_t[]){0}, 3, 3, 0, typecode, rows_only, 1);
  /* More rows than a group of a GPU has registers for, and blocks whose strips
   * have different widths. */
  check_qr(0, NULL, 9000, 5, 0, typecode, rows_only, 1);
  check_qr(0, NULL, 2100, 70, 0, typecode, rows_only, 1);
}

/* Two blocks of several strips on GPUs, and a batch that is copied. */
static void some_factors(void) {
  const size_t dims[2] = {2, 3};
  const layout turned[3] = {TURNED, TURNED, TURNED};

  check_qr(0, NULL, 110, 100, 0, GA_FLOAT, rows_only, 1);
  check_qr(2, dims, 7, 5, 1, GA_FLOAT, turned, 1);
}

static void factors_of_floats(void) {
  if (test_is_quick())
    some_factors();
  else
    all_factors(GA_FLOAT);
  check_qr(0, NULL, 20, 10, 0, GA_FLOAT, rows_only, 1e37);
  check_qr(0, NULL, 20, 10, 0, GA_FLOAT, rows_only, 1e-30);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(factors_of_floats);
}

static void all_hard(void) {
  for (int k = 0; k < HARD; k++) {
    host a = host_hard(k);

    check_qr_of(&a, 0, GA_FLOAT, rows_only);
  }
}

static void test_hard(void **state) {
  (void)state;
  test_mappings(all_hard);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  if (!test_is_quick())
    all_factors(GA_DOUBLE);
  check_qr(0, NULL, 50, 40, 0, GA_DOUBLE, rows_only, 1e300);
}

/* Zeros, columns of zeros and NaN. */
static void all_odd(void) {
  static const float v[3][6] = {{0}, {0, 1, 0, 2, 0, 3}, {1, 2, NAN, 4, 5, 6}};

  for (int k = 0; k < 3; k++) {
    GpuArray a, q, r;
    float got[6];

    test_array(&a, GA_FLOAT, 2, (size_t[]){3, 2}, v[k]);
    assert_ok(GpuArray_qr(&q, &r, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &q));
    for (int i = 0; i < 6; i++)
      assert_true(k == 2 || isfinite(got[i]));
    assert_ok(GpuArray_read(got, 4 * sizeof *got, &r));
    assert_true(k != 2 || isnan(got[0]));
    GpuArray_clear(&a);
    GpuArray_clear(&q);
    GpuArray_clear(&r);
  }
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

/* The sign of an element of R is not that of the element of A; LAPACK counts a
 * zero as positive. */
static void all_signs(void) {
  static const float v[2][4] = {{0, 1, 1, 0}, {-0.0f, 1, 1, 0}};

  for (int k = 0; k < 2; k++) {
    const float sign = k == 0 ? -1 : 1;
    GpuArray a, r;
    float got[4];

    test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, v[k]);
    assert_ok(GpuArray_qr(NULL, &r, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &r));
    assert_true(got[0] == sign && got[1] == 0 && got[3] == sign);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
  }
}

static void test_signs(void **state) {
  (void)state;
  test_mappings(all_signs);
}

/* --- least squares --- */

/* The residual is orthogonal to the columns of A; where A has fewer rows, it is
 * none, and x lies in the span of its rows. */
static void check_lstsq(unsigned int lead, const size_t *dims, size_t m,
                        size_t n, size_t r, int typecode, const layout how[3]) {
  host a = host_new(lead, dims, m, n), b = host_new(lead, dims, m, r);
  host x = host_new(lead, dims, n, r), p = host_new(lead, dims, m, r);
  host g = host_new(lead, dims, n, r), zero = host_new(lead, dims, n, r);
  GpuArray da, db, dx;
  GpuLaunch *launch;

  host_random(&a);
  host_random(&b);
  host_round(&a, typecode);
  host_round(&b, typecode);
  make(&da, &a, typecode, how[0]);
  make(&db, &b, typecode, how[1]);
  make(&dx, &x, typecode, how[2]);
  assert_ok(GpuArray_lstsq_prepare(&launch, &dx, &da, &db));
  run_once(launch);
  host_read(&x, &dx);
  host_multiply(&p, &a, 0, &x, 0);
  for (size_t i = 0; i < host_total(&p); i++)
    p.v[i] -= b.v[i];
  host_multiply(&g, &a, 1, &p, 0);
  for (size_t z = 0; z < a.batch && r > 0; z++) {
    const double size = norm1(&a, z) * norm1(&x, z) + norm1(&b, z);

    expect(
        residual(&g, &zero, z, (double)(m + n) * norm1(&a, z) * size, typecode),
        "A^T (A X - B)", &a, typecode);
    if (m < n) {
      host none = host_new(lead, dims, m, r);
      expect(residual(&p, &none, z, (double)(m + n) * size, typecode),
             "A X - B", &a, typecode);
      free(none.v);
    }
  }
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(a.v);
  free(b.v);
  free(x.v);
  free(p.v);
  free(g.v);
  free(zero.v);
}

static void all_lstsq(void) {
  const size_t dims[2] = {2, 3};

  for (int k = 0; k < 6; k++) {
    const layout how[3] = {draw_layout(), draw_layout(), draw_layout()};
    check_lstsq(0, NULL, draw(1, 90), draw(1, 60), draw(0, 5), GA_FLOAT, how);
    check_lstsq(2, dims, draw(1, 20), draw(1, 20), draw(1, 5), GA_FLOAT, how);
  }
}

/* With more rows than columns, and with fewer. */
static void some_lstsq(void) {
  check_lstsq(0, NULL, 20, 7, 3, GA_FLOAT, rows_only);
  check_lstsq(0, NULL, 7, 20, 3, GA_FLOAT, rows_only);
}

static void test_lstsq(void **state) {
  (void)state;
  test_mappings(test_is_quick() ? some_lstsq : all_lstsq);
}

/* The shortest solution: (1, 1) for x + y = 2. */
static void test_shortest(void **state) {
  const float a[2] = {1, 1}, b[1] = {2};
  GpuArray da, db, x;
  float got[2];

  (void)state;
  test_array(&da, GA_FLOAT, 2, (size_t[]){1, 2}, a);
  test_array(&db, GA_FLOAT, 2, (size_t[]){1, 1}, b);
  assert_ok(GpuArray_lstsq(&x, &da, &db));
  assert_ok(GpuArray_read(got, sizeof got, &x));
  assert_true(fabsf(got[0] - 1) < 1e-5f && fabsf(got[1] - 1) < 1e-5f);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&x);
}

/* A column of zeros: its element of X is no number, or infinite. */
static void deficient_lstsq(void) {
  const float a[6] = {1, 0, 2, 0, 2, 0}, b[3] = {1, 1, 1};
  GpuArray da, db, x;
  float got[2];

  test_array(&da, GA_FLOAT, 2, (size_t[]){3, 2}, a);
  test_array(&db, GA_FLOAT, 2, (size_t[]){3, 1}, b);
  assert_ok(GpuArray_lstsq(&x, &da, &db));
  assert_ok(GpuArray_read(got, sizeof got, &x));
  assert_true(!isfinite(got[1]));
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&x);
}

static void test_deficient(void **state) {
  (void)state;
  test_mappings(deficient_lstsq);
}

static void test_refusals(void **state) {
  float v[12] = {0};
  GpuArray a, b, x;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 3}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){2, 3}, v);
  assert_code(GA_INVALID_ERROR, GpuArray_qr_prepare(&launch, NULL, NULL, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_qr_prepare(&launch, &b, NULL, &a));
  assert_message(GA_VALUE_ERROR, "q: expected 4 x 3, got 2 x 3");
  assert_code(GA_VALUE_ERROR, GpuArray_qr_prepare(&launch, &a, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_qr(&x, NULL, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_qr(NULL, NULL, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_lstsq(&x, &a, &b));
  assert_message(GA_VALUE_ERROR, "b: expected 4 x 3, got 2 x 3");
  assert_code(GA_VALUE_ERROR, GpuArray_qr(&x, &x, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_lstsq(&b, &a, &b));
  assert_code(GA_INVALID_ERROR, GpuArray_lstsq(&x, NULL, &b));
  assert_code(GA_INVALID_ERROR, GpuArray_lstsq(&x, &a, NULL));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),    cmocka_unit_test(test_hard),
      cmocka_unit_test(test_doubles),   cmocka_unit_test(test_odd),
      cmocka_unit_test(test_signs),     cmocka_unit_test(test_lstsq),
      cmocka_unit_test(test_shortest),  cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_deficient),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of complex matrices that have unitary matrices, measured as LAPACK's
 * tests measure them: QR, least squares, eigenvalues, singular values. */
#include <gpuarray/factor.h>

#include "factor/complex_case.h"

enum { ADJOINT = GA_FACTOR_CONJ_TRANS };

/* The columns of x are orthonormal, or with `rows` its rows. */
static void expect_unitary(const char *what, const numbers *x, int rows,
                           int typecode) {
  const numbers g = product(x, rows ? 0 : ADJOINT, x, rows ? ADJOINT : 0);
  const double size = (double)(x->m > x->n ? x->m : x->n);

  for (size_t z = 0; z < x->batch; z++) {
    const double got = distance(&g, NULL, z);
    const double unit = size * eps_of(part_of(typecode));

    if (!(got <= THRESHOLD * unit))
      fail_msg("%s: residual %g of matrix %zu, %zu x %zu, %s", what, got / unit,
               z, x->m, x->n, ga__dtype_name(typecode));
  }
  free(g.v);
}

/* --- QR --- */

/* R is upper triangular with a real diagonal. */
static void check_triangle(const numbers *r) {
  for (size_t z = 0; z < r->batch; z++)
    for (size_t i = 0; i < r->m; i++)
      for (size_t j = 0; j <= i && j < r->n; j++)
        assert_true(i == j ? cimag(*at(r, z, i, j)) == 0
                           : *at(r, z, i, j) == 0);
}

static void check_qr(unsigned int lead, const size_t *dims, size_t m, size_t n,
                     int full, const layout how[3], double scale) {
  const size_t k = full || m < n ? m : n;
  numbers a = zeros(lead, dims, m, n), q = zeros(lead, dims, m, k),
          r = zeros(lead, dims, k, n);
  GpuArray da, dq, dr;
  GpuLaunch *launch;

  fill_random(&a, scale);
  to_array(&da, &a, tested, how[0]);
  to_array(&dq, &q, tested, how[1]);
  to_array(&dr, &r, tested, how[2]);
  assert_ok(GpuArray_qr_prepare(&launch, &dq, &dr, &da));
  run_once(launch);
  from_array(&q, &dq);
  from_array(&r, &dr);
  const numbers p = product(&q, 0, &r, 0);
  expect_near("A - Q R", &a, &p, &a, (double)(m > n ? m : n), tested);
  expect_unitary("I - Q^H Q", &q, 0, tested);
  check_triangle(&r);
  GpuArray_clear(&da);
  GpuArray_clear(&dq);
  GpuArray_clear(&dr);
  free(a.v);
  free(q.v);
  free(r.v);
  free(p.v);
}

static void all_qr(void) {
  static const size_t sizes[][2] = {{0, 0},  {1, 1},    {5, 5}, {3, 7},
                                    {70, 5}, {70, 150}, {0, 3}, {3, 0}};
  const size_t dims[2] = {2, 3}, many = sizeof sizes / sizeof *sizes;
  const size_t n = is_short ? 6 : many;

  for (size_t k = is_short ? 4 : 0; k < n; k++)
    check_qr(0, NULL, sizes[k][0], sizes[k][1], (int)(k % 2), rows_only, 1);
  for (int h = 0; h < (is_short ? 1 : LAYOUTS); h++)
    check_qr(2, dims, draw(1, 40), draw(1, 40), h % 2,
             (layout[3]){(layout)h, draw_layout(), draw_layout()}, 1);
  check_qr(0, NULL, 8, 5, 0, rows_only, tested == GA_CFLOAT ? 1e37 : 1e300);
  check_qr(0, NULL, 8, 5, 0, rows_only, 1e-30);
}

static void test_qr(void **state) {
  (void)state;
  with_dtypes(all_qr);
}

/* LAPACK's zgeqrf gives these factors: a number of one row becomes real; a
 * column of zeros stays. NaN spreads, in the imaginary part, too. */
static void all_odd_qr(void) {
  static const float v[3][8] = {{3, 4}, {0}, {1, 0, 1, 0, 1, NAN, 1, 0}};
  const size_t sizes[3][2] = {{1, 1}, {2, 1}, {2, 2}};

  for (int k = 0; k < 3; k++) {
    GpuArray a, q, r;
    float got[8], unit[8];

    test_array(&a, GA_CFLOAT, 2, sizes[k], v[k]);
    assert_ok(GpuArray_qr(&q, &r, &a, 0));
    assert_ok(GpuArray_read(got, sizes[k][1] * sizes[k][1] * 8, &r));
    assert_ok(GpuArray_read(unit, sizes[k][0] * sizes[k][1] * 8, &q));
    if (k == 0)
      assert_true(got[0] == -5 && got[1] == 0 &&
                  fabsf(unit[0] + 0.6f) < 1e-6f &&
                  fabsf(unit[1] + 0.8f) < 1e-6f);
    if (k == 1)
      assert_true(got[0] == 0 && unit[0] == 1 && unit[2] == 0);
    assert_true(k != 2 || (isnan(got[0]) && isnan(got[6])));
    GpuArray_clear(&a);
    GpuArray_clear(&q);
    GpuArray_clear(&r);
  }
}

static void test_odd_qr(void **state) {
  (void)state;
  test_mappings(all_odd_qr);
}

/* --- least squares --- */

/* A^H (A X - B) is 0. Where A has fewer rows than columns, A X is B, and X lies
 * in the span of the columns of A^H: it is A^H Y with A A^H Y = B. */
static void check_lstsq(unsigned int lead, const size_t *dims, size_t m,
                        size_t n, size_t r, const layout how[3]) {
  const double size = (double)(m + n);
  numbers a = zeros(lead, dims, m, n), b = zeros(lead, dims, m, r);
  numbers x = zeros(lead, dims, n, r);
  GpuArray da, db, dx;
  GpuLaunch *launch;

  fill_random(&a, 1);
  for (size_t z = 0; z < a.batch; z++)
    for (size_t i = 0; i < m && i < n; i++)
      *at(&a, z, i, i) += 3;
  fill_random(&b, 1);
  to_array(&da, &a, tested, how[0]);
  to_array(&db, &b, tested, how[1]);
  to_array(&dx, &x, tested, how[2]);
  assert_ok(GpuArray_lstsq_prepare(&launch, &dx, &da, &db));
  run_once(launch);
  from_array(&x, &dx);
  const numbers p = product(&a, 0, &x, 0);
  const numbers one = product(&a, ADJOINT, &p, 0),
                two = product(&a, ADJOINT, &b, 0);
  expect_near("A^H (A X - B)", &one, &two, &a, size * size, tested);
  if (m < n) {
    const numbers g = product(&a, 0, &a, ADJOINT);
    numbers y = zeros(lead, dims, m, r);
    GpuArray dy, dg;
    numbers given = g;

    expect_near("A X - B", &p, &b, &a, size, tested);
    to_array(&dg, &given, tested, ROWS);
    assert_ok(GpuArray_solve(&dy, NULL, &dg, &db, 0));
    from_array(&y, &dy);
    const numbers span = product(&a, ADJOINT, &y, 0);
    expect_near("X - A^H Y", &x, &span, &a, 10 * size, tested);
    GpuArray_clear(&dy);
    GpuArray_clear(&dg);
    free(g.v);
    free(y.v);
    free(span.v);
  }
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(a.v);
  free(b.v);
  free(x.v);
  free(p.v);
  free(one.v);
  free(two.v);
}

static void all_lstsq(void) {
  const size_t dims[2] = {2, 3};
  const layout odd[3] = {APART, TURNED, COLUMNS};

  check_lstsq(0, NULL, 1, 1, 1, rows_only);
  check_lstsq(0, NULL, 40, 5, 3, rows_only);
  check_lstsq(2, dims, 5, 9, 2, odd);
  if (is_short)
    return;
  check_lstsq(0, NULL, 0, 3, 2, rows_only);
  check_lstsq(0, NULL, 150, 70, 3, rows_only);
  check_lstsq(0, NULL, 70, 80, 20, rows_only);
}

static void test_lstsq(void **state) {
  (void)state;
  with_dtypes(all_lstsq);
}

/* --- eigenvalues --- */

/* Values of -1 and 1 only, or what draws give. The upper triangle and the
 * imaginary parts of the diagonal are not read. */
static void fill_hermitian(numbers *a, int repeated, double scale) {
  fill_random(a, 1);
  for (size_t z = 0; z < a->batch; z++) {
    double square = 0;

    for (size_t i = 0; i < a->n; i++)
      square += pow(cabs(*at(a, z, i, 0)), 2);
    for (size_t i = 0; repeated && i < a->n; i++)
      for (size_t j = a->n; j-- > 0;)
        *at(a, z, i, j) =
            (i == j) - 2 * *at(a, z, i, 0) * conj(*at(a, z, j, 0)) / square;
    for (size_t i = 0; i < a->n; i++)
      for (size_t j = 0; j <= i; j++) {
        const number v = scale * *at(a, z, i, j);

        *at(a, z, i, j) = i == j ? creal(v) : v;
        *at(a, z, j, i) = conj(*at(a, z, i, j));
      }
  }
}

/* Vectors are columns; the first of the nearly largest elements is real and
 * positive. */
static void expect_phases(const numbers *v, int rows, int typecode) {
  const double near = 100 * eps_of(part_of(typecode));
  const size_t n = rows ? v->m : v->n, size = rows ? v->n : v->m;

  for (size_t z = 0; z < v->batch; z++)
    for (size_t j = 0; j < n; j++) {
      double most = 0;
      size_t i = 0;

      for (size_t k = 0; k < size; k++)
        most = fmax(most, cabs(rows ? *at(v, z, j, k) : *at(v, z, k, j)));
      while (cabs(rows ? *at(v, z, j, i) : *at(v, z, i, j)) < 0.71875 * most)
        i++;
      const number x = rows ? *at(v, z, j, i) : *at(v, z, i, j);
      if (!(creal(x) > 0 && fabs(cimag(x)) < near))
        fail_msg("vector %zu of %zu: element %zu is %g + %g i", j, n, i,
                 creal(x), cimag(x));
    }
}

/* Values as the columns of a diagonal matrix on the host. */
static numbers read_values(const numbers *a, const GpuArray *w, size_t n,
                           int descending) {
  numbers d = zeros(a->nd - 2, a->dims, n, n);
  host h = host_new(a->nd - 2, a->dims, 1, n);

  host_read(&h, w);
  for (size_t z = 0; z < d.batch; z++)
    for (size_t i = 0; i < n; i++) {
      const double v = h.v[z * n + i], before = i > 0 ? h.v[z * n + i - 1] : v;

      assert_true(descending ? before >= v && v >= 0 : before <= v);
      *at(&d, z, i, i) = v;
    }
  free(h.v);
  return d;
}

static void check_eigh(unsigned int lead, const size_t *dims, size_t n,
                       int repeated, const layout how[2], double scale,
                       int flags) {
  numbers a = zeros(lead, dims, n, n), given = zeros(lead, dims, n, n);
  size_t sizes[MOST_ND] = {0};
  GpuArray da, dv, dw;
  GpuLaunch *launch;

  fill_hermitian(&a, repeated, scale);
  for (size_t z = 0; z < a.batch; z++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        *at(&given, z, i, j) = i == j              ? *at(&a, z, i, j) + I
                               : (i > j) == !flags ? *at(&a, z, i, j)
                                                   : NAN;
  to_array(&da, &given, tested, how[0]);
  memcpy(sizes, a.dims, sizeof sizes);
  for (size_t i = 0; i < total(&a); i++)
    if (!isnan(creal(given.v[i])))
      a.v[i] = given.v[i];
  for (size_t z = 0; z < a.batch; z++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        const number v = flags ? conj(*at(&a, z, j, i)) : *at(&a, z, i, j);

        *at(&a, z, i, j) = i == j ? creal(v) : v;
        *at(&a, z, j, i) = conj(*at(&a, z, i, j));
      }
  assert_ok(GpuArray_empty(&dw, test_context(), part_of(tested), lead + 1,
                           sizes, GA_C_ORDER));
  to_array(&dv, &given, tested, how[1]);
  assert_ok(GpuArray_eigh_prepare(&launch, &dw, &dv, &da, flags));
  run_once(launch);
  numbers v = zeros(lead, dims, n, n);
  from_array(&v, &dv);
  const numbers w = read_values(&a, &dw, n, 0), left = product(&v, 0, &w, 0);
  const numbers p = product(&left, 0, &v, ADJOINT);
  expect_near("A - V W V^H", &a, &p, &a, (double)n, tested);
  expect_unitary("I - V^H V", &v, 0, tested);
  expect_phases(&v, 0, tested);
  GpuArray_clear(&da);
  GpuArray_clear(&dv);
  GpuArray_clear(&dw);
  free(a.v);
  free(given.v);
  free(v.v);
  free(w.v);
  free(left.v);
  free(p.v);
}

static void all_eigh(void) {
  static const size_t sizes[] = {0, 1, 2, 5, 70, 150};
  const size_t dims[2] = {2, 3};
  const layout odd[2] = {APART, TURNED};

  for (size_t k = 0; k < (is_short ? 4 : 6); k++)
    check_eigh(0, NULL, by_mapping(sizes[k], k % 5), (int)(k % 2), rows_only, 1,
               (int)(k % 2));
  check_eigh(0, NULL, by_mapping(70, 40), 1, rows_only, 1, 0);
  check_eigh(2, dims, 6, 0, odd, 1, GA_FACTOR_UPPER);
  check_eigh(0, NULL, 8, 0, rows_only, tested == GA_CFLOAT ? 1e37 : 1e300, 0);
  check_eigh(0, NULL, 8, 0, rows_only, 1e-30, 0);
}

static void test_eigh(void **state) {
  (void)state;
  with_dtypes(all_eigh);
}

/* --- singular values --- */

typedef enum kind { RANDOM, DEFICIENT, GRADED, ZEROS } kind;

/* Of rank 2 at most, with columns of sizes from 1 to 1e-12, zeros, or none of
 * these. */
static void fill(numbers *a, kind what, double scale) {
  fill_random(a, what == ZEROS ? 0 : scale);
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++) {
        if (what == DEFICIENT && j >= 2)
          *at(a, z, i, j) = *at(a, z, i, j % 2) * ((double)j + I);
        if (what == GRADED)
          *at(a, z, i, j) *= pow(10, -12 * (double)j / (double)a->n);
      }
}

/* |A - U S V^H| / (max(m, n) |A| eps). */
static void expect_product(const numbers *a, const numbers *u, const numbers *s,
                           const numbers *vt) {
  numbers left = zeros(a->nd - 2, a->dims, a->m, s->n);
  numbers right = zeros(a->nd - 2, a->dims, s->n, a->n);

  for (size_t z = 0; z < a->batch; z++)
    for (size_t k = 0; k < s->n; k++) {
      for (size_t i = 0; i < a->m; i++)
        *at(&left, z, i, k) = *at(u, z, i, k) * *at(s, z, k, k);
      for (size_t j = 0; j < a->n; j++)
        *at(&right, z, k, j) = *at(vt, z, k, j);
    }
  const numbers p = product(&left, 0, &right, 0);
  expect_near("A - U S V^H", a, &p, a, (double)(a->m > a->n ? a->m : a->n),
              tested);
  free(left.v);
  free(right.v);
  free(p.v);
}

static void check_svd(unsigned int lead, const size_t *dims, size_t m, size_t n,
                      int full, kind what, double scale, const layout how[3]) {
  const size_t k = m < n ? m : n;
  numbers a = zeros(lead, dims, m, n), u = zeros(lead, dims, m, full ? m : k),
          vt = zeros(lead, dims, full ? n : k, n);
  GpuArray da, du, dv, ds;
  size_t sizes[MOST_ND];
  GpuLaunch *launch;

  fill(&a, what, scale);
  to_array(&da, &a, tested, how[0]);
  to_array(&du, &u, tested, how[1]);
  to_array(&dv, &vt, tested, how[2]);
  memcpy(sizes, a.dims, sizeof sizes);
  sizes[lead] = k;
  assert_ok(GpuArray_empty(&ds, test_context(), part_of(tested), lead + 1,
                           sizes, GA_C_ORDER));
  assert_ok(GpuArray_svd_prepare(&launch, &du, &ds, &dv, &da));
  run_once(launch);
  from_array(&u, &du);
  from_array(&vt, &dv);
  const numbers s = read_values(&a, &ds, k, 1);
  expect_product(&a, &u, &s, &vt);
  expect_unitary("I - U^H U", &u, 0, tested);
  expect_unitary("I - V^H V", &vt, 1, tested);
  if (what == RANDOM && !full)
    expect_phases(m < n ? &u : &vt, m >= n, tested);
  GpuArray_clear(&da);
  GpuArray_clear(&du);
  GpuArray_clear(&dv);
  GpuArray_clear(&ds);
  free(a.v);
  free(u.v);
  free(vt.v);
  free(s.v);
}

static void all_svd(void) {
  static const size_t sizes[][2] = {{0, 3}, {1, 1},   {5, 5},
                                    {7, 3}, {70, 40}, {60, 150}};
  const size_t dims[2] = {2, 3};
  const layout odd[3] = {APART, TURNED, COLUMNS};

  for (size_t k = 0; k < (is_short ? 4 : by_mapping(6, 5)); k++)
    check_svd(0, NULL, sizes[k][0], sizes[k][1], (int)(k % 2), RANDOM, 1,
              rows_only);
  check_svd(0, NULL, by_mapping(70, 40), by_mapping(70, 40), 0, RANDOM, 1,
            rows_only);
  check_svd(2, dims, 3, 5, 1, DEFICIENT, 1, odd);
  check_svd(0, NULL, 9, 6, 0, ZEROS, 1, rows_only);
  check_svd(0, NULL, 9, 6, 0, RANDOM, tested == GA_CFLOAT ? 1e37 : 1e300,
            rows_only);
  check_svd(0, NULL, 6, 9, 0, GRADED, 1e-20, rows_only);
}

static void test_svd(void **state) {
  (void)state;
  with_dtypes(all_svd);
}

/* An imaginary part that is not finite makes all NaN, unless it is that of the
 * diagonal of a Hermitian matrix, or above it. */
static void all_not_finite(void) {
  static const float v[2][8] = {{2, NAN, NAN, NAN, 0, 1, 2, INFINITY},
                                {2, 0, 0, 0, 0, NAN, 2, 0}};
  float got[2], vectors[8];

  for (int k = 0; k < 2; k++) {
    GpuArray a, w, x, s, u;

    test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 2}, v[k]);
    assert_ok(GpuArray_eigh(&w, &x, &a, 0));
    assert_ok(GpuArray_svd(&u, &s, NULL, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &w));
    assert_ok(GpuArray_read(vectors, sizeof vectors, &x));
    assert_true(k == 0 ? fabsf(got[0] - 1) < 1e-6f : (int)isnan(got[0]));
    assert_true(k == 0 || (isnan(vectors[0]) && isnan(vectors[7])));
    assert_ok(GpuArray_read(got, sizeof got, &s));
    assert_ok(GpuArray_read(vectors, sizeof vectors, &u));
    assert_true(isnan(got[0]) && isnan(got[1]) && isnan(vectors[7]));
    GpuArray_clear(&a);
    GpuArray_clear(&w);
    GpuArray_clear(&x);
    GpuArray_clear(&s);
    GpuArray_clear(&u);
  }
}

static void test_not_finite(void **state) {
  (void)state;
  test_mappings(all_not_finite);
}

static void test_refusals(void **state) {
  float v[16] = {0};
  GpuArray a, w, x;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 2}, v);
  test_array(&w, GA_CFLOAT, 1, (size_t[]){2}, v);
  test_array(&x, GA_FLOAT, 2, (size_t[]){2, 2}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &w, NULL, &a, 0));
  assert_message(GA_VALUE_ERROR, "w: expected float32, got complex64");
  assert_code(GA_VALUE_ERROR,
              GpuArray_svd_prepare(&launch, NULL, &w, NULL, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_qr_prepare(&launch, &x, NULL, &a));
  GpuArray_clear(&a);
  GpuArray_clear(&w);
  GpuArray_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_qr),       cmocka_unit_test(test_odd_qr),
      cmocka_unit_test(test_lstsq),    cmocka_unit_test(test_eigh),
      cmocka_unit_test(test_svd),      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

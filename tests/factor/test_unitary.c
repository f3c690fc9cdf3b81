/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of complex matrices that have unitary matrices, measured as LAPACK's
 * tests measure them: QR, least squares, eigenvalues, singular values. */
#include <complex.h>
#undef complex

#include "factor/matrices.h"

#include <gpuarray/factor.h>

/* --- complex matrices on the host --- */

typedef double _Complex number;

/* A batch of matrices in C order. */
typedef struct numbers {
  unsigned int nd;
  size_t dims[MOST_ND], m, n, batch;
  number *v;
} numbers;

static numbers zeros(unsigned int lead, const size_t *dims, size_t m,
                     size_t n) {
  const host h = host_new(lead, dims, m, n);
  numbers x = {.nd = h.nd, .m = m, .n = n, .batch = h.batch};

  memcpy(x.dims, h.dims, sizeof x.dims);
  x.v = calloc(host_total(&h) + 1, sizeof *x.v);
  free(h.v);
  return x;
}

static size_t total(const numbers *x) {
  return x->batch * x->m * x->n;
}

static number *at(const numbers *x, size_t z, size_t i, size_t j) {
  return &x->v[(z * x->m + i) * x->n + j];
}

static number draw_number(double scale) {
  const double re = draw_value();

  return scale * (re + I * draw_value());
}

static void fill_random(numbers *x, double scale) {
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = draw_number(scale);
}

static int part_of(int typecode) {
  return ga__dtype_real(typecode);
}

/* An array of these; the numbers are rounded to the dtype. */
static void to_array(GpuArray *a, numbers *x, int typecode, layout how) {
  const int part = part_of(typecode);
  double *data = calloc(2 * total(x) + 1, sizeof *data);
  ssize_t strides[MOST_ND];

  layout_strides(how, x->nd, x->dims, strides);
  for (size_t i = 0; i < total(x); i++) {
    test_set(data, part, 2 * i, creal(x->v[i]));
    test_set(data, part, 2 * i + 1, cimag(x->v[i]));
    x->v[i] = test_get(data, part, 2 * i) + I * test_get(data, part, 2 * i + 1);
  }
  test_array_strided(a, typecode, x->nd, x->dims, strides, data);
  free(data);
}

static void from_array(numbers *x, const GpuArray *a) {
  const int part = part_of(a->typecode);
  double *data = calloc(2 * total(x) + 1, sizeof *data);

  test_gather(a, data);
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = test_get(data, part, 2 * i) + I * test_get(data, part, 2 * i + 1);
  free(data);
}

/* c = a b for each matrix; with `ta` a is the conjugate transpose, with `tb`
 * b. */
static numbers product(const numbers *a, int ta, const numbers *b, int tb) {
  const size_t depth = ta ? a->m : a->n;
  numbers c = zeros(a->nd - 2, a->dims, ta ? a->n : a->m, tb ? b->m : b->n);

  for (size_t z = 0; z < c.batch; z++)
    for (size_t i = 0; i < c.m; i++)
      for (size_t k = 0; k < depth; k++) {
        const number v = ta ? conj(*at(a, z, k, i)) : *at(a, z, i, k);

        for (size_t j = 0; j < c.n; j++)
          *at(&c, z, i, j) +=
              v * (tb ? conj(*at(b, z, j, k)) : *at(b, z, k, j));
      }
  return c;
}

/* The largest sum of absolute values of a column of matrix z of a - b, where b
 * is the identity if it is NULL. */
static double distance(const numbers *a, const numbers *b, size_t z) {
  double most = 0;

  for (size_t j = 0; j < a->n; j++) {
    double sum = 0;

    for (size_t i = 0; i < a->m; i++)
      sum += cabs(*at(a, z, i, j) - (b != NULL ? *at(b, z, i, j) : i == j));
    if (!(sum <= most))
      most = isnan(sum) ? HUGE_VAL : sum;
  }
  return most;
}

static double norm_of(const numbers *a, size_t z) {
  const numbers none = zeros(a->nd - 2, a->dims, a->m, a->n);
  const double norm = distance(a, &none, z);

  free(none.v);
  return norm;
}

/* |p - q| / (scale |a| eps) is small, where scale counts elements. */
static void expect_near(const char *what, const numbers *p, const numbers *q,
                        const numbers *a, double scale, int typecode) {
  for (size_t z = 0; z < p->batch; z++) {
    const double got = distance(p, q, z);
    const double unit = scale * norm_of(a, z) * eps_of(part_of(typecode));

    if (got != 0 && !(got < THRESHOLD * unit))
      fail_msg("%s: residual %g of matrix %zu, %zu x %zu, %s", what, got / unit,
               z, a->m, a->n, ga__dtype_name(typecode));
  }
}

/* The columns of x are orthonormal, or with `rows` its rows. */
static void expect_unitary(const char *what, const numbers *x, int rows,
                           int typecode) {
  const numbers g = product(x, !rows, x, rows);
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

/* Run `each` with complex64, as for a GPU, too, and with complex128 where there
 * are doubles: then `is_short`, unless tests are long. */
static int tested;

static void with_dtypes(void (*each)(void)) {
  tested = GA_CFLOAT;
  test_mappings(each);
  if (gpucontext_caps(test_context())->fp64) {
    tested = GA_CDOUBLE;
    each();
  }
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
  const size_t n = test_is_quick() ? 6 : many;

  for (size_t k = test_is_quick() ? 4 : 0; k < n; k++)
    check_qr(0, NULL, sizes[k][0], sizes[k][1], (int)(k % 2), rows_only, 1);
  for (int h = 0; h < (test_is_quick() ? 1 : LAYOUTS); h++)
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_qr),
      cmocka_unit_test(test_odd_qr),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of matrices as array calls: determinants, norms, ranks,
 * pseudo-inverses, powers and exponentials, against sums on the host. */
#include <gpuarray/matrix.h>

#include <gpuarray/factor.h>

#include "factor/complex_matrices.h"

static int tested; /* the dtype */

static int is_complex(void) {
  return ga__dtype_is_complex(tested);
}

static double eps(void) {
  return eps_of(part_of(tested));
}

/* A real dtype has the real parts. */
static void load(GpuArray *a, numbers *x, layout how) {
  host h = host_new(x->nd - 2, x->dims, x->m, x->n);

  if (is_complex()) {
    to_array(a, x, tested, how);
  } else {
    for (size_t i = 0; i < total(x); i++)
      h.v[i] = creal(x->v[i]);
    host_round(&h, tested);
    for (size_t i = 0; i < total(x); i++)
      x->v[i] = h.v[i];
    make(a, &h, tested, how);
  }
  free(h.v);
}

/* Matrices of the sizes of an array, or one row of what it has. */
static numbers unload(GpuArray *a, unsigned int is_matrix) {
  const unsigned int lead = a->nd - 2 * is_matrix;
  numbers x = is_matrix ? zeros(lead, a->dimensions, a->dimensions[lead],
                                a->dimensions[lead + 1])
                        : zeros(0, NULL, 1, test_size(a));
  host h = host_new(0, NULL, 1, total(&x));

  if (ga__dtype_is_complex(a->typecode)) {
    from_array(&x, a);
  } else {
    host_read(&h, a);
    for (size_t i = 0; i < total(&x); i++)
      x.v[i] = h.v[i];
  }
  free(h.v);
  GpuArray_clear(a);
  return x;
}

static numbers random_matrices(unsigned int lead, const size_t *dims, size_t m,
                               size_t n) {
  numbers x = zeros(lead, dims, m, n);

  fill_random(&x, 1);
  return x;
}

static void expect(const char *what, number got, number want, double near) {
  if (!(cabs(got - want) <= near) && got != want)
    fail_msg("%s, %s: got %g + %g i, expected %g + %g i", what,
             ga__dtype_name(tested), creal(got), cimag(got), creal(want),
             cimag(want));
}

/* Expressions differ for complex numbers. */
static void complex_and_real(void (*each)(void)) {
  tested = GA_CFLOAT;
  each();
  tested = GA_FLOAT;
  each();
}

/* --- determinants --- */

/* By Laplace's rule along the first row, for rows from `first` on and the
 * columns that are not `gone`. */
static number minor_of(const numbers *a, size_t z, size_t first,
                       unsigned int gone) {
  number sum = 0;
  double sign = 1;

  for (size_t j = 0; j < a->n; j++) {
    if (gone & 1u << j)
      continue;
    sum +=
        sign * *at(a, z, first, j) * minor_of(a, z, first + 1, gone | 1u << j);
    sign = -sign;
  }
  return first == a->n ? 1 : sum;
}

static void determinants(void) {
  const size_t dims[2] = {2, 3};
  numbers a = random_matrices(2, dims, 4, 4);
  GpuArray da, dd, ds, dl;

  for (size_t j = 0; j < 4; j++) /* the first one is singular */
    *at(&a, 0, 2, j) = 0;
  load(&da, &a, APART);
  assert_ok(GpuArray_det(&dd, &da));
  assert_true(dd.nd == 2 && dd.dimensions[0] == 2 && dd.dimensions[1] == 3);
  assert_ok(GpuArray_slogdet(&ds, &dl, &da));
  assert_int_equal(dl.typecode, part_of(tested));
  numbers det = unload(&dd, 0), sign = unload(&ds, 0), log = unload(&dl, 0);
  for (size_t z = 0; z < 6; z++) {
    const number want = minor_of(&a, z, 0, 0);

    expect("determinant", det.v[z], want, 100 * eps());
    expect("sign", sign.v[z], z > 0 ? want / cabs(want) : 0, 300 * eps());
    expect("logarithm", exp(creal(log.v[z])), cabs(want), 300 * eps());
  }
  GpuArray_clear(&da);
  free(a.v);
  free(det.v);
  free(sign.v);
  free(log.v);
}

static void test_determinants(void **state) {
  (void)state;
  complex_and_real(determinants);
}

/* --- norms --- */

/* Two equal matrices with absolute values 1 to min(m, n), one in each row and
 * column. */
static numbers scattered(size_t m, size_t n) {
  const size_t dims[1] = {2};
  numbers x = zeros(1, dims, m, n);

  for (size_t z = 0; z < 2; z++)
    for (size_t i = 0; i < m && i < n; i++)
      *at(&x, z, i, (i + 1) % (m < n ? m : n)) =
          (double)(i + 1) * (is_complex() ? cexp(I * (double)i) : -1);
  return x;
}

static double norm_on_host(const numbers *a, size_t z,
                           ga_matrix_norm_kind kind) {
  const int by_rows = kind == GA_NORM_ROWS || kind == GA_NORM_LEAST_ROW;
  const int is_least =
      kind == GA_NORM_LEAST_COLUMN || kind == GA_NORM_LEAST_ROW;
  double found = is_least ? HUGE_VAL : 0, squares = 0;

  for (size_t k = 0; k < (by_rows ? a->m : a->n); k++) {
    double sum = 0;

    for (size_t i = 0; i < (by_rows ? a->n : a->m); i++) {
      const double x = cabs(by_rows ? *at(a, z, k, i) : *at(a, z, i, k));

      sum += x;
      squares += x * x;
    }
    found = is_least ? fmin(found, sum) : fmax(found, sum);
  }
  return kind == GA_NORM_FROBENIUS ? sqrt(squares) : found;
}

/* All elements are the same number. */
static void expect_number(const char *what, GpuArray *got, double want) {
  numbers x = unload(got, 0);

  assert_true(total(&x) > 0);
  for (size_t i = 0; i < total(&x); i++)
    expect(what, x.v[i], want, 100 * eps() * want);
  free(x.v);
}

static void norms(void) {
  static const ga_matrix_norm_kind sums[] = {GA_NORM_FROBENIUS, GA_NORM_COLUMNS,
                                             GA_NORM_ROWS, GA_NORM_LEAST_COLUMN,
                                             GA_NORM_LEAST_ROW};
  const size_t dims[1] = {3};
  numbers a = random_matrices(1, dims, 3, 5), b = scattered(3, 5);
  GpuArray da, db, got;

  load(&da, &a, APART);
  load(&db, &b, APART);
  for (int k = 0; k < 5; k++) {
    assert_ok(GpuArray_matrix_norm(&got, &da, sums[k]));
    assert_int_equal(got.typecode, part_of(tested));
    numbers x = unload(&got, 0);
    for (size_t z = 0; z < 3; z++)
      expect("norm", x.v[z], norm_on_host(&a, z, sums[k]), 30 * eps());
    free(x.v);
  }
  assert_ok(GpuArray_matrix_norm(&got, &db, GA_NORM_NUCLEAR));
  expect_number("nuclear norm", &got, 6);
  assert_ok(GpuArray_matrix_norm(&got, &db, GA_NORM_SPECTRAL));
  expect_number("spectral norm", &got, 3);
  assert_ok(GpuArray_matrix_norm(&got, &db, GA_NORM_LEAST_SINGULAR));
  expect_number("least singular value", &got, 1);
  assert_ok(GpuArray_cond(&got, &db, GA_NORM_SPECTRAL));
  expect_number("condition", &got, 3);
  assert_ok(GpuArray_cond(&got, &db, GA_NORM_LEAST_SINGULAR));
  expect_number("inverted condition", &got, 1.0 / 3);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  free(a.v);
  free(b.v);
}

static void test_norms(void **state) {
  (void)state;
  tested = GA_CFLOAT;
  norms();
}

static double vector_norm_on_host(const numbers *a, size_t z, double p) {
  double found = p < 0 ? HUGE_VAL : 0, sum = 0;

  for (size_t j = 0; j < a->n; j++) {
    const double x = cabs(a->v[z * a->n + j]);

    found = p < 0 ? fmin(found, x) : fmax(found, x);
    sum += p == 0 ? x != 0 : pow(x, p);
  }
  return isinf(p) ? found : p == 0 ? sum : pow(sum, 1 / p);
}

static void vector_norms(void) {
  const double p[] = {1, 2, 3, 0, HUGE_VAL, -HUGE_VAL};
  const size_t dims[1] = {2};
  numbers a = random_matrices(1, dims, 3, 5);
  GpuArray da, got;

  a.v[7] = 0;
  load(&da, &a, APART);
  for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
    assert_ok(GpuArray_vector_norm(&got, &da, p[k]));
    assert_true(got.nd == 2 && got.typecode == part_of(tested));
    numbers x = unload(&got, 0);
    for (size_t z = 0; z < 6; z++)
      expect("norm", x.v[z], vector_norm_on_host(&a, z, p[k]), 30 * eps());
    free(x.v);
  }
  GpuArray_clear(&da);
  free(a.v);
}

static void test_vector_norms(void **state) {
  (void)state;
  complex_and_real(vector_norms);
}

/* In other norms, and of a singular matrix. */
static void conditions(void) {
  numbers a = scattered(3, 3);
  GpuArray da, got;

  load(&da, &a, ROWS);
  assert_ok(GpuArray_cond(&got, &da, GA_NORM_COLUMNS));
  expect_number("condition", &got, 3);
  assert_ok(GpuArray_cond(&got, &da, GA_NORM_FROBENIUS));
  expect_number("condition", &got, sqrt(14 * (1 + 0.25 + 1.0 / 9)));
  GpuArray_clear(&da);
  for (size_t i = 0; i < 6; i++)
    *at(&a, i / 3, i % 3, 1) = 0;
  load(&da, &a, ROWS);
  assert_ok(GpuArray_cond(&got, &da, GA_NORM_ROWS));
  expect_number("condition", &got, HUGE_VAL);
  GpuArray_clear(&da);
  free(a.v);
}

static void test_conditions(void **state) {
  (void)state;
  tested = GA_CFLOAT;
  conditions();
}

/* --- ranks and pseudo-inverses --- */

static numbers of_rank(size_t m, size_t n, size_t rank) {
  const size_t dims[1] = {2};
  numbers x = random_matrices(1, dims, m, rank),
          y = random_matrices(1, dims, rank, n);

  for (size_t i = 0; i < total(&x) && !is_complex(); i++)
    x.v[i] = creal(x.v[i]);
  for (size_t i = 0; i < total(&y) && !is_complex(); i++)
    y.v[i] = creal(y.v[i]);
  numbers a = product(&x, 0, &y, 0);
  free(x.v);
  free(y.v);
  return a;
}

/* X with A X A = A and X A X = X, where A X and X A are Hermitian. */
static void check_pinv(size_t m, size_t n, size_t rank, layout how) {
  numbers a = of_rank(m, n, rank);
  GpuArray da, dx, d_rank;
  int64_t ranks[2];

  load(&da, &a, how);
  assert_ok(GpuArray_pinv(&dx, &da, -1));
  assert_ok(GpuArray_matrix_rank(&d_rank, &da, -1));
  assert_ok(GpuArray_read(ranks, sizeof ranks, &d_rank));
  numbers x = unload(&dx, 1);
  assert_true(x.batch == 2 && x.m == n && x.n == m);
  const numbers ax = product(&a, 0, &x, 0), xa = product(&x, 0, &a, 0);
  const numbers axa = product(&ax, 0, &a, 0), xax = product(&xa, 0, &x, 0);
  for (size_t z = 0; z < 2; z++) {
    const double size = norm_of(&a, z) * norm_of(&x, z);
    const double near = 30 * size * (double)(m + n) * eps();

    assert_int_equal(ranks[z], rank);
    assert_true(distance(&axa, &a, z) < near * norm_of(&a, z));
    assert_true(distance(&xax, &x, z) < near * norm_of(&x, z));
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < m; j++)
        expect("A X", *at(&ax, z, i, j), conj(*at(&ax, z, j, i)), near);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        expect("X A", *at(&xa, z, i, j), conj(*at(&xa, z, j, i)), near);
  }
  GpuArray_clear(&da);
  GpuArray_clear(&d_rank);
  free(a.v);
  free(x.v);
  free(ax.v);
  free(xa.v);
  free(axa.v);
  free(xax.v);
}

static void pseudo_inverses(void) {
  numbers b = scattered(3, 3);
  GpuArray db, got;

  check_pinv(5, 3, 3, APART);
  check_pinv(3, 5, 2, ROWS);
  load(&db, &b, ROWS);
  assert_ok(GpuArray_matrix_rank(&got, &db, 1.5));
  expect_number("rank", &got, 2);
  assert_ok(GpuArray_pinv(&got, &db, 0.5));
  numbers x = unload(&got, 1);
  expect("element", *at(&x, 0, 1, 0), 0, 0);
  expect("element", *at(&x, 0, 0, 2), conj(*at(&b, 0, 2, 0)) / 9, 10 * eps());
  GpuArray_clear(&db);
  free(b.v);
  free(x.v);
}

static void test_pseudo_inverses(void **state) {
  (void)state;
  complex_and_real(pseudo_inverses);
}

/* --- products, powers and exponentials --- */

static void kronecker(void) {
  const size_t dims[1] = {2};
  numbers a = random_matrices(1, dims, 2, 3),
          b = random_matrices(1, dims, 4, 1);
  GpuArray da, db, dx;

  load(&da, &a, APART);
  load(&db, &b, COLUMNS);
  assert_ok(GpuArray_kron(&dx, &da, &db));
  numbers x = unload(&dx, 1);
  assert_true(x.batch == 2 && x.m == 8 && x.n == 3);
  for (size_t z = 0; z < 2; z++)
    for (size_t i = 0; i < 8; i++)
      for (size_t j = 0; j < 3; j++)
        expect("product", *at(&x, z, i, j),
               *at(&a, z, i / 4, j) * *at(&b, z, i % 4, 0), 4 * eps());
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  free(a.v);
  free(b.v);
  free(x.v);
}

static void test_kronecker(void **state) {
  (void)state;
  complex_and_real(kronecker);
}

static void powers(void) {
  const size_t dims[2] = {2, 3};
  numbers a = random_matrices(2, dims, 3, 3);
  GpuArray da, dx;

  load(&da, &a, APART);
  const numbers square = product(&a, 0, &a, 0);
  const numbers want = product(&square, 0, &a, 0);
  assert_ok(GpuArray_matrix_power(&dx, &da, 3));
  numbers cube = unload(&dx, 1);
  assert_ok(GpuArray_matrix_power(&dx, &da, -3));
  numbers inverse = unload(&dx, 1);
  assert_ok(GpuArray_matrix_power(&dx, &da, 0));
  numbers one = unload(&dx, 1);
  const numbers unit = product(&cube, 0, &inverse, 0);
  for (size_t z = 0; z < a.batch; z++) {
    const double size = norm_of(&cube, z) * norm_of(&inverse, z);

    assert_true(distance(&cube, &want, z) < 100 * eps() * pow(3, 3));
    assert_true(distance(&unit, NULL, z) < 100 * eps() * size);
    assert_true(distance(&one, NULL, z) == 0);
  }
  GpuArray_clear(&da);
  free(a.v);
  free(square.v);
  free(want.v);
  free(cube.v);
  free(inverse.v);
  free(one.v);
  free(unit.v);
}

static void test_powers(void **state) {
  (void)state;
  tested = GA_CFLOAT;
  powers();
}

/* The sum of the series of a / 2^10, squared 10 times. */
static numbers exponential(const numbers *a) {
  numbers x = zeros(a->nd - 2, a->dims, a->m, a->n), sum = x, term = x;

  sum.v = calloc(total(a), sizeof *sum.v);
  term.v = calloc(total(a), sizeof *term.v);
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      *at(&sum, z, i, i) = *at(&term, z, i, i) = 1;
  for (size_t i = 0; i < total(a); i++)
    x.v[i] = ldexp(creal(a->v[i]), -10) + I * ldexp(cimag(a->v[i]), -10);
  for (int k = 1; k < 12; k++) {
    const numbers next = product(&term, 0, &x, 0);

    free(term.v);
    term = next;
    for (size_t i = 0; i < total(a); i++)
      sum.v[i] += term.v[i] /= k;
  }
  for (int k = 0; k < 10; k++) {
    const numbers next = product(&sum, 0, &sum, 0);

    free(sum.v);
    sum = next;
  }
  free(x.v);
  free(term.v);
  return sum;
}

/* Of norms that need no squares and several, and of one that is not finite. Of
 * doubles, where there are some, since they need all digits of constants. */
static void exponentials(void) {
  const size_t dims[1] = {3};
  numbers a = random_matrices(1, dims, 4, 4);
  GpuArray da, dx;

  for (size_t i = 0; i < 16; i++) {
    a.v[i] *= 0.5;
    a.v[16 + i] *= 8;
  }
  a.v[40] = NAN;
  load(&da, &a, APART);
  assert_ok(GpuArray_matrix_exp(&dx, &da));
  numbers x = unload(&dx, 1);
  const numbers want = exponential(&a);
  for (size_t z = 0; z < 2; z++)
    assert_true(distance(&x, &want, z) <
                1000 * eps() * fmax(1, norm_of(&want, z)));
  for (size_t i = 32; i < 48; i++)
    assert_true(isnan(creal(x.v[i])));
  GpuArray_clear(&da);
  free(a.v);
  free(x.v);
  free(want.v);
}

static void test_exponentials(void **state) {
  (void)state;
  tested = gpucontext_caps(test_context())->fp64 ? GA_CDOUBLE : GA_CFLOAT;
  exponentials();
}

/* --- matrices without elements, and refusals --- */

static void test_empty(void **state) {
  const float v[1] = {0};
  GpuArray a, b, x;

  (void)state;
  tested = GA_FLOAT;
  test_array(&a, GA_FLOAT, 2, (size_t[]){0, 0}, v);
  test_array(&b, GA_FLOAT, 3, (size_t[]){1, 0, 3}, v);
  assert_ok(GpuArray_det(&x, &a));
  expect_number("determinant", &x, 1);
  assert_ok(GpuArray_slogdet(NULL, &x, &a));
  expect_number("logarithm", &x, 0);
  assert_ok(GpuArray_matrix_norm(&x, &b, GA_NORM_SPECTRAL));
  expect_number("norm", &x, 0);
  assert_ok(GpuArray_matrix_rank(&x, &b, -1));
  expect_number("rank", &x, 0);
  assert_ok(GpuArray_pinv(&x, &b, -1));
  assert_true(x.nd == 3 && x.dimensions[1] == 3 && x.dimensions[2] == 0);
  GpuArray_clear(&x);
  for (int n = -1; n < 3; n++) {
    assert_ok(GpuArray_matrix_power(&x, &a, n));
    GpuArray_clear(&x);
  }
  assert_ok(GpuArray_matrix_exp(&x, &a));
  GpuArray_clear(&x);
  assert_ok(GpuArray_kron(&x, &a, &a));
  GpuArray_clear(&x);
  assert_ok(GpuArray_vector_norm(&x, &a, HUGE_VAL));
  GpuArray_clear(&x);
  assert_code(GA_VALUE_ERROR, GpuArray_cond(&x, &b, GA_NORM_SPECTRAL));
  assert_message(GA_VALUE_ERROR, "a: 0 x 3 has no condition number");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void test_refusals(void **state) {
  const float v[12] = {0};
  GpuArray a, ints, row, x;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){3, 4}, v);
  test_array(&ints, GA_INT, 2, (size_t[]){3, 3}, v);
  test_array(&row, GA_FLOAT, 1, (size_t[]){3}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_det(&x, &a));
  assert_message(GA_VALUE_ERROR, "a: 3 x 4 is not square");
  assert_null(x.data);
  assert_code(GA_VALUE_ERROR, GpuArray_matrix_power(&x, &a, 2));
  assert_code(GA_VALUE_ERROR, GpuArray_matrix_exp(&x, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_cond(&x, &a, GA_NORM_ROWS));
  assert_code(GA_VALUE_ERROR, GpuArray_det(&x, &row));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_det(&x, &ints));
  assert_message(GA_UNSUPPORTED_ERROR,
                 "a: expected float32, float64 or complex numbers, got int32");
  assert_code(GA_INVALID_ERROR, GpuArray_det(&x, NULL));
  assert_code(GA_INVALID_ERROR, GpuArray_det(NULL, &a));
  assert_message(GA_INVALID_ERROR, "det: no array");
  assert_code(GA_INVALID_ERROR, GpuArray_slogdet(NULL, NULL, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_slogdet(&x, &x, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_pinv(&a, &a, -1));
  assert_code(GA_VALUE_ERROR, GpuArray_pinv(&x, &a, (double)NAN));
  assert_code(GA_VALUE_ERROR, GpuArray_matrix_rank(&x, &a, (double)NAN));
  assert_code(GA_VALUE_ERROR,
              GpuArray_matrix_norm(&x, &a, (ga_matrix_norm_kind)8));
  assert_message(GA_VALUE_ERROR, "norm 8 is not known");
  assert_code(GA_VALUE_ERROR, GpuArray_kron(&x, &a, &ints));
  assert_message(GA_VALUE_ERROR, "b: expected float32, got int32");
  assert_code(GA_INVALID_ERROR, GpuArray_kron(&x, &a, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_kron(&a, &ints, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_vector_norm(&x, &row, (double)NAN));
  assert_code(GA_VALUE_ERROR, GpuArray_vector_norm(&row, &row, 2));
  assert_code(GA_INVALID_ERROR, GpuArray_vector_norm(NULL, &row, 2));
  assert_code(GA_INVALID_ERROR, GpuArray_vector_norm(&x, NULL, 2));
  GpuArray_clear(&a);
  GpuArray_clear(&ints);
  GpuArray_clear(&row);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_determinants),
      cmocka_unit_test(test_norms),
      cmocka_unit_test(test_vector_norms),
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_pseudo_inverses),
      cmocka_unit_test(test_kronecker),
      cmocka_unit_test(test_powers),
      cmocka_unit_test(test_exponentials),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of complex matrices, and solving with them, measured as LAPACK's
 * tests measure them: Cholesky, triangles, equations. */
#include <gpuarray/factor.h>

#include "factor/complex_case.h"

enum {
  UPPER = GA_FACTOR_UPPER,
  TRANS = GA_FACTOR_TRANS,
  CONJ_TRANS = GA_FACTOR_CONJ_TRANS,
  RIGHT = GA_FACTOR_RIGHT,
  UNIT = GA_FACTOR_UNIT,
  POSITIVE = GA_FACTOR_POSITIVE
};

static const int ops[3] = {0, TRANS, CONJ_TRANS};

/* --- Cholesky --- */

/* Hermitian positive definite matrices: B B^H + I, scaled. */
static numbers definite(unsigned int lead, const size_t *dims, size_t n,
                        double scale) {
  numbers b = zeros(lead, dims, n, n);

  fill_random(&b, 1);
  const numbers a = product(&b, 0, &b, CONJ_TRANS);
  for (size_t z = 0; z < a.batch; z++)
    for (size_t i = 0; i < n; i++)
      *at(&a, z, i, i) = creal(*at(&a, z, i, i)) + 1;
  for (size_t i = 0; i < total(&a); i++)
    a.v[i] *= scale;
  free(b.v);
  return a;
}

/* A copy in which what is not read is NaN: a triangle, and imaginary parts on
 * the diagonal. */
static numbers spoiled(const numbers *a, int is_upper) {
  const numbers s = zeros(a->nd - 2, a->dims, a->m, a->n);

  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++)
        *at(&s, z, i, j) = i == j ? CMPLX(creal(*at(a, z, i, j)), NAN)
                           : (is_upper ? j < i : j > i) ? CMPLX(NAN, NAN)
                                                        : *at(a, z, i, j);
  return s;
}

static void check_factor(const numbers *a, const numbers *l, int is_upper) {
  const numbers p =
      product(l, is_upper ? CONJ_TRANS : 0, l, is_upper ? 0 : CONJ_TRANS);

  expect_near(is_upper ? "A - U^H U" : "A - L L^H", a, &p, a, (double)a->n,
              tested);
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++) {
        if (is_upper ? j < i : j > i)
          assert_true(*at(l, z, i, j) == 0);
        if (i == j)
          assert_true(cimag(*at(l, z, i, j)) == 0 &&
                      creal(*at(l, z, i, j)) > 0);
      }
  free(p.v);
}

static void check_cholesky(unsigned int lead, const size_t *dims, size_t n,
                           layout from, layout to, int flags, int in_place,
                           double scale) {
  numbers a = definite(lead, dims, n, scale), l = zeros(lead, dims, n, n);
  numbers given = spoiled(&a, flags & UPPER);
  GpuArray x, y, info;
  GpuLaunch *launch;

  to_array(&x, &a, tested, from);
  GpuArray_clear(&x); /* this rounds */
  for (size_t i = 0; i < total(&a); i++)
    given.v[i] = isnan(creal(given.v[i]))   ? given.v[i]
                 : isnan(cimag(given.v[i])) ? CMPLX(creal(a.v[i]), NAN)
                                            : a.v[i];
  to_array(&x, &given, tested, from);
  if (in_place)
    assert_ok(GpuArray_view(&y, &x));
  else
    to_array(&y, &l, tested, to);
  ints_array(&info, lead, dims, 0, 1);
  assert_ok(GpuArray_cholesky_prepare(&launch, &y, &info, &x, flags));
  run_once(launch);
  from_array(&l, &y);
  int32_t *const got = ints_of(&info);
  for (size_t z = 0; z < a.batch; z++)
    assert_int_equal(got[z], 0);
  check_factor(&a, &l, flags & UPPER);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(got);
  free(a.v);
  free(l.v);
  free(given.v);
}

/* One block, and several of CPUs and GPUs; batches that are copied. */
static void all_cholesky(void) {
  static const size_t sizes[] = {0, 1, 2, 5, 31, 33, 70, 200};
  const size_t dims[2] = {2, 3};

  check_cholesky(0, NULL, 140, ROWS, ROWS, 0, 0, 1);
  check_cholesky(0, NULL, 70, ROWS, COLUMNS, UPPER, 1, 1);
  check_cholesky(2, dims, 5, TURNED, APART, UPPER, 0, 1);
  check_cholesky(0, NULL, 9, ROWS, ROWS, 0, 0,
                 tested == GA_CFLOAT ? 1e-33 : 1e-300);
  check_cholesky(0, NULL, 9, ROWS, ROWS, 0, 0,
                 tested == GA_CFLOAT ? 1e33 : 1e300);
  for (size_t k = 0; !is_short && k < sizeof sizes / sizeof *sizes; k++)
    check_cholesky(0, NULL, sizes[k], draw_layout(), draw_layout(),
                   (int)draw(0, 1) * UPPER, (int)(k % 2), 1);
  for (int h = 0; !is_short && h < LAYOUTS; h++)
    check_cholesky(2, dims, draw(1, 80), (layout)h, draw_layout(),
                   (int)draw(0, 1) * UPPER, h % 2, 1);
}

static void test_cholesky(void **state) {
  (void)state;
  with_dtypes(all_cholesky);
}

/* Matrices that are not positive definite, beside one that is. */
static void check_minor(size_t n, size_t bad, double value) {
  const size_t batch = 2;
  numbers a = definite(1, &batch, n, 1), l = zeros(1, &batch, n, n);
  GpuArray x, y, info;

  *at(&a, 1, bad, bad) = value;
  to_array(&x, &a, tested, ROWS);
  assert_ok(GpuArray_cholesky(&y, &info, &x, 0));
  int32_t *const got = ints_of(&info);
  assert_int_equal(got[0], 0);
  assert_int_equal(got[1], (int)bad + 1);
  from_array(&l, &y);
  for (size_t i = 0; i < n; i++) {
    assert_true(creal(*at(&l, 0, i, i)) > 0);
    assert_true(i < bad ? creal(*at(&l, 1, i, i)) > 0
                        : is_nan(*at(&l, 1, i, i)));
    if (i > bad)
      assert_true(is_nan(*at(&l, 1, i, bad)));
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(got);
  free(a.v);
  free(l.v);
}

static void all_minors(void) {
  check_minor(5, 0, 0);
  check_minor(70, 66, -1);
  check_minor(140, 20, NAN);
}

static void test_minors(void **state) {
  (void)state;
  with_dtypes(all_minors);
}

/* --- triangular solves --- */

/* A random triangle whose inverse is moderate; 0 elsewhere. */
static void fill_triangle(numbers *a, int is_upper) {
  fill_random(a, 1 / (double)(a->n + 1));
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++) {
      *at(a, z, i, i) = cexp(I * draw_value() * 3) * (1 + draw_value() / 2);
      for (size_t j = 0; j < a->n; j++)
        if (is_upper ? j < i : j > i)
          *at(a, z, i, j) = 0;
    }
}

/* The same, NaN where it is not read. */
static numbers unread(const numbers *a, int flags) {
  const numbers s = zeros(a->nd - 2, a->dims, a->m, a->n);

  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++)
        *at(&s, z, i, j) =
            (flags & UPPER ? j < i : j > i) || (i == j && flags & UNIT)
                ? CMPLX(NAN, NAN)
                : *at(a, z, i, j);
  return s;
}

/* |p - b| / (n |A| |X| eps) is small, where p is what A and its solution X
 * give. */
static void expect_answer(const numbers *p, const numbers *b, const numbers *a,
                          const numbers *x, int flags) {
  for (size_t z = 0; z < a->batch; z++) {
    const double scale = norm_of(a, z) * norm_of(x, z) * (double)a->n;
    const double got = distance(p, b, z);

    if (got != 0 && !(got < THRESHOLD * scale * eps_of(part_of(tested))))
      fail_msg("residual %g of matrix %zu, n %zu, b %zu x %zu, flags %#x, %s",
               got / scale / eps_of(part_of(tested)), z, a->n, b->m, b->n,
               (unsigned int)flags, ga__dtype_name(tested));
  }
}

static void check_solve(unsigned int lead, const size_t *dims, size_t n,
                        size_t r, const layout how[3], int flags,
                        int in_place) {
  const int right = (flags & RIGHT) != 0, op = flags & (TRANS | CONJ_TRANS);
  numbers a = zeros(lead, dims, n, n);
  numbers b = zeros(lead, dims, right ? r : n, right ? n : r);
  numbers x = zeros(lead, dims, b.m, b.n);
  GpuArray da, db, dx;
  GpuLaunch *launch;

  fill_triangle(&a, flags & UPPER);
  to_array(&da, &a, tested, how[0]);
  GpuArray_clear(&da); /* this rounds */
  numbers given = unread(&a, flags);
  fill_random(&b, 1);
  to_array(&da, &given, tested, how[0]);
  to_array(&db, &b, tested, how[1]);
  for (size_t i = 0; flags & UNIT && i < a.batch * n; i++)
    *at(&a, i / n, i % n, i % n) = 1;
  if (in_place)
    assert_ok(GpuArray_view(&dx, &db));
  else
    to_array(&dx, &x, tested, how[2]);
  assert_ok(GpuArray_triangular_solve_prepare(&launch, &dx, &da, &db, flags));
  run_once(launch);
  from_array(&x, &dx);
  const numbers p = right ? product(&x, 0, &a, op) : product(&a, op, &x, 0);
  expect_answer(&p, &b, &a, &x, flags);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(a.v);
  free(given.v);
  free(b.v);
  free(x.v);
  free(p.v);
}

/* Flags of 24 cases: the transpose is one of three. */
static int flags_of(int k) {
  return (k & 1 ? UPPER : 0) | (k & 2 ? RIGHT : 0) | (k & 4 ? UNIT : 0) |
         ops[k / 8];
}

static void all_solves(void) {
  const size_t dims[2] = {2, 3};

  for (int k = 0; k < 24; k++)
    check_solve(0, NULL, 7, 20, rows_only, flags_of(k), k % 2);
  check_solve(0, NULL, 0, 3, rows_only, 0, 0);
  check_solve(0, NULL, 140, 20, rows_only, 0, 0);
  check_solve(0, NULL, 140, 20, rows_only, UPPER | RIGHT | CONJ_TRANS, 1);
  check_solve(0, NULL, 70, 1, rows_only, UPPER | TRANS, 0);
  for (int k = 0; !is_short && k < 24; k++) {
    const layout how[3] = {draw_layout(), draw_layout(), draw_layout()};

    check_solve(0, NULL, draw(0, 200), draw(0, 90), how, flags_of(k), k % 2);
    check_solve(2, dims, draw(1, 80), draw(1, 40), how, flags_of(k), k % 2);
  }
}

static void test_solves(void **state) {
  (void)state;
  with_dtypes(all_solves);
}

/* L^H T L is the Hermitian matrix whose lower triangle is that of L^H G. */
static void check_gradient(size_t n, int flags) {
  const int down = flags & UPPER ? 0 : CONJ_TRANS,
            up = flags & UPPER ? CONJ_TRANS : 0;
  numbers l = zeros(0, NULL, n, n), g = l, t = zeros(0, NULL, n, n);
  GpuArray dl, dg, dt;

  g.v = calloc(n * n, sizeof *g.v);
  fill_triangle(&l, flags & UPPER);
  fill_random(&g, 1);
  to_array(&dl, &l, tested, ROWS);
  to_array(&dg, &g, tested, COLUMNS);
  assert_ok(GpuArray_cholesky_gradient(&dt, &dl, &dg, flags));
  from_array(&t, &dt);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (flags & UPPER ? j < i : j > i)
        *at(&g, 0, i, j) = 0;
  const numbers want = product(&l, down, &g, up),
                half = product(&l, down, &t, 0);
  const numbers got = product(&half, 0, &l, up);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      *at(&want, 0, j, i) =
          i == j ? creal(*at(&want, 0, i, i)) : conj(*at(&want, 0, i, j));
  expect_near("gradient", &got, &want, &t,
              (double)n * norm_of(&l, 0) * norm_of(&l, 0), tested);
  GpuArray_clear(&dl);
  GpuArray_clear(&dg);
  GpuArray_clear(&dt);
  free(l.v);
  free(g.v);
  free(t.v);
  free(want.v);
  free(half.v);
  free(got.v);
}

static void all_gradients(void) {
  check_gradient(140, 0);
  check_gradient(9, UPPER);
}

static void test_gradients(void **state) {
  (void)state;
  with_dtypes(all_gradients);
}

/* A zero on the diagonal divides both parts; pivots whose squares are no
 * floats are no matter. */
static void test_odd_pivots(void **state) {
  number v[3] = {0, CMPLX(3e30, -4e30), CMPLX(1e-40, 1e-40)};
  number w[3] = {CMPLX(3, -4), CMPLX(3e30, -4e30), CMPLX(0, 1e-40)};
  const size_t batch = 3;
  numbers a = zeros(1, &batch, 1, 1), b = a, x = zeros(1, &batch, 1, 1);
  GpuArray da, db, dx;

  (void)state;
  free(a.v);
  a.v = v;
  b.v = w;
  to_array(&da, &a, GA_CFLOAT, ROWS);
  to_array(&db, &b, GA_CFLOAT, ROWS);
  assert_ok(GpuArray_triangular_solve(&dx, &da, &db, 0));
  from_array(&x, &dx);
  assert_true(creal(x.v[0]) == HUGE_VAL && cimag(x.v[0]) == -HUGE_VAL);
  assert_true(cabs(x.v[1] - 1) < 1e-6);
  assert_true(cabs(x.v[2] - CMPLX(0.5, 0.5)) < 1e-4);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(x.v);
}

/* --- solving --- */

/* Solve op(A) X = B with factors, and in one call. */
static void check_equations(size_t n, size_t r, int flags, layout how) {
  const int op = flags & (TRANS | CONJ_TRANS);
  const size_t batch = 2;
  numbers a =
      flags & POSITIVE ? definite(1, &batch, n, 1) : zeros(1, &batch, n, n);
  numbers b = zeros(1, &batch, n, r), x = zeros(1, &batch, n, r);
  GpuArray da, db, dx, lu, pivots, info;

  if (!(flags & POSITIVE))
    fill_random(&a, 1);
  fill_random(&b, 1);
  to_array(&da, &a, tested, how);
  to_array(&db, &b, tested, how);
  assert_ok(GpuArray_solve(&dx, &info, &da, &db, flags));
  from_array(&x, &dx);
  numbers p = product(&a, op, &x, 0);
  expect_answer(&p, &b, &a, &x, flags);
  free(p.v);
  GpuArray_clear(&dx);
  int32_t *const bad = ints_of(&info);
  assert_true(bad[0] == 0 && bad[1] == 0);
  free(bad);
  if (!(flags & POSITIVE)) {
    assert_ok(GpuArray_lu(&lu, &pivots, NULL, NULL, &da));
    assert_ok(GpuArray_lu_solve(&dx, &lu, &pivots, &db, flags));
    from_array(&x, &dx);
    p = product(&a, op, &x, 0);
    expect_answer(&p, &b, &a, &x, flags);
    free(p.v);
    GpuArray_clear(&dx);
    GpuArray_clear(&lu);
    GpuArray_clear(&pivots);
  }
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  free(a.v);
  free(b.v);
  free(x.v);
}

/* |A X - I| / (n |A| |X| eps) is small. */
static void check_inverse(size_t n, int flags) {
  numbers a = flags & POSITIVE ? definite(0, NULL, n, 1) : zeros(0, NULL, n, n);
  numbers x = zeros(0, NULL, n, n), one = zeros(0, NULL, n, n);
  GpuArray da, dx;

  if (!(flags & POSITIVE))
    fill_random(&a, 1);
  for (size_t i = 0; i < n; i++)
    *at(&one, 0, i, i) = 1;
  to_array(&da, &a, tested, ROWS);
  assert_ok(GpuArray_inverse(&dx, NULL, &da, flags));
  from_array(&x, &dx);
  const numbers p = product(&a, 0, &x, 0);
  expect_answer(&p, &one, &a, &x, flags);
  GpuArray_clear(&da);
  GpuArray_clear(&dx);
  free(a.v);
  free(x.v);
  free(one.v);
  free(p.v);
}

static void all_equations(void) {
  for (int k = 0; k < 3; k++) {
    check_equations(is_short ? 9 : 90, 5, ops[k], COLUMNS);
    check_equations(is_short ? 9 : 90, 5, ops[k] | POSITIVE | (k % 2) * UPPER,
                    ROWS);
  }
  check_equations(70, 3, 0, ROWS);
  check_inverse(is_short ? 20 : 150, 0);
  check_inverse(is_short ? 20 : 150, POSITIVE | UPPER);
}

static void test_equations(void **state) {
  (void)state;
  with_dtypes(all_equations);
}

/* --- checks --- */

static void test_refusals(void **state) {
  static const double v[18] = {1};
  GpuArray a, reals, x;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_CFLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&reals, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  assert_code(GA_VALUE_ERROR,
              GpuArray_triangular_solve(&x, &a, &a, TRANS | CONJ_TRANS));
  assert_message(GA_VALUE_ERROR,
                 "flags 0x42: the transpose or the conjugate transpose");
  assert_code(GA_VALUE_ERROR, GpuArray_triangular_solve(&x, &a, &reals, 0));
  assert_message(GA_VALUE_ERROR, "b: expected complex64, got float32");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&l, &reals, NULL, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_inverse(&x, NULL, &a, CONJ_TRANS));
  assert_message(GA_VALUE_ERROR, "flags 0x40 are not known");
  GpuArray_clear(&a);
  GpuArray_clear(&reals);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cholesky),   cmocka_unit_test(test_minors),
      cmocka_unit_test(test_solves),     cmocka_unit_test(test_gradients),
      cmocka_unit_test(test_odd_pivots), cmocka_unit_test(test_equations),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

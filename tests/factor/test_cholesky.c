/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky factors and triangular solves, measured as LAPACK's tests measure
 * them. */
#include "factor/matrices.h"

#include <gpuarray/factor.h>

/* --- Cholesky --- */

/* Set the triangle that is not read to NaN. */
static void spoil(host *a, int is_upper) {
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++)
        if (is_upper ? j < i : j > i)
          *host_at(a, z, i, j) = NAN;
}

static void check_factor(const host *a, const host *l, int is_upper,
                         int typecode) {
  host product = host_new(a->nd - 2, a->dims, a->m, a->n);

  host_multiply(&product, l, is_upper, l, !is_upper);
  for (size_t z = 0; z < a->batch; z++) {
    const double n = (double)a->n;
    const double r = residual(a, &product, z, n * norm1(a, z), typecode);

    if (!(r < THRESHOLD))
      fail_msg("residual %g of matrix %zu of %zu x %zu, %s", r, z, a->m, a->n,
               is_upper ? "upper" : "lower");
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++)
        if (is_upper ? j < i : j > i)
          assert_true(*host_at(l, z, i, j) == 0);
  }
  free(product.v);
}

/* Frees the matrices. */
static void check_cholesky_of(host *a, int typecode, layout from, layout to,
                              int flags, int in_place) {
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  const unsigned int lead = a->nd - 2;
  host l = host_new(lead, a->dims, a->n, a->n);
  host given = host_new(lead, a->dims, a->n, a->n);
  GpuArray x, y, info;
  GpuLaunch *launch;

  host_round(a, typecode);
  memcpy(given.v, a->v, host_total(a) * sizeof *a->v);
  spoil(&given, is_upper);
  make(&x, &given, typecode, from);
  if (in_place)
    assert_ok(GpuArray_view(&y, &x));
  else
    make(&y, &given, typecode, to);
  int32_t *got = malloc((a->batch + 1) * sizeof *got);
  memset(got, 0x55, (a->batch + 1) * sizeof *got);
  test_array(&info, GA_INT, lead, a->dims, got);
  assert_ok(GpuArray_cholesky_prepare(&launch, &y, &info, &x, flags));
  run_once(launch);
  host_read(&l, &y);
  test_gather(&info, got);
  for (size_t z = 0; z < a->batch; z++)
    assert_int_equal(got[z], 0);
  check_factor(a, &l, is_upper, typecode);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&info);
  free(got);
  free(a->v);
  free(l.v);
  free(given.v);
}

static void check_cholesky(unsigned int lead, const size_t *dims, size_t n,
                           int typecode, layout from, layout to, int flags,
                           int in_place, double scale) {
  host a = host_new(lead, dims, n, n);

  host_definite(&a, scale);
  check_cholesky_of(&a, typecode, from, to, flags, in_place);
}

static const size_t sizes[] = {0, 1, 2, 3, 8, 31, 33, 70, 128, 130, 300, 460};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void all_cholesky(int typecode) {
  static const size_t dims[][3] = {{1, 0, 0}, {3, 2, 0}, {2, 1, 3}};

  for (size_t k = 0; k < SIZES; k++) {
    const int flags = (int)draw(0, 1) * GA_FACTOR_UPPER;

    check_cholesky(0, NULL, sizes[k], typecode, draw_layout(), draw_layout(),
                   flags, 0, 1);
    check_cholesky(0, NULL, sizes[k], typecode, draw_layout(), 0, flags, 1, 1);
  }
  for (unsigned int lead = 1; lead <= 3; lead++) {
    for (int how = 0; how < LAYOUTS; how++)
      check_cholesky(lead, dims[lead - 1], draw(1, 40), typecode, (layout)how,
                     draw_layout(), (int)draw(0, 1) * GA_FACTOR_UPPER, how % 2,
                     1);
  }
  check_cholesky(1, (size_t[]){0}, 5, typecode, ROWS, ROWS, 0, 0, 1);
  check_cholesky(1, (size_t[]){700}, 4, typecode, ROWS, ROWS, 0, 0, 1);
}

/* Two blocks; panels, of which some are subtracted from more rows than columns;
 * a batch that is copied; a matrix in place. */
static void some_cholesky(void) {
  const size_t dims[2] = {2, 3};

  check_cholesky(0, NULL, 130, GA_FLOAT, ROWS, ROWS, 0, 0, 1);
  check_cholesky(0, NULL, 460, GA_FLOAT, ROWS, ROWS, 0, 0, 1);
  check_cholesky(2, dims, 7, GA_FLOAT, TURNED, TURNED, GA_FACTOR_UPPER, 0, 1);
  check_cholesky(0, NULL, 7, GA_FLOAT, ROWS, ROWS, GA_FACTOR_UPPER, 1, 1);
}

static void cholesky_of_floats(void) {
  if (test_is_quick())
    some_cholesky();
  else
    all_cholesky(GA_FLOAT);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(cholesky_of_floats);
}

static void all_hard(void) {
  for (int k = 0; k < HARD_DEFINITE; k++) {
    host a = host_hard_definite(k), b = host_hard_definite(k);

    check_cholesky_of(&a, GA_FLOAT, ROWS, ROWS, 0, 0);
    check_cholesky_of(&b, GA_FLOAT, ROWS, ROWS, GA_FACTOR_UPPER, 0);
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
    all_cholesky(GA_DOUBLE);
  check_cholesky(0, NULL, 150, GA_DOUBLE, ROWS, ROWS, 0, 0, 1);
  check_cholesky(0, NULL, 40, GA_DOUBLE, ROWS, ROWS, 0, 0, 1e300);
  check_cholesky(0, NULL, 40, GA_DOUBLE, ROWS, ROWS, 0, 0, 1e-300);
  check_cholesky(0, NULL, 150, GA_DOUBLE, ROWS, ROWS, 0, 0, 1e-300);
}

/* Matrices that are not positive definite, beside one that is. */
static void check_minor(size_t n, size_t bad, double value) {
  const size_t batch = 2;
  host a = host_new(1, &batch, n, n), l = host_new(1, &batch, n, n);
  GpuArray x, y, info;
  int32_t got[2];

  host_definite(&a, 1);
  *host_at(&a, 1, bad, bad) = value;
  make(&x, &a, GA_FLOAT, ROWS);
  assert_ok(GpuArray_cholesky(&y, &info, &x, 0));
  assert_ok(GpuArray_read(got, sizeof got, &info));
  assert_int_equal(got[0], 0);
  assert_int_equal(got[1], (int)bad + 1);
  host_read(&l, &y);
  for (size_t i = 0; i < n; i++) {
    assert_true(*host_at(&l, 0, i, i) > 0);
    assert_true(i < bad ? *host_at(&l, 1, i, i) > 0
                        : isnan(*host_at(&l, 1, i, i)));
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&info);
  free(a.v);
  free(l.v);
}

static void all_minors(void) {
  check_minor(5, 0, 0);
  check_minor(5, 4, -1);
  if (test_is_quick())
    return;
  check_minor(200, 31, -1);
  check_minor(200, 150, NAN);
}

static void test_minors(void **state) {
  (void)state;
  test_mappings(all_minors);
}

/* --- triangular solves --- */

/* A random triangle whose inverse is moderate; NaN where it is not read. */
static void make_triangle(host *a, int is_upper, int is_unit) {
  host_random(a);
  for (size_t i = 0; i < host_total(a); i++)
    a->v[i] /= (double)a->n;
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++) {
      *host_at(a, z, i, i) = is_unit ? NAN : 1 + draw_value() / 2;
      for (size_t j = 0; j < a->n; j++)
        if (is_upper ? j < i : j > i)
          *host_at(a, z, i, j) = NAN;
    }
}

/* What the solve uses of a triangle. */
static void complete(host *a, int is_unit) {
  for (size_t i = 0; i < host_total(a); i++)
    a->v[i] = isnan(a->v[i]) ? 0 : a->v[i];
  for (size_t z = 0; is_unit && z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      *host_at(a, z, i, i) = 1;
}

static void check_solve(unsigned int lead, const size_t *dims, size_t n,
                        size_t r, int typecode, const layout how[3], int flags,
                        int in_place) {
  const int right = (flags & GA_FACTOR_RIGHT) != 0;
  const int trans = (flags & GA_FACTOR_TRANS) != 0;
  const int unit = (flags & GA_FACTOR_UNIT) != 0;
  host a = host_new(lead, dims, n, n);
  host b = host_new(lead, dims, right ? r : n, right ? n : r);
  host x = host_new(lead, dims, b.m, b.n), p = host_new(lead, dims, b.m, b.n);
  GpuArray da, db, dx;
  GpuLaunch *launch;

  make_triangle(&a, (flags & GA_FACTOR_UPPER) != 0, unit);
  host_random(&b);
  host_round(&a, typecode);
  host_round(&b, typecode);
  make(&da, &a, typecode, how[0]);
  make(&db, &b, typecode, how[1]);
  complete(&a, unit);
  if (in_place)
    assert_ok(GpuArray_view(&dx, &db));
  else
    make(&dx, &x, typecode, how[2]);
  assert_ok(GpuArray_triangular_solve_prepare(&launch, &dx, &da, &db, flags));
  run_once(launch);
  host_read(&x, &dx);
  if (right)
    host_multiply(&p, &x, 0, &a, trans);
  else
    host_multiply(&p, &a, trans, &x, 0);
  expect_solved(&p, &b, &a, &x, flags, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(a.v);
  free(b.v);
  free(x.v);
  free(p.v);
}

static void all_solves(int typecode) {
  static const size_t dims[] = {2, 3};

  for (int flags = 0; flags < 16; flags++) {
    const layout how[3] = {draw_layout(), draw_layout(), draw_layout()};

    check_solve(0, NULL, sizes[draw(0, SIZES - 1)], draw(0, 150), typecode, how,
                flags, (int)draw(0, 1));
    check_solve(2, dims, draw(1, 50), draw(1, 50), typecode, how, flags,
                (int)draw(0, 1));
    /* Few columns of several blocks. */
    check_solve(1, dims, draw(129, 300), draw(1, 16), typecode, how, flags,
                (int)draw(0, 1));
  }
  check_solve(0, NULL, 300, 1, typecode, rows_only, 0, 0);
}

/* All cases of one block, and some cases of two blocks. */
static void some_solves(void) {
  const size_t n = 130;

  for (int flags = 0; flags < 16; flags++)
    check_solve(0, NULL, 7, 20, GA_FLOAT, rows_only, flags, 0);
  check_solve(0, NULL, n, 20, GA_FLOAT, rows_only, 0, 0);
  check_solve(0, NULL, n, 20, GA_FLOAT, rows_only,
              GA_FACTOR_UPPER | GA_FACTOR_RIGHT, 1);
  check_solve(0, NULL, n, 2, GA_FLOAT, rows_only, GA_FACTOR_UNIT, 0);
  check_solve(0, NULL, n, 1, GA_FLOAT, rows_only, GA_FACTOR_UPPER, 0);
  check_solve(0, NULL, n, 1, GA_FLOAT, rows_only, GA_FACTOR_TRANS, 0);
  check_solve(0, NULL, n, 2, GA_FLOAT, rows_only,
              GA_FACTOR_UPPER | GA_FACTOR_TRANS, 0);
  check_solve(0, NULL, n, 2, GA_FLOAT, rows_only,
              GA_FACTOR_UPPER | GA_FACTOR_RIGHT, 0);
}

static void solves_of_floats(void) {
  if (test_is_quick())
    some_solves();
  else
    all_solves(GA_FLOAT);
}

static void test_solves(void **state) {
  (void)state;
  test_mappings(solves_of_floats);
}

static void test_solves_of_doubles(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  all_solves(GA_DOUBLE);
}

/* A zero on the diagonal divides; tiny pivots have no reciprocal. */
static void test_zero_pivots(void **state) {
  const float a[4] = {0, 0, 0, 2}, b[2] = {3, 4}, tiny[1] = {1e-40f};
  GpuArray da, db, x;
  float got[2];

  (void)state;
  test_array(&da, GA_FLOAT, 2, (size_t[]){2, 2}, a);
  test_array(&db, GA_FLOAT, 2, (size_t[]){2, 1}, b);
  assert_ok(GpuArray_triangular_solve(&x, &da, &db, 0));
  assert_ok(GpuArray_read(got, sizeof got, &x));
  assert_true(isinf(got[0]));
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&x);
  test_array(&da, GA_FLOAT, 2, (size_t[]){1, 1}, tiny);
  test_array(&db, GA_FLOAT, 2, (size_t[]){1, 1}, tiny);
  assert_ok(GpuArray_triangular_solve(&x, &da, &db, 0));
  assert_ok(GpuArray_read(got, sizeof *got, &x));
  assert_true(got[0] == 1);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&x);
}

/* --- gradients --- */

/* L^T T L is the symmetric matrix whose lower triangle is that of L^T G. */
static void expect_gradient(const host *t, const host *l, const host *g,
                            int is_upper, int typecode) {
  const unsigned int lead = t->nd - 2;
  host half = host_new(lead, t->dims, t->n, t->n);
  host got = host_new(lead, t->dims, t->n, t->n);
  host want = host_new(lead, t->dims, t->n, t->n);

  host_multiply(&half, l, !is_upper, t, 0);
  host_multiply(&got, &half, 0, l, is_upper);
  host_multiply(&want, l, !is_upper, g, is_upper);
  for (size_t z = 0; z < t->batch; z++) {
    const double size = norm1(l, z);
    const double scale = (double)t->n * size * size * norm1(t, z);

    for (size_t i = 0; i < t->n; i++)
      for (size_t j = 0; j < i; j++) {
        *host_at(&want, z, j, i) = *host_at(&want, z, i, j);
        assert_true(*host_at(t, z, i, j) == *host_at(t, z, j, i));
      }
    const double r = residual(&got, &want, z, scale, typecode);
    if (!(r < THRESHOLD))
      fail_msg("residual %g of matrix %zu of %zu x %zu, %s", r, z, t->n, t->n,
               is_upper ? "upper" : "lower");
  }
  free(half.v);
  free(got.v);
  free(want.v);
}

static void check_gradient(unsigned int lead, const size_t *dims, size_t n,
                           int typecode, const layout how[3], int flags,
                           int in_place) {
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  host l = host_new(lead, dims, n, n), g = host_new(lead, dims, n, n);
  host t = host_new(lead, dims, n, n);
  GpuArray dl, dg, dt;
  GpuLaunch *launch;

  make_triangle(&l, is_upper, 0);
  host_random(&g);
  spoil(&g, is_upper);
  host_round(&l, typecode);
  host_round(&g, typecode);
  make(&dl, &l, typecode, how[0]);
  make(&dg, &g, typecode, how[1]);
  if (in_place)
    assert_ok(GpuArray_view(&dt, &dg));
  else
    make(&dt, &t, typecode, how[2]);
  assert_ok(GpuArray_cholesky_gradient_prepare(&launch, &dt, &dl, &dg, flags));
  run_once(launch);
  host_read(&t, &dt);
  complete(&l, 0);
  complete(&g, 0);
  expect_gradient(&t, &l, &g, is_upper, typecode);
  GpuArray_clear(&dl);
  GpuArray_clear(&dg);
  GpuArray_clear(&dt);
  free(l.v);
  free(g.v);
  free(t.v);
}

/* Halves of a matrix; a batch that is copied, of one block. */
static void gradients_of_floats(void) {
  const layout how[3] = {TURNED, APART, GAPS};
  const size_t dims[2] = {2, 3};

  check_gradient(0, NULL, by_mapping(300, 530), GA_FLOAT, rows_only, 0, 0);
  check_gradient(2, dims, 7, GA_FLOAT, how, GA_FACTOR_UPPER, 0);
}

static void test_gradients(void **state) {
  (void)state;
  test_mappings(gradients_of_floats);
  if (test_is_quick() || !gpucontext_caps(test_context())->fp64)
    return;
  check_gradient(0, NULL, 140, GA_DOUBLE, rows_only, GA_FACTOR_UPPER, 1);
  check_gradient(1, (size_t[]){2}, 0, GA_DOUBLE, rows_only, 0, 0);
}

/* --- checks --- */

static void test_refusals(void **state) {
  float v[24] = {0};
  GpuArray a, wide, vector, other, l, ints, longs;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&l, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&wide, GA_FLOAT, 2, (size_t[]){3, 4}, v);
  test_array(&vector, GA_FLOAT, 1, (size_t[]){3}, v);
  test_array(&other, GA_INT, 2, (size_t[]){3, 3}, v);
  test_array(&ints, GA_INT, 0, NULL, v);
  test_array(&longs, GA_LONG, 0, NULL, v);
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, NULL, &wide, 0));
  assert_message(GA_VALUE_ERROR, "a: 3 x 4 is not square");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&launch, &wide, NULL, &a, 0));
  assert_message(GA_VALUE_ERROR, "l: expected 3 x 3, got 3 x 4");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, NULL, &a, 4));
  assert_message(GA_VALUE_ERROR, "flags 0x4 are not known");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, NULL, &vector, 0));
  assert_message(GA_VALUE_ERROR, "a: expected a matrix, got 1 dimensions");
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, NULL, &other, 0));
  assert_message(GA_UNSUPPORTED_ERROR,
                 "a: expected float32, float64 or complex numbers, got int32");
  assert_code(GA_INVALID_ERROR,
              GpuArray_cholesky_prepare(&launch, NULL, NULL, &a, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, NULL, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_prepare(&launch, &l, &longs, &a, 0));
  assert_message(GA_VALUE_ERROR, "info: expected int32, got int64");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_gradient_prepare(&launch, &l, &a, &wide, 0));
  assert_message(GA_VALUE_ERROR, "g: expected 3 x 3, got 3 x 4");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cholesky_gradient_prepare(&launch, &a, &a, &l, 0));
  assert_message(GA_VALUE_ERROR, "t: overlaps l");
  GpuArray_clear(&l);
  assert_code(GA_INVALID_ERROR, GpuArray_cholesky(&l, NULL, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_cholesky(NULL, NULL, &a, 0));
  assert_message(GA_INVALID_ERROR, "l: no array");
  assert_code(GA_VALUE_ERROR, GpuArray_cholesky(&a, NULL, &a, 0));
  assert_message(GA_VALUE_ERROR,
                 "a result is the same array as another argument");
  assert_code(GA_VALUE_ERROR, GpuArray_triangular_solve(&wide, &a, &wide, 0));
  assert_non_null(a.data);
  assert_code(GA_VALUE_ERROR, GpuArray_cholesky(&l, &l, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_triangular_solve(NULL, &a, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_triangular_solve(&l, NULL, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_triangular_solve(&l, &a, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_triangular_solve(&l, &a, &wide, GA_FACTOR_RIGHT));
  assert_message(GA_VALUE_ERROR, "b: expected 3 x 3, got 3 x 4");
  assert_code(GA_VALUE_ERROR,
              GpuArray_triangular_solve_prepare(&launch, &a, &a, &wide, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_triangular_solve(&l, &a, &vector, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&wide);
  GpuArray_clear(&vector);
  GpuArray_clear(&other);
  GpuArray_clear(&ints);
  GpuArray_clear(&longs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_hard),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_minors),
      cmocka_unit_test(test_solves),
      cmocka_unit_test(test_solves_of_doubles),
      cmocka_unit_test(test_zero_pivots),
      cmocka_unit_test(test_gradients),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors, and solving with matrices, measured as LAPACK's tests measure
 * them. */
#include "factor/matrices.h"

#include <gpuarray/factor.h>

static void ints_array(GpuArray *a, unsigned int lead, const size_t *dims,
                       unsigned int more, size_t n) {
  size_t sizes[MOST_ND], total = 1;

  for (unsigned int d = 0; d < lead; d++)
    total *= sizes[d] = dims[d];
  sizes[lead] = n;
  int32_t *v = malloc((total * (n + 1) + 1) * sizeof *v);
  memset(v, 0x55, (total * (n + 1) + 1) * sizeof *v);
  test_array(a, GA_INT, lead + more, sizes, v);
  free(v);
}

/* --- factors --- */

/* P L U of matrix z, by pivots; each factor has one at most. */
static void rebuild(host *p, const host *lu, const int32_t *pivots, size_t z) {
  const size_t least = lu->m < lu->n ? lu->m : lu->n;

  for (size_t i = 0; i < lu->m; i++)
    for (size_t j = 0; j < lu->n; j++) {
      double sum = 0;

      for (size_t k = 0; k < least && k <= i && k <= j; k++)
        sum += (k == i ? 1 : *host_at(lu, z, i, k)) * *host_at(lu, z, k, j);
      *host_at(p, z, i, j) = sum;
    }
  for (size_t k = least; k-- > 0;)
    for (size_t j = 0; j < lu->n; j++) {
      double *a = host_at(p, z, k, j), *b = host_at(p, z, (size_t)pivots[k], j);
      const double t = *a;

      *a = *b;
      *b = t;
    }
}

static void check_factors(const host *a, const host *lu, const int32_t *pivots,
                          const int32_t *order, int typecode) {
  const size_t least = a->m < a->n ? a->m : a->n;
  host p = host_new(a->nd - 2, a->dims, a->m, a->n);

  for (size_t z = 0; z < a->batch; z++) {
    int32_t *rows = malloc((a->m + 1) * sizeof *rows);

    for (size_t i = 0; i < a->m; i++)
      rows[i] = (int32_t)i;
    for (size_t k = 0; k < least; k++) {
      const int32_t other = pivots[z * least + k];
      assert_true(other >= (int)k && other < (int)a->m);
      const int32_t t = rows[k];
      rows[k] = rows[other];
      rows[other] = t;
    }
    assert_memory_equal(rows, order + z * a->m, a->m * sizeof *rows);
    free(rows);
    rebuild(&p, lu, pivots + z * least, z);
    const double n = (double)a->n;
    const double r = residual(a, &p, z, n * norm1(a, z), typecode);
    if (!(r < THRESHOLD))
      fail_msg("residual %g of matrix %zu of %zu x %zu, %s", r, z, a->m, a->n,
               ga__dtype_name(typecode));
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < i && j < a->n; j++)
        assert_true(fabs(*host_at(lu, z, i, j)) <= 1);
  }
  free(p.v);
}

/* Frees the matrices. */
static void check_lu_of(host *a, int typecode, layout from, layout to,
                        int in_place) {
  const unsigned int lead = a->nd - 2;
  const size_t *const dims = a->dims, least = a->m < a->n ? a->m : a->n;
  host lu = host_new(lead, dims, a->m, a->n);
  GpuArray x, y, pivots, order, info;
  GpuLaunch *launch;

  host_round(a, typecode);
  make(&x, a, typecode, from);
  if (in_place)
    assert_ok(GpuArray_view(&y, &x));
  else
    make(&y, &lu, typecode, to);
  ints_array(&pivots, lead, dims, 1, least);
  ints_array(&order, lead, dims, 1, a->m);
  ints_array(&info, lead, dims, 0, 1);
  assert_ok(GpuArray_lu_prepare(&launch, &y, &pivots, &order, &info, &x));
  run_once(launch);
  host_read(&lu, &y);
  int32_t *got[3];
  for (int i = 0; i < 3; i++) {
    GpuArray *const from_[3] = {&pivots, &order, &info};
    got[i] = calloc(test_size(from_[i]) + 1, sizeof **got);
    test_gather(from_[i], got[i]);
    GpuArray_clear(from_[i]);
  }
  for (size_t z = 0; z < a->batch; z++)
    assert_int_equal(got[2][z], 0);
  check_factors(a, &lu, got[0], got[1], typecode);
  for (int i = 0; i < 3; i++)
    free(got[i]);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(a->v);
  free(lu.v);
}

static void check_lu(unsigned int lead, const size_t *dims, size_t m, size_t n,
                     int typecode, layout from, layout to, int in_place,
                     double scale) {
  host a = host_new(lead, dims, m, n);

  host_random(&a);
  for (size_t i = 0; i < host_total(&a); i++)
    a.v[i] *= scale;
  check_lu_of(&a, typecode, from, to, in_place);
}

static void all_factors(int typecode) {
  static const size_t sizes[][2] = {{0, 0},    {1, 1},    {2, 2},    {3, 7},
                                    {7, 3},    {16, 16},  {17, 33},  {64, 64},
                                    {65, 65},  {200, 70}, {70, 200}, {260, 260},
                                    {600, 40}, {0, 3},    {3, 0}};
  const size_t dims[2] = {2, 3};

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    check_lu(0, NULL, sizes[k][0], sizes[k][1], typecode, draw_layout(),
             draw_layout(), (int)draw(0, 1), 1);
  for (int how = 0; how < LAYOUTS; how++)
    check_lu(2, dims, draw(1, 40), draw(1, 40), typecode, (layout)how,
             draw_layout(), how % 2, 1);
  check_lu(1, (size_t[]){0}, 3, 3, typecode, ROWS, ROWS, 0, 1);
  check_lu(1, (size_t[]){500}, 4, 4, typecode, ROWS, ROWS, 0, 1);
  /* More rows than a group of a GPU has registers for. */
  check_lu(0, NULL, 33000, 3, typecode, ROWS, ROWS, 0, 1);
}

/* Two panels, by two groups on a GPU, and columns behind them; a batch that is
 * copied. */
static void some_factors(void) {
  const size_t dims[2] = {2, 3};

  check_lu(0, NULL, by_mapping(70, 40), by_mapping(80, 50), GA_FLOAT, ROWS,
           ROWS, 0, 1);
  check_lu(0, NULL, by_mapping(40, 1100), 50, GA_FLOAT, ROWS, ROWS, 0, 1);
  check_lu(2, dims, 7, 5, GA_FLOAT, TURNED, TURNED, 0, 1);
}

static void factors_of_floats(void) {
  if (test_is_quick())
    some_factors();
  else
    all_factors(GA_FLOAT);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(factors_of_floats);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  if (!test_is_quick())
    all_factors(GA_DOUBLE);
  check_lu(0, NULL, 90, 90, GA_DOUBLE, ROWS, ROWS, 0, 1e300);
  check_lu(0, NULL, 90, 90, GA_DOUBLE, ROWS, ROWS, 0, 1e-305);
}

/* A column of zeros, or one that others make up. */
static void all_singular(void) {
  static const float v[18] = {1, 0, 2, 3, 0, 4, 5, 0, 6,
                              1, 2, 3, 2, 4, 6, 1, 1, 1};
  GpuArray x, lu, info;
  int32_t got[2];
  float back[18];

  test_array(&x, GA_FLOAT, 3, (size_t[]){2, 3, 3}, v);
  assert_ok(GpuArray_lu(&lu, NULL, NULL, &info, &x));
  assert_ok(GpuArray_read(got, sizeof got, &info));
  assert_ok(GpuArray_read(back, sizeof back, &lu));
  assert_int_equal(got[0], 2);
  assert_int_equal(got[1], 3);
  for (int i = 0; i < 18; i++)
    assert_true(isfinite(back[i]));
  GpuArray_clear(&x);
  GpuArray_clear(&lu);
  GpuArray_clear(&info);
}

static void test_singular(void **state) {
  (void)state;
  test_mappings(all_singular);
}

/* A NaN is no pivot, wherever it is, and spreads. */
static void all_nan(void) {
  for (int at = 0; at < 2; at++) {
    float v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, got[9];
    GpuArray x, y, lu, pivots;
    int32_t rows[3];

    v[3 * at] = NAN;
    test_array(&x, GA_FLOAT, 2, (size_t[]){3, 3}, v);
    assert_ok(GpuArray_lu(&lu, &pivots, NULL, NULL, &x));
    assert_ok(GpuArray_read(rows, sizeof rows, &pivots));
    assert_int_equal(rows[0], 2);
    GpuArray_clear(&lu);
    GpuArray_clear(&pivots);
    assert_ok(GpuArray_inverse(&y, NULL, &x, 0));
    assert_ok(GpuArray_read(got, sizeof got, &y));
    assert_true(isnan(got[0]));
    GpuArray_clear(&x);
    GpuArray_clear(&y);
  }
}

static void test_nan(void **state) {
  (void)state;
  test_mappings(all_nan);
}

/* --- teams of groups --- */

/* Factors of x, which has more rows than columns, its pivots and info, one
 * behind the other. */
static unsigned char *factor_bytes(const GpuArray *x, size_t *n) {
  const size_t batch = x->dimensions[0], cols = x->dimensions[2];
  GpuLaunch *launch;
  GpuArray y[3];

  assert_ok(GpuArray_empty(&y[0], GpuArray_context(x), x->typecode, 3,
                           x->dimensions, GA_C_ORDER));
  ints_array(&y[1], 1, &batch, 1, cols);
  ints_array(&y[2], 1, &batch, 0, 1);
  assert_ok(GpuArray_lu_prepare(&launch, &y[0], &y[1], NULL, &y[2], x));
  run_once(launch);
  *n = 0;
  for (int i = 0; i < 3; i++)
    *n += test_size(&y[i]) * ga__dtype_size(y[i].typecode);
  unsigned char *const all = malloc(*n), *to = all;
  for (int i = 0; i < 3; i++) {
    const size_t bytes = test_size(&y[i]) * ga__dtype_size(y[i].typecode);

    assert_ok(GpuArray_read(to, bytes, &y[i]));
    GpuArray_clear(&y[i]);
    to += bytes;
  }
  return all;
}

enum { TURNS = 10 };

/* A team finds the same bits as one group, also where groups wait in vain since
 * the device runs few of them at a time, which differs from turn to turn. The
 * matrices are freed. */
static void compare_teams(host *a, int typecode) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  unsigned char *want = NULL;
  size_t n_bytes;
  GpuArray x;

  caps->chains = 0;
  host_round(a, typecode);
  make(&x, a, typecode, ROWS);
  for (int turn = 0; turn < TURNS; turn++) {
    unsigned char *const got = factor_bytes(&x, &n_bytes);

    if (turn == 0)
      want = got;
    else
      assert_memory_equal(got, want, n_bytes);
    if (turn > 0)
      free(got);
    caps->chains = 1;
  }
  free(want);
  GpuArray_clear(&x);
  free(a->v);
}

/* `odd` is in the first elements of column 3. */
static void check_team(size_t batch, size_t m, size_t n, int typecode,
                       double odd, size_t n_odd) {
  host a = host_new(1, &batch, m, n);

  host_random(&a);
  for (size_t i = 0; i < n_odd; i++)
    *host_at(&a, batch - 1, i, 3) = odd;
  compare_teams(&a, typecode);
}

/* The pivot of column 3 is 0, so nothing is subtracted with its row, which has
 * an infinite element, or with its column, which has a NaN. */
static void check_zero_pivot(size_t m, size_t n) {
  const size_t one = 1;
  host a = host_new(1, &one, m, n);

  host_random(&a);
  for (size_t i = 0; i < m; i++)
    *host_at(&a, 0, i, 3) = i + 1 == m ? NAN : 0;
  for (size_t i = 0; i < 4; i++)
    *host_at(&a, 0, i, 20) = INFINITY;
  compare_teams(&a, GA_FLOAT);
}

static void all_teams(void) {
  /* The second panel has too few rows for a team. */
  check_team(1, 2060, 50, GA_FLOAT, 0, 0);
  check_team(2, 2200, 70, GA_FLOAT, 0, 2200);
  check_team(1, 2100, 40, GA_FLOAT, NAN, 1);
  check_team(1, 2100, 40, GA_FLOAT, NAN, 2100);
  check_team(1, 2100, 40, GA_FLOAT, INFINITY, 2);
  check_zero_pivot(2100, 40);
  if (gpucontext_caps(test_context())->fp64)
    check_team(2, 1100, 50, GA_DOUBLE, 0, 0);
}

static void test_teams(void **state) {
  (void)state;
  test_chained(all_teams);
}

/* --- solving --- */

/* Solve by `launch`, or with factors of their own call. */
static void solve(GpuArray *x, const GpuArray *a, const GpuArray *b, int flags,
                  int apart) {
  GpuArray lu, pivots;
  GpuLaunch *launch;

  if (!apart) {
    assert_ok(GpuArray_solve_prepare(&launch, x, NULL, a, b, flags));
  } else {
    assert_ok(GpuArray_lu(&lu, &pivots, NULL, NULL, a));
    pivots.flags &= ~GA_WRITEABLE;
    assert_ok(GpuArray_lu_solve_prepare(&launch, x, &lu, &pivots, b, flags));
    GpuArray_clear(&lu);
    GpuArray_clear(&pivots);
  }
  run_once(launch);
}

/* With r right-hand sides. Frees the matrices. */
static void check_solve_of(host *a, size_t r, int typecode, const layout how[3],
                           int flags, int in_place, int apart) {
  const unsigned int lead = a->nd - 2;
  host b = host_new(lead, a->dims, a->n, r);
  host x = host_new(lead, a->dims, a->n, r),
       p = host_new(lead, a->dims, a->n, r);
  GpuArray da, db, dx;

  host_random(&b);
  host_round(a, typecode);
  host_round(&b, typecode);
  make(&da, a, typecode, how[0]);
  make(&db, &b, typecode, how[1]);
  if (in_place)
    assert_ok(GpuArray_view(&dx, &db));
  else
    make(&dx, &x, typecode, how[2]);
  solve(&dx, &da, &db, flags, apart);
  host_read(&x, &dx);
  host_multiply(&p, a, (flags & GA_FACTOR_TRANS) != 0, &x, 0);
  expect_solved(&p, &b, a, &x, flags, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(a->v);
  free(b.v);
  free(x.v);
  free(p.v);
}

static void check_solve(unsigned int lead, const size_t *dims, size_t n,
                        size_t r, int typecode, const layout how[3], int flags,
                        int in_place) {
  const int is_positive = (flags & GA_FACTOR_POSITIVE) != 0;
  host a = host_new(lead, dims, n, n);

  if (is_positive)
    host_definite(&a, 1);
  else
    host_random(&a);
  check_solve_of(&a, r, typecode, how, flags, in_place,
                 !is_positive && draw(0, 1));
}

static void all_solves(int typecode) {
  static const int flags[] = {0, GA_FACTOR_TRANS, GA_FACTOR_POSITIVE,
                              GA_FACTOR_POSITIVE | GA_FACTOR_UPPER};
  static const size_t dims[] = {2, 3};

  for (int k = 0; k < 8; k++) {
    const layout how[3] = {draw_layout(), draw_layout(), draw_layout()};

    check_solve(0, NULL, draw(1, 150), draw(0, 40), typecode, how, flags[k % 4],
                (int)draw(0, 1));
    check_solve(2, dims, draw(1, 30), draw(1, 30), typecode, how, flags[k % 4],
                (int)draw(0, 1));
    /* Few columns of several blocks. */
    check_solve(1, dims, draw(130, 300), draw(1, 16), typecode, how,
                flags[k % 4], (int)draw(0, 1));
  }
}

/* Two panels; a matrix in place. */
static void some_solves(void) {
  const size_t n = by_mapping(70, 20);

  check_solve(0, NULL, n, 10, GA_FLOAT, rows_only, 0, 0);
  check_solve(0, NULL, 130, 1, GA_FLOAT, rows_only, 0, 0);
  check_solve(0, NULL, 7, 10, GA_FLOAT, rows_only, GA_FACTOR_TRANS, 1);
  check_solve(0, NULL, 7, 10, GA_FLOAT, rows_only, GA_FACTOR_POSITIVE, 0);
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
  if (!test_is_quick() && gpucontext_caps(test_context())->fp64)
    all_solves(GA_DOUBLE);
}

static void all_hard(void) {
  for (int k = 0; k < HARD; k++) {
    host given = host_hard(k);

    check_lu_of(&given, GA_FLOAT, ROWS, ROWS, 0);
    for (int trans = 0; trans < 2; trans++) {
      host a = host_hard(k);

      check_solve_of(&a, 3, GA_FLOAT, rows_only, trans * GA_FACTOR_TRANS, 0,
                     trans);
    }
  }
  for (int k = 0; k < HARD_DEFINITE; k++) {
    host a = host_hard_definite(k);

    check_solve_of(&a, 3, GA_FLOAT, rows_only, GA_FACTOR_POSITIVE, 0, 0);
  }
}

static void test_hard(void **state) {
  (void)state;
  test_mappings(all_hard);
}

/* |I - A A^-1| / (n |A| |A^-1| eps), in place, of an ill-conditioned matrix,
 * too: Hilbert's. */
static void check_inverse(size_t n, int is_hilbert, int flags) {
  host a = host_new(0, NULL, n, n), x = host_new(0, NULL, n, n);
  host p = host_new(0, NULL, n, n), eye = host_new(0, NULL, n, n);
  GpuArray da;
  GpuLaunch *launch;

  host_definite(&a, 1);
  if (is_hilbert)
    host_hilbert(&a, 0);
  for (size_t i = 0; i < n; i++)
    *host_at(&eye, 0, i, i) = 1;
  host_round(&a, GA_FLOAT);
  make(&da, &a, GA_FLOAT, ROWS);
  assert_ok(GpuArray_inverse_prepare(&launch, &da, NULL, &da, flags));
  run_once(launch);
  host_read(&x, &da);
  host_multiply(&p, &a, 0, &x, 0);
  const double r =
      residual(&eye, &p, 0, (double)n * norm1(&a, 0) * norm1(&x, 0), GA_FLOAT);
  if (!(r < THRESHOLD))
    fail_msg("residual %g of an inverse of %zu, flags %d", r, n, flags);
  GpuArray_clear(&da);
  free(a.v);
  free(x.v);
  free(p.v);
  free(eye.v);
}

static void all_inverses(void) {
  check_inverse(1, 0, 0);
  check_inverse(6, 1, 0);
  check_inverse(7, 0, GA_FACTOR_POSITIVE | GA_FACTOR_UPPER);
  if (test_is_quick())
    return;
  check_inverse(90, 0, 0);
  check_inverse(90, 0, GA_FACTOR_POSITIVE);
  check_inverse(40, 0, GA_FACTOR_POSITIVE | GA_FACTOR_UPPER);
}

static void test_inverses(void **state) {
  (void)state;
  test_mappings(all_inverses);
}

/* Pivots beyond the rows of a matrix count as its first or last one. */
static void test_pivots_are_clamped(void **state) {
  const float eye[4] = {1, 0, 0, 1}, b[2] = {3, 4};
  const int32_t rows[2] = {-5, 1 << 30};
  GpuArray lu, pivots, db, x;

  (void)state;
  test_array(&lu, GA_FLOAT, 2, (size_t[]){2, 2}, eye);
  test_array(&pivots, GA_INT, 1, (size_t[]){2}, rows);
  test_array(&db, GA_FLOAT, 2, (size_t[]){2, 1}, b);
  assert_ok(GpuArray_lu_solve(&x, &lu, &pivots, &db, 0));
  test_array_equal(&x, b);
  GpuArray_clear(&lu);
  GpuArray_clear(&pivots);
  GpuArray_clear(&db);
  GpuArray_clear(&x);
}

/* --- checks --- */

static void test_refusals(void **state) {
  float v[24] = {0};
  GpuArray a, wide, x, ints;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&wide, GA_FLOAT, 2, (size_t[]){3, 4}, v);
  test_array(&ints, GA_INT, 1, (size_t[]){2}, v);
  assert_code(GA_VALUE_ERROR,
              GpuArray_lu_prepare(&launch, &a, &ints, NULL, NULL, &a));
  assert_message(GA_VALUE_ERROR, "pivots: dim 0: expected 3, got 2");
  assert_code(GA_INVALID_ERROR,
              GpuArray_lu_prepare(&launch, NULL, NULL, NULL, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_lu(&x, NULL, NULL, NULL, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_solve(&x, NULL, &wide, &a, 0));
  assert_message(GA_VALUE_ERROR, "a: 3 x 4 is not square");
  assert_code(GA_VALUE_ERROR,
              GpuArray_solve(&x, NULL, &a, &wide, GA_FACTOR_UPPER));
  assert_message(
      GA_VALUE_ERROR,
      "flags 0x1: upper is for matrices of which one triangle is read");
  assert_code(GA_VALUE_ERROR, GpuArray_solve_prepare(&launch, &a, NULL, &a, &a,
                                                     GA_FACTOR_UNIT));
  assert_code(GA_VALUE_ERROR,
              GpuArray_solve_prepare(&launch, &a, NULL, &a, &wide, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_solve(&x, NULL, &a, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_solve(&x, NULL, NULL, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_inverse(&x, NULL, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_inverse(NULL, NULL, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_solve(NULL, NULL, &a, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_lu(NULL, NULL, NULL, NULL, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_lu(&x, &ints, NULL, &ints, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_inverse(&a, NULL, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_solve(&wide, NULL, &a, &wide, 0));
  GpuArray none, order;
  const size_t huge[4] = {(size_t)1 << 40, (size_t)1 << 40, 0, 0};
  assert_ok(
      GpuArray_empty(&none, test_context(), GA_FLOAT, 4, huge, GA_C_ORDER));
  assert_ok(GpuArray_lu(&x, NULL, &order, NULL, &none));
  GpuArray_clear(&x);
  GpuArray_clear(&order);
  assert_ok(GpuArray_inverse(&x, NULL, &none, 0));
  GpuArray_clear(&x);
  GpuArray_clear(&none);
  assert_code(GA_INVALID_ERROR, GpuArray_lu_solve(&x, &a, NULL, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_lu_solve(&x, &a, &ints, &a, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&wide);
  GpuArray_clear(&ints);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_nan),
      cmocka_unit_test(test_teams),
      cmocka_unit_test(test_solves),
      cmocka_unit_test(test_hard),
      cmocka_unit_test(test_inverses),
      cmocka_unit_test(test_pivots_are_clamped),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

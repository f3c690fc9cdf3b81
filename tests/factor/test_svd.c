/* SPDX-License-Identifier: BSD-2-Clause */
/* Singular values and vectors, measured as LAPACK's tests measure them. */
#include "factor/matrices.h"

#include <gpuarray/factor.h>

/* What the matrices are like. */
typedef enum kind {
  RANDOM,
  DEFICIENT, /* of rank 2 at most */
  GRADED,    /* columns of sizes from 1 to 1e-12 */
  ZEROS,
  KINDS
} kind;

static void fill(host *a, kind what, double scale) {
  host_random(a);
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++) {
        const double part = (double)j / (double)a->n;
        double *const x = host_at(a, z, i, j);

        *x *= what == ZEROS ? 0 : scale;
        if (what == DEFICIENT && j >= 2)
          *x = *host_at(a, z, i, j % 2) * part;
        if (what == GRADED)
          *x *= pow(10, -12 * part);
      }
}

static void expect(double r, const char *what, const host *a, int typecode) {
  if (!(r < THRESHOLD))
    fail_msg("%s: residual %g, %zu x %zu, %s", what, r, a->m, a->n,
             ga__dtype_name(typecode));
}

/* |I - X^T X| / (n eps), or of X X^T with `rows`. */
static void check_orthogonal(const host *x, int rows, int typecode) {
  const size_t n = rows ? x->m : x->n, size = rows ? x->n : x->m;
  host g = host_new(x->nd - 2, x->dims, n, n);
  host eye = host_new(0, NULL, n, n);

  for (size_t i = 0; i < n; i++)
    *host_at(&eye, 0, i, i) = 1;
  host_multiply(&g, x, !rows, x, rows);
  for (size_t z = 0; z < x->batch && n > 0; z++) {
    host one = g;

    one.v = host_at(&g, z, 0, 0);
    expect(residual(&one, &eye, 0, (double)size, typecode), "I - X^T X", x,
           typecode);
  }
  free(g.v);
  free(eye.v);
}

/* |A - U S V^T| / (max(m, n) |A| eps); values descend. */
static void check_results(const host *a, host *u, const host *s, host *vt,
                          int typecode) {
  const size_t k = s->n;
  const double most = (double)(a->m > a->n ? a->m : a->n);
  host left = host_new(a->nd - 2, a->dims, a->m, k);
  host right = host_new(a->nd - 2, a->dims, k, a->n);
  host p = host_new(a->nd - 2, a->dims, a->m, a->n);

  for (size_t z = 0; z < a->batch; z++)
    for (size_t j = 0; j < k; j++) {
      const double v = s->v[z * k + j];

      assert_true(v >= 0 && (j == 0 || v <= s->v[z * k + j - 1]));
      for (size_t i = 0; i < a->m; i++)
        *host_at(&left, z, i, j) = *host_at(u, z, i, j) * v;
      for (size_t i = 0; i < a->n; i++)
        *host_at(&right, z, j, i) = *host_at(vt, z, j, i);
    }
  host_multiply(&p, &left, 0, &right, 0);
  for (size_t z = 0; z < a->batch; z++)
    expect(residual(a, &p, z, most * norm1(a, z), typecode), "A - U S V^T", a,
           typecode);
  check_orthogonal(u, 0, typecode);
  check_orthogonal(vt, 1, typecode);
  free(left.v);
  free(right.v);
  free(p.v);
}

static void check_svd(unsigned int lead, const size_t *dims, size_t m, size_t n,
                      int full, kind what, double scale, int typecode,
                      const layout how[4]) {
  const size_t k = m < n ? m : n;
  host a = host_new(lead, dims, m, n), s = host_new(lead, dims, 1, k);
  host u = host_new(lead, dims, m, full ? m : k);
  host vt = host_new(lead, dims, full ? n : k, n);
  GpuArray da, du, ds, dv;
  GpuLaunch *launch;

  fill(&a, what, scale);
  host_round(&a, typecode);
  s.nd--;
  s.dims[lead] = k;
  make(&da, &a, typecode, how[0]);
  make(&du, &u, typecode, how[1]);
  make(&dv, &vt, typecode, how[2]);
  make(&ds, &s, typecode, how[3]);
  assert_ok(GpuArray_svd_prepare(&launch, &du, &ds, &dv, &da));
  assert_ok(GpuLaunch_run(launch));
  GpuLaunch_free(launch);
  host_read(&u, &du);
  host_read(&s, &ds);
  host_read(&vt, &dv);
  check_results(&a, &u, &s, &vt, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&du);
  GpuArray_clear(&ds);
  GpuArray_clear(&dv);
  free(a.v);
  free(u.v);
  free(s.v);
  free(vt.v);
}

static const layout in_rows[4] = {ROWS, ROWS, ROWS, ROWS};

static void all_values(int typecode) {
  static const size_t sizes[][2] = {{0, 0},    {1, 1},   {2, 2},  {3, 7},
                                    {7, 3},    {33, 33}, {70, 5}, {40, 70},
                                    {100, 90}, {0, 3},   {3, 0}};
  const size_t dims[2] = {2, 3};

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int what = 0; what < (sizes[k][0] > 30 ? 2 : KINDS); what++)
      check_svd(0, NULL, sizes[k][0], sizes[k][1], what % 2,
                (kind)((what + (int)k) % KINDS), 1, typecode, in_rows);
  for (int h = 0; h < LAYOUTS; h++) {
    const layout how[4] = {(layout)h, (layout)draw(0, LAYOUTS - 1), (layout)h,
                           (layout)draw(0, TURNED - 1)};
    check_svd(2, dims, draw(1, 20), draw(1, 20), h % 2,
              (kind)draw(0, KINDS - 1), 1, typecode, how);
  }
  check_svd(1, (size_t[]){0}, 3, 3, 0, RANDOM, 1, typecode, in_rows);
}

/* One pair of blocks and several, and a batch that is copied. */
static void some_values(void) {
  const size_t dims[2] = {2, 3};
  const layout turned[4] = {TURNED, TURNED, TURNED, ROWS};

  check_svd(0, NULL, by_mapping(100, 50), by_mapping(80, 40), 0, RANDOM, 1,
            GA_FLOAT, in_rows);
  check_svd(2, dims, 3, 5, 1, DEFICIENT, 1, GA_FLOAT, turned);
}

static void values_of_floats(void) {
  if (test_is_quick())
    some_values();
  else
    all_values(GA_FLOAT);
  check_svd(0, NULL, 8, 12, 0, RANDOM, 1e37, GA_FLOAT, in_rows);
  check_svd(0, NULL, 12, 8, 0, GRADED, 1e-20, GA_FLOAT, in_rows);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(values_of_floats);
}

static void values_of_doubles(void) {
  if (!test_is_quick())
    all_values(GA_DOUBLE);
  check_svd(0, NULL, 20, 15, 0, GRADED, 1e300, GA_DOUBLE, in_rows);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  if (test_is_quick())
    values_of_doubles();
  else
    test_mappings(values_of_doubles);
}

/* Values alone, and elements that are not finite. */
static void all_odd(void) {
  static const float v[3][6] = {
      {3, 0, 0, -4, 0, 0}, {1, 2, NAN, 4, 5, 6}, {1, INFINITY, 3, 4, 5, 6}};

  for (int k = 0; k < 3; k++) {
    GpuArray a, u, s, vt, alone;
    float got[6], one[2], two[2];

    test_array(&a, GA_FLOAT, 2, (size_t[]){3, 2}, v[k]);
    assert_ok(GpuArray_svd(&u, &s, &vt, &a, 0));
    assert_ok(GpuArray_svd(NULL, &alone, NULL, &a, 0));
    assert_ok(GpuArray_read(one, sizeof one, &s));
    assert_ok(GpuArray_read(two, sizeof two, &alone));
    assert_ok(GpuArray_read(got, sizeof got, &u));
    assert_true(k == 0 || (isnan(one[0]) && isnan(two[1]) && isnan(got[0])));
    assert_true(k != 0 || (one[0] == 4 && one[1] == 3 && two[0] == 4));
    assert_ok(GpuArray_read(got, 4 * sizeof *got, &vt));
    assert_true(k == 0 ? got[1] == 1 && got[2] == 1 : (int)isnan(got[0]));
    GpuArray_clear(&a);
    GpuArray_clear(&u);
    GpuArray_clear(&s);
    GpuArray_clear(&vt);
    GpuArray_clear(&alone);
  }
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

/* Rows of nearly equal norms are rotated by large angles, and often. Errors of
 * rotations must not add up: a symmetric matrix with a large diagonal has its
 * trace as the sum of its singular values. */
static void test_near_values(void **state) {
  enum { N = 128 };
  static float v[N * N], s[N];
  const size_t dims[2] = {N, N};
  double trace = 0, sum = 0;
  GpuArray a, values = {0};

  (void)state;
  test_fill(v, GA_FLOAT, (size_t)N * N, -0.5, 0.5, 3);
  for (size_t i = 0; i < N; i++) {
    v[i * (N + 1)] += N;
    trace += (double)v[i * (N + 1)];
    for (size_t j = 0; j < i; j++)
      v[i * N + j] = v[j * N + i];
  }
  test_array(&a, GA_FLOAT, 2, dims, v);
  assert_ok(GpuArray_svd(NULL, &values, NULL, &a, 0));
  assert_ok(GpuArray_read(s, sizeof s, &values));
  for (size_t i = 0; i < N; i++)
    sum += (double)s[i];
  assert_true(fabs(sum - trace) < 2e-6 * trace);
  GpuArray_clear(&a);
  GpuArray_clear(&values);
}

static void test_refusals(void **state) {
  float v[12] = {0};
  GpuArray a, b, s, x;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 3}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){4, 2}, v);
  test_array(&s, GA_FLOAT, 1, (size_t[]){4}, v);
  assert_code(GA_VALUE_ERROR,
              GpuArray_svd_prepare(&launch, NULL, &s, NULL, &a));
  assert_message(GA_VALUE_ERROR, "s: dim 0: expected 3, got 4");
  GpuArray_clear(&s);
  test_array(&s, GA_FLOAT, 1, (size_t[]){3}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_svd_prepare(&launch, &b, &s, NULL, &a));
  assert_message(GA_VALUE_ERROR, "u: expected 4 x 3, got 4 x 2");
  assert_code(GA_VALUE_ERROR, GpuArray_svd_prepare(&launch, NULL, &s, &b, &a));
  assert_message(GA_VALUE_ERROR, "vt: expected 3 x 3, got 4 x 2");
  assert_code(GA_VALUE_ERROR, GpuArray_svd_prepare(&launch, &a, &s, NULL, &a));
  assert_code(GA_INVALID_ERROR,
              GpuArray_svd_prepare(&launch, NULL, NULL, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_svd(NULL, NULL, &x, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_svd(NULL, &x, NULL, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_svd(&x, &x, NULL, &a, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),   cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_odd),      cmocka_unit_test(test_near_values),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

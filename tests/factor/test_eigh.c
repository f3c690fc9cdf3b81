/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues of symmetric matrices, measured as LAPACK's tests measure
 * them. */
#include "factor/matrices.h"

#include <gpuarray/factor.h>

/* What the matrices are like. */
typedef enum kind {
  RANDOM,
  REPEATED,  /* eigenvalues of -1 and 1 only */
  GRADED,    /* eigenvalues from 1 to 1e-12 */
  DIAGONAL,  /* no rotation */
  CLUSTERED, /* eigenvalues that nearly agree */
  KINDS
} kind;

static double wanted_value(kind what, size_t i, size_t n) {
  const double x = n > 1 ? (double)i / (double)(n - 1) : 1;

  switch (what) {
  case REPEATED:
    return i % 3 == 0 ? -1 : 1;
  case GRADED:
    return pow(10, -12 * x);
  case CLUSTERED:
    return 1 + 1e-6 * x;
  default:
    return x - 0.25;
  }
}

/* Replace a, with the given eigenvalues on its diagonal, by H a H for some
 * reflections H. */
static void mix(host *a, size_t z) {
  const size_t n = a->n;
  double *v = calloc(n + 1, sizeof *v);

  for (int round = 0; round < 3; round++) {
    double square = 0;

    for (size_t i = 0; i < n; i++) {
      v[i] = draw_value();
      square += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < n; i++) {
        double dot = 0;

        for (size_t k = 0; k < n; k++)
          dot += v[k] * (side ? *host_at(a, z, i, k) : *host_at(a, z, k, i));
        for (size_t k = 0; k < n && square > 0; k++)
          *(side ? host_at(a, z, i, k) : host_at(a, z, k, i)) -=
              2 * dot * v[k] / square;
      }
  }
  free(v);
}

static void fill(host *a, kind what, double scale) {
  for (size_t z = 0; z < a->batch; z++) {
    for (size_t i = 0; i < a->n; i++)
      for (size_t j = 0; j <= i; j++)
        *host_at(a, z, i, j) = *host_at(a, z, j, i) =
            what == RANDOM ? draw_value()
            : i == j       ? wanted_value(what, i, a->n)
                           : 0;
    if (what != RANDOM && what != DIAGONAL)
      mix(a, z);
    for (size_t i = 0; i < a->n; i++)
      for (size_t j = 0; j <= i; j++)
        *host_at(a, z, i, j) = *host_at(a, z, j, i) =
            scale * *host_at(a, z, i, j);
  }
}

static void expect(double r, const char *what, const host *a, int typecode) {
  if (!(r < THRESHOLD))
    fail_msg("%s: residual %g, %zu x %zu, %s", what, r, a->m, a->n,
             ga__dtype_name(typecode));
}

/* |A - V W V^T| / (n |A| eps) and |I - V^T V| / (n eps); values ascend. */
static void check_results(const host *a, const host *w, const host *v,
                          int typecode) {
  const size_t n = a->n;
  host scaled = host_new(a->nd - 2, a->dims, n, n);
  host p = host_new(a->nd - 2, a->dims, n, n);
  host g = host_new(a->nd - 2, a->dims, n, n);
  host eye = host_new(a->nd - 2, a->dims, n, n);

  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < n; i++) {
      *host_at(&eye, z, i, i) = 1;
      for (size_t j = 0; j < n; j++)
        *host_at(&scaled, z, i, j) = *host_at(v, z, i, j) * w->v[z * n + j];
      assert_true(i == 0 || w->v[z * n + i] >= w->v[z * n + i - 1]);
    }
  host_multiply(&p, &scaled, 0, v, 1);
  host_multiply(&g, v, 1, v, 0);
  for (size_t z = 0; z < a->batch; z++) {
    host one = g, two = eye;

    one.v = host_at(&g, z, 0, 0);
    two.v = host_at(&eye, z, 0, 0);
    expect(residual(a, &p, z, (double)n * norm1(a, z), typecode), "A - V W V^T",
           a, typecode);
    expect(residual(&one, &two, 0, (double)n, typecode), "I - V^T V", a,
           typecode);
  }
  free(scaled.v);
  free(p.v);
  free(g.v);
  free(eye.v);
}

/* Only one triangle is read: the other one is NaN. */
static void check_eigh(unsigned int lead, const size_t *dims, size_t n,
                       kind what, double scale, int typecode,
                       const layout how[3], int flags) {
  host a = host_new(lead, dims, n, n), v = host_new(lead, dims, n, n);
  host w = host_new(lead, dims, 1, n), given;
  GpuArray da, dv, dw;
  GpuLaunch *launch;

  fill(&a, what, scale);
  host_round(&a, typecode);
  given = host_new(lead, dims, n, n);
  for (size_t z = 0; z < a.batch; z++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        *host_at(&given, z, i, j) =
            i == j || (i > j) == !flags ? *host_at(&a, z, i, j) : NAN;
  make(&da, &given, typecode, how[0]);
  make(&dv, &v, typecode, how[1]);
  w.nd--;
  w.dims[lead] = n;
  make(&dw, &w, typecode, how[2]);
  assert_ok(GpuArray_eigh_prepare(&launch, &dw, &dv, &da, flags));
  assert_ok(GpuLaunch_run(launch));
  GpuLaunch_free(launch);
  host_read(&w, &dw);
  host_read(&v, &dv);
  check_results(&a, &w, &v, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&dv);
  GpuArray_clear(&dw);
  free(a.v);
  free(v.v);
  free(w.v);
  free(given.v);
}

static void all_values(int typecode) {
  static const size_t sizes[] = {0, 1, 2, 3, 5, 8, 31, 33, 64, 65, 150};
  const size_t dims[2] = {2, 3};

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int what = 0; what < (sizes[k] > 40 ? 2 : KINDS); what++)
      check_eigh(0, NULL, sizes[k], (kind)((what + (int)k) % KINDS), 1,
                 typecode, rows_only, (int)k % 2);
  for (int h = 0; h < LAYOUTS; h++) {
    const layout how[3] = {(layout)h, (layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, TURNED - 1)};
    check_eigh(2, dims, draw(1, 40), (kind)draw(0, KINDS - 1), 1, typecode, how,
               h % 2);
  }
  check_eigh(1, (size_t[]){0}, 3, RANDOM, 1, typecode, rows_only, 0);
}

/* One pair of blocks and several, and a batch that is copied. */
static void some_values(void) {
  const size_t dims[2] = {2, 3};
  const layout turned[3] = {TURNED, TURNED, TURNED};

  check_eigh(0, NULL, by_mapping(150, 70), RANDOM, 1, GA_FLOAT, rows_only, 0);
  check_eigh(2, dims, 5, RANDOM, 1, GA_FLOAT, turned, GA_FACTOR_UPPER);
}

static void values_of_floats(void) {
  if (test_is_quick())
    some_values();
  else
    all_values(GA_FLOAT);
  check_eigh(0, NULL, 20, RANDOM, 1e37, GA_FLOAT, rows_only, 0);
  check_eigh(0, NULL, 20, RANDOM, 1e-30, GA_FLOAT, rows_only, 0);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(values_of_floats);
}

static void values_of_doubles(void) {
  if (!test_is_quick())
    all_values(GA_DOUBLE);
  check_eigh(0, NULL, by_mapping(70, 100), REPEATED, 1, GA_DOUBLE, rows_only,
             0);
  check_eigh(0, NULL, 20, GRADED, 1e300, GA_DOUBLE, rows_only, 0);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  if (test_is_quick())
    values_of_doubles();
  else
    test_mappings(values_of_doubles);
}

/* Zeros, and elements that are not finite. */
static void all_odd(void) {
  static const float v[4][4] = {
      {0}, {1, 0, NAN, 2}, {1, 0, INFINITY, 2}, {2, 0, 0, 1e-20f}};

  for (int k = 0; k < 4; k++) {
    GpuArray a, w, x;
    float got[2], vectors[4];

    test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, v[k]);
    assert_ok(GpuArray_eigh(&w, &x, &a, 0));
    assert_ok(GpuArray_read(got, sizeof got, &w));
    assert_ok(GpuArray_read(vectors, sizeof vectors, &x));
    assert_true(k % 3 == 0 || (isnan(got[0]) && isnan(got[1])));
    assert_true(k % 3 == 0 || (isnan(vectors[0]) && isnan(vectors[3])));
    assert_true(k != 0 || (got[0] == 0 && got[1] == 0 && vectors[0] == 1));
    assert_true(k != 3 || (got[0] == 1e-20f && got[1] == 2 && vectors[1] == 1));
    GpuArray_clear(&a);
    GpuArray_clear(&w);
    GpuArray_clear(&x);
  }
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

/* Vectors may replace the matrix, or be missing; values are the same bits. */
static void test_in_place(void **state) {
  const float v[4] = {2, 1, 1, 2};
  float one[2], two[2], vectors[4];
  GpuArray a, w, alone;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, v);
  assert_ok(GpuArray_eigh(&w, NULL, &a, 0));
  assert_ok(GpuArray_eigh(&alone, NULL, &a, 0));
  assert_ok(GpuArray_eigh_prepare(&launch, &w, &a, &a, 0));
  assert_ok(GpuLaunch_run(launch));
  GpuLaunch_free(launch);
  assert_ok(GpuArray_read(one, sizeof one, &w));
  assert_ok(GpuArray_read(two, sizeof two, &alone));
  assert_ok(GpuArray_read(vectors, sizeof vectors, &a));
  assert_memory_equal(one, two, sizeof one);
  assert_true(fabsf(one[0] - 1) < 1e-6f && fabsf(one[1] - 3) < 1e-6f);
  assert_true(vectors[0] > 0.7f && vectors[2] < -0.7f && vectors[3] > 0.7f);
  GpuArray_clear(&a);
  GpuArray_clear(&w);
  GpuArray_clear(&alone);
}

static void test_refusals(void **state) {
  float v[12] = {0};
  GpuArray a, b, w, x;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 3}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&w, GA_FLOAT, 1, (size_t[]){4}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &w, NULL, &a, 0));
  assert_message(GA_VALUE_ERROR, "a: 4 x 3 is not square");
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &w, NULL, &b, 0));
  assert_message(GA_VALUE_ERROR, "w: dim 0: expected 3, got 4");
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &b, NULL, &b, 0));
  GpuArray_clear(&w);
  test_array(&w, GA_FLOAT, 1, (size_t[]){3}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &w, &a, &b, 0));
  assert_message(GA_VALUE_ERROR, "v: expected 3 x 3, got 4 x 3");
  assert_code(GA_VALUE_ERROR, GpuArray_eigh_prepare(&launch, &w, NULL, &b, 2));
  assert_message(GA_VALUE_ERROR, "flags 0x2 are not known");
  assert_code(GA_INVALID_ERROR,
              GpuArray_eigh_prepare(&launch, NULL, NULL, &b, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_eigh(NULL, &x, &b, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_eigh(&x, NULL, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_eigh(&x, &x, &b, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_eigh(&b, NULL, &b, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),   cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_odd),      cmocka_unit_test(test_in_place),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

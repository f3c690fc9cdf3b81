/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and eigenvectors of general matrices: residuals as LAPACK's tests
 * measure them, sums of eigenvalues and of their squares, and norms. */
#include "factor/matrices.h"

#include <complex.h>
#include <gpuarray/factor.h>

typedef double complex number;

/* What the matrices are like. */
typedef enum kind {
  RANDOM,
  CYCLE,     /* a permutation, at which steps without shifts do nothing */
  DEFECTIVE, /* one eigenvector for all eigenvalues, which are 1 */
  NILPOTENT, /* the same for 0 */
  EQUAL,     /* an eigenvalue of 2 for half of the columns */
  ZERO,
  KINDS
} kind;

static int is_complex(int typecode) {
  return typecode == GA_CFLOAT || typecode == GA_CDOUBLE;
}

static int has_floats(int typecode) {
  return typecode == GA_FLOAT || typecode == GA_CFLOAT;
}

static double epsilon(int typecode) {
  return has_floats(typecode) ? FLT_EPSILON : DBL_EPSILON;
}

static number wanted(kind what, size_t i, size_t j, size_t n, int typecode) {
  switch (what) {
  case RANDOM:
    return draw_value() + (is_complex(typecode) ? draw_value() * I : 0);
  case CYCLE:
    return j == (i + 1) % n;
  case DEFECTIVE:
    return i == j || j == i + 1;
  case NILPOTENT:
    return j == i + 1;
  case EQUAL:
    return i == j ? (i % 2 == 0 ? 2 : (double)i) : 0;
  default:
    return 0;
  }
}

/* a = H a H for a reflection H, which keeps eigenvalues. */
static void mix(number *a, size_t n) {
  number *v = calloc(n + 1, sizeof *v);
  double square = 0;

  for (size_t i = 0; i < n; i++) {
    v[i] = draw_value();
    square += creal(v[i] * v[i]);
  }
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < n; i++) {
      number dot = 0;

      for (size_t k = 0; k < n; k++)
        dot += v[k] * (side ? a[i * n + k] : a[k * n + i]);
      for (size_t k = 0; k < n; k++)
        a[side ? i * n + k : k * n + i] -= 2 * dot * v[k] / square;
    }
  free(v);
}

static number rounded(number v, int typecode) {
  return has_floats(typecode) ? (float)creal(v) + (float)cimag(v) * I : v;
}

static void fill(number *a, size_t batch, size_t n, kind what, double scale,
                 int typecode) {
  for (size_t z = 0; z < batch; z++, a += n * n) {
    for (size_t i = 0; i < n * n; i++)
      a[i] = wanted(what, i / n, i % n, n, typecode);
    if (what == DEFECTIVE || what == EQUAL)
      mix(a, n);
    for (size_t i = 0; i < n * n; i++)
      a[i] = rounded(scale * a[i], typecode);
  }
}

/* An array of numbers, of which real ones are kept for a real dtype. */
static void put(GpuArray *to, unsigned int nd, const size_t *dims,
                const number *v, int typecode, layout how) {
  ssize_t strides[MOST_ND];
  size_t n = 1;
  const size_t parts = is_complex(typecode) ? 2 : 1;
  const int part = has_floats(typecode) ? GA_FLOAT : GA_DOUBLE;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  char *data = malloc(16 * n + 16);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < parts; k++)
      test_set(data, part, parts * i + k, k == 0 ? creal(v[i]) : cimag(v[i]));
  layout_strides(how, nd, dims, strides);
  test_array_strided(to, typecode, nd, dims, strides, data);
  free(data);
}

static void take(number *to, const GpuArray *a) {
  const size_t n = test_size(a);
  const int part = has_floats(a->typecode) ? GA_FLOAT : GA_DOUBLE;
  char *data = malloc(16 * n + 16);

  test_gather(a, data);
  for (size_t i = 0; i < n; i++)
    to[i] = test_get(data, part, 2 * i) + test_get(data, part, 2 * i + 1) * I;
  free(data);
}

static double norm(const number *a, size_t n) {
  double most = 0;

  for (size_t j = 0; j < n; j++) {
    double sum = 0;

    for (size_t i = 0; i < n; i++)
      sum += cabs(a[i * n + j]);
    most = sum > most ? sum : most;
  }
  return most;
}

static void expect(double got, double most, const char *what, size_t n,
                   kind like, int typecode) {
  if (!(got <= most))
    fail_msg("%s: %g instead of %g, n %zu, kind %d, %s", what, got, most, n,
             (int)like, ga__dtype_name(typecode));
}

/* The sum of eigenvalues is the trace, that of their squares the trace of the
 * square. Both are taken of matrices whose norm is near 1. */
static void check_values(const number *a, const number *w, size_t n, kind like,
                         int typecode) {
  const double size = norm(a, n), over = size > 0 ? 1 / size : 1;
  const double most = THRESHOLD * (double)n * epsilon(typecode);
  number sum = 0, square = 0;

  for (size_t i = 0; i < n; i++) {
    sum += a[i * n + i] * over - w[i] * over;
    square -= w[i] * over * (w[i] * over);
    for (size_t k = 0; k < n; k++)
      square += a[i * n + k] * over * (a[k * n + i] * over);
  }
  expect(cabs(sum), most, "the trace", n, like, typecode);
  expect(cabs(square), most, "the trace of the square", n, like, typecode);
}

/* |A V - V W| / (n |A| eps), columns of norm 1, and their phases. */
static void check_vectors(const number *a, const number *w, const number *v,
                          size_t n, kind like, int typecode) {
  const double unit = (double)n * epsilon(typecode);

  for (size_t j = 0; j < n; j++) {
    double sum = 0, square = 0, most = 0;
    size_t first = n;

    for (size_t i = 0; i < n; i++) {
      number r = -w[j] * v[i * n + j];

      for (size_t k = 0; k < n; k++)
        r += a[i * n + k] * v[k * n + j];
      sum += cabs(r);
      square += creal(v[i * n + j] * conj(v[i * n + j]));
      most = fmax(most, cabs(v[i * n + j]));
    }
    expect(sum, THRESHOLD * unit * norm(a, n), "A V - V W", n, like, typecode);
    expect(fabs(square - 1), THRESHOLD * unit, "a norm", n, like, typecode);
    for (size_t i = n; i-- > 0;)
      if (cabs(v[i * n + j]) >= 0.7185 * most)
        first = i;
    /* Unless rounding may decide which element is the first one. */
    if (cabs(v[first * n + j]) > 0.719 * most)
      assert_true(creal(v[first * n + j]) > 0 && cimag(v[first * n + j]) == 0);
  }
}

static void check_eig(unsigned int lead, const size_t *sizes, size_t n,
                      kind like, double scale, int typecode,
                      const layout how[3]) {
  const int to = has_floats(typecode) ? GA_CFLOAT : GA_CDOUBLE;
  size_t dims[MOST_ND], batch = 1;
  GpuArray da, dv, dw, alone;
  GpuLaunch *launch;

  for (unsigned int d = 0; d < lead; d++)
    batch *= dims[d] = sizes[d];
  dims[lead] = dims[lead + 1] = n;
  number *a = calloc(batch * n * n + 1, sizeof *a),
         *v = calloc(batch * n * n + 1, sizeof *v),
         *w = calloc(batch * n + 1, sizeof *w);
  fill(a, batch, n, like, scale, typecode);
  put(&da, lead + 2, dims, a, typecode, how[0]);
  put(&dv, lead + 2, dims, v, to, how[1]);
  put(&dw, lead + 1, dims, w, to, how[2]);
  assert_ok(GpuArray_eig_prepare(&launch, &dw, &dv, &da));
  run_once(launch);
  take(w, &dw);
  take(v, &dv);
  for (size_t z = 0; z < batch; z++) {
    check_values(a + z * n * n, w + z * n, n, like, typecode);
    check_vectors(a + z * n * n, w + z * n, v + z * n * n, n, like, typecode);
  }
  assert_ok(GpuArray_eig(&alone, NULL, &da));
  take(w, &alone);
  for (size_t z = 0; z < batch; z++)
    check_values(a + z * n * n, w + z * n, n, like, typecode);
  GpuArray_clear(&da);
  GpuArray_clear(&dv);
  GpuArray_clear(&dw);
  GpuArray_clear(&alone);
  free(a);
  free(v);
  free(w);
}

static void all_of(int typecode) {
  static const size_t sizes[] = {0, 1, 2, 3, 5, 8, 40};
  const size_t some = sizeof sizes / sizeof *sizes, lead[2] = {2, 3};

  for (size_t k = 0; k < some; k++)
    for (int what = 0; what < (k + 1 < some ? KINDS : 3); what++)
      check_eig(0, NULL, sizes[k], (kind)what, 1, typecode, rows_only);
  for (int h = 0; h < LAYOUTS; h++) {
    const layout how[3] = {(layout)h, draw_layout(),
                           (layout)draw(0, TURNED - 1)};
    check_eig(2, lead, draw(1, 9), RANDOM, 1, typecode, how);
  }
  check_eig(1, (size_t[]){0}, 3, RANDOM, 1, typecode, rows_only);
}

/* Groups of both sizes, and a batch that is copied. */
static void some_of(int typecode) {
  const size_t lead[2] = {2, 3};
  const layout turned[3] = {TURNED, TURNED, TURNED};

  check_eig(2, lead, 5, RANDOM, 1, typecode, turned);
  check_eig(0, NULL, 40, RANDOM, 1, typecode, rows_only);
}

static void floats(void) {
  if (test_is_quick())
    some_of(GA_FLOAT);
  else
    all_of(GA_FLOAT);
  check_eig(0, NULL, 20, RANDOM, 1e37, GA_CFLOAT, rows_only);
  check_eig(0, NULL, 20, RANDOM, 1e-30, GA_CFLOAT, rows_only);
  check_eig(0, NULL, 70, RANDOM, 1, GA_FLOAT, rows_only);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(floats);
}

static void doubles(void) {
  if (!test_is_quick())
    all_of(GA_CDOUBLE);
  some_of(GA_CDOUBLE);
  check_eig(0, NULL, 9, RANDOM, 1e300, GA_DOUBLE, rows_only);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  if (test_is_quick())
    doubles();
  else
    test_mappings(doubles);
}

/* A rotation, and elements that are not finite: of one matrix of a batch. */
static void all_odd(void) {
  static const float v[4][8] = {{0, -2, 2, 0, 0, -2, 2, 0},
                                {0, -2, 2, 0, 0, NAN, 2, 0},
                                {0, -2, 2, 0, 0, -2, INFINITY, 0},
                                {0, -2, 2, 0, -INFINITY, 1, 0, NAN}};

  for (int k = 0; k < 4; k++) {
    GpuArray a, w, x;
    number got[4], vectors[8];

    test_array(&a, GA_FLOAT, 3, (size_t[]){2, 2, 2}, v[k]);
    assert_ok(GpuArray_eig(&w, &x, &a));
    take(got, &w);
    take(vectors, &x);
    assert_true(cabs(got[0] + got[1]) < 1e-6 && creal(got[0]) < 1e-6);
    assert_true(fabs(fabs(cimag(got[0])) - 2) < 1e-6);
    assert_true(fabs(creal(vectors[0]) - sqrt(0.5)) < 1e-6);
    for (int i = 0; i < 2; i++)
      assert_true(k == 0 ? cabs(got[2 + i]) < 3 : isnan(creal(got[2 + i])));
    for (int i = 0; i < 4; i++)
      assert_true(isnan(creal(vectors[4 + i])) == (k != 0));
    GpuArray_clear(&a);
    GpuArray_clear(&w);
    GpuArray_clear(&x);
  }
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

/* Vectors may replace a complex matrix. */
static void test_in_place(void **state) {
  const float v[8] = {2, 0, 1, 0, 0, 0, 3, 0};
  number values[2], vectors[4];
  GpuArray a, w;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 2}, v);
  test_array(&w, GA_CFLOAT, 1, (size_t[]){2}, v);
  assert_ok(GpuArray_eig_prepare(&launch, &w, &a, &a));
  run_once(launch);
  take(values, &w);
  take(vectors, &a);
  assert_true(cabs(values[0] - 2) < 1e-6 && cabs(values[1] - 3) < 1e-6);
  assert_true(cabs(vectors[0] - 1) < 1e-6 && cabs(vectors[2]) < 1e-6);
  assert_true(cabs(vectors[1] - sqrt(0.5)) < 1e-6);
  GpuArray_clear(&a);
  GpuArray_clear(&w);
}

static void test_refusals(void **state) {
  double v[24] = {0};
  GpuArray a, b, w, x;
  GpuLaunch *launch;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 3}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){3, 3}, v);
  test_array(&w, GA_FLOAT, 1, (size_t[]){3}, v);
  test_array(&x, GA_CFLOAT, 2, (size_t[]){4, 3}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eig_prepare(&launch, &w, NULL, &a));
  assert_message(GA_VALUE_ERROR, "a: 4 x 3 is not square");
  assert_code(GA_VALUE_ERROR, GpuArray_eig_prepare(&launch, &w, NULL, &b));
  assert_message(GA_VALUE_ERROR, "w: expected complex64, got float32");
  GpuArray_clear(&w);
  test_array(&w, GA_CFLOAT, 1, (size_t[]){4}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eig_prepare(&launch, &w, NULL, &b));
  assert_message(GA_VALUE_ERROR, "w: dim 0: expected 3, got 4");
  GpuArray_clear(&w);
  test_array(&w, GA_CFLOAT, 1, (size_t[]){3}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_eig_prepare(&launch, &w, &x, &b));
  assert_message(GA_VALUE_ERROR, "v: expected 3 x 3, got 4 x 3");
  assert_code(GA_VALUE_ERROR, GpuArray_eig_prepare(&launch, &w, &b, &b));
  assert_code(GA_INVALID_ERROR, GpuArray_eig_prepare(&launch, NULL, NULL, &b));
  GpuArray_clear(&x);
  assert_code(GA_INVALID_ERROR, GpuArray_eig(NULL, &x, &b));
  assert_code(GA_VALUE_ERROR, GpuArray_eig(&x, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_eig(&x, NULL, NULL));
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

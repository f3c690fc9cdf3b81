/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching among edges against counting on the host. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/index_guard.h>
#include <gpuarray/search.h>

#include "base/dtype.h"

/* --- on the host --- */

/* Whether edge e counts for x: NaN is last. */
static int counts(double e, double x, int flags) {
  const int same = isnan(x) ? isnan(e) : e == x;

  if (same)
    return (flags & GA_SEARCH_RIGHT) != 0;
  return isnan(x) || e < x;
}

static double get(const char *data, int dtype, size_t i) {
  return test_get(data, dtype, i);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;

  if (isnan(x) || isnan(y))
    return (isnan(x) != 0) - (isnan(y) != 0);
  return (x > y) - (x < y);
}

/* Rows of m edges in order, which repeat, and NaN among floats. */
static char *make_edges(int dtype, size_t rows, size_t m) {
  char *data = calloc(rows * m + 1, 8);
  double *row = calloc(m + 1, sizeof *row);

  test_fill(data, dtype, rows * m, -20, 20, 7);
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < m; i++)
      row[i] = get(data, dtype, r * m + i);
    if (ga__dtype_kind(dtype) == GA_KIND_FLOAT && m > 4)
      row[1] = NAN;
    qsort(row, m, sizeof *row, ascending);
    for (size_t i = 0; i < m; i++)
      test_set(data, dtype, r * m + i, row[i]);
  }
  free(row);
  return data;
}

/* Elements within, below and above the edges. */
static char *make_x(int dtype, size_t n) {
  static const double odd[] = {NAN, -0.0, INFINITY, -INFINITY};
  char *data = calloc(n + 1, 8);

  test_fill(data, dtype, n, -25, 25, 3);
  for (size_t i = 0; ga__dtype_kind(dtype) == GA_KIND_FLOAT && i < n; i += 5)
    test_set(data, dtype, i, odd[i / 5 % 4]);
  return data;
}

/* Compare for x, whose rows have n elements, and `edges`, whose rows have m.
 * All rows share the first row of edges if those are a vector. */
static void check(const GpuArray *x, const char *x_data, const GpuArray *edges,
                  const char *edge_data, int flags) {
  const size_t total = test_size(x), m = edges->dimensions[edges->nd - 1];
  const size_t n = x->nd > 0 ? x->dimensions[x->nd - 1] : 1;
  int64_t *want = calloc(total + 1, sizeof *want);
  GpuArray res;

  for (size_t i = 0; i < total; i++) {
    const size_t row = edges->nd > 1 ? i / n * m : 0;
    for (size_t k = 0; k < m; k++)
      want[i] += counts(get(edge_data, x->typecode, row + k),
                        get(x_data, x->typecode, i), flags);
  }
  assert_ok(GpuArray_searchsorted(&res, edges, x, flags));
  test_array_equal(&res, want);
  GpuArray_clear(&res);
  free(want);
}

/* --- tests --- */

static void check_shape(int dtype, unsigned int nd, const size_t *dims,
                        size_t m, int has_rows) {
  size_t edge_dims[4] = {0}, n = 1, rows = 1;
  GpuArray x, edges;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  for (unsigned int d = 0; has_rows && d + 1 < nd; d++)
    rows *= edge_dims[d] = dims[d];
  edge_dims[has_rows ? nd - 1 : 0] = m;
  char *e = make_edges(dtype, rows, m), *v = make_x(dtype, n);
  test_array(&x, dtype, nd, dims, v);
  test_array(&edges, dtype, has_rows ? nd : 1, edge_dims, e);
  check(&x, v, &edges, e, 0);
  check(&x, v, &edges, e, GA_SEARCH_RIGHT);
  GpuArray_clear(&x);
  GpuArray_clear(&edges);
  free(e);
  free(v);
}

static void all_shapes(void) {
  static const size_t one[] = {3000}, two[] = {7, 30}, three[] = {3, 5, 20};
  static const size_t none[] = {0}, empty[] = {0, 4};

  check_shape(GA_FLOAT, 1, one, 100, 0);
  check_shape(GA_FLOAT, 1, one, 1, 0);
  check_shape(GA_FLOAT, 1, one, 0, 0);
  check_shape(GA_FLOAT, 0, NULL, 64, 0);
  check_shape(GA_FLOAT, 1, none, 5, 0);
  check_shape(GA_FLOAT, 2, two, 33, 0);
  check_shape(GA_FLOAT, 2, two, 33, 1);
  check_shape(GA_FLOAT, 3, three, 9, 1);
  check_shape(GA_FLOAT, 2, empty, 9, 1);
}

static void test_shapes(void **state) {
  (void)state;
  test_mappings(all_shapes);
}

static void test_dtypes(void **state) {
  static const int types[] = {GA_BOOL, GA_BYTE,  GA_UBYTE, GA_SHORT, GA_INT,
                              GA_LONG, GA_ULONG, GA_HALF,  GA_BFLOAT};
  static const size_t n = 300;

  (void)state;
  test_need_full();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    check_shape(types[i], 1, &n, 20, 0);
}

static void test_double(void **state) {
  static const size_t n = 300;

  (void)state;
  test_need_double();
  check_shape(GA_DOUBLE, 1, &n, 20, 0);
}

/* --- edges that are spread unevenly --- */

enum { EVEN, POWERS, EQUAL, INFINITE, CLOSE, TINY, SPREADS };

/* Edge i of m. */
static double spread_edge(int spread, size_t i, size_t m) {
  const double from_middle = (double)i - (double)(m / 2);

  switch (spread) {
  case EVEN:
    return from_middle / 4;
  case POWERS:
    return from_middle < 0 ? -ldexp(1, (int)(i % 60)) : ldexp(1, (int)i % 60);
  case EQUAL:
    return 3;
  case INFINITE:
    return i == 0 ? -INFINITY : i == m - 1 ? INFINITY : from_middle;
  case CLOSE:
    return 1 + ldexp((double)i, -23);
  default:
    return ldexp(from_middle, -149);
  }
}

static char *make_spread(int dtype, int spread, size_t m) {
  char *data = calloc(m, 8);
  double *edges = calloc(m, sizeof *edges);

  for (size_t i = 0; i < m; i++) {
    test_set(data, dtype, i, spread_edge(spread, i, m));
    edges[i] = get(data, dtype, i);
  }
  qsort(edges, m, sizeof *edges, ascending);
  for (size_t i = 0; i < m; i++)
    test_set(data, dtype, i, edges[i]);
  free(edges);
  return data;
}

/* Elements that equal edges, lie between them and beyond. */
static void check_spread(int dtype, int spread, size_t m) {
  const size_t n = 2 * m + 6;
  const int is_float = ga__dtype_kind(dtype) == GA_KIND_FLOAT;
  const double odd[] = {NAN, -0.0, INFINITY, -INFINITY, 1e30, -1e30};
  char *e = make_spread(dtype, spread, m), *v = calloc(n, 8);
  GpuArray x, edges;

  for (size_t i = 0; i < m; i++) {
    const double a = get(e, dtype, i), b = get(e, dtype, (i + 1) % m);
    test_set(v, dtype, 2 * i, a);
    test_set(v, dtype, 2 * i + 1, isfinite(a + b) ? (a + b) / 2 : 0);
  }
  for (size_t i = 0; i < 6 && is_float; i++)
    test_set(v, dtype, 2 * m + i, odd[i]);
  test_array(&x, dtype, 1, &n, v);
  test_array(&edges, dtype, 1, &m, e);
  check(&x, v, &edges, e, 0);
  check(&x, v, &edges, e, GA_SEARCH_RIGHT);
  GpuArray_clear(&x);
  GpuArray_clear(&edges);
  free(e);
  free(v);
}

static void all_spreads(void) {
  static const size_t sizes[] = {2, 128, 129, 1024, 1025};

  for (int spread = EVEN; spread < SPREADS; spread++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      check_spread(GA_FLOAT, spread, sizes[i]);
}

static void test_spreads(void **state) {
  (void)state;
  test_mappings(all_spreads);
}

static void test_spread_dtypes(void **state) {
  static const int types[] = {GA_HALF, GA_BFLOAT, GA_INT,
                              GA_LONG, GA_BYTE,   GA_DOUBLE};
  const int has_double = gpucontext_caps(test_context())->fp64;

  (void)state;
  test_need_full();
  for (size_t i = 0; i < sizeof types / sizeof *types - !has_double; i++)
    for (int spread = EVEN; spread <= EQUAL; spread++)
      check_spread(types[i], spread, 100);
  if (has_double)
    check_spread(GA_DOUBLE, INFINITE, 100);
}

/* Edges at equal distances but for their rounding, or almost, and the numbers
 * next to each of them. */
static void check_neighbours(float distance, float beyond) {
  enum { M = 101, EACH = 4, N = EACH * M };
  static const size_t m = M, n = N;
  float e[M], v[N];
  GpuArray x, edges;

  for (int i = 0; i < M; i++)
    e[i] = (float)(i - 30) * distance;
  e[M - 1] += beyond * distance;
  for (int i = 0; i < M; i++) {
    v[EACH * i] = e[i];
    v[EACH * i + 1] = nextafterf(e[i], INFINITY);
    v[EACH * i + 2] = nextafterf(e[i], -INFINITY);
    v[EACH * i + 3] = e[i] + distance / 2;
  }
  test_array(&x, GA_FLOAT, 1, &n, v);
  test_array(&edges, GA_FLOAT, 1, &m, e);
  check(&x, (const char *)v, &edges, (const char *)e, 0);
  check(&x, (const char *)v, &edges, (const char *)e, GA_SEARCH_RIGHT);
  GpuArray_clear(&x);
  GpuArray_clear(&edges);
}

static void test_neighbours(void **state) {
  (void)state;
  check_neighbours(0.1F, 0);
  check_neighbours(1e37F, 0);
  check_neighbours(0.1F, 0.04F);
  check_neighbours(0.1F, 4);
}

/* Edges in no order give some position of the row, unless a guard looks at
 * them. */
static void test_disorder(void **state) {
  static const size_t n = 100;
  const int was_on = gpucontext_guards_indices(test_context());
  float v[100];
  int64_t got[100];
  GpuArray x, res;

  (void)state;
  for (int i = 0; i < 100; i++)
    v[i] = (float)(i * 37 % 100);
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  test_array(&x, GA_FLOAT, 1, &n, v);
  assert_ok(GpuArray_searchsorted(&res, &x, &x, 0));
  test_gather(&res, got);
  for (int i = 0; i < 100; i++)
    assert_in_range(got[i], 0, 100);
  assert_ok(gpucontext_guard_indices(test_context(), was_on));
  GpuArray_clear(&res);
  GpuArray_clear(&x);
}

/* Operands and results of any strides. */
static void test_strides(void **state) {
  static const size_t dims[2] = {4, 9}, edge_dims[2] = {4, 6};
  char *e = make_edges(GA_FLOAT, 4, 6), *v = make_x(GA_FLOAT, 36);
  int64_t none[36] = {0}, want[36] = {0};
  GpuArray x, edges, res;
  GpuLaunch *l;

  (void)state;
  test_array_strided(&x, GA_FLOAT, 2, dims, (ssize_t[]){1, -5}, v);
  test_array_strided(&edges, GA_FLOAT, 2, edge_dims, (ssize_t[]){-7, 1}, e);
  test_array_strided(&res, GA_LONG, 2, dims, (ssize_t[]){-1, 5}, none);
  check(&x, v, &edges, e, GA_SEARCH_RIGHT);
  assert_ok(GpuArray_searchsorted_prepare(&l, &res, &edges, &x, 0));
  assert_ok(GpuLaunch_run(l));
  for (size_t i = 0; i < 36; i++) {
    for (size_t k = 0; k < 6; k++)
      want[i] +=
          counts(get(e, GA_FLOAT, i / 9 * 6 + k), get(v, GA_FLOAT, i), 0);
  }
  test_array_equal(&res, want);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&edges);
  GpuArray_clear(&res);
  free(e);
  free(v);
}

static void test_refusals(void **state) {
  static const size_t n = 8, two[2] = {2, 4}, other[2] = {3, 4};
  char data[128] = {0};
  GpuArray a, b, c, d, e, s, r;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, data);
  test_array(&b, GA_INT, 1, &n, data);
  test_array(&c, GA_CFLOAT, 1, &n, data);
  test_array(&d, GA_FLOAT, 2, two, data);
  test_array(&e, GA_FLOAT, 2, other, data);
  test_array(&s, GA_FLOAT, 0, NULL, data);
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&r, &b, &a, 0));
  assert_message(GA_VALUE_ERROR, "edges: expected float32, got int32");
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&r, &d, &a, 0));
  assert_message(GA_VALUE_ERROR, "edges: expected 1 or 1 dimensions, got 2");
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&r, &e, &d, 0));
  assert_message(GA_VALUE_ERROR, "edges: dim 0: expected 2, got 3");
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&r, &s, &a, 0));
  assert_message(GA_VALUE_ERROR, "edges: a scalar has no axis");
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&r, &a, &a, 2));
  assert_message(GA_VALUE_ERROR, "flags 0x2 are not known");
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_searchsorted(&r, &c, &c, 0));
  assert_message(GA_UNSUPPORTED_ERROR, "complex64 has no order");
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted_prepare(&l, &b, &a, &a, 0));
  assert_message(GA_VALUE_ERROR, "result: expected int64, got int32");
  assert_code(GA_INVALID_ERROR, GpuArray_searchsorted(&r, NULL, &a, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_searchsorted(&r, &a, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_searchsorted(NULL, &a, &a, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_searchsorted(&a, &a, &d, 0));
  assert_message(GA_VALUE_ERROR, "a result is the same array as an operand");
  assert_code(GA_INVALID_ERROR,
              GpuArray_searchsorted_prepare(&l, NULL, &a, &a, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&d);
  GpuArray_clear(&e);
  GpuArray_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),        cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_double),        cmocka_unit_test(test_spreads),
      cmocka_unit_test(test_spread_dtypes), cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_disorder),      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_refusals)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

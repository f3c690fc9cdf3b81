/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection against a search of the row on the host, one element after another.
 */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/topk.h>

#include "base/dtype.h"
#include "order/elements.h"

/* --- on the host --- */

/* Elements of a row; their step is 1. */
typedef struct row {
  const double *v;
  int is_largest;
} row;

static row ordering; /* of compare */

/* NaN is larger than all others; equal elements stay in their order. */
static int compare(const void *pa, const void *pb) {
  const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
  const double x = ordering.v[a], y = ordering.v[b];
  const int less = isnan(y) ? !isnan(x) : x < y;
  const int more = isnan(x) ? !isnan(y) : x > y;

  if (less || more)
    return less != ordering.is_largest ? -1 : 1;
  return a < b ? -1 : 1;
}

static int compare_positions(const void *pa, const void *pb) {
  const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

  return a < b ? -1 : 1;
}

/* What a call should give for x, whose elements are `data` in C order. `at` are
 * positions in rows, `from` those in the array. */
typedef struct picks {
  size_t n_rows, n, k, step;
  int64_t *at;
  size_t *from;
} picks;

static picks pick(const GpuArray *x, const char *data, unsigned int axis,
                  size_t skip, size_t k, int is_largest) {
  const size_t n = x->dimensions[axis], total = test_size(x);
  picks p = {.n_rows = n > 0 ? total / n : 0, .n = n, .k = k, .step = 1};
  double *v = calloc(n + 1, sizeof *v);
  int64_t *order = calloc(n + 1, sizeof *order);

  for (unsigned int d = axis + 1; d < x->nd; d++)
    p.step *= x->dimensions[d];
  p.at = calloc(p.n_rows * k + 1, sizeof *p.at);
  p.from = calloc(p.n_rows * k + 1, sizeof *p.from);
  for (size_t r = 0; r < p.n_rows; r++) {
    const size_t first = first_of_row(r, n, p.step);
    for (size_t i = 0; i < n; i++) {
      v[i] = test_get(data, x->typecode, first + i * p.step);
      order[i] = (int64_t)i;
    }
    ordering = (row){v, is_largest};
    qsort(order, n, sizeof *order, compare);
    for (size_t i = 0; i < k; i++) {
      const size_t to = first_of_row(r, k, p.step) + i * p.step;
      p.at[to] = order[skip + i];
      p.from[to] = first + (size_t)order[skip + i] * p.step;
    }
  }
  free(v);
  free(order);
  return p;
}

/* Put the positions of each row in order, which say nothing of an unsorted
 * result then. */
static void in_order(const picks *p, int64_t *at) {
  int64_t *part = calloc(p->k + 1, sizeof *part);

  for (size_t r = 0; r < p->n_rows; r++) {
    const size_t first = first_of_row(r, p->k, p->step);
    for (size_t i = 0; i < p->k; i++)
      part[i] = at[first + i * p->step];
    qsort(part, p->k, sizeof *part, compare_positions);
    for (size_t i = 0; i < p->k; i++)
      at[first + i * p->step] = part[i];
  }
  free(part);
}

static void check_values(const GpuArray *x, const char *data, const picks *p,
                         const GpuArray *values) {
  const size_t size = ga__dtype_size(x->typecode), n = p->n_rows * p->k;
  char *want = calloc(n + 1, size);

  for (size_t i = 0; i < n; i++)
    memcpy(want + i * size, data + p->from[i] * size, size);
  test_array_equal(values, want);
  free(want);
}

/* Unsorted values are those of the positions beside them. */
static void check_unsorted(const GpuArray *x, const char *data, picks *p,
                           const GpuArray *values, const GpuArray *indices) {
  const size_t n = p->n_rows * p->k;
  int64_t *got = calloc(n + 1, sizeof *got);

  test_gather(indices, got);
  for (size_t i = 0; i < n; i++) {
    const size_t r = i / (p->k * p->step) * p->step + i % p->step;
    assert_true(got[i] >= 0 && (size_t)got[i] < p->n);
    p->from[i] = first_of_row(r, p->n, p->step) + (size_t)got[i] * p->step;
  }
  check_values(x, data, p, values);
  in_order(p, got);
  in_order(p, p->at);
  assert_memory_equal(got, p->at, n * sizeof *got);
  free(got);
}

static void check_topk(const GpuArray *x, const char *data, size_t k,
                       unsigned int axis, int flags) {
  picks p = pick(x, data, axis, 0, k, !(flags & GA_TOPK_SMALLEST));
  GpuArray values, indices, alone;

  assert_ok(GpuArray_topk(&values, &indices, x, k, axis, flags));
  assert_int_equal(values.dimensions[axis], k);
  if (flags & GA_TOPK_UNSORTED) {
    check_unsorted(x, data, &p, &values, &indices);
  } else {
    check_values(x, data, &p, &values);
    test_array_equal(&indices, p.at);
    assert_ok(GpuArray_topk(NULL, &alone, x, k, axis, flags));
    test_array_equal(&alone, p.at);
    GpuArray_clear(&alone);
    assert_ok(GpuArray_topk(&alone, NULL, x, k, axis, flags));
    check_values(x, data, &p, &alone);
    GpuArray_clear(&alone);
  }
  GpuArray_clear(&values);
  GpuArray_clear(&indices);
  free(p.at);
  free(p.from);
}

static void check_kth(const GpuArray *x, const char *data, size_t rank,
                      unsigned int axis) {
  picks p = pick(x, data, axis, rank, 1, 0);
  GpuArray values, indices;

  assert_ok(GpuArray_kth(&values, &indices, x, rank, axis));
  check_values(x, data, &p, &values);
  test_array_equal(&indices, p.at);
  GpuArray_clear(&values);
  GpuArray_clear(&indices);
  free(p.at);
  free(p.from);
}

/* --- tests --- */

typedef struct geometry {
  unsigned int nd;
  size_t dims[3];
  unsigned int axis;
  size_t k[4];
} geometry;

static void check_geometry(int dtype, const geometry *g) {
  const size_t n = g->dims[g->axis];
  size_t total = 1;
  GpuArray x;

  for (unsigned int d = 0; d < g->nd; d++)
    total *= g->dims[d];
  char *data = make_elements(dtype, total);
  test_array(&x, dtype, g->nd, g->dims, data);
  for (int i = 0; i < 4; i++) {
    check_topk(&x, data, g->k[i], g->axis, i & 3);
    if (g->k[i] < n)
      check_kth(&x, data, g->k[i], g->axis);
  }
  GpuArray_clear(&x);
  free(data);
}

static void all_rows(void) {
  static const geometry table[] = {
      {1, {1}, 0, {0, 1, 1, 0}},
      {1, {32}, 0, {1, 32, 7, 31}},
      {1, {33}, 0, {3, 33, 33, 1}},
      {1, {1000}, 0, {999, 40, 500, 20}},
      {1, {40000}, 0, {5, 20000, 300, 40000}},
      {2, {5, 300}, 1, {1, 299, 100, 64}},
      {3, {2, 90, 3}, 1, {2, 45, 90, 60}},
      {2, {40, 20}, 1, {20, 3, 19, 1}},
  };

  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_geometry(GA_FLOAT, &table[i]);
}

static void test_rows(void **state) {
  (void)state;
  test_mappings(all_rows);
}

/* The order of elements decides how often lists overflow and bounds change. */
static void check_orders(size_t n) {
  enum { ORDERS = 4 };
  static const size_t k[] = {1, 10, 250};
  float *x = calloc(n, sizeof *x);
  uint64_t state = 5;

  for (int order = 0; order < ORDERS; order++) {
    GpuArray a;
    for (size_t i = 0; i < n; i++)
      x[i] = order == 0   ? (float)i
             : order == 1 ? -(float)i
             : order == 2 ? 3
                          : (float)lcg_below(&state, 1 << 24);
    test_array(&a, GA_FLOAT, 1, &n, x);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
      check_topk(&a, (const char *)x, k[i], 0, 0);
      check_topk(&a, (const char *)x, k[i], 0, GA_TOPK_SMALLEST);
      check_kth(&a, (const char *)x, k[i], 0);
    }
    GpuArray_clear(&a);
  }
  free(x);
}

static void all_orders(void) {
  check_orders(4000);
  check_orders(30000);
}

static void test_orders(void **state) {
  (void)state;
  test_mappings(all_orders);
}

/* --- long rows --- */

/* The first of rows that a GPU narrows by a sample (cl/topk_narrow.cl). */
enum { LONG = 300007, LONG_ROWS = 2, TWICE = 1700000 };

/* Check what one call after another makes of rows of LONG elements. */
static void check_long(int dtype, size_t n_rows, const void *data) {
  const size_t dims[2] = {n_rows, LONG};
  GpuArray x;

  test_array(&x, dtype, 2, dims, data);
  check_topk(&x, data, 100, 1, 0);
  check_topk(&x, data, 1000, 1, GA_TOPK_SMALLEST);
  check_kth(&x, data, 0, 1);
  check_kth(&x, data, LONG / 2, 1);
  check_kth(&x, data, LONG - 1, 1);
  GpuArray_clear(&x);
}

/* Elements that have the same number are told apart by their positions. */
static void test_long_rows(void **state) {
  enum { ORDERS = 4 };
  float *x = calloc(LONG, sizeof *x);
  uint64_t random = 7;

  (void)state;
  for (int order = 0; order < ORDERS; order++) {
    for (int i = 0; i < LONG; i++)
      x[i] = order == 0   ? (float)lcg_below(&random, 1 << 14)
             : order == 1 ? (float)lcg_below(&random, 3)
             : order == 2 ? (float)-i
                          : 0;
    x[LONG / 3] = order == 3 ? -0.0F : NAN;
    check_long(GA_FLOAT, 1, x);
  }
  free(x);
}

/* The list is narrowed, too. */
static void test_twice(void **state) {
  static const size_t dims[1] = {TWICE};
  float *data = calloc(TWICE, sizeof *data);
  uint64_t random = 11;
  GpuArray x;

  (void)state;
  for (int i = 0; i < TWICE; i++)
    data[i] = (float)lcg_below(&random, 1 << 18);
  test_array(&x, GA_FLOAT, 1, dims, data);
  check_kth(&x, (const char *)data, TWICE / 2, 0);
  GpuArray_clear(&x);
  free(data);
}

static void test_long_types(void **state) {
  static const int types[] = {GA_UBYTE, GA_LONG};

  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    char *data = make_elements(types[t], LONG_ROWS * (size_t)LONG);
    check_long(types[t], LONG_ROWS, data);
    free(data);
  }
}

/* Where topk_bounds looks at element i of its sample, of n places. */
static size_t sampled(uint64_t i, size_t n, uint64_t sample) {
  uint32_t h = (uint32_t)i * 0x9e3779b1U;

  h ^= h >> 15;
  h *= 0x85ebca6bU;
  return (size_t)((i << 16 | h >> 16) * n / (sample << 16));
}

/* A row whose sample says nothing of it: all of its elements come first, or
 * last. RUN are the neighbours of an element of a sample, from a whole LINE. */
static void test_misled(void **state) {
  enum { RUN = 8, LINE = 4 };
  float *x = calloc(LONG, sizeof *x);
  uint64_t random = 3;

  (void)state;
  for (int is_last = 0; is_last < 2; is_last++) {
    for (int i = 0; i < LONG; i++)
      x[i] = (float)(1 + lcg_below(&random, 1 << 20));
    for (uint64_t sample = 2048; sample <= 4096; sample *= 2) {
      for (uint64_t i = 0; i < sample; i++)
        x[sampled(i, LONG, sample)] = is_last ? 1e9F : -1e9F;
    }
    for (uint64_t i = 0; i < 2048; i++) {
      const size_t at = sampled(i, LONG - RUN - LINE, 2048) + LINE - 1;
      for (size_t k = 0; k < RUN; k++)
        x[at / LINE * LINE + k] = is_last ? 1e9F : -1e9F;
    }
    check_long(GA_FLOAT, 1, x);
  }
  free(x);
}

static void all_strides(void) {
  static const size_t dims[2] = {9, 130};
  static const ssize_t strides[][2] = {{-130, 1}, {130, -1}, {1, 9}, {0, 2}};
  char *data = make_elements(GA_INT, 9 * 130);

  for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
    GpuArray x;
    if (strides[i][0] == 0) { /* all rows are the first one */
      for (size_t r = 1; r < 9; r++)
        memcpy(data + r * 130 * 4, data, 130 * 4);
    }
    test_array_strided(&x, GA_INT, 2, dims, strides[i], data);
    check_topk(&x, data, 50, 1, 0);
    check_kth(&x, data, 64, 1);
    GpuArray_clear(&x);
  }
  free(data);
}

static void test_strides(void **state) {
  (void)state;
  test_mappings(all_strides);
}

static void all_dtypes(void) {
  static const int types[] = {GA_BOOL,  GA_BYTE, GA_UBYTE, GA_SHORT, GA_UINT,
                              GA_ULONG, GA_LONG, GA_HALF,  GA_BFLOAT};
  static const geometry g = {1, {300}, 0, {3, 100, 299, 40}};

  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    check_geometry(types[t], &g);
}

static void test_dtypes(void **state) {
  (void)state;
  test_need_full();
  test_mappings(all_dtypes);
}

static void test_double(void **state) {
  static const geometry g = {1, {300}, 0, {3, 100, 299, 40}};

  (void)state;
  test_need_double();
  check_geometry(GA_DOUBLE, &g);
}

/* Results of any strides. */
static void test_prepared(void **state) {
  static const size_t dims[2] = {4, 50}, two[2] = {4, 2};
  static const ssize_t strides[2] = {-3, 1};
  char *data = make_elements(GA_FLOAT, 200);
  float none[8] = {0};
  GpuArray x, values;
  GpuLaunch *l;

  (void)state;
  test_array(&x, GA_FLOAT, 2, dims, data);
  test_array_strided(&values, GA_FLOAT, 2, two, strides, none);
  assert_ok(GpuArray_topk_prepare(&l, &values, NULL, &x, 1, 0));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  picks p = pick(&x, data, 1, 0, 2, 1);
  check_values(&x, data, &p, &values);
  free(p.at);
  free(p.from);
  GpuArray_clear(&x);
  GpuArray_clear(&values);
  free(data);
}

static void test_empty(void **state) {
  static const size_t dims[2] = {0, 40}, none[2] = {3, 0};
  GpuArray x, v, i;

  (void)state;
  test_array(&x, GA_FLOAT, 2, dims, "");
  assert_ok(GpuArray_topk(&v, &i, &x, 5, 1, 0));
  assert_int_equal(v.dimensions[1], 5);
  GpuArray_clear(&v);
  GpuArray_clear(&i);
  assert_ok(GpuArray_kth(&v, NULL, &x, 39, 1));
  GpuArray_clear(&v);
  GpuArray_clear(&x);
  test_array(&x, GA_FLOAT, 2, none, "");
  assert_ok(GpuArray_topk(&v, NULL, &x, 0, 1, 0));
  GpuArray_clear(&v);
  assert_code(GA_VALUE_ERROR, GpuArray_kth(&v, NULL, &x, 0, 1));
  assert_message(GA_VALUE_ERROR, "kth: rank 0 of an axis of 0 elements");
  GpuArray_clear(&x);
}

static void test_refusals(void **state) {
  static const size_t n = 8, one = 1;
  float x[16] = {0};
  int64_t at[8] = {0};
  GpuArray a, b, c, i, v;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&b, GA_FLOAT, 1, &one, x);
  test_array(&c, GA_CFLOAT, 1, &n, x);
  test_array(&i, GA_LONG, 1, &n, at);
  assert_code(GA_VALUE_ERROR, GpuArray_topk(&v, NULL, &a, 1, 1, 0));
  assert_message(GA_VALUE_ERROR, "axis 1 of an array of 1 dimensions");
  assert_code(GA_VALUE_ERROR, GpuArray_topk(&v, NULL, &a, 1, 0, 4));
  assert_message(GA_VALUE_ERROR, "flags 0x4 are not known");
  assert_code(GA_VALUE_ERROR, GpuArray_topk(NULL, NULL, &a, 1, 0, 0));
  assert_message(GA_VALUE_ERROR, "topk: neither values nor indices");
  assert_code(GA_VALUE_ERROR, GpuArray_topk(&v, NULL, &a, SIZE_MAX, 0, 0));
  assert_message(GA_VALUE_ERROR, "topk: 18446744073709551615 of an axis of 8");
  assert_code(GA_VALUE_ERROR, GpuArray_kth(&v, NULL, &a, SIZE_MAX, 0));
  assert_message(GA_VALUE_ERROR, "kth: rank 18446744073709551615 of an axis");
  assert_code(GA_VALUE_ERROR, GpuArray_kth(&v, NULL, &a, 0, 7));
  assert_message(GA_VALUE_ERROR, "axis 7 of an array of 1 dimensions");
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_topk(&v, NULL, &c, 1, 0, 0));
  assert_message(GA_UNSUPPORTED_ERROR, "topk: complex64 has no order");
  assert_code(GA_VALUE_ERROR, GpuArray_topk_prepare(&l, &a, NULL, &a, 0, 0));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_VALUE_ERROR, GpuArray_topk_prepare(&l, &b, &i, &a, 0, 0));
  assert_message(GA_VALUE_ERROR, "indices: dim 0: expected 1, got 8");
  assert_code(GA_VALUE_ERROR, GpuArray_kth_prepare(&l, NULL, &i, &a, 2, 0));
  assert_message(GA_VALUE_ERROR, "indices: dim 0: expected 1, got 8");
  assert_code(GA_VALUE_ERROR, GpuArray_topk(&a, NULL, &a, 1, 0, 0));
  assert_message(GA_VALUE_ERROR, "a result is the same array as an operand");
  assert_non_null(a.data);
  assert_code(GA_VALUE_ERROR, GpuArray_kth(&v, &v, &a, 1, 0));
  assert_message(GA_VALUE_ERROR, "two results are the same array");
  assert_code(GA_INVALID_ERROR, GpuArray_topk(&v, NULL, NULL, 1, 0, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_strides),   cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_double),    cmocka_unit_test(test_prepared),
      cmocka_unit_test(test_empty),     cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_long_rows), cmocka_unit_test(test_long_types),
      cmocka_unit_test(test_twice),     cmocka_unit_test(test_misled)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

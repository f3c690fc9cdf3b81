/* SPDX-License-Identifier: BSD-2-Clause */
/* take, gather, put and scatter against loops on the host. */
#include "index/put_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/index_guard.h>

#include "base/dtype.h"

static const int all_types[] = {GA_BOOL,   GA_BYTE,   GA_UBYTE,  GA_SHORT,
                                GA_USHORT, GA_INT,    GA_UINT,   GA_LONG,
                                GA_ULONG,  GA_HALF,   GA_BFLOAT, GA_FLOAT,
                                GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};
#define N_TYPES (sizeof all_types / sizeof all_types[0])

typedef struct geometry {
  unsigned int nd, axis, index_nd;
  size_t dims[ND], index_dims[ND];
} geometry;

static const geometry slices[] = {
    {1, 0, 1, {10}, {100}},        {1, 0, 0, {10}, {0}},
    {2, 0, 1, {9, 33}, {20}},      {2, 1, 1, {9, 33}, {20}},
    {2, 0, 2, {7, 64}, {4, 5}},    {3, 1, 1, {3, 11, 8}, {6}},
    {3, 2, 2, {3, 4, 11}, {3, 2}}, {3, 1, 0, {3, 11, 8}, {0}},
    {3, 1, 1, {1, 5, 1}, {70}},    {2, 0, 1, {5, 3000}, {9}},
    {2, 0, 1, {100, 2}, {40000}},  {2, 1, 1, {3, 0}, {0}},
    {2, 1, 1, {3, 40}, {12003}},   {2, 1, 1, {70, 9}, {100}},
    {2, 0, 1, {5, 600}, {70}},
};

static void check_extrema(const host *a, const host *index, unsigned int axis,
                          int is_scatter, unsigned int kind) {
  if (ga__dtype_is_complex(a->typecode))
    return;
  check_put(a, index, axis, is_scatter, kind, GA_PUT_MAX);
  check_put(a, index, axis, is_scatter, (kind + 1) % 4, GA_PUT_MIN);
}

static void check_slices(const geometry *g, int typecode, int index_type,
                         unsigned int kind) {
  host a, index;

  host_init(&a, typecode, g->nd, g->dims);
  host_init(&index, index_type, g->index_nd, g->index_dims);
  host_fill(&a, 3);
  host_indices(&index, a.dims[g->axis], 9);
  check_take(&a, &index, g->axis, 0, kind);
  if (test_can_loop(3 * index.n)) {
    check_put(&a, &index, g->axis, 0, kind, GA_PUT_SET);
    if (typecode != GA_BYTE && typecode != GA_UBYTE)
      check_put(&a, &index, g->axis, 0, kind, GA_PUT_ADD);
    if (kind == 1)
      check_extrema(&a, &index, g->axis, 0, kind);
  }
  if (index.n <= a.dims[g->axis]) {
    host_distinct(&index, g->axis, a.dims[g->axis]);
    check_put(&a, &index, g->axis, 0, kind, GA_PUT_SET_ANY);
    if (kind == 1 && a.item > 1 && !ga__dtype_is_complex(typecode))
      check_put(&a, &index, g->axis, 0, kind, GA_PUT_MUL);
  }
  free(a.data);
  free(index.data);
}

static void all_slices(void) {
  for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++) {
    for (unsigned int k = 0; k < (test_is_quick() ? 1 : 2); k++)
      check_slices(&slices[i], GA_FLOAT, i & 1 ? GA_INT : GA_LONG,
                   ((unsigned int)i + k * (1 + i / 4 % 2)) % 4);
  }
}

static void slices_and_strides(void **state) {
  (void)state;
  test_mappings(all_slices);
}

static void all_dtypes(void) {
  static const int index_types[] = {GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                                    GA_INT,  GA_UINT,  GA_LONG,  GA_ULONG};

  /* Every second one has each size of items. */
  for (size_t t = 0; t < N_TYPES; t += test_is_quick() ? 2 : 1) {
    if (put_has_dtype(all_types[t]))
      check_slices(&slices[5], all_types[t], index_types[t % 8],
                   (unsigned int)t % 2);
  }
}

static void dtypes(void **state) {
  (void)state;
  test_mappings(all_dtypes);
}

static const geometry elements[] = {
    {1, 0, 1, {10}, {100}},
    {2, 0, 2, {9, 33}, {20, 33}},
    {2, 1, 2, {9, 33}, {9, 50}},
    {3, 1, 3, {3, 11, 8}, {3, 6, 8}},
};

static void all_elements(void) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
    const geometry *g = &elements[i];

    for (unsigned int kind = 0; kind < 4; kind += test_is_quick() ? 3 : 1) {
      host a, index;

      host_init(&a, GA_FLOAT, g->nd, g->dims);
      host_init(&index, GA_INT, g->index_nd, g->index_dims);
      host_fill(&a, 3);
      host_indices(&index, a.dims[g->axis], 9);
      check_take(&a, &index, g->axis, 1, kind);
      check_put(&a, &index, g->axis, 1, kind, GA_PUT_SET);
      check_put(&a, &index, g->axis, 1, kind, GA_PUT_ADD);
      free(a.data);
      free(index.data);
    }
  }
}

static void elements_and_strides(void **state) {
  (void)state;
  test_mappings(all_elements);
}

/* --- additions --- */

/* Most of the indices are those of row 1. */
static void check_long_row(const geometry *g) {
  host a, index;

  host_init(&a, GA_INT, g->nd, g->dims);
  host_init(&index, GA_INT, g->index_nd, g->index_dims);
  host_fill(&a, 3);
  host_indices(&index, a.dims[g->axis], 9);
  for (size_t i = 0; i < index.n; i++) {
    if (i % 7 != 0)
      test_set(index.data, index.typecode, i, 1);
  }
  check_put(&a, &index, g->axis, 0, 0, GA_PUT_SET);
  check_put(&a, &index, g->axis, 0, 0, GA_PUT_ADD);
  free(a.data);
  free(index.data);
}

/* More indices for one row than others count for each of them, and rows and
 * columns of which a work-item moves several words. */
static void long_row(void) {
  check_long_row(&(geometry){2, 0, 1, {3, 5}, {20000}});
  check_long_row(&(geometry){2, 0, 1, {20, 601}, {100}});
  check_long_row(&(geometry){2, 1, 1, {601, 20}, {100}});
}

static void long_rows(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const unsigned int units = caps->compute_units;

  (void)state;
  caps->compute_units = 2;
  test_mappings(long_row);
  caps->compute_units = units;
}

/* Integers add up to the same in any order. */
static void any_order(void) {
  static const int types[] = {GA_INT, GA_UINT, GA_LONG, GA_SHORT};
  const geometry g = {2, 0, 1, {7, 5}, {500}};

  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    host a, index;

    host_init(&a, types[t], g.nd, g.dims);
    host_init(&index, GA_LONG, g.index_nd, g.index_dims);
    host_fill(&a, 3);
    host_indices(&index, a.dims[0], 9);
    check_put(&a, &index, 0, 0, 0, GA_PUT_ADD_ANY);
    free(a.data);
    free(index.data);
  }
}

static void additions_in_any_order(void **state) {
  (void)state;
  test_mappings(any_order);
}

/* Ones at the same places, of dtypes whose additions are exact. */
static void count_ones(void) {
  static const int types[] = {GA_INT, GA_FLOAT, GA_LONG, GA_DOUBLE, GA_HALF};
  enum { N = 3000, ROWS = 4 };
  const size_t rows = ROWS, n = N;
  int32_t at[N];
  GpuArray index;

  for (size_t k = 0; k < n; k++)
    at[k] = (int32_t)(k * k % ROWS);
  test_array(&index, GA_INT, 1, &n, at);
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    char one[8] = {0}, got[ROWS * 8], want[ROWS * 8] = {0};
    double count[ROWS] = {0};
    GpuArray a, v;

    if (!put_has_dtype(types[t]))
      continue;
    test_set(one, types[t], 0, 1);
    test_array(&v, types[t], 0, NULL, one); /* repeated */
    for (size_t k = 0; k < n; k++)
      count[at[k]] += 1;
    for (size_t r = 0; r < rows; r++)
      test_set(want, types[t], r, count[r]);
    for (ga_put_op op = GA_PUT_ADD; op <= GA_PUT_ADD_ANY;
         op += GA_PUT_ADD_ANY - GA_PUT_ADD) {
      assert_ok(
          GpuArray_zeros(&a, test_context(), types[t], 1, &rows, GA_C_ORDER));
      assert_ok(GpuArray_put(&a, &index, &v, 0, op, 1));
      test_gather(&a, got);
      test_close(types[t], got, want, rows, 0, 0);
      GpuArray_clear(&a);
    }
    GpuArray_clear(&v);
  }
  GpuArray_clear(&index);
}

static void additions_count(void **state) {
  (void)state;
  test_mappings(count_ones);
}

/* The same bits as adding on the host in order, and again; bad indices are left
 * out. */
static void check_order(size_t n, size_t rows) {
  enum { MOST = 20000, MOST_ROWS = 300 };
  float v[MOST], want[MOST_ROWS] = {0};
  int64_t at[MOST];
  GpuArray a, dv, index;

  assert_true(n <= MOST && rows <= MOST_ROWS);
  test_fill(v, GA_FLOAT, n, -1, 1, 11);
  for (size_t k = 0; k < n; k++) {
    const size_t row = k % 7 == 0 ? 1 : k * k % rows;

    at[k] = (int64_t)row - (k % 2 ? (int64_t)rows : 0);
    if (k % 11 == 5)
      at[k] = k % 2 ? (int64_t)rows : -(int64_t)rows - 1;
    else
      want[row] += v[k];
  }
  test_array(&dv, GA_FLOAT, 1, &n, v);
  test_array(&index, GA_LONG, 1, &n, at);
  for (int i = 0; i < 2; i++) {
    assert_ok(
        GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &rows, GA_C_ORDER));
    assert_ok(GpuArray_put(&a, &index, &dv, 0, GA_PUT_ADD, 0));
    test_array_equal(&a, want);
    GpuArray_clear(&a);
  }
  GpuArray_clear(&dv);
  GpuArray_clear(&index);
}

static void keep_order(void) {
  check_order(5000, 3);
  check_order(20000, 300);
}

/* NaN stays and replaces, bools are and-ed, complex numbers are refused. */
static void special_values(void **state) {
  const size_t n = 3;
  const float x[3] = {1, NAN, 3}, v[3] = {NAN, 2, 4}, want[3] = {NAN, NAN, 4};
  const unsigned char b[3] = {1, 1, 0}, c[3] = {1, 0, 1}, both[3] = {1, 0, 0};
  const float z[6] = {0};
  GpuArray a, da, i, dv;

  (void)state;
  test_array(&i, GA_INT, 1, &n, (const int32_t[]){0, 1, -1});
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&dv, GA_FLOAT, 1, &n, v);
  assert_ok(GpuArray_put(&a, &i, &dv, 0, GA_PUT_MAX, 1));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
  GpuArray_clear(&dv);
  test_array(&a, GA_BOOL, 1, &n, b);
  test_array(&dv, GA_BOOL, 1, &n, c);
  assert_ok(GpuArray_put(&a, &i, &dv, 0, GA_PUT_MUL, 1));
  test_array_equal(&a, both);
  GpuArray_clear(&a);
  GpuArray_clear(&dv);
  test_array(&da, GA_CFLOAT, 1, &n, z);
  test_array(&dv, GA_CFLOAT, 1, &n, z);
  assert_int_equal(GpuArray_put(&da, &i, &dv, 0, GA_PUT_MIN, 0),
                   GA_UNSUPPORTED_ERROR);
  GpuArray_clear(&da);
  GpuArray_clear(&dv);
  GpuArray_clear(&i);
}

/* Several values of both signs for one element, and infinities and NaN. */
static void extrema_have_signs(void **state) {
  enum { N = 6, M = 14 };
  const size_t n = N, m = M;
  const float x[N] = {-5, -5, 5, 5, -INFINITY, 1};
  const int32_t at[M] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 0};
  const float v[M] = {-3,  -7, -9,        2,  -1,  9,         4,
                      -20, -8, -INFINITY, -6, NAN, -INFINITY, -4};
  const float most[N] = {-3, 2, 9, 5, -8, NAN};
  const float least[N] = {-7, -9, -1, -20, -INFINITY, NAN};
  float got[N];
  GpuArray a, i, dv;

  (void)state;
  test_array(&i, GA_INT, 1, &m, at);
  test_array(&dv, GA_FLOAT, 1, &m, v);
  for (int is_most = 0; is_most < 2; is_most++) {
    test_array(&a, GA_FLOAT, 1, &n, x);
    assert_ok(
        GpuArray_put(&a, &i, &dv, 0, is_most ? GA_PUT_MAX : GA_PUT_MIN, 1));
    assert_ok(GpuArray_read(got, sizeof got, &a));
    for (size_t k = 0; k < N; k++) {
      const float want = is_most ? most[k] : least[k];

      assert_true(got[k] == want || (isnan(got[k]) && isnan(want)));
    }
    GpuArray_clear(&a);
  }
  GpuArray_clear(&dv);
  GpuArray_clear(&i);
}

static void additions_keep_order(void **state) {
  const int was_on = gpucontext_guards_indices(test_context());

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  test_mappings(keep_order);
  assert_ok(gpucontext_guard_indices(test_context(), was_on));
}

/* --- rows in local memory --- */

static const ga_put_op row_ops[] = {GA_PUT_SET,     GA_PUT_SET_ANY, GA_PUT_ADD,
                                    GA_PUT_ADD_ANY, GA_PUT_MAX,     GA_PUT_MIN};
enum { ROW_OPS = sizeof row_ops / sizeof row_ops[0] };

/* Three rows. Indices repeat, and positions that are all different serve where
 * the last move is not defined. */
static void check_long_rows(int typecode, int is_scatter, size_t n) {
  const size_t dims[2] = {3, 1100}, index_dims[2] = {3, n};
  host a, index;

  host_init(&a, typecode, 2, dims);
  host_fill(&a, 3);
  host_init(&index, GA_INT, 1 + (unsigned int)is_scatter,
            index_dims + !is_scatter);
  host_indices(&index, dims[1], 9);
  check_take(&a, &index, 1, is_scatter, 3);
  for (size_t i = 0; i < ROW_OPS; i++) {
    if (row_ops[i] == GA_PUT_ADD_ANY &&
        ga__dtype_kind(typecode) == GA_KIND_FLOAT)
      continue;
    if (row_ops[i] == GA_PUT_ADD && typecode == GA_UBYTE)
      continue;
    if (row_ops[i] == GA_PUT_SET_ANY) {
      if (n > dims[1])
        continue;
      host_distinct(&index, 1, dims[1]);
    }
    check_put(&a, &index, 1, is_scatter, 3, row_ops[i]);
  }
  free(a.data);
  free(index.data);
}

/* Put v along the axis, and expect `want`. */
static void expect_put(const host *a, const host *index, const host *v,
                       unsigned int axis, ga_put_op op, const void *want) {
  GpuArray da, di, dv;

  host_send(&da, a, 0);
  host_send(&di, index, 0);
  host_send(&dv, v, 0);
  assert_ok(GpuArray_put(&da, &di, &dv, axis, op, 0));
  test_array_equal(&da, want);
  GpuArray_clear(&da);
  GpuArray_clear(&di);
  GpuArray_clear(&dv);
}

/* Ones, whose sums are exact in any order. */
static void check_counts(int typecode) {
  const size_t dims[2] = {3, 1100}, index_dims[2] = {3, 2000};
  host a, index, v, want;

  host_init(&a, typecode, 2, dims);
  host_init(&want, typecode, 2, dims);
  host_init(&v, typecode, 2, index_dims);
  host_init(&index, GA_INT, 1, index_dims + 1);
  host_indices(&index, dims[1], 9);
  for (size_t k = 0; k < v.n; k++) {
    const size_t i = put_place(&a, &index, 1, 0, k);

    test_set(v.data, typecode, k, 1);
    test_set(want.data, typecode, i, test_get(want.data, typecode, i) + 1);
  }
  expect_put(&a, &index, &v, 1, GA_PUT_ADD_ANY, want.data);
  free(a.data);
  free(want.data);
  free(v.data);
  free(index.data);
}

/* The same for a vector, with as many indices as groups share. */
static void check_count_vector(int typecode) {
  enum { N = 20011 };
  const size_t rows = 40, n = N;
  host a, index, v, want;

  host_init(&a, typecode, 1, &rows);
  host_init(&want, typecode, 1, &rows);
  host_init(&v, typecode, 1, &n);
  host_init(&index, GA_INT, 1, &n);
  for (size_t i = 0; i < rows; i++) {
    test_set(a.data, typecode, i, (double)(i % 5));
    test_set(want.data, typecode, i, (double)(i % 5));
  }
  host_indices(&index, rows, 9);
  for (size_t k = 0; k < n; k++) {
    const size_t i = put_place(&a, &index, 0, 0, k);

    test_set(v.data, typecode, k, k % 16 == 0);
    test_set(want.data, typecode, i,
             test_get(want.data, typecode, i) + (k % 16 == 0));
  }
  expect_put(&a, &index, &v, 0, GA_PUT_ADD_ANY, want.data);
  free(a.data);
  free(want.data);
  free(v.data);
  free(index.data);
}

/* Indices behind the last row are left out where nobody reports them. */
static void check_nothing_put(void) {
  const int was_on = gpucontext_guards_indices(test_context());
  const size_t dims[2] = {3, 1100};
  host a, index, v;

  host_init(&a, GA_INT, 2, dims);
  host_fill(&a, 3);
  host_init(&v, GA_INT, 2, dims);
  host_fill(&v, 5);
  host_init(&index, GA_INT, 1, dims + 1);
  for (size_t k = 0; k < index.n; k++)
    test_set(index.data, GA_INT, k, (double)(dims[1] + k));
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  for (size_t i = 0; i < ROW_OPS; i++)
    expect_put(&a, &index, &v, 1, row_ops[i], a.data);
  assert_ok(gpucontext_guard_indices(test_context(), was_on));
  free(a.data);
  free(v.data);
  free(index.data);
}

static void rows_in_local_memory(void **state) {
  static const int types[] = {GA_INT, GA_FLOAT, GA_HALF, GA_UBYTE, GA_DOUBLE};
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;

  (void)state;
  test_need_gpu_mapping();
  caps->is_cpu = 0;
  caps->local_memory = 1;
  caps->compute_units = 2;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    if (!put_has_dtype(types[t]))
      continue;
    for (int is_scatter = 0; is_scatter < 2; is_scatter++) {
      check_long_rows(types[t], is_scatter, 300);
      check_long_rows(types[t], is_scatter, 5000);
    }
    if (types[t] != GA_UBYTE)
      check_counts(types[t]);
    check_count_vector(types[t]);
  }
  check_nothing_put();
  *caps = real;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_and_strides),
      cmocka_unit_test(dtypes),
      cmocka_unit_test(elements_and_strides),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(additions_in_any_order),
      cmocka_unit_test(additions_count),
      cmocka_unit_test(additions_keep_order),
      cmocka_unit_test(special_values),
      cmocka_unit_test(extrema_have_signs),
      cmocka_unit_test(rows_in_local_memory),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions that read arrays by index, against loops on the
 * host. */
#include "support/device.h"

#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/index.h>
#include <gpuarray/index_guard.h>

#include "base/dtype.h"

#define ND 3

/* z = x(i) + y over `dims`. x has `rows` along the axis; with `repeat` it and
 * the indices have size 1 along one axis each. */
typedef struct geometry {
  unsigned int nd, axis;
  size_t dims[ND], rows;
  int repeat; /* the axis along which the indices repeat, or -1 */
  int turned; /* arrays in Fortran order */
} geometry;

static const geometry geometries[] = {
    {1, 0, {1000}, 70, -1, 0},   {2, 0, {9, 33}, 20, -1, 0},
    {2, 1, {9, 33}, 20, -1, 0},  {2, 1, {9, 33}, 20, -1, 1},
    {2, 0, {40, 64}, 7, 1, 0},   {2, 1, {40, 64}, 7, 0, 0},
    {3, 1, {5, 6, 3}, 11, 2, 0}, {3, 1, {2, 30, 40}, 9, 0, 1},
    {2, 0, {200, 3}, 5, -1, 0},  {1, 0, {0}, 0, -1, 0},
    {2, 1, {3, 1}, 4, -1, 0},
};

static size_t total(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

/* An array of these elements, which are in C order. */
static void make(GpuArray *a, int typecode, unsigned int nd, const size_t *dims,
                 const void *data, int turned) {
  ssize_t strides[ND], step = 1;

  for (unsigned int d = 0; d < nd; d++) {
    strides[d] = step;
    step *= (ssize_t)dims[d];
  }
  if (turned)
    test_array_strided(a, typecode, nd, dims, strides, data);
  else
    test_array(a, typecode, nd, dims, data);
}

static size_t at(unsigned int nd, const size_t *dims, const size_t *coord) {
  size_t k = 0;

  for (unsigned int d = 0; d < nd; d++)
    k = k * dims[d] + (dims[d] == 1 ? 0 : coord[d]);
  return k;
}

static void check(const geometry *g, int typecode, int index_type,
                  const char *expr, int flags) {
  size_t x_dims[ND], i_dims[ND], coord[ND] = {0};
  const int is_signed = ga__dtype_kind(index_type) == GA_KIND_INT;

  memcpy(x_dims, g->dims, sizeof x_dims);
  memcpy(i_dims, g->dims, sizeof i_dims);
  x_dims[g->axis] = g->rows;
  if (g->repeat >= 0)
    i_dims[g->repeat] = 1;
  const size_t n = total(g->nd, g->dims), nx = total(g->nd, x_dims),
               ni = total(g->nd, i_dims);
  char *x = calloc(nx + 1, 8), *i = calloc(ni + 1, 8), *y = calloc(n + 1, 8),
       *want = calloc(n + 1, 8);
  test_fill(x, typecode, nx, 0, typecode == GA_BOOL ? 2 : 20, 3);
  test_fill(y, typecode, n, 0, typecode == GA_BOOL ? 1 : 20, 4);
  /* some are out of range */
  test_fill(i, index_type, ni, is_signed ? -(double)g->rows - 3 : 0,
            (double)g->rows + 3, 5);
  for (size_t k = 0; k < n; k++) {
    size_t rest = k, c[ND];
    for (unsigned int d = g->nd; d-- > 0; rest /= g->dims[d])
      c[d] = coord[d] = rest % g->dims[d];
    double row = test_get(i, index_type, at(g->nd, i_dims, coord));
    row += row < 0 ? (double)g->rows : 0;
    row = row < 0 ? 0 : row >= (double)g->rows ? (double)g->rows - 1 : row;
    c[g->axis] = (size_t)row;
    test_set(want, typecode, k,
             test_get(x, typecode, at(g->nd, x_dims, c)) +
                 test_get(y, typecode, k));
  }

  gpuelemwise_arg args[] = {{"z", typecode, GE_WRITE},
                            {"x", typecode, GE_TAKE(g->axis)},
                            {"i", index_type, GE_READ},
                            {"y", typecode, GE_READ}};
  GpuElemwise *ge =
      GpuElemwise_new(test_context(), NULL, expr, 4, args, g->nd, flags);
  GpuArray dz, dx, di, dy;
  assert_non_null(ge);
  make(&dz, typecode, g->nd, g->dims, y, 0);
  make(&dx, typecode, g->nd, x_dims, x, g->turned);
  make(&di, index_type, g->nd, i_dims, i, 0);
  make(&dy, typecode, g->nd, g->dims, y, g->turned);
  assert_ok(GpuElemwise_call(ge, (void *[]){&dz, &dx, &di, &dy}, GE_BROADCAST));
  test_array_equal(&dz, want);
  GpuArray_clear(&dz);
  GpuArray_clear(&dx);
  GpuArray_clear(&di);
  GpuArray_clear(&dy);
  GpuElemwise_free(ge);
  free(x);
  free(i);
  free(y);
  free(want);
}

/* Quick tests leave out every second one. */
static void all_geometries(void) {
  const size_t step = test_is_quick() ? 2 : 1;

  for (size_t k = 0; k < sizeof geometries / sizeof geometries[0]; k += step)
    check(&geometries[k], GA_FLOAT, GA_INT, "z = x(i) + y",
          k % 4 < 2 ? GE_VECTOR : 0);
}

static void shapes(void **state) {
  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  test_mappings(all_geometries);
}

static void dtypes(void **state) {
  static const int types[] = {GA_BOOL, GA_UBYTE, GA_SHORT,
                              GA_HALF, GA_LONG,  GA_DOUBLE};
  static const int index_types[] = {GA_BYTE, GA_UBYTE, GA_USHORT,
                                    GA_UINT, GA_LONG,  GA_ULONG};

  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    if (types[t] == GA_DOUBLE && !gpucontext_caps(test_context())->fp64)
      continue;
    for (int flags = test_is_quick() ? GE_VECTOR : 0; flags <= GE_VECTOR;
         flags += GE_VECTOR)
      check(&geometries[2], types[t], index_types[t],
            types[t] == GA_BOOL ? "z = x(i) | y" : "z = x(i) + y", flags);
  }
}

/* Indices that are computed, also from what is read by index. */
static void composed(void **state) {
  enum { N = 20 };
  const size_t n = N;
  int32_t i[N];
  float x[N], want[N];
  GpuArray dz, dx, di;
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_TAKE(0)},
                            {"j", GA_INT, GE_TAKE(0)},
                            {"i", GA_INT, GE_READ}};
  GpuElemwise *ge = GpuElemwise_new(
      test_context(), NULL, "z = x(j(i) + 1) * x(i)", 4, args, 1, GE_VECTOR);

  (void)state;
  assert_non_null(ge);
  for (int k = 0; k < N; k++) {
    i[k] = k * 7 % (N - 1);
    x[k] = (float)(k + 1);
  }
  for (int k = 0; k < N; k++)
    want[k] = x[i[i[k]] + 1] * x[i[k]];
  test_array(&dz, GA_FLOAT, 1, &n, x);
  test_array(&dx, GA_FLOAT, 1, &n, x);
  test_array(&di, GA_INT, 1, &n, i);
  assert_ok(GpuElemwise_call(ge, (void *[]){&dz, &dx, &di, &di}, 0));
  test_array_equal(&dz, want);
  /* What is written must not be read by index as well. */
  GpuLaunch *l;
  assert_int_equal(
      GpuElemwise_prepare(&l, ge, (void *[]){&dx, &dx, &di, &di}, 0),
      GA_VALUE_ERROR);
  GpuArray_clear(&dz);
  GpuArray_clear(&dx);
  GpuArray_clear(&di);
  GpuElemwise_free(ge);
}

static void refused(void **state) {
  const size_t n = 3, none = 0, two[2] = {3, 2};
  const float v[6] = {0};
  const int32_t i[3] = {0, 1, 7};
  GpuArray z, x, empty, wide, di;
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_TAKE(0)},
                            {"i", GA_INT, GE_READ}};
  GpuElemwise *ge;

  (void)state;
  args[1].flags |= GE_READ;
  assert_null(GpuElemwise_new(test_context(), NULL, "z = x(i)", 3, args, 1, 0));
  args[1] = (gpuelemwise_arg){"x", GA_CFLOAT, GE_TAKE(0)};
  assert_null(GpuElemwise_new(test_context(), NULL, "z = x(i)", 3, args, 1, 0));
  args[1] = (gpuelemwise_arg){"x", GA_FLOAT, GE_TAKE(0)};
  ge = GpuElemwise_new(test_context(), NULL, "z = x(i)", 3, args, 1, 0);
  assert_non_null(ge);
  test_array(&z, GA_FLOAT, 1, &n, v);
  test_array(&x, GA_FLOAT, 1, &n, v);
  test_array(&empty, GA_FLOAT, 1, &none, v);
  test_array(&wide, GA_FLOAT, 2, two, v);
  test_array(&di, GA_INT, 1, &n, i);
  assert_int_equal(GpuElemwise_call(ge, (void *[]){&z, &empty, &di}, 0),
                   GA_VALUE_ERROR);
  assert_int_equal(GpuElemwise_call(ge, (void *[]){&z, &wide, &di}, 0),
                   GA_VALUE_ERROR);
  assert_ok(gpucontext_guard_indices(test_context(), 1));
  assert_ok(GpuElemwise_call(ge, (void *[]){&z, &x, &di}, 0));
  assert_int_equal(GpuArray_sync(&z), GA_VALUE_ERROR);
  assert_non_null(strstr(gpuarray_error_text(GA_VALUE_ERROR),
                         "index 7 is out of range for axis 0 of size 3"));
  GpuArray_clear(&z);
  GpuArray_clear(&x);
  GpuArray_clear(&empty);
  GpuArray_clear(&wide);
  GpuArray_clear(&di);
  GpuElemwise_free(ge);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),
      cmocka_unit_test(dtypes),
      cmocka_unit_test(composed),
      cmocka_unit_test(refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

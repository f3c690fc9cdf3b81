/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of checks, and the arrays and comparisons that they share. */
#include <gpuarray/types.h>
#include <math.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/selftest.h"

/* Every kernel family. Nearly all of the time is spent in the device's
 * compiler, so narrow floats and float64 are tried only where kernels treat
 * them specially: loads and stores, accumulators, products. */
const selftest_check selftest_checks[] = {
    {"elementwise",
     selftest_elemwise,
     {GA_FLOAT, GA_HALF, GA_BFLOAT, GA_DOUBLE, 0}},
    {"broadcast, transposed", selftest_strided, {GA_FLOAT, 0}},
    {"transposed copy", selftest_copy, {GA_HALF, 0}},
    {"arange", selftest_arange, {GA_FLOAT, 0}},
    {"take", selftest_take, {GA_FLOAT, 0}},
    {"read by index", selftest_taken, {GA_FLOAT, 0}},
    {"put", selftest_scatter, {GA_FLOAT, 0}},
    {"random, Philox", selftest_philox, {GA_FLOAT, 0}},
    {"random, MRG31k3p", selftest_mrg, {GA_FLOAT, 0}},
    {"random counts", selftest_counts, {GA_FLOAT, 0}},
    {"random orders", selftest_orders, {GA_FLOAT, 0}},
    {"sum", selftest_sum, {GA_FLOAT, 0}},
    {"argmax", selftest_argmax, {GA_FLOAT, 0}},
    {"cumsum", selftest_cumsum, {GA_FLOAT, 0}},
    {"sort", selftest_sort, {GA_FLOAT, 0}},
    {"topk", selftest_topk, {GA_FLOAT, 0}},
    {"partition", selftest_partition, {GA_FLOAT, 0}},
    {"searchsorted", selftest_search, {GA_FLOAT, 0}},
    {"histogram", selftest_histogram, {GA_FLOAT, 0}},
    {"under a mask", selftest_select, {GA_FLOAT, 0}},
    {"unique", selftest_unique, {GA_FLOAT, 0}},
    {"run lengths", selftest_runs, {GA_FLOAT, 0}},
    {"convolution",
     selftest_convolve,
     {GA_FLOAT, GA_HALF, GA_BFLOAT, GA_DOUBLE, 0}},
    {"pooling", selftest_pool, {GA_FLOAT, 0}},
    {"resizing", selftest_resize, {GA_FLOAT, 0}},
    {"Fourier", selftest_fourier, {GA_CFLOAT, 0}},
    {"sparse", selftest_sparse, {GA_FLOAT, 0}},
    {"dot", selftest_dot, {GA_FLOAT, GA_CFLOAT, 0}},
    {"gemv", selftest_gemv, {GA_FLOAT, GA_CFLOAT, 0}},
    {"ger", selftest_ger, {GA_FLOAT, GA_CFLOAT, 0}},
    {"gemm",
     selftest_gemm,
     {GA_FLOAT, GA_HALF, GA_BFLOAT, GA_DOUBLE, GA_CFLOAT, 0}},
    {"solve", selftest_solve, {GA_FLOAT, GA_CFLOAT, 0}},
    {"Cholesky", selftest_cholesky, {GA_FLOAT, GA_CFLOAT, 0}},
    {"Cholesky, gradient",
     selftest_cholesky_gradient,
     {GA_FLOAT, GA_CFLOAT, 0}},
    {"solve, banded", selftest_banded, {GA_FLOAT, GA_CFLOAT, 0}},
    {"QR", selftest_qr, {GA_FLOAT, 0}},
    {"QR, pivoted", selftest_pivoted_qr, {GA_FLOAT, 0}},
    {"least squares", selftest_lstsq, {GA_FLOAT, 0}},
    {"eigenvalues", selftest_eigenvalues, {GA_FLOAT, GA_CFLOAT, 0}},
    {"any eigenvalues", selftest_general_eigenvalues, {GA_FLOAT, 0}},
    {"singular values", selftest_singular_values, {GA_FLOAT, GA_CFLOAT, 0}},
    {"graph, sums", selftest_graph, {GA_HALF, 0}},
    {"graph, softmax", selftest_softmax, {GA_FLOAT, 0}},
    {"graph, regions", selftest_regions, {GA_HALF, 0}},
};

const size_t n_selftest_checks =
    sizeof selftest_checks / sizeof *selftest_checks;

const size_t selftest_matrix[2] = {SELFTEST_ROWS, SELFTEST_COLS};

double selftest_value(size_t which, size_t i) {
  return (double)((i * 7 + which * 5) % 17) / 8 - 1;
}

/* The dtype of one part of an element. */
static int part_of(int dtype) {
  return dtype == GA_CFLOAT ? GA_FLOAT : dtype;
}

static size_t parts_of(int dtype, unsigned int nd, const size_t *dims) {
  size_t n = ga__dtype_is_complex(dtype) ? 2 : 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  return n;
}

int selftest_put(selftest *t, unsigned int i, int dtype, unsigned int nd,
                 const size_t *dims, const void *data) {
  const size_t bytes =
      parts_of(dtype, nd, dims) * ga__dtype_size(part_of(dtype));

  GA_TRY(GpuArray_empty(&t->a[i], t->ctx, dtype, nd, dims, GA_C_ORDER));
  return GpuArray_write(&t->a[i], data, bytes);
}

int selftest_make(selftest *t, unsigned int i, unsigned int nd,
                  const size_t *dims) {
  const size_t n = parts_of(t->dtype, nd, dims),
               size = ga__dtype_size(part_of(t->dtype));
  char *host = ga__calloc(n, size);

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < n; k++)
    ga__dtype_from_double(part_of(t->dtype), host + k * size,
                          selftest_value(i, k));
  int err = selftest_put(t, i, t->dtype, nd, dims, host);
  ga__free(host);
  return err;
}

/* The relative error that a few operations may cause in a dtype. */
static double limit_of(int dtype) {
  return dtype == GA_DOUBLE           ? 1e-12
         : ga__dtype_is_narrow(dtype) ? 4 * ga__dtype_epsilon(dtype)
                                      : 2e-6;
}

/* Set t->worst to `off` if that is larger. NaN is the largest. */
static void keep_worst(selftest *t, double off) {
  if (!(off <= t->worst))
    t->worst = isnan(off) ? INFINITY : off;
}

int selftest_compare(selftest *t, unsigned int i) {
  return selftest_compare_by(t, i, 1);
}

int selftest_compare_by(selftest *t, unsigned int i, double size_of_terms) {
  const GpuArray *a = &t->a[i];
  const int part = part_of(a->typecode);
  const size_t n = parts_of(a->typecode, a->nd, a->dimensions),
               size = ga__dtype_size(part);

  if (n > SELFTEST_MOST) { /* the device has counted wrong */
    selftest_judge(t, 0);
    return GA_NO_ERROR;
  }
  char *host = ga__calloc(n, size);
  int err = host != NULL ? GpuArray_read(host, n * size, a) : ga__fail_nomem();

  for (size_t k = 0; err == GA_NO_ERROR && k < n; k++)
    keep_worst(t,
               fabs(ga__dtype_to_double(part, host + k * size) - t->want[k]) /
                   (limit_of(part) * (size_of_terms + fabs(t->want[k]))));
  ga__free(host);
  return err;
}

void selftest_judge(selftest *t, int good) {
  keep_worst(t, good ? 0 : INFINITY);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of gpugraph selftest, and what they share. Each computes on the
 * device and on the host and compares the results.
 *
 * Values are small multiples of 1/8, which every float type represents exactly.
 * A complex number is two of them: `want` and its indices count real and
 * imaginary parts, called parts here. */
#ifndef CLI_SELFTEST_H
#define CLI_SELFTEST_H

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <stddef.h>

enum {
  SELFTEST_ROWS = 53, /* of most matrices; no multiples of vector widths */
  SELFTEST_COLS = 37,
  SELFTEST_ELEMENTS = SELFTEST_ROWS * SELFTEST_COLS,
  SELFTEST_MOST = 2 * SELFTEST_ELEMENTS, /* most parts that are compared */
  SELFTEST_ARRAYS = 4
};

/* The state of one check. Its arrays `a` are cleared afterwards. */
typedef struct selftest {
  gpucontext *ctx;
  int dtype;
  GpuArray a[SELFTEST_ARRAYS];
  double want[SELFTEST_MOST]; /* the host's results */
  double worst; /* largest difference from `want`, divided by the allowed one */
} selftest;

typedef struct selftest_check {
  const char *name;
  int (*run)(selftest *t); /* a GA_* code; t->worst above 1 fails, too */
  int dtypes[6];           /* GA_FLOAT, ..., ended by 0 */
} selftest_check;

extern const selftest_check selftest_checks[];
extern const size_t n_selftest_checks;

/* --- for checks --- */

extern const size_t selftest_matrix[2];

/* The value of part i of operand `which`. */
double selftest_value(size_t which, size_t i);
/* Create a[i] with t->dtype and the values of operand i. */
int selftest_make(selftest *t, unsigned int i, unsigned int nd,
                  const size_t *dims);
/* Create a[i] of dtype `dtype` from `data`, in C order. */
int selftest_put(selftest *t, unsigned int i, int dtype, unsigned int nd,
                 const size_t *dims, const void *data);
/* Compare all of a[i] with `want`. More than SELFTEST_MOST parts fail. */
int selftest_compare(selftest *t, unsigned int i);
/* The same where rounding errors are relative to terms of this size, not of
 * 1. */
int selftest_compare_by(selftest *t, unsigned int i, double size_of_terms);
/* Record success if `good`, else failure, for results that are not unique. */
void selftest_judge(selftest *t, int good);

/* selftest_maps.c */
int selftest_elemwise(selftest *t);
int selftest_strided(selftest *t);
int selftest_copy(selftest *t);
int selftest_arange(selftest *t);
int selftest_take(selftest *t);
int selftest_taken(selftest *t);
int selftest_scatter(selftest *t);
/* selftest_random.c */
int selftest_philox(selftest *t);
int selftest_mrg(selftest *t);
int selftest_counts(selftest *t);
int selftest_orders(selftest *t);
/* selftest_folds.c */
int selftest_sum(selftest *t);
int selftest_argmax(selftest *t);
int selftest_cumsum(selftest *t);
int selftest_sort(selftest *t);
int selftest_topk(selftest *t);
int selftest_search(selftest *t);
int selftest_histogram(selftest *t);
int selftest_select(selftest *t);
int selftest_partition(selftest *t);
int selftest_unique(selftest *t);
int selftest_runs(selftest *t);
int selftest_graph(selftest *t);
int selftest_softmax(selftest *t);
int selftest_regions(selftest *t);
/* selftest_images.c */
int selftest_convolve(selftest *t);
int selftest_pool(selftest *t);
int selftest_resize(selftest *t);
/* selftest_fourier.c */
int selftest_fourier(selftest *t);
/* selftest_sparse.c */
int selftest_sparse(selftest *t);

/* selftest_products.c */
int selftest_dot(selftest *t);
int selftest_gemv(selftest *t);
int selftest_ger(selftest *t);
int selftest_gemm(selftest *t);
/* selftest_factors.c */
int selftest_solve(selftest *t);
int selftest_cholesky(selftest *t);
int selftest_cholesky_gradient(selftest *t);
int selftest_banded(selftest *t);
int selftest_qr(selftest *t);
int selftest_pivoted_qr(selftest *t);
int selftest_lstsq(selftest *t);
int selftest_eigenvalues(selftest *t);
int selftest_general_eigenvalues(selftest *t);
int selftest_singular_values(selftest *t);

#endif

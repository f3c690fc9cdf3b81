/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph selftest: its checks, each of which computes on the device and on
 * the host and compares, and what checks have in common.
 *
 * Values are small multiples of 1/8, which every float type holds. Complex
 * numbers are pairs of them: `want` and which elements there are counts parts.
 */
#ifndef CLI_SELFTEST_H
#define CLI_SELFTEST_H

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <stddef.h>

enum {
  SELFTEST_ROWS = 53, /* of most matrices: awkward sizes */
  SELFTEST_COLS = 37,
  SELFTEST_ELEMENTS = SELFTEST_ROWS * SELFTEST_COLS,
  SELFTEST_MOST = 2 * SELFTEST_ELEMENTS, /* parts to compare */
  SELFTEST_ARRAYS = 4
};

/* One check on its way. What it puts into `a` is cleared after it. */
typedef struct selftest {
  gpucontext *ctx;
  int dtype;
  GpuArray a[SELFTEST_ARRAYS];
  double want[SELFTEST_MOST]; /* of the host */
  double worst; /* difference from the host's result, as a part of the limit */
} selftest;

typedef struct selftest_check {
  const char *name;
  int (*run)(selftest *t); /* a GA_* code; t->worst above 1 is a failure too */
  int dtypes[5];           /* GA_FLOAT, ..., ended by 0 */
} selftest_check;

extern const selftest_check selftest_checks[];
extern const size_t n_selftest_checks;

/* --- for checks --- */

extern const size_t selftest_matrix[2];

/* Part i of operand `which`. */
double selftest_value(size_t which, size_t i);
/* Make a[i] with the values of operand i. */
int selftest_make(selftest *t, unsigned int i, unsigned int nd,
                  const size_t *dims);
/* Make a[i] of other values, of `dtype`. */
int selftest_put(selftest *t, unsigned int i, int dtype, unsigned int nd,
                 const size_t *dims, const void *data);
/* Compare all of a[i] with `want`. */
int selftest_compare(selftest *t, unsigned int i);
/* The same with values that are right if `good`, for what has no one result. */
void selftest_judge(selftest *t, int good);

/* selftest_maps.c */
int selftest_elemwise(selftest *t);
int selftest_strided(selftest *t);
int selftest_copy(selftest *t);
int selftest_arange(selftest *t);
int selftest_take(selftest *t);
int selftest_scatter(selftest *t);
/* selftest_random.c */
int selftest_philox(selftest *t);
int selftest_mrg(selftest *t);
int selftest_counts(selftest *t);
int selftest_orders(selftest *t);
/* selftest_folds.c */
int selftest_sum(selftest *t);
int selftest_argmax(selftest *t);
int selftest_graph(selftest *t);
int selftest_softmax(selftest *t);
/* selftest_products.c */
int selftest_dot(selftest *t);
int selftest_gemv(selftest *t);
int selftest_ger(selftest *t);
int selftest_gemm(selftest *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Check of products of sparse matrices. */
#include <gpuarray/sparse.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS, APART = 5 };

/* Row i has entries where i + j is a multiple of APART, and row 7 is empty.
 * Returns the number of entries. */
static size_t fill(selftest *t, int32_t *starts, int32_t *columns) {
  size_t n = 0;

  starts[0] = 0;
  for (size_t i = 0; i < ROWS; i++) {
    t->want[i] = 0;
    for (size_t j = 0; j < COLS && i != 7; j++)
      if ((i + j) % APART == 0) {
        t->want[i] += selftest_value(0, n) * selftest_value(1, j);
        columns[n++] = (int32_t)j;
      }
    starts[i + 1] = (int32_t)n;
  }
  return n;
}

/* A sparse matrix, which is checked, times a vector. */
int selftest_sparse(selftest *t) {
  const size_t rows = ROWS + 1, cols = COLS;
  int32_t starts[ROWS + 1], columns[SELFTEST_ELEMENTS];
  const size_t n = fill(t, starts, columns);
  GpuCsr m = {0};
  int err;

  GA_CHECK(selftest_put(t, 2, GA_INT, 1, &rows, starts));
  GA_CHECK(selftest_put(t, 3, GA_INT, 1, &n, columns));
  GA_CHECK(selftest_make(t, 0, 1, &n));
  GA_CHECK(selftest_make(t, 1, 1, &cols));
  GA_CHECK(GpuCsr_make(&m, COLS, &t->a[2], &t->a[3], &t->a[0]));
  GpuArray_clear(&t->a[2]);
  GA_CHECK(GpuCsr_dot(&t->a[2], &m, &t->a[1], 0));
  err = selftest_compare(t, 2);

done:
  GpuCsr_clear(&m);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of sparse matrices. */
#include <gpuarray/sparse.h>

#include "base/err.h"
#include "torture/scenario.h"

/* A product, prepared, and a call with the transposed matrix of the elements
 * that are not 0. */
int run_sparse(work *w) {
  static const size_t square[2] = {8, 8};
  GpuCsr m = {0};
  GpuArray y = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  GA_CHECK(GpuCsr_from_dense(&m, &w->in[0]));
  GA_CHECK(GpuCsr_check(&m));
  if (w->launch == NULL)
    GA_CHECK(GpuCsr_dot_prepare(&w->launch, &w->out[0], &m, &w->in[1]));
  w->is_old = 1;
  GA_CHECK(GpuCsr_dot(&y, &m, &w->in[1], GA_CSR_TRANSPOSED));
  GA_CHECK(GpuArray_setarray(&w->out[1], &y));
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&y);
  GpuCsr_clear(&m);
  return err;
}

/* The sum of two matrices: of entries, some of which have one place, and of a
 * dense one. */
int run_coo(work *w) {
  static const size_t square[2] = {8, 8}, n = 6;
  static const int32_t rows[6] = {7, 0, 3, 7, 0, 5},
                       columns[6] = {2, 1, 3, 2, 0, 7};
  GpuCsr a = {0}, b = {0}, sum = {0};
  GpuArray dense = {0}, row = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_data(w, 1, GA_INT, 1, &n, rows));
  GA_TRY(work_data(w, 2, GA_INT, 1, &n, columns));
  GA_TRY(work_input(w, 3, 1, &n));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_LONG, 1, (size_t[]){5}));
  w->is_old = 1;
  GA_CHECK(GpuCsr_from_coo(&a, 8, 8, &w->in[1], &w->in[2], &w->in[3]));
  GA_CHECK(GpuCsr_from_dense(&b, &w->in[0]));
  GA_CHECK(GpuCsr_add(&sum, &a, &b));
  GA_CHECK(GpuCsr_to_dense(&dense, &sum));
  GA_CHECK(GpuCsr_rows(&row, &a));
  work_replace(w, 0, &dense);
  work_replace(w, 1, &row);
  err = work_read(w);

done:
  GpuCsr_clear(&a);
  GpuCsr_clear(&b);
  GpuCsr_clear(&sum);
  GpuArray_clear(&dense);
  GpuArray_clear(&row);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenario of sparse matrices. */
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* A scenario of factorisations. */
#include <gpuarray/factor.h>

#include "base/err.h"
#include "torture/scenario.h"

/* A prepared triangular solve, and calls of another one and of LU factors.
 * Factors depend on the kernels chosen, so only solutions are compared. A
 * launch that fails between its kernels leaves a part of its work in its
 * result, which need not be old or new as a whole. */
int run_factor(work *w) {
  static const size_t square[2] = {8, 8};
  GpuArray lu = {0}, pivots = {0}, order = {0}, info = {0}, x = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  if (w->launch == NULL)
    GA_TRY(GpuArray_triangular_solve_prepare(&w->launch, &w->out[0], &w->in[0],
                                             &w->in[0], GA_FACTOR_UNIT));
  GA_CHECK(GpuArray_lu(&lu, &pivots, &order, &info, &w->in[0]));
  GA_CHECK(GpuArray_triangular_solve(&x, &w->in[0], &w->in[0],
                                     GA_FACTOR_UNIT | GA_FACTOR_UPPER));
  work_replace(w, 1, &x);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&lu);
  GpuArray_clear(&pivots);
  GpuArray_clear(&order);
  GpuArray_clear(&info);
  GpuArray_clear(&x);
  return err;
}

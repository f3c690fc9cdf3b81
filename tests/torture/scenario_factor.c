/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of factorisations. */
#include <dlfcn.h>
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

/* Without LAPACK there is nothing to try: run_factor has what takes its
 * place. */
static int has_lapack(void) {
  void *handle = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);

  if (handle != NULL)
    dlclose(handle);
  return handle != NULL;
}

/* A function of the host as a kernel of the device. */
int run_lapack(work *w) {
  static const size_t square[2] = {8, 8};
  GpuArray values = {0};

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, square));
  if (has_lapack()) {
    GA_TRY(GpuArray_eigh(&values, NULL, &w->in[0], 0));
    work_replace(w, 0, &values);
  }
  return work_read(w);
}

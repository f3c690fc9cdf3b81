/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of factorisations. */
#include <dlfcn.h>
#include <gpuarray/factor.h>
#include <gpuarray/matrix.h>

#include "base/err.h"
#include "torture/scenario.h"

enum { SIDE = 8 };

static const size_t square[2] = {SIDE, SIDE};

/* A prepared triangular solve, and calls of another one and of LU factors.
 * Factors depend on the kernels chosen, so only solutions are compared. A
 * launch that fails between its kernels leaves a part of its work in its
 * result, which need not be old or new as a whole. */
int run_factor(work *w) {
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

/* in[0] is positive definite, whose factors and inverse have no element near
 * 0. */
static int definite_input(work *w) {
  float v[SIDE * SIDE];

  for (int i = 0; i < SIDE; i++)
    for (int k = 0; k < SIDE; k++)
      v[i * SIDE + k] = i == k ? 5.0f + 0.25f * (float)i : 1.0f;
  return work_data(w, 0, GA_FLOAT, 2, square, v);
}

/* Open with a definite matrix, another one, and room for two results. */
static int open_square(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(definite_input(w));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  return work_result(w, 1, GA_FLOAT, 2, square);
}

/* A Cholesky factor, prepared, a solution with such factors, and a gradient. */
int run_cholesky(work *w) {
  GpuArray x = {0}, info = {0}, t = {0};
  int err;

  GA_TRY(open_square(w));
  if (w->launch == NULL)
    GA_TRY(GpuArray_cholesky_prepare(&w->launch, &w->out[0], NULL, &w->in[0],
                                     GA_FACTOR_UPPER));
  GA_CHECK(GpuArray_solve(&x, &info, &w->in[0], &w->in[1], GA_FACTOR_POSITIVE));
  GA_CHECK(GpuArray_cholesky_gradient(&t, &w->in[0], &w->in[1], 0));
  work_replace(w, 1, &x);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&x);
  GpuArray_clear(&t);
  GpuArray_clear(&info);
  return err;
}

/* A solution with LU factors, prepared, and an inverse. */
int run_solve(work *w) {
  GpuArray x = {0}, info = {0};
  int err;

  GA_TRY(open_square(w));
  if (w->launch == NULL)
    GA_TRY(GpuArray_solve_prepare(&w->launch, &w->out[0], NULL, &w->in[0],
                                  &w->in[1], GA_FACTOR_TRANS));
  GA_CHECK(GpuArray_inverse(&x, &info, &w->in[0], 0));
  work_replace(w, 1, &x);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&x);
  GpuArray_clear(&info);
  return err;
}

/* Least squares, prepared, and QR factors, of which R is kept, also with
 * pivots. */
int run_lstsq(work *w) {
  GpuArray q = {0}, r = {0}, p = {0}, order = {0};
  int err;

  GA_TRY(open_square(w));
  if (w->launch == NULL)
    GA_TRY(
        GpuArray_lstsq_prepare(&w->launch, &w->out[0], &w->in[0], &w->in[1]));
  GA_CHECK(GpuArray_qr(&q, &r, &w->in[0], 0));
  GA_CHECK(GpuArray_qr_pivoted(&p, NULL, &order, &w->in[0], 0));
  work_replace(w, 1, &r);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&q);
  GpuArray_clear(&r);
  GpuArray_clear(&p);
  GpuArray_clear(&order);
  return err;
}

/* Eigenvalues, prepared, singular values with vectors, and eigenvalues and
 * vectors of a general matrix, which may come in any order. */
int run_values(work *w) {
  GpuArray u = {0}, s = {0}, vt = {0}, values = {0}, vectors = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(definite_input(w));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 1, square));
  if (w->launch == NULL)
    GA_TRY(GpuArray_eigh_prepare(&w->launch, &w->out[0], NULL, &w->in[0], 0));
  GA_CHECK(GpuArray_svd(&u, &s, &vt, &w->in[0], 0));
  work_replace(w, 1, &s);
  GA_CHECK(GpuArray_eig(&values, &vectors, &w->in[0]));
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&values);
  GpuArray_clear(&vectors);
  GpuArray_clear(&u);
  GpuArray_clear(&s);
  GpuArray_clear(&vt);
  return err;
}

/* Calls that consist of others: a power and a pseudo-inverse. */
int run_matrices(work *w) {
  GpuArray inverse = {0}, x = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(definite_input(w));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  GA_CHECK(GpuArray_pinv(&inverse, &w->in[0], -1));
  work_replace(w, 0, &inverse);
  GA_CHECK(GpuArray_matrix_power(&x, &w->in[0], 3));
  work_replace(w, 1, &x);
  err = work_read(w);

done:
  GpuArray_clear(&inverse);
  GpuArray_clear(&x);
  return err;
}

/* Without LAPACK there is nothing to try: run_values has what takes its
 * place. */
static int has_lapack(void) {
  void *handle = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);

  if (handle != NULL)
    dlclose(handle);
  return handle != NULL;
}

/* Functions of the host as kernels of the device. */
int run_lapack(work *w) {
  return has_lapack() ? run_values(w) : GA_NO_ERROR;
}

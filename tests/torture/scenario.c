/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of scenarios, and what they share. */
#include "torture/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

const scenario scenarios[] = {
    {"elemwise", NULL, NULL, run_elemwise, 0},
    {"elemwise, compiled", "GPUARRAY_NO_CACHE=1", NULL, run_elemwise, 0},
    {"reduction", NULL, NULL, run_reduction, 0},
    {"kernel", NULL, NULL, run_kernel, 0},
    {"kernel, refused", NULL, NULL, run_refused, 0},
    {"SPIR-V, refused", NULL, NULL, run_spirv, 0},
    {"life of a context", NULL, NULL, run_life, 0},
    {"views and copies", NULL, NULL, run_views, 0},
    {"fill", NULL, NULL, run_fill, 0},
    {"transfer", NULL, NULL, run_transfer, 0},
    {"wrapped objects", NULL, NULL, run_wrapped, 0},
    {"extension", NULL, NULL, run_extension, 0},
    {"recorded kernel", NULL, NULL, run_record, 0},
    {"file of kernels", NULL, NULL, run_kernel_file, 0},
    {"function of the host", NULL, NULL, run_host, 0},
    {"take and gather", NULL, NULL, run_take, 0},
    {"put and scatter", NULL, NULL, run_put, 0},
    {"put on a GPU", NULL, "gpu", run_put, 0},
    {"read by index", NULL, NULL, run_taken, 0},
    {"where", NULL, NULL, run_where, 0},
    {"cumulate", NULL, NULL, run_cumulate, 0},
    {"pooling", NULL, NULL, run_pooling, 0},
    {"convolution", NULL, NULL, run_conv, 0},
    {"convolution on a GPU", NULL, "gpu", run_conv, 0},
    {"convolutional net", NULL, NULL, run_net, 0},
    {"sort", NULL, NULL, run_sort, 0},
    {"workspace", NULL, NULL, run_workspace, 0},
    {"topk", NULL, NULL, run_topk, 0},
    {"search", NULL, NULL, run_search, 0},
    {"select", NULL, NULL, run_select, 0},
    {"unique and runs", NULL, NULL, run_unique, 0},
    {"sets, keys with values", NULL, NULL, run_sets, 0},
    {"several items", NULL, NULL, run_items, 0},
    {"sizes from data", NULL, NULL, run_stages, 0},
    {"factor", NULL, NULL, run_factor, 0},
    {"Cholesky", NULL, NULL, run_cholesky, 0},
    {"Cholesky on a GPU", NULL, "gpu", run_cholesky, 0},
    {"solve and inverse", NULL, NULL, run_solve, 0},
    {"solve on a GPU", NULL, "gpu", run_solve, 0},
    {"QR, least squares", NULL, NULL, run_lstsq, 0},
    {"QR on a GPU", NULL, "gpu", run_lstsq, 0},
    {"eigenvalues and SVD", "GPUARRAY_LAPACK=own", NULL, run_values, 0},
    {"the same by LAPACK", "GPUARRAY_LAPACK=lapacke", NULL, run_lapack, 0},
    {"functions of matrices", NULL, NULL, run_matrices, 0},
    {"sparse", NULL, NULL, run_sparse, 0},
    {"sparse, made, added", NULL, NULL, run_coo, 0},
    {"histogram", NULL, NULL, run_histogram, 0},
    {"random numbers", NULL, NULL, run_random, 0},
    {"rows", NULL, NULL, run_rows, 0},
    {"rows on a GPU", NULL, "gpu", run_rows, 0},
    {"rows in parts", NULL, NULL, run_rows_parts, 0},
    {".npy", NULL, NULL, run_npy, 0},
    {".npz", NULL, NULL, run_npz, 0},
    {"DLPack", NULL, NULL, run_dlpack, 0},
    {"profile", NULL, NULL, run_profile, 0},
    {"gemv and ger", NULL, NULL, run_gemv, 0},
    {"gemm", "GPUARRAY_BLAS=own", NULL, run_gemm, 0},
    {"epilogue", "GPUARRAY_BLAS=own", NULL, run_epilogue, 0},
    {"complex products", NULL, NULL, run_complex, 0},
    {"complex on a GPU", "GPUARRAY_BLAS=own", "gpu", run_complex, 0},
    {"gemm by CLBlast", "GPUARRAY_BLAS=clblast", NULL, run_gemm,
     SCENARIO_CLBLAST},
    {"profile of CLBlast", "GPUARRAY_BLAS=clblast", NULL, run_profile_gemm,
     SCENARIO_CLBLAST},
    {"graph", NULL, NULL, run_graph, 0},
    {"graph on a GPU", "GPUARRAY_BLAS=own", "gpu", run_graph, 0},
    {"updates", NULL, NULL, run_update, 0},
    {"custom op", NULL, NULL, run_custom, 0},
    {"loop", NULL, NULL, run_loop, 0},
    {"choice", NULL, NULL, run_choice, 0},
    {"sizes", NULL, NULL, run_sizes, 0},
    {"two contexts", NULL, NULL, run_there, 0},
    {"saved graph", NULL, NULL, run_saved, 0},
    {"prepared function", NULL, NULL, run_prepared, 0},
    {"monitored updates", NULL, NULL, run_monitored, 0},
    {"evaluated variable", NULL, NULL, run_eval, 0},
};

const int n_scenarios = sizeof scenarios / sizeof *scenarios;

void work_clear(work *w) {
  GpuLaunch_free(w->launch);
  GpuElemwise_free(w->ge);
  GpuReduction_free(w->red);
  if (w->kernel.k != NULL)
    GpuKernel_clear(&w->kernel);
  gg_func_free(w->f);
  gg_graph_free(w->g);
  for (int i = 0; i < WORK_ARRAYS; i++)
    GpuArray_clear(&w->in[i]);
  for (int i = 0; i < WORK_RESULTS; i++)
    GpuArray_clear(&w->out[i]);
  gpucontext_deref(w->other);
  gpucontext_deref(w->ctx);
  memset(w, 0, sizeof *w);
}

size_t work_bytes(const GpuArray *a) {
  size_t n = GpuArray_ITEMSIZE(a);

  for (unsigned int i = 0; i < a->nd; i++)
    n *= a->dimensions[i];
  return n;
}

int work_read(work *w) {
  for (int i = 0; i < WORK_RESULTS; i++) {
    const GpuArray *a = &w->out[i];

    w->bytes[i] = a->data != NULL        ? work_bytes(a)
                  : w->shared[i] != NULL ? 4 * sizeof(float)
                                         : 0;
    if (a->data != NULL)
      GA_TRY(GpuArray_read(w->got[i], w->bytes[i], a));
    else if (w->shared[i] != NULL)
      GA_TRY(gg_shared_read(w->shared[i], w->got[i], w->bytes[i]));
  }
  return GA_NO_ERROR;
}

int work_open(work *w) {
  return w->ctx != NULL ? GA_NO_ERROR : gpucontext_open(&w->ctx, NULL);
}

/* Make an array from host data; one that cannot be filled is none. */
static int make(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                const size_t *dims, const void *data) {
  int err = GpuArray_empty(a, ctx, typecode, nd, dims, GA_C_ORDER);

  if (err == GA_NO_ERROR)
    err = GpuArray_write(a, data, work_bytes(a));
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

int work_data(work *w, int i, int typecode, unsigned int nd, const size_t *dims,
              const void *data) {
  return w->in[i].data != NULL
             ? GA_NO_ERROR
             : make(&w->in[i], w->ctx, typecode, nd, dims, data);
}

int work_input(work *w, int i, unsigned int nd, const size_t *dims) {
  float v[WORK_BYTES / sizeof(float)];

  for (size_t k = 0; k < sizeof v / sizeof *v; k++)
    v[k] = (float)((7 * k + 3 * (size_t)i) % 11) / 4.0f - 1.0f;
  return work_data(w, i, GA_FLOAT, nd, dims, v);
}

int work_result(work *w, int i, int typecode, unsigned int nd,
                const size_t *dims) {
  unsigned char old[WORK_BYTES];

  memset(old, WORK_OLD, sizeof old);
  if (w->out[i].data != NULL)
    return GpuArray_write(&w->out[i], old, work_bytes(&w->out[i]));
  return make(&w->out[i], w->ctx, typecode, nd, dims, old);
}

void work_replace(work *w, int i, GpuArray *a) {
  GpuArray_clear(&w->out[i]);
  w->out[i] = *a;
  memset(a, 0, sizeof *a);
}

void work_path(char path[WORK_PATH], const char *name) {
  const char *dir = getenv("TEST_DIR");

  snprintf(path, WORK_PATH, "%s/%s", dir != NULL ? dir : "/tmp", name);
}

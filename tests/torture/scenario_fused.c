/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of kernels that do several things at once: row programs, products
 * with an epilogue, complex products. */
#include <gpuarray/blas_complex.h>
#include <gpuarray/create.h>
#include <gpuarray/launch.h>
#include <gpuarray/rows.h>

#include "base/err.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8};
static const unsigned char along_rows[2] = {0, 1};

/* --- row programs --- */

static const GpuRowsReduce reduce[] = {{"m", GA_REDUCE_MAX, GA_FLOAT},
                                       {"s", GA_REDUCE_SUM, GA_FLOAT}};
static const gpuelemwise_arg row_sum[] = {{"t", GA_FLOAT, GE_WRITE}};

static int prepare_rows(work *w, const GpuRowsSpec *spec, const size_t *dims,
                        void **args, void **row_args) {
  GpuRows *r;

  if (w->launch != NULL)
    return GA_NO_ERROR;
  GA_TRY(GpuRows_new(&r, w->ctx, spec));
  int err = GpuRows_prepare(&w->launch, r, 2, dims, along_rows, args, row_args);
  GpuRows_free(r);
  return err;
}

/* Softmax, and what each row's exponentials sum to. */
int run_rows(work *w) {
  static const GpuRowsPhase phases[] = {{"m = x;", NULL},
                                        {"e = exp(x - m); s = e;", "t = s;"},
                                        {"y = e / s;", NULL}};
  static const gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ},
                                         {"y", GA_FLOAT, GE_WRITE}};
  const GpuRowsSpec spec = {.n_phases = 3,
                            .phases = phases,
                            .n_reduce = 2,
                            .reduce = reduce,
                            .n_kept = 1,
                            .kept = (GpuRowsValue[]){{"e", GA_FLOAT}},
                            .n_args = 2,
                            .args = args,
                            .n_row_args = 1,
                            .row_args = row_sum,
                            .flags = GE_VECTOR};

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, (size_t[]){8, 1}));
  GA_TRY(prepare_rows(w, &spec, square, (void *[]){&w->in[0], &w->out[0]},
                      (void *[]){&w->out[1]}));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* Two rows so long that several launches and memory between them are needed.
 * A run whose second launch is refused has not written yet: its results belong
 * to the last. */
int run_rows_parts(work *w) {
  static const GpuRowsPhase phases[] = {{"m = x;", NULL},
                                        {"s = exp(x - m);", "t = s;"}};
  static const gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ}};
  const size_t dims[2] = {2, 70001};
  const GpuRowsSpec spec = {.n_phases = 2,
                            .phases = phases,
                            .n_reduce = 2,
                            .reduce = reduce,
                            .n_args = 1,
                            .args = args,
                            .n_row_args = 1,
                            .row_args = row_sum,
                            .flags = GE_VECTOR};
  const float half = 0.5f;

  GA_TRY(work_open(w));
  if (w->in[0].data == NULL)
    GA_TRY(GpuArray_empty(&w->in[0], w->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_fill(&w->in[0], GA_FLOAT, &half));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, (size_t[]){2, 1}));
  GA_TRY(prepare_rows(w, &spec, dims, (void *[]){&w->in[0]},
                      (void *[]){&w->out[0]}));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* --- products --- */

/* A layer's product, bias and threshold in the product's kernel. */
int run_epilogue(work *w) {
  static const gpuelemwise_arg args[] = {{"o", GA_FLOAT, GE_WRITE},
                                         {"b", GA_FLOAT, GE_READ}};
  const GpuEpilogue e = {.text = "o = fmax(acc + b, (w_float)(0));",
                         .n_args = 2,
                         .args = args,
                         .flags = GE_VECTOR};

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_input(w, 2, 2, (size_t[]){1, 8}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  if (w->launch == NULL)
    GA_TRY(GpuArray_rgemm_epilogue_prepare(&w->launch, cb_no_trans, cb_trans, 1,
                                           &w->in[0], &w->in[1], 0, NULL, &e,
                                           (void *[]){&w->out[0], &w->in[2]}));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* A matrix product, one with a vector, and an operand that has to be copied. */
int run_complex(work *w) {
  static const float numbers[32] = {1, -1, 0.5f, 2, 0, 3, 1, 1, -2, 0.25f, 4};
  const size_t dims[2] = {4, 4}, n[1] = {4};
  const ga_complex one = {1, 0}, none = {0, 0}, i = {0, 1};
  GpuArray turned = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_data(w, 0, GA_CFLOAT, 2, dims, numbers));
  GA_TRY(work_data(w, 1, GA_CFLOAT, 1, n, numbers + 3));
  GA_TRY(work_result(w, 0, GA_CFLOAT, 2, dims));
  GA_TRY(work_result(w, 1, GA_CFLOAT, 1, n));
  w->is_old = 1;
  GA_CHECK(GpuArray_index(&turned, &w->in[0], (ssize_t[]){3, 3},
                          (ssize_t[]){-1, -1}, (ssize_t[]){-1, -1}));
  GA_CHECK(GpuArray_cgemm(cb_no_trans, cb_conj_trans, i, &w->in[0], &turned,
                          none, &w->out[0], 0));
  GA_CHECK(
      GpuArray_cgemv(cb_trans, one, &w->in[0], &w->in[1], none, &w->out[1], 0));
  err = work_read(w);

done:
  GpuArray_clear(&turned);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of the array library. */
#include <gpuarray/blas.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/profile.h>
#include <gpuarray/random.h>
#include <gpuarray/util.h>
#include <string.h>

#include "base/err.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8}, line[1] = {8};

static int make_elemwise(work *w) {
  gpuelemwise_arg args[] = {{"a", GA_FLOAT, GE_READ},
                            {"b", GA_FLOAT, GE_READ},
                            {"s", GA_FLOAT, GE_SCALAR},
                            {"c", GA_FLOAT, GE_WRITE}};

  if (w->ge == NULL)
    w->ge = GpuElemwise_new(w->ctx, NULL, "c = a * b + s", 4, args, 2, 0);
  return w->ge != NULL ? GA_NO_ERROR : gpuarray_error_code();
}

/* Contiguous operands, then a broadcast one: two kernels. */
int run_elemwise(work *w) {
  float s = 2;
  void *plain[] = {&w->in[0], &w->in[1], &s, &w->out[0]};
  void *stretched[] = {&w->in[0], &w->in[2], &s, &w->out[1]};

  GA_TRY(work_open(w));
  GA_TRY(make_elemwise(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_input(w, 2, 2, (size_t[]){1, 8}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  w->is_old = 1;
  GA_TRY(GpuElemwise_call(w->ge, plain, 0));
  GA_TRY(GpuElemwise_call(w->ge, stretched, GE_BROADCAST));
  return work_read(w);
}

/* The direct call, which makes its result, and a prepared one. */
int run_reduction(work *w) {
  gpuelemwise_arg in = {"a", GA_FLOAT, GE_READ};
  GpuReductionSpec spec = {.op = GA_REDUCE_SUM,
                           .acc = GA_FLOAT,
                           .map = "v = a * a",
                           .n_in = 1,
                           .in = &in,
                           .n_post = 1,
                           .post_args =
                               (gpuelemwise_arg[]){{"r", GA_FLOAT, GE_WRITE}}};
  const unsigned int axis = 1;
  GpuArray max;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, line));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, (size_t[]){8, 1}));
  if (w->red == NULL)
    GA_TRY(GpuReduction_new(&w->red, w->ctx, &spec));
  if (w->launch == NULL)
    GA_TRY(GpuReduction_prepare(&w->launch, w->red, 2, square,
                                (const unsigned char[]){0, 1},
                                (void *[]){&w->in[0]}, (void *[]){&w->out[1]}));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  GA_TRY(
      GpuArray_reduction(&max, &w->in[0], GA_REDUCE_MAX, 1, &axis, 0, -1, -1));
  work_replace(w, 0, &max);
  return work_read(w);
}

static const char kernel_text[] =
    "#include \"cluda.h\"\n"
    "KERNEL void scale(GLOBAL_MEM float *a, GLOBAL_MEM float *b,\n"
    "                  ga_size n) {\n"
    "  for (ga_size i = GID_0 * LDIM_0 + LID_0; i < n; i += LDIM_0 * GDIM_0)\n"
    "    b[i] = 3 * a[i];\n"
    "}\n";

static int make_kernel(work *w) {
  const char *text = kernel_text;
  const int types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};

  if (w->kernel.k != NULL)
    return GA_NO_ERROR;
  return GpuKernel_init(&w->kernel, w->ctx, 1, &text, NULL, "scale", 3, types,
                        0, NULL);
}

int run_kernel(work *w) {
  size_t n = 64, gs = 0, ls = 0;
  void *args[3];

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(make_kernel(w));
  GA_TRY(GpuKernel_sched(&w->kernel, n, &gs, &ls));
  w->is_old = 1;
  args[0] = w->in[0].data;
  args[1] = w->out[0].data;
  args[2] = &n;
  GA_TRY(GpuKernel_call(&w->kernel, 1, &gs, &ls, 0, args));
  return work_read(w);
}

/* A transposed copy, a join of strided views, a gather, a fill. */
int run_views(work *w) {
  const GpuArray *both[2];
  GpuArray turned = {0}, joined = {0}, copy = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, (size_t[]){4, 8}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  w->is_old = 1;
  GA_CHECK(GpuArray_transpose(&turned, &w->in[0], NULL));
  GA_CHECK(GpuArray_copy(&copy, &turned, GA_C_ORDER));
  GA_CHECK(GpuArray_index_inplace(&turned, (ssize_t[]){0, 0}, (ssize_t[]){8, 8},
                                  (ssize_t[]){2, 1}));
  both[0] = &w->in[1];
  both[1] = &turned;
  GA_CHECK(GpuArray_concatenate(&joined, both, 2, 0, GA_FLOAT));
  GA_CHECK(GpuArray_setarray(&w->out[0], &joined));
  work_replace(w, 1, &copy);
  err = work_read(w);

done:
  GpuArray_clear(&turned);
  GpuArray_clear(&joined);
  GpuArray_clear(&copy);
  return err;
}

int run_transfer(work *w) {
  GpuArray there = {0};
  int err;

  GA_TRY(work_open(w));
  if (w->other == NULL)
    GA_TRY(gpucontext_open(&w->other, NULL));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  w->is_old = 1;
  GA_CHECK(GpuArray_empty(&there, w->other, GA_FLOAT, 2, square, GA_C_ORDER));
  GA_CHECK(GpuArray_transfer(&there, &w->in[0]));
  GA_CHECK(GpuArray_sync(&there));
  GA_CHECK(GpuArray_transfer(&w->out[0], &there));
  err = work_read(w);

done:
  GpuArray_clear(&there);
  return err;
}

/* Numbers of a stream that begins anew in each run. */
int run_random(work *w) {
  GpuArray stream = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(GpuRandom_philox(&stream, w->ctx, 7, 0));
  w->is_old = 1;
  GA_CHECK(GpuRandom_fill(&w->out[0], GA_RANDOM_UNIFORM, 0, 1, &stream));
  err = work_read(w);

done:
  GpuArray_clear(&stream);
  return err;
}

static int run_measured(work *w) {
  GpuLaunchStats stats;

  w->is_old = 1;
  for (int i = 0; i < 3; i++)
    GA_TRY(GpuLaunch_run(w->launch));
  GA_TRY(GpuLaunch_stats(w->launch, &stats));
  GA_TRY(gpucontext_profile(w->ctx, 0));
  return work_read(w);
}

int run_profile(work *w) {
  float s = 1;
  void *args[] = {&w->in[0], &w->in[1], &s, &w->out[0]};

  GA_TRY(work_open(w));
  GA_TRY(make_elemwise(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(gpucontext_profile(w->ctx, 1));
  if (w->launch == NULL)
    GA_TRY(GpuElemwise_prepare(&w->launch, w->ge, args, 0));
  return run_measured(w);
}

/* --- BLAS --- */

int run_gemv(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 1, line));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, line));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  w->is_old = 1;
  GA_TRY(
      GpuArray_rgemv(cb_no_trans, 1, &w->in[0], &w->in[1], 0, &w->out[0], 1));
  GA_TRY(GpuArray_rger(1, &w->in[1], &w->in[1], &w->out[1], 1));
  return work_read(w);
}

int run_gemm(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, square));
  w->is_old = 1;
  GA_TRY(GpuArray_rgemm(cb_no_trans, cb_trans, 1, &w->in[0], &w->in[1], 0,
                        &w->out[0], 1));
  GA_TRY(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &w->in[1], &w->in[0], 1,
                        &w->out[1], 1));
  return work_read(w);
}

/* A step that is a host call: its commands lie between two markers. */
int run_profile_gemm(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(gpucontext_profile(w->ctx, 1));
  if (w->launch == NULL)
    GA_TRY(GpuArray_rgemm_prepare(&w->launch, cb_no_trans, cb_no_trans, 1,
                                  &w->in[0], &w->in[1], 0, &w->out[0]));
  return run_measured(w);
}

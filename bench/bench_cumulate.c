/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulative sums of n floats (first argument, 2^22 if there is none) as one
 * row, as rows and as columns, beside the device's copy of as many. The bytes
 * of a call are those that it must read and write. On a second line "peer", the
 * same beside PyTorch. */
#include "bench.h"

#include <gpuarray/cumulate.h>
#include <gpuarray/device.h>

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "launched.h"
#include "peer.h"

enum { REPS = 21 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, z;
  bench_launched ours;
} bench_state;

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->z, &s->x));
  return GpuArray_sync(&s->z);
}

static int make_data(bench_state *s, int dtype, const size_t *dims) {
  const size_t n = dims[0] * dims[1];
  float *host = malloc(n * sizeof *host);
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    host[i] = (float)(i % 7) - 3;
  GA_CHECK(GpuArray_empty(&s->x, s->ctx, dtype, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&s->z, s->ctx, dtype, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&s->x, host, n * sizeof *host));

done:
  free(host);
  return err;
}

/* Sums of whole numbers are exact. */
static int check(bench_state *s, const size_t *dims, unsigned int axis) {
  const size_t n = dims[0] * dims[1], step = axis == 0 ? dims[1] : 1;
  float *got = malloc(n * sizeof *got);
  double sum = 0;
  int err;

  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(bench_run(&s->ours));
  GA_CHECK(GpuArray_read(got, n * sizeof *got, &s->z));
  for (size_t i = 0; i < dims[axis] && err == GA_NO_ERROR; i++) {
    sum += (double)(i * step % 7) - 3;
    if (got[i * step] != (float)sum)
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", i * step,
                     (double)got[i * step], sum);
  }

done:
  free(got);
  return err;
}

static int prepare(bench_state *s, ga_cumulate_op op, const size_t *dims,
                   unsigned int axis, int flags) {
  const gpuelemwise_arg value = {"v", GA_FLOAT, GE_READ};
  const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                   {"z", GA_FLOAT, GE_WRITE}};
  const GpuCumulationSpec spec = {
      .op = op, .n_values = 1, .values = &value, .n_args = 2, .args = args};
  GpuCumulation *c;

  GA_TRY(GpuCumulation_new(&c, s->ctx, &spec));
  const int err = GpuCumulation_prepare(&s->ours.launch, c, 2, dims, axis,
                                        flags, (void *[]){&s->x, &s->z});
  GpuCumulation_free(c);
  return err;
}

static const char *peer_of(ga_cumulate_op op) {
  switch (op) {
  case GA_CUMULATE_SUM:
    return "cumsum";
  case GA_CUMULATE_PROD:
    return "cumprod";
  case GA_CUMULATE_MAX:
    return "cummax";
  default:
    return "logcumsumexp";
  }
}

static int measure(bench_state *s, const char *name, ga_cumulate_op op,
                   const size_t *dims, unsigned int axis, int flags) {
  const double bytes = 8 * (double)dims[0] * (double)dims[1];
  bench_time ours, copy;

  GA_TRY(make_data(s, GA_FLOAT, dims));
  s->ours.result = &s->z;
  GA_TRY(prepare(s, op, dims, axis, flags));
  if (op == GA_CUMULATE_SUM && flags == 0)
    GA_TRY(check(s, dims, axis));
  bench_pair(bench_run, &s->ours, run_copy, s, REPS, &ours, &copy);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              bytes / copy.median / 1e9);
  peer_print(name, bytes / ours.median / 1e9, "GB/s", bytes / 1e3,
             peer_us("ops_torch.py %s %s %zu %zu %u",
                     gpucontext_caps(s->ctx)->is_cpu ? "cpu" : "cuda",
                     peer_of(op), dims[0], dims[1], axis));
  GpuLaunch_free(s->ours.launch);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->z);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  const size_t side = (size_t)sqrt((double)n);
  const size_t row[2] = {1, n}, square[2] = {side, side};
  const size_t flat[2] = {n / 8, 8};

  GA_TRY(measure(s, "sum of one row", GA_CUMULATE_SUM, row, 1, 0));
  GA_TRY(measure(s, "sum of one row, reversed", GA_CUMULATE_SUM, row, 1,
                 GA_CUMULATE_REVERSED));
  GA_TRY(measure(s, "product of one row", GA_CUMULATE_PROD, row, 1, 0));
  GA_TRY(measure(s, "largest of one row", GA_CUMULATE_MAX, row, 1, 0));
  GA_TRY(measure(s, "logaddexp of one row", GA_CUMULATE_LOGADDEXP, row, 1, 0));
  GA_TRY(measure(s, "sum of rows", GA_CUMULATE_SUM, square, 1, 0));
  GA_TRY(measure(s, "sum of columns", GA_CUMULATE_SUM, square, 0, 0));
  GA_TRY(measure(s, "sum of rows of 8", GA_CUMULATE_SUM, flat, 1, 0));
  return measure(s, "sum of 8 columns", GA_CUMULATE_SUM, flat, 0, 0);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 22);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}

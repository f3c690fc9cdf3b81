/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting from n floats (first argument, 2^22 if there is none): the largest
 * 10, 100 and 1000 of one row, 10 of rows of 2048 and 16384, and medians,
 * in millions of elements a second, beside the largest one alone: the rate at
 * which memory is read. A second line has the same beside
 * PyTorch. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/reduction.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include <stdlib.h>

#include "base/err.h"
#include "launched.h"
#include "peer.h"

enum { REPS = 9 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, values, sorted;
  bench_launched ours, sort;
} bench_state;

/* The largest element, which reads all. */
static int run_read(void *arg) {
  bench_state *s = arg;
  GpuArray most;

  GA_TRY(GpuArray_reduction(&most, &s->x, GA_REDUCE_MAX, 0, NULL, 0, -1, -1));
  GA_TRY(GpuArray_sync(&most));
  GpuArray_clear(&most);
  return GA_NO_ERROR;
}

/* Whether the results are those of sorting: from `skip` on, k of each row. */
static int check(bench_state *s, const size_t *dims, size_t skip, size_t k) {
  const size_t n = dims[0] * dims[1];
  float *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
  int err;

  if (want == NULL || got == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(bench_run(&s->ours));
  GA_CHECK(bench_run(&s->sort));
  GA_CHECK(GpuArray_read(want, n * sizeof *want, &s->sorted));
  GA_CHECK(GpuArray_read(got, dims[0] * k * sizeof *got, &s->values));
  for (size_t i = 0; i < dims[0] * k && err == GA_NO_ERROR; i++) {
    const float v = want[i / k * dims[1] + skip + i % k];
    if (got[i] != v)
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", i,
                     (double)got[i], (double)v);
  }

done:
  free(want);
  free(got);
  return err;
}

/* The first k, or the median if k is 0. */
static int measure(bench_state *s, const char *name, const size_t *dims,
                   size_t k) {
  const double n = (double)dims[0] * (double)dims[1];
  const size_t size[2] = {dims[0], k > 0 ? k : 1}, half = dims[1] / 2;
  bench_time ours, read;

  s->ours.result = &s->values;
  s->sort.result = &s->sorted;
  GA_TRY(bench_floats(&s->x, s->ctx, dims));
  GA_TRY(GpuArray_empty(&s->sorted, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->values, s->ctx, GA_FLOAT, 2, size, GA_C_ORDER));
  GA_TRY(k > 0 ? GpuArray_topk_prepare(&s->ours.launch, &s->values, NULL, &s->x,
                                       1, GA_TOPK_SMALLEST)
               : GpuArray_kth_prepare(&s->ours.launch, &s->values, NULL, &s->x,
                                      half, 1));
  GA_TRY(GpuArray_sort_prepare(&s->sort.launch, &s->sorted, NULL, &s->x, 1, 0));
  GA_TRY(check(s, dims, k > 0 ? 0 : half, size[1]));
  bench_pair(bench_run, &s->ours, run_read, s, REPS, &ours, &read);
  bench_print(name, n / ours.median / 1e6, "M/s", n / read.median / 1e6);
  peer_print(name, n / ours.median / 1e6, "M/s", n,
             peer_us("ops_torch.py %s %s %zu %zu %zu",
                     gpucontext_caps(s->ctx)->is_cpu ? "cpu" : "cuda",
                     k > 0 ? "topk" : "median", dims[0], dims[1], k));
  GpuLaunch_free(s->ours.launch);
  GpuLaunch_free(s->sort.launch);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->sorted);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  const size_t row[2] = {1, n}, rows[2] = {n / 2048, 2048};
  const size_t wide[2] = {n / 16384, 16384};

  GA_TRY(measure(s, "one row, 10", row, 10));
  GA_TRY(measure(s, "one row, 100", row, 100));
  GA_TRY(measure(s, "one row, 1000", row, 1000));
  GA_TRY(measure(s, "one row, median", row, 0));
  GA_TRY(measure(s, "rows of 2048, 10", rows, 10));
  GA_TRY(measure(s, "rows of 16384, 10", wide, 10));
  return measure(s, "rows of 2048, median", rows, 0);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 22);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}

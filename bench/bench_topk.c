/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting from n floats (first argument, 2^22 if there is none): the largest
 * 10 and 1000 of one row and of rows of 2048, and medians, in millions of
 * elements a second, beside sorting all of them. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

enum { REPS = 9 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, values, sorted;
  GpuLaunch *launch, *sort;
} bench_state;

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->values);
}

static int run_sort(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->sort));
  return GpuArray_sync(&s->sorted);
}

static int make_data(bench_state *s, const size_t *dims) {
  const size_t n = dims[0] * dims[1];
  float *host = malloc(n * sizeof *host);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (float)(int32_t)seed * 1e-3f;
  }
  GA_CHECK(GpuArray_empty(&s->x, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&s->sorted, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&s->x, host, n * sizeof *host));

done:
  free(host);
  return err;
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
  GA_CHECK(run_launch(s));
  GA_CHECK(run_sort(s));
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
  bench_time ours, sort;

  GA_TRY(make_data(s, dims));
  GA_TRY(GpuArray_empty(&s->values, s->ctx, GA_FLOAT, 2, size, GA_C_ORDER));
  GA_TRY(k > 0 ? GpuArray_topk_prepare(&s->launch, &s->values, NULL, &s->x, 1,
                                       GA_TOPK_SMALLEST)
               : GpuArray_kth_prepare(&s->launch, &s->values, NULL, &s->x, half,
                                      1));
  GA_TRY(GpuArray_sort_prepare(&s->sort, &s->sorted, NULL, &s->x, 1, 0));
  GA_TRY(check(s, dims, k > 0 ? 0 : half, size[1]));
  bench_pair(run_launch, s, run_sort, s, REPS, &ours, &sort);
  bench_print(name, n / ours.median / 1e6, "M/s", n / sort.median / 1e6);
  GpuLaunch_free(s->launch);
  GpuLaunch_free(s->sort);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->sorted);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  const size_t row[2] = {1, n}, rows[2] = {n / 2048, 2048};

  GA_TRY(measure(s, "one row, 10", row, 10));
  GA_TRY(measure(s, "one row, 1000", row, 1000));
  GA_TRY(measure(s, "one row, median", row, 0));
  GA_TRY(measure(s, "rows of 2048, 10", rows, 10));
  return measure(s, "rows of 2048, median", rows, 0);
}

int main(int argc, char **argv) {
  const size_t n =
      argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)1 << 22;
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}

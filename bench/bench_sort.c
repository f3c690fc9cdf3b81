/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting n floats (first argument, 2^22 if there is none) as one row, with and
 * without positions, and as rows, in millions of elements a second, beside the
 * device's copy of as many. A second line has the same beside PyTorch,
 * which always gives positions. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/sort.h>

#include <stdlib.h>

#include "base/err.h"
#include "launched.h"
#include "peer.h"

enum { REPS = 9 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, values, indices;
  bench_launched ours;
} bench_state;

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->values, &s->x));
  return GpuArray_sync(&s->values);
}

/* Whether each row ascends. */
static int check(bench_state *s, const size_t *dims) {
  const size_t n = dims[0] * dims[1];
  float *got = malloc(n * sizeof *got);
  int err;

  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(bench_run(&s->ours));
  GA_CHECK(GpuArray_read(got, n * sizeof *got, &s->values));
  for (size_t i = 0; i + 1 < n && err == GA_NO_ERROR; i++) {
    if (i % dims[1] + 1 < dims[1] && !(got[i] <= got[i + 1]))
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g before %g", i,
                     (double)got[i], (double)got[i + 1]);
  }

done:
  free(got);
  return err;
}

static int measure(bench_state *s, const char *name, const size_t *dims,
                   int has_indices) {
  const double n = (double)dims[0] * (double)dims[1];
  bench_time ours, copy;

  s->ours.result = &s->values;
  GA_TRY(bench_floats(&s->x, s->ctx, dims));
  GA_TRY(GpuArray_empty(&s->values, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->indices, s->ctx, GA_LONG, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_sort_prepare(&s->ours.launch, &s->values,
                               has_indices ? &s->indices : NULL, &s->x, 1, 0));
  GA_TRY(check(s, dims));
  bench_pair(bench_run, &s->ours, run_copy, s, REPS, &ours, &copy);
  bench_print(name, n / ours.median / 1e6, "M/s", n / copy.median / 1e6);
  peer_print(name, n / ours.median / 1e6, "M/s", n,
             peer_us("ops_torch.py %s sort %zu %zu",
                     gpucontext_caps(s->ctx)->is_cpu ? "cpu" : "cuda", dims[0],
                     dims[1]));
  GpuLaunch_free(s->ours.launch);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->indices);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  const size_t row[2] = {1, n};
  const size_t long_rows[2] = {n / 16384, 16384};
  const size_t rows[2] = {n / 2048, 2048}, few[2] = {n / 32, 32};

  GA_TRY(measure(s, "one row", row, 0));
  GA_TRY(measure(s, "one row, with positions", row, 1));
  GA_TRY(measure(s, "rows of 16384, with positions", long_rows, 1));
  GA_TRY(measure(s, "rows of 2048, with positions", rows, 1));
  return measure(s, "rows of 32, with positions", few, 1);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 22);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}

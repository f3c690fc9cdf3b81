/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of the elements of a mask of n bools (first argument, 2^24 if there
 * is none) that are not 0, and floats under the mask, in GB/s of what must be
 * read and written once, beside a copy of floats. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/select.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "launched.h"

enum { REPS = 9 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray mask, x, y, at, few, count;
  GpuLaunch *launch;
  size_t selected;
} bench_state;

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->count);
}

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->y, &s->x));
  return GpuArray_sync(&s->y);
}

static int fill_mask(bench_state *s, size_t n, unsigned int percent) {
  unsigned char *host = malloc(n + 1);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  s->selected = 0;
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (seed >> 8) % 100 < percent;
    s->selected += host[i];
  }
  GA_CHECK(GpuArray_write(&s->mask, host, n));

done:
  free(host);
  return err;
}

static int make(bench_state *s, size_t n) {
  GA_TRY(GpuArray_empty(&s->mask, s->ctx, GA_BOOL, 1, &n, GA_C_ORDER));
  GA_TRY(GpuArray_zeros(&s->x, s->ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  GA_TRY(GpuArray_zeros(&s->y, s->ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  return GpuArray_zeros(&s->count, s->ctx, GA_LONG, 0, NULL, GA_C_ORDER);
}

static int check(bench_state *s) {
  int64_t count = 0;

  GA_TRY(run_launch(s));
  GA_TRY(GpuArray_read(&count, sizeof count, &s->count));
  if ((size_t)count == s->selected)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%lld elements, expected %zu",
                  (long long)count, s->selected);
}

static int measure(bench_state *s, const char *name, size_t n, double bytes) {
  bench_time ours, copy;

  GA_TRY(check(s));
  bench_pair(run_launch, s, run_copy, s, REPS, &ours, &copy);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              8.0 * (double)n / copy.median / 1e9);
  GpuLaunch_free(s->launch);
  return GA_NO_ERROR;
}

static int measure_percent(bench_state *s, size_t n, unsigned int percent) {
  char name[64];

  GA_TRY(fill_mask(s, n, percent));
  const double some = (double)s->selected, all = (double)n;
  GA_TRY(GpuArray_empty(&s->at, s->ctx, GA_LONG, 1, &s->selected, GA_C_ORDER));
  GA_TRY(
      GpuArray_empty(&s->few, s->ctx, GA_FLOAT, 1, &s->selected, GA_C_ORDER));
  GA_TRY(GpuArray_nonzero_prepare(&s->launch, &s->at, &s->count, &s->mask, -1));
  snprintf(name, sizeof name, "nonzero, %u %%", percent);
  GA_TRY(measure(s, name, n, all + 8 * some));
  GA_TRY(GpuArray_compress_prepare(&s->launch, &s->few, &s->count, &s->x,
                                   &s->mask, NULL));
  snprintf(name, sizeof name, "under a mask, %u %%", percent);
  GA_TRY(measure(s, name, n, 5 * all + 4 * some));
  GpuArray_clear(&s->at);
  GpuArray_clear(&s->few);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  static const unsigned int percents[] = {0, 1, 10, 50, 99};

  GA_TRY(make(s, n));
  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
    GA_TRY(measure_percent(s, n, percents[i]));
  return GA_NO_ERROR;
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 24);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  GpuArray_clear(&s.mask);
  GpuArray_clear(&s.x);
  GpuArray_clear(&s.y);
  GpuArray_clear(&s.count);
  gpucontext_deref(s.ctx);
  return 0;
}

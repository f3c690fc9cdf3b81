/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of the elements of a mask of n bools (first argument, 2^24 if there
 * is none) that are not 0, those of as many floats, and floats under the mask,
 * in GB/s of what must be read and written once, beside a copy of floats. Then
 * the distinct ones of n integers, in microseconds beside PyTorch's. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/select.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "launched.h"
#include "peer.h"

enum { REPS = 9, DISTINCT = 1000000 };

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

/* The mask as bools and as floats. */
static int fill_mask(bench_state *s, size_t n, unsigned int percent) {
  unsigned char *host = malloc(n + 1);
  float *floats = malloc((n + 1) * sizeof *floats);
  uint32_t seed = 3;
  int err;

  GA_CHECK(host != NULL && floats != NULL ? GA_NO_ERROR : ga__fail_nomem());
  s->selected = 0;
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (seed >> 8) % 100 < percent;
    floats[i] = host[i];
    s->selected += host[i];
  }
  GA_CHECK(GpuArray_write(&s->mask, host, n));
  GA_CHECK(GpuArray_write(&s->x, floats, n * sizeof *floats));

done:
  free(host);
  free(floats);
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
  GA_TRY(GpuArray_nonzero_prepare(&s->launch, &s->at, &s->count, &s->x, -1));
  snprintf(name, sizeof name, "nonzero of floats, %u %%", percent);
  GA_TRY(measure(s, name, n, 4 * all + 8 * some));
  GA_TRY(GpuArray_compress_prepare(&s->launch, &s->few, &s->count, &s->x,
                                   &s->mask, NULL));
  snprintf(name, sizeof name, "under a mask, %u %%", percent);
  GA_TRY(measure(s, name, n, 5 * all + 4 * some));
  GpuArray_clear(&s->at);
  GpuArray_clear(&s->few);
  return GA_NO_ERROR;
}

/* --- distinct elements --- */

typedef struct distinct {
  GpuArray x;
  char *is_there; /* DISTINCT flags */
} distinct;

static int fill_distinct(distinct *d, size_t n) {
  int32_t *host = malloc((n + 1) * sizeof *host);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (int32_t)((uint64_t)seed * DISTINCT >> 32);
    d->is_there[host[i]] = 1;
  }
  GA_CHECK(GpuArray_write(&d->x, host, n * sizeof *host));

done:
  free(host);
  return err;
}

static int run_unique(void *arg) {
  distinct *d = arg;
  GpuArray values = {0};

  GA_TRY(GpuArray_unique(&values, NULL, NULL, NULL, &d->x));
  const int err = GpuArray_sync(&values);
  GpuArray_clear(&values);
  return err;
}

static int check_unique(const distinct *d) {
  GpuArray values = {0};
  int32_t *got = malloc(DISTINCT * sizeof *got);
  size_t n = 0;
  int err;

  GA_CHECK(got != NULL ? GA_NO_ERROR : ga__fail_nomem());
  GA_CHECK(GpuArray_unique(&values, NULL, NULL, NULL, &d->x));
  GA_CHECK(GpuArray_read(got, values.dimensions[0] * sizeof *got, &values));
  for (int32_t i = 0; i < DISTINCT; i++) {
    if (!d->is_there[i])
      continue;
    if (n >= values.dimensions[0] || got[n++] != i)
      GA_CHECK(ga__fail(GA_VALUE_ERROR, "distinct element %zu", n));
  }
  if (n != values.dimensions[0])
    err = ga__fail(GA_VALUE_ERROR, "%zu distinct elements, expected %zu",
                   values.dimensions[0], n);

done:
  GpuArray_clear(&values);
  free(got);
  return err;
}

static int measure_unique(bench_state *s, size_t n) {
  distinct d = {.is_there = calloc(DISTINCT, 1)};
  const int is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  int err;

  GA_CHECK(d.is_there != NULL ? GA_NO_ERROR : ga__fail_nomem());
  GA_CHECK(GpuArray_empty(&d.x, s->ctx, GA_INT, 1, &n, GA_C_ORDER));
  GA_CHECK(fill_distinct(&d, n));
  GA_CHECK(check_unique(&d));
  bench_print("unique", 1e6 * bench_median(run_unique, &d, REPS).median, "us",
              peer_us("ops_torch.py %s unique %zu %d", is_cpu ? "cpu" : "cuda",
                      n, DISTINCT));

done:
  GpuArray_clear(&d.x);
  free(d.is_there);
  return err;
}

static int run_all(bench_state *s, size_t n) {
  static const unsigned int percents[] = {0, 1, 10, 50, 99};

  GA_TRY(make(s, n));
  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
    GA_TRY(measure_percent(s, n, percents[i]));
  return measure_unique(s, n);
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

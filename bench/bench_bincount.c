/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting n integers by bin, weighing them, histograms of n floats and
 * searching them among edges (n is the first argument, 2^22 if there is none),
 * in millions of elements a second, beside the device's copy of as many floats.
 * A second line has the same beside PyTorch; on a GPU one more has the bytes
 * that are read and written, beside the rate of the copy. */
#include "bench.h"

#include <gpuarray/bincount.h>
#include <gpuarray/device.h>
#include <gpuarray/search.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "peer.h"

enum { REPS = 9, EDGES = 101, BINS = 256, MORE = 4000, MANY = 100000 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, bins, more, many, edges, copy, counts, sums, more_sums, all,
      positions;
  GpuLaunch *launch;
  size_t n;
} bench_state;

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->x);
}

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->copy, &s->x));
  return GpuArray_sync(&s->copy);
}

static int make(GpuArray *a, bench_state *s, int dtype, size_t n,
                const void *data) {
  GA_TRY(GpuArray_empty(a, s->ctx, dtype, 1, &n, GA_C_ORDER));
  return data != NULL ? GpuArray_write(a, data, 4 * n) : GA_NO_ERROR;
}

static int make_data(bench_state *s) {
  float *x = malloc(s->n * sizeof *x), edges[EDGES];
  int32_t *bins = malloc(s->n * sizeof *bins);
  int32_t *many = malloc(s->n * sizeof *many);
  uint32_t seed = 3;
  int err;

  if (x == NULL || bins == NULL || many == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  for (size_t i = 0; i < s->n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(seed >> 8) / (1 << 24);
    bins[i] = (int32_t)(seed >> 24) % BINS;
    many[i] = (int32_t)(seed >> 8) % MANY;
  }
  for (int i = 0; i < EDGES; i++)
    edges[i] = (float)i / (EDGES - 1);
  GA_CHECK(make(&s->x, s, GA_FLOAT, s->n, x));
  GA_CHECK(make(&s->bins, s, GA_INT, s->n, bins));
  GA_CHECK(make(&s->many, s, GA_INT, s->n, many));
  GA_CHECK(make(&s->edges, s, GA_FLOAT, EDGES, edges));
  GA_CHECK(make(&s->copy, s, GA_FLOAT, s->n, NULL));
  GA_CHECK(make(&s->counts, s, GA_LONG, BINS, NULL));
  GA_CHECK(make(&s->all, s, GA_LONG, MANY, NULL));
  GA_CHECK(make(&s->sums, s, GA_FLOAT, BINS, NULL));
  GA_CHECK(make(&s->positions, s, GA_LONG, s->n, NULL));

done:
  free(x);
  free(bins);
  free(many);
  return err;
}

/* Integers below MORE, and sums for them. */
static int make_more(bench_state *s) {
  int32_t *at = malloc(s->n * sizeof *at);
  uint32_t seed = 5;
  int err;

  if (at == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < s->n; i++) {
    seed = seed * 1664525u + 1013904223u;
    at[i] = (int32_t)((seed >> 8) % MORE);
  }
  GA_CHECK(make(&s->more, s, GA_INT, s->n, at));
  GA_CHECK(make(&s->more_sums, s, GA_FLOAT, MORE, NULL));

done:
  free(at);
  return err;
}

/* Whether all elements are counted. */
static int check(bench_state *s, const GpuArray *counts) {
  int64_t *got = malloc(MANY * sizeof *got), sum = 0;
  const size_t n = counts->dimensions[0];
  int err;

  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(run_launch(s));
  GA_CHECK(GpuArray_read(got, n * sizeof *got, counts));
  for (size_t i = 0; i < n; i++)
    sum += got[i];
  if (sum != (int64_t)s->n)
    err = ga__fail(GA_VALUE_ERROR, "%lld elements are counted, expected %zu",
                   (long long)sum, s->n);

done:
  free(got);
  return err;
}

/* `bytes`: of an element. `peer` and `bins` are what PyTorch is to do. */
static void measure(bench_state *s, const char *name, double bytes,
                    const char *peer, size_t bins) {
  const double n = (double)s->n;
  bench_time ours, copy;

  bench_pair(run_launch, s, run_copy, s, REPS, &ours, &copy);
  bench_print(name, n / ours.median / 1e6, "M/s", n / copy.median / 1e6);
  if (!gpucontext_caps(s->ctx)->is_cpu)
    bench_print_sectors(name, bytes * n, ours.median,
                        8 * n / copy.median / 1e9);
  peer_print(name, n / ours.median / 1e6, "M/s", n,
             peer_us("ops_torch.py %s %s %zu %zu",
                     gpucontext_caps(s->ctx)->is_cpu ? "cpu" : "cuda", peer,
                     s->n, bins));
  GpuLaunch_free(s->launch);
}

static int run_all(bench_state *s) {
  const size_t hundred = EDGES - 1;
  GpuArray some = {0};

  GA_TRY(make_data(s));
  GA_TRY(GpuArray_bincount_prepare(&s->launch, &s->counts, &s->bins, NULL));
  GA_TRY(check(s, &s->counts));
  measure(s, "256 bins", 4, "bincount", BINS);
  GA_TRY(GpuArray_bincount_prepare(&s->launch, &s->sums, &s->bins, &s->x));
  measure(s, "256 bins, weights", 8, "weighted", BINS);
  GA_TRY(make_more(s));
  GA_TRY(GpuArray_bincount_prepare(&s->launch, &s->more_sums, &s->more, &s->x));
  measure(s, "4000 bins, weights", 8, "weighted", MORE);
  GA_TRY(GpuArray_bincount_prepare(&s->launch, &s->all, &s->many, NULL));
  GA_TRY(check(s, &s->all));
  measure(s, "100000 bins", 4, "bincount", MANY);
  GA_TRY(make(&some, s, GA_LONG, hundred, NULL));
  GA_TRY(GpuArray_histogram_prepare(&s->launch, &some, &s->x, &s->edges, NULL));
  GA_TRY(check(s, &some));
  measure(s, "100 bins by edges", 4, "histogram", hundred);
  GpuArray_clear(&some);
  GA_TRY(GpuArray_searchsorted_prepare(&s->launch, &s->positions, &s->edges,
                                       &s->x, 0));
  measure(s, "positions among 101 edges", 12, "searchsorted", EDGES);
  return GA_NO_ERROR;
}

int main(int argc, char **argv) {
  bench_state s = {.n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10)
                                 : (size_t)1 << 22};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s), "measurements");
  GpuArray *const arrays[] = {&s.x,         &s.bins,   &s.many,     &s.edges,
                              &s.copy,      &s.counts, &s.sums,     &s.all,
                              &s.positions, &s.more,   &s.more_sums};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    GpuArray_clear(arrays[i]);
  gpucontext_deref(s.ctx);
  return 0;
}

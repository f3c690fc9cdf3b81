/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing helpers shared by the benchmarks. */
#include "bench.h"

#include <gpuarray/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_REPS 1000
#define BLOCKS 5          /* of calls to each of a pair that is kept apart */
#define REST_NS 100000000 /* OpenBLAS spins for 26 ms at 2.6 GHz */

double bench_now(void) {
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_need(int err, const char *what) {
  if (err == 0)
    return;
  fprintf(stderr, "%s: %s\n", what, gpucontext_error(NULL, err));
  exit(1);
}

static double time_once(bench_fn fn, void *arg) {
  double t0 = bench_now();

  bench_need(fn(arg), "benchmark");
  return bench_now() - t0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static bench_time summary(double *t, int n) {
  bench_time r;

  qsort(t, (size_t)n, sizeof *t, by_value);
  r.min = t[0];
  r.max = t[n - 1];
  r.median = n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
  return r;
}

static int bounded(int reps) {
  if (reps < 1)
    return 1;
  return reps < MAX_REPS ? reps : MAX_REPS;
}

bench_time bench_median(bench_fn fn, void *arg, int reps) {
  double t[MAX_REPS];

  reps = bounded(reps);
  time_once(fn, arg);
  for (int i = 0; i < reps; i++)
    t[i] = time_once(fn, arg);
  return summary(t, reps);
}

void bench_pair(bench_fn fn, void *arg, bench_fn ref, void *ref_arg, int reps,
                bench_time *out, bench_time *ref_out) {
  double t[MAX_REPS], u[MAX_REPS];

  reps = bounded(reps);
  time_once(fn, arg);
  time_once(ref, ref_arg);
  for (int i = 0; i < reps; i++) {
    t[i] = time_once(fn, arg);
    u[i] = time_once(ref, ref_arg);
  }
  *out = summary(t, reps);
  *ref_out = summary(u, reps);
}

void bench_rest(void) {
  const struct timespec t = {.tv_nsec = REST_NS};

  nanosleep(&t, NULL);
}

void bench_pair_apart(bench_fn fn, void *arg, bench_fn ref, void *ref_arg,
                      int reps, bench_time *out, bench_time *ref_out) {
  double t[MAX_REPS], u[MAX_REPS];
  int from = 0;

  reps = bounded(reps);
  for (int block = 1; block <= BLOCKS; block++) {
    const int to = reps * block / BLOCKS;

    bench_rest();
    time_once(fn, arg);
    for (int i = from; i < to; i++)
      t[i] = time_once(fn, arg);
    time_once(ref, ref_arg);
    for (int i = from; i < to; i++)
      u[i] = time_once(ref, ref_arg);
    from = to;
  }
  bench_rest();
  *out = summary(t, reps);
  *ref_out = summary(u, reps);
}

void bench_print(const char *name, double value, const char *unit,
                 double reference) {
  printf("%-36s %12.4g %-8s", name, value, unit);
  if (reference > 0)
    printf(" %12.4g %8.3f\n", reference, value / reference);
  else
    printf(" %12s %8s\n", "-", "-");
  fflush(stdout);
}

void bench_print_sectors(const char *name, double moved, double seconds,
                         double copy) {
  char line[64];

  snprintf(line, sizeof line, "%s: sectors", name);
  bench_print(line, moved / seconds / 1e9, "GB/s", copy);
}

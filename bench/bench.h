/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing for benchmarks: medians of interleaved repetitions, and one line of
 * output per figure. A benchmark checks its result first, then times it beside
 * a reference in the same run, because only ratios carry over to other days
 * and machines. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>

enum { BENCH_SECTOR = 32 }; /* bytes that a GPU's memory moves at least */

/* What is timed. Does its work to the end (syncs) and returns 0, or a GA_*
 * code, which ends the benchmark. */
typedef int (*bench_fn)(void *arg);

typedef struct bench_time {
  double median, min, max; /* seconds per call */
} bench_time;

/* Seconds on a monotonic clock. */
double bench_now(void);

/* Median of `reps` (at most 1000) calls after one that is not counted. */
bench_time bench_median(bench_fn fn, void *arg, int reps);

/* The same for two functions whose calls alternate, so that a machine that
 * slows down slows both. */
void bench_pair(bench_fn fn, void *arg, bench_fn ref, void *ref_arg, int reps,
                bench_time *out, bench_time *ref_out);

/* The same for a reference whose threads go on spinning after a call, for some
 * milliseconds, and would take the cores away from `fn`: blocks of calls
 * alternate, with a rest before each of `fn`. */
void bench_pair_apart(bench_fn fn, void *arg, bench_fn ref, void *ref_arg,
                      int reps, bench_time *out, bench_time *ref_out);

/* Wait until the threads of such a reference sleep. */
void bench_rest(void);

/* Print "name value unit reference ratio", columns aligned. The ratio is
 * value / reference; a reference of 0 prints as "-". */
void bench_print(const char *name, double value, const char *unit,
                 double reference);

/* Print a second line for the same name: how near a call comes to what its
 * bytes cost a GPU. `moved` are those of all sectors (BENCH_SECTOR bytes) that
 * memory must read and write for it, `copy` is the rate of a copy in GB/s. */
void bench_print_sectors(const char *name, double moved, double seconds,
                         double copy);

/* Say why and exit with 1 unless `err` is 0. */
void bench_need(int err, const char *what);

#endif

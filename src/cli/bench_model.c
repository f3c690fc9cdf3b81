/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph bench: how long calls of a model in the ONNX format take. */
#include <errno.h>
#include <gpugraph/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "cli/call_model.h"
#include "cli/cli.h"

#define MOST_ROWS 4096 /* of the profile */

static double seconds_since(uint64_t start) {
  return (double)(ga__now_ns() - start) / 1e9;
}

/* Seconds of one call until its results are there. */
static int time_call(cli_job *j, double *seconds) {
  const uint64_t start = ga__now_ns();

  GA_TRY(cli_job_call(j));
  for (size_t i = 0; i < j->n_out; i++)
    GA_TRY(GpuArray_sync(&j->out[i]));
  *seconds = seconds_since(start);
  return GA_NO_ERROR;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The time that a share of n calls stay below, of times in order. */
static double percentile(const double *times, size_t n, double share) {
  const size_t i = (size_t)ceil(share * (double)n);

  return times[i == 0 ? 0 : i - 1];
}

static int time_calls(cli_job *j, double *times) {
  const size_t n = (size_t)j->calls;

  for (size_t i = 0; i < n / 10 + 3; i++) /* to warm up */
    GA_TRY(time_call(j, &times[0]));
  for (size_t i = 0; i < n; i++)
    GA_TRY(time_call(j, &times[i]));
  qsort(times, n, sizeof *times, compare);
  printf("%zu calls, in milliseconds: least %.3f, median %.3f, 90%% %.3f, 99%% "
         "%.3f, most %.3f\n",
         n, 1e3 * times[0], 1e3 * percentile(times, n, 0.5),
         1e3 * percentile(times, n, 0.9), 1e3 * percentile(times, n, 0.99),
         1e3 * times[n - 1]);
  return GA_NO_ERROR;
}

/* Call once more, with every kernel measured, and print arithmetic per call and
 * the profile by op. */
static int profile(cli_job *j, double median) {
  gg_profile_row *rows = ga__calloc(MOST_ROWS, sizeof *rows);
  double flops = 0, bytes = 0, seconds;
  gg_func_stats s;
  size_t n;

  if (rows == NULL)
    return ga__fail_nomem();
  int err = gg_func_profile(j->f, 1);
  if (err == GA_NO_ERROR)
    err = time_call(j, &seconds);
  n = err == GA_NO_ERROR ? gg_func_profile_rows(j->f, rows, MOST_ROWS) : 0;
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    flops += rows[i].flops;
    bytes += rows[i].bytes;
  }
  ga__free(rows);
  if (err == GA_NO_ERROR)
    err = gg_func_stat(j->f, &s);
  if (err != GA_NO_ERROR)
    return err;
  printf("%zu kernels a call, %zu of them on the host; %.3g GFLOP, %.3g GB "
         "moved: %.3g GFLOP/s\n\n",
         s.steps, s.host_steps, flops / 1e9, bytes / 1e9, flops / median / 1e9);
  return gg_func_profile_print(j->f, stdout);
}

static int write_page(cli_job *j) {
  if (j->html == NULL)
    return GA_NO_ERROR;
  FILE *f = fopen(j->html, "w");
  if (f == NULL)
    return ga__fail(GA_SYS_ERROR, "cannot write %s: %s", j->html,
                    strerror(errno));
  int err = gg_func_html(j->f, f);
  if (fclose(f) != 0 && err == GA_NO_ERROR)
    err =
        ga__fail(GA_SYS_ERROR, "cannot write %s: %s", j->html, strerror(errno));
  return err;
}

static int measure(cli_job *j, double *times) {
  double first;

  GA_TRY(time_call(j, &first));
  printf("first call: %.1f ms\n", 1e3 * first);
  GA_TRY(time_calls(j, times));
  GA_TRY(profile(j, percentile(times, (size_t)j->calls, 0.5)));
  return write_page(j);
}

static int bench(cli_job *j, int argc, char **argv) {
  const uint64_t start = ga__now_ns();

  GA_TRY(cli_job_read(j, argc, argv));
  GA_TRY(cli_job_load(j, 0));
  GA_TRY(cli_job_inputs(j));
  printf("loaded in %.1f ms\n", 1e3 * (seconds_since(start)));
  double *times = ga__calloc((size_t)j->calls + 1, sizeof *times);
  if (times == NULL)
    return ga__fail_nomem();
  int err = measure(j, times);
  ga__free(times);
  return err;
}

int cli_bench(int argc, char **argv) {
  static const char *const options[] = {"--input", "--fix",  "--size", "--seed",
                                        "--calls", "--html", NULL};
  cli_job j = {.command = "bench", .options = options, .calls = 100};
  const int err = bench(&j, argc, argv);
  const int status = cli_job_status(&j, err);

  cli_job_clear(&j);
  return status;
}

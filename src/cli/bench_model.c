/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph bench: how long calls of a model take. */
#include <gpugraph/report.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/call_model.h"
#include "cli/cli.h"
#include "cli/cli_json.h"
#include "cli/device_rates.h"
#include "cli/status_line.h"

#define MOST_ROWS 4096 /* of the profile */
/* Calls to warm up: a tenth of those measured, at least LEAST_CALLS, and more
 * while they took less than WARM_S in all. */
enum { LEAST_CALLS = 3, MOST_WARM = 1000 };
#define WARM_S 0.1

typedef struct figures {
  double load, first, *times; /* seconds; times in order */
  double flops, bytes;        /* of one call */
  cli_rates rates;            /* of the device */
  gg_func_stats stats;
} figures;

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

/* Wait until the library has saved the kernels that the first call compiled.
 * PoCL compiles each once more for that (docs/devices.md), so a wait for the
 * device saves only some, at least one. */
static int settle(cli_job *j) {
  gg_func_stats s;

  GA_TRY(gg_func_stat(j->f, &s));
  for (size_t i = 0; j->n_out > 0 && i < s.kernels_made + s.steps + 2; i++)
    GA_TRY(GpuArray_sync(&j->out[0]));
  return GA_NO_ERROR;
}

static int warm_up(cli_job *j) {
  const size_t least = (size_t)j->calls / 10 + LEAST_CALLS;
  double seconds, sum = 0;

  GA_TRY(settle(j));
  for (size_t i = 0; i < least || (i < MOST_WARM && sum < WARM_S); i++) {
    GA_TRY(time_call(j, &seconds));
    sum += seconds;
  }
  return GA_NO_ERROR;
}

static int time_calls(cli_job *j, figures *f) {
  const size_t n = (size_t)j->calls;

  cli_progress("warming up");
  GA_TRY(warm_up(j));
  cli_progress("measuring calls");
  for (size_t i = 0; i < n; i++)
    GA_TRY(time_call(j, &f->times[i]));
  qsort(f->times, n, sizeof *f->times, compare);
  return GA_NO_ERROR;
}

/* Call once more, with every kernel measured. */
static int profile(cli_job *j, figures *f) {
  gg_profile_row *rows = ga__calloc(MOST_ROWS, sizeof *rows);
  double seconds;
  size_t n;

  if (rows == NULL)
    return ga__fail_nomem();
  int err = gg_func_profile(j->f, 1);
  if (err == GA_NO_ERROR)
    err = time_call(j, &seconds);
  n = err == GA_NO_ERROR ? gg_func_profile_rows(j->f, rows, MOST_ROWS) : 0;
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    f->flops += rows[i].flops;
    f->bytes += rows[i].bytes;
  }
  ga__free(rows);
  return err == GA_NO_ERROR ? gg_func_stat(j->f, &f->stats) : err;
}

/* --- what the device allows --- */

/* Seconds that the work of a call takes at the rates of the device. */
static double limit_of(const figures *f) {
  return cli_rates_limit(&f->rates, f->bytes, f->flops);
}

static const char *decider_of(const figures *f) {
  return cli_rates_decider(&f->rates, f->bytes, f->flops);
}

/* The share of the limit that a median call reaches. */
static double share_of(const cli_job *j, const figures *f) {
  const double median = percentile(f->times, (size_t)j->calls, 0.5);

  return median > 0 ? limit_of(f) / median : 0;
}

static void print_limit(const cli_job *j, const figures *f, FILE *out) {
  fprintf(out,
          "the device copies %.3g GB/s and computes %.3g GFLOP/s in products "
          "of float32:\nat these rates a call takes %.3g ms, by its %s, which "
          "is %.3g %% of the median\n",
          f->rates.bytes / 1e9, f->rates.flops / 1e9, 1e3 * limit_of(f),
          decider_of(f), 100 * share_of(j, f));
}

static void write_limit(cli_json *o, const cli_job *j, const figures *f) {
  cli_json_open(o, "device", '{');
  cli_json_real(o, "bytes_per_second", f->rates.bytes);
  cli_json_real(o, "flop_per_second", f->rates.flops);
  cli_json_close(o, '}');
  cli_json_open(o, "limit", '{');
  cli_json_real(o, "milliseconds", 1e3 * limit_of(f));
  cli_json_text(o, "decided_by", decider_of(f));
  cli_json_real(o, "share", share_of(j, f));
  cli_json_close(o, '}');
}

/* --- what is printed --- */

static int print_figures(const cli_job *j, const figures *f) {
  const size_t n = (size_t)j->calls;
  const double median = percentile(f->times, n, 0.5);

  printf("loaded in %.1f ms\nfirst call: %.1f ms\n", 1e3 * f->load,
         1e3 * f->first);
  printf("%zu calls, in milliseconds: least %.3f, median %.3f, 90%% %.3f, 99%% "
         "%.3f, most %.3f\n",
         n, 1e3 * f->times[0], 1e3 * median, 1e3 * percentile(f->times, n, 0.9),
         1e3 * percentile(f->times, n, 0.99), 1e3 * f->times[n - 1]);
  printf("%zu kernels a call, %zu of them on the host; %.3g GFLOP, %.3g GB "
         "moved: %.3g GFLOP/s\n",
         f->stats.steps, f->stats.host_steps, f->flops / 1e9, f->bytes / 1e9,
         f->flops / median / 1e9);
  print_limit(j, f, stdout);
  printf("\n");
  return gg_func_profile_print(j->f, stdout);
}

static void write_times(cli_json *o, const cli_job *j, const figures *f) {
  const size_t n = (size_t)j->calls;

  cli_json_open(o, "milliseconds", '{');
  cli_json_real(o, "load", 1e3 * f->load);
  cli_json_real(o, "first", 1e3 * f->first);
  cli_json_real(o, "least", 1e3 * f->times[0]);
  cli_json_real(o, "median", 1e3 * percentile(f->times, n, 0.5));
  cli_json_real(o, "p90", 1e3 * percentile(f->times, n, 0.9));
  cli_json_real(o, "p99", 1e3 * percentile(f->times, n, 0.99));
  cli_json_real(o, "most", 1e3 * f->times[n - 1]);
  cli_json_close(o, '}');
}

static int write_figures(const cli_job *j, const figures *f) {
  cli_json o = {stdout, 0, 0};

  cli_json_open(&o, NULL, '{');
  cli_json_text(&o, "model", j->model);
  cli_json_count(&o, "drawn_inputs", (uint64_t)j->n_drawn);
  cli_json_count(&o, "seed", j->seed);
  cli_json_count(&o, "calls", j->calls);
  write_times(&o, j, f);
  cli_json_count(&o, "kernels", f->stats.steps);
  cli_json_count(&o, "host_steps", f->stats.host_steps);
  cli_json_real(&o, "flop", f->flops);
  cli_json_real(&o, "bytes_moved", f->bytes);
  write_limit(&o, j, f);
  cli_json_name(&o, "profile");
  const int err = gg_func_profile_json(j->f, stdout);
  cli_json_close(&o, '}');
  return err;
}

/* Write the page of the function, with the limit below its title. */
static void put_page(const cli_job *j, const figures *f, const char *page,
                     FILE *out) {
  static const char title_end[] = "</h1>\n";
  const char *at = strstr(page, title_end);

  if (at == NULL) {
    fputs(page, out);
    return;
  }
  at += sizeof title_end - 1;
  fprintf(out, "%.*s<p>Of %" PRIu64 " calls the median took %.3f ms; ",
          (int)(at - page), page, j->calls,
          1e3 * percentile(f->times, (size_t)j->calls, 0.5));
  print_limit(j, f, out);
  fprintf(out, "</p>\n%s", at);
}

/* Write the function's page to memory, or with `page` that one and the limit.
 * The caller frees the text by free(). */
static int make_page(cli_job *j, const figures *f, const char *page,
                     char **text, size_t *n) {
  FILE *out = open_memstream(text, n);
  int err = GA_NO_ERROR;

  if (out == NULL)
    return ga__fail_nomem();
  if (page != NULL)
    put_page(j, f, page, out);
  else
    err = gg_func_html(j->f, out);
  if (fclose(out) != 0 && err == GA_NO_ERROR)
    err = ga__fail_nomem();
  return err;
}

static int write_page(cli_job *j, const figures *f) {
  char *page = NULL, *text = NULL;
  size_t n = 0;
  int err;

  if (j->html == NULL)
    return GA_NO_ERROR;
  GA_CHECK(make_page(j, f, NULL, &page, &n));
  GA_CHECK(make_page(j, f, page, &text, &n));
  GA_CHECK(ga__file_write(j->html, text, n, 0));
done:
  free(page); /* both are of the C library */
  free(text);
  return err;
}

static int measure(cli_job *j, figures *f) {
  cli_progress("calling the model for the first time");
  GA_TRY(time_call(j, &f->first));
  GA_TRY(time_calls(j, f));
  cli_progress("measuring kernels");
  GA_TRY(profile(j, f));
  cli_progress("measuring the device");
  GA_TRY(cli_rates_measure(&f->rates, j->ctx));
  cli_progress(NULL);
  GA_TRY((j->json ? write_figures : print_figures)(j, f));
  return write_page(j, f);
}

static int bench(cli_job *j, int argc, char **argv) {
  const uint64_t start = ga__now_ns();
  figures f = {0};

  GA_TRY(cli_job_read(j, argc, argv));
  GA_TRY(cli_job_load(j, 0));
  GA_TRY(cli_job_inputs(j));
  f.load = seconds_since(start);
  f.times = ga__calloc((size_t)j->calls + 1, sizeof *f.times);
  if (f.times == NULL)
    return ga__fail_nomem();
  const int err = measure(j, &f);
  ga__free(f.times);
  return err;
}

int cli_bench(const cli_command *c, int argc, char **argv) {
  cli_job j = {.command = c, .calls = 100};
  const int err = bench(&j, argc, argv);
  const int status = cli_job_status(&j, err);

  cli_job_clear(&j);
  return status;
}

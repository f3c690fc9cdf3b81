/* SPDX-License-Identifier: BSD-2-Clause */
/* exp() of 230,400 floats (docs/examples/check.c): gg_func_call beside a raw
 * loop that enqueues a hand-written kernel; and the host's work in one call. */
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "raw_check.h"

enum { N = 10 * 30 * 768, CALLS = 1000, REPS = 9 };

typedef struct subject {
  gg_func *f;
  GpuArray r;
  GpuLaunch *launch; /* the same kernel without the graph around it */
  raw_check *raw;
} subject;

static int run_graph(void *arg) {
  subject *s = arg;
  for (int i = 0; i < CALLS; i++) {
    int err = gg_func_call(s->f, NULL, (GpuArray *[]){&s->r});
    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&s->r);
}

static int run_raw(void *arg) {
  return raw_check_run(((subject *)arg)->raw, CALLS);
}

/* Host time of one enqueue: short bursts, not waiting for the device. */
static int burst_graph(void *arg) {
  subject *s = arg;
  int err = GA_NO_ERROR;
  for (int i = 0; i < 8 && err == GA_NO_ERROR; i++)
    err = gg_func_call(s->f, NULL, (GpuArray *[]){&s->r});
  return err;
}

static int burst_launch(void *arg) {
  subject *s = arg;
  int err = GA_NO_ERROR;
  for (int i = 0; i < 8 && err == GA_NO_ERROR; i++)
    err = GpuLaunch_run(s->launch);
  return err;
}

static double host_time(subject *s, bench_fn fn) {
  double times[101];
  for (int i = 0; i < 101; i++) {
    double t0 = bench_now();
    bench_need(fn(s), "burst");
    times[i] = (bench_now() - t0) / 8;
    bench_need(GpuArray_sync(&s->r), "sync");
    for (int j = i; j > 0 && times[j - 1] > times[j]; j--) {
      double t = times[j];
      times[j] = times[j - 1];
      times[j - 1] = t;
    }
  }
  return times[50];
}

/* The kernel that the function runs, prepared by hand on its buffers. */
static int prepare_launch(subject *s, gpucontext *ctx, GpuArray *x) {
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                             {"y", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge =
      GpuElemwise_new(ctx, NULL, "y = exp(x)", 2, args, 1, GE_VECTOR);
  void *arrays[2] = {x, &s->r};
  if (ge == NULL)
    return GA_MISC_ERROR;
  int err = GpuElemwise_prepare(&s->launch, ge, arrays, 0);
  GpuElemwise_free(ge);
  return err;
}

int main(void) {
  size_t n = N;
  float *host = malloc(n * sizeof *host), *theirs = malloc(n * sizeof *host);
  gpucontext *ctx = NULL;
  subject s = {0};
  double worst = 0;
  bench_need(host == NULL || theirs == NULL, "memory");
  for (size_t i = 0; i < n; i++)
    host[i] = (float)i / (float)n;

  bench_need(gpucontext_open(&ctx, NULL), "open a device");
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_shared_host(g, "x", GA_FLOAT, 1, &n, host);
  GpuArray copy = {0};
  bench_need(
      gg_func_new(&s.f, g, &(gg_func_spec){.outputs = GG_VARS(gg_exp(x))}),
      gg_graph_error(g));
  bench_need(gg_shared_get(x, &copy), "x");
  s.raw = raw_check_new(n, host);
  bench_need(s.raw == NULL, "hand-written program");

  bench_need(run_graph(&s), "graph");
  bench_need(run_raw(&s), "hand-written program");
  bench_need(prepare_launch(&s, ctx, &copy), "launch");
  bench_need(GpuArray_read(host, n * sizeof *host, &s.r), "read");
  bench_need(raw_check_result(s.raw, theirs), "read");
  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs((double)host[i] - exp((double)i / (double)n)));
  bench_need(!(worst < 1e-6), "wrong result");

  bench_time ours, raw;
  bench_pair(run_graph, &s, run_raw, &s, REPS, &ours, &raw);
  bench_print("exp of 230,400 floats, per call", 1e6 * ours.median / CALLS,
              "us", 1e6 * raw.median / CALLS);
  double call = host_time(&s, burst_graph);
  double enqueue = host_time(&s, burst_launch);
  bench_print("host time of a call, beside its launch", 1e6 * call, "us",
              1e6 * enqueue);

  GpuLaunch_free(s.launch);
  GpuArray_clear(&s.r);
  GpuArray_clear(&copy);
  raw_check_free(s.raw);
  gg_func_free(s.f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  free(host);
  free(theirs);
  return 0;
}

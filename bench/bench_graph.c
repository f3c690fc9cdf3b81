/* SPDX-License-Identifier: BSD-2-Clause */
/* What the graph layer costs on the host: a call beyond its launches. What
 * compiling costs is shown by bench_compile. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/launch.h>
#include <gpugraph/gpugraph.h>

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 200, REPS = 51, N_ARRAYS = 4 };

typedef struct bench_state {
  gpucontext *ctx;
  gg_func *f;
  GpuArray in[2][N_ARRAYS], out[N_ARRAYS];
  GpuLaunch *launch;
  int alternate; /* call with other arrays each time */
} bench_state;

static int need_func(gg_func **f, gg_graph *g, const gg_func_spec *spec) {
  int err = gg_func_new(f, g, spec);

  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s\n", gg_graph_error(g));
  bench_need(err, "gg_func_new");
  return err;
}

/* --- calls --- */

static int call(void *arg) {
  bench_state *s = arg;
  GpuArray *in[2][N_ARRAYS], *out[N_ARRAYS];
  int err = GA_NO_ERROR;

  for (int i = 0; i < N_ARRAYS; i++) {
    in[0][i] = &s->in[0][i];
    in[1][i] = &s->in[1][i];
    out[i] = &s->out[i];
  }
  for (int i = 0; i < CALLS && err == GA_NO_ERROR; i++)
    err = gg_func_call(s->f, in[s->alternate ? i % 2 : 0], out);
  return err == GA_NO_ERROR ? GpuArray_sync(&s->out[0]) : err;
}

static int launch(void *arg) {
  bench_state *s = arg;
  int err = GA_NO_ERROR;

  for (int i = 0; i < CALLS && err == GA_NO_ERROR; i++)
    err = GpuLaunch_run(s->launch);
  return err == GA_NO_ERROR ? GpuArray_sync(&s->out[0]) : err;
}

static void make_arrays(bench_state *s, size_t n) {
  for (int i = 0; i < N_ARRAYS; i++)
    for (int k = 0; k < 2; k++)
      bench_need(
          GpuArray_zeros(&s->in[k][i], s->ctx, GA_FLOAT, 1, &n, GA_C_ORDER),
          "input");
}

static void clear_arrays(bench_state *s) {
  for (int i = 0; i < N_ARRAYS; i++) {
    GpuArray_clear(&s->in[0][i]);
    GpuArray_clear(&s->in[1][i]);
    GpuArray_clear(&s->out[i]);
  }
}

/* Four inputs, four outputs, a shared variable that is updated: of no elements,
 * so that nothing is enqueued. */
static void bench_bare(bench_state *s) {
  gg_graph *g = gg_graph_new(s->ctx);
  gg_var *x[N_ARRAYS + 1] = {NULL}, *y[N_ARRAYS + 1] = {NULL};
  size_t none = 0;
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &none, "");

  for (int i = 0; i < N_ARRAYS; i++) {
    x[i] = gg_input(g, "x", GA_FLOAT, 1);
    y[i] = gg_exp(gg_add(x[i], w));
  }
  need_func(&s->f, g,
            &(gg_func_spec){.inputs = x,
                            .outputs = y,
                            .updates = GG_UPDATES({w, gg_mul(w, x[0])})});
  make_arrays(s, 0);
  bench_need(call(s), "call");
  double t = bench_median(call, s, REPS).median / CALLS;
  bench_print("call that enqueues nothing", 1e9 * t, "ns", 0);
  s->alternate = 1;
  t = bench_median(call, s, REPS).median / CALLS;
  bench_print("the same, other inputs each time", 1e9 * t, "ns", 0);
  s->alternate = 0;
  gg_func_free(s->f);
  gg_graph_free(g);
  clear_arrays(s);
}

/* One small kernel by a function, beside the same launch prepared by hand. */
static void bench_kernel(bench_state *s) {
  gpuelemwise_arg args[2] = {{"i", GA_FLOAT, GE_READ},
                             {"o", GA_FLOAT, GE_WRITE}};
  gg_graph *g = gg_graph_new(s->ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  void *arrays[2] = {&s->in[0][0], &s->out[0]};
  bench_time t, ref;
  GpuElemwise *ge;

  need_func(
      &s->f, g,
      &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_exp(x))});
  make_arrays(s, 256);
  bench_need(call(s), "call");
  ge = GpuElemwise_new(s->ctx, NULL, "o = exp(i);", 2, args, 1, GE_VECTOR);
  bench_need(ge != NULL ? GA_NO_ERROR : GA_IMPL_ERROR, "GpuElemwise_new");
  bench_need(GpuElemwise_prepare(&s->launch, ge, arrays, 0), "prepare");
  bench_pair(call, s, launch, s, REPS, &t, &ref);
  bench_print("one kernel, as a call", 1e6 * t.median / CALLS, "us",
              1e6 * ref.median / CALLS);
  GpuLaunch_free(s->launch);
  GpuElemwise_free(ge);
  gg_func_free(s->f);
  gg_graph_free(g);
  clear_arrays(s);
}

int main(void) {
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "no device");
  bench_bare(&s);
  bench_kernel(&s);
  gpucontext_deref(s.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A recurrent net, h[t] = tanh(x[t] u + h[t - 1] w), of 100 steps, 256 units
 * and a batch of 64: forward, and with its gradient, beside PyTorch's loop of
 * the same cell. What the library adds to the launches of a step; memory and
 * time to compile by the number of steps. */
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "peer.h"

enum { STEPS = 100, BATCH = 64, UNITS = 256, REPS = 9, TINY_STEPS = 2000 };

typedef struct subject {
  gg_func *f;
  GpuArray out[3];
  unsigned int n_out;
  GpuLaunch *launch; /* what one tiny step is */
} subject;

static float noise(unsigned int *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

static gg_var *values(gg_graph *g, const char *name, unsigned int nd,
                      const size_t *dims, float scale) {
  unsigned int seed = (unsigned int)name[0];
  size_t n = 1;
  float *v;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  v = malloc(n * sizeof *v);
  bench_need(v == NULL, "memory");
  for (size_t i = 0; i < n; i++)
    v[i] = scale * noise(&seed);
  gg_var *x = gg_shared_host(g, name, GA_FLOAT, nd, dims, v);
  free(v);
  return x;
}

typedef struct net {
  gg_var *x, *u, *w, *h0, *all, *last;
} net;

static net build(gg_graph *g) {
  net n;
  gg_scan *s = gg_scan_open(g);

  n.x = values(g, "x", 3, (size_t[]){STEPS, BATCH, UNITS}, 1);
  n.u = values(g, "u", 2, (size_t[]){UNITS, UNITS}, 0.05f);
  n.w = values(g, "w", 2, (size_t[]){UNITS, UNITS}, 0.05f);
  n.h0 = values(g, "h", 2, (size_t[]){BATCH, UNITS}, 1);
  gg_var *x = gg_scan_sequence(s, n.x, 0);
  gg_var *h = gg_scan_state(s, n.h0);
  gg_scan_next(s, h, gg_tanh(gg_add(gg_dot(x, n.u), gg_dot(h, n.w))));
  gg_scan_close(s);
  n.all = gg_scan_all(s, h);
  n.last = gg_scan_last(s, h);
  gg_scan_free(s);
  return n;
}

static void compile_without(subject *s, gg_graph *g, gg_var *const *outputs,
                            const char *const *exclude) {
  memset(s, 0, sizeof *s);
  bench_need(
      gg_func_new(&s->f, g,
                  &(gg_func_spec){.outputs = outputs, .exclude = exclude}),
      gg_graph_error(g));
  while (outputs[s->n_out] != NULL)
    s->n_out++;
}

static void compile(subject *s, gg_graph *g, gg_var *const *outputs) {
  compile_without(s, g, outputs, NULL);
}

static void subject_clear(subject *s) {
  gg_func_free(s->f);
  GpuLaunch_free(s->launch);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&s->out[i]);
}

static int run(void *arg) {
  subject *s = arg;
  int err = gg_func_call(s->f, NULL,
                         (GpuArray *[]){&s->out[0], &s->out[1], &s->out[2]});

  return err != GA_NO_ERROR ? err : GpuArray_sync(&s->out[0]);
}

/* --- the result --- */

static void read_shared(const gg_var *v, float **to, size_t n) {
  *to = malloc(n * sizeof **to);
  bench_need(*to == NULL, "memory");
  bench_need(gg_shared_read(v, *to, n * sizeof **to), "read");
}

/* The last state of the first row of the batch, by plain C. */
static void check(const net *n, subject *s) {
  float *x, *u, *w, *h0, *got, h[UNITS], next[UNITS];
  double worst = 0;

  read_shared(n->x, &x, (size_t)STEPS * BATCH * UNITS);
  read_shared(n->u, &u, UNITS * UNITS);
  read_shared(n->w, &w, UNITS * UNITS);
  read_shared(n->h0, &h0, BATCH * UNITS);
  memcpy(h, h0, sizeof h);
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < UNITS; i++) {
      double sum = 0;
      for (int k = 0; k < UNITS; k++)
        sum += (double)x[(size_t)t * BATCH * UNITS + (size_t)k] *
                   u[k * UNITS + i] +
               (double)h[k] * w[k * UNITS + i];
      next[i] = (float)tanh(sum);
    }
    memcpy(h, next, sizeof h);
  }
  bench_need(run(s), gg_func_error(s->f));
  got = malloc(BATCH * UNITS * sizeof *got);
  bench_need(got == NULL, "memory");
  bench_need(GpuArray_read(got, BATCH * UNITS * sizeof *got, &s->out[0]),
             "read");
  for (int i = 0; i < UNITS; i++)
    worst = fmax(worst, fabs((double)got[i] - (double)h[i]));
  bench_need(!(worst < 1e-4), "the result is wrong");
  free(x);
  free(u);
  free(w);
  free(h0);
  free(got);
}

/* --- beside PyTorch --- */

/* Microseconds a step. */
static double torch_step(const char *device, const char *what) {
  return peer_us("scan_torch.py %s %s", device, what);
}

/* All x[t] u at once, beside one in each step. */
static void bench_push_out(gg_graph *g, const net *n, gg_var *const *d) {
  static const char *const names[2] = {"forward, beside x u in each step",
                                       "with gradient, likewise"};
  gg_var *const *outputs[2] = {GG_VARS(n->last), GG_VARS(n->last, d[0], d[1])};
  subject with, without;
  bench_time t, u;

  for (int i = 0; i < 2; i++) {
    compile(&with, g, outputs[i]);
    compile_without(&without, g, outputs[i], GG_NAMES("scan push out"));
    check(n, &with);
    check(n, &without);
    bench_pair(run, &with, run, &without, REPS, &t, &u);
    bench_print(names[i], t.median / STEPS * 1e6, "us", u.median / STEPS * 1e6);
    subject_clear(&with);
    subject_clear(&without);
  }
}

static void bench_net(gpucontext *ctx) {
  const char *device = gpucontext_caps(ctx)->is_cpu ? "cpu" : "cuda";
  gg_graph *g = gg_graph_new(ctx);
  net n = build(g);
  gg_var *d[2];
  subject forward, both;
  bench_time t, u;

  gg_grad(d, gg_sum(gg_sqr(n.last)), 2, (gg_var *[]){n.u, n.w});
  compile(&forward, g, GG_VARS(n.last));
  compile(&both, g, GG_VARS(n.last, d[0], d[1]));
  check(&n, &forward);
  bench_pair(run, &forward, run, &both, REPS, &t, &u);
  bench_print("forward, a step, beside PyTorch", t.median / STEPS * 1e6, "us",
              torch_step(device, "forward"));
  bench_print("with gradient, a step, beside PyTorch", u.median / STEPS * 1e6,
              "us", torch_step(device, "gradient"));
  bench_push_out(g, &n, d);
  if (getenv("BENCH_PROFILE") != NULL) {
    gg_func_profile(both.f, 1);
    run(&both);
    gg_func_profile_print(both.f, stdout);
    gg_func_print(both.f, stdout);
  }
  subject_clear(&forward);
  subject_clear(&both);
  gg_graph_free(g);
}

/* --- beside the launches alone --- */

static int run_launches(void *arg) {
  subject *s = arg;

  for (int i = 0; i < TINY_STEPS; i++) {
    int err = GpuLaunch_run(s->launch);
    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&s->out[0]);
}

static void prepare_launch(subject *s, gpucontext *ctx) {
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                             {"y", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "y = x * (w_float)(0.5f);", 2,
                                    args, 1, GE_VECTOR);
  GpuArray x = {0};
  const size_t n = 16;

  bench_need(ge == NULL, "kernel");
  bench_need(GpuArray_zeros(&x, ctx, GA_FLOAT, 1, &n, GA_C_ORDER), "x");
  bench_need(GpuElemwise_prepare(&s->launch, ge, (void *[]){&x, &s->out[0]}, 0),
             "launch");
  GpuArray_clear(&x);
  GpuElemwise_free(ge);
}

/* h[t] = h[t - 1] / 2, 16 numbers, `steps` times */
static gg_var *halve(gg_graph *g, int64_t steps) {
  gg_var *x = values(g, "x", 1, (size_t[]){16}, 1), *h, *v;
  gg_scan *s = gg_scan_open(g);

  h = gg_scan_state(s, x);
  gg_scan_next(s, h, gg_mul(h, gg_f32(g, 0.5f)));
  gg_scan_steps(s, gg_i64(g, steps));
  gg_scan_close(s);
  v = gg_scan_last(s, h);
  gg_scan_free(s);
  return v;
}

/* Processor time of this thread alone, in seconds: that of the device, which
 * may be the same processor, and of other programs does not count. */
static double thread_seconds(void) {
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least of several runs, per step. */
static double host_time(bench_fn fn, subject *s) {
  double best = 1;

  for (int i = 0; i < REPS; i++) {
    double start = thread_seconds();
    bench_need(fn(s), "run");
    best = fmin(best, thread_seconds() - start);
  }
  return best / TINY_STEPS;
}

static void bench_overhead(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  bench_time t, u;
  subject s;

  compile(&s, g, GG_VARS(halve(g, TINY_STEPS)));
  bench_need(run(&s), gg_func_error(s.f));
  prepare_launch(&s, ctx);
  bench_pair(run, &s, run_launches, &s, REPS, &t, &u);
  bench_print("a step of nothing much, beside its launch",
              t.median / TINY_STEPS * 1e6, "us", u.median / TINY_STEPS * 1e6);
  double loop = host_time(run, &s);
  double launches = host_time(run_launches, &s);
  bench_print("  the host's time for it, beside the launch's", loop * 1e6, "us",
              launches * 1e6);
  bench_print("  what the loop adds", (loop - launches) * 1e6, "us", 0);
  subject_clear(&s);
  gg_graph_free(g);
}

/* --- by the number of steps --- */

static void bench_steps(gpucontext *ctx) {
  static const int64_t steps[2] = {100, 10000};
  double compiled[2];
  size_t bytes[2];

  for (int i = 0; i < 2; i++) {
    gg_graph *g = gg_graph_new(ctx);
    gg_var *v = halve(g, steps[i]);
    gg_func_stats stats;
    double start = bench_now();
    subject s;

    compile(&s, g, GG_VARS(v));
    compiled[i] = bench_now() - start;
    bench_need(run(&s), gg_func_error(s.f));
    bench_need(gg_func_stat(s.f, &stats), "figures");
    bytes[i] = stats.temp_bytes;
    subject_clear(&s);
    gg_graph_free(g);
  }
  bench_print("memory for 10,000 steps, beside 100", (double)bytes[1], "B",
              (double)bytes[0]);
  bench_print("compiling 10,000 steps, beside 100", compiled[1] * 1e3, "ms",
              compiled[0] * 1e3);
}

int main(void) {
  gpucontext *ctx = NULL;

  bench_need(gpucontext_open(&ctx, NULL), "open a device");
  bench_steps(ctx);
  bench_overhead(ctx);
  bench_net(ctx);
  gpucontext_deref(ctx);
  return 0;
}

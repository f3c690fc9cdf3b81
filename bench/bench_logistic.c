/* SPDX-License-Identifier: BSD-2-Clause */
/* The training step of docs/examples/logistic.c beside a hand-written OpenCL
 * program and NumPy: microseconds a step, interleaved. */
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "peer.h"
#include "raw_logistic.h"

enum { N = 400, FEATS = 784, STEPS = 500, REPS = 9 };

typedef struct subject {
  gg_func *train;
  GpuArray x, y, prediction, xent;
  raw_logistic *raw;
} subject;

static int run_graph(void *arg) {
  subject *s = arg;
  for (int i = 0; i < STEPS; i++) {
    int err = gg_func_call(s->train, (GpuArray *[]){&s->x, &s->y},
                           (GpuArray *[]){&s->prediction, &s->xent});
    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&s->xent);
}

static int run_raw(void *arg) {
  return raw_logistic_run(((subject *)arg)->raw, STEPS);
}

static int build(subject *s, gg_graph *g, gg_var *w, gg_var *b) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *one = gg_f32(g, 1), *rate = gg_f32(g, 0.01f);
  gg_var *p = gg_div(one, gg_add(one, gg_exp(gg_sub(gg_neg(gg_dot(x, w)), b))));
  gg_var *xent = gg_sub(gg_mul(gg_neg(y), gg_log(p)),
                        gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p))));
  gg_var *cost =
      gg_add(gg_mean(xent), gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(w))));
  gg_var *grad[2];
  gg_grad(grad, cost, 2, (gg_var *[]){w, b});
  return gg_func_new(
      &s->train, g,
      &(gg_func_spec){
          .name = "train",
          .inputs = GG_VARS(x, y),
          .outputs = GG_VARS(gg_gt(p, gg_f32(g, 0.5f)), xent),
          .updates = GG_UPDATES({w, gg_sub(w, gg_mul(rate, grad[0]))},
                                {b, gg_sub(b, gg_mul(rate, grad[1]))}),
      });
}

static float noise(unsigned int *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

/* Both sides start from the same numbers and must end at the same weights. */
static void check(subject *s, gg_var *w) {
  static float ours[FEATS], theirs[FEATS];
  double worst = 0;
  bench_need(run_graph(s), "train");
  bench_need(run_raw(s), "hand-written program");
  bench_need(gg_shared_read(w, ours, sizeof ours), "read");
  bench_need(raw_logistic_weights(s->raw, theirs), "read");
  for (int j = 0; j < FEATS; j++)
    worst = fmax(worst, fabs((double)ours[j] - (double)theirs[j]));
  printf("largest difference of the weights after %d steps: %.2g\n", STEPS,
         worst);
  bench_need(!(worst < 1e-4), "the two sides disagree");
}

/* Print `us` a step beside what others take for it. */
static void beside_others(double us, const char *device) {
  static const char *const ways[3] = {"hand", "autograd", "compiled"};
  char name[64];

  bench_print("step, beside NumPy", us, "us",
              peer_us("logistic_numpy.py 4000"));
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "step, beside PyTorch, %s", ways[i]);
    bench_print(name, us, "us",
                peer_us("logistic_torch.py %s %s", device, ways[i]));
  }
}

int main(void) {
  static float x[N * FEATS], y[N], w0[FEATS];
  size_t feats = FEATS;
  float zero = 0;
  unsigned int seed = 1;
  gpucontext *ctx = NULL;
  subject s = {0};
  for (int i = 0; i < N * FEATS; i++)
    x[i] = noise(&seed);
  for (int i = 0; i < N; i++)
    y[i] = noise(&seed) > 0;
  for (int j = 0; j < FEATS; j++)
    w0[j] = 0.1f * noise(&seed);

  bench_need(gpucontext_open(&ctx, NULL), "open a device");
  gg_graph *g = gg_graph_new(ctx);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &feats, w0);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, &zero);
  bench_need(build(&s, g, w, b), gg_graph_error(g));
  bench_need(
      GpuArray_empty(&s.x, ctx, GA_FLOAT, 2, (size_t[]){N, FEATS}, GA_C_ORDER),
      "x");
  bench_need(GpuArray_write(&s.x, x, sizeof x), "x");
  bench_need(GpuArray_empty(&s.y, ctx, GA_FLOAT, 1, (size_t[]){N}, GA_C_ORDER),
             "y");
  bench_need(GpuArray_write(&s.y, y, sizeof y), "y");
  s.raw = raw_logistic_new(RAW_FUSED, N, FEATS, x, y, w0);
  bench_need(s.raw == NULL, "hand-written program");

  check(&s, w);
  bench_time ours, raw;
  bench_pair(run_graph, &s, run_raw, &s, REPS, &ours, &raw);
  gg_func_stats stats;
  gg_func_stat(s.train, &stats);
  printf("%zu kernels a step\n", stats.steps);
  bench_print("step, beside hand-written OpenCL", 1e6 * ours.median / STEPS,
              "us", 1e6 * raw.median / STEPS);
  beside_others(1e6 * ours.median / STEPS,
                gpucontext_caps(ctx)->is_cpu ? "cpu" : "cuda");

  GpuArray_clear(&s.x);
  GpuArray_clear(&s.y);
  GpuArray_clear(&s.prediction);
  GpuArray_clear(&s.xent);
  raw_logistic_free(s.raw);
  gg_func_free(s.train);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

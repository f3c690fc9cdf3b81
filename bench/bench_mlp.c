/* SPDX-License-Identifier: BSD-2-Clause */
/* A training step of a perceptron of three layers, 784-512-512-10 with a batch
 * of 128, beside PyTorch on the same kind of device: microseconds a step. The
 * products alone are shown too, as the limit of what fusion can reach. */
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peer.h"

enum { BATCH = 128, LAYERS = 3, STEPS = 50, REPS = 9 };
static const size_t widths[LAYERS + 1] = {784, 512, 512, 10};

typedef struct subject {
  gg_func *train;
  GpuArray x, y, loss;
  GpuLaunch *products[3 * LAYERS]; /* forward, and both gradients */
  int n_products;
} subject;

static float noise(unsigned int *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

static gg_var *weights(gg_graph *g, int layer, unsigned int *seed) {
  const size_t n = widths[layer] * widths[layer + 1];
  const float scale = sqrtf(2.0f / (float)widths[layer]);
  float *v = malloc(n * sizeof *v);

  bench_need(v == NULL, "memory");
  for (size_t i = 0; i < n; i++)
    v[i] = scale * noise(seed);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, &widths[layer], v);
  free(v);
  return w;
}

static void build(subject *s, gg_graph *g) {
  static const float zeros[512];
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_INT, 1);
  gg_var *p[2 * LAYERS], *step[2 * LAYERS], *h = x, *cost;
  gg_update updates[2 * LAYERS + 1] = {{NULL, NULL}};
  unsigned int seed = 1;

  for (int l = 0; l < LAYERS; l++) {
    p[2 * l] = weights(g, l, &seed);
    p[2 * l + 1] = gg_shared_host(g, "b", GA_FLOAT, 1, &widths[l + 1], zeros);
    h = gg_add(gg_dot(h, p[2 * l]), p[2 * l + 1]);
    if (l + 1 < LAYERS)
      h = gg_maximum(h, gg_f32(g, 0));
  }
  cost = gg_mean(gg_crossentropy(gg_softmax(h), y));
  gg_grad(step, gg_mul(gg_f32(g, 0.01f), cost), 2 * LAYERS, p);
  for (int i = 0; i < 2 * LAYERS; i++)
    updates[i] = (gg_update){p[i], gg_sub(p[i], step[i])};
  bench_need(gg_func_new(&s->train, g,
                         &(gg_func_spec){.name = "train",
                                         .inputs = GG_VARS(x, y),
                                         .outputs = GG_VARS(cost),
                                         .updates = updates}),
             gg_graph_error(g));
}

static void make_data(subject *s, gpucontext *ctx) {
  static float x[BATCH * 784];
  static int y[BATCH];
  unsigned int seed = 2;

  for (int i = 0; i < BATCH * 784; i++)
    x[i] = noise(&seed);
  for (int i = 0; i < BATCH; i++)
    y[i] = i % 10;
  bench_need(GpuArray_empty(&s->x, ctx, GA_FLOAT, 2, (size_t[]){BATCH, 784},
                            GA_C_ORDER),
             "x");
  bench_need(GpuArray_write(&s->x, x, sizeof x), "x");
  bench_need(
      GpuArray_empty(&s->y, ctx, GA_INT, 1, (size_t[]){BATCH}, GA_C_ORDER),
      "y");
  bench_need(GpuArray_write(&s->y, y, sizeof y), "y");
}

/* One product of a step: [m, k] x [k, n], operands as the step has them. */
static void add_product(subject *s, gpucontext *ctx, size_t m, size_t k,
                        size_t n, int ta, int tb) {
  const size_t adims[2] = {ta ? k : m, ta ? m : k};
  const size_t bdims[2] = {tb ? n : k, tb ? k : n}, cdims[2] = {m, n};
  GpuArray a = {0}, b = {0}, c = {0};

  bench_need(GpuArray_zeros(&a, ctx, GA_FLOAT, 2, adims, GA_C_ORDER), "a");
  bench_need(GpuArray_zeros(&b, ctx, GA_FLOAT, 2, bdims, GA_C_ORDER), "b");
  bench_need(GpuArray_zeros(&c, ctx, GA_FLOAT, 2, cdims, GA_C_ORDER), "c");
  bench_need(GpuArray_rgemm_prepare(
                 &s->products[s->n_products++], ta ? cb_trans : cb_no_trans,
                 tb ? cb_trans : cb_no_trans, 1, &a, &b, 0, &c),
             "product");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}

static void make_products(subject *s, gpucontext *ctx) {
  for (int l = 0; l < LAYERS; l++) {
    add_product(s, ctx, BATCH, widths[l], widths[l + 1], 0, 0);
    add_product(s, ctx, widths[l], BATCH, widths[l + 1], 1, 0);
    if (l > 0)
      add_product(s, ctx, BATCH, widths[l + 1], widths[l], 0, 1);
  }
}

static int run_step(void *arg) {
  subject *s = arg;

  for (int i = 0; i < STEPS; i++) {
    int err = gg_func_call(s->train, (GpuArray *[]){&s->x, &s->y},
                           (GpuArray *[]){&s->loss});
    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&s->loss);
}

static int run_products(void *arg) {
  subject *s = arg;

  for (int i = 0; i < STEPS; i++) {
    for (int k = 0; k < s->n_products; k++) {
      int err = GpuLaunch_run(s->products[k]);
      if (err != GA_NO_ERROR)
        return err;
    }
  }
  return GpuArray_sync(&s->x);
}

/* The loss of random labels starts near log 10 and falls. */
static void check(subject *s) {
  float first, last;

  bench_need(gg_func_call(s->train, (GpuArray *[]){&s->x, &s->y},
                          (GpuArray *[]){&s->loss}),
             gg_func_error(s->train));
  bench_need(GpuArray_read(&first, sizeof first, &s->loss), "read");
  bench_need(run_step(s), gg_func_error(s->train));
  bench_need(GpuArray_read(&last, sizeof last, &s->loss), "read");
  printf("loss %.4f, after %d steps %.4f\n", (double)first, STEPS,
         (double)last);
  bench_need(!(first < 5 && last < first), "the loss does not fall");
}

int main(void) {
  gpucontext *ctx = NULL;
  gg_func_stats stats;
  bench_time step, products;
  subject s = {0};

  bench_need(gpucontext_open(&ctx, NULL), "open a device");
  gg_graph *g = gg_graph_new(ctx);
  build(&s, g);
  make_data(&s, ctx);
  make_products(&s, ctx);
  check(&s);
  bench_need(gg_func_stat(s.train, &stats), "figures");
  printf("%zu kernels a step\n", stats.steps);
  bench_pair(run_step, &s, run_products, &s, REPS, &step, &products);
  bench_print("step, beside its products alone", step.median / STEPS * 1e6,
              "us", products.median / STEPS * 1e6);
  bench_print("step, beside PyTorch", step.median / STEPS * 1e6, "us",
              peer_us("mlp_torch.py %s",
                      gpucontext_caps(ctx)->is_cpu ? "cpu" : "cuda"));
  if (getenv("BENCH_PROFILE") != NULL) {
    gg_func_profile(s.train, 1);
    run_step(&s);
    gg_func_profile_print(s.train, stdout);
  }
  for (int k = 0; k < s.n_products; k++)
    GpuLaunch_free(s.products[k]);
  GpuArray_clear(&s.x);
  GpuArray_clear(&s.y);
  GpuArray_clear(&s.loss);
  gg_func_free(s.train);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

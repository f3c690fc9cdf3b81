/* SPDX-License-Identifier: BSD-2-Clause */
/* An epoch of 16,384 rows of a perceptron, 784-256-128-10 with batches of 128
 * and Adam: with the training kit, and with updates written by hand, which end
 * at the same loss. Beside PyTorch on the same kind of device, in rows per
 * second. Both of ours read their rows by gg_batches. */
#include <gpuarray/device.h>
#include <gpugraph/nn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "peer.h"

enum { ROWS = 16384, INPUTS = 784, BATCH = 128, LAYERS = 3, REPS = 7 };
static const size_t widths[LAYERS + 1] = {INPUTS, 256, 128, 10};
static const char *const names[LAYERS] = {"first", "second", "out"};

typedef struct subject {
  gg_graph *g;
  gg_params *p;
  gg_func *train;
  gg_batches *batches;
  GpuArray loss;
} subject;

typedef struct data {
  float *x;
  int *y;
} data;

static void make_data(data *d) {
  unsigned int seed = 1;

  d->x = malloc(sizeof *d->x * ROWS * INPUTS);
  d->y = malloc(sizeof *d->y * ROWS);
  bench_need(d->x == NULL || d->y == NULL, "memory");
  for (size_t i = 0; i < (size_t)ROWS * INPUTS; i++) {
    seed = seed * 1664525u + 1013904223u;
    d->x[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
  }
  for (size_t i = 0; i < ROWS; i++)
    d->y[i] = d->x[i * INPUTS] > 0;
}

/* --- updates by hand --- */

static gg_var *state(subject *s, gg_var *like, const char *name) {
  const gg_type *t = gg_var_type(like);
  size_t dims[2], n = 1;

  for (unsigned int d = 0; d < t->nd; d++)
    n *= dims[d] = (size_t)t->dims[d];
  float *zeros = calloc(n, sizeof *zeros);
  bench_need(zeros == NULL, "memory");
  gg_var *v = gg_shared_host(s->g, name, GA_FLOAT, t->nd, dims, zeros);
  free(zeros);
  return v;
}

/* Adam with its usual numbers, as in gg_adam. */
static void add_adam(subject *s, gg_update *to, gg_var *p, gg_var *by,
                     gg_var *t) {
  gg_var *m = state(s, p, "m"), *v = state(s, p, "v");
  gg_var *one = gg_f32(s->g, 1), *b1 = gg_f32(s->g, 0.9f);
  gg_var *b2 = gg_f32(s->g, 0.999f);
  gg_var *next_m = gg_add(gg_mul(b1, m), gg_mul(gg_f32(s->g, 0.1f), by));
  gg_var *next_v =
      gg_add(gg_mul(b2, v), gg_mul(gg_f32(s->g, 0.001f), gg_mul(by, by)));
  gg_var *whole_m = gg_div(next_m, gg_sub(one, gg_pow(b1, t)));
  gg_var *whole_v = gg_div(next_v, gg_sub(one, gg_pow(b2, t)));
  gg_var *step = gg_div(gg_mul(gg_f32(s->g, 0.001f), whole_m),
                        gg_add(gg_sqrt(whole_v), gg_f32(s->g, 1e-8f)));

  to[0] = (gg_update){m, next_m};
  to[1] = (gg_update){v, next_v};
  to[2] = (gg_update){p, gg_sub(p, step)};
}

static const gg_update *by_hand(subject *s, gg_var *loss) {
  enum { PARAMS = 2 * LAYERS };
  static gg_update updates[3 * PARAMS + 2];
  const float zero = 0;
  gg_var *const *p = gg_params_trained(s->p);
  gg_var *by[PARAMS];
  gg_var *count = gg_shared_host(s->g, "t", GA_FLOAT, 0, NULL, &zero);
  gg_var *t = gg_add(count, gg_f32(s->g, 1));

  gg_grad(by, loss, PARAMS, (gg_var **)p);
  for (int i = 0; i < PARAMS; i++)
    add_adam(s, updates + 3 * i, p[i], by[i], t);
  updates[3 * PARAMS] = (gg_update){count, t};
  updates[3 * PARAMS + 1] = (gg_update){NULL, NULL};
  return updates;
}

/* --- the two --- */

static void build(subject *s, gpucontext *ctx, const data *d, int has_kit) {
  const gg_optimiser adam = gg_adam(0.001);

  s->g = gg_graph_new(ctx);
  s->p = gg_params_new(s->g, GA_FLOAT, 1);
  gg_var *x =
      gg_input_sized(s->g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, INPUTS});
  gg_var *y = gg_input(s->g, "y", GA_INT, 1), *h = x;
  for (int l = 0; l < LAYERS; l++) {
    h = gg_nn_dense(s->p, names[l], h, widths[l + 1], 0);
    h = l + 1 < LAYERS ? gg_relu(h) : h;
  }
  gg_var *loss = gg_loss_cross_entropy(h, y, NULL);
  bench_need(gg_func_new(&s->train, s->g,
                         &(gg_func_spec){
                             .inputs = GG_VARS(x, y),
                             .outputs = GG_VARS(loss),
                             .updates = has_kit ? gg_optimise(s->p, loss, &adam)
                                                : by_hand(s, loss)}),
             gg_graph_error(s->g));
  const gg_host_array rows[2] = {
      {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, INPUTS}, .data = d->x},
      {.dtype = GA_INT, .nd = 1, .dims = {ROWS}, .data = d->y}};
  bench_need(gg_batches_new(&s->batches, ctx, 2, rows,
                            &(gg_batches_spec){.size = BATCH, .seed = 1}),
             "batches");
}

static int run_epoch(void *arg) {
  subject *s = arg;
  GpuArray *const *arrays;

  for (size_t i = 0; i < gg_batches_count(s->batches); i++) {
    int err = gg_batches_next(s->batches, &arrays);

    if (err == GA_NO_ERROR)
      err =
          gg_func_call(s->train, (GpuArray **)arrays, (GpuArray *[]){&s->loss});
    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&s->loss);
}

/* Both start alike and do the same, so they end at the same loss but for
 * rounding. */
static void check(subject *kit, subject *hand) {
  float a, b;

  bench_need(run_epoch(kit), gg_func_error(kit->train));
  bench_need(run_epoch(hand), gg_func_error(hand->train));
  bench_need(GpuArray_read(&a, sizeof a, &kit->loss), "read");
  bench_need(GpuArray_read(&b, sizeof b, &hand->loss), "read");
  bench_need(!(fabsf(a - b) <= 0.02f * fabsf(b)), "the losses differ");
}

static void subject_free(subject *s) {
  gg_batches_free(s->batches);
  GpuArray_clear(&s->loss);
  gg_func_free(s->train);
  gg_params_free(s->p);
  gg_graph_free(s->g);
}

int main(void) {
  gpucontext *ctx;
  subject kit = {NULL}, hand = {NULL};
  bench_time ours, ref;
  data d;

  bench_need(gpucontext_open(&ctx, NULL), "device");
  make_data(&d);
  build(&kit, ctx, &d, 1);
  build(&hand, ctx, &d, 0);
  check(&kit, &hand);
  bench_pair(run_epoch, &kit, run_epoch, &hand, REPS, &ours, &ref);
  bench_print("epoch, kit beside by hand", ROWS / ours.median, "rows/s",
              ROWS / ref.median);
  printf("  share of the time that the kit waited for rows: %.2f\n",
         gg_batches_waited(kit.batches) / (ours.median * (REPS + 2)));
  const double us = peer_us("epoch_torch.py %s",
                            gpucontext_caps(ctx)->is_cpu ? "cpu" : "cuda");
  bench_print("epoch, kit beside PyTorch", ROWS / ours.median, "rows/s",
              us > 0 ? ROWS * 1e6 / us : 0);
  subject_free(&kit);
  subject_free(&hand);
  free(d.x);
  free(d.y);
  gpucontext_deref(ctx);
  return 0;
}

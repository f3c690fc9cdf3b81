/* SPDX-License-Identifier: BSD-2-Clause */
/* A training step of logistic regression as a client of the array interface
 * makes it: nine calls, each of which gives a new array, beside nine kernels
 * that are written by hand and whose buffers stay. Microseconds a step. */
#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "raw_logistic.h"

enum { N = 400, FEATS = 784, STEPS = 200, REPS = 15 };

/* --- the client --- */

enum { PROBABILITY, ENTROPY, SLOPE, PREDICT, UPDATE_W, UPDATE_B, MAPS };

static const struct {
  const char *text;
  const char *names[3]; /* read first, then the one that is written */
} maps[MAPS] = {
    [PROBABILITY] = {"r = 1 / (1 + exp(-(a + b)))", {"a", "b", "r"}},
    [ENTROPY] = {"r = -b * log(a) - (1 - b) * log(1 - a)", {"a", "b", "r"}},
    [SLOPE] = {"r = (a - b) / 400", {"a", "b", "r"}},
    [PREDICT] = {"r = a > 0.5f", {"a", NULL, "r"}},
    [UPDATE_W] = {"r = 0.9998f * a - 0.01f * b", {"a", "b", "r"}},
    [UPDATE_B] = {"r = a - 0.01f * b", {"a", "b", "r"}},
};

typedef struct client {
  gpucontext *ctx;
  GpuElemwise *map[MAPS];
  GpuArray x, y, w, b, ones;
  raw_logistic *raw;
} client;

static int make_maps(client *c) {
  for (int k = 0; k < MAPS; k++) {
    gpuelemwise_arg args[3];
    unsigned int n = 0;

    for (int i = 0; i < 3; i++)
      if (maps[k].names[i] != NULL)
        args[n++] = (gpuelemwise_arg){maps[k].names[i], GA_FLOAT,
                                      i == 2 ? GE_WRITE : GE_READ};
    c->map[k] = GpuElemwise_new(c->ctx, NULL, maps[k].text, n, args, 1, 0);
    if (c->map[k] == NULL)
      return 1;
  }
  return 0;
}

static int fresh(client *c, GpuArray *a, size_t n) {
  return GpuArray_empty(a, c->ctx, GA_FLOAT, 1, &n, GA_C_ORDER);
}

/* A new array of n elements, computed from a and b. */
static int map(client *c, int which, GpuArray *r, size_t n, GpuArray *a,
               GpuArray *b) {
  int err = fresh(c, r, n);

  if (err == 0 && b != NULL)
    err = GpuElemwise_call(c->map[which], (void *[]){a, b, r}, GE_BROADCAST);
  else if (err == 0)
    err = GpuElemwise_call(c->map[which], (void *[]){a, r}, GE_BROADCAST);
  return err;
}

enum { Z, P, XENT, G, PREDICTION, GW, GB, RESULTS };

static int step(client *c) {
  GpuArray r[RESULTS] = {{0}}, b1 = {0};
  int err = fresh(c, &r[Z], N);

  err = err ? err : GpuArray_rgemv(cb_no_trans, 1, &c->x, &c->w, 0, &r[Z], 0);
  err = err ? err : map(c, PROBABILITY, &r[P], N, &r[Z], &c->b);
  err = err ? err : map(c, ENTROPY, &r[XENT], N, &r[P], &c->y);
  err = err ? err : map(c, SLOPE, &r[G], N, &r[P], &c->y);
  err = err ? err : map(c, PREDICT, &r[PREDICTION], N, &r[P], NULL);
  err = err ? err : fresh(c, &r[GW], FEATS);
  err = err ? err : GpuArray_rgemv(cb_trans, 1, &c->x, &r[G], 0, &r[GW], 0);
  err =
      err ? err : GpuArray_empty(&r[GB], c->ctx, GA_FLOAT, 0, NULL, GA_C_ORDER);
  err = err ? err : GpuArray_rdot(&r[G], &c->ones, &r[GB], 0);
  err = err ? err
            : GpuElemwise_call(c->map[UPDATE_W],
                               (void *[]){&c->w, &r[GW], &c->w}, 0);
  err = err ? err
            : GpuArray_reshape(&b1, &r[GB], 1, (size_t[]){1}, GA_C_ORDER, 1);
  err = err ? err
            : GpuElemwise_call(c->map[UPDATE_B], (void *[]){&c->b, &b1, &c->b},
                               0);
  GpuArray_clear(&b1);
  for (int i = 0; i < RESULTS; i++)
    GpuArray_clear(&r[i]);
  return err;
}

static int run_client(void *arg) {
  client *c = arg;

  for (int i = 0; i < STEPS; i++) {
    int err = step(c);
    if (err != 0)
      return err;
  }
  return GpuArray_sync(&c->w);
}

static int run_raw(void *arg) {
  return raw_logistic_run(((client *)arg)->raw, STEPS);
}

/* --- both --- */

static void put(client *c, GpuArray *a, unsigned int nd, const size_t *dims,
                const float *data, size_t bytes) {
  bench_need(GpuArray_empty(a, c->ctx, GA_FLOAT, nd, dims, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(a, data, bytes), "write");
}

static void check(client *c) {
  static float ours[FEATS], theirs[FEATS];
  double worst = 0;

  bench_need(run_client(c), "client");
  bench_need(run_raw(c), "hand-written program");
  bench_need(GpuArray_read(ours, sizeof ours, &c->w), "read");
  bench_need(raw_logistic_weights(c->raw, theirs), "read");
  for (int j = 0; j < FEATS; j++)
    worst = fmax(worst, fabs((double)ours[j] - (double)theirs[j]));
  printf("largest difference of the weights after %d steps: %.2g\n", STEPS,
         worst);
  bench_need(!(worst < 1e-4), "the two sides disagree");
}

static float noise(unsigned int *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

int main(void) {
  static float x[N * FEATS], y[N], w[FEATS], ones[N];
  const float zero = 0;
  unsigned int seed = 1;
  bench_time ours, raw;
  client c = {0};

  for (int i = 0; i < N * FEATS; i++)
    x[i] = noise(&seed);
  for (int i = 0; i < N; i++) {
    y[i] = noise(&seed) > 0;
    ones[i] = 1;
  }
  for (int j = 0; j < FEATS; j++)
    w[j] = 0.1f * noise(&seed);

  bench_need(gpucontext_open(&c.ctx, NULL), "open a device");
  put(&c, &c.x, 2, (size_t[]){N, FEATS}, x, sizeof x);
  put(&c, &c.y, 1, (size_t[]){N}, y, sizeof y);
  put(&c, &c.w, 1, (size_t[]){FEATS}, w, sizeof w);
  put(&c, &c.b, 1, (size_t[]){1}, &zero, sizeof zero);
  put(&c, &c.ones, 1, (size_t[]){N}, ones, sizeof ones);
  bench_need(make_maps(&c), "expressions");
  c.raw = raw_logistic_new(RAW_CALLS, N, FEATS, x, y, w);
  bench_need(c.raw == NULL, "hand-written program");

  check(&c);
  bench_pair(run_client, &c, run_raw, &c, REPS, &ours, &raw);
  bench_print("step of nine calls", 1e6 * ours.median / STEPS, "us",
              1e6 * raw.median / STEPS);

  raw_logistic_free(c.raw);
  for (int k = 0; k < MAPS; k++)
    GpuElemwise_free(c.map[k]);
  GpuArray_clear(&c.x);
  GpuArray_clear(&c.y);
  GpuArray_clear(&c.w);
  GpuArray_clear(&c.b);
  GpuArray_clear(&c.ones);
  gpucontext_deref(c.ctx);
  return 0;
}

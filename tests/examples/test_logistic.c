/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/logistic.c beside the same steps in plain C with doubles. */
#include <math.h>
#include <string.h>

#include "support/device.h"

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/logistic.c"
#undef main

#ifndef LOGISTIC_STEPS
#define LOGISTIC_STEPS 10000
#endif

/* What a run ends with: parameters, and the outputs of its last step. */
typedef struct outcome {
  double w[FEATS], b, xent[N];
  int prediction[N];
} outcome;

static double softplus(double z) {
  return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

static void run_plain(const data *d, int steps, outcome *o) {
  double gz[N], gw[FEATS];

  for (int j = 0; j < FEATS; j++)
    o->w[j] = d->w[j];
  o->b = 0;
  for (int step = 0; step < steps; step++) {
    double gb = 0;

    for (int i = 0; i < N; i++) {
      double z = o->b;

      for (int j = 0; j < FEATS; j++)
        z += d->x[i][j] * o->w[j];
      o->prediction[i] = z > 0;
      o->xent[i] = d->y[i] * softplus(-z) + (1 - d->y[i]) * softplus(z);
      gz[i] = (1 / (1 + exp(-z)) - d->y[i]) / N;
      gb += gz[i];
    }
    for (int j = 0; j < FEATS; j++)
      gw[j] = 0.01 * 2 * o->w[j];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < FEATS; j++)
        gw[j] += d->x[i][j] * gz[i];
    for (int j = 0; j < FEATS; j++)
      o->w[j] -= 0.01 * gw[j];
    o->b -= 0.01 * gb;
  }
}

static void run_device(const data *d, int steps, outcome *o) {
  gpucontext *ctx = test_context();
  gg_graph *g = gg_graph_new(ctx);
  model m = build(g, d->w);
  GpuArray x = upload(ctx, 2, (size_t[]){N, FEATS}, d->x[0], sizeof d->x);
  GpuArray y = upload(ctx, 1, (size_t[]){N}, d->y, sizeof d->y);
  GpuArray prediction = {0}, xent = {0};
  float w[FEATS], b, e[N];
  unsigned char p[N], again[N];

  for (int i = 0; i < steps; i++)
    assert_ok(gg_func_call(m.train, (GpuArray *[]){&x, &y},
                           (GpuArray *[]){&prediction, &xent}));
  assert_ok(gg_shared_read(m.w, w, sizeof w));
  assert_ok(gg_shared_read(m.b, &b, sizeof b));
  assert_ok(GpuArray_read(p, sizeof p, &prediction));
  assert_ok(GpuArray_read(e, sizeof e, &xent));
  for (int j = 0; j < FEATS; j++)
    o->w[j] = w[j];
  o->b = b;
  for (int i = 0; i < N; i++) {
    o->xent[i] = e[i];
    o->prediction[i] = p[i];
  }
  /* A step more changes no prediction by now. */
  assert_ok(
      gg_func_call(m.predict, (GpuArray *[]){&x}, (GpuArray *[]){&prediction}));
  assert_ok(GpuArray_read(again, sizeof again, &prediction));
  assert_memory_equal(again, p, sizeof p);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&prediction);
  GpuArray_clear(&xent);
  gg_func_free(m.train);
  gg_func_free(m.predict);
  gg_graph_free(g);
}

static void assert_close(double a, double b) {
  if (!(fabs(a - b) < 1e-4))
    fail_msg("%.9g, but %.9g with doubles", a, b);
}

static void test_same_as_with_doubles(void **unused) {
  static data d;
  static outcome device, plain;

  (void)unused;
  make_data(&d);
  run_device(&d, LOGISTIC_STEPS, &device);
  run_plain(&d, LOGISTIC_STEPS, &plain);
  assert_close(device.b, plain.b);
  for (int j = 0; j < FEATS; j++)
    assert_close(device.w[j], plain.w[j]);
  for (int i = 0; i < N; i++) {
    assert_close(device.xent[i], plain.xent[i]);
    assert_int_equal(device.prediction[i], plain.prediction[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_with_doubles)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Logistic regression on two devices: each has half of the examples. The
 * parameters are on the first; the second gets them by a transfer, whose
 * gradient is the way back. The same on one device, and the difference.
 *
 *   logistic_two [steps [examples]]
 *
 * The devices are those of GPUARRAY_DEVICE and GPUARRAY_DEVICE2; without the
 * latter it is the first one once more.
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEATS = 784, MOST = 2 };

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Examples whose class a hidden plane decides. */
typedef struct data {
  size_t n; /* even */
  float *x, *y;
} data;

static float uniform(unsigned int *s) {
  *s = *s * 1664525u + 1013904223u;
  return (float)(*s >> 8) / 8388608.0f - 1;
}

static int make_data(data *d, size_t n) {
  unsigned int s = 22;
  d->n = n;
  d->x = malloc(n * FEATS * sizeof(float));
  d->y = malloc(n * sizeof(float));
  if (d->x == NULL || d->y == NULL)
    return GA_MEMORY_ERROR;
  for (size_t i = 0; i < n; i++) {
    float side = 0;
    for (size_t j = 0; j < FEATS; j++) {
      float v = d->x[i * FEATS + j] = uniform(&s);
      side += j % 3 == 0 ? v : -0.5f * v;
    }
    d->y[i] = side > 0;
  }
  return GA_NO_ERROR;
}

/* A model over n devices. */
typedef struct model {
  gg_graph *g;
  gg_var *w, *b;
  gg_func *train;
  unsigned int n;
  GpuArray x[MOST], y[MOST]; /* a share on each */
  GpuArray cost;
} model;

/* The mean over all examples of what the share on one device contributes. */
static gg_var *share_of_cost(model *m, gpucontext *ctx, gg_var *x, gg_var *y,
                             size_t examples) {
  gg_var *one = gg_f32(m->g, 1);
  gg_var *w = gg_transfer(m->w, ctx), *b = gg_transfer(m->b, ctx);
  gg_var *p_1 = gg_sigmoid(gg_add(gg_dot(x, w), b));
  gg_var *xent =
      gg_neg(gg_add(gg_mul(y, gg_log(p_1)),
                    gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p_1)))));
  gg_var *share = gg_div(gg_sum(xent), gg_f32(m->g, (float)examples));
  return gg_transfer(share, gg_graph_context(m->g));
}

static int build(model *m, unsigned int n, gpucontext *const *ctx,
                 size_t examples) {
  static const float zeros[FEATS];
  size_t feats = FEATS;
  gg_graph *g = m->g = gg_graph_new(ctx[0]);
  gg_var *in[2 * MOST + 1] = {NULL}, *grad[2];
  gg_var *rate = gg_f32(g, 0.1f);

  m->n = n;
  m->w = gg_shared_host(g, "w", GA_FLOAT, 1, &feats, zeros);
  m->b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, zeros);
  gg_var *cost = gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(m->w)));
  for (unsigned int i = 0; i < n; i++) {
    gg_var *x = in[2 * i] = gg_input_in(g, ctx[i], "x", GA_FLOAT, 2, NULL);
    gg_var *y = in[2 * i + 1] = gg_input_in(g, ctx[i], "y", GA_FLOAT, 1, NULL);
    cost = gg_add(cost, share_of_cost(m, ctx[i], x, y, examples));
  }
  gg_grad(grad, cost, 2, (gg_var *[]){m->w, m->b});
  return gg_func_new(
      &m->train, g,
      &(gg_func_spec){
          .name = "train",
          .inputs = in,
          .outputs = GG_VARS(cost),
          .updates = GG_UPDATES({m->w, gg_sub(m->w, gg_mul(rate, grad[0]))},
                                {m->b, gg_sub(m->b, gg_mul(rate, grad[1]))}),
      });
}

static int upload(GpuArray *a, gpucontext *ctx, unsigned int nd,
                  const size_t *dims, const float *host) {
  size_t n = nd == 2 ? dims[0] * dims[1] : dims[0];
  int err = GpuArray_empty(a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER);
  return err != GA_NO_ERROR ? err : GpuArray_write(a, host, n * sizeof(float));
}

static int share(model *m, gpucontext *const *ctx, const data *d) {
  size_t n = d->n / m->n, dims[2] = {n, FEATS};
  int err = GA_NO_ERROR;
  for (unsigned int i = 0; i < m->n && err == GA_NO_ERROR; i++) {
    err = upload(&m->x[i], ctx[i], 2, dims, d->x + i * n * FEATS);
    if (err == GA_NO_ERROR)
      err = upload(&m->y[i], ctx[i], 1, dims, d->y + i * n);
  }
  return err;
}

/* Train; *seconds is that of a step, without the first. */
static int train(model *m, int steps, float *w, float *cost, double *seconds) {
  GpuArray *in[2 * MOST];
  double t0 = now();
  int err = GA_NO_ERROR;
  for (unsigned int i = 0; i < m->n; i++) {
    in[2 * i] = &m->x[i];
    in[2 * i + 1] = &m->y[i];
  }
  for (int k = 0; k < steps && err == GA_NO_ERROR; k++) {
    err = gg_func_call(m->train, in, (GpuArray *[]){&m->cost});
    if (k == 0 && err == GA_NO_ERROR)
      err = GpuArray_sync(&m->cost);
    if (k == 0)
      t0 = now();
  }
  if (err == GA_NO_ERROR)
    err = gg_shared_read(m->w, w, FEATS * sizeof *w); /* waits */
  *seconds = (now() - t0) / (steps > 1 ? steps - 1 : 1);
  return err == GA_NO_ERROR ? GpuArray_read(cost, sizeof *cost, &m->cost) : err;
}

static void clear(model *m) {
  GpuArray_clear(&m->cost);
  for (unsigned int i = 0; i < m->n; i++) {
    GpuArray_clear(&m->x[i]);
    GpuArray_clear(&m->y[i]);
  }
  gg_func_free(m->train);
  gg_graph_free(m->g);
}

static int failed(const char *what, const char *why) {
  fprintf(stderr, "logistic_two: %s: %s\n", what, why);
  return 1;
}

/* Build, train and show on n devices; 0 if all went well. */
static int run(unsigned int n, gpucontext *const *ctx, const data *d, int steps,
               float *w, float *cost) {
  model m = {0};
  gg_func_stats s;
  double seconds;
  int err = build(&m, n, ctx, d->n);
  if (err != GA_NO_ERROR)
    return failed("compile", gg_graph_error(m.g));
  err = share(&m, ctx, d);
  if (err != GA_NO_ERROR)
    return failed("data", gpucontext_error(ctx[0], err));
  err = train(&m, steps, w, cost, &seconds);
  if (err != GA_NO_ERROR)
    return failed("train", gg_func_error(m.train));
  gg_func_stat(m.train, &s);
  if (n > 1)
    gg_func_print(m.train, stdout);
  printf("%u device%s: %.1f us a step, %zu kernels and %zu transfers, cost "
         "%.6f\n",
         n, n > 1 ? "s" : "", 1e6 * seconds, s.steps, s.transfers,
         (double)*cost);
  clear(&m);
  return 0;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 1000;
  int examples = argc > 2 ? atoi(argv[2]) : 400;
  gpucontext *ctx[2] = {NULL, NULL};
  static float w[2][FEATS];
  float cost[2], worst = 0;
  data d = {0};

  if (steps < 1 || examples < 2 || examples % 2 != 0)
    return failed("usage", "logistic_two [steps [even number of examples]]");
  int err = gpucontext_open(&ctx[0], NULL);
  if (err == GA_NO_ERROR)
    err = gpucontext_open(&ctx[1], getenv("GPUARRAY_DEVICE2"));
  if (err != GA_NO_ERROR)
    return failed("no device", gpucontext_error(NULL, err));
  gg_context_register("first", ctx[0]);
  gg_context_register("second", ctx[1]);
  if (make_data(&d, (size_t)examples) != GA_NO_ERROR)
    return failed("data", "out of memory");
  if (run(1, ctx, &d, steps, w[0], &cost[0]) != 0 ||
      run(2, ctx, &d, steps, w[1], &cost[1]) != 0)
    return 1;
  for (int j = 0; j < FEATS; j++)
    worst = fmaxf(worst, fabsf(w[0][j] - w[1][j]));
  printf("largest difference of a weight: %.2g\n", (double)worst);
  gg_context_unregister("first");
  gg_context_unregister("second");
  gpucontext_deref(ctx[0]);
  gpucontext_deref(ctx[1]);
  free(d.x);
  free(d.y);
  return worst < 1e-5f && cost[1] < 0.7f ? 0 : 1;
}

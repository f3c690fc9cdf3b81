/* SPDX-License-Identifier: BSD-2-Clause */
/* Logistic regression: 400 examples of 784 features, 10,000 steps of gradient
 * descent, the gradient by the library; then the same steps in plain C with
 * doubles, and the difference.
 *
 *   logistic [steps [picture.dot]]
 *
 * The picture is the compiled training step in the language of Graphviz.
 */
#include <gpuarray/profile.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 400, FEATS = 784 };

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Uniform numbers in (0, 1) by xorshift64*, and normal ones by Box-Muller. */
static double uniform(uint64_t *s) {
  *s ^= *s >> 12;
  *s ^= *s << 25;
  *s ^= *s >> 27;
  return ((double)((*s * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992;
}

static float normal(uint64_t *s) {
  double r = sqrt(-2 * log(uniform(s)));
  return (float)(r * cos(6.283185307179586 * uniform(s)));
}

/* The data and parameters that both runs start from. */
typedef struct problem {
  float x[N][FEATS], y[N], w[FEATS], b;
} problem;

static void make_problem(problem *p) {
  uint64_t s = 22;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < FEATS; j++)
      p->x[i][j] = normal(&s);
  for (int i = 0; i < N; i++)
    p->y[i] = uniform(&s) < 0.5 ? 0 : 1;
  for (int j = 0; j < FEATS; j++)
    p->w[j] = normal(&s);
  p->b = 0;
}

/* What a run ends with: parameters, and the outputs of its last step. */
typedef struct outcome {
  double w[FEATS], b, xent[N];
  int prediction[N];
} outcome;

static double softplus(double z) {
  return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

/* The reference: the same steps with doubles. */
static void run_plain(const problem *p, int steps, outcome *o) {
  double gz[N], gw[FEATS];
  for (int j = 0; j < FEATS; j++)
    o->w[j] = p->w[j];
  o->b = p->b;
  for (int step = 0; step < steps; step++) {
    double gb = 0;
    for (int i = 0; i < N; i++) {
      double z = o->b;
      for (int j = 0; j < FEATS; j++)
        z += p->x[i][j] * o->w[j];
      o->prediction[i] = z > 0;
      o->xent[i] = p->y[i] * softplus(-z) + (1 - p->y[i]) * softplus(z);
      gz[i] = (1 / (1 + exp(-z)) - p->y[i]) / N;
      gb += gz[i];
    }
    for (int j = 0; j < FEATS; j++)
      gw[j] = 0.01 * 2 * o->w[j];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < FEATS; j++)
        gw[j] += p->x[i][j] * gz[i];
    for (int j = 0; j < FEATS; j++)
      o->w[j] -= 0.01 * gw[j];
    o->b -= 0.01 * gb;
  }
}

/* The model: functions and shared variables. */
typedef struct model {
  gg_graph *g;
  gg_var *w, *b;
  gg_func *train, *predict;
} model;

static int build(model *m, gpucontext *ctx, const problem *p) {
  size_t feats = FEATS;
  gg_graph *g = m->g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *w = m->w = gg_shared_host(g, "w", GA_FLOAT, 1, &feats, p->w);
  gg_var *b = m->b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, &p->b);
  gg_var *one = gg_f32(g, 1), *rate = gg_f32(g, 0.01f);

  /* Probability of having a one, the prediction, and the cost to minimise. */
  gg_var *p_1 =
      gg_div(one, gg_add(one, gg_exp(gg_sub(gg_neg(gg_dot(x, w)), b))));
  gg_var *prediction = gg_gt(p_1, gg_f32(g, 0.5f));
  gg_var *xent = gg_sub(gg_mul(gg_neg(y), gg_log(p_1)),
                        gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p_1))));
  gg_var *cost =
      gg_add(gg_mean(xent), gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(w))));
  gg_var *grad[2];
  gg_grad(grad, cost, 2, (gg_var *[]){w, b});

  int err = gg_func_new(
      &m->train, g,
      &(gg_func_spec){
          .name = "train",
          .inputs = GG_VARS(x, y),
          .outputs = GG_VARS(prediction, xent),
          .updates = GG_UPDATES({w, gg_sub(w, gg_mul(rate, grad[0]))},
                                {b, gg_sub(b, gg_mul(rate, grad[1]))}),
      });
  if (err != GA_NO_ERROR)
    return err;
  return gg_func_new(&m->predict, g,
                     &(gg_func_spec){
                         .name = "predict",
                         .inputs = GG_VARS(x),
                         .outputs = GG_VARS(prediction),
                     });
}

static double largest(double a, double b) {
  return isnan(b) || b > a ? b : a; /* a NaN stays visible */
}

static double compare(const outcome *a, const outcome *b, int *flips) {
  double d = largest(0, fabs(a->b - b->b));
  *flips = 0;
  for (int j = 0; j < FEATS; j++)
    d = largest(d, fabs(a->w[j] - b->w[j]));
  for (int i = 0; i < N; i++) {
    d = largest(d, fabs(a->xent[i] - b->xent[i]));
    *flips += a->prediction[i] != b->prediction[i];
  }
  return d;
}

static int upload(GpuArray *a, gpucontext *ctx, unsigned int nd,
                  const size_t *dims, const float *host, size_t bytes) {
  int err = GpuArray_empty(a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER);
  return err != GA_NO_ERROR ? err : GpuArray_write(a, host, bytes);
}

/* Read what the device holds after the last step. */
static int collect(outcome *o, const model *m, const GpuArray *prediction,
                   const GpuArray *xent) {
  float w[FEATS], b, e[N];
  unsigned char pred[N];
  int err = gg_shared_read(m->w, w, sizeof w);
  if (err == GA_NO_ERROR)
    err = gg_shared_read(m->b, &b, sizeof b);
  if (err == GA_NO_ERROR)
    err = GpuArray_read(pred, sizeof pred, prediction);
  if (err == GA_NO_ERROR)
    err = GpuArray_read(e, sizeof e, xent);
  if (err != GA_NO_ERROR)
    return err;
  for (int j = 0; j < FEATS; j++)
    o->w[j] = w[j];
  o->b = b;
  for (int i = 0; i < N; i++) {
    o->xent[i] = e[i];
    o->prediction[i] = pred[i];
  }
  return GA_NO_ERROR;
}

static int draw(const gg_func *f, const char *path) {
  FILE *dot = fopen(path, "w");
  if (dot == NULL)
    return GA_SYS_ERROR;
  int err = gg_func_dot(f, dot);
  return fclose(dot) == 0 ? err : GA_SYS_ERROR;
}

static void print_head(const char *what, const int *v) {
  printf("%s", what);
  for (int i = 0; i < 20; i++)
    printf(" %d", v[i]);
  printf(" ...\n");
}

static int failed(const char *what, const char *why) {
  fprintf(stderr, "logistic: %s: %s\n", what, why);
  return 1;
}

int main(int argc, char **argv) {
  static problem p;
  static outcome device, plain;
  int steps = argc > 1 ? atoi(argv[1]) : 10000;
  double start = now();

  if (steps < 1)
    return failed("usage", "logistic [steps [picture.dot]]");
  make_problem(&p);

  double t_open = now();
  gpucontext *ctx = NULL;
  int err = gpucontext_open(&ctx, NULL);
  if (err != GA_NO_ERROR)
    return failed("no device", gpucontext_error(NULL, err));
  t_open = now() - t_open;

  model m = {0};
  err = build(&m, ctx, &p);
  if (err != GA_NO_ERROR)
    return failed("compile", gg_graph_error(m.g));

  GpuArray x = {0}, y = {0}, prediction = {0}, xent = {0};
  err = upload(&x, ctx, 2, (size_t[]){N, FEATS}, &p.x[0][0], sizeof p.x);
  if (err == GA_NO_ERROR)
    err = upload(&y, ctx, 1, (size_t[]){N}, p.y, sizeof p.y);
  if (err != GA_NO_ERROR)
    return failed("data", gpucontext_error(ctx, err));

  double t_first = 0, t0 = now();
  for (int i = 0; i < steps && err == GA_NO_ERROR; i++) {
    err = gg_func_call(m.train, (GpuArray *[]){&x, &y},
                       (GpuArray *[]){&prediction, &xent});
    if (i == 0 && err == GA_NO_ERROR) {
      err = GpuArray_sync(&xent);
      t_first = now() - start;
      t0 = now();
    }
  }
  if (err == GA_NO_ERROR)
    err = GpuArray_sync(&xent);
  double took = now() - t0;
  if (err == GA_NO_ERROR)
    err = collect(&device, &m, &prediction, &xent);
  if (err != GA_NO_ERROR)
    return failed("train", gg_func_error(m.train));

  gg_func_stats s;
  gpucontext_counters c;
  gg_func_stat(m.train, &s);
  gpucontext_count(ctx, &c);
  gg_func_print(m.train, stdout);
  if (argc > 2 && draw(m.train, argv[2]) != GA_NO_ERROR)
    return failed(argv[2], "cannot be written");
  printf("first result after %.1f ms: %.1f ms to open the device, %.1f ms in "
         "its compiler, %.1f ms ours\n",
         1e3 * t_first, 1e3 * t_open, 1e3 * c.build_seconds,
         1e3 * (t_first - t_open - c.build_seconds));
  printf("%d steps, %.1f us a step, %zu kernels a step\n", steps,
         1e6 * took / (steps > 1 ? steps - 1 : 1), s.steps);

  GpuArray last = {0};
  unsigned char bits[N];
  err = gg_func_call(m.predict, (GpuArray *[]){&x}, (GpuArray *[]){&last});
  if (err == GA_NO_ERROR)
    err = GpuArray_read(bits, sizeof bits, &last);
  if (err != GA_NO_ERROR)
    return failed("predict", gg_func_error(m.predict));
  int target[N], predicted[N];
  for (int i = 0; i < N; i++) {
    target[i] = p.y[i] > 0.5f;
    predicted[i] = bits[i];
  }
  print_head("target values for D:", target);
  print_head("prediction on D:    ", predicted);

  run_plain(&p, steps, &plain);
  int flips;
  double d = compare(&device, &plain, &flips);
  printf("largest difference from the double-precision run: %.2g, %d "
         "predictions differ\n",
         d, flips);

  GpuArray_clear(&last);
  GpuArray_clear(&prediction);
  GpuArray_clear(&xent);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  gg_func_free(m.train);
  gg_func_free(m.predict);
  gg_graph_free(m.g);
  gpucontext_deref(ctx);
  return d < 1e-4 && flips == 0 ? 0 : 1;
}

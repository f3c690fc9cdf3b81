/* SPDX-License-Identifier: BSD-2-Clause */
/* Logistic regression: 400 examples of 784 features, 10,000 steps of gradient
 * descent. The library derives the gradient and compiles a step to two kernels.
 *
 *   logistic [steps [picture.dot]]
 *
 * The picture is the compiled step in the language of Graphviz. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, FEATS = 784 };

typedef struct data {
  float x[N][FEATS], y[N], w[FEATS]; /* examples, labels, first weights */
} data;

typedef struct model {
  gg_var *w, *b; /* parameters, on the device */
  gg_func *train, *predict;
} model;

/* End the program if a call failed. */
static void check(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "logistic: %s: %s\n", what, gpuarray_error_text(err));
  exit(1);
}

/* Uniform random numbers in [-1, 1). */
static float noise(void) {
  static uint32_t s = 22;
  s = s * 1664525u + 1013904223u;
  return (float)(s >> 8) / (1 << 23) - 1;
}

static void make_data(data *d) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < FEATS; j++)
      d->x[i][j] = noise();
    d->y[i] = noise() > 0;
  }
  for (int j = 0; j < FEATS; j++)
    d->w[j] = noise();
}

static model build(gg_graph *g, const float *first_w) {
  model m;
  size_t feats = FEATS;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *w = m.w = gg_shared_host(g, "w", GA_FLOAT, 1, &feats, first_w);
  gg_var *b = m.b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, &(float){0});

  /* The probability of a one, the prediction, and the cost to minimise. */
  gg_var *one = gg_f32(g, 1), *rate = gg_f32(g, 0.01f);
  gg_var *p_1 = gg_sigmoid(gg_add(gg_dot(x, w), b));
  gg_var *prediction = gg_gt(p_1, gg_f32(g, 0.5f));
  gg_var *xent = gg_sub(gg_mul(gg_neg(y), gg_log(p_1)),
                        gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p_1))));
  gg_var *decay = gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(w)));
  gg_var *cost = gg_add(gg_mean(xent), decay);
  gg_var *grad[2];
  gg_grad(grad, cost, 2, (gg_var *[]){w, b});

  /* Errors of building stick to the graph and show up here. */
  gg_func_spec train = {.name = "train",
                        .inputs = GG_VARS(x, y),
                        .outputs = GG_VARS(prediction, xent),
                        .updates =
                            GG_UPDATES({w, gg_sub(w, gg_mul(rate, grad[0]))},
                                       {b, gg_sub(b, gg_mul(rate, grad[1]))})};
  check(gg_func_new(&m.train, g, &train), "compile");
  gg_func_spec predict = {
      .name = "predict", .inputs = GG_VARS(x), .outputs = GG_VARS(prediction)};
  check(gg_func_new(&m.predict, g, &predict), "compile");
  return m;
}

/* Copy floats to the device. */
static GpuArray upload(gpucontext *ctx, unsigned int nd, const size_t *dims,
                       const float *host, size_t bytes) {
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER), "memory");
  check(GpuArray_write(&a, host, bytes), "write");
  return a;
}

static void draw(const gg_func *f, const char *path) {
  FILE *dot = fopen(path, "w");
  if (dot == NULL || gg_func_dot(f, dot) != GA_NO_ERROR || fclose(dot) != 0)
    check(GA_SYS_ERROR, path);
}

int main(int argc, char **argv) {
  static data d;
  int steps = argc > 1 ? atoi(argv[1]) : 10000;
  gpucontext *ctx;
  make_data(&d);
  check(gpucontext_open(&ctx, NULL), "no device");
  gg_graph *g = gg_graph_new(ctx);
  model m = build(g, d.w);
  GpuArray x = upload(ctx, 2, (size_t[]){N, FEATS}, d.x[0], sizeof d.x);
  GpuArray y = upload(ctx, 1, (size_t[]){N}, d.y, sizeof d.y);

  /* Calls make their outputs and use them again. They do not wait. */
  GpuArray prediction = {0}, xent = {0};
  for (int i = 0; i < steps; i++)
    check(gg_func_call(m.train, (GpuArray *[]){&x, &y},
                       (GpuArray *[]){&prediction, &xent}),
          "train");
  gg_func_print(m.train, stdout);
  if (argc > 2)
    draw(m.train, argv[2]);

  unsigned char p[N];
  int right = 0;
  check(
      gg_func_call(m.predict, (GpuArray *[]){&x}, (GpuArray *[]){&prediction}),
      "predict");
  check(GpuArray_read(p, sizeof p, &prediction), "read");
  for (int i = 0; i < N; i++)
    right += p[i] == d.y[i];
  printf("%d of %d right after %d steps\n", right, N, steps);

  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&prediction);
  GpuArray_clear(&xent);
  gg_func_free(m.train);
  gg_func_free(m.predict);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

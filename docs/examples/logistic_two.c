/* SPDX-License-Identifier: BSD-2-Clause */
/* Logistic regression on two devices: each has half of the examples. The
 * parameters are on the first; the second gets them by a transfer, whose
 * gradient is the way back.
 *
 *   logistic_two [steps]
 *
 * The devices are those of GPUARRAY_DEVICE and GPUARRAY_DEVICE2; without the
 * latter it is the first one once more. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, FEATS = 784, DEVICES = 2 };

typedef struct data {
  float x[N][FEATS], y[N]; /* examples, labels */
} data;

typedef struct model {
  gg_var *w, *b; /* parameters, on the first device */
  gg_func *train;
} model;

/* End the program if a call failed. */
static void check(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "logistic_two: %s: %s\n", what, gpuarray_error_text(err));
  exit(1);
}

/* Examples whose class a plane decides. */
static void make_data(data *d) {
  uint32_t s = 22;
  for (int i = 0; i < N; i++) {
    float side = 0;
    for (int j = 0; j < FEATS; j++) {
      s = s * 1664525u + 1013904223u;
      d->x[i][j] = (float)(s >> 8) / (1 << 23) - 1;
      side += j % 3 == 0 ? d->x[i][j] : -0.5f * d->x[i][j];
    }
    d->y[i] = side > 0;
  }
}

/* What the examples of one device add to the mean over all. */
static gg_var *cost_of(const model *m, gg_var *x, gg_var *y) {
  gg_graph *g = gg_var_graph(x);
  gpucontext *here = gg_var_context(x), *first = gg_graph_context(g);
  gg_var *w = gg_transfer(m->w, here), *b = gg_transfer(m->b, here);
  gg_var *p_1 = gg_sigmoid(gg_add(gg_dot(x, w), b)), *one = gg_f32(g, 1);
  gg_var *xent =
      gg_neg(gg_add(gg_mul(y, gg_log(p_1)),
                    gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p_1)))));
  return gg_transfer(gg_div(gg_sum(xent), gg_f32(g, N)), first);
}

/* Training on n devices takes x and y of each. */
static model build(gg_graph *g, int n, gpucontext *const *ctx) {
  static const float zeros[FEATS];
  model m = {.w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){FEATS}, zeros),
             .b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, zeros)};
  gg_var *in[2 * DEVICES + 1] = {NULL}, *grad[2], *rate = gg_f32(g, 0.1f);
  gg_var *cost = gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(m.w)));
  for (int i = 0; i < n; i++) {
    gg_var *x = in[2 * i] = gg_input_in(g, ctx[i], "x", GA_FLOAT, 2, NULL);
    gg_var *y = in[2 * i + 1] = gg_input_in(g, ctx[i], "y", GA_FLOAT, 1, NULL);
    cost = gg_add(cost, cost_of(&m, x, y));
  }
  gg_grad(grad, cost, 2, (gg_var *[]){m.w, m.b});
  gg_func_spec train = {
      .name = "train",
      .inputs = in,
      .outputs = GG_VARS(cost),
      .updates = GG_UPDATES({m.w, gg_sub(m.w, gg_mul(rate, grad[0]))},
                            {m.b, gg_sub(m.b, gg_mul(rate, grad[1]))})};
  check(gg_func_new(&m.train, g, &train), "compile");
  return m;
}

/* Copy floats to a device. */
static GpuArray upload(gpucontext *ctx, unsigned int nd, const size_t *dims,
                       const float *host) {
  size_t n = nd == 2 ? dims[0] * dims[1] : dims[0];
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER), "memory");
  check(GpuArray_write(&a, host, n * sizeof *host), "write");
  return a;
}

/* Train on n devices; returns the cost of the last step. */
static float train(const model *m, int n, gpucontext *const *ctx, const data *d,
                   int steps) {
  const size_t share = N / (size_t)n;
  GpuArray in[2 * DEVICES], cost = {0}, *args[2 * DEVICES];
  float last;
  for (int i = 0; i < n; i++) {
    const size_t from = (size_t)i * share;
    in[2 * i] = upload(ctx[i], 2, (size_t[]){share, FEATS}, d->x[from]);
    in[2 * i + 1] = upload(ctx[i], 1, &share, d->y + from);
  }
  for (int k = 0; k < 2 * n; k++)
    args[k] = &in[k];
  for (int k = 0; k < steps; k++) /* calls do not wait */
    check(gg_func_call(m->train, args, (GpuArray *[]){&cost}), "train");
  check(GpuArray_read(&last, sizeof last, &cost), "read");
  for (int k = 0; k < 2 * n; k++)
    GpuArray_clear(&in[k]);
  GpuArray_clear(&cost);
  return last;
}

int main(int argc, char **argv) {
  static data d;
  int steps = argc > 1 ? atoi(argv[1]) : 1000;
  gpucontext *ctx[DEVICES];
  make_data(&d);
  check(gpucontext_open(&ctx[0], NULL), "no device");
  check(gpucontext_open(&ctx[1], getenv("GPUARRAY_DEVICE2")), "no device");
  gg_context_register("first", ctx[0]); /* for what is printed */
  gg_context_register("second", ctx[1]);
  gg_graph *g = gg_graph_new(ctx[0]);
  model m = build(g, DEVICES, ctx);
  gg_func_print(m.train, stdout);
  float cost = train(&m, DEVICES, ctx, &d, steps);
  printf("cost %.6f after %d steps\n", (double)cost, steps);

  gg_func_free(m.train);
  gg_graph_free(g);
  gg_context_unregister("first");
  gg_context_unregister("second");
  gpucontext_deref(ctx[0]);
  gpucontext_deref(ctx[1]);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A model trained and saved by one process, and used by another.
 *
 *   save_model train FILE      learn to tell two spirals apart, save the model
 *                              to FILE and its predictions to FILE.expected
 *   save_model predict FILE    load it, predict, compare to the last bit, then
 *                              train on from where it was
 *
 * The second process knows nothing of the model but the names of its functions.
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400, HIDDEN = 32, CLASSES = 2, STEPS = 1500, MORE_STEPS = 100 };

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* --- the data: two spirals, point by point in turn --- */

typedef struct data {
  GpuArray x, y; /* float32[N, 2], int64[N] */
} data;

static void make_data(data *d, gpucontext *ctx) {
  static float x[N][2];
  static int64_t y[N];
  for (int i = 0; i < N; i++) {
    double r = (double)(i / 2 + 10) / N, turn = 12 * r + 3.14159265 * (i % 2);
    x[i][0] = (float)(r * cos(turn));
    x[i][1] = (float)(r * sin(turn));
    y[i] = i % 2;
  }
  int err =
      GpuArray_empty(&d->x, ctx, GA_FLOAT, 2, (size_t[]){N, 2}, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&d->y, ctx, GA_LONG, 1, (size_t[]){N}, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(&d->x, x, sizeof x);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(&d->y, y, sizeof y);
  if (err != GA_NO_ERROR)
    fail("data", gpucontext_error(ctx, err));
}

/* --- the model --- */

/* Numbers that look random, the same on every machine. */
static gg_var *weights(gg_graph *g, const char *name, size_t rows,
                       size_t columns, double scale) {
  static float v[HIDDEN * HIDDEN];
  static uint32_t s = 1;
  for (size_t i = 0; i < rows * columns; i++) {
    s = s * 1664525 + 1013904223;
    v[i] = (float)(scale * ((double)(s >> 8) / (1 << 23) - 1));
  }
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){rows, columns}, v);
}

static gg_var *zeros(gg_graph *g, const char *name, size_t n) {
  static const float v[HIDDEN] = {0};
  return gg_shared_host(g, name, GA_FLOAT, 1, &n, v);
}

enum { W1, B1, W2, B2, W3, B3, PARAMETERS };

/* Two hidden layers; gradient descent with momentum. What it is for goes into
 * the graph by name. */
static void build(gg_graph *g) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2});
  gg_var *y = gg_input(g, "y", GA_LONG, 1);
  gg_var *p[PARAMETERS] = {[W1] = weights(g, "w1", 2, HIDDEN, 1.5),
                           [B1] = zeros(g, "b1", HIDDEN),
                           [W2] = weights(g, "w2", HIDDEN, HIDDEN, 0.3),
                           [B2] = zeros(g, "b2", HIDDEN),
                           [W3] = weights(g, "w3", HIDDEN, CLASSES, 0.3),
                           [B3] = zeros(g, "b3", CLASSES)};
  gg_var *h1 = gg_tanh(gg_add(gg_dot(x, p[W1]), p[B1]));
  gg_var *h2 = gg_tanh(gg_add(gg_dot(h1, p[W2]), p[B2]));
  gg_var *z = gg_named(gg_add(gg_dot(h2, p[W3]), p[B3]), "z");
  gg_var *probability = gg_named(gg_softmax(z), "probability");
  gg_var *cost = gg_named(gg_mean(gg_crossentropy(probability, y)), "cost");
  gg_var *grad[PARAMETERS];
  gg_update updates[2 * PARAMETERS + 1] = {{NULL, NULL}};
  if (gg_grad(grad, cost, PARAMETERS, p) != GA_NO_ERROR)
    fail("gradient", gg_graph_error(g));
  for (int i = 0; i < PARAMETERS; i++) {
    char name[16];
    size_t rows = i % 2 == 0 && i != W1 ? HIDDEN : 2;
    size_t columns = i == W3 || i == B3 ? CLASSES : HIDDEN;
    snprintf(name, sizeof name, "v%d", i);
    gg_var *v = i % 2 == 0 ? weights(g, name, rows, columns, 0)
                           : zeros(g, name, columns);
    gg_var *step =
        gg_sub(gg_mul(gg_f32(g, 0.9f), v), gg_mul(gg_f32(g, 0.1f), grad[i]));
    updates[2 * i] = (gg_update){v, step};
    updates[2 * i + 1] = (gg_update){p[i], gg_add(p[i], step)};
  }
  gg_graph_add_func(g, &(gg_func_spec){.name = "predict",
                                       .inputs = GG_VARS(x),
                                       .outputs = GG_VARS(probability)});
  gg_graph_add_func(g, &(gg_func_spec){.name = "train",
                                       .inputs = GG_VARS(x, y),
                                       .outputs = GG_VARS(cost),
                                       .updates = updates});
  if (gg_graph_status(g) != GA_NO_ERROR)
    fail("model", gg_graph_error(g));
}

/* --- its functions, by name --- */

static gg_func *compile(gg_graph *g, const char *name) {
  gg_func *f = NULL;
  const gg_func_spec *spec = gg_graph_func(g, name);
  if (spec == NULL)
    fail("there is no function", name);
  if (gg_func_new(&f, g, spec) != GA_NO_ERROR)
    fail(name, gg_graph_error(g));
  return f;
}

/* Take steps; the last one's cost. */
static float train(gg_graph *g, data *d, int steps) {
  gg_func *f = compile(g, "train");
  GpuArray out = {0};
  float cost = 0;
  for (int i = 0; i < steps; i++)
    if (gg_func_call(f, (GpuArray *[]){&d->x, &d->y}, (GpuArray *[]){&out}) !=
        GA_NO_ERROR)
      fail("train", gg_func_error(f));
  int err = GpuArray_read(&cost, sizeof cost, &out);
  if (err != GA_NO_ERROR)
    fail("cost", GpuArray_error(&out, err));
  GpuArray_clear(&out);
  gg_func_free(f);
  return cost;
}

static void predict(gg_graph *g, data *d, float p[N][CLASSES]) {
  gg_func *f = compile(g, "predict");
  GpuArray out = {0};
  if (gg_func_call(f, (GpuArray *[]){&d->x}, (GpuArray *[]){&out}) !=
      GA_NO_ERROR)
    fail("predict", gg_func_error(f));
  int err = GpuArray_read(p, sizeof(float[N][CLASSES]), &out);
  if (err != GA_NO_ERROR)
    fail("predictions", GpuArray_error(&out, err));
  GpuArray_clear(&out);
  gg_func_free(f);
}

static int count_right(float p[N][CLASSES]) {
  int right = 0;
  for (int i = 0; i < N; i++)
    right += (p[i][1] > p[i][0]) == (i % 2);
  return right;
}

/* --- the two processes --- */

static FILE *open_expected(const char *model, const char *mode) {
  char path[1024];
  snprintf(path, sizeof path, "%s.expected", model);
  FILE *f = fopen(path, mode);
  if (f == NULL)
    fail("cannot open", path);
  return f;
}

static void run_train(gg_graph *g, data *d, const char *model) {
  static float p[N][CLASSES];
  build(g);
  printf("cost %g before, ", (double)train(g, d, 1));
  printf("%g after %d steps\n", (double)train(g, d, STEPS), STEPS);
  predict(g, d, p);
  printf("%d of %d right\n", count_right(p), N);
  if (count_right(p) < N * 95 / 100)
    fail("training", "too few are right");
  if (gg_graph_save(g, model) != GA_NO_ERROR)
    fail("save", gg_graph_error(g));
  FILE *f = open_expected(model, "wb");
  if (fwrite(p, sizeof p, 1, f) != 1 || fclose(f) != 0)
    fail("write", "predictions");
}

static void run_predict(gg_graph *g, data *d, const char *model) {
  static float p[N][CLASSES], expected[N][CLASSES];
  if (gg_graph_load(g, model) != GA_NO_ERROR)
    fail("load", gg_graph_error(g));
  FILE *f = open_expected(model, "rb");
  if (fread(expected, sizeof expected, 1, f) != 1)
    fail("read", "predictions");
  fclose(f);
  predict(g, d, p);
  if (memcmp(p, expected, sizeof p) != 0)
    fail("predictions", "they differ");
  printf("%d predictions are the same to the last bit\n", N);
  /* Momentum and all are there: it goes on as if nothing had happened. */
  printf("cost %g after %d more steps\n", (double)train(g, d, MORE_STEPS),
         MORE_STEPS);
}

int main(int argc, char **argv) {
  if (argc != 3 ||
      (strcmp(argv[1], "train") != 0 && strcmp(argv[1], "predict") != 0)) {
    fprintf(stderr, "usage: save_model train|predict FILE\n");
    return 2;
  }
  gpucontext *ctx = NULL;
  int err = gpucontext_open(&ctx, NULL);
  if (err != GA_NO_ERROR)
    fail("no device", gpucontext_error(NULL, err));
  gpucontext_guard_indices(ctx, 1); /* those out of range are errors */
  gg_graph *g = gg_graph_new(ctx);
  data d = {0};
  make_data(&d, ctx);
  if (strcmp(argv[1], "train") == 0)
    run_train(g, &d, argv[2]);
  else
    run_predict(g, &d, argv[2]);
  GpuArray_clear(&d.x);
  GpuArray_clear(&d.y);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

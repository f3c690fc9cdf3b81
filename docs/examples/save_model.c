/* SPDX-License-Identifier: BSD-2-Clause */
/* A model trained and saved by one process, and used by another.
 *
 *   save_model train FILE      learn to tell two spirals apart, and save
 *   save_model predict FILE    load, predict, and train on from there
 *
 * The second process knows nothing of the model but the names of its functions.
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400, HIDDEN = 32, CLASSES = 2, STEPS = 1500, MORE_STEPS = 100 };

typedef struct data {
  GpuArray x, y; /* float32[N, 2], int64[N] */
} data;

/* End the program if a call failed. */
static void check(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "save_model: %s: %s\n", what, gpuarray_error_text(err));
  exit(1);
}

/* Two spirals, point by point in turn. */
static data make_data(gpucontext *ctx) {
  static float x[N][2];
  static int64_t y[N];
  data d;
  for (int i = 0; i < N; i++) {
    double r = (double)(i / 2 + 10) / N, turn = 12 * r + 3.14159265 * (i % 2);
    x[i][0] = (float)(r * cos(turn));
    x[i][1] = (float)(r * sin(turn));
    y[i] = i % 2;
  }
  check(GpuArray_empty(&d.x, ctx, GA_FLOAT, 2, (size_t[]){N, 2}, GA_C_ORDER),
        "memory");
  check(GpuArray_empty(&d.y, ctx, GA_LONG, 1, (size_t[]){N}, GA_C_ORDER),
        "memory");
  check(GpuArray_write(&d.x, x, sizeof x), "write");
  check(GpuArray_write(&d.y, y, sizeof y), "write");
  return d;
}

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

static gg_var *layer(gg_var *x, gg_var *w, gg_var *b) {
  return gg_add(gg_dot(x, w), b);
}

/* Two hidden layers; gradient descent with momentum. What it is for goes into
 * the graph by name. Errors of building stick to the graph. */
static void build(gg_graph *g) {
  enum { W1, B1, W2, B2, W3, B3, PARAMETERS };
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2});
  gg_var *y = gg_input(g, "y", GA_LONG, 1);
  gg_var *p[] = {[W1] = weights(g, "w1", 2, HIDDEN, 1.5),
                 [B1] = weights(g, "b1", 1, HIDDEN, 0),
                 [W2] = weights(g, "w2", HIDDEN, HIDDEN, 0.3),
                 [B2] = weights(g, "b2", 1, HIDDEN, 0),
                 [W3] = weights(g, "w3", HIDDEN, CLASSES, 0.3),
                 [B3] = weights(g, "b3", 1, CLASSES, 0)};
  gg_var *h1 = gg_tanh(layer(x, p[W1], p[B1]));
  gg_var *h2 = gg_tanh(layer(h1, p[W2], p[B2]));
  gg_var *probability =
      gg_named(gg_softmax(layer(h2, p[W3], p[B3])), "probability");
  gg_var *cost = gg_named(gg_mean(gg_crossentropy(probability, y)), "cost");
  gg_var *grad[PARAMETERS];
  gg_update updates[2 * PARAMETERS + 1] = {{NULL, NULL}};
  gg_grad(grad, cost, PARAMETERS, p);
  for (int i = 0; i < PARAMETERS; i++) {
    static const size_t rows[] = {2, 1, HIDDEN, 1, HIDDEN, 1};
    gg_var *v = weights(g, NULL, rows[i], i < W3 ? HIDDEN : CLASSES, 0);
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
  check(gg_graph_status(g), "model");
}

/* Call the function of this name `times` times; its last result. */
static void call(gg_graph *g, const char *name, data *d, int times,
                 void *result, size_t bytes) {
  GpuArray out = {0};
  gg_func *f;
  check(gg_func_new(&f, g, gg_graph_func(g, name)), name);
  for (int i = 0; i < times; i++)
    check(gg_func_call(f, (GpuArray *[]){&d->x, &d->y}, (GpuArray *[]){&out}),
          name);
  check(GpuArray_read(result, bytes, &out), "read");
  GpuArray_clear(&out);
  gg_func_free(f);
}

static int count_right(gg_graph *g, data *d) {
  float p[N][CLASSES];
  int right = 0;
  call(g, "predict", d, 1, p, sizeof p);
  for (int i = 0; i < N; i++)
    right += (p[i][1] > p[i][0]) == (i % 2);
  return right;
}

int main(int argc, char **argv) {
  int is_new = argc == 3 && strcmp(argv[1], "train") == 0;
  int steps = is_new ? STEPS : MORE_STEPS;
  float cost;
  gpucontext *ctx;
  if (argc != 3 || (!is_new && strcmp(argv[1], "predict") != 0)) {
    fprintf(stderr, "usage: save_model train|predict FILE\n");
    return 2;
  }
  check(gpucontext_open(&ctx, NULL), "no device");
  gpucontext_guard_indices(ctx, 1); /* those out of range are errors */
  gg_graph *g = gg_graph_new(ctx);
  data d = make_data(ctx);
  if (is_new)
    build(g);
  else
    check(gg_graph_load(g, argv[2]), "load");
  printf("%d of %d right before training, ", count_right(g, &d), N);
  /* Momentum is in the file, too: training goes on as if nothing happened. */
  call(g, "train", &d, steps, &cost, sizeof cost);
  printf("%d after %d steps; cost %g\n", count_right(g, &d), steps,
         (double)cost);
  if (is_new)
    check(gg_graph_save(g, argv[2]), "save");
  GpuArray_clear(&d.x);
  GpuArray_clear(&d.y);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

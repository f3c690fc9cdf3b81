/* SPDX-License-Identifier: BSD-2-Clause */
/* Fine-tuning: a classifier is loaded from a model in the ONNX format, its last
 * layer is replaced by one with ten classes and trained on Fashion-MNIST, and
 * the result is saved as a model. What comes before the last layer stays.
 *
 *   fashion_tune [--model FILE] [--output FILE] [--data FOLDER] [--steps N]
 *                [--accuracy A]
 *
 * The model's input is images of 784 floats; its last product is that of the
 * last layer. Without --model the program first makes one, which tells shoes
 * and bags from the rest. Fails when the accuracy on the test images is below
 * --accuracy. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"

enum { UNITS = 64, BATCH = 128 };

typedef struct options {
  const char *model, *output, *data;
  long steps;
  double accuracy;
} options;

static int failed(const char *what, const char *why) {
  fprintf(stderr, "fashion_tune: %s: %s\n", what, why);
  return -1;
}

static int parse(options *o, int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    if (strcmp(argv[i], "--model") == 0)
      o->model = value;
    else if (strcmp(argv[i], "--output") == 0)
      o->output = value;
    else if (strcmp(argv[i], "--data") == 0)
      o->data = value;
    else if (strcmp(argv[i], "--steps") == 0)
      o->steps = atol(value);
    else if (strcmp(argv[i], "--accuracy") == 0)
      o->accuracy = atof(value);
    else
      return failed("unknown option", argv[i]);
  }
  return argc % 2 != 0 && o->steps > 0 ? 0 : failed("usage", "see its source");
}

/* --- layers --- */

/* Weights of a layer, which a fixed generator draws. */
static gg_var *weights(gg_graph *g, const char *name, size_t rows,
                       size_t cols) {
  const size_t dims[2] = {rows, cols};
  const float most = sqrtf(6.0f / (float)(rows + cols));
  float *v = malloc(rows * cols * sizeof *v);
  unsigned int seed = 1;
  if (v == NULL)
    return NULL;
  for (size_t i = 0; i < rows * cols; i++) {
    seed = seed * 1664525u + 1013904223u;
    v[i] = most * ((float)(seed >> 8) / (1 << 23) - 1);
  }
  gg_var *w = gg_shared_host(g, name, GA_FLOAT, 2, dims, v);
  free(v);
  return w;
}

static gg_var *layer(gg_var *x, gg_var *w, gg_var *b) {
  return gg_add(gg_dot(x, w), b);
}

/* A function of the first image of a batch. A call makes a step of the training
 * below. */
static int make_step(gg_func **f, gg_var *x, gg_var *p, size_t n,
                     gg_var *const *params, const dataset *d, const int *map) {
  gg_graph *g = gg_var_graph(p);
  const size_t classes = CLASSES;
  gg_var *first = gg_input(g, "first", GA_LONG, 0), *grad[4];
  gg_var *batch =
      gg_add(first, gg_arange(gg_i64(g, 0), gg_i64(g, BATCH), gg_i64(g, 1)));
  gg_var *images = gg_take(dataset_share(g, "", &d->images), batch);
  gg_var *labels = gg_take(gg_constant(g, GA_INT, 1, &classes, map),
                           gg_take(dataset_share(g, "", &d->labels), batch));
  gg_var *pixels = gg_mul(gg_cast(images, GA_FLOAT), gg_f32(g, 1.0f / 255));
  gg_var *cost = gg_mean(gg_crossentropy(p, labels)), *list[5];
  gg_update updates[5] = {{NULL, NULL}};

  list[0] = cost;
  int err = gg_grad(grad, cost, (unsigned int)n, params);
  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++)
    list[1 + i] = gg_sub(params[i], gg_mul(gg_f32(g, 0.2f), grad[i]));
  if (err == GA_NO_ERROR)
    err = gg_replace(list, (unsigned int)n + 1, list, GG_GIVENS({x, pixels}));
  for (size_t i = 0; i < n; i++)
    updates[i] = (gg_update){params[i], list[1 + i]};
  if (err == GA_NO_ERROR)
    err = gg_func_new(f, g,
                      &(gg_func_spec){.name = "train",
                                      .inputs = GG_VARS(first),
                                      .updates = updates});
  return err;
}

/* Train `params` so that p, computed from images x, gives the classes that
 * `map` makes of labels. */
static int train(gg_var *x, gg_var *p, size_t n, gg_var *const *params,
                 const dataset *d, const int *map, long steps) {
  gg_func *f = NULL;
  int err = make_step(&f, x, p, n, params, d, map);

  for (long i = 0; err == GA_NO_ERROR && i < steps; i++) {
    int64_t at = i * BATCH % ((int64_t)d->labels.n - BATCH);
    const gg_host_array in = {GA_LONG, 0, {0}, &at, sizeof at};
    err = gg_func_call_host(f, (const gg_host_array *[]){&in}, NULL);
  }
  if (err != GA_NO_ERROR)
    failed("training", gpuarray_error_text(err));
  gg_func_free(f);
  return err == GA_NO_ERROR ? 0 : -1;
}

static int save(gg_var *x, gg_var *p, const char *path) {
  const int err = gg_onnx_save(
      &(gg_func_spec){
          .name = "fashion", .inputs = GG_VARS(x), .outputs = GG_VARS(p)},
      path, &(gg_onnx_save_options){.axes = GG_ONNX_AXES({x, 0, "batch"})});
  return err == GA_NO_ERROR ? 0 : failed("saving", gpuarray_error_text(err));
}

/* --- the model to begin with --- */

static int make_model(gpucontext *ctx, const char *path, const dataset *d,
                      long steps) {
  static const int is_other[CLASSES] = {0, 0, 0, 0, 0, 1, 0, 1, 1, 1};
  const int64_t dims[] = {GG_ANY, PIXELS};
  const float zeros[UNITS] = {0};
  const size_t units = UNITS, two = 2;
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input_sized(g, "image", GA_FLOAT, 2, dims);
  gg_var *w = weights(g, "w1", PIXELS, UNITS), *v = weights(g, "w2", UNITS, 2);
  gg_var *b = gg_shared_host(g, "b1", GA_FLOAT, 1, &units, zeros);
  gg_var *c = gg_shared_host(g, "b2", GA_FLOAT, 1, &two, zeros);
  gg_var *p = gg_softmax(layer(gg_relu(layer(x, w, b)), v, c));

  gg_named(p, "p");
  int failure = train(x, p, 4, (gg_var *[]){w, b, v, c}, d, is_other, steps);
  if (failure == 0)
    failure = save(x, p, path);
  gg_graph_free(g);
  return failure;
}

/* --- the new layer --- */

/* What the last product before v multiplies with weights, or NULL. */
static gg_var *features(gg_var *v) {
  const gg_apply *a = gg_var_owner(v);

  while (a != NULL && strcmp(a->op->name, "dot") != 0)
    a = gg_var_owner(a->in[0]);
  return a == NULL ? NULL : a->in[0];
}

static double accuracy(gg_var *x, gg_var *p, const dataset *d) {
  gg_graph *g = gg_var_graph(p);
  gg_var *images = dataset_share(g, "", &d->images);
  gg_var *labels = dataset_share(g, "", &d->labels);
  gg_var *pixels = gg_mul(gg_cast(images, GA_FLOAT), gg_f32(g, 1.0f / 255));
  gg_var *right = gg_mean(
      gg_cast(gg_eq(gg_argmax_axis(p, 1), gg_cast(labels, GA_LONG)), GA_FLOAT));
  GpuArray out = {0};
  float share = 0;

  if (gg_replace(&right, 1, &right, GG_GIVENS({x, pixels})) != GA_NO_ERROR ||
      gg_eval(right, NULL, &out) != GA_NO_ERROR ||
      GpuArray_read(&share, sizeof share, &out) != GA_NO_ERROR)
    failed("testing", gg_graph_error(g));
  GpuArray_clear(&out);
  return share;
}

static int tune(gg_graph *g, const gg_onnx *m, const options *o,
                const dataset *train_set, const dataset *test_set) {
  static const int same[CLASSES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const float zeros[CLASSES] = {0};
  const size_t classes = CLASSES;
  gg_var *x = gg_onnx_inputs(m)[0], *h = features(gg_onnx_outputs(m)[0]);

  if (h == NULL || gg_var_type(h)->nd != 2 || gg_var_type(h)->dims[1] < 1)
    return failed("the model", "no last layer was found");
  gg_var *w = weights(g, "new_w", (size_t)gg_var_type(h)->dims[1], CLASSES);
  gg_var *b = gg_shared_host(g, "new_b", GA_FLOAT, 1, &classes, zeros);
  gg_var *p = gg_named(gg_softmax(layer(h, w, b)), "classes");
  if (train(x, p, 2, (gg_var *[]){w, b}, train_set, same, o->steps) != 0 ||
      save(x, p, o->output) != 0)
    return -1;
  const double share = accuracy(x, p, test_set);
  printf("%.3f of the test images are right; saved as %s\n", share, o->output);
  return share >= o->accuracy ? 0 : failed("accuracy", "less than expected");
}

static int run(const options *o, gpucontext *ctx, const dataset *train_set,
               const dataset *test_set) {
  const char *path = o->model != NULL ? o->model : o->output;
  gg_onnx *m = NULL;

  if (train_set->labels.n <= BATCH)
    return failed("data", "too few images");
  if (o->model == NULL && make_model(ctx, path, train_set, o->steps) != 0)
    return -1;
  gg_graph *g = gg_graph_new(ctx);
  int err = gg_onnx_open(&m, path);
  if (err == GA_NO_ERROR)
    err = gg_onnx_load(m, g, NULL);
  int failure = err == GA_NO_ERROR
                    ? tune(g, m, o, train_set, test_set)
                    : failed("loading", gpuarray_error_text(err));
  gg_onnx_close(m);
  gg_graph_free(g);
  return failure;
}

int main(int argc, char **argv) {
  options o = {.output = "fashion_tune.onnx",
               .data = "/usr/share/datasets/fashion-mnist",
               .steps = 400};
  dataset sets[2] = {{{0}, {0}}, {{0}, {0}}};
  gpucontext *ctx = NULL;
  char why[1200];

  if (parse(&o, argc, argv) != 0)
    return 2;
  int err = gpucontext_open(&ctx, NULL);
  int failure =
      err == GA_NO_ERROR ? 0 : failed("no device", gpuarray_error_text(err));
  if (failure == 0 &&
      (dataset_read(&sets[0], o.data, "train", why, sizeof why) != 0 ||
       dataset_read(&sets[1], o.data, "t10k", why, sizeof why) != 0))
    failure = failed("data", why);
  if (failure == 0)
    failure = run(&o, ctx, &sets[0], &sets[1]);
  dataset_clear(&sets[0]);
  dataset_clear(&sets[1]);
  if (ctx != NULL)
    gpucontext_deref(ctx);
  return failure == 0 ? 0 : 1;
}

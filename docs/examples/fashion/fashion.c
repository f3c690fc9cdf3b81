/* SPDX-License-Identifier: BSD-2-Clause */
/* Multinomial logistic regression on Fashion-MNIST: softmax, cross-entropy,
 * shuffled mini-batches, a decaying step, the gradient by the library. Writes
 * a report page with the compiled graph, the loss and the profile.
 *
 *   fashion [--epochs N] [--data FOLDER] [--report FILE]
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataset.h"
#include "page.h"
#include "progress.h"

enum { BATCH = 128 };

typedef struct options {
  int epochs;
  const char *data, *report;
} options;

typedef struct model {
  gg_graph *g;
  gg_var *rate;
  gg_func *train, *test;
} model;

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const char *what, const char *why) {
  fprintf(stderr, "fashion: %s: %s\n", what, why);
  return -1;
}

static int parse(options *o, int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--epochs") == 0)
      o->epochs = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--data") == 0)
      o->data = argv[i + 1];
    else if (strcmp(argv[i], "--report") == 0)
      o->report = argv[i + 1];
    else
      return failed("unknown option", argv[i]);
  }
  if (argc % 2 == 0 || o->epochs < 1)
    return failed("usage", "fashion [--epochs N] [--data FOLDER] "
                           "[--report FILE]");
  return 0;
}

static int load(dataset *d, const char *folder, const char *part) {
  char why[1200];
  return dataset_read(d, folder, part, why, sizeof why) == 0
             ? 0
             : failed("data", why);
}

/* Bytes to numbers between 0 and 1. */
static gg_var *pixels(gg_graph *g, gg_var *bytes) {
  return gg_mul(gg_cast(bytes, GA_FLOAT), gg_f32(g, 1.0f / 255));
}

/* How far a step goes: a tenth less each epoch. */
static float step_size(int epoch) {
  return 0.3f * powf(0.9f, (float)epoch);
}

static int build(model *m, gpucontext *ctx, const dataset *train,
                 const dataset *test) {
  static const float zeros[PIXELS * CLASSES];
  const float rate0 = step_size(0);
  size_t wdims[2] = {PIXELS, CLASSES}, bdims[1] = {CLASSES};
  gg_graph *g = m->g = gg_graph_new(ctx);
  gg_var *images = dataset_share(g, "images", &train->images);
  gg_var *labels = dataset_share(g, "labels", &train->labels);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, wdims, zeros);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 1, bdims, zeros);
  gg_var *rate = m->rate = gg_shared_host(g, "rate", GA_FLOAT, 0, NULL, &rate0);

  gg_var *batch = gg_input(g, "batch", GA_INT, 1);
  gg_var *x = gg_named(pixels(g, gg_take(images, batch)), "x");
  gg_var *y = gg_named(gg_take(labels, batch), "y");
  gg_var *p = gg_softmax(gg_add(gg_dot(x, w), b));
  gg_var *cost = gg_mean(gg_crossentropy(p, y));

  /* The gradient of rate * cost is the step itself. */
  gg_var *step[2];
  gg_grad(step, gg_mul(rate, cost), 2, (gg_var *[]){w, b});
  int err = gg_func_new(&m->train, g,
                        &(gg_func_spec){
                            .name = "train",
                            .inputs = GG_VARS(batch),
                            .outputs = GG_VARS(cost),
                            .updates = GG_UPDATES({w, gg_sub(w, step[0])},
                                                  {b, gg_sub(b, step[1])}),
                        });
  if (err != GA_NO_ERROR)
    return err;

  gg_var *all = pixels(g, dataset_share(g, "test images", &test->images));
  gg_var *truth =
      gg_cast(dataset_share(g, "test labels", &test->labels), GA_LONG);
  gg_var *guess = gg_argmax_axis(gg_add(gg_dot(all, w), b), 1);
  gg_var *right = gg_mean(gg_cast(gg_eq(guess, truth), GA_FLOAT));
  return gg_func_new(&m->test, g,
                     &(gg_func_spec){
                         .name = "test",
                         .outputs = GG_VARS(right),
                     });
}

/* A random order of 0 .. n - 1 (Fisher and Yates; xorshift64*). */
static void shuffle(int32_t *order, size_t n, uint64_t *s) {
  for (size_t i = n; i > 1; i--) {
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    size_t j = (size_t)((*s * 2685821657736338717u) >> 32) % i;
    int32_t t = order[i - 1];
    order[i - 1] = order[j];
    order[j] = t;
  }
}

/* The state of a run on the device. */
typedef struct run {
  gpucontext *ctx;
  model m;
  size_t n, steps_per_epoch;
  int32_t *host_order;
  float *host_loss;
  GpuArray order; /* [n] */
  GpuArray loss;  /* [epochs * steps_per_epoch] */
} run;

/* One training step: batch `step` of the epoch's order; the loss goes into its
 * place in r->loss. */
static int train_step(run *r, int epoch, size_t step) {
  size_t at = step * BATCH, count = r->n - at < BATCH ? r->n - at : BATCH;
  size_t place = (size_t)epoch * r->steps_per_epoch + step;
  ssize_t stride = sizeof(int32_t);
  GpuArray batch = {0}, loss = {0};
  int err = GpuArray_fromdata(&batch, r->order.data, at * sizeof(int32_t),
                              GA_INT, 1, &count, &stride, 0);
  if (err == GA_NO_ERROR)
    err = GpuArray_fromdata(&loss, r->loss.data, place * sizeof(float),
                            GA_FLOAT, 0, NULL, NULL, 1);
  if (err == GA_NO_ERROR)
    err =
        gg_func_call(r->m.train, (GpuArray *[]){&batch}, (GpuArray *[]){&loss});
  GpuArray_clear(&batch);
  GpuArray_clear(&loss);
  return err;
}

static int measure(run *r, double *accuracy) {
  GpuArray right = {0};
  float v = 0;
  int err = gg_func_call(r->m.test, NULL, (GpuArray *[]){&right});
  if (err == GA_NO_ERROR)
    err = GpuArray_read(&v, sizeof v, &right);
  GpuArray_clear(&right);
  *accuracy = v;
  return err;
}

static int train_epoch(run *r, const progress *bar, int epoch, uint64_t *seed) {
  float rate = step_size(epoch);
  shuffle(r->host_order, r->n, seed);
  int err = GpuArray_write(&r->order, r->host_order, r->n * sizeof(int32_t));
  if (err == GA_NO_ERROR)
    err = gg_shared_write(r->m.rate, &rate, sizeof rate);
  for (size_t s = 0; s < r->steps_per_epoch && err == GA_NO_ERROR; s++) {
    err = train_step(r, epoch, s);
    if (s % 32 == 0)
      progress_step(bar, epoch + 1, (int)s, (int)r->steps_per_epoch);
  }
  return err != GA_NO_ERROR ? err : GpuArray_sync(&r->loss);
}

/* The mean loss of an epoch. */
static double epoch_loss(const run *r, int epoch) {
  double sum = 0;
  for (size_t s = 0; s < r->steps_per_epoch; s++)
    sum += r->host_loss[(size_t)epoch * r->steps_per_epoch + s];
  return sum / (double)r->steps_per_epoch;
}

static int prepare(run *r, int epochs) {
  size_t steps = (size_t)epochs * r->steps_per_epoch;
  r->host_order = malloc(r->n * sizeof *r->host_order);
  r->host_loss = calloc(steps, sizeof *r->host_loss);
  if (r->host_order == NULL || r->host_loss == NULL)
    return GA_MEMORY_ERROR;
  for (size_t i = 0; i < r->n; i++)
    r->host_order[i] = (int32_t)i;
  int err = GpuArray_empty(&r->order, r->ctx, GA_INT, 1, &r->n, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_zeros(&r->loss, r->ctx, GA_FLOAT, 1, &steps, GA_C_ORDER);
  return err;
}

static int train(run *r, int epochs, double *accuracy, double *seconds) {
  progress bar;
  uint64_t seed = 22;
  size_t bytes = (size_t)epochs * r->steps_per_epoch * sizeof(float);
  progress_start(&bar, epochs);
  for (int e = 0; e < epochs; e++) {
    double t0 = now();
    int err = train_epoch(r, &bar, e, &seed);
    double took = now() - t0;
    *seconds += took;
    /* The last epoch's test comes after the profile of the training steps. */
    if (err == GA_NO_ERROR)
      err = measure(r, accuracy);
    if (err == GA_NO_ERROR)
      err = GpuArray_read(r->host_loss, bytes, &r->loss);
    if (err != GA_NO_ERROR)
      return err;
    progress_epoch(&bar, e + 1, epoch_loss(r, e), *accuracy, took);
  }
  return GA_NO_ERROR;
}

/* A few more steps under the profiler, then the page. */
static int report(run *r, const options *o, const char *device, double accuracy,
                  double seconds) {
  char why[1200];
  int err = gg_func_profile(r->m.train, 1);
  for (size_t s = 0; s < 50 && s < r->n / BATCH && err == GA_NO_ERROR; s++)
    err = train_step(r, 0, s);
  if (err == GA_NO_ERROR)
    err = gg_func_profile_print(r->m.train, stdout);
  if (err != GA_NO_ERROR)
    return failed("profile", gg_func_error(r->m.train));
  page p = {.model = "Multinomial logistic regression",
            .device = device,
            .train = r->m.train,
            .loss = r->host_loss,
            .steps = (size_t)o->epochs * r->steps_per_epoch,
            .steps_per_epoch = r->steps_per_epoch,
            .accuracy = accuracy,
            .seconds = seconds};
  if (page_write(&p, o->report, why, sizeof why) != 0)
    return failed("report", why);
  printf("report written to %s\n", o->report);
  return 0;
}

static int run_all(run *r, const options *o, const dataset *train_set,
                   const dataset *test_set) {
  char device[256];
  int platform, number;
  double accuracy = 0, seconds = 0;
  int err = gpudevice_choose(NULL, &platform, &number, device, sizeof device);
  if (err == GA_NO_ERROR)
    err = gpucontext_open(&r->ctx, NULL);
  if (err != GA_NO_ERROR)
    return failed("no device", gpucontext_error(NULL, err));
  gpucontext_guard_indices(r->ctx, 1); /* those out of range are errors */
  err = build(&r->m, r->ctx, train_set, test_set);
  if (err != GA_NO_ERROR)
    return failed("compile", gg_graph_error(r->m.g));

  r->n = train_set->labels.n;
  r->steps_per_epoch = (r->n + BATCH - 1) / BATCH;
  err = prepare(r, o->epochs);
  if (err != GA_NO_ERROR)
    return failed("memory", gpucontext_error(r->ctx, err));
  printf("training on %s\n", device);
  err = train(r, o->epochs, &accuracy, &seconds);
  if (err != GA_NO_ERROR)
    return failed("training", gg_func_error(r->m.train));
  printf("test accuracy %.4f, %.3f s an epoch\n", accuracy,
         seconds / o->epochs);
  if (report(r, o, device, accuracy, seconds) != 0)
    return -1;
  if (o->epochs >= 30 && accuracy < 0.84)
    return failed("accuracy", "below 0.84 after 30 epochs");
  return 0;
}

int main(int argc, char **argv) {
  options o = {.epochs = 30,
               .data = "/usr/share/datasets/fashion-mnist",
               .report = "fashion.html"};
  dataset train_set = {0}, test_set = {0};
  run r = {0};
  int err = parse(&o, argc, argv);
  if (err == 0)
    err = load(&train_set, o.data, "train");
  if (err == 0)
    err = load(&test_set, o.data, "t10k");
  if (err == 0)
    err = run_all(&r, &o, &train_set, &test_set);

  GpuArray_clear(&r.order);
  GpuArray_clear(&r.loss);
  gg_func_free(r.m.train);
  gg_func_free(r.m.test);
  gg_graph_free(r.m.g);
  if (r.ctx != NULL)
    gpucontext_deref(r.ctx);
  free(r.host_order);
  free(r.host_loss);
  dataset_clear(&train_set);
  dataset_clear(&test_set);
  return err == 0 ? 0 : 1;
}

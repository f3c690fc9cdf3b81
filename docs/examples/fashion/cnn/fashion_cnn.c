/* SPDX-License-Identifier: BSD-2-Clause */
/* A convolutional net on Fashion-MNIST: three convolutions of 3 x 3 with batch
 * normalisation, each behind a rectifier and before a maximum of 2 x 2, a
 * dense layer behind dropout. Batches of 128, half of the images mirrored,
 * steps with momentum 0.9 and a rate that rises and falls once. It got
 * 0.921 of the test images right after eight epochs, which took 486 seconds of
 * computing on two busy cores together. Writes a report page with the compiled
 * graph, the loss, the first layer's filters, the images that the net gets most
 * wrong, and the profile.
 *
 *   fashion_cnn [--epochs N] [--steps N] [--tests N] [--data FOLDER] [--loss L]
 *               [--accuracy A] [--report FILE]
 *
 * --steps ends training early, and --tests limits the images of tests. Fails
 * when the mean loss of the last 20 steps is above --loss or the accuracy at
 * the end is below --accuracy. */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataset.h"
#include "net.h"
#include "page.h"

enum { BATCH = 128, TEST_BATCH = 500 };
enum { LAST = 20 /* steps that are profiled, and whose mean loss is told */ };

typedef struct options {
  int epochs;
  long steps, tests; /* at most; 0: all */
  const char *data, *report;
  double loss, accuracy; /* that are expected */
} options;

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const char *what, const char *why) {
  fprintf(stderr, "fashion_cnn: %s: %s\n", what, why);
  return -1;
}

static int parse(options *o, int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    if (strcmp(argv[i], "--epochs") == 0)
      o->epochs = atoi(value);
    else if (strcmp(argv[i], "--steps") == 0)
      o->steps = atol(value);
    else if (strcmp(argv[i], "--tests") == 0)
      o->tests = atol(value);
    else if (strcmp(argv[i], "--data") == 0)
      o->data = value;
    else if (strcmp(argv[i], "--loss") == 0)
      o->loss = atof(value);
    else if (strcmp(argv[i], "--accuracy") == 0)
      o->accuracy = atof(value);
    else if (strcmp(argv[i], "--report") == 0)
      o->report = value;
    else
      return failed("unknown option", argv[i]);
  }
  if (argc % 2 == 0 || o->epochs < 1 || o->steps < 0 || o->tests < 0)
    return failed("usage",
                  "fashion_cnn [--epochs N] [--steps N] "
                  "[--tests N] [--data FOLDER] [--loss L] [--accuracy A] "
                  "[--report FILE]");
  return 0;
}

static int load(dataset *d, const char *folder, const char *part) {
  char why[1200];
  return dataset_read(d, folder, part, why, sizeof why) == 0
             ? 0
             : failed("data", why);
}

/* --- training --- */

typedef struct run {
  net net;
  const dataset *tests;
  size_t n, n_test; /* images */
  int32_t *order;
  int64_t *guess;   /* [n_test], the class of each test image */
  float *sure;      /* [n_test], the probability of the guess */
  float *loss;      /* [most] */
  long steps, most; /* so far, and in all */
  double accuracy, seconds;
  uint64_t seed;
} run;

static void shuffle(run *r) {
  for (size_t i = r->n; i > 1; i--) {
    size_t j = (size_t)(net_draw(&r->seed) * (double)i);
    int32_t t = r->order[i - 1];
    r->order[i - 1] = r->order[j];
    r->order[j] = t;
  }
}

/* How far a step goes: rises for a fifth of the steps, then falls to 0. */
static float step_size(const run *r) {
  const float most = 0.1f;
  const float part = ((float)r->steps + 1) / ((float)r->most + 1);
  return most * (part < 0.2f ? part / 0.2f : (1 - part) / 0.8f);
}

static int step(run *r, size_t at) {
  const float rate = step_size(r);
  const gg_host_array batch = {
      .dtype = GA_INT, .nd = 1, .dims = {BATCH}, .data = r->order + at};
  const gg_host_array scalar = {.dtype = GA_FLOAT, .data = (void *)&rate};
  gg_host_array loss = {.data = &r->loss[r->steps], .bytes = sizeof(float)};
  int err = GA_NO_ERROR;
  if (r->steps == (r->most > LAST ? r->most - LAST : 0))
    err = gg_func_profile(r->net.train, 1);
  if (err == GA_NO_ERROR)
    err = gg_func_call_host(r->net.train,
                            (const gg_host_array *[]){&batch, &scalar},
                            (gg_host_array *[]){&loss});
  r->steps++;
  return err;
}

static double mean_loss(const run *r) {
  const long n = r->steps < LAST ? r->steps : LAST;
  double sum = 0;
  for (long i = r->steps - n; i < r->steps; i++)
    sum += (double)r->loss[i] / (double)n;
  return sum;
}

static int test(run *r) {
  int32_t order[TEST_BATCH];
  size_t n_right = 0;
  for (size_t at = 0; at < r->n_test; at += TEST_BATCH) {
    const size_t n = r->n_test - at < TEST_BATCH ? r->n_test - at : TEST_BATCH;
    const gg_host_array batch = {
        .dtype = GA_INT, .nd = 1, .dims = {n}, .data = order};
    gg_host_array guess = {.data = r->guess + at, .bytes = n * sizeof(int64_t)};
    gg_host_array sure = {.data = r->sure + at, .bytes = n * sizeof(float)};
    for (size_t i = 0; i < n; i++)
      order[i] = (int32_t)(at + i);
    int err = gg_func_call_host(r->net.test, (const gg_host_array *[]){&batch},
                                (gg_host_array *[]){&guess, &sure});
    if (err != GA_NO_ERROR)
      return err;
  }
  for (size_t i = 0; i < r->n_test; i++)
    n_right += r->guess[i] == r->tests->labels.data[i];
  r->accuracy = (double)n_right / (double)r->n_test;
  return GA_NO_ERROR;
}

/* An epoch has whole batches only; each has others left over. */
static int train(run *r, const options *o) {
  for (int e = 0; e < o->epochs && r->steps < r->most; e++) {
    double start = now();
    int err = GA_NO_ERROR;
    shuffle(r);
    for (size_t at = 0;
         at + BATCH <= r->n && err == GA_NO_ERROR && r->steps < r->most;
         at += BATCH)
      err = step(r, at);
    double took = now() - start;
    r->seconds += took;
    if (err == GA_NO_ERROR)
      err = test(r);
    if (err != GA_NO_ERROR)
      return err;
    printf("epoch %d: %.2f s, loss %.4f, accuracy %.4f\n", e + 1, took,
           mean_loss(r), r->accuracy);
    fflush(stdout);
  }
  return GA_NO_ERROR;
}

/* --- the report --- */

static int report(const run *r, gpucontext *ctx, const char *path) {
  float filters[FILTERS * FILTER_SIDE * FILTER_SIDE];
  char device[256], why[1200];
  int err = gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, device);
  if (err == GA_NO_ERROR)
    err = gg_shared_read(r->net.filters[0], filters, sizeof filters);
  if (err != GA_NO_ERROR)
    return failed("report", gpucontext_error(ctx, err));
  page p = {.model = "A convolutional net",
            .device = device,
            .train = r->net.train,
            .loss = r->loss,
            .steps = (size_t)r->steps,
            .steps_per_epoch = r->n / BATCH,
            .accuracy = r->accuracy,
            .seconds = r->seconds,
            .filters = filters,
            .n_filters = FILTERS,
            .tests = r->tests,
            .n_tests = r->n_test,
            .guess = r->guess,
            .sure = r->sure};
  if (page_write(&p, path, why, sizeof why) != 0)
    return failed("report", why);
  printf("report written to %s\n", path);
  return 0;
}

static int judge(const run *r, const options *o) {
  if (!(mean_loss(r) <= o->loss))
    return failed("loss", "above what was expected");
  if (!(r->accuracy >= o->accuracy))
    return failed("accuracy", "below what was expected");
  return 0;
}

/* How much is to be done, and memory for what comes out. */
static int prepare(run *r, const options *o, const dataset *data) {
  r->tests = &data[1];
  r->n = data[0].labels.n;
  r->n_test = data[1].labels.n;
  if (o->tests != 0 && (size_t)o->tests < r->n_test)
    r->n_test = (size_t)o->tests;
  r->most = (long)o->epochs * (long)(r->n / BATCH);
  if (o->steps != 0 && o->steps < r->most)
    r->most = o->steps;
  r->order = calloc(r->n, sizeof *r->order);
  r->guess = calloc(r->n_test, sizeof *r->guess);
  r->sure = calloc(r->n_test, sizeof *r->sure);
  r->loss = calloc((size_t)r->most, sizeof *r->loss);
  if (r->order == NULL || r->guess == NULL || r->sure == NULL ||
      r->loss == NULL)
    return failed("memory", "there is not enough");
  for (size_t i = 0; i < r->n; i++)
    r->order[i] = (int32_t)i;
  return 0;
}

static int go(run *r, gpucontext *ctx, const options *o, const dataset *data) {
  if (net_build(&r->net, ctx, &data[0], &data[1]) != GA_NO_ERROR)
    return failed("model", gg_graph_error(r->net.g));
  if (prepare(r, o, data) != 0)
    return -1;
  if (train(r, o) != GA_NO_ERROR)
    return failed("training", gpucontext_error(ctx, GA_VALUE_ERROR));
  if (report(r, ctx, o->report) != 0)
    return -1;
  printf("test accuracy %.4f\n", r->accuracy);
  return judge(r, o);
}

int main(int argc, char **argv) {
  options o = {.epochs = 10,
               .data = "/usr/share/datasets/fashion-mnist",
               .report = "fashion_cnn.html",
               .loss = INFINITY};
  dataset data[2] = {{{0}, {0}}, {{0}, {0}}};
  run r = {.seed = 22};
  gpucontext *ctx = NULL;
  int bad = parse(&o, argc, argv) != 0 ||
            load(&data[0], o.data, "train") != 0 ||
            load(&data[1], o.data, "t10k") != 0;

  if (!bad && gpucontext_open(&ctx, NULL) != GA_NO_ERROR)
    bad = failed("device", gpucontext_error(NULL, GA_NO_ERROR));
  if (!bad) {
    gpucontext_guard_indices(ctx, 1); /* those out of range are errors */
    bad = go(&r, ctx, &o, data);
  }
  net_clear(&r.net);
  free(r.order);
  free(r.guess);
  free(r.sure);
  free(r.loss);
  for (int i = 0; i < 2; i++) {
    dataset_clear(&data[i]);
  }
  if (ctx != NULL)
    gpucontext_deref(ctx);
  return bad != 0;
}

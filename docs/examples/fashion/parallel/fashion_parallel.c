/* SPDX-License-Identifier: BSD-2-Clause */
/* Logistic regression on Fashion-MNIST by several processes: each computes the
 * gradient of its part of every batch, an all-reduce adds them up, and all take
 * the same step, so that they hold the same weights without ever sending them.
 *
 *   mpirun -n 4 fashion_parallel [--epochs N] [--data FOLDER] [--save FILE.npy]
 *                                [--compare FILE.npy]
 *
 * --save keeps the weights; --compare tells how far they are from those of
 * another run, and fails when that is more than rounding.
 */
#include <gpuarray/collectives.h>
#include <gpuarray/npy.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"

enum { BATCH = 128 };
enum { WEIGHTS = PIXELS * CLASSES, NUMBERS = WEIGHTS + CLASSES + 1 };

typedef struct options {
  int epochs;
  const char *data, *save, *compare;
} options;

/* One process. */
typedef struct worker {
  int n, rank;
  gpucontext *ctx;
  gpucomm *comm;
  gg_graph *g;
  gg_var *w, *rate;
  gg_func *gradient, *step;
  dataset data;
  GpuArray order;        /* [n images] */
  GpuArray sum;          /* gradient of w, of b, and the loss, in one piece */
  GpuArray dw, db, loss; /* views of it */
} worker;

static int failed(const char *what, const char *why) {
  fprintf(stderr, "fashion_parallel: %s: %s\n", what, why);
  return -1;
}

static int library_failed(const char *what, int err) {
  return failed(what, gpucontext_error(NULL, err));
}

static int parse(options *o, int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--epochs") == 0)
      o->epochs = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--data") == 0)
      o->data = argv[i + 1];
    else if (strcmp(argv[i], "--save") == 0)
      o->save = argv[i + 1];
    else if (strcmp(argv[i], "--compare") == 0)
      o->compare = argv[i + 1];
    else
      return failed("unknown option", argv[i]);
  }
  return argc % 2 == 1 && o->epochs > 0 ? 0 : failed("usage", "see the source");
}

static int load(worker *k, const char *folder) {
  char why[1200];

  return dataset_read(&k->data, folder, "train", why, sizeof why) == 0
             ? 0
             : failed("data", why);
}

/* Rank 0 makes the name of the group, and MPI hands it out. */
static int join(worker *k) {
  gpucommCliqueId id = {{0}};
  int err = GA_NO_ERROR;

  if (k->rank == 0)
    err = gpucomm_gen_clique_id(k->ctx, &id);
  MPI_Bcast(&err, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (err == GA_NO_ERROR)
    err = gpucomm_new(&k->comm, k->ctx, id, k->n, k->rank);
  return err;
}

/* The loss is a sum over the batch, so that sums over parts of it add up. */
static int build(worker *k) {
  static const float zeros[WEIGHTS];
  const float rate0 = 0;
  size_t wdims[2] = {PIXELS, CLASSES};
  size_t bdims[1] = {CLASSES};
  gg_graph *g = k->g = gg_graph_new(k->ctx);
  gg_var *x_all = dataset_share(g, "images", &k->data.images);
  gg_var *y_all = dataset_share(g, "labels", &k->data.labels);
  gg_var *w = k->w = gg_shared_host(g, "w", GA_FLOAT, 2, wdims, zeros);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 1, bdims, zeros);
  gg_var *rate = k->rate = gg_shared_host(g, "rate", GA_FLOAT, 0, NULL, &rate0);

  gg_var *part = gg_input(g, "part", GA_INT, 1);
  gg_var *x =
      gg_mul(gg_cast(gg_take(x_all, part), GA_FLOAT), gg_f32(g, 1.0f / 255));
  gg_var *p = gg_softmax(gg_add(gg_dot(x, w), b));
  gg_var *loss = gg_sum(gg_crossentropy(p, gg_take(y_all, part)));
  gg_var *grad[2];
  gg_grad(grad, loss, 2, (gg_var *[]){w, b});
  int err = gg_func_new(&k->gradient, g,
                        &(gg_func_spec){
                            .name = "gradient",
                            .inputs = GG_VARS(part),
                            .outputs = GG_VARS(grad[0], grad[1], loss),
                        });
  if (err != GA_NO_ERROR)
    return err;

  gg_var *dw = gg_input(g, "dw", GA_FLOAT, 2),
         *db = gg_input(g, "db", GA_FLOAT, 1);
  return gg_func_new(
      &k->step, g,
      &(gg_func_spec){
          .name = "step",
          .inputs = GG_VARS(dw, db),
          .updates = GG_UPDATES({w, gg_sub(w, gg_mul(rate, dw))},
                                {b, gg_sub(b, gg_mul(rate, db))}),
      });
}

/* What the gradient is written to lies in one piece, for one all-reduce. */
static int prepare(worker *k) {
  const size_t n = NUMBERS, wdims[2] = {PIXELS, CLASSES}, bdims[1] = {CLASSES};
  const ssize_t wstrides[2] = {CLASSES * 4, 4}, bstrides[1] = {4};
  int err = GpuArray_zeros(&k->sum, k->ctx, GA_FLOAT, 1, &n, GA_C_ORDER);

  if (err == GA_NO_ERROR)
    err = GpuArray_fromdata(&k->dw, k->sum.data, 0, GA_FLOAT, 2, wdims,
                            wstrides, 1);
  if (err == GA_NO_ERROR)
    err = GpuArray_fromdata(&k->db, k->sum.data, WEIGHTS * 4, GA_FLOAT, 1,
                            bdims, bstrides, 1);
  if (err == GA_NO_ERROR)
    err = GpuArray_fromdata(&k->loss, k->sum.data, (WEIGHTS + CLASSES) * 4,
                            GA_FLOAT, 0, NULL, NULL, 1);
  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&k->order, k->ctx, GA_INT, 1, &k->data.labels.n,
                         GA_C_ORDER);
  return err;
}

/* This rank's part of `count` images from the at-th of the order on. */
static int take_part(worker *k, GpuArray *part, size_t at, size_t count) {
  const size_t n = (size_t)k->n, r = (size_t)k->rank;
  const size_t from = count * r / n, size = count * (r + 1) / n - from;
  const ssize_t stride = 4;

  return GpuArray_fromdata(part, k->order.data, (at + from) * 4, GA_INT, 1,
                           &size, &stride, 0);
}

static int train_batch(worker *k, size_t at, size_t count, float rate) {
  const float per_image = rate / (float)count;
  GpuArray part;
  int err = take_part(k, &part, at, count);

  if (err == GA_NO_ERROR)
    err = gg_func_call(k->gradient, (GpuArray *[]){&part},
                       (GpuArray *[]){&k->dw, &k->db, &k->loss});
  if (err == GA_NO_ERROR)
    err = GpuArray_all_reduce(&k->sum, &k->sum, GA_SUM, k->comm);
  if (err == GA_NO_ERROR)
    err = gg_shared_write(k->rate, &per_image, sizeof per_image);
  if (err == GA_NO_ERROR)
    err = gg_func_call(k->step, (GpuArray *[]){&k->dw, &k->db}, NULL);
  GpuArray_clear(&part);
  return err;
}

/* A random order, the same on all ranks (Fisher and Yates; xorshift64*). */
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

/* Small enough that a difference of rounding does not grow from step to step:
 * at 0.3 it does, and no two ways of adding up end at the same weights. */
static float step_size(int epoch) {
  return 0.05f * powf(0.9f, (float)epoch);
}

static int train(worker *k, int epochs, double *seconds) {
  const size_t n = k->data.labels.n;
  int32_t *order = malloc(n * sizeof *order);
  uint64_t seed = 22;
  float loss = 0;
  int err = order != NULL ? GA_NO_ERROR : GA_MEMORY_ERROR;

  for (size_t i = 0; i < n && err == GA_NO_ERROR; i++)
    order[i] = (int32_t)i;
  for (int e = 0; e < epochs && err == GA_NO_ERROR; e++) {
    const double start = MPI_Wtime();

    shuffle(order, n, &seed);
    err = GpuArray_write(&k->order, order, n * sizeof *order);
    for (size_t at = 0; at < n && err == GA_NO_ERROR; at += BATCH)
      err = train_batch(k, at, n - at < BATCH ? n - at : BATCH, step_size(e));
    if (err == GA_NO_ERROR)
      err = GpuArray_read(&loss, sizeof loss, &k->loss);
    *seconds = MPI_Wtime() - start; /* the first epoch also compiles */
    if (k->rank == 0 && err == GA_NO_ERROR)
      printf("epoch %d: loss of the last batch %.6f, %.3f s\n", e + 1, loss,
             *seconds);
  }
  free(order);
  return err;
}

/* The largest difference to the weights in a file. */
static int compare(const GpuArray *w, gpucontext *ctx, const char *path) {
  float *here = malloc(WEIGHTS * 4), *there = malloc(WEIGHTS * 4);
  float worst = 0, largest = 0;
  GpuArray other = {0};
  int err = GpuArray_load_npy(&other, ctx, path);

  if (err == GA_NO_ERROR)
    err = GpuArray_read(here, WEIGHTS * 4, w);
  if (err == GA_NO_ERROR)
    err = GpuArray_read(there, WEIGHTS * 4, &other);
  for (int i = 0; i < WEIGHTS && err == GA_NO_ERROR; i++) {
    worst = fmaxf(worst, fabsf(here[i] - there[i]));
    largest = fmaxf(largest, fabsf(there[i]));
  }
  GpuArray_clear(&other);
  free(here);
  free(there);
  if (err != GA_NO_ERROR)
    return library_failed(path, err);
  printf("weights up to %.3g differ from %s by at most %.2g\n", largest, path,
         worst);
  return worst <= 1e-4f * largest ? 0 : failed(path, "more than rounding");
}

static int finish(worker *k, const options *o) {
  GpuArray w = {0};
  int err = gg_shared_get(k->w, &w);

  if (err == GA_NO_ERROR && k->rank == 0 && o->save != NULL)
    err = GpuArray_save_npy(&w, o->save);
  if (err != GA_NO_ERROR)
    err = library_failed("weights", err);
  else if (k->rank == 0 && o->compare != NULL)
    err = compare(&w, k->ctx, o->compare);
  GpuArray_clear(&w);
  return err;
}

static int work(worker *k, const options *o) {
  double seconds = 0;
  int err = gpucontext_open(&k->ctx, NULL);

  if (err != GA_NO_ERROR)
    return library_failed("no device", err);
  gpucontext_guard_indices(k->ctx, 1); /* those out of range are errors */
  err = join(k);
  if (err != GA_NO_ERROR)
    return library_failed("group", err);
  if (build(k) != GA_NO_ERROR)
    return failed("compile", gg_graph_error(k->g));
  err = prepare(k);
  if (err == GA_NO_ERROR)
    err = train(k, o->epochs, &seconds);
  if (err != GA_NO_ERROR)
    return library_failed("training", err);
  if (k->rank == 0)
    printf("%d process%s: %.0f images a second\n", k->n, k->n == 1 ? "" : "es",
           (double)k->data.labels.n / seconds);
  return finish(k, o);
}

static void clear(worker *k) {
  GpuArray_clear(&k->dw);
  GpuArray_clear(&k->db);
  GpuArray_clear(&k->loss);
  GpuArray_clear(&k->sum);
  GpuArray_clear(&k->order);
  gg_func_free(k->gradient);
  gg_func_free(k->step);
  gg_graph_free(k->g);
  gpucomm_free(k->comm);
  gpucontext_deref(k->ctx);
  dataset_clear(&k->data);
}

int main(int argc, char **argv) {
  options o = {.epochs = 5, .data = "/usr/share/datasets/fashion-mnist"};
  worker k = {.n = 1};

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &k.n);
  MPI_Comm_rank(MPI_COMM_WORLD, &k.rank);
  int err = parse(&o, argc, argv);
  if (err == 0)
    err = load(&k, o.data);
  if (err == 0)
    err = work(&k, &o);
  clear(&k);
  if (err != 0)
    MPI_Abort(MPI_COMM_WORLD, 1); /* or the others would wait for this rank */
  MPI_Finalize();
  return 0;
}

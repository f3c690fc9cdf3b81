/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole networks for images of 224 x 224: inference, and steps of training by
 * cross-entropy and momentum, beside PyTorch in eager mode.
 *
 *   bench_vision [NETWORK [IMAGES [SIDE]]]
 *
 * NETWORK is resnet50, resnet50-half (float16, channels last), resnet50-train
 * or mobilenet; without it, all lines of the table below are measured. First
 * the scores of inference, or the losses of STEPS steps, are compared with
 * PyTorch's, which reads the weights from a file. Then each has a line with the
 * milliseconds of a call, and one with the rate of its convolutions and dense
 * layers beside that of a large product. BENCH_PROFILE prints a profile. */
#include <gpuarray/device.h>
#include <gpuarray/launch.h>
#include <gpuarray/npy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/err.h"
#include "bench.h"
#include "launched.h"
#include "peer.h"
#include "vision/layers.h"

enum { SIDE = 224, STEPS = 3, REPS = 15, CPU_REPS = 5 };

/* Gradients by random weights are large: so small is a step that lowers the
 * loss, and whose effect does not depend on rounding. */
#define RATE 1e-6

typedef struct line {
  const char *name, *network;
  gg_var *(*build)(vision *v, gg_var *x);
  size_t images;
  int trains, is_half; /* channels are last in float16 */
} line;

static const line lines[] = {
    {"resnet50", "resnet50", vision_resnet50, 1, 0, 0},
    {"resnet50", "resnet50", vision_resnet50, 64, 0, 0},
    {"resnet50-half", "resnet50", vision_resnet50, 64, 0, 1},
    {"resnet50-train", "resnet50", vision_resnet50, 64, 1, 0},
    {"mobilenet", "mobilenet", vision_mobilenet, 1, 0, 0}};

typedef struct job {
  gpucontext *ctx;
  const line *l;
  size_t images, side;
  int dtype;
  char folder[32]; /* for weights and PyTorch's result */
  gg_graph *g;
  vision v;
  gg_func *f;
  GpuArray x, labels, y;
  double *got;
  size_t n; /* scores, or losses */
} job;

/* --- the function --- */

/* A constant with the value of a shared variable. */
static gg_var *fixed(gg_var *shared) {
  const gg_type *t = gg_var_type(shared);
  size_t dims[4], bytes = ga__dtype_size(t->dtype);

  for (unsigned int d = 0; d < t->nd; d++)
    bytes *= dims[d] = (size_t)t->dims[d];
  void *value = malloc(bytes);
  bench_need(value == NULL, "memory");
  bench_need(gg_shared_read(shared, value, bytes), "weights");
  gg_var *c = gg_constant(gg_var_graph(shared), t->dtype, t->nd, dims, value);
  free(value);
  return c;
}

/* Weights that do not change, so that normalisations can go into them. */
static gg_given *fixed_weights(vision *v) {
  gg_var *const *all = gg_params_all(v->p);
  const size_t n = gg_params_count(v->p);
  gg_given *list = calloc(n + 1, sizeof *list);

  bench_need(list == NULL || all == NULL, "memory");
  for (size_t i = 0; i < n; i++)
    list[i] = (gg_given){all[i], fixed(all[i])};
  return list;
}

static void build(job *j) {
  const int64_t n = (int64_t)j->images, side = (int64_t)j->side;
  const int64_t first[4] = {n, 3, side, side}, last[4] = {n, side, side, 3};
  gg_optimiser sgd = gg_sgd(RATE);
  gg_func_spec spec = {.name = j->l->name};

  j->g = gg_graph_new(j->ctx);
  j->v.p = gg_params_new(j->g, j->dtype, 1);
  gg_params_training(j->v.p, j->l->trains);
  gg_var *x =
      gg_input_sized(j->g, "x", j->dtype, 4, j->l->is_half ? last : first);
  gg_var *labels = gg_input_sized(j->g, "labels", GA_INT, 1, &n);
  gg_var *y = j->l->build(
      &j->v,
      j->l->is_half ? gg_dimshuffle(x, 4, (const int[]){0, 3, 1, 2}) : x);
  gg_var *loss = gg_loss_cross_entropy(y, labels, NULL);
  gg_given *givens = NULL;
  sgd.momentum = 0.9;
  spec.inputs = j->l->trains ? GG_VARS(x, labels) : GG_VARS(x);
  spec.outputs = j->l->trains ? GG_VARS(loss) : GG_VARS(y);
  if (j->l->trains)
    spec.updates = gg_optimise(j->v.p, loss, &sgd);
  else
    spec.givens = givens = fixed_weights(&j->v);
  bench_need(gg_func_new(&j->f, j->g, &spec), gg_graph_error(j->g));
  free(givens);
}

/* Images and labels by the formulas of vision_torch.py. */
static void make_data(job *j) {
  const size_t n = j->images * 3 * j->side * j->side;
  const size_t size = ga__dtype_size(j->dtype);
  const size_t first[4] = {j->images, 3, j->side, j->side};
  const size_t last[4] = {j->images, j->side, j->side, 3};
  char *x = malloc(n * size);
  int *labels = malloc(j->images * sizeof *labels);

  bench_need(x == NULL || labels == NULL, "memory");
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(j->dtype, x + i * size,
                          (double)(i * 37 % 1013) / 506.5 - 1);
  for (size_t i = 0; i < j->images; i++)
    labels[i] = (int)(i * 7 % VISION_CLASSES);
  bench_need(GpuArray_empty(&j->x, j->ctx, j->dtype, 4,
                            j->l->is_half ? last : first, GA_C_ORDER),
             "images");
  bench_need(GpuArray_write(&j->x, x, n * size), "images");
  bench_need(
      GpuArray_empty(&j->labels, j->ctx, GA_INT, 1, &j->images, GA_C_ORDER),
      "labels");
  bench_need(GpuArray_write(&j->labels, labels, j->images * sizeof *labels),
             "labels");
  free(x);
  free(labels);
}

static int run(void *arg) {
  job *j = arg;

  bench_need(gg_func_call(j->f, (GpuArray *[]){&j->x, &j->labels},
                          (GpuArray *[]){&j->y}),
             gg_func_error(j->f));
  return GpuArray_sync(&j->y);
}

/* --- checking --- */

/* Append the elements of an array to those of the result. */
static void take(job *j, const GpuArray *a) {
  const size_t size = ga__dtype_size(a->typecode);
  size_t n = 1;

  for (unsigned int d = 0; d < a->nd; d++)
    n *= a->dimensions[d];
  char *bytes = malloc(n * size);
  j->got = realloc(j->got, (j->n + n) * sizeof *j->got);
  bench_need(bytes == NULL || j->got == NULL, "memory");
  bench_need(GpuArray_read(bytes, n * size, a), "read");
  for (size_t i = 0; i < n; i++)
    j->got[j->n++] = ga__dtype_to_double(a->typecode, bytes + i * size);
  free(bytes);
}

static double largest(const double *v, const double *less, size_t n) {
  double most = 0;

  for (size_t i = 0; i < n; i++) {
    const double d = fabs(v[i] - (less != NULL ? less[i] : 0));
    most = d <= most ? most : d; /* NaN stays */
  }
  return most;
}

/* Compare with PyTorch's result, which it has written if it is there. */
static int check(job *j) {
  const double most = j->l->is_half ? 2e-2 : j->l->trains ? 1e-3 : 1e-4;
  const size_t n = j->n;
  char path[64];
  GpuArray want;

  if (!(largest(j->got, NULL, n) < 1e30))
    return ga__fail(GA_VALUE_ERROR, "%s: not finite", j->l->name);
  snprintf(path, sizeof path, "%s/result.npy", j->folder);
  if (access(path, R_OK) != 0) {
    printf("%s: not checked, PyTorch is not there\n", j->l->name);
    return GA_NO_ERROR;
  }
  GA_TRY(GpuArray_load_npy(&want, j->ctx, path));
  take(j, &want);
  GpuArray_clear(&want);
  if (j->n != 2 * n)
    return ga__fail(GA_VALUE_ERROR, "PyTorch has %zu elements", j->n - n);
  const double off =
      largest(j->got, j->got + n, n) / largest(j->got + n, NULL, n);
  if (!(off <= most))
    return ga__fail(GA_VALUE_ERROR, "%s: off by %g of the largest element",
                    j->l->name, off);
  printf("%s: off by %.1e of the largest element\n", j->l->name, off);
  return GA_NO_ERROR;
}

static void remove_files(const char *folder) {
  static const char *const names[] = {"weights.safetensors", "result.npy"};
  char path[64];

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

/* Compute, and compare. Returns PyTorch's microseconds, or 0. */
static double compare(job *j) {
  char path[64];

  strcpy(j->folder, "/tmp/bench_vision_XXXXXX");
  bench_need(mkdtemp(j->folder) == NULL, "folder");
  snprintf(path, sizeof path, "%s/weights.safetensors", j->folder);
  bench_need(gg_params_save(j->v.p, path), gg_graph_error(j->g));
  for (int i = 0; i < (j->l->trains ? STEPS : 1); i++) {
    bench_need(run(j), "call");
    take(j, &j->y);
  }
  const double us =
      peer_us("vision_torch.py %s %s %s %zu %zu %d %s",
              gpucontext_caps(j->ctx)->is_cpu ? "cpu" : "cuda", j->l->network,
              j->l->is_half ? "half" : "float", j->images, j->side,
              j->l->trains ? STEPS : 0, j->folder);
  bench_need(check(j), "result");
  remove_files(j->folder);
  return us;
}

/* --- measuring --- */

/* Operations a second of a large product. */
static double product_rate(const job *j) {
  const size_t n = gpucontext_caps(j->ctx)->is_cpu ? 1024 : 8192;
  const size_t dims[2] = {n, n};
  GpuArray a, b, c;
  bench_launched l = {.result = &c};

  bench_need(GpuArray_zeros(&a, j->ctx, j->dtype, 2, dims, GA_C_ORDER), "a");
  bench_need(GpuArray_zeros(&b, j->ctx, j->dtype, 2, dims, GA_C_ORDER), "b");
  bench_need(GpuArray_zeros(&c, j->ctx, j->dtype, 2, dims, GA_C_ORDER), "c");
  bench_need(GpuArray_rgemm_prepare(&l.launch, cb_no_trans, cb_no_trans, 1, &a,
                                    &b, 0, &c),
             "product");
  const bench_time t = bench_median(bench_run, &l, 5);
  GpuLaunch_free(l.launch);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  return 2 * pow((double)n, 3) / t.median;
}

static void report(job *j, double peer) {
  const double flops = j->l->trains ? 3 * j->v.flops - j->v.first : j->v.flops;
  gg_func_stats st;
  char text[96];

  const bench_time t =
      bench_median(run, j, gpucontext_caps(j->ctx)->is_cpu ? CPU_REPS : REPS);
  bench_need(gg_func_stat(j->f, &st), "figures");
  snprintf(text, sizeof text, "%s, %zu images (%zu kernels), PyTorch",
           j->l->name, j->images, st.steps);
  bench_print(text, 1e3 * t.median, "ms", 1e-3 * peer);
  bench_print("  beside a large product", 1e-12 * flops / t.median, "TFLOP/s",
              1e-12 * product_rate(j));
  if (getenv("BENCH_PROFILE") != NULL) {
    gg_func_profile(j->f, 1);
    run(j);
    gg_func_profile_print(j->f, stdout);
  }
}

static void measure(gpucontext *ctx, const line *l, size_t images,
                    size_t side) {
  job j = {.ctx = ctx,
           .l = l,
           .images = images,
           .side = side,
           .dtype = l->is_half ? GA_HALF : GA_FLOAT};

  build(&j);
  make_data(&j);
  report(&j, compare(&j));
  GpuArray_clear(&j.x);
  GpuArray_clear(&j.labels);
  GpuArray_clear(&j.y);
  free(j.got);
  gg_func_free(j.f);
  gg_params_free(j.v.p);
  gg_graph_free(j.g);
}

static size_t number(int argc, char **argv, int i, size_t otherwise) {
  return argc > i ? (size_t)strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
  gpucontext *ctx;
  size_t n = 0;

  bench_need(gpucontext_open(&ctx, NULL), "device");
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    const line *l = &lines[i];
    if (argc > 1 && strcmp(argv[1], l->name) != 0)
      continue;
    measure(ctx, l, number(argc, argv, 2, l->images),
            number(argc, argv, 3, SIDE));
    n++;
    if (argc > 2)
      break;
  }
  bench_need(n == 0, "no such network");
  gpucontext_deref(ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What new sizes cost: calls with sizes that a function has never seen, beside
 * calls with sizes that it has a plan for, of deep models, of a training step,
 * of a transformer layer and of a chain of maps; random batch sizes; and a
 * cache that grows by one row a call. Kernels are compiled before. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/nn.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  WIDTH = 16,
  MOST_ROWS = 400, /* of a batch */
  NEW_SIZES = 200,
  CHAIN = 64, /* maps */
  HEADS = 4,
  BATCHES = 2000,
  ROWS = 2000 /* by which the cache grows */
};

typedef struct model {
  gg_graph *g;
  gg_params *params; /* or NULL */
  gg_func *f;
  unsigned int nd; /* of the inputs: [n, WIDTH] or [1, n, WIDTH] */
  GpuArray in[MOST_ROWS + 1], out;
} model;

static gpucontext *ctx;

static gg_func *need_func(gg_graph *g, const gg_func_spec *spec) {
  gg_func *f;
  int err = gg_func_new(&f, g, spec);

  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s\n", gg_graph_error(g));
  bench_need(err, "gg_func_new");
  return f;
}

static gg_func_stats stats_of(const gg_func *f) {
  gg_func_stats st;

  bench_need(gg_func_stat(f, &st), "gg_func_stat");
  return st;
}

/* --- models for batches of any size --- */

/* Inputs of each size. */
static void make_inputs(model *m) {
  for (size_t n = 0; n <= MOST_ROWS; n++) {
    const size_t dims[3] = {1, n, WIDTH};
    bench_need(GpuArray_zeros(&m->in[n], ctx, GA_FLOAT, m->nd,
                              dims + (3 - m->nd), GA_C_ORDER),
               "input");
  }
}

static gg_var *open_model(model *m, unsigned int nd) {
  const int64_t dims[3] = {1, GG_ANY, WIDTH};

  *m = (model){.g = gg_graph_new(ctx), .nd = nd};
  return gg_input_sized(m->g, "x", GA_FLOAT, nd, dims + (3 - nd));
}

static void finish_model(model *m, const gg_func_spec *spec) {
  m->f = need_func(m->g, spec);
  make_inputs(m);
}

static gg_var *weights(gg_graph *g, size_t rows) {
  const size_t dims[2] = {rows, WIDTH};
  float w[WIDTH * WIDTH];

  for (size_t i = 0; i < rows * WIDTH; i++)
    w[i] = 0.01f * ((float)(i % 17) - 8);
  return gg_shared_host(g, "w", GA_FLOAT, rows > 1 ? 2 : 1,
                        dims + (rows > 1 ? 0 : 1), w);
}

/* Four steps: a product with its epilogue, a row program, a sum over the batch
 * and a map. */
static gg_var *block(gg_var *x, gg_var *w, gg_var *b) {
  gg_var *h = gg_tanh(gg_add(gg_dot(x, w), b));
  gg_var *rows = gg_softmax(h);
  gg_var *mean = gg_reduce(GG_SUM, rows, 1, (int[]){0}, 0);

  return gg_add(gg_mul(x, mean), h);
}

static void make_blocks(model *m, int blocks) {
  gg_var *x = open_model(m, 2), *y = x;
  gg_var *w = weights(m->g, WIDTH), *b = weights(m->g, 1);

  for (int i = 0; i < blocks; i++)
    y = block(y, w, b);
  finish_model(m, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
}

/* A step of training: a perceptron with layers of different widths. */
static void make_training(model *m) {
  static const size_t widths[] = {40, 24, 10};
  gg_var *x = open_model(m, 2), *y = x, *step[6];
  gg_update updates[7] = {{NULL, NULL}};

  m->params = gg_params_new(m->g, GA_FLOAT, 1);
  for (int i = 0; i < 3; i++) {
    char name[8];
    snprintf(name, sizeof name, "fc%d", i);
    y = gg_tanh(gg_nn_dense(m->params, name, y, widths[i], 0));
  }
  gg_var *cost = gg_mean(gg_sqr(y));
  gg_var *const *p = gg_params_trained(m->params);
  gg_grad(step, cost, 6, p);
  for (int i = 0; i < 6; i++)
    updates[i] =
        (gg_update){p[i], gg_sub(p[i], gg_mul(step[i], gg_f32(m->g, 0.01f)))};
  finish_model(m, &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(cost),
                                  .updates = updates});
}

/* A layer of a transformer, for sequences of any length. */
static void make_transformer(model *m) {
  gg_var *x = open_model(m, 3);

  m->params = gg_params_new(m->g, GA_FLOAT, 1);
  gg_var *h = gg_nn_layer_norm(m->params, "norm1", x, 2);
  h = gg_add(x, gg_nn_attention(m->params, "attention", h, h, h,
                                &(gg_attention){.heads = HEADS}));
  gg_var *g = gg_nn_layer_norm(m->params, "norm2", h, 2);
  g = gg_gelu(gg_nn_dense(m->params, "fc1", g, 4 * (size_t)WIDTH, 0));
  g = gg_add(h, gg_nn_dense(m->params, "fc2", g, WIDTH, 0));
  finish_model(m, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(g)});
}

/* Maps, each a step of its own. */
static void make_chain(model *m) {
  gg_var *x = open_model(m, 2), *y = x;

  for (int i = 0; i < CHAIN; i++)
    y = i % 2 == 0 ? gg_tanh(y) : gg_add(y, x);
  finish_model(
      m, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(y),
                         .exclude = (const char *const[]){"fusion", NULL}});
}

static void model_clear(model *m) {
  for (size_t n = 0; n <= MOST_ROWS; n++)
    GpuArray_clear(&m->in[n]);
  GpuArray_clear(&m->out);
  gg_func_free(m->f);
  gg_params_free(m->params);
  gg_graph_free(m->g);
}

/* Host seconds of one call. The device has nothing to do before. */
static double call(model *m, size_t n) {
  bench_need(GpuArray_sync(&m->in[0]), "wait");
  const double start = bench_now();
  bench_need(
      gg_func_call(m->f, (GpuArray *[]){&m->in[n]}, (GpuArray *[]){&m->out}),
      "call");
  return bench_now() - start;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The smallest value that a part `q` of the values does not exceed; sorts. */
static double quantile(double *v, size_t n, double q) {
  qsort(v, n, sizeof *v, by_value);
  return v[(size_t)(q * (double)(n - 1))];
}

/* Let temporaries grow, and compile the kernels of all sizes. The plans that
 * are kept in the end have the kernels of large batches. */
static void warm(model *m) {
  for (size_t n = MOST_ROWS; n > 0; n--)
    call(m, n);
  for (size_t n = 1; n <= MOST_ROWS; n++)
    call(m, n);
}

/* A call with a new size beyond the same call once it has a plan, for each
 * step. */
static void bench_steps(const char *what, model *m) {
  static double first[NEW_SIZES], again[NEW_SIZES], extra[NEW_SIZES];
  char name[80];

  warm(m);
  const gg_func_stats before = stats_of(m->f);
  for (size_t i = 0; i < NEW_SIZES; i++) {
    const size_t n = MOST_ROWS / 2 + i % (MOST_ROWS / 2);
    first[i] = call(m, n);
    again[i] = call(m, n);
    extra[i] = first[i] - again[i];
  }
  const gg_func_stats st = stats_of(m->f);
  const double steps = (double)st.steps;
  snprintf(name, sizeof name, "%s, %zu steps: call", what, st.steps);
  bench_print(name, 1e6 * quantile(first, NEW_SIZES, 0.5), "us",
              1e6 * quantile(again, NEW_SIZES, 0.5));
  snprintf(name, sizeof name, "%s, %zu steps: each step", what, st.steps);
  bench_print(name, 1e9 * quantile(extra, NEW_SIZES, 0.5) / steps, "ns", 0);
  snprintf(name, sizeof name, "%s, %zu steps: planning each", what, st.steps);
  bench_print(name,
              1e9 * (st.plan_seconds - before.plan_seconds) / steps /
                  (double)(st.plans - before.plans),
              "ns", 0);
  snprintf(name, sizeof name, "%s, %zu steps: kernels made", what, st.steps);
  bench_print(name, (double)(st.kernels_made - before.kernels_made), "", 0);
  model_clear(m);
}

static void bench_batches(void) {
  static double t[BATCHES];
  model m;
  unsigned int seed = 1;

  make_blocks(&m, 5);
  warm(&m);
  for (size_t i = 0; i < BATCHES; i++) {
    seed = seed * 1664525u + 1013904223u;
    t[i] = call(&m, 1 + (seed >> 8) % MOST_ROWS);
  }
  bench_print("random batch sizes: median", 1e6 * quantile(t, BATCHES, 0.5),
              "us", 0);
  bench_print("random batch sizes: 99 %", 1e6 * quantile(t, BATCHES, 0.99),
              "us", 0);
  bench_print("random batch sizes: longest", 1e6 * t[BATCHES - 1], "us", 0);
  model_clear(&m);
}

/* --- a cache that grows --- */

static double resident(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  long pages = 0;

  if (f != NULL && fscanf(f, "%*s %ld", &pages) != 1)
    pages = 0;
  if (f != NULL)
    fclose(f);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double used_bytes(void) {
  gpucontext_counters c;

  bench_need(gpucontext_count(ctx, &c), "count");
  return (double)c.used_bytes;
}

/* Attention of one query over the rows of a cache, which gets one more row. */
static gg_func *attention(gg_graph *g) {
  gg_var *cache = gg_input(g, "cache", GA_FLOAT, 2);
  gg_var *row = gg_input(g, "row", GA_FLOAT, 2);
  gg_var *all = gg_join(0, 2, (gg_var *[]){cache, row});
  gg_var *weights = gg_softmax(gg_dot(row, gg_transpose(all)));

  return need_func(
      g, &(gg_func_spec){.inputs = GG_VARS(cache, row),
                         .outputs = GG_VARS(all, gg_dot(weights, all))});
}

static void bench_cache(void) {
  static double t[ROWS];
  gg_graph *g = gg_graph_new(ctx);
  gg_func *f = attention(g);
  GpuArray cache[2] = {{.nd = 0}}, row, out = {.nd = 0};
  double host[2], device[2];

  bench_need(GpuArray_zeros(&cache[0], ctx, GA_FLOAT, 2, (size_t[]){1, WIDTH},
                            GA_C_ORDER),
             "cache");
  bench_need(
      GpuArray_zeros(&row, ctx, GA_FLOAT, 2, (size_t[]){1, WIDTH}, GA_C_ORDER),
      "row");
  for (size_t i = 0; i < ROWS; i++) {
    bench_need(GpuArray_sync(&row), "wait");
    const double start = bench_now();
    bench_need(gg_func_call(f, (GpuArray *[]){&cache[i % 2], &row},
                            (GpuArray *[]){&cache[1 - i % 2], &out}),
               "call");
    t[i] = bench_now() - start;
    GpuArray_clear(&cache[i % 2]);
    host[i < ROWS / 2 ? 0 : 1] = resident();
    device[i < ROWS / 2 ? 0 : 1] = used_bytes();
  }
  bench_print("growing cache: calls 1,000 to 2,000, median",
              1e6 * quantile(t + ROWS / 2, ROWS / 2, 0.5), "us",
              1e6 * quantile(t, ROWS / 2, 0.5));
  bench_print("growing cache: longest of them", 1e6 * t[ROWS - 1], "us", 0);
  bench_print("growing cache: plans kept", (double)stats_of(f).plans_kept, "",
              0);
  bench_print("growing cache: host memory they added",
              (host[1] - host[0]) / 1024, "KiB", 0);
  bench_print("growing cache: device memory they added",
              (device[1] - device[0]) / 1024, "KiB", 0);
  GpuArray_clear(&cache[0]);
  GpuArray_clear(&cache[1]);
  GpuArray_clear(&row);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
}

int main(void) {
  static const int blocks[] = {5, 25, 250};
  model m;

  bench_need(gpucontext_open(&ctx, NULL), "no device");
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    make_blocks(&m, blocks[i]);
    bench_steps("blocks", &m);
  }
  make_training(&m);
  bench_steps("training", &m);
  make_transformer(&m);
  bench_steps("transformer", &m);
  make_chain(&m);
  bench_steps("chain", &m);
  bench_batches();
  bench_cache();
  gpucontext_deref(ctx);
  return 0;
}

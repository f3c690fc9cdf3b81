/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph over two contexts beside the same graph on the first alone: work
 * that splits evenly, and one number that comes back from each half. The ratio
 * is the speed of two devices by that of one.
 *
 *   GPUARRAY_DEVICE=0:0 GPUARRAY_DEVICE2=0:1 bench_contexts
 *
 * On two equal GPUs it is to be 1.6 at least. On a CPU the devices share the
 * cores, unless PoCL gets one for each:
 *
 *   POCL_MAX_PTHREAD_COUNT=1 POCL_DEVICES="pthread basic" \
 *     GPUARRAY_DEVICE=pthread GPUARRAY_DEVICE2=basic bench_contexts */
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { REPS = 15, PARTS = 2 };

/* A function of two inputs, one per half. */
typedef struct work {
  gg_graph *g;
  gg_func *f;
  GpuArray in[PARTS], w[PARTS], out;
} work;

/* What is computed of one half, before it is summed. */
typedef gg_var *(*half_fn)(gg_var *x, gg_var *w);

/* Arithmetic without memory. */
static gg_var *chain(gg_var *x, gg_var *w) {
  (void)w;
  for (int i = 0; i < 16; i++)
    x = gg_sin(gg_exp(gg_neg(gg_sqr(x))));
  return x;
}

static gg_var *product(gg_var *x, gg_var *w) {
  return gg_tanh(gg_dot(x, w));
}

/* Rows of both halves are normalised, several kernels each. */
static gg_var *layers(gg_var *x, gg_var *w) {
  for (int i = 0; i < 4; i++)
    x = gg_relu(gg_dot(gg_softmax(x), w));
  return x;
}

static void fill(GpuArray *a, gpucontext *ctx, size_t rows, size_t columns,
                 float scale) {
  const size_t dims[2] = {rows, columns}, n = rows * columns;
  float *host = malloc(n * sizeof *host);

  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < n; i++)
    host[i] = scale * (float)((i * 2654435761u >> 8) % 1000) / 1000;
  bench_need(GpuArray_empty(a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER), "array");
  bench_need(GpuArray_write(a, host, n * sizeof *host), "write");
  free(host);
}

static void build(work *k, gpucontext *const *ctx, half_fn half, size_t rows,
                  size_t columns) {
  gg_var *in[2 * PARTS + 1] = {NULL}, *sum = NULL, *s;

  k->g = gg_graph_new(ctx[0]);
  for (int i = 0; i < PARTS; i++) {
    fill(&k->in[i], ctx[i], rows, columns, 1);
    fill(&k->w[i], ctx[i], columns, columns, 0.1f);
    in[2 * i] = gg_input_in(k->g, ctx[i], "x", GA_FLOAT, 2, NULL);
    in[2 * i + 1] = gg_input_in(k->g, ctx[i], "w", GA_FLOAT, 2, NULL);
    s = gg_transfer(gg_sum(half(in[2 * i], in[2 * i + 1])), ctx[0]);
    sum = sum != NULL ? gg_add(sum, s) : s;
  }
  if (gg_func_new(&k->f, k->g,
                  &(gg_func_spec){.inputs = in,
                                  .outputs = GG_VARS(sum),
                                  .flags = GG_ALLOW_UNUSED_INPUT}) != 0) {
    fprintf(stderr, "%s\n", gg_graph_error(k->g));
    exit(1);
  }
}

static int run(void *arg) {
  work *k = arg;
  GpuArray *in[2 * PARTS];

  for (int i = 0; i < PARTS; i++) {
    in[2 * i] = &k->in[i];
    in[2 * i + 1] = &k->w[i];
  }
  int err = gg_func_call(k->f, in, (GpuArray *[]){&k->out});
  return err != 0 ? err : GpuArray_sync(&k->out);
}

static float result(work *k) {
  float v = 0;

  bench_need(run(k), "call");
  bench_need(GpuArray_read(&v, sizeof v, &k->out), "read");
  return v;
}

static void drop(work *k) {
  for (int i = 0; i < PARTS; i++) {
    GpuArray_clear(&k->in[i]);
    GpuArray_clear(&k->w[i]);
  }
  GpuArray_clear(&k->out);
  gg_func_free(k->f);
  gg_graph_free(k->g);
}

static void measure(const char *name, gpucontext *const *ctx, half_fn half,
                    size_t rows, size_t columns) {
  work two = {.g = NULL}, one = {.g = NULL};
  bench_time t, u;

  build(&two, ctx, half, rows, columns);
  build(&one, (gpucontext *[]){ctx[0], ctx[0]}, half, rows, columns);
  float a = result(&two);
  float b = result(&one);
  if (!(fabsf(a - b) <= 1e-4f * fabsf(b))) {
    fprintf(stderr, "%s: %g on two devices, %g on one\n", name, (double)a,
            (double)b);
    exit(1);
  }
  bench_pair(run, &two, run, &one, REPS, &t, &u);
  bench_print(name, 1e-3 / t.median, "1/ms", 1e-3 / u.median);
  drop(&two);
  drop(&one);
}

int main(void) {
  gpucontext *ctx[PARTS] = {NULL, NULL};
  char text[288];

  bench_need(gpucontext_open(&ctx[0], NULL), "device");
  bench_need(gpucontext_open(&ctx[1], getenv("GPUARRAY_DEVICE2")),
             "second device");
  for (int i = 0; i < PARTS; i++)
    printf("%s\n", gg_context_text(ctx[i], text, sizeof text));
  size_t rows = gpucontext_caps(ctx[0])->is_cpu ? 512 : 16384;
  measure("chain of functions", ctx, chain, rows, 1024);
  measure("product", ctx, product, rows, 1024);
  measure("four layers", ctx, layers, rows, 1024);
  measure("one row", ctx, product, 1, 64);
  gpucontext_deref(ctx[0]);
  gpucontext_deref(ctx[1]);
  return 0;
}

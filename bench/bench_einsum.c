/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products by equations: a product of matrices, batches in two orders,
 * attention's scores, a bilinear form, a chain of products, a small network of
 * tensors, diagonals. Beside NumPy by its best path, where the device is a CPU,
 * and PyTorch, if they are there. Microseconds per call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include "base/err.h"
#include "bench.h"
#include "peer.h"

enum { REPS = 15, MOST = 5 };

typedef struct equation {
  const char *inputs, *result;
  const char *sizes; /* "i=100 j=200" */
} equation;

static const equation equations[] = {
    {"ij,jk", "ik", "i=768 j=768 k=768"},
    {"ij,kj", "ki", "i=768 j=768 k=768"},
    {"bij,bjk", "bik", "b=32 i=128 j=128 k=128"},
    {"bqhd,bkhd", "bhqk", "b=4 q=128 k=128 h=8 d=64"},
    {"bi,bj,ijk", "bk", "b=256 i=64 j=64 k=32"},
    {"ab,bc,cd,de", "ae", "a=32 b=1024 c=1024 d=1024 e=32"},
    {"abc,cde,efa,bdf", "", "a=24 b=24 c=24 d=24 e=24 f=24"},
    {"bii", "bi", "b=64 i=256"},
    {"ijk,ijk", "i", "i=512 j=64 k=64"}};

typedef struct job {
  gpucontext *ctx;
  const equation *e;
  gg_func *f;
  unsigned int n;
  size_t inner;
  GpuArray x[MOST], y;
} job;

static size_t size_of(const equation *e, char letter) {
  const char key[3] = {letter, '=', '\0'};

  return strtoul(strstr(e->sizes, key) + 2, NULL, 10);
}

/* All elements are 1 / 4, so every element of the result is the same. */
static void make_operand(job *j, gg_graph *g, const char *term, size_t letters,
                         gg_var **v) {
  size_t dims[GG_MAX_ND], n = 1;
  int64_t known[GG_MAX_ND];

  for (size_t i = 0; i < letters; i++) {
    dims[i] = size_of(j->e, term[i]);
    known[i] = (int64_t)dims[i];
    n *= dims[i];
  }
  float *host = malloc(n * sizeof *host);
  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < n; i++)
    host[i] = 0.25f;
  bench_need(GpuArray_empty(&j->x[j->n], j->ctx, GA_FLOAT,
                            (unsigned int)letters, dims, GA_C_ORDER) ||
                 GpuArray_write(&j->x[j->n], host, n * sizeof *host),
             "operand");
  free(host);
  *v = gg_input_sized(g, "x", GA_FLOAT, (unsigned int)letters, known);
}

static void make_function(job *j) {
  gg_graph *g = gg_graph_new(j->ctx);
  gg_var *x[MOST + 1] = {NULL};
  const char *term = j->e->inputs;
  char text[64];

  for (j->n = 0; j->n < MOST && *term != '\0'; j->n++) {
    const size_t letters = strcspn(term, ",");
    make_operand(j, g, term, letters, &x[j->n]);
    term += letters + (term[letters] == ',');
  }
  snprintf(text, sizeof text, "%s->%s", j->e->inputs, j->e->result);
  gg_var *const y = gg_einsum(text, j->n, x);
  bench_need(gg_func_new(&j->f, g,
                         &(gg_func_spec){.inputs = x, .outputs = GG_VARS(y)}),
             gg_graph_error(g));
  gg_graph_free(g);
}

static int run(void *arg) {
  job *j = arg;
  GpuArray *in[MOST];

  for (unsigned int i = 0; i < j->n; i++)
    in[i] = &j->x[i];
  for (size_t i = 0; i < j->inner; i++)
    if (gg_func_call(j->f, in, (GpuArray *[]){&j->y}) != 0)
      bench_need(1, gg_func_error(j->f));
  return GpuArray_sync(&j->y);
}

/* Each element is a sum over all letters that are not in the result. */
static int check(const job *j) {
  double want = pow(0.25, j->n);
  char seen[128] = {0};
  float got = 0;
  GpuArray first;

  for (const char *c = j->e->inputs; *c != '\0'; c++)
    if (*c != ',' && !seen[(int)*c]++ && strchr(j->e->result, *c) == NULL)
      want *= (double)size_of(j->e, *c);
  GA_TRY(GpuArray_view(&first, &j->y));
  for (unsigned int i = 0; i < first.nd; i++)
    first.dimensions[i] = 1;
  GA_TRY(GpuArray_read(&got, sizeof got, &first));
  GpuArray_clear(&first);
  return fabs((double)got - want) <= 1e-4 * want ? GA_NO_ERROR : GA_VALUE_ERROR;
}

static double peer(const job *j, const char *library) {
  return peer_us("einsum_peer.py %s %s '%s' %s", library, j->e->inputs,
                 j->e->result, j->e->sizes);
}

static void measure(job *j) {
  const int is_cpu = gpucontext_caps(j->ctx)->is_cpu;
  bench_time ours;
  char text[96];

  make_function(j);
  j->inner = 1;
  bench_need(run(j), "call");
  bench_need(check(j), "result");
  j->inner = bench_median(run, j, 3).median < 1e-3 ? 20 : 1;
  ours = bench_median(run, j, REPS);
  const double us = 1e6 * ours.median / (double)j->inner;
  snprintf(text, sizeof text, "%s->%s, NumPy", j->e->inputs, j->e->result);
  bench_rest();
  bench_print(text, us, "us", is_cpu ? peer(j, "numpy") : 0);
  const double torch = peer(j, is_cpu ? "cpu" : "cuda");
  if (torch > 0)
    bench_print("  PyTorch", us, "us", torch);
  gg_func_free(j->f);
  for (unsigned int i = 0; i < j->n; i++)
    GpuArray_clear(&j->x[i]);
  GpuArray_clear(&j->y);
}

int main(void) {
  job j = {.n = 0};

  bench_need(gpucontext_open(&j.ctx, NULL), "device");
  for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
    j = (job){.ctx = j.ctx, .e = &equations[i]};
    measure(&j);
  }
  gpucontext_deref(j.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What compiling costs on the host, without the driver's compiler, for graphs
 * of several shapes and of 1,000 to 100,000 variables: time and memory per
 * variable, beside those of the graph of 1,000. A ratio of 1 is linear. Time is
 * that of the thread, so that other work on the machine counts little.
 *
 *   bench_compile [shape [most variables]] */
#include <gpugraph/gpugraph.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { SMALLEST = 1000, LARGEST = 100000, WIDTH = 8, MAX_REPS = 15 };

/* What a shape asks of gg_func_new. */
typedef struct request {
  gg_graph *g;
  gg_var **inputs, **outputs;
  gg_update *updates;
  size_t n_inputs, n_outputs, n_updates;
} request;

static void *room(size_t n, size_t size) {
  void *p = calloc(n + 1, size); /* lists end with a zero */

  bench_need(p == NULL, "memory");
  return p;
}

static gg_var *input(request *r, unsigned int nd) {
  gg_var *x = gg_input(r->g, "x", GA_FLOAT, nd);

  r->inputs[r->n_inputs++] = x;
  return x;
}

static gg_var *parameter(request *r, unsigned int nd) {
  static const float zeros[WIDTH * WIDTH];
  static const size_t dims[2] = {WIDTH, WIDTH};

  return gg_shared_host(r->g, "w", GA_FLOAT, nd, dims, zeros);
}

/* Go down the gradient of `cost` by all of the n parameters. */
static void descend(request *r, gg_var *cost, size_t n, gg_var *const *p) {
  gg_var **step = room(n, sizeof(gg_var *));

  bench_need(gg_grad(step, cost, (unsigned int)n, p), "gg_grad");
  for (size_t i = 0; i < n; i++)
    r->updates[r->n_updates++] =
        (gg_update){p[i], gg_sub(p[i], gg_mul(gg_f32(r->g, 0.01f), step[i]))};
  r->outputs[r->n_outputs++] = cost;
  free(step);
}

/* --- shapes, each of about n variables --- */

static void chain(request *r, size_t n) {
  gg_var *x = input(r, 1), *y = x;

  for (size_t i = 0; i < n; i++)
    y = i % 3 == 0 ? gg_sqrt(y) : i % 3 == 1 ? gg_add(y, x) : gg_tanh(y);
  r->outputs[r->n_outputs++] = y;
}

/* One sum of many terms. */
static void sum(request *r, size_t n) {
  gg_var *x = input(r, 1), *y = x;

  for (size_t i = 0; i < n / 4; i++)
    y = gg_add(y, gg_sin(gg_mul(x, gg_f32(r->g, 2 + (float)i))));
  r->outputs[r->n_outputs++] = y;
}

/* A step of training a perceptron of many layers. */
static void layers(request *r, size_t n) {
  const size_t n_layers = n / 30;
  gg_var **p = room(2 * n_layers, sizeof(gg_var *));
  gg_var *h = input(r, 2);

  for (size_t i = 0; i < n_layers; i++) {
    p[2 * i] = parameter(r, 2);
    p[2 * i + 1] = parameter(r, 1);
    h = gg_tanh(gg_add(gg_dot(h, p[2 * i]), p[2 * i + 1]));
  }
  descend(r, gg_mean(gg_sqr(h)), 2 * n_layers, p);
  free(p);
}

/* The same with a softmax in each layer, whose rows are one kernel. */
static void norms(request *r, size_t n) {
  const size_t n_layers = n / 30;
  gg_var **p = room(n_layers, sizeof(gg_var *));
  gg_var *h = input(r, 2);

  for (size_t i = 0; i < n_layers; i++) {
    p[i] = parameter(r, 2);
    h = gg_softmax(gg_dot(h, p[i]));
  }
  descend(r, gg_mean(gg_sqr(h)), n_layers, p);
  free(p);
}

/* A recurrence without a loop, and its gradient: a sum of as many products as
 * there are steps. */
static void recurrence(request *r, size_t n) {
  gg_var *x = input(r, 2), *h = x, *w = parameter(r, 2);

  for (size_t i = 0; i < n / 17; i++)
    h = gg_tanh(gg_add(gg_dot(h, w), x));
  descend(r, gg_mean(gg_sqr(h)), 1, &w);
}

/* Many parameters, each with a step of its own. */
static void updates(request *r, size_t n) {
  gg_var *x = input(r, 1);

  for (size_t i = 0; i < n / 5; i++) {
    gg_var *w = parameter(r, 1);
    r->updates[r->n_updates++] = (gg_update){
        w, gg_sub(w, gg_mul(gg_f32(r->g, 0.01f), gg_mul(gg_exp(w), x)))};
  }
}

/* Many arguments, each with a result of its own. */
static void outputs(request *r, size_t n) {
  for (size_t i = 0; i < n / 4; i++) {
    gg_var *x = input(r, 1);
    r->outputs[r->n_outputs++] = gg_mul(gg_exp(gg_neg(x)), x);
  }
}

static const struct shape {
  const char *name;
  void (*build)(request *r, size_t n);
  int repeats; /* the same few kernels again and again, so it can be called */
} shapes[] = {{"chain", chain, 0},           {"sum", sum, 0},
              {"layers", layers, 1},         {"norms", norms, 1},
              {"recurrence", recurrence, 1}, {"updates", updates, 1},
              {"outputs", outputs, 1}};

/* --- measuring --- */

typedef struct figures {
  double build, compile, plan; /* seconds; no plan is made for some shapes */
  size_t nodes, bytes; /* variables, host memory of graph and function */
} figures;

static double thread_seconds(void) {
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory of the process, after giving back what is not used; 0 where the system
 * does not tell. */
static size_t resident_bytes(void) {
  unsigned long all = 0, resident = 0;

  malloc_trim(0);
  FILE *f = fopen("/proc/self/statm", "r");
  if (f == NULL)
    return 0;
  if (fscanf(f, "%lu %lu", &all, &resident) != 2)
    resident = 0;
  fclose(f);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void request_init(request *r, gpucontext *ctx, size_t n) {
  memset(r, 0, sizeof *r);
  r->g = gg_graph_new(ctx);
  r->inputs = room(n, sizeof(gg_var *));
  r->outputs = room(n, sizeof(gg_var *));
  r->updates = room(n, sizeof(gg_update));
}

static void request_clear(request *r) {
  gg_graph_free(r->g);
  free(r->inputs);
  free(r->outputs);
  free(r->updates);
}

static int compile(gg_func **f, const request *r) {
  return gg_func_new(f, r->g,
                     &(gg_func_spec){.inputs = r->inputs,
                                     .outputs = r->outputs,
                                     .updates = r->updates});
}

static figures measure_once(gpucontext *ctx, const struct shape *shape,
                            size_t n) {
  figures x = {0};
  request r;
  gg_func *f;

  request_init(&r, ctx, n);
  size_t before = resident_bytes();
  double start = thread_seconds();
  shape->build(&r, n);
  double built = thread_seconds();
  x.nodes = gg_graph_size(r.g);
  bench_need(compile(&f, &r), gg_graph_error(r.g));
  x.build = built - start;
  x.compile = thread_seconds() - built;
  x.bytes = resident_bytes() - before;
  gg_func_free(f);
  request_clear(&r);
  return x;
}

/* Seconds that the first call's plan takes, without the driver's compiler. */
static double measure_plan(gpucontext *ctx, const struct shape *shape,
                           size_t n) {
  static const size_t dims[2] = {WIDTH, WIDTH};
  GpuArray *arrays, **in, **out;
  gg_func_stats stats;
  request r;
  gg_func *f;

  request_init(&r, ctx, n);
  shape->build(&r, n);
  bench_need(compile(&f, &r), gg_graph_error(r.g));
  arrays = room(r.n_inputs + r.n_outputs, sizeof *arrays);
  in = room(r.n_inputs, sizeof *in);
  out = room(r.n_outputs, sizeof *out);
  for (size_t i = 0; i < r.n_inputs; i++) {
    in[i] = &arrays[i];
    bench_need(GpuArray_zeros(in[i], ctx, GA_FLOAT,
                              gg_var_type(r.inputs[i])->nd, dims, GA_C_ORDER),
               "input");
  }
  for (size_t i = 0; i < r.n_outputs; i++)
    out[i] = &arrays[r.n_inputs + i];
  bench_need(gg_func_call(f, in, out), gg_func_error(f));
  bench_need(gg_func_stat(f, &stats), "stats");
  for (size_t i = 0; i < r.n_inputs + r.n_outputs; i++)
    GpuArray_clear(&arrays[i]);
  free(arrays);
  free(in);
  free(out);
  gg_func_free(f);
  request_clear(&r);
  return stats.plan_seconds;
}

/* The fastest of several, since other work on the machine only adds. */
static figures measure(gpucontext *ctx, const struct shape *shape, size_t n) {
  const int reps = n >= LARGEST ? 3 : MAX_REPS;
  figures best = measure_once(ctx, shape, n);

  for (int i = 1; i < reps; i++) {
    figures x = measure_once(ctx, shape, n);
    if (x.build < best.build)
      best.build = x.build;
    if (x.compile < best.compile)
      best.compile = x.compile;
    if (x.bytes > best.bytes)
      best.bytes = x.bytes;
  }
  if (shape->repeats)
    best.plan = measure_plan(ctx, shape, n);
  return best;
}

static void print_line(const struct shape *shape, const figures *x,
                       const char *what, double value, const char *unit,
                       double first) {
  char name[64];

  snprintf(name, sizeof name, "%s, %zu: %s", shape->name, x->nodes, what);
  bench_print(name, value, unit, first);
}

static void bench_shape(gpucontext *ctx, const struct shape *shape,
                        size_t most) {
  static const char *const what[] = {"build", "gg_func_new", "memory", "plan"};
  static const char *const unit[] = {"ns each", "ns each", "B each", "ns each"};
  double first[4] = {0};

  for (size_t n = SMALLEST; n <= most; n *= 10) {
    const figures x = measure(ctx, shape, n);
    const double each = 1 / (double)x.nodes;
    const double now[] = {1e9 * x.build * each, 1e9 * x.compile * each,
                          (double)x.bytes * each, 1e9 * x.plan * each};

    if (n == SMALLEST)
      memcpy(first, now, sizeof first);
    for (size_t i = 0; i < sizeof now / sizeof *now; i++)
      if (now[i] > 0)
        print_line(shape, &x, what[i], now[i], unit[i], first[i]);
  }
}

int main(int argc, char **argv) {
  const size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : LARGEST;
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "no device");
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    if (argc < 2 || strcmp(argv[1], shapes[i].name) == 0)
      bench_shape(ctx, &shapes[i], most);
  gpucontext_deref(ctx);
  return 0;
}

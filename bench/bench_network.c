/* SPDX-License-Identifier: BSD-2-Clause */
/* The first result of a network of 50 convolutions of 20 shapes: a residual
 * network for images of 112 x 112, in float32.
 *
 * It runs in two processes one after the other: the first finds the caches of
 * kernels empty, the second finds what the first left. Each line has the time
 * from the start of the process to the result, the processor time of that, the
 * programs that were compiled, and those that came from the cache. */
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpugraph/gpugraph.h>

#include "bench.h"

enum { SIDE = 112, STAGES = 3, BLOCKS = 5, MOST = 64 };

/* Channels, filters, size of filters, stride, side of the input. */
typedef struct shape {
  int64_t c, f, k, stride, side;
} shape;

typedef struct network {
  gg_graph *g;
  shape shapes[MOST];
  unsigned int n_shapes, n;
} network;

static void note(network *w, const shape *s) {
  w->n++;
  for (unsigned int i = 0; i < w->n_shapes; i++) {
    const shape *t = &w->shapes[i];
    if (t->c == s->c && t->f == s->f && t->k == s->k &&
        t->stride == s->stride && t->side == s->side)
      return;
  }
  if (w->n_shapes < MOST)
    w->shapes[w->n_shapes++] = *s;
}

/* Filters or a bias: values that keep the network's numbers small. */
static gg_var *weights(network *w, unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  float *v = malloc(n * sizeof *v);
  bench_need(v == NULL, "memory");
  const double scale = 1 / sqrt((double)n / (double)dims[0]);
  for (size_t i = 0; i < n; i++)
    v[i] = (float)(((double)(i * 7 % 13) / 13 - 0.5) * scale);
  gg_var *x = gg_shared_host(w->g, NULL, GA_FLOAT, nd, dims, v);
  free(v);
  return x;
}

/* A convolution with `f` filters of k x k and a bias. */
static gg_var *convolve(network *w, gg_var *x, size_t f, size_t k,
                        size_t stride) {
  const int64_t *dims = gg_var_type(x)->dims;
  const size_t sizes[4] = {f, (size_t)dims[1], k, k}, one[4] = {1, f, 1, 1};
  const GpuConv c = {.nd = 2,
                     .stride = {stride, stride},
                     .dilation = {1, 1},
                     .before = {k / 2, k / 2},
                     .after = {k / 2, k / 2},
                     .groups = 1};

  note(w, &(shape){dims[1], (int64_t)f, (int64_t)k, (int64_t)stride, dims[2]});
  return gg_add(gg_conv(x, weights(w, 4, sizes), &c), weights(w, 4, one));
}

/* Three convolutions, added to their input or to a convolution of it. */
static gg_var *block(network *w, gg_var *x, size_t c, size_t stride) {
  gg_var *y = gg_relu(convolve(w, x, c, 1, 1));

  y = convolve(w, gg_relu(convolve(w, y, c, 3, stride)), 2 * c, 1, 1);
  return gg_relu(gg_add(y, stride > 1 ? convolve(w, x, 2 * c, 1, stride) : x));
}

static gg_var *build(network *w, gg_var *x) {
  x = gg_relu(convolve(w, x, 32, 7, 2));
  x = gg_relu(convolve(w, x, 32, 5, 1));
  for (size_t s = 0; s < STAGES; s++)
    for (size_t i = 0; i < BLOCKS; i++)
      x = block(w, x, (size_t)32 << s, i == 0 ? 2 : 1);
  return gg_pool_global(x, GG_POOL_MEAN, 2, 0);
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Of this process and of those that it has waited for. */
static double processor_time(void) {
  struct rusage own, others;

  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &others);
  return seconds(own.ru_utime) + seconds(own.ru_stime) +
         seconds(others.ru_utime) + seconds(others.ru_stime);
}

typedef struct call {
  gg_func *f;
  GpuArray x, y;
} call;

static int run(void *arg) {
  call *c = arg;
  const int err =
      gg_func_call(c->f, (GpuArray *[]){&c->x}, (GpuArray *[]){&c->y});

  return err != GA_NO_ERROR ? err : GpuArray_sync(&c->y);
}

/* The result is finite, and not all 0. */
static void check(call *c) {
  float y[(16 << STAGES) * 2];
  double sum = 0;

  bench_need(c->y.nd != 4 || c->y.dimensions[1] * sizeof *y > sizeof y, "size");
  bench_need(GpuArray_read(y, c->y.dimensions[1] * sizeof *y, &c->y), "read");
  for (size_t i = 0; i < c->y.dimensions[1]; i++)
    sum += fabs((double)y[i]);
  bench_need(!(sum > 0 && sum < 1e30), "result");
}

static void first_result(const char *name, double start) {
  const size_t dims[4] = {1, 3, SIDE, SIDE};
  gpucontext_counters count;
  network w = {.n = 0};
  gpucontext *ctx;
  call c = {.f = NULL};

  bench_need(gpucontext_open(&ctx, NULL), "context");
  w.g = gg_graph_new(ctx);
  gg_var *x =
      gg_input_sized(w.g, "x", GA_FLOAT, 4, (int64_t[]){1, 3, SIDE, SIDE});
  gg_var *y = build(&w, x);
  bench_need(
      gg_func_new(&c.f, w.g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}),
      gg_graph_error(w.g));
  bench_need(GpuArray_zeros(&c.x, ctx, GA_FLOAT, 4, dims, GA_C_ORDER), "x");
  bench_need(GpuArray_memset(&c.x, 0x3e), "x"); /* 0.186 */
  bench_need(run(&c), "call");
  const double spent = bench_now() - start, used = processor_time();
  bench_need(gpucontext_count(ctx, &count), "counters");
  check(&c);
  const bench_time t = bench_median(run, &c, 5);
  printf(
      "%-5s %2u convolutions, %u shapes: %6.2f s, processor %6.2f s, %3" PRIu64
      " programs compiled, %3" PRIu64 " loaded; a call %.1f ms\n",
      name, w.n, w.n_shapes, spent, used, count.programs_built,
      count.programs_loaded, 1e3 * t.median);
  GpuArray_clear(&c.x);
  GpuArray_clear(&c.y);
  gg_func_free(c.f);
  gg_graph_free(w.g);
  gpucontext_deref(ctx);
}

static void measure(const char *name) {
  const double start = bench_now();
  const pid_t child = fork();
  int status = 0;

  bench_need(child < 0, "fork");
  if (child == 0) {
    first_result(name, start);
    exit(0);
  }
  bench_need(waitpid(child, &status, 0) < 0 || status != 0, name);
}

static int remove_one(const char *name, const struct stat *s, int flag,
                      struct FTW *at) {
  (void)s;
  (void)flag;
  (void)at;
  return remove(name);
}

int main(void) {
  char dir[] = "/tmp/bench_network_XXXXXX";

  bench_need(mkdtemp(dir) == NULL, "folder");
  setenv("POCL_CACHE_DIR", dir, 1);
  setenv("GPUARRAY_CACHE_PATH", dir, 1);
  measure("cold");
  measure("warm");
  nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the first call of each product costs when nothing is compiled yet.
 *
 *   bench_cold           all of them
 *   bench_cold WORD...   those with one of the words in "float gemm nn" or so
 *
 * Each is prepared and run in a process of its own, with empty kernel caches.
 * Any program's first kernel has the OpenCL compiler come up, and the first
 * look at what a device can do compiles probes: that is the first line, and has
 * happened before the others are measured. Figures are processor time, the
 * linker's too, so that waiting on a busy machine does not count, though what
 * shares its caches does. So a kernel that does nothing is compiled in the same
 * process, and how many of it a call costs stands behind its time, then the
 * programs that were compiled. */
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include "bench.h"

#include "base/dtype.h"
#include "blas/dispatch.h"

/* Sizes and layouts that lead to each program of a routine. */
typedef struct path {
  const char *name;
  ga__routine what;
  int is_packed;
  int a_cols, b_cols; /* stored by columns */
  size_t m, n, k, batch;
} path;

static const path paths[] = {
    {"dot", GA_ROUTINE_DOT, 0, 0, 0, 1, 1, 5000, 1},
    {"gemv n", GA_ROUTINE_GEMV, 0, 0, 0, 300, 1, 300, 1},
    {"gemv t", GA_ROUTINE_GEMV, 0, 1, 0, 300, 1, 300, 1},
    {"ger", GA_ROUTINE_GER, 0, 0, 0, 300, 300, 1, 1},
    {"gemm nn", GA_ROUTINE_GEMM, 0, 0, 0, 96, 96, 96, 1},
    {"gemm nt", GA_ROUTINE_GEMM, 0, 0, 1, 96, 96, 96, 1},
    {"gemm tn", GA_ROUTINE_GEMM, 0, 1, 0, 96, 96, 96, 1},
    {"gemm batch", GA_ROUTINE_GEMM, 0, 0, 0, 32, 32, 32, 8},
    {"gemm 8 columns", GA_ROUTINE_GEMM, 0, 0, 0, 512, 8, 64, 1},
    {"gemm 4 rows", GA_ROUTINE_GEMM, 0, 0, 0, 4, 512, 64, 1},
    {"gemm long sums", GA_ROUTINE_GEMM, 0, 0, 0, 96, 96, 600, 1},
    {"gemm packed", GA_ROUTINE_GEMM, 1, 0, 0, 96, 96, 96, 1},
};

static const struct {
  const char *name;
  int typecode;
} types[] = {{"float", GA_FLOAT},
             {"half", GA_HALF},
             {"double", GA_DOUBLE},
             {"complex64", GA_CFLOAT},
             {"complex128", GA_CDOUBLE}};

enum {
  N_PATHS = sizeof paths / sizeof *paths,
  N_TYPES = sizeof types / sizeof *types,
  PLACE = 1 << 21 /* bytes of a buffer for each operand */
};

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

/* --- in the child --- */

static ga__product_operand operand(gpudata *d, unsigned int slot, int by_cols,
                                   size_t rows, size_t cols) {
  return (ga__product_operand){.buf = d,
                               .off = (size_t)slot * PLACE,
                               .rs = by_cols ? 1 : (ptrdiff_t)cols,
                               .cs = by_cols ? (ptrdiff_t)rows : 1,
                               .bs = (ptrdiff_t)(rows * cols),
                               .slot = slot};
}

static int prepare(GpuLaunch **out, const path *p, gpucontext *ctx,
                   int typecode, gpudata *d) {
  const ga__product g = {.ctx = ctx,
                         .routine = p->what,
                         .typecode = typecode,
                         .m = p->m,
                         .n = p->n,
                         .k = p->k,
                         .batch = p->batch,
                         .alpha = {1, 0},
                         .a = operand(d, 0, p->a_cols, p->m, p->k),
                         .b = operand(d, 1, p->b_cols, p->k, p->n),
                         .c = operand(d, 2, 0, p->m, p->n)};

  if (p->is_packed)
    return ga__product_prepare_by(out, &g, &ga__gemm_cpu_packed);
  return ga__product_prepare(out, &g);
}

/* Compile and run a kernel that does nothing to speak of; `name` makes it
 * another one. */
static int compile_nothing(gpucontext *ctx, gpudata *d, const char *name) {
  const char *text[] = {"kernel void ", name, "(global int *a) { a[0] = 0; }"};
  const int type = GA_BUFFER;
  const size_t one = 1;
  void *args[1] = {d};
  int err = GA_NO_ERROR;
  gpukernel *k =
      gpukernel_init(ctx, 3, text, NULL, name, 1, &type, 0, &err, NULL);

  if (k != NULL)
    err = gpukernel_call(k, 1, &one, &one, 0, args);
  gpukernel_release(k);
  return err == GA_NO_ERROR ? gpudata_sync(d) : err;
}

static double time_nothing(gpucontext *ctx, gpudata *d, const char *name) {
  const double start = processor_time();

  bench_need(compile_nothing(ctx, d, name), "kernel");
  return processor_time() - start;
}

static double time_product(const path *p, gpucontext *ctx, int typecode,
                           gpudata *d) {
  const double start = processor_time();
  GpuLaunch *l;

  bench_need(prepare(&l, p, ctx, typecode, d), "prepare");
  bench_need(GpuLaunch_run(l), "run");
  bench_need(gpudata_sync(d), "sync");
  double t = processor_time() - start;
  GpuLaunch_free(l);
  return t;
}

static void print_product(const char *name, const path *p, gpucontext *ctx,
                          int typecode, gpudata *d) {
  gpucontext_counters before, after;

  double unit = time_nothing(ctx, d, "nothing");
  bench_need(gpucontext_count(ctx, &before), "counters");
  double t = time_product(p, ctx, typecode, d);
  bench_need(gpucontext_count(ctx, &after), "counters");
  printf("%-28s %8.2f s %6.1f empty kernels %4" PRIu64 " programs\n", name, t,
         t / unit, after.programs_built - before.programs_built);
}

static void first_call(const char *name, const path *p, int typecode) {
  double start = processor_time();
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "context");
  if (ga__product_support(ctx, typecode) != GA_NO_ERROR)
    return;
  gpucontext_caps(ctx);
  gpudata *d = gpudata_alloc(ctx, (size_t)3 * PLACE, NULL, 0, NULL);
  bench_need(d == NULL, "buffer");
  bench_need(gpudata_memset(d, 0, 0), "memset");
  time_nothing(ctx, d, "first");
  if (p == NULL)
    printf("%-28s %8.2f s\n", name, processor_time() - start);
  else
    print_product(name, p, ctx, typecode, d);
  gpudata_release(d);
  gpucontext_deref(ctx);
}

/* --- in the parent --- */

static int remove_one(const char *name, const struct stat *s, int flag,
                      struct FTW *at) {
  (void)s;
  (void)flag;
  (void)at;
  return remove(name);
}

/* One figure, by a child that finds its caches empty. */
static void measure(const char *name, const path *p, int typecode) {
  char dir[] = "/tmp/bench_cold_XXXXXX";
  int status = 0;

  bench_need(mkdtemp(dir) == NULL, "folder");
  pid_t child = fork();
  bench_need(child < 0, "fork");
  if (child == 0) {
    setenv("POCL_CACHE_DIR", dir, 1);
    setenv("GPUARRAY_CACHE_PATH", dir, 1);
    first_call(name, p, typecode);
    exit(0);
  }
  bench_need(waitpid(child, &status, 0) < 0 || status != 0, name);
  nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int is_wanted(const char *name, int n, char **words) {
  for (int i = 0; i < n; i++) {
    if (strstr(name, words[i]) != NULL)
      return 1;
  }
  return n == 0;
}

int main(int argc, char **argv) {
  measure("any first kernel", NULL, GA_FLOAT);
  for (size_t t = 0; t < N_TYPES; t++)
    for (size_t i = 0; i < N_PATHS; i++) {
      char name[64];

      snprintf(name, sizeof name, "%s %s", types[t].name, paths[i].name);
      if (is_wanted(name, argc - 1, argv + 1))
        measure(name, &paths[i], types[t].typecode);
    }
  return 0;
}

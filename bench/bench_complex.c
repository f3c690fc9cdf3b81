/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps and sums of complex64, beside those of float32 over as many bytes: 2^24
 * complex numbers, or as many as the first argument says. GB/s of all that is
 * read and written. */
#include "bench.h"
#include "launched.h"

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPS = 21 };

/* What is computed. `moved` counts reads and writes of the operands. */
typedef struct problem {
  const char *name;
  gg_var *(*make)(gg_var *x, gg_var *y);
  int moved, is_sum;
} problem;

static gg_var *product(gg_var *x, gg_var *y) {
  return gg_add(gg_mul(x, y), x);
}

static gg_var *quotient(gg_var *x, gg_var *y) {
  return gg_div(x, y);
}

static gg_var *exponential(gg_var *x, gg_var *y) {
  return gg_mul(gg_exp(x), y);
}

static gg_var *sum(gg_var *x, gg_var *y) {
  return gg_sum(gg_mul(x, y));
}

static gg_var *column_sums(gg_var *x, gg_var *y) {
  return gg_sum_axis(gg_add(x, y), 0);
}

static const problem problems[] = {
    {"x y + x", product, 3, 0},         {"x / y", quotient, 3, 0},
    {"exp(x) y", exponential, 3, 0},    {"sum of x y", sum, 2, 1},
    {"column sums", column_sums, 2, 1},
};

typedef struct job {
  gg_func *f;
  GpuArray x, y, z;
} job;

static int run(void *state) {
  job *j = state;
  const int err =
      gg_func_call(j->f, (GpuArray *[]){&j->x, &j->y}, (GpuArray *[]){&j->z});

  return err != GA_NO_ERROR ? err : GpuArray_sync(&j->z);
}

static void fill(GpuArray *a, gpucontext *ctx, int dtype, const size_t *dims,
                 double first) {
  const size_t n = dims[0] * dims[1] * (dtype == GA_CFLOAT ? 2 : 1);
  float *host = malloc(n * sizeof *host);

  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < n; i++)
    host[i] = (float)(first + (double)(i * 7919 % 1009) / 1009);
  bench_need(GpuArray_empty(a, ctx, dtype, 2, dims, GA_C_ORDER), "array");
  bench_need(GpuArray_write(a, host, n * sizeof *host), "write");
  free(host);
}

static void open_job(job *j, gpucontext *ctx, const problem *p, int dtype,
                     size_t rows, size_t columns) {
  const size_t dims[2] = {rows, columns};
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", dtype, 2), *y = gg_input(g, "y", dtype, 2);

  fill(&j->x, ctx, dtype, dims, -0.5);
  fill(&j->y, ctx, dtype, dims, 0.5);
  bench_need(gg_func_new(&j->f, g,
                         &(gg_func_spec){.inputs = GG_VARS(x, y),
                                         .outputs = GG_VARS(p->make(x, y))}),
             p->name);
  j->z = (GpuArray){0};
  bench_need(run(j), p->name);
  gg_graph_free(g);
}

static void close_job(job *j) {
  gg_func_free(j->f);
  GpuArray_clear(&j->x);
  GpuArray_clear(&j->y);
  GpuArray_clear(&j->z);
}

/* The first element of x y + x. */
static void check(const job *j) {
  const double xr = -0.5, xi = xr + 7919 % 1009 / 1009.0;
  const double yr = 0.5, yi = yr + 7919 % 1009 / 1009.0;
  const size_t bytes = j->z.dimensions[0] * j->z.dimensions[1] * 8;
  float *z = malloc(bytes);

  bench_need(z == NULL, "host memory");
  bench_need(GpuArray_read(z, bytes, &j->z), "read");
  bench_need(!(fabs(z[0] - (xr * yr - xi * yi + xr)) < 1e-5 &&
               fabs(z[1] - (xr * yi + xi * yr + xi)) < 1e-5),
             "result");
  free(z);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 24);
  const size_t columns = 1 << 11, rows = n / columns;
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "device");
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    const problem *p = &problems[i];
    const double bytes = 8.0 * (double)(rows * columns) * p->moved;
    bench_time ours, real;
    job a, b;

    open_job(&a, ctx, p, GA_CFLOAT, rows, columns);
    open_job(&b, ctx, p, GA_FLOAT, rows, 2 * columns);
    if (i == 0)
      check(&a);
    bench_pair(run, &a, run, &b, REPS, &ours, &real);
    bench_print(p->name, bytes / ours.median / 1e9, "GB/s",
                bytes / real.median / 1e9);
    close_job(&a);
    close_job(&b);
  }
  gpucontext_deref(ctx);
  return 0;
}

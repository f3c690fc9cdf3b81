/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements by number and condition, on side x side floats (first argument,
 * 4096 if there is none), beside the device's copy of a contiguous array; on a
 * CPU, where columns are numbered or few rows are added to, beside a loop
 * written by hand. The bytes of a call are those that it must read and write.
 * On a GPU a second line has them in sectors: rows that no index means are
 * left out, and sectors that are written in part are read, too. */
#include "bench.h"

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/record.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

enum { REPS = 9 };

typedef struct bench_state {
  gpucontext *ctx;
  size_t side;
  float *host; /* side x side */
  GpuArray a, b, cond;
  GpuArray rows, cells, few; /* indices: side, side x side, side below 16 */
  double named;              /* the share of rows that `rows` means */
  GpuLaunch *launch, *loop;
} bench_state;

/* A work-item does a row of `n`. */
#define LOOP(name, statement)                                                  \
  "kernel void " name "(global float *z, global const float *x,\n"             \
  "                     global const int *at, ulong n) {\n"                    \
  "  const ulong row = get_global_id(0) * n;\n"                                \
  "  for (ulong j = 0; j < n; ++j)\n"                                          \
  "    " statement ";\n"                                                       \
  "}\n"
static const char loops[] = LOOP("take", "z[row + j] = x[row + at[j]]")
    LOOP("gather", "z[row + j] = x[row + at[row + j]]")
        LOOP("put", "z[row + at[j]] = x[row + j]")
            LOOP("add", "z[row + at[j]] += x[row + j]")
                LOOP("add_flat", "z[at[j]] += x[j]")
    /* a work-item does a strip of `n` columns of all rows, which are as many */
    "kernel void add_strip(global float *z, global const float *x,\n"
    "                      global const int *at, ulong n) {\n"
    "  const ulong side = n * get_global_size(0), from = get_global_id(0) * "
    "n;\n"
    "  for (ulong i = 0; i < side; ++i)\n"
    "    for (ulong j = from; j < from + n; ++j)\n"
    "      z[at[i] * side + j] += x[i * side + j];\n"
    "}\n";

/* --- data --- */

static int make_indices(bench_state *s, GpuArray *out, unsigned int nd,
                        const size_t *dims, uint32_t below) {
  const size_t n = nd == 2 ? dims[0] * dims[1] : dims[0];
  int32_t *host = malloc(n * sizeof *host);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (int32_t)((seed >> 8) % below);
  }
  GA_CHECK(GpuArray_empty(out, s->ctx, GA_INT, nd, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(out, host, n * sizeof *host));

done:
  free(host);
  return err;
}

/* Set s->named. */
static int count_named(bench_state *s) {
  int32_t *at = malloc(s->side * sizeof *at);
  char *seen = calloc(s->side, 1);
  size_t n = 0;
  int err;

  if (at == NULL || seen == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(GpuArray_read(at, s->side * sizeof *at, &s->rows));
  for (size_t i = 0; i < s->side; i++) {
    n += !seen[at[i]];
    seen[at[i]] = 1;
  }
  s->named = (double)n / (double)s->side;

done:
  free(at);
  free(seen);
  return err;
}

static int make_data(bench_state *s) {
  const size_t dims[2] = {s->side, s->side}, n = s->side * s->side;
  const uint32_t below = (uint32_t)s->side;

  s->host = malloc(n * sizeof *s->host);
  if (s->host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    s->host[i] = (float)(i % 1000);
  GA_TRY(GpuArray_empty(&s->a, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->b, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_write(&s->a, s->host, n * sizeof *s->host));
  GA_TRY(GpuArray_write(&s->b, s->host, n * sizeof *s->host));
  GA_TRY(GpuArray_zeros(&s->cond, s->ctx, GA_BOOL, 2, dims, GA_C_ORDER));
  GA_TRY(make_indices(s, &s->rows, 1, dims, below));
  GA_TRY(count_named(s));
  GA_TRY(make_indices(s, &s->few, 1, dims, 16));
  return make_indices(s, &s->cells, 2, dims, below);
}

/* --- cases --- */

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->a);
}

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->b, &s->a));
  return GpuArray_sync(&s->b);
}

static int run_fill(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_fill(&s->b, GA_FLOAT, &(float){1.5f}));
  return GpuArray_sync(&s->b);
}

static int run_arange(void *arg) {
  bench_state *s = arg;
  GpuArray a;

  GA_TRY(
      GpuArray_arange(&a, s->ctx, GA_FLOAT, 0, (double)(s->side * s->side), 1));
  int err = GpuArray_sync(&a);
  GpuArray_clear(&a);
  return err;
}

static int run_loop(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->loop));
  return GpuArray_sync(&s->b);
}

/* The loop that `measure` compares the next launch with, for `rows` work-items
 * of `n` elements or columns each. */
static int set_loop_of(bench_state *s, const char *name, GpuArray *z,
                       GpuArray *x, GpuArray *at, size_t rows, size_t n) {
  static const int types[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER, GA_SIZE};
  const GpuKernelSpec k = {.name = name,
                           .code = loops,
                           .n_types = 4,
                           .types = types,
                           .flags = GA_USE_OPENCL};
  const size_t one = 1;

  if (!gpucontext_caps(s->ctx)->is_cpu)
    return GA_NO_ERROR;
  GpuLaunch *l = GpuLaunch_open(s->ctx, name, 3, (GpuArray *[]){z, x, at});
  GpuLaunch_call(l, &k, 1, &rows, &one, 0, (void *[]){z, x, at, &n});
  return GpuLaunch_close(&s->loop, l);
}

static int set_loop(bench_state *s, const char *name, GpuArray *z, GpuArray *x,
                    GpuArray *at, size_t rows) {
  return set_loop_of(s, name, z, x, at, rows, s->side * s->side / rows);
}

/* By a loop for each core. */
static int set_strips(bench_state *s) {
  const size_t cores = gpucontext_caps(s->ctx)->compute_units;

  if (s->side % cores != 0)
    return GA_NO_ERROR;
  return set_loop_of(s, "add_strip", &s->b, &s->a, &s->few, cores,
                     s->side / cores);
}

/* `moved`: the bytes of sectors, or 0 if they are `bytes`. */
static int measure_moved(bench_state *s, const char *name, double bytes,
                         double moved, bench_fn fn) {
  bench_time ours, other;
  const double n = (double)s->side * (double)s->side;
  const int has_loop = s->loop != NULL;

  bench_pair(fn, s, has_loop ? run_loop : run_copy, s, REPS, &ours, &other);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              (has_loop ? bytes : 8 * n) / other.median / 1e9);
  if (moved > 0 && !gpucontext_caps(s->ctx)->is_cpu)
    bench_print_sectors(name, moved, ours.median, 8 * n / other.median / 1e9);
  GpuLaunch_free(s->launch);
  GpuLaunch_free(s->loop);
  s->launch = s->loop = NULL;
  return GA_NO_ERROR;
}

static int measure(bench_state *s, const char *name, double bytes,
                   bench_fn fn) {
  return measure_moved(s, name, bytes, 0, fn);
}

/* The first row of what was taken along axis 1. */
static int check_take(bench_state *s) {
  int32_t *at = malloc(s->side * sizeof *at);
  float *got = malloc(s->side * sizeof *got);
  int err;

  if (at == NULL || got == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(run_launch(s));
  GA_CHECK(GpuArray_read(at, s->side * sizeof *at, &s->rows));
  GA_CHECK(gpudata_read(got, s->b.data, 0, s->side * sizeof *got));
  for (size_t i = 0; i < s->side; i++) {
    if (got[i] != s->host[at[i]])
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", i,
                     (double)got[i], (double)s->host[at[i]]);
  }

done:
  free(at);
  free(got);
  return err;
}

/* The last row after additions along axis 1, whose order is that of indices. */
static int check_add(bench_state *s) {
  const size_t bytes = s->side * sizeof(float), at = (s->side - 1) * bytes;
  int32_t *index = malloc(s->side * sizeof *index);
  float *want = malloc(bytes), *got = malloc(bytes);
  int err;

  if (index == NULL || want == NULL || got == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(GpuArray_read(index, s->side * sizeof *index, &s->rows));
  GA_CHECK(gpudata_read(want, s->b.data, at, bytes));
  GA_CHECK(run_launch(s));
  GA_CHECK(gpudata_read(got, s->b.data, at, bytes));
  for (size_t i = 0; i < s->side; i++)
    want[index[i]] += s->host[at / sizeof(float) + i];
  for (size_t i = 0; i < s->side; i++) {
    if (got[i] != want[i])
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", i,
                     (double)got[i], (double)want[i]);
  }

done:
  free(index);
  free(want);
  free(got);
  return err;
}

static int run_takes(bench_state *s, double n) {
  GA_TRY(GpuArray_take_prepare(&s->launch, &s->b, &s->a, &s->rows, 0));
  GA_TRY(measure(s, "take axis 0", 8 * n, run_launch));
  GA_TRY(GpuArray_take_prepare(&s->launch, &s->b, &s->a, &s->rows, 1));
  GA_TRY(check_take(s));
  GA_TRY(set_loop(s, "take", &s->b, &s->a, &s->rows, s->side));
  GA_TRY(measure(s, "take axis 1", 8 * n, run_launch));
  GA_TRY(GpuArray_gather_prepare(&s->launch, &s->b, &s->a, &s->cells, 1));
  GA_TRY(set_loop(s, "gather", &s->b, &s->a, &s->cells, s->side));
  return measure(s, "gather axis 1", 12 * n, run_launch);
}

static int run_puts(bench_state *s, double n) {
  const struct {
    const char *name;
    ga_put_op op;
    int few, axis;
    double bytes, sectors; /* per element */
  } puts[] = {
      {"put axis 0, in order", GA_PUT_SET, 0, 0, 8, 8 * s->named},
      {"put axis 0, any order", GA_PUT_SET_ANY, 0, 0, 8, 4 + 4 * s->named},
      {"put axis 1, in order", GA_PUT_SET, 0, 1, 8, 12},
      {"add axis 0, in order", GA_PUT_ADD, 0, 0, 12, 4 + 8 * s->named},
      {"add axis 0, any order", GA_PUT_ADD_ANY, 0, 0, 12, 4 + 8 * s->named},
      {"add axis 1, in order", GA_PUT_ADD, 0, 1, 12, 12},
      {"add to 16 rows, in order", GA_PUT_ADD, 1, 0, 4, 4},
      {"add to 16 rows, any order", GA_PUT_ADD_ANY, 1, 0, 4, 4},
  };

  for (size_t i = 0; i < sizeof puts / sizeof puts[0]; i++) {
    GA_TRY(GpuArray_put_prepare(&s->launch, &s->b,
                                puts[i].few ? &s->few : &s->rows, &s->a,
                                (unsigned int)puts[i].axis, puts[i].op));
    if (puts[i].axis == 1 && puts[i].op == GA_PUT_ADD)
      GA_TRY(check_add(s));
    if (puts[i].axis == 1)
      GA_TRY(set_loop(s, puts[i].op == GA_PUT_SET ? "put" : "add", &s->b, &s->a,
                      &s->rows, s->side));
    if (puts[i].few)
      GA_TRY(set_strips(s));
    GA_TRY(measure_moved(s, puts[i].name, puts[i].bytes * n,
                         puts[i].sectors * n, run_launch));
  }
  return GA_NO_ERROR;
}

/* side x side numbers, each to one of side cells. */
static int run_flat_add(bench_state *s, double n, ga_put_op op,
                        const char *name) {
  const size_t total = s->side * s->side;
  GpuArray index = {0}, v = {0}, bins = {0};
  int err;

  GA_CHECK(GpuArray_reshape(&index, &s->cells, 1, &total, GA_C_ORDER, 1));
  GA_CHECK(GpuArray_reshape(&v, &s->a, 1, &total, GA_C_ORDER, 1));
  GA_CHECK(GpuArray_zeros(&bins, s->ctx, GA_FLOAT, 1, &s->side, GA_C_ORDER));
  GA_CHECK(GpuArray_put_prepare(&s->launch, &bins, &index, &v, 0, op));
  GA_CHECK(set_loop(s, "add_flat", &bins, &v, &index, 1));
  GA_CHECK(measure(s, name, 8 * n, run_launch));

done:
  GpuArray_clear(&index);
  GpuArray_clear(&v);
  GpuArray_clear(&bins);
  return err;
}

static int run_all(bench_state *s) {
  const double n = (double)s->side * (double)s->side;

  GA_TRY(measure(s, "fill", 4 * n, run_fill));
  GA_TRY(measure(s, "arange", 4 * n, run_arange));
  GA_TRY(GpuArray_where_prepare(&s->launch, &s->b, &s->cond, &s->a, &s->a));
  GA_TRY(measure(s, "where", 9 * n, run_launch));
  GA_TRY(run_takes(s, n));
  GA_TRY(run_puts(s, n));
  GA_TRY(run_flat_add(s, n, GA_PUT_ADD, "add to a vector, in order"));
  return run_flat_add(s, n, GA_PUT_ADD_ANY, "add to a vector, any order");
}

int main(int argc, char **argv) {
  bench_state s = {.side =
                       argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 4096};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(make_data(&s), "data");
  bench_need(run_all(&s), "measurements");
  GpuArray_clear(&s.a);
  GpuArray_clear(&s.b);
  GpuArray_clear(&s.cond);
  GpuArray_clear(&s.rows);
  GpuArray_clear(&s.cells);
  GpuArray_clear(&s.few);
  gpucontext_deref(s.ctx);
  free(s.host);
  return 0;
}

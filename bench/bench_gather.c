/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that read by index, write by index and join, on side x side floats
 * (first argument, 2048 if there is none), beside a copy of a contiguous array
 * by the device. Lines that end with "alone" have the same function without
 * fusion as their reference. The bytes of a call are those that it must read
 * and write; elements that are read by index count once each. On a GPU a second
 * line has the bytes of the sectors that these elements lie in. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

enum { REPS = 15 };

typedef struct bench_state {
  gpucontext *ctx;
  size_t side;
  gg_graph *g;
  gg_var *x, *y, *cells, *rows;
  GpuArray arrays[4], copy; /* of these variables */
  gg_func *f, *apart;
} bench_state;

/* --- data --- */

static int make_floats(bench_state *s, GpuArray *a) {
  const size_t n = s->side * s->side, dims[2] = {s->side, s->side};
  float *host = malloc(n * sizeof *host);
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    host[i] = (float)(i % 1000) / 1000;
  GA_CHECK(GpuArray_empty(a, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(a, host, n * sizeof *host));

done:
  free(host);
  return err;
}

/* Positions from 1 on, so that 1 can be subtracted. */
static int make_indices(bench_state *s, GpuArray *a, unsigned int nd) {
  const size_t dims[2] = {s->side, s->side};
  const size_t n = nd == 2 ? s->side * s->side : s->side;
  int32_t *host = malloc(n * sizeof *host);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = 1 + (int32_t)((seed >> 8) % (s->side - 1));
  }
  GA_CHECK(GpuArray_empty(a, s->ctx, GA_INT, nd, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(a, host, n * sizeof *host));

done:
  free(host);
  return err;
}

static int make_data(bench_state *s) {
  s->g = gg_graph_new(s->ctx);
  if (s->g == NULL)
    return ga__fail_nomem();
  s->x = gg_input(s->g, "x", GA_FLOAT, 2);
  s->y = gg_input(s->g, "y", GA_FLOAT, 2);
  s->cells = gg_input(s->g, "cells", GA_INT, 2);
  s->rows = gg_input(s->g, "rows", GA_INT, 1);
  GA_TRY(make_floats(s, &s->arrays[0]));
  GA_TRY(make_floats(s, &s->arrays[1]));
  GA_TRY(make_indices(s, &s->arrays[2], 2));
  GA_TRY(make_indices(s, &s->arrays[3], 1));
  return make_floats(s, &s->copy);
}

/* --- what is timed --- */

static int call(bench_state *s, gg_func *f) {
  GpuArray out = {0};
  int err;

  GA_CHECK(gg_func_call(f,
                        (GpuArray *[]){&s->arrays[0], &s->arrays[1],
                                       &s->arrays[2], &s->arrays[3]},
                        (GpuArray *[]){&out}));
  GA_CHECK(GpuArray_sync(&out));

done:
  GpuArray_clear(&out);
  return err;
}

static int run(void *arg) {
  bench_state *s = arg;

  return call(s, s->f);
}

static int run_apart(void *arg) {
  bench_state *s = arg;

  return call(s, s->apart);
}

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->copy, &s->arrays[0]));
  return GpuArray_sync(&s->copy);
}

/* --- functions --- */

static gg_var *one_less(gg_var *i) {
  return gg_sub(i, gg_scalar(gg_var_graph(i), GA_INT, 1));
}

static gg_var *along_rows(bench_state *s) {
  return gg_take_along(s->x, 0, s->cells);
}

static gg_var *along_columns(bench_state *s) {
  return gg_take_along(s->x, 1, s->cells);
}

static gg_var *fused_rows(bench_state *s) {
  return gg_mul(gg_exp(gg_take_along(s->x, 0, one_less(s->cells))), s->y);
}

static gg_var *fused_columns(bench_state *s) {
  return gg_mul(gg_exp(gg_take_along(s->x, 1, one_less(s->cells))), s->y);
}

static gg_var *fused_vector(bench_state *s) {
  return gg_mul(gg_exp(gg_take_axis(s->x, 1, s->rows)), s->y);
}

static gg_var *whole_rows(bench_state *s) {
  return gg_mul(gg_exp(gg_take(s->x, s->rows)), s->y);
}

static gg_var *tuples(bench_state *s) {
  gg_var *two[2] = {s->cells, one_less(s->cells)};

  return gg_gather_nd(s->x, gg_stack(2, 2, two), 0);
}

static gg_var *put_columns(bench_state *s) {
  return gg_put_along(s->y, 1, s->cells, s->x, GG_PUT_MAX);
}

static gg_var *join_rows(bench_state *s) {
  return gg_join(0, 2, (gg_var *[]){s->x, s->y});
}

static gg_var *join_columns(bench_state *s) {
  return gg_join(1, 2, (gg_var *[]){s->x, s->y});
}

static gg_var *join_wide(bench_state *s) {
  gg_var *const left = gg_slice(s->x, 1, 0, 5, 1);

  return gg_join(1, 2, (gg_var *[]){left, s->y});
}

static gg_var *join_last(bench_state *s) {
  return gg_stack(2, 2, (gg_var *[]){s->x, s->y});
}

static gg_var *join_many(bench_state *s) {
  gg_var *parts[16];

  for (unsigned int i = 0; i < 16; i++)
    parts[i] = i % 2 ? s->x : s->y;
  return gg_join(1, 16, parts);
}

static int make(bench_state *s, gg_var *z, gg_func **f, int fuses) {
  const gg_func_spec spec = {.inputs = GG_VARS(s->x, s->y, s->cells, s->rows),
                             .outputs = GG_VARS(z),
                             .flags = GG_ALLOW_UNUSED_INPUT | GG_NO_INDEX_GUARD,
                             .exclude = fuses ? NULL : GG_NAMES("fusion")};

  return gg_func_new(f, s->g, &spec);
}

/* `bytes` are those of each element of x, `sectors` those of its sectors, or 0
 * if they are the same. */
static int measure(bench_state *s, const char *name,
                   gg_var *(*build)(bench_state *), double bytes,
                   double sectors, int is_apart) {
  const double n = (double)s->side * (double)s->side;
  bench_time ours, other;
  int err;

  GA_CHECK(make(s, build(s), &s->f, 1));
  if (is_apart)
    GA_CHECK(make(s, build(s), &s->apart, 0));
  bench_pair(run, s, is_apart ? run_apart : run_copy, s, REPS, &ours, &other);
  bench_print(name, bytes * n / ours.median / 1e9, "GB/s",
              (is_apart ? bytes : 8) * n / other.median / 1e9);
  if (sectors > 0 && !gpucontext_caps(s->ctx)->is_cpu)
    bench_print_sectors(name, sectors * n, ours.median,
                        8 * n / other.median / 1e9);

done:
  gg_func_free(s->f);
  gg_func_free(s->apart);
  s->f = s->apart = NULL;
  return err;
}

static int measure_all(bench_state *s) {
  static const struct {
    const char *name;
    gg_var *(*build)(bench_state *);
    double bytes, sectors;
    int is_apart;
  } lines[] = {
      {"take_along axis 0", along_rows, 12, 8 + BENCH_SECTOR, 0},
      {"take_along axis 1", along_columns, 12, 0, 0},
      {"exp(take_along axis 0) y", fused_rows, 16, 12 + BENCH_SECTOR, 0},
      {"exp(take_along axis 1) y", fused_columns, 16, 0, 0},
      {"exp(take_along axis 0) y, alone", fused_rows, 16, 0, 1},
      {"exp(take_along axis 1) y, alone", fused_columns, 16, 0, 1},
      {"exp(take_axis 1) y", fused_vector, 12, 0, 0},
      {"exp(take_axis 1) y, alone", fused_vector, 12, 0, 1},
      {"exp(take rows) y", whole_rows, 12, 0, 0},
      {"gather_nd", tuples, 12, 12 + BENCH_SECTOR, 0},
      {"put_along axis 1, max", put_columns, 20, 0, 0},
      {"join axis 0", join_rows, 16, 0, 0},
      {"join axis 1", join_columns, 16, 0, 0},
      {"join axis 1, 5 columns", join_wide, 8, 0, 0},
      {"join of pairs", join_last, 16, 0, 0},
      {"join axis 1, 16 parts", join_many, 128, 0, 0},
  };

  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    GA_TRY(measure(s, lines[i].name, lines[i].build, lines[i].bytes,
                   lines[i].sectors, lines[i].is_apart));
  return GA_NO_ERROR;
}

/* The first element of exp(take_along(x, 0, cells - 1)) y. */
static int check(bench_state *s) {
  const size_t n = s->side * s->side;
  float *x = malloc(n * sizeof *x), got = 0;
  int32_t at = 0;
  GpuArray out = {0};
  int err;

  GA_CHECK(x != NULL ? GA_NO_ERROR : ga__fail_nomem());
  GA_CHECK(make(s, fused_rows(s), &s->f, 1));
  GA_CHECK(gg_func_call(s->f,
                        (GpuArray *[]){&s->arrays[0], &s->arrays[1],
                                       &s->arrays[2], &s->arrays[3]},
                        (GpuArray *[]){&out}));
  GA_CHECK(GpuArray_read(x, n * sizeof *x, &s->arrays[0]));
  GA_CHECK(gpudata_read(&at, s->arrays[2].data, 4, sizeof at));
  GA_CHECK(gpudata_read(&got, out.data, 4, sizeof got));
  const float want = expf(x[(size_t)(at - 1) * s->side + 1]) * x[1];
  if (fabsf(got - want) > 1e-5f)
    err = ga__fail(GA_VALUE_ERROR, "got %g, expected %g", (double)got,
                   (double)want);

done:
  gg_func_free(s->f);
  s->f = NULL;
  GpuArray_clear(&out);
  free(x);
  return err;
}

int main(int argc, char **argv) {
  bench_state s = {.side = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048};

  if (s.side < 8)
    bench_need(GA_VALUE_ERROR, "the side must be 8 or more");
  bench_need(gpucontext_open(&s.ctx, NULL), "no device");
  bench_need(make_data(&s), "data");
  bench_need(check(&s), "check");
  bench_need(measure_all(&s), "measure");
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&s.arrays[i]);
  GpuArray_clear(&s.copy);
  gg_graph_free(s.g);
  gpucontext_deref(s.ctx);
  return 0;
}

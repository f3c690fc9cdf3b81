/* SPDX-License-Identifier: BSD-2-Clause */
/* Group, instance and RMS normalisation and local response normalisation of n
 * images (first argument; 4 if there is none) of 64 x 56 x 56 floats, beside a
 * copy of the array by the device. Microseconds per call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include "base/err.h"
#include "bench.h"

enum { CHANNELS = 64, SIDE = 56, PLANE = SIDE * SIDE, REPS = 15 };
enum { GROUPS = 8, NEAR = 5 };

#define EPSILON 1e-5

typedef struct job {
  gpucontext *ctx;
  float *host, *got;
  size_t n; /* elements */
  GpuArray x, y, z;
  gg_func *f;
} job;

/* A normalisation: what builds it, and its element i on the host. */
typedef struct kind {
  const char *name;
  gg_var *(*build)(gg_var *x);
  double (*expect)(const float *x, size_t i);
} kind;

/* --- the normalisations --- */

/* Element i of x, normalised with its n neighbours from a multiple of n on. */
static double normalised(const float *x, size_t i, size_t n, int has_mean) {
  const float *v = x + i / n * n;
  double m = 0, s = 0;

  for (size_t k = 0; k < n && has_mean; k++)
    m += (double)v[k] / (double)n;
  for (size_t k = 0; k < n; k++)
    s += ((double)v[k] - m) * ((double)v[k] - m) / (double)n;
  return ((double)x[i] - m) / sqrt(s + EPSILON);
}

static gg_var *build_group(gg_var *x) {
  return gg_group_norm(x, GROUPS, NULL, NULL, EPSILON);
}

static double expect_group(const float *x, size_t i) {
  return normalised(x, i, (size_t)CHANNELS / GROUPS * PLANE, 1);
}

static gg_var *build_instance(gg_var *x) {
  return gg_instance_norm(x, NULL, NULL, EPSILON);
}

static double expect_instance(const float *x, size_t i) {
  return normalised(x, i, PLANE, 1);
}

static gg_var *build_rms(gg_var *x) {
  return gg_rms_norm(x, 2, NULL, EPSILON);
}

static double expect_rms(const float *x, size_t i) {
  return normalised(x, i, PLANE, 0);
}

static gg_var *build_local(gg_var *x) {
  return gg_local_response_norm(x, NEAR, 1, 0.75, 1);
}

static double expect_local(const float *x, size_t i) {
  const size_t c = i / PLANE % CHANNELS;
  double sum = 0;

  for (size_t k = c < NEAR / 2 ? 0 : c - NEAR / 2;
       k <= c + NEAR / 2 && k < CHANNELS; k++) {
    const double v = (double)x[i + k * PLANE - c * PLANE];
    sum += v * v;
  }
  return (double)x[i] / pow(1 + sum / NEAR, 0.75);
}

static const kind kinds[] = {
    {"group norm, 8 groups", build_group, expect_group},
    {"instance norm", build_instance, expect_instance},
    {"RMS norm of planes", build_rms, expect_rms},
    {"local response norm, 5", build_local, expect_local}};

/* --- measuring --- */

static int run_function(void *arg) {
  job *j = arg;

  GA_TRY(gg_func_call(j->f, (GpuArray *[]){&j->x}, (GpuArray *[]){&j->y}));
  return GpuArray_sync(&j->y);
}

static int run_copy(void *arg) {
  job *j = arg;

  GA_TRY(gpudata_move(j->z.data, 0, j->x.data, 0, j->n * sizeof(float)));
  return GpuArray_sync(&j->z);
}

static int check(job *j, const kind *k) {
  GA_TRY(GpuArray_read(j->got, j->n * sizeof(float), &j->y));
  for (size_t i = 0; i < j->n; i += 49999) {
    const double want = k->expect(j->host, i);
    if (!(fabs((double)j->got[i] - want) <= 1e-4 + 1e-3 * fabs(want)))
      return ga__fail(GA_VALUE_ERROR, "%s, element %zu: %g, expected %g",
                      k->name, i, (double)j->got[i], want);
  }
  return GA_NO_ERROR;
}

static void measure(job *j, const kind *k) {
  gg_graph *g = gg_graph_new(j->ctx);
  bench_time ours, copy;
  gg_func_stats st;
  char text[64];

  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4,
                             (int64_t[]){GG_ANY, CHANNELS, SIDE, SIDE});
  gg_var *y = k->build(x);
  bench_need(
      gg_func_new(&j->f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}),
      gg_graph_error(g));
  bench_need(run_function(j), "call");
  bench_need(check(j, k), "result");
  bench_need(gg_func_stat(j->f, &st), "figures");
  bench_pair(run_function, j, run_copy, j, REPS, &ours, &copy);
  snprintf(text, sizeof text, "%s (%zu kernels), copy", k->name, st.steps);
  bench_print(text, 1e6 * ours.median, "us", 1e6 * copy.median);
  GpuArray_clear(&j->y);
  gg_func_free(j->f);
  gg_graph_free(g);
}

int main(int argc, char **argv) {
  const size_t images = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 4;
  const size_t dims[4] = {images, CHANNELS, SIDE, SIDE};
  job j = {.n = images * CHANNELS * PLANE};

  bench_need(gpucontext_open(&j.ctx, NULL), "device");
  j.host = malloc(j.n * sizeof *j.host);
  j.got = malloc(j.n * sizeof *j.got);
  bench_need(j.host == NULL || j.got == NULL, "memory");
  for (size_t i = 0; i < j.n; i++)
    j.host[i] = (float)(i * 37 % 1013) / 1013 - 0.4f;
  bench_need(GpuArray_empty(&j.x, j.ctx, GA_FLOAT, 4, dims, GA_C_ORDER), "x");
  bench_need(GpuArray_empty(&j.z, j.ctx, GA_FLOAT, 4, dims, GA_C_ORDER), "z");
  bench_need(GpuArray_write(&j.x, j.host, j.n * sizeof *j.host), "x");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    measure(&j, &kinds[k]);
  GpuArray_clear(&j.x);
  GpuArray_clear(&j.z);
  free(j.host);
  free(j.got);
  gpucontext_deref(j.ctx);
  return 0;
}

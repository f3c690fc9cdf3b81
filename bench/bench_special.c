/* SPDX-License-Identifier: BSD-2-Clause */
/* Special functions of 2^20 floats, or of as many as the first argument says,
 * in microseconds, each beside SciPy: the last column is our time over its. A
 * second argument chooses one. */
#include "bench.h"
#include "launched.h"
#include "peer.h"

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS = 9 };

/* Operands are spread evenly over these ranges. */
typedef struct problem {
  const char *name;
  gg_var *(*one)(gg_var *x);
  gg_var *(*two)(gg_var *x, gg_var *y);
  gg_var *(*three)(gg_var *x, gg_var *y, gg_var *z);
  double range[6];
} problem;

#define ONE(name, low, high)                                                   \
  {                                                                            \
#name, gg_##name, NULL, NULL, {                                            \
      low, high                                                                \
    }                                                                          \
  }
#define TWO(name, low, high, low2, high2)                                      \
  {                                                                            \
#name, NULL, gg_##name, NULL, {                                            \
      low, high, low2, high2                                                   \
    }                                                                          \
  }
#define THREE(name, low, high, low2, high2, low3, high3)                       \
  {                                                                            \
#name, NULL, NULL, gg_##name, {                                            \
      low, high, low2, high2, low3, high3                                      \
    }                                                                          \
  }

static const problem problems[] = {
    ONE(lgamma, 0.1, 20),
    ONE(gamma, 0.1, 20),
    ONE(digamma, 0.1, 20),
    ONE(trigamma, 0.1, 20),
    TWO(betaln, 0.1, 20, 0.1, 20),
    TWO(zeta, 1.1, 20, 0.1, 20),
    ONE(erfinv, -1, 1),
    ONE(erfcinv, 0, 2),
    ONE(erfcx, -2, 20),
    ONE(ndtr, -5, 5),
    ONE(log_ndtr, -20, 5),
    ONE(ndtri, 0, 1),
    TWO(xlogy, 0, 20, 0.1, 20),
    TWO(xlog1py, 0, 20, 0, 20),
    ONE(entr, 0, 20),
    TWO(rel_entr, 0.1, 20, 0.1, 20),
    TWO(kl_div, 0.1, 20, 0.1, 20),
    ONE(sinc, -10, 10),
    ONE(i0, 0, 20),
    ONE(i0e, 0, 20),
    ONE(i1, 0, 20),
    ONE(i1e, 0, 20),
    ONE(k0, 0.1, 20),
    ONE(k0e, 0.1, 20),
    ONE(k1, 0.1, 20),
    ONE(k1e, 0.1, 20),
    ONE(lambertw, 0, 20),
    ONE(j0, 0, 50),
    ONE(j1, 0, 50),
    ONE(y0, 0.1, 50),
    ONE(y1, 0.1, 50),
    ONE(exp1, 0.1, 20),
    ONE(expi, 0.1, 20),
    TWO(gammainc, 0.1, 20, 0, 20),
    TWO(gammaincc, 0.1, 20, 0, 20),
    TWO(gammaincinv, 0.5, 20, 0, 1),
    TWO(gammainccinv, 0.5, 20, 0, 1),
    TWO(gammapdf, 0.5, 20, 0.1, 20),
    THREE(betainc, 0.1, 20, 0.1, 20, 0, 1),
    THREE(betaincc, 0.1, 20, 0.1, 20, 0, 1),
    THREE(betaincinv, 0.5, 20, 0.5, 20, 0, 1),
    THREE(betainccinv, 0.5, 20, 0.5, 20, 0, 1),
    THREE(betapdf, 0.5, 20, 0.5, 20, 0, 1),
};

typedef struct job {
  gpucontext *ctx;
  const problem *p;
  size_t n;
  unsigned int operands;
  GpuArray x[3], z;
  gg_func *f;
} job;

static double operand(double low, double high, size_t i, size_t n) {
  return low + (high - low) * ((double)i + 0.5) / (double)n;
}

static int run(void *state) {
  job *j = state;

  const int err =
      gg_func_call(j->f, (GpuArray *[]){&j->x[0], &j->x[1], &j->x[2]},
                   (GpuArray *[]){&j->z});

  return err != GA_NO_ERROR ? err : GpuArray_sync(&j->z);
}

static void make(GpuArray *a, const job *j, const double *range, size_t step) {
  float *host = malloc(j->n * sizeof *host);

  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < j->n; i++)
    host[i] = (float)operand(range[0], range[1], i * step % j->n, j->n);
  bench_need(GpuArray_empty(a, j->ctx, GA_FLOAT, 1, &j->n, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(a, host, j->n * sizeof *host), "write");
  free(host);
}

/* The same operands for SciPy; of element `at`, unless that is NULL. */
static double scipy(const job *j, const char *at) {
  const double *r = j->p->range;

  return peer_us("special_scipy.py %s %zu %g %g %g %g %g %g %s", j->p->name,
                 j->n, r[0], r[1], r[2], r[3], r[4], r[5], at);
}

static void check(job *j) {
  const size_t at = j->n / 3;
  float *got = malloc(j->n * sizeof *got);
  char text[32];

  bench_need(got == NULL, "host memory");
  bench_need(run(j), j->p->name);
  bench_need(GpuArray_read(got, j->n * sizeof *got, &j->z), "read");
  snprintf(text, sizeof text, "%zu", at);
  const double want = scipy(j, text);
  if (want != 0 && !(fabs((double)got[at] - want) < 1e-4 * fabs(want))) {
    fprintf(stderr, "%s: %.9g, SciPy has %.9g\n", j->p->name, (double)got[at],
            want);
    exit(1);
  }
  free(got);
}

static gg_var *apply(const problem *p, gg_var *const *x) {
  return p->one != NULL   ? p->one(x[0])
         : p->two != NULL ? p->two(x[0], x[1])
                          : p->three(x[0], x[1], x[2]);
}

static void measure(job *j) {
  static const size_t steps[] = {1, 7919, 104729};
  const problem *p = j->p;
  gg_graph *g = gg_graph_new(j->ctx);
  gg_var *x[4] = {NULL};

  j->operands = p->one != NULL ? 1 : p->two != NULL ? 2 : 3;
  for (unsigned int i = 0; i < j->operands; i++) {
    x[i] = gg_input(g, "x", GA_FLOAT, 1);
    make(&j->x[i], j, p->range + 2 * (size_t)i, steps[i]);
  }
  gg_var *const z = apply(p, x);
  bench_need(gg_func_new(&j->f, g,
                         &(gg_func_spec){.inputs = x, .outputs = GG_VARS(z)}),
             p->name);
  bench_need(GpuArray_empty(&j->z, j->ctx, GA_FLOAT, 1, &j->n, GA_C_ORDER),
             "array");
  check(j);
  const bench_time ours = bench_median(run, j, REPS);
  bench_print(p->name, 1e6 * ours.median, "us", scipy(j, ""));
  gg_func_free(j->f);
  gg_graph_free(g);
  for (unsigned int i = 0; i < j->operands; i++)
    GpuArray_clear(&j->x[i]);
  GpuArray_clear(&j->z);
}

int main(int argc, char **argv) {
  job j = {.n = bench_size(argc, argv, (size_t)1 << 20)};

  bench_need(gpucontext_open(&j.ctx, NULL), "device");
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    j.p = &problems[i];
    if (argc < 3 || strcmp(problems[i].name, argv[2]) == 0)
      measure(&j);
  }
  gpucontext_deref(j.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaussian-process regression as in docs/examples/gaussian_process.c, in
 * doubles: the likelihood of n points (arguments; 256, 1000, 2000 and 4000 if
 * there are none) and its derivative by the length scale. Both are compared
 * with SciPy's, and where the matrix is small with plain loops. Then
 * milliseconds of a call, and of processor time, the least of some calls each,
 * beside SciPy with two ways to invert (gp_scipy.py); and the part of the
 * limit that is reached: n^3 operations, those of the factor and of its
 * inverse, at the rate of this library's product of the same size. */
#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "peer.h"

enum { MOST_LOOPS = 300, MOST_PRODUCT = 2048 };

static const double scale = 0.9, noise = 1e-3;

typedef struct subject {
  size_t n;
  int reps;
  gg_graph *g;
  gg_func *f;
  GpuArray scale, loss, slope;
  GpuArray a, b, c; /* of a product */
} subject;

typedef struct least {
  double wall, cpu; /* seconds */
} least;

static double point(size_t i) {
  return 0.5 * (double)i;
}

/* --- the graph --- */

/* exp(-((a - b) / scale)^2 / 2) for all pairs */
static gg_var *kernel(gg_var *x, gg_var *by) {
  gg_var *const d = gg_div(gg_outer_of(gg_sub, x, x), by);

  return gg_exp(gg_mul(gg_sqr(d), gg_weak(gg_var_graph(x), -0.5)));
}

static int build(subject *s, gg_var *x, gg_var *y) {
  gg_graph *const g = s->g;
  gg_var *const by = gg_input(g, "scale", GA_DOUBLE, 0);
  gg_var *const n = gg_i64(g, (int64_t)s->n);
  gg_var *const diagonal =
      gg_mul(gg_eye(n, n, 0, GA_DOUBLE), gg_weak(g, noise));
  gg_var *const l = gg_cholesky(gg_add(kernel(x, by), diagonal), 0);
  gg_var *const w = gg_cholesky_solve(l, y, 0);
  gg_var *const loss = gg_add(gg_mul(gg_dot(y, w), gg_weak(g, 0.5)),
                              gg_sum(gg_log(gg_diagonal(l, 0, 0, 1))));
  gg_var *slope = NULL;

  gg_grad(&slope, loss, 1, &by);
  return gg_func_new(&s->f, g,
                     &(gg_func_spec){.name = "likelihood",
                                     .inputs = GG_VARS(by),
                                     .outputs = GG_VARS(loss, slope)});
}

static int run(void *arg) {
  subject *const s = arg;
  const int err = gg_func_call(s->f, (GpuArray *[]){&s->scale},
                               (GpuArray *[]){&s->loss, &s->slope});

  return err != GA_NO_ERROR ? err : GpuArray_sync(&s->slope);
}

static void open_subject(subject *s, gpucontext *ctx) {
  const size_t bytes = s->n * sizeof(double);
  double *const x = malloc(bytes), *const y = malloc(bytes);

  bench_need(x == NULL || y == NULL, "memory");
  for (size_t i = 0; i < s->n; i++) {
    x[i] = point(i);
    y[i] = sin(x[i]);
  }
  s->g = gg_graph_new(ctx);
  bench_need(build(s, gg_shared_host(s->g, "x", GA_DOUBLE, 1, &s->n, x),
                   gg_shared_host(s->g, "y", GA_DOUBLE, 1, &s->n, y)),
             gg_graph_error(s->g));
  bench_need(GpuArray_empty(&s->scale, ctx, GA_DOUBLE, 0, NULL, GA_C_ORDER),
             "scale");
  bench_need(GpuArray_write(&s->scale, &scale, sizeof scale), "scale");
  free(x);
  free(y);
}

static void close_subject(subject *s) {
  GpuArray_clear(&s->scale);
  GpuArray_clear(&s->loss);
  GpuArray_clear(&s->slope);
  GpuArray_clear(&s->a);
  GpuArray_clear(&s->b);
  GpuArray_clear(&s->c);
  gg_func_free(s->f);
  gg_graph_free(s->g);
}

/* --- results --- */

/* The likelihood by plain loops. */
static double plain_loss(size_t n, double by) {
  double *const a = malloc(n * n * sizeof *a), *const z = malloc(n * sizeof *z);
  double loss = 0;

  bench_need(a == NULL || z == NULL, "memory");
  for (size_t i = 0; i < n; i++) {
    z[i] = sin(point(i));
    for (size_t j = 0; j <= i; j++) {
      const double d = (point(i) - point(j)) / by;
      double sum = exp(-0.5 * d * d) + (i == j ? noise : 0);

      for (size_t k = 0; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
      z[i] -= i == j ? 0 : a[i * n + j] * z[j];
    }
    z[i] /= a[i * n + i];
    loss += 0.5 * z[i] * z[i] + log(a[i * n + i]);
  }
  free(a);
  free(z);
  return loss;
}

static void compare(const char *what, double got, double want, double most) {
  if (!(fabs(got - want) <= most * fabs(want))) {
    printf("%s: %.17g, expected %.17g\n", what, got, want);
    bench_need(GA_VALUE_ERROR, "a wrong result");
  }
}

static void check(subject *s, const double *theirs) {
  const double h = 1e-5;
  double loss, slope;

  bench_need(run(s), "likelihood");
  bench_need(GpuArray_read(&loss, sizeof loss, &s->loss), "read");
  bench_need(GpuArray_read(&slope, sizeof slope, &s->slope), "read");
  if (s->n <= MOST_LOOPS) {
    compare("likelihood, plain loops", loss, plain_loss(s->n, scale), 1e-12);
    compare("slope, differences", slope,
            (plain_loss(s->n, scale + h) - plain_loss(s->n, scale - h)) / 2 / h,
            1e-7);
  }
  if (theirs[0] != 0) {
    compare("likelihood, SciPy", loss, theirs[0], 1e-10);
    compare("slope, SciPy", slope, theirs[1], 1e-10);
  }
}

/* --- times --- */

static double cpu_now(void) {
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static least measure(bench_fn fn, void *arg, int reps) {
  least r = {HUGE_VAL, HUGE_VAL};

  bench_need(fn(arg), "benchmark");
  for (int i = 0; i < reps; i++) {
    const double cpu = cpu_now(), wall = bench_now();

    bench_need(fn(arg), "benchmark");
    r.wall = fmin(r.wall, bench_now() - wall);
    r.cpu = fmin(r.cpu, cpu_now() - cpu);
  }
  return r;
}

static int run_product(void *arg) {
  subject *const s = arg;
  const int err =
      GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &s->a, &s->b, 0, &s->c, 1);

  return err != GA_NO_ERROR ? err : GpuArray_sync(&s->c);
}

/* Seconds of n^3 operations at the rate of a product, least ones. */
static least limit(subject *s, gpucontext *ctx) {
  const size_t n = s->n < MOST_PRODUCT ? s->n : MOST_PRODUCT;
  const double flops = 2 * (double)n * (double)n * (double)n;
  GpuArray *const all[3] = {&s->a, &s->b, &s->c};

  for (int i = 0; i < 3; i++)
    bench_need(
        GpuArray_zeros(all[i], ctx, GA_DOUBLE, 2, (size_t[]){n, n}, GA_C_ORDER),
        "product");
  const least r = measure(run_product, s, s->reps);
  const double times = (double)s->n * (double)s->n * (double)s->n / flops;
  return (least){r.wall * times, r.cpu * times};
}

static void print(const char *what, size_t n, double ms, double theirs) {
  char name[96];

  snprintf(name, sizeof name, "%zu points, %s", n, what);
  bench_print(name, ms, "ms", theirs);
}

static void measure_size(gpucontext *ctx, size_t n) {
  static const char *const ways[2] = {"solve", "potri"};
  subject s = {.n = n, .reps = n < 1000 ? 30 : n < 3000 ? 9 : 5};
  double theirs[2][4] = {{0}, {0}};
  char name[32];

  open_subject(&s, ctx);
  for (int i = 0; i < 2; i++)
    peer_numbers(theirs[i], 4, "gp_scipy.py %zu %s %d", n, ways[i], s.reps);
  check(&s, theirs[0]);
  const least ours = measure(run, &s, s.reps), best = limit(&s, ctx);
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "SciPy, %s", ways[i]);
    print(name, n, 1e3 * ours.wall, 1e-3 * theirs[i][2]);
    snprintf(name, sizeof name, "processor, %s", ways[i]);
    print(name, n, 1e3 * ours.cpu, 1e-3 * theirs[i][3]);
  }
  print("limit", n, 1e3 * ours.wall, 1e3 * best.wall);
  print("processor, limit", n, 1e3 * ours.cpu, 1e3 * best.cpu);
  close_subject(&s);
}

int main(int argc, char **argv) {
  static const size_t usual[] = {256, 1000, 2000, 4000};
  gpucontext *ctx = NULL;

  bench_need(gpucontext_open(&ctx, NULL), "open a device");
  if (!gpucontext_caps(ctx)->fp64)
    bench_need(GA_UNSUPPORTED_ERROR, "doubles");
  for (int i = 1; i < argc; i++)
    measure_size(ctx, (size_t)strtoull(argv[i], NULL, 10));
  for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++)
    measure_size(ctx, usual[i]);
  gpucontext_deref(ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maximum likelihood of a gamma distribution: draws numbers from one, and finds
 * its shape and scale by Newton's method on the logarithms of both, with the
 * gradient and the second derivatives that the library builds:
 *
 *   gamma_fit [shape scale]
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000, MAX_STEPS = 50 };

/* The sum of `shape` exponential numbers is gamma distributed. */
static void draw(double *x, int shape, double scale) {
  unsigned long long state = 1;

  for (size_t i = 0; i < N; i++) {
    x[i] = 0;
    for (int k = 0; k < shape; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x[i] -= scale * log(((double)(state >> 11) + 0.5) * 0x1p-53);
    }
  }
}

/* A function of the data and of p, the logarithms of shape and scale: the mean
 * log-density, its gradient [2] and its second derivatives [2, 2]. */
static int build(gg_func **f, gg_graph *g) {
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *p = gg_input(g, "p", GA_DOUBLE, 1);
  gg_var *q = gg_specify_shape(p, (const int64_t[]){2});
  gg_var *both = gg_exp(q), *slope, *bend;
  gg_var *mean =
      gg_mean(gg_logpdf_gamma(x, gg_index(both, 0, 0), gg_index(both, 0, 1)));

  if (gg_grad(&slope, mean, 1, &q) != GA_NO_ERROR ||
      gg_hessian(&bend, mean, 1, &q) != GA_NO_ERROR)
    return GA_VALUE_ERROR;
  return gg_func_new(f, g,
                     &(gg_func_spec){.inputs = GG_VARS(x, p),
                                     .outputs = GG_VARS(mean, slope, bend)});
}

/* p minus the inverse of the second derivatives h times the gradient. Returns
 * the length of the step. */
static double newton(double *p, const double *slope, const double *h) {
  const double det = h[0] * h[3] - h[1] * h[2];
  const double by_0 = (h[3] * slope[0] - h[1] * slope[1]) / det;
  const double by_1 = (h[0] * slope[1] - h[2] * slope[0]) / det;

  p[0] -= by_0;
  p[1] -= by_1;
  return hypot(by_0, by_1);
}

/* Climb from the moments' estimate. */
static int fit(gg_func *f, GpuArray *x, GpuArray *at, double *p) {
  GpuArray out[3] = {{0}};
  double mean, slope[2], bend[4], length = 1;
  int err = GA_NO_ERROR;

  for (int i = 0; i < MAX_STEPS && err == GA_NO_ERROR && length > 1e-10; i++) {
    err = GpuArray_write(at, p, 2 * sizeof *p);
    if (err == GA_NO_ERROR)
      err = gg_func_call(f, (GpuArray *[]){x, at},
                         (GpuArray *[]){&out[0], &out[1], &out[2]});
    if (err == GA_NO_ERROR)
      err = GpuArray_read(&mean, sizeof mean, &out[0]);
    if (err == GA_NO_ERROR)
      err = GpuArray_read(slope, sizeof slope, &out[1]);
    if (err == GA_NO_ERROR)
      err = GpuArray_read(bend, sizeof bend, &out[2]);
    if (err != GA_NO_ERROR)
      break;
    printf("shape %.6f scale %.6f: mean log-density %.9f\n", exp(p[0]),
           exp(p[1]), mean);
    length = newton(p, slope, bend);
  }
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&out[i]);
  return err != GA_NO_ERROR ? err : length > 1e-10 ? GA_VALUE_ERROR : err;
}

/* The logarithms of shape and scale that have the mean and variance of x. */
static void start(double *p, const double *x) {
  double sum = 0, squares = 0;

  for (size_t i = 0; i < N; i++)
    sum += x[i];
  for (size_t i = 0; i < N; i++)
    squares += (x[i] - sum / N) * (x[i] - sum / N);
  p[0] = log(sum / N * sum / squares);
  p[1] = log(squares / sum);
}

static int run(gg_graph *g, const double *data, double *p) {
  const size_t n = N, two = 2;
  GpuArray x = {0}, at = {0};
  gg_func *f = NULL;
  int err = build(&f, g);

  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&x, gg_graph_context(g), GA_DOUBLE, 1, &n, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(&x, data, N * sizeof *data);
  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&at, gg_graph_context(g), GA_DOUBLE, 1, &two,
                         GA_C_ORDER);
  if (err == GA_NO_ERROR) {
    start(p, data);
    err = fit(f, &x, &at, p);
  }
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s%s\n", gg_graph_error(g), f ? gg_func_error(f) : "");
  GpuArray_clear(&x);
  GpuArray_clear(&at);
  gg_func_free(f);
  return err;
}

int main(int argc, char **argv) {
  static double data[N];
  const int shape = argc > 2 ? atoi(argv[1]) : 3;
  const double scale = argc > 2 ? atof(argv[2]) : 0.5;
  gpucontext *ctx = NULL;
  double p[2];

  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "no OpenCL device: skipped\n");
    return 77;
  }
  gg_graph *g = gg_graph_new(ctx);
  draw(data, shape, scale);
  int err = run(g, data, p);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return err != 0 || !(fabs(exp(p[0]) / shape - 1) < 0.05 &&
                       fabs(exp(p[1]) / scale - 1) < 0.05);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The heat equation u_t = c u_xx on a ring, solved by its spectrum: in it each
 * frequency f decays on its own, as exp(-c (2 pi f)^2 t). A pulse of heat is
 * compared with its closed form, a normal density that widens:
 *
 *   heat [points]
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 256, MOST = 1 << 20 };
static const double ring = 10, speed = 0.5, width = 0.3, pi = 3.14159265358979;

/* The pulse at a place at time t. */
static double pulse(double place, double t) {
  const double wide = width * width + 2 * speed * t;

  return width / sqrt(wide) * exp(-place * place / (2 * wide));
}

/* u at time t from u at time 0, both vectors of real numbers. */
static gg_var *build(gg_var *u, gg_var *t) {
  static const int axis = 0;
  gg_var *n = gg_shape(u, 0);
  gg_var *spectrum = gg_rfft(u, 1, &axis, NULL, GG_FFT_BACKWARD);
  gg_var *cycles = gg_mul(gg_rfftfreq(n, 1, GA_FLOAT), gg_cast(n, GA_FLOAT));
  gg_var *wave = gg_mul(cycles, gg_weak(gg_var_graph(u), 2 * pi / ring));
  gg_var *rate = gg_mul(gg_sqr(wave), gg_weak(gg_var_graph(u), -speed));
  gg_var *decay = gg_exp(gg_mul(rate, t));

  return gg_irfft(gg_mul(spectrum, decay), 1, &axis, NULL, GG_FFT_BACKWARD);
}

/* Where point i is, from the middle of the ring. */
static double place(size_t i, size_t n) {
  return ((double)i / (double)n - 0.5) * ring;
}

/* Print the largest difference from the closed form. */
static int show(const float *u, size_t n, double t) {
  double worst = 0;

  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs(u[i] - pulse(place(i, n), t)));
  printf("t = %.2f: %.4f in the middle, largest error %.1e\n", t,
         (double)u[n / 2], worst);
  return !(worst < 1e-5);
}

static int at_time(gg_var *u, GpuArray *start, gg_var *time, double t, size_t n,
                   float *host) {
  GpuArray out = {0};
  int err = gg_eval(build(u, time), GG_VALUES({u, start}), &out);

  if (err == GA_NO_ERROR)
    err = GpuArray_read(host, n * sizeof *host, &out);
  GpuArray_clear(&out);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s\n", gg_graph_error(gg_var_graph(u)));
  return err != GA_NO_ERROR || show(host, n, t);
}

static int solve(gpucontext *ctx, size_t n) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *u = gg_input(g, "u", GA_FLOAT, 1);
  float *host = malloc(n * sizeof *host);
  GpuArray start = {0};
  int err = host == NULL;

  for (size_t i = 0; i < n && !err; i++)
    host[i] = (float)pulse(place(i, n), 0);
  if (!err)
    err = GpuArray_empty(&start, ctx, GA_FLOAT, 1, &n, GA_C_ORDER);
  if (!err)
    err = GpuArray_write(&start, host, n * sizeof *host);
  for (int k = 0; k < 4 && !err; k++) {
    const double t = 0.1 * k;
    err = at_time(u, &start, gg_f32(g, (float)t), t, n, host);
  }
  GpuArray_clear(&start);
  free(host);
  gg_graph_free(g);
  return err;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? strtol(argv[1], NULL, 10) : POINTS;
  gpucontext *ctx = NULL;

  if (n < 64 || n > MOST || n % 2 != 0) {
    fprintf(stderr, "expected an even number of points, 64 to %d\n", MOST);
    return 2;
  }
  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "no OpenCL device: skipped\n");
    return 77;
  }
  const int err = solve(ctx, (size_t)n);
  gpucontext_deref(ctx);
  return err != 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/op_fft.c: values, inverses and gradients against plain sums. */
#include "support/device.h"

/* The example's own functions, without its main. */
int example_main(void);
#define main example_main
#include "../../docs/examples/op_fft.c"
#undef main

enum { BATCH = 3, MOST = 26 };

static void compare(const char *what, int n, const float *got,
                    const double *want, size_t count) {
  double worst = 0;

  for (size_t i = 0; i < count; i++)
    worst = fmax(worst, fabs((double)got[i] - want[i]));
  if (!(worst < 1e-4))
    fail_msg("%s of %d: off by %g", what, n, worst);
}

/* The sums themselves, in double. */
static void transform(const float *in, double *out, int n, int frequencies,
                      int is_real, double sign) {
  for (int b = 0; b < BATCH; b++) {
    for (int k = 0; k < frequencies; k++) {
      double *y = out + 2 * (b * frequencies + k);

      y[0] = y[1] = 0;
      for (int j = 0; j < n; j++) {
        const float *x = in + (is_real ? b * n + j : 2 * (b * n + j));
        const double t = sign * 2 * acos(-1) * k * j / n;
        const double re = (double)x[0], im = is_real ? 0 : (double)x[1];

        y[0] += re * cos(t) - im * sin(t);
        y[1] += re * sin(t) + im * cos(t);
      }
    }
  }
}

static gg_var *shared(gg_graph *g, unsigned int nd, size_t n, const float *v) {
  const size_t dims[3] = {BATCH, n, 2};

  return gg_shared_host(g, "x", GA_FLOAT, nd, dims, v);
}

static void widen(double *out, const float *in, size_t count) {
  for (size_t i = 0; i < count; i++)
    out[i] = (double)in[i];
}

static void check_values(gg_graph *g, const float *v, int n) {
  const size_t half = (size_t)n / 2 + 1, whole = (size_t)n;
  gg_var *x = shared(g, 2, whole, v), *z = shared(g, 3, whole, v);
  double want[BATCH * MOST * 2];
  float got[BATCH * MOST * 2];

  transform(v, want, n, (int)half, 1, -1);
  example_read(rfft(x, n), got, BATCH * half * 2 * sizeof *got);
  compare("rfft", n, got, want, BATCH * half * 2);
  widen(want, v, BATCH * whole);
  example_read(irfft(rfft(x, n), n), got, BATCH * whole * sizeof *got);
  compare("irfft", n, got, want, BATCH * whole);
  transform(v, want, n, n, 0, -1);
  example_read(fft(z, n), got, BATCH * whole * 2 * sizeof *got);
  compare("fft", n, got, want, BATCH * whole * 2);
  widen(want, v, BATCH * whole * 2);
  example_read(ifft(fft(z, n), n), got, BATCH * whole * 2 * sizeof *got);
  compare("ifft", n, got, want, BATCH * whole * 2);
}

/* The gradient of sum(w * f(x)) along a direction d is sum(w * f(d)), since f
 * is linear: exact, where differences are not. */
static void check_grad(gg_graph *g, const char *what, gg_var *x, gg_var *fx,
                       gg_var *d, gg_var *fd, int n) {
  gg_var *w = gg_cos(gg_mul(fd, gg_f32(g, 3))), *slope;
  double want[1];
  float got[2];

  gg_grad(&slope, gg_sum(gg_mul(w, fx)), 1, &x);
  example_read(gg_sum(gg_mul(slope, d)), &got[0], sizeof *got);
  example_read(gg_sum(gg_mul(w, fd)), &got[1], sizeof *got);
  want[0] = (double)got[1];
  compare(what, n, got, want, 1);
}

static void check_gradients(gg_graph *g, const float *v, const float *u,
                            int n) {
  const size_t half = (size_t)n / 2 + 1, whole = (size_t)n;
  gg_var *x = shared(g, 2, whole, v), *d = shared(g, 2, whole, u);
  gg_var *h = shared(g, 3, half, v), *dh = shared(g, 3, half, u);
  gg_var *z = shared(g, 3, whole, v), *dz = shared(g, 3, whole, u);

  check_grad(g, "gradient of rfft", x, rfft(x, n), d, rfft(d, n), n);
  check_grad(g, "gradient of irfft", h, irfft(h, n), dh, irfft(dh, n), n);
  check_grad(g, "gradient of fft", z, fft(z, n), dz, fft(dz, n), n);
  check_grad(g, "gradient of ifft", z, ifft(z, n), dz, ifft(dz, n), n);
}

static void test_lengths(void **state) {
  static const int lengths[] = {8, 15, 26};
  float v[BATCH * MOST * 2], u[BATCH * MOST * 2];
  const gpudevice_caps *caps = gpucontext_caps(test_context());

  (void)state;
  if (caps->max_group < 64 || caps->local_bytes < 8192) {
    print_message("clFFT ends the process without groups of 64 work-items and "
                  "8 KiB of local memory\n");
    skip();
  }
  gg_graph *g = gg_graph_new(test_context());
  set_up();
  for (int i = 0; i < BATCH * MOST * 2; i++) {
    v[i] = 0.1f * sinf((float)(3 * i + 1));
    u[i] = 0.1f * cosf((float)(5 * i + 2));
  }
  for (int i = 0; i < 3; i++) {
    check_values(g, v, lengths[i]);
    check_gradients(g, v, u, lengths[i]);
  }
  gg_graph_free(g);
  assert_int_equal(clfftTeardown(), CLFFT_SUCCESS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms of n complex numbers in all (first argument, 2^22 if there
 * is none), as GB/s of one read and one write, beside a copy: one line, and
 * lines of 2^10, 2^14, 1000 and 1009 numbers. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/fft.h>

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "launched.h"

enum { REPS = 9 };

static const unsigned int axis = 1;

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, y, back;
  bench_launched ours;
} bench_state;

static int fill(bench_state *s, const size_t *dims) {
  const size_t n = 2 * dims[0] * dims[1];
  float *v = malloc(n * sizeof *v);
  int err;

  if (v == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    v[i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
  GA_CHECK(GpuArray_write(&s->x, v, n * sizeof *v));

done:
  free(v);
  return err;
}

/* Whether the inverse gives x again. */
static int check(bench_state *s, const size_t *dims) {
  const size_t n = 2 * dims[0] * dims[1];
  float *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
  GpuLaunch *l = NULL;
  int err;

  if (want == NULL || got == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(bench_run(&s->ours));
  GA_CHECK(GpuArray_fft_prepare(&l, &s->back, &s->y, 1, &axis, NULL,
                                GA_FFT_INVERSE));
  GA_CHECK(GpuLaunch_run(l));
  GA_CHECK(GpuArray_read(want, n * sizeof *want, &s->x));
  GA_CHECK(GpuArray_read(got, n * sizeof *got, &s->back));
  for (size_t i = 0; i < n && err == GA_NO_ERROR; i++)
    if (!(fabsf(got[i] - want[i]) < 1e-5f))
      err = ga__fail(GA_VALUE_ERROR, "part %zu: %g, expected %g", i,
                     (double)got[i], (double)want[i]);

done:
  GpuLaunch_free(l);
  free(want);
  free(got);
  return err;
}

static int copy(void *state) {
  bench_state *s = state;

  GA_TRY(GpuArray_move(&s->back, &s->x));
  return GpuArray_sync(&s->back);
}

static int measure(bench_state *s, const char *name, size_t lines, size_t n) {
  const size_t dims[2] = {lines, n};
  const double bytes = 16.0 * (double)lines * (double)n;
  bench_time ours, copied;
  int err;

  s->ours.result = &s->y;
  GA_CHECK(GpuArray_empty(&s->x, s->ctx, GA_CFLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&s->y, s->ctx, GA_CFLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&s->back, s->ctx, GA_CFLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(fill(s, dims));
  GA_CHECK(
      GpuArray_fft_prepare(&s->ours.launch, &s->y, &s->x, 1, &axis, NULL, 0));
  GA_CHECK(check(s, dims));
  bench_pair(bench_run, &s->ours, copy, s, REPS, &ours, &copied);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              bytes / copied.median / 1e9);

done:
  GpuLaunch_free(s->ours.launch);
  s->ours.launch = NULL;
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->y);
  GpuArray_clear(&s->back);
  return err;
}

static size_t lines_of(size_t n, size_t each) {
  return n > each ? n / each : 1;
}

static int run_all(bench_state *s, size_t n) {
  GA_TRY(measure(s, "one line", 1, n));
  GA_TRY(measure(s, "lines of 1024", lines_of(n, 1024), 1024));
  GA_TRY(measure(s, "lines of 16384", lines_of(n, 16384), 16384));
  GA_TRY(measure(s, "lines of 1000", lines_of(n, 1000), 1000));
  return measure(s, "lines of 1009", lines_of(n, 1009), 1009);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 22);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}

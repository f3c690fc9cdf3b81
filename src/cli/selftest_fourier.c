/* SPDX-License-Identifier: BSD-2-Clause */
/* A check of Fourier transforms. */
#include <gpuarray/fft.h>
#include <math.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS };

/* Element [row, k] of the transforms of all rows, without their factor. */
static void add_up(double *re, double *im, size_t row, size_t k) {
  *re = *im = 0;
  for (size_t j = 0; j < COLS; j++) {
    const size_t at = 2 * (row * COLS + j);
    const double x = selftest_value(0, at), y = selftest_value(0, at + 1);
    const double angle = -4 * acos(0) * (double)(j * k % COLS) / COLS;

    *re += x * cos(angle) - y * sin(angle);
    *im += x * sin(angle) + y * cos(angle);
  }
}

/* Of rows whose length is a prime, which take a convolution with transforms of
 * a power of two. */
int selftest_fourier(selftest *t) {
  static const unsigned int axis = 1;

  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    double *want = t->want + 2 * i;

    add_up(&want[0], &want[1], i / COLS, i % COLS);
    want[0] /= sqrt(COLS);
    want[1] /= sqrt(COLS);
  }
  GA_TRY(GpuArray_fft(&t->a[1], &t->a[0], 1, &axis, NULL, GA_FFT_ORTHO));
  return selftest_compare(t, 1);
}

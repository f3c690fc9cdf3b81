/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of convolution, pooling and resizing. */
#include <gpuarray/conv.h>
#include <gpuarray/pooling.h>
#include <math.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS };

/* Three channels, two filters of 3 x 3 for each, padded to keep the size. */
int selftest_convolve(selftest *t) {
  enum { CHANNELS = 3, FILTERS = 2, WINDOW = 9, TERMS = CHANNELS * WINDOW };
  static const size_t x[4] = {1, CHANNELS, ROWS, COLS};
  static const size_t w[4] = {FILTERS, CHANNELS, 3, 3};
  static const size_t y[4] = {1, FILTERS, ROWS, COLS};
  const GpuConv c = {.nd = 2,
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .before = {1, 1},
                     .after = {1, 1},
                     .groups = 1};

  for (size_t o = 0; o < (size_t)FILTERS * SELFTEST_ELEMENTS; o++) {
    const size_t f = o / SELFTEST_ELEMENTS, i = o / COLS % ROWS, j = o % COLS;

    t->want[o] = 0;
    for (size_t k = 0; k < TERMS; k++) {
      const size_t row = i + k % WINDOW / 3, col = j + k % 3;

      if (row >= 1 && row <= ROWS && col >= 1 && col <= COLS)
        t->want[o] +=
            selftest_value(1, f * TERMS + k) *
            selftest_value(0, (k / WINDOW * ROWS + row - 1) * COLS + col - 1);
    }
  }
  GA_TRY(selftest_make(t, 0, 4, x));
  GA_TRY(selftest_make(t, 1, 4, w));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, t->dtype, 4, y, GA_C_ORDER));
  GA_TRY(GpuConv_call(&c, GA_CONV_FORWARD, &t->a[0], &t->a[1], &t->a[2]));
  return selftest_compare(t, 2);
}

/* Run with bands for rows and columns, and compare. */
static int run(selftest *t, ga_pool_op op, GpuBand *bands) {
  const size_t dims[2] = {bands[0].n, bands[1].n};
  int err;

  GA_CHECK(selftest_make(t, 0, 2, selftest_matrix));
  GA_CHECK(GpuArray_empty(&t->a[1], t->ctx, t->dtype, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuPooling_call(op, 2, bands, &t->a[0], NULL, &t->a[1]));
  err = selftest_compare(t, 1);

done:
  GpuBand_clear(&bands[0]);
  GpuBand_clear(&bands[1]);
  return err;
}

/* The largest of windows of 3 x 3, two apart; the padding is no part of
 * them. */
int selftest_pool(selftest *t) {
  const GpuPooling p = {.nd = 2,
                        .size = {3, 3},
                        .stride = {2, 2},
                        .dilation = {1, 1},
                        .before = {1, 1}};
  GpuBand b[2] = {{0}, {0}};

  GA_TRY(GpuBand_pool(&b[0], &p, 0, ROWS, 0));
  const int err = GpuBand_pool(&b[1], &p, 1, COLS, 0);
  if (err != GA_NO_ERROR) {
    GpuBand_clear(&b[0]);
    return err;
  }
  for (size_t o = 0; o < b[0].n * b[1].n; o++) {
    const size_t i = o / b[1].n * 2, j = o % b[1].n * 2;

    t->want[o] = -INFINITY;
    for (size_t k = 0; k < 9; k++)
      if (i + k / 3 >= 1 && j + k % 3 >= 1)
        t->want[o] = fmax(t->want[o], selftest_value(0, (i + k / 3 - 1) * COLS +
                                                            j + k % 3 - 1));
  }
  return run(t, GA_POOLING_MAX, b);
}

/* Half as many rows, each the mean of two, and columns halfway between. */
int selftest_resize(selftest *t) {
  const GpuResize r = {.mode = GA_RESIZE_LINEAR, .scale = 0.5};
  const size_t rows = ROWS / 2, cols = COLS / 2;
  GpuBand b[2] = {{0}, {0}};

  GA_TRY(GpuBand_resize(&b[0], &r, ROWS, rows));
  const int err = GpuBand_resize(&b[1], &r, COLS, cols);
  if (err != GA_NO_ERROR) {
    GpuBand_clear(&b[0]);
    return err;
  }
  for (size_t o = 0; o < rows * cols; o++) {
    const size_t i = o / cols * 2, j = o % cols * 2;

    t->want[o] = 0;
    for (size_t k = 0; k < 4; k++)
      t->want[o] += selftest_value(0, (i + k / 2) * COLS + j + k % 2) / 4;
  }
  return run(t, GA_POOLING_SUM, b);
}

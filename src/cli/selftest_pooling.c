/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of pooling and resizing. */
#include <gpuarray/pooling.h>
#include <math.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS };

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

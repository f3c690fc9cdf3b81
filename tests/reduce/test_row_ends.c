/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs of one phase, whose posts CPUs compute for several rows side by
 * side: numbers of rows around those of a vector, strides, dtypes. */
#include "support/device.h"

#include <gpuarray/rows.h>
#include <stdio.h>
#include <stdlib.h>

/* y = scale * sum(x) + b, z = max(k) - q, for rows of [planes, rows, n]. */
static const GpuRowsPhase phase = {"s = x; m = w_to_int(k);",
                                   "t = s * scale; y = t + b; z = m - q;"};
static const GpuRowsReduce reduce[] = {{"s", GA_REDUCE_SUM, GA_FLOAT},
                                       {"m", GA_REDUCE_MAX, GA_INT}};
static const gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ},
                                       {"k", GA_SHORT, GE_READ}};
static const gpuelemwise_arg row_args[] = {{"b", GA_HALF, GE_READ},
                                           {"q", GA_INT, GE_READ},
                                           {"scale", GA_FLOAT, GE_SCALAR},
                                           {"y", GA_FLOAT, GE_WRITE},
                                           {"z", GA_INT, GE_WRITE}};
static const GpuRowsValue numbers[] = {{"t", GA_FLOAT}};
static const GpuRowsSpec spec = {.n_phases = 1,
                                 .phases = &phase,
                                 .n_reduce = 2,
                                 .reduce = reduce,
                                 .n_args = 2,
                                 .args = args,
                                 .n_row_args = 5,
                                 .row_args = row_args,
                                 .n_numbers = 1,
                                 .numbers = numbers,
                                 .flags = GE_VECTOR};
enum { PLANES = 3, MOST_ROWS = 50, MOST = 70 };

static float x[PLANES * MOST_ROWS * MOST];
static int16_t k[PLANES * MOST_ROWS * MOST];
static int32_t q[PLANES * MOST_ROWS];

/* Of [planes, rows], with gaps between rows; n is 1. */
static void make(GpuArray *a, int typecode, size_t rows, const void *data) {
  const size_t dims[3] = {PLANES, rows, 1};
  const ssize_t strides[3] = {(ssize_t)(3 * rows + 1), 3, 1};

  test_array_strided(a, typecode, 3, dims, strides, data);
}

static void run(size_t rows, size_t n) {
  const size_t dims[3] = {PLANES, rows, n}, all = PLANES * rows;
  const unsigned char reduced[3] = {0, 0, 1};
  float scale = 0.5f, want[PLANES * MOST_ROWS];
  int32_t zeros[PLANES * MOST_ROWS] = {0}, most[PLANES * MOST_ROWS];
  uint16_t halves[PLANES * MOST_ROWS];
  GpuArray ax, ak, ab, aq, ay, az;
  GpuLaunch *launch;
  GpuRows *r;

  for (size_t o = 0; o < all; o++) {
    double sum = 0;
    halves[o] = (uint16_t)(0x3c00 + 64 * (o % 16)); /* 1 + o % 16 / 16 */
    most[o] = INT16_MIN;
    for (size_t i = 0; i < n; i++) {
      sum += (double)x[o * n + i];
      most[o] = k[o * n + i] > most[o] ? k[o * n + i] : most[o];
    }
    want[o] = (float)(0.5 * sum + 1 + (double)(o % 16) / 16);
    most[o] -= q[o];
  }
  test_array(&ax, GA_FLOAT, 3, dims, x);
  test_array(&ak, GA_SHORT, 3, dims, k);
  make(&ab, GA_HALF, rows, halves);
  make(&aq, GA_INT, rows, q);
  make(&ay, GA_FLOAT, rows, zeros);
  make(&az, GA_INT, rows, zeros);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(GpuRows_prepare(&launch, r, 3, dims, reduced, (void *[]){&ax, &ak},
                            (void *[]){&ab, &aq, &scale, &ay, &az}));
  GpuRows_free(r);
  assert_ok(GpuLaunch_run(launch));
  test_array_close(&ay, want, 2e-6, 1e-5);
  test_array_equal(&az, most);
  GpuLaunch_free(launch);
  GpuArray_clear(&ax);
  GpuArray_clear(&ak);
  GpuArray_clear(&ab);
  GpuArray_clear(&aq);
  GpuArray_clear(&ay);
  GpuArray_clear(&az);
}

static void check_all(void) {
  static const size_t rows[] = {1, 2, 15, 16, 17, 33, 50};
  static const size_t n[] = {1, 3, 16, 33, 70};

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t j = 0; j < sizeof n / sizeof *n; j++)
      run(rows[i], n[j]);
}

static void test_ends(void **state) {
  (void)state;
  test_fill(x, GA_FLOAT, PLANES * MOST_ROWS * MOST, -1, 1, 1);
  test_fill(k, GA_SHORT, PLANES * MOST_ROWS * MOST, -999, 999, 2);
  test_fill(q, GA_INT, PLANES * MOST_ROWS, -9, 9, 3);
  test_mappings(check_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

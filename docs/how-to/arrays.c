/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of docs/how-to.md about arrays and files. */
#include <gpuarray/blas.h>
#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/npy.h>
#include <gpuarray/random.h>
#include <gpuarray/reduction.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

static void read_column(const GpuArray *a) {
  GpuArray column, copy;
  float numbers[2];
  /* Rows 0 and 1 of column 1; a step of 0 drops the axis. */
  check(GpuArray_index(&column, a, (ssize_t[]){0, 1}, (ssize_t[]){2, 0},
                       (ssize_t[]){1, 0}));
  check(GpuArray_copy(&copy, &column, GA_C_ORDER));
  check(GpuArray_read(numbers, sizeof numbers, &copy));
  printf("column 1: %g %g\n", (double)numbers[0], (double)numbers[1]);
  GpuArray_clear(&copy);
  GpuArray_clear(&column);
}

static void save_and_load(gpucontext *ctx, const GpuArray *a) {
  GpuArray b;
  check(GpuArray_save_npy(a, "numbers.npy"));
  check(GpuArray_load_npy(&b, ctx, "numbers.npy"));
  printf("loaded %zu x %zu\n", b.dimensions[0], b.dimensions[1]);
  GpuArray_clear(&b);
}

static void show_all(const GpuArray *a) {
  GpuArray_fprintf(stdout, a);
  check(GpuArray_fdump(stdout, a));
}

static void convert(const GpuArray *a) {
  GpuArray b;
  check(GpuArray_cast(&b, a, GA_HALF, GA_C_ORDER));
  printf("%zu bytes for each element instead of %zu\n", GpuArray_ITEMSIZE(&b),
         GpuArray_ITEMSIZE(a));
  GpuArray_clear(&b);
}

static void join(const GpuArray *a) {
  GpuArray both;
  check(GpuArray_concatenate(&both, (const GpuArray *[]){a, a}, 2, 0,
                             a->typecode));
  printf("joined: %zu x %zu\n", both.dimensions[0], both.dimensions[1]);
  GpuArray_clear(&both);
}

static void sum_rows(const GpuArray *a) {
  GpuArray sums;
  float numbers[2];
  const unsigned int axis = 1;
  /* Neither keep the axis nor choose dtypes. */
  check(GpuArray_reduction(&sums, a, GA_REDUCE_SUM, 1, &axis, 0, -1, -1));
  check(GpuArray_read(numbers, sizeof numbers, &sums));
  printf("sums of rows: %g %g\n", (double)numbers[0], (double)numbers[1]);
  GpuArray_clear(&sums);
}

static void multiply(gpucontext *ctx, GpuArray *a) {
  GpuArray c;
  float numbers[2][2];
  check(GpuArray_empty(&c, ctx, GA_FLOAT, 2, (size_t[]){2, 2}, GA_C_ORDER));
  /* c = 1 a a^T + 0 c */
  check(GpuArray_rgemm(cb_no_trans, cb_trans, 1, a, a, 0, &c, 0));
  check(GpuArray_read(numbers, sizeof numbers, &c));
  printf("products of rows: %g %g %g\n", (double)numbers[0][0],
         (double)numbers[0][1], (double)numbers[1][1]);
  GpuArray_clear(&c);
}

static void draw(GpuArray *a) {
  GpuArray state;
  check(GpuRandom_philox(&state, GpuArray_context(a), 42, 0));
  /* 5 + 2 x, for normal numbers x */
  check(GpuRandom_fill(a, GA_RANDOM_NORMAL, 5, 2, &state));
  GpuArray_clear(&state);
}

static void fail(gpucontext *ctx) {
  GpuArray a;
  int err = GpuArray_empty(&a, ctx, GA_FLOAT, 99, NULL, GA_C_ORDER);
  printf("error %d: %s\n", err, gpuarray_error_text(err));
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  GpuArray a;
  check(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 6, 1));
  check(GpuArray_reshape_inplace(&a, 2, (size_t[]){2, 3}, GA_C_ORDER));
  read_column(&a);
  save_and_load(ctx, &a);
  show_all(&a);
  convert(&a);
  join(&a);
  sum_rows(&a);
  multiply(ctx, &a);
  fail(ctx);
  draw(&a);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of an array, and a kernel for all its elements. */
#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* Print a matrix of at most 16 floats. */
static void show(const char *name, const GpuArray *a) {
  float host[16];
  size_t rows = a->dimensions[0], columns = a->dimensions[1];
  GpuArray copy;
  check(GpuArray_copy(&copy, a, GA_C_ORDER));
  check(GpuArray_read(host, rows * columns * sizeof(float), &copy));
  GpuArray_clear(&copy);

  printf("%s:\n", name);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++)
      printf("%5g", (double)host[i * columns + j]);
    printf("\n");
  }
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));

  /* The numbers 0 to 5 as a matrix. */
  GpuArray a;
  check(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 6, 1));
  check(GpuArray_reshape_inplace(&a, 2, (size_t[]){2, 3}, GA_C_ORDER));
  show("a", &a);

  /* Two views: the transposed matrix, and columns 1 and 2. */
  GpuArray t, right;
  check(GpuArray_transpose(&t, &a, NULL));
  check(GpuArray_index(&right, &a, (ssize_t[]){0, 1}, (ssize_t[]){2, 3},
                       (ssize_t[]){1, 1}));
  show("t", &t);

  /* Who writes to a view writes to the array. */
  check(GpuArray_fill(&right, GA_FLOAT, &(float){7}));
  show("a, after right was filled", &a);

  /* One line of OpenCL C for each element. */
  gpuelemwise_arg arguments[] = {{"y", GA_FLOAT, GE_WRITE},
                                 {"x", GA_FLOAT, GE_READ},
                                 {"k", GA_FLOAT, GE_SCALAR}};
  GpuElemwise *scale =
      GpuElemwise_new(ctx, NULL, "y = k * x + 1", 3, arguments, 2, 0);
  if (scale == NULL)
    check(gpuarray_error_code());
  GpuArray y;
  check(GpuArray_empty(&y, ctx, GA_FLOAT, 2, t.dimensions, GA_C_ORDER));
  check(GpuElemwise_call(scale, (void *[]){&y, &t, &(float){10}}, 0));
  show("y", &y);

  GpuElemwise_free(scale);
  GpuArray_clear(&y);
  GpuArray_clear(&right);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  return 0;
}

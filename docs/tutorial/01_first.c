/* SPDX-License-Identifier: BSD-2-Clause */
/* Six numbers go to a device and come back. */
#include <gpuarray/array.h>
#include <gpuarray/device.h>
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

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));

  float numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
  size_t sizes[] = {2, 3};
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, 2, sizes, GA_C_ORDER));
  check(GpuArray_write(&a, numbers, sizeof numbers));

  float back[2][3];
  check(GpuArray_read(back, sizeof back, &a));
  printf("%u axes, %zu x %zu elements\n", a.nd, a.dimensions[0],
         a.dimensions[1]);
  printf("the last element is %g\n", (double)back[1][2]);

  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  return 0;
}

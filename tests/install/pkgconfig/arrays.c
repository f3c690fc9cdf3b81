/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses the installed array library from C; needs no device. */
#include <gpuarray/error.h>
#include <gpuarray/util.h>
#include <stdio.h>

int main(void) {
  printf("%s\n", gpuarray_error_str(GA_NO_ERROR));
  return gpuarray_get_elsize(GA_HALF) == 2 ? 0 : 1;
}

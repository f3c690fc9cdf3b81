/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that was linked to a library with the names of 0.7.6 alone. */
#include <stdio.h>
#include <string.h>

const char *gpuarray_error_str(int err);
size_t gpuarray_get_elsize(int typecode);

int main(void) {
  printf("%s, %zu bytes\n", gpuarray_error_str(0), gpuarray_get_elsize(11));
  return strcmp(gpuarray_error_str(0), "No error") != 0 ||
         gpuarray_get_elsize(11) != 4;
}

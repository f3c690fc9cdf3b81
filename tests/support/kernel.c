/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/kernel.h"

#include <stdlib.h>

#include "support/device.h"

GpuKernel test_kernel(const char *text, unsigned int n, const int *types,
                      int flags) {
  char *log = NULL;
  GpuKernel k;
  int err = GpuKernel_init(&k, test_context(), 1, &text, NULL, "k", n, types,
                           flags, &log);

  if (log)
    print_error("%s", log);
  free(log);
  assert_ok(err);
  return k;
}

gpudata *test_zeros(size_t bytes) {
  gpudata *d = gpudata_alloc(test_context(), bytes, NULL, 0, NULL);

  assert_non_null(d);
  assert_ok(gpudata_memset(d, 0, 0));
  return d;
}

void test_call(GpuKernel *k, size_t gs, size_t ls, void **args) {
  assert_ok(GpuKernel_call(k, 1, &gs, &ls, 0, args));
}

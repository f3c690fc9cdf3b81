/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of kernels: read, or refused with a message; every kernel that is told
 * of can be found by its name. */
#include <stdlib.h>
#include <string.h>

#include <gpuarray/error.h>
#include <gpuarray/kernel_file.h>

#include "base/alloc.h"
#include "base/err.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  GpuKernelFile *f = NULL;

  ga__fail(GA_MISC_ERROR, "none");
  long before = ga__alloc_live();
  int err = GpuKernelFile_parse(&f, "fuzz", (const char *)bytes, n);
  fuzz_accepted = err == GA_NO_ERROR;
  if (fuzz_accepted != (f != NULL))
    abort();
  for (unsigned int i = 0; f != NULL && i < GpuKernelFile_count(f); i++) {
    const GpuKernelSpec *k = GpuKernelFile_kernel(f, i);

    if (k == NULL || k->name == NULL || GpuKernelFile_find(f, k->name) == NULL)
      abort();
  }
  GpuKernelFile_free(f);
  ga__fail(GA_MISC_ERROR, "none");
  if (ga__alloc_live() != before)
    abort();
  return 0;
}

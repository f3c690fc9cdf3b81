/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer's way into the reader of kernel files. Beyond not crashing: what is
 * refused is refused with a line, and what is read is complete. */
#include <gpuarray/kernel_file.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int holds) {
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GpuKernelFile *f;
  unsigned int i;
  int err = GpuKernelFile_parse(&f, "fuzz", (const char *)data, size);

  if (err != GA_NO_ERROR) {
    need(f == NULL && err == GA_VALUE_ERROR);
    need(strncmp(ga__err_text(err), "fuzz:", 5) == 0);
    return 0;
  }
  for (i = 0; i < GpuKernelFile_count(f); i++) {
    const GpuKernelSpec *k = GpuKernelFile_kernel(f, i);

    need(GpuKernelFile_find(f, k->name) == k && k->code != NULL);
    need(strstr(k->code, "\n#section kernels\n") == NULL);
  }
  GpuKernelFile_free(f);
  return 0;
}

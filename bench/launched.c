/* SPDX-License-Identifier: BSD-2-Clause */
#include "launched.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

int bench_run(void *launched) {
  const bench_launched *l = launched;

  GA_TRY(GpuLaunch_run(l->launch));
  return GpuArray_sync(l->result);
}

int bench_floats(GpuArray *out, gpucontext *ctx, const size_t dims[2]) {
  const size_t n = dims[0] * dims[1];
  float *host = malloc(n * sizeof *host);
  uint32_t seed = 3;
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (float)(int32_t)seed * 1e-3f;
  }
  GA_CHECK(GpuArray_empty(out, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(out, host, n * sizeof *host));

done:
  free(host);
  return err;
}

size_t bench_size(int argc, char **argv, size_t otherwise) {
  return argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : otherwise;
}

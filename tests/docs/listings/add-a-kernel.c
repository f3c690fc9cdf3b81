/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/add-a-kernel.md. */
#include "listings.h"
#include <gpuarray/record.h>

#include "2.h"
/* Made of docs/examples/op_eye_file.kernels; declares the same. */
#include "op_eye_file.h"

static const int types[] = {GA_BUFFER, GA_OFFSET, GA_BUFFER, GA_OFFSET,
                            GA_SIZE};
static const GpuKernelSpec twice = {
    .name = "twice",
    .code =
        "KERNEL void twice(GLOBAL_MEM ga_float *x, ga_size x_at,\n"
        "                  GLOBAL_MEM ga_float *z, ga_size z_at, ga_size n) {\n"
        "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
        "  if (i < n)\n"
        "    z[i] = 2 * x[i];\n"
        "}\n",
    .n_types = 5,
    .types = types};

static void record(gpucontext *ctx) {
  size_t n = 4;
  GpuArray a = filled(ctx, GA_FLOAT, 1, SIZES(4)),
           b = filled(ctx, GA_FLOAT, 0, SIZES(4));
  GpuArray *x = &a, *z = &b;
  GpuLaunch *launch;
  float got[4];
  int err;
#include "1.h"
  check(err);
  check(GpuLaunch_run(launch));
  check(GpuArray_read(got, sizeof got, z));
  if (got[3] != 2)
    exit(1);
  GpuLaunch_free(launch);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

LISTINGS_MAIN(record)

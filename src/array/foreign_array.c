/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays over foreign memory objects, and the memory objects of arrays. */
#include <string.h>

#include <gpuarray/opencl.h>

#include "array/geometry.h"
#include "ocl/ocl.h"

int GpuArray_opencl(const GpuArray *a, cl_mem *out, size_t *offset) {
  *out = NULL;
  *offset = 0;
  GA_TRY(ga__array_check(a));
  *offset = a->offset;
  return gpudata_opencl(a->data, out);
}

static int check_access(const gpudata *d, int writeable) {
  int can_read, can_write;

  GA_TRY(ga__data_access(&can_read, &can_write, d));
  if (!can_read)
    return ga__fail(GA_WRITEONLY_ERROR, "kernels may only write the memory "
                                        "object");
  if (writeable && !can_write)
    return ga__fail(GA_READONLY_ERROR, "a writeable array over a memory object "
                                       "that kernels may only read");
  return GA_NO_ERROR;
}

int GpuArray_from_opencl(GpuArray *a, gpucontext *ctx, cl_mem mem,
                         size_t offset, int typecode, unsigned int nd,
                         const size_t *dims, const ssize_t *strides,
                         int writeable, const gpuforeign *how) {
  gpudata *d = NULL;
  int err;

  memset(a, 0, sizeof *a);
  GA_CHECK(gpudata_from_opencl(&d, ctx, mem, how));
  GA_CHECK(check_access(d, writeable));
  GA_CHECK(
      GpuArray_fromdata(a, d, offset, typecode, nd, dims, strides, writeable));

done:
  if (err != GA_NO_ERROR && d != NULL)
    ga__data_disown(d);
  gpudata_release(d);
  return err;
}

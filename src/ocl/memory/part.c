/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/memory/part.h"

#include <gpuarray/opencl.h>
#include <limits.h>

#include "ocl/clerror.h"

int ga__part_align(const gpucontext *ctx, size_t *bytes) {
  cl_uint bits = 0;

  GA_TRY(GA_CL(clGetDeviceInfo(ctx->dev.cl, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                               sizeof bits, &bits, NULL)));
  *bytes = bits > CHAR_BIT ? bits / CHAR_BIT : 1;
  return GA_NO_ERROR;
}

int ga__part_root(cl_mem mem, cl_mem *root, size_t *from) {
  cl_mem parent = NULL;

  GA_TRY(GA_CL(clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT,
                                  sizeof parent, &parent, NULL)));
  *root = parent != NULL ? parent : mem;
  return GA_CL(
      clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof *from, from, NULL));
}

int ga__part_new(gpudata **out, gpucontext *ctx, cl_mem root, size_t from,
                 size_t bytes) {
  const cl_buffer_region r = {from, bytes};
  cl_int status;

  *out = NULL;
  cl_mem mem = clCreateSubBuffer(root, CL_MEM_READ_WRITE,
                                 CL_BUFFER_CREATE_TYPE_REGION, &r, &status);
  if (status != CL_SUCCESS)
    return ga__fail_status("clCreateSubBuffer", status);
  const int err = gpudata_from_opencl(out, ctx, mem, NULL);
  clReleaseMemObject(mem);
  return err;
}

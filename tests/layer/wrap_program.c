/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and kernels. */
#include <stdlib.h>
#include <string.h>

#include "layer/wrap.h"

/* A less able device's compiler is played by text before the source. */
static cl_program create_with_prelude(cl_context c, cl_uint n,
                                      const char **texts, const size_t *lengths,
                                      cl_int *err) {
  const char **more = malloc((n + 1) * sizeof *more);
  size_t *sizes = malloc((n + 1) * sizeof *sizes);
  cl_program p = NULL;

  if (more != NULL && sizes != NULL) {
    more[0] = layer_fake_prelude();
    sizes[0] = 0;
    for (cl_uint i = 0; i < n; i++) {
      more[i + 1] = texts[i];
      sizes[i + 1] = lengths != NULL ? lengths[i] : 0;
    }
    p = layer_next.clCreateProgramWithSource(c, n + 1, more, sizes, err);
  } else if (err != NULL) {
    *err = CL_OUT_OF_HOST_MEMORY;
  }
  free(more);
  free(sizes);
  return p;
}

static cl_program CL_API_CALL
wrap_clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts,
                               const size_t *lengths, cl_int *err) {
  cl_program p;

  layer_used(c, LAYER_clCreateProgramWithSource);
  LAYER_FAILS(LAYER_clCreateProgramWithSource, err);
  if (layer_fake_prelude()[0] != '\0')
    p = create_with_prelude(c, n, texts, lengths, err);
  else
    p = layer_next.clCreateProgramWithSource(c, n, texts, lengths, err);
  layer_created(p, LAYER_PROGRAM, LAYER_clCreateProgramWithSource);
  return p;
}

static cl_program CL_API_CALL wrap_clCreateProgramWithBinary(
    cl_context c, cl_uint n, const cl_device_id *devices, const size_t *lengths,
    const unsigned char **binaries, cl_int *of_device, cl_int *err) {
  layer_used(c, LAYER_clCreateProgramWithBinary);
  layer_verdict v = layer_enter(LAYER_clCreateProgramWithBinary);
  if (v.status != CL_SUCCESS) {
    if (err != NULL)
      *err = v.status;
    return NULL;
  }
  cl_program p = layer_next.clCreateProgramWithBinary(c, n, devices, lengths,
                                                      binaries, of_device, err);
  if (v.spoil && of_device != NULL)
    of_device[0] = v.code;
  layer_created(p, LAYER_PROGRAM, LAYER_clCreateProgramWithBinary);
  return p;
}

LAYER_RETAIN(clRetainProgram, cl_program)
LAYER_RELEASE(clReleaseProgram, cl_program, layer_released)

static cl_int CL_API_CALL wrap_clBuildProgram(
    cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *notify)(cl_program, void *), void *arg) {
  layer_used(p, LAYER_clBuildProgram);
  cl_int status = layer_enter(LAYER_clBuildProgram).status;
  return status != CL_SUCCESS
             ? status
             : layer_next.clBuildProgram(p, n, devices, options, notify, arg);
}

LAYER_PASS(clGetProgramInfo,
           (cl_program p, cl_program_info what, size_t bytes, void *out,
            size_t *need),
           (p, what, bytes, out, need), p)

/* The log of a build that the layer made fail: lines of no end. */
static cl_int fake_log(size_t bytes, char *out, size_t *need) {
  const size_t n = layer_build_log() == LAYER_LOG_HUGE ? LAYER_HUGE : 1;

  if (need != NULL)
    *need = n;
  if (out == NULL)
    return CL_SUCCESS;
  if (bytes < n)
    return CL_INVALID_VALUE;
  memset(out, 'x', n);
  for (size_t i = 79; i < n; i += 80)
    out[i] = '\n';
  out[n - 1] = '\0';
  return CL_SUCCESS;
}

static cl_int CL_API_CALL wrap_clGetProgramBuildInfo(cl_program p,
                                                     cl_device_id d,
                                                     cl_program_build_info what,
                                                     size_t bytes, void *out,
                                                     size_t *need) {
  layer_used(p, LAYER_clGetProgramBuildInfo);
  cl_int status = layer_enter(LAYER_clGetProgramBuildInfo).status;
  if (status != CL_SUCCESS)
    return status;
  if (what == CL_PROGRAM_BUILD_LOG && layer_build_log() != LAYER_LOG_REAL)
    return fake_log(bytes, out, need);
  return layer_next.clGetProgramBuildInfo(p, d, what, bytes, out, need);
}

/* --- kernels --- */

static cl_kernel CL_API_CALL wrap_clCreateKernel(cl_program p, const char *name,
                                                 cl_int *err) {
  layer_used(p, LAYER_clCreateKernel);
  LAYER_FAILS(LAYER_clCreateKernel, err);
  cl_kernel k = layer_next.clCreateKernel(p, name, err);
  layer_created(k, LAYER_KERNEL, LAYER_clCreateKernel);
  return k;
}

LAYER_RETAIN(clRetainKernel, cl_kernel)
LAYER_RELEASE(clReleaseKernel, cl_kernel, layer_released)

static cl_int CL_API_CALL wrap_clSetKernelArg(cl_kernel k, cl_uint i,
                                              size_t bytes, const void *value) {
  layer_used(k, LAYER_clSetKernelArg);
  layer_kernel_set(k);
  cl_int status = layer_enter(LAYER_clSetKernelArg).status;
  if (status != CL_SUCCESS)
    return status;
  layer_fake_arg(k, i, bytes, value == NULL);
  return layer_next.clSetKernelArg(k, i, bytes, value);
}

LAYER_PASS(clGetKernelInfo,
           (cl_kernel k, cl_kernel_info what, size_t bytes, void *out,
            size_t *need),
           (k, what, bytes, out, need), k)

LAYER_PASS(clGetKernelArgInfo,
           (cl_kernel k, cl_uint index, cl_kernel_arg_info what, size_t bytes,
            void *out, size_t *need),
           (k, index, what, bytes, out, need), k)

static cl_int CL_API_CALL wrap_clGetKernelWorkGroupInfo(
    cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t bytes,
    void *out, size_t *need) {
  layer_used(k, LAYER_clGetKernelWorkGroupInfo);
  cl_int status = layer_enter(LAYER_clGetKernelWorkGroupInfo).status;
  if (status == CL_SUCCESS)
    status = layer_next.clGetKernelWorkGroupInfo(k, d, what, bytes, out, need);
  if (status == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE &&
      out != NULL && layer_fake_now.group != 0 &&
      *(size_t *)out > layer_fake_now.group)
    *(size_t *)out = layer_fake_now.group;
  return status;
}

#define ENTER(name) t->name = wrap_##name

void layer_wrap_program(struct _cl_icd_dispatch *t) {
  ENTER(clCreateProgramWithSource);
  ENTER(clCreateProgramWithBinary);
  ENTER(clRetainProgram);
  ENTER(clReleaseProgram);
  ENTER(clBuildProgram);
  ENTER(clGetProgramInfo);
  ENTER(clGetProgramBuildInfo);
  ENTER(clCreateKernel);
  ENTER(clRetainKernel);
  ENTER(clReleaseKernel);
  ENTER(clSetKernelArg);
  ENTER(clGetKernelInfo);
  ENTER(clGetKernelArgInfo);
  ENTER(clGetKernelWorkGroupInfo);
}

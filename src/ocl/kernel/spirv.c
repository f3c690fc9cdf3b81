/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs from SPIR-V. The function for that is not part of OpenCL 1.2, so it
 * is looked up at run time. */
#include <string.h>

#include <gpuarray/opencl.h>

#include "base/alloc.h"
#include "ocl/kernel/programs.h"
#include "ocl/objects.h"

/* CL_DEVICE_IL_VERSION of OpenCL 2.1, CL_DEVICE_IL_VERSION_KHR of
 * cl_khr_il_program. */
#define IL_VERSION 0x105B

typedef cl_program(CL_API_CALL *create_fn)(cl_context context, const void *il,
                                           size_t bytes, cl_int *status);

/* What the device accepts, such as "SPIR-V_1.2", or "". NULL if memory runs
 * out. The caller frees it. */
static char *il_version(cl_device_id d) {
  size_t n = 0;

  if (clGetDeviceInfo(d, IL_VERSION, 0, NULL, &n) != CL_SUCCESS)
    n = 0;
  char *text = ga__calloc(n + 1, 1);
  if (text != NULL && n > 0 &&
      clGetDeviceInfo(d, IL_VERSION, n, text, NULL) != CL_SUCCESS)
    text[0] = '\0';
  return text;
}

/* ISO C has no conversion from void * to a function pointer; POSIX allows
 * it. */
static create_fn find_create(cl_platform_id platform) {
  static const char *const names[] = {"clCreateProgramWithILKHR",
                                      "clCreateProgramWithIL"};
  create_fn fn = NULL;

  for (int i = 0; i < 2 && fn == NULL; i++) {
    void *p = clGetExtensionFunctionAddressForPlatform(platform, names[i]);

    memcpy(&fn, &p, sizeof p);
  }
  return fn;
}

static int check_device(gpucontext *ctx, create_fn *create) {
  char *version = il_version(ctx->dev.cl);

  if (version == NULL)
    return ga__fail_nomem();
  *create = find_create(ctx->dev.cl_platform);
  int takes_it = strstr(version, "SPIR-V") != NULL && *create != NULL;
  ga__free(version);
  return takes_it ? GA_NO_ERROR
                  : ga__fail(GA_DEVSUP_ERROR, "the device takes no SPIR-V");
}

static int check_words(const void *il, size_t bytes) {
  const uint32_t magic = 0x07230203, turned = 0x03022307;
  uint32_t first = 0;

  if (il != NULL && bytes >= sizeof first)
    memcpy(&first, il, sizeof first);
  if (bytes % sizeof first != 0 || (first != magic && first != turned))
    return ga__fail(GA_VALUE_ERROR, "%zu bytes that are not SPIR-V", bytes);
  return GA_NO_ERROR;
}

int gpucontext_spirv(cl_program *out, gpucontext *ctx, const void *il,
                     size_t bytes) {
  create_fn create = NULL;
  cl_int status;

  *out = NULL;
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  GA_TRY(check_words(il, bytes));
  GA_TRY(check_device(ctx, &create));
  cl_program p = create(ctx->cl, il, bytes, &status);
  GA_TRY(ga__status_check("clCreateProgramWithIL", status));
  int err = ga__program_finish(ctx, p);
  if (err != GA_NO_ERROR)
    clReleaseProgram(p);
  else
    *out = p;
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of dtypes in the source of users' kernels. */
#include <gpuarray/record.h>

#include <gpuarray/util.h>

#include "base/dtype.h"

const char *gpuarray_ctype(int dtype) {
  const gpuarray_type *t = ga__type_of(dtype);

  return t != NULL && t->cluda_name != NULL ? t->cluda_name : "";
}

int gpuarray_work_dtype(int dtype) {
  return ga__dtype_work(dtype);
}

const char *gpuarray_load_w(int dtype) {
  return dtype == GA_HALF     ? "ga_half2float"
         : dtype == GA_BFLOAT ? "ga_bfloat2float"
                              : "";
}

const char *gpuarray_write_w(int dtype) {
  return dtype == GA_HALF     ? "ga_float2half"
         : dtype == GA_BFLOAT ? "ga_float2bfloat"
                              : "";
}

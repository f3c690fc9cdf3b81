/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/kernel/kernel_info.h"

#include <string.h>

#include "base/dtype.h"

ga__arg_space ga__kernel_arg_space(cl_kernel k, unsigned int i) {
  cl_kernel_arg_address_qualifier q;

  if (clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof q, &q,
                         NULL) != CL_SUCCESS)
    return GA_ARG_UNKNOWN;
  if (q == CL_KERNEL_ARG_ADDRESS_PRIVATE)
    return GA_ARG_IS_VALUE;
  return q == CL_KERNEL_ARG_ADDRESS_LOCAL ? GA_ARG_IS_LOCAL : GA_ARG_IS_GLOBAL;
}

int ga__kernel_arg_dtype(cl_kernel k, unsigned int i) {
  static const int dtypes[] = {GA_BYTE,  GA_UBYTE, GA_SHORT, GA_USHORT,
                               GA_INT,   GA_UINT,  GA_LONG,  GA_ULONG,
                               GA_FLOAT, GA_DOUBLE};
  char name[32];

  if (clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name,
                         NULL) != CL_SUCCESS)
    return -1;
  for (size_t j = 0; j < sizeof dtypes / sizeof *dtypes; j++)
    if (strcmp(name, ga__dtype_cl(dtypes[j])) == 0)
      return dtypes[j];
  return -1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arrays that are arguments. */
#include "array/arg_check.h"

#include "array/view.h"
#include "base/dtype.h"

int ga__arg_check_aligned(const char *name, const GpuArray *a) {
  if (!GpuArray_ISALIGNED(a))
    return ga__fail(GA_UNALIGNED_ERROR,
                    "%s: offset %zu: elements are not aligned for %s", name,
                    a->offset, ga__dtype_name(a->typecode));
  return GA_NO_ERROR;
}

int ga__arg_check_array(gpucontext *ctx, const gpuelemwise_arg *arg,
                        const GpuArray *a) {
  GA_TRY(ga__array_check(a));
  if (GpuArray_context(a) != ctx)
    return ga__fail(GA_VALUE_ERROR, "%s: of another context", arg->name);
  if (ga__dtype_canon(a->typecode) != arg->typecode)
    return ga__fail(GA_VALUE_ERROR, "%s: %s, expected %s", arg->name,
                    ga__dtype_name(a->typecode), ga__dtype_name(arg->typecode));
  GA_TRY(ga__arg_check_aligned(arg->name, a));
  if ((arg->flags & GE_WRITE) && !GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "%s: not writeable", arg->name);
  return GA_NO_ERROR;
}

int ga__arg_check_sizes(const gpuelemwise_arg *arg, const GpuArray *a,
                        unsigned int nd, const size_t *dims,
                        const unsigned char *gone) {
  if (a->nd != nd)
    return ga__fail(GA_VALUE_ERROR, "%s: %u dimensions, expected %u", arg->name,
                    a->nd, nd);
  for (unsigned int d = 0; d < nd; d++) {
    size_t want = gone != NULL && gone[d] ? 1 : dims[d];
    if (a->dimensions[d] != want &&
        (a->dimensions[d] != 1 || (arg->flags & GE_WRITE)))
      return ga__fail(GA_VALUE_ERROR, "%s, dim %u: expected %zu, got %zu",
                      arg->name, d, want, a->dimensions[d]);
  }
  return GA_NO_ERROR;
}

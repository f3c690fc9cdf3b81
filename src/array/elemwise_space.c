/* SPDX-License-Identifier: BSD-2-Clause */
/* The iteration space of an elementwise call. */
#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"

static int is_array(const gpuelemwise_arg *a) {
  return !ga__arg_is_scalar(a) && !ga__is_random(a) && !ga__is_taken(a);
}

/* The array that sets the shape: the first one that is written, else the first
 * one. */
static unsigned int lead_of(unsigned int n, const gpuelemwise_arg *args) {
  unsigned int lead = n;

  for (unsigned int k = n; k-- > 0;) {
    if (is_array(&args[k]) && (lead == n || !ga__arg_is_written(&args[lead]) ||
                               ga__arg_is_written(&args[k])))
      lead = k;
  }
  return lead;
}

/* The rank of the space: that of the leading array, or with GE_PADSHAPE the
 * highest rank of all arrays. */
static unsigned int rank_of(unsigned int n, const gpuelemwise_arg *args,
                            void *const *values, const GpuArray *lead,
                            int flags) {
  unsigned int nd = lead->nd;

  for (unsigned int k = 0; (flags & GE_PADSHAPE) && k < n; k++) {
    const GpuArray *a = values[k];

    if (is_array(&args[k]) && a->nd > nd)
      nd = a->nd;
  }
  return nd;
}

/* Set the strides of an array that is read by index: 0 along the axis, where
 * the sizes need not agree. */
static int place_taken(ptrdiff_t *strides, const gpuelemwise_arg *arg,
                       const GpuArray *a, unsigned int nd, const size_t *dims,
                       int flags) {
  const unsigned int axis = ga__taken_axis(arg);
  size_t want[GA_ITER_ND];
  int is_empty = 0;

  if (axis >= nd || axis >= a->nd)
    return ga__fail(GA_VALUE_ERROR, "%s: axis %u of an array of %u dimensions",
                    arg->name, axis, a->nd < nd ? a->nd : nd);
  if (a->strides[axis] % (ssize_t)GpuArray_ITEMSIZE(a) != 0)
    return ga__fail(GA_UNALIGNED_ERROR,
                    "%s: stride %zd is not a multiple of %zu bytes", arg->name,
                    a->strides[axis], GpuArray_ITEMSIZE(a));
  for (unsigned int d = 0; d < nd; d++) {
    want[d] = d == axis ? a->dimensions[d] : dims[d];
    is_empty |= dims[d] == 0;
  }
  if (want[axis] == 0 && !is_empty)
    return ga__fail(GA_VALUE_ERROR, "%s: axis %u has size 0", arg->name, axis);
  GA_TRY(ga__operand_place(strides, arg->name, a, nd, want,
                           flags & GE_BROADCAST ? GA_MAY_REPEAT : 0));
  strides[axis] = 0;
  return GA_NO_ERROR;
}

/* Set the strides of one argument. Random numbers get those of a contiguous
 * array, because they are counted in C order. */
static int place(ptrdiff_t *strides, const gpuelemwise_arg *arg,
                 const void *value, unsigned int nd, const size_t *dims,
                 int flags) {
  const int may_repeat = (flags & GE_BROADCAST) && !ga__arg_is_written(arg);

  if (ga__is_taken(arg))
    return place_taken(strides, arg, value, nd, dims, flags);
  if (is_array(arg))
    return ga__operand_place(strides, arg->name, value, nd, dims,
                             (may_repeat ? GA_MAY_REPEAT : 0) |
                                 (flags & GE_PADSHAPE ? GA_MAY_PAD : 0));
  ga__strides_fill(strides, nd, dims, ga__dtype_size(arg->typecode),
                   GA_C_ORDER);
  return GA_NO_ERROR;
}

int ga__elemwise_space(ga__iter *it, gpucontext *ctx, unsigned int n,
                       const gpuelemwise_arg *args, void *const *values,
                       int flags) {
  size_t dims[GA_ITER_ND];
  ptrdiff_t strides[GA_ITER_ND];

  it->nd = 0;
  it->block.far = NULL;
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(ga__operand_check(&args[k], values[k], ctx));
  const GpuArray *lead = values[lead_of(n, args)];
  const unsigned int nd = rank_of(n, args, values, lead, flags);
  for (unsigned int d = 0; d < nd; d++)
    dims[d] = d < nd - lead->nd ? 1 : lead->dimensions[d - (nd - lead->nd)];
  GA_TRY(ga__iter_init(it, nd, dims, n));
  for (unsigned int k = 0; k < n; k++) {
    if (ga__arg_is_scalar(&args[k]))
      continue;
    GA_TRY(place(strides, &args[k], values[k], nd, dims, flags));
    ga__iter_set(it, k, strides);
  }
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of elementwise calls: types, shapes, overlap. */
#include "array/arg_check.h"
#include "array/elemwise_parts.h"

#include <string.h>

#include "array/random_check.h"
#include "array/view.h"
#include "base/dtype.h"

static int is_array(const gpuelemwise_arg *a) {
  return (a->flags & GE_SCALAR) == 0 && !ga__is_random(a);
}

static int is_written(const gpuelemwise_arg *a) {
  return is_array(a) && (a->flags & GE_WRITE) != 0;
}

static int check_array(const GpuArray *a, const gpuelemwise_arg *arg,
                       gpucontext *ctx) {
  if (a == NULL || a->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "arg %s: no array", arg->name);
  if (ga__dtype_canon(a->typecode) != ga__dtype_canon(arg->typecode))
    return ga__fail(GA_VALUE_ERROR, "arg %s: expected %s, got %s", arg->name,
                    ga__dtype_name(arg->typecode), ga__dtype_name(a->typecode));
  if (GpuArray_context(a) != ctx)
    return ga__fail(GA_VALUE_ERROR, "arg %s: the array is of another context",
                    arg->name);
  if (is_written(arg) && !GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "arg %s: the array is not writeable",
                    arg->name);
  return ga__arg_check_aligned(arg->name, a);
}

/* What random numbers are made of. */
static int check_state(const GpuArray *a, const gpuelemwise_arg *arg,
                       gpucontext *ctx) {
  if (a == NULL || a->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "arg %s: no state", arg->name);
  if (GpuArray_context(a) != ctx)
    return ga__fail(GA_VALUE_ERROR, "arg %s: the state is of another context",
                    arg->name);
  return ga__random_check(a, arg->name);
}

static int check_value(const void *value, const gpuelemwise_arg *arg,
                       gpucontext *ctx) {
  if (is_array(arg))
    return check_array(value, arg, ctx);
  if (ga__is_random(arg))
    return check_state(value, arg, ctx);
  if (value == NULL)
    return ga__fail(GA_INVALID_ERROR, "arg %s: no value", arg->name);
  return GA_NO_ERROR;
}

/* --- shapes --- */

/* The array that sets the shape: the first that is written, else the first. */
static unsigned int lead_of(unsigned int n, const gpuelemwise_arg *args) {
  unsigned int lead = n;

  for (unsigned int k = n; k-- > 0;) {
    if (is_array(&args[k]) &&
        (lead == n || !is_written(&args[lead]) || is_written(&args[k])))
      lead = k;
  }
  return lead;
}

/* The rank of the space: the common one, or with padding the highest. */
static int find_rank(unsigned int *nd, unsigned int n,
                     const gpuelemwise_arg *args, void *const *values,
                     unsigned int lead, int flags) {
  *nd = ((const GpuArray *)values[lead])->nd;
  for (unsigned int k = 0; k < n; k++) {
    const GpuArray *a = values[k];

    if (!is_array(&args[k]) || a->nd == *nd)
      continue;
    if ((flags & GE_PADSHAPE) == 0)
      return ga__fail(GA_VALUE_ERROR, "arg %s: expected %u dimensions, got %u",
                      args[k].name, *nd, a->nd);
    if (a->nd > *nd)
      *nd = a->nd;
  }
  return GA_NO_ERROR;
}

/* Size and stride of dimension `d` of `nd`, with missing leading ones. */
static size_t padded_dim(const GpuArray *a, unsigned int nd, unsigned int d) {
  return d < nd - a->nd ? 1 : a->dimensions[d - (nd - a->nd)];
}

static ptrdiff_t padded_stride(const GpuArray *a, unsigned int nd,
                               unsigned int d) {
  return d < nd - a->nd ? 0 : a->strides[d - (nd - a->nd)];
}

static int place_array(ga__iter *it, unsigned int k, const gpuelemwise_arg *arg,
                       const GpuArray *a, const size_t *dims, int flags) {
  ptrdiff_t strides[GA_ITER_ND];
  int may_repeat = (flags & GE_BROADCAST) != 0 && !is_written(arg);

  for (unsigned int d = 0; d < it->nd; d++) {
    size_t dim = padded_dim(a, it->nd, d);

    if (dim != dims[d] && !(may_repeat && dim == 1))
      return ga__fail(GA_VALUE_ERROR, "arg %s: dim %u: expected %zu, got %zu",
                      arg->name, d, dims[d], dim);
    strides[d] = dim == 1 ? 0 : padded_stride(a, it->nd, d);
  }
  ga__iter_set(it, k, strides);
  return GA_NO_ERROR;
}

/* Random numbers are counted in C order. */
static void place_random(ga__iter *it, unsigned int k,
                         const gpuelemwise_arg *arg, const size_t *dims) {
  ssize_t strides[GA_ITER_ND];

  ga__strides_fill(strides, it->nd, dims, ga__dtype_size(arg->typecode),
                   GA_C_ORDER);
  ga__iter_set(it, k, strides);
}

int ga__elemwise_space(ga__iter *it, gpucontext *ctx, unsigned int n,
                       const gpuelemwise_arg *args, void *const *values,
                       int flags) {
  unsigned int nd, lead = lead_of(n, args);
  size_t dims[GA_ITER_ND];

  memset(it, 0, sizeof *it);
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(check_value(values[k], &args[k], ctx));
  GA_TRY(find_rank(&nd, n, args, values, lead, flags));
  for (unsigned int d = 0; d < nd && nd <= GA_ITER_ND; d++)
    dims[d] = padded_dim(values[lead], nd, d);
  GA_TRY(ga__iter_init(it, nd, dims, n));
  for (unsigned int k = 0; k < n; k++) {
    if (is_array(&args[k]))
      GA_TRY(place_array(it, k, &args[k], values[k], dims, flags));
    else if (ga__is_random(&args[k]))
      place_random(it, k, &args[k], dims);
  }
  return GA_NO_ERROR;
}

/* --- overlap --- */

static int is_same(const GpuArray *a, const GpuArray *b) {
  if (a->data != b->data || a->offset != b->offset || a->nd != b->nd)
    return 0;
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] != b->dimensions[d] ||
        (a->dimensions[d] > 1 && a->strides[d] != b->strides[d]))
      return 0;
  }
  return 1;
}

/* 1 when the elements fill the bytes that they span. */
static int is_dense(const GpuArray *a) {
  ssize_t low, high;
  size_t bytes = ga__array_total(a) * GpuArray_ITEMSIZE(a);

  return ga__extent(&low, &high, a->nd, a->dimensions, a->strides,
                    GpuArray_ITEMSIZE(a)) == GA_NO_ERROR &&
         (size_t)(high - low) == bytes;
}

/* For arrays of one shape and the same strides: is one `off` bytes away from
 * the other on its own lattice? Strides are taken from the longest down, as
 * those of nested dimensions are; `off` is the distance still to explain. */
static int on_lattice(const GpuArray *a, ssize_t off) {
  unsigned char used[GA_ITER_ND] = {0};

  for (unsigned int round = 0; round < a->nd; round++) {
    unsigned int best = a->nd;

    for (unsigned int d = 0; d < a->nd; d++) {
      if (!used[d] && a->dimensions[d] > 1 &&
          (best == a->nd || a->strides[d] > a->strides[best]))
        best = d;
    }
    if (best == a->nd || a->strides[best] <= 0)
      break;
    used[best] = 1;
    ssize_t stride = a->strides[best];
    ssize_t steps = (off + (off < 0 ? -stride : stride) / 2) / stride;
    if (steps >= (ssize_t)a->dimensions[best] ||
        -steps >= (ssize_t)a->dimensions[best])
      return 0;
    off -= steps * stride;
  }
  return off == 0;
}

static int has_strides_of(const GpuArray *a, const GpuArray *b) {
  if (a->nd != b->nd || a->nd > GA_ITER_ND)
    return 0;
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] != b->dimensions[d] || a->strides[d] != b->strides[d])
      return 0;
  }
  return 1;
}

int ga__arrays_overlap(const GpuArray *a, const GpuArray *b) {
  if (a->data != b->data || !GpuArray_share(a, b))
    return 0;
  if (is_dense(a) || is_dense(b) || is_same(a, b))
    return 1;
  return has_strides_of(a, b) &&
         on_lattice(a, (ssize_t)a->offset - (ssize_t)b->offset);
}

int ga__elemwise_overlap(unsigned int n, const gpuelemwise_arg *args,
                         void *const *values) {
  for (unsigned int k = 0; k < n; k++) {
    for (unsigned int i = 0; is_written(&args[k]) && i < n; i++) {
      if (i == k || (args[i].flags & GE_SCALAR) != 0 ||
          (!is_written(&args[i]) && is_same(values[k], values[i])) ||
          !ga__arrays_overlap(values[k], values[i]))
        continue;
      return ga__fail(GA_VALUE_ERROR, "arg %s overlaps arg %s", args[k].name,
                      args[i].name);
    }
  }
  return GA_NO_ERROR;
}

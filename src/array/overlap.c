/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two arrays have elements in common. */
#include "array/overlap.h"

#include "array/geometry.h"

int ga__arrays_same(const GpuArray *a, const GpuArray *b) {
  if (a->data != b->data || a->offset != b->offset || a->nd != b->nd)
    return 0;
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] != b->dimensions[d] ||
        (a->dimensions[d] > 1 && a->strides[d] != b->strides[d]))
      return 0;
  }
  return 1;
}

/* Whether the elements fill the bytes that they span. */
static int is_dense(const GpuArray *a) {
  ssize_t low, high;
  size_t bytes = ga__array_total(a) * GpuArray_ITEMSIZE(a);

  return ga__extent(&low, &high, a->nd, a->dimensions, a->strides,
                    GpuArray_ITEMSIZE(a)) == GA_NO_ERROR &&
         (size_t)(high - low) == bytes;
}

/* Whether an array at the distance `off`, in bytes, with the shape and strides
 * of `a` has an element of `a`. Strides are taken from the longest to the
 * shortest, as in nested dimensions; `off` is reduced to what the shorter ones
 * must reach. */
static int on_lattice(const GpuArray *a, ssize_t off) {
  unsigned char used[GA_ND_MAX] = {0};

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
  if (a->nd != b->nd || a->nd > GA_ND_MAX)
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
  if (is_dense(a) || is_dense(b) || ga__arrays_same(a, b))
    return 1;
  return has_strides_of(a, b) &&
         on_lattice(a, (ssize_t)a->offset - (ssize_t)b->offset);
}

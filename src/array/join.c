/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays put together along an axis. */
#include <gpuarray/array.h>

#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "base/dtype.h"

static int check_part(const GpuArray *part, const GpuArray *first, size_t i,
                      unsigned int axis) {
  GA_TRY(ga__array_check(part));
  if (GpuArray_context(part) != GpuArray_context(first))
    return ga__fail(GA_INVALID_ERROR, "array %zu is of another context", i);
  if (part->nd != first->nd)
    return ga__fail(GA_VALUE_ERROR, "array %zu: expected %u dimensions, got %u",
                    i, first->nd, part->nd);
  for (unsigned int d = 0; d < part->nd; d++) {
    if (d != axis && part->dimensions[d] != first->dimensions[d])
      return ga__fail(GA_VALUE_ERROR,
                      "array %zu: dim %u: expected %zu, got %zu", i, d,
                      first->dimensions[d], part->dimensions[d]);
  }
  return GA_NO_ERROR;
}

static int check_parts(const GpuArray **as, size_t n, unsigned int axis) {
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "no arrays to join");
  GA_TRY(ga__array_check(as[0]));
  if (axis >= as[0]->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, as[0]->nd);
  for (size_t i = 0; i < n; i++)
    GA_TRY(check_part(as[i], as[0], i, axis));
  return GA_NO_ERROR;
}

/* The part of `r` that begins at `at` along `axis` becomes `a`. */
static int fill_part(const GpuArray *r, const GpuArray *a, unsigned int axis,
                     size_t at) {
  GpuArray part = *r; /* borrows */

  if (a->dimensions[axis] == 0)
    return GA_NO_ERROR;
  part.dimensions = a->dimensions;
  part.offset += at * (size_t)r->strides[axis];
  GpuArray_fix_flags(&part);
  return GpuArray_setarray(&part, a);
}

int GpuArray_concatenate(GpuArray *r, const GpuArray **as, size_t n,
                         unsigned int axis, int restype) {
  size_t *dims = NULL, at = 0;
  int err;

  memset(r, 0, sizeof *r);
  GA_TRY(check_parts(as, n, axis));
  dims = ga__memdup(as[0]->dimensions, as[0]->nd * sizeof *dims);
  if (dims == NULL)
    return ga__fail_nomem();
  for (size_t i = 1; i < n; i++)
    dims[axis] += as[i]->dimensions[axis];
  GA_CHECK(GpuArray_empty(r, GpuArray_context(as[0]), restype, as[0]->nd, dims,
                          GA_ANY_ORDER));
  for (size_t i = 0; i < n; i++) {
    GA_CHECK(fill_part(r, as[i], axis, at));
    at += as[i]->dimensions[axis];
  }

done:
  ga__free(dims);
  if (err != GA_NO_ERROR)
    GpuArray_clear(r);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the operands of Fourier transforms. */
#include "fft/fft_check.h"

#include <gpuarray/device.h>

#include "array/operands.h"
#include "array/overlap.h"
#include "base/dtype.h"

static int check_axes(const ga__fft_call *c) {
  if (c->n_axes > 0 && c->axes == NULL)
    return ga__fail(GA_INVALID_ERROR, "no axes");
  if (c->n_axes < 1 || c->n_axes > c->x->nd)
    return ga__fail(GA_VALUE_ERROR,
                    "transforms along %u axes of an array of %u dimensions",
                    c->n_axes, c->x->nd);
  for (unsigned int i = 0; i < c->n_axes; i++) {
    if (c->axes[i] >= c->x->nd)
      return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                      c->axes[i], c->x->nd);
    for (unsigned int j = 0; j < i; j++)
      if (c->axes[i] == c->axes[j])
        return ga__fail(GA_VALUE_ERROR, "axis %u is in the list twice",
                        c->axes[i]);
  }
  return GA_NO_ERROR;
}

int ga__fft_check_operand(const ga__fft_call *c) {
  const int known = GA_FFT_INVERSE | GA_FFT_ORTHO | GA_FFT_FORWARD;

  if (c->x == NULL || c->x->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "x: no array");
  const int real = ga__dtype_real(c->x->typecode);
  if (real != GA_FLOAT && real != GA_DOUBLE)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "x: %s, expected complex numbers or floats of 32 or 64 "
                    "bits",
                    ga__dtype_name(c->x->typecode));
  gpucontext *const ctx = GpuArray_context(c->x);
  if (real == GA_DOUBLE && !gpucontext_caps(ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no float64");
  GA_TRY(ga__operand_check_array("x", c->x, ctx, GA_OPERAND_ANY));
  if (c->flags & ~known ||
      ((c->flags & GA_FFT_ORTHO) && (c->flags & GA_FFT_FORWARD)))
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)c->flags);
  return check_axes(c);
}

/* --- with a result --- */

static int check_dtypes(const ga__fft_call *c) {
  const int x = c->x->typecode, y = c->y->typecode;

  if (ga__dtype_real(x) != ga__dtype_real(y))
    return ga__fail(GA_VALUE_ERROR, "y: %s does not go with %s",
                    ga__dtype_name(y), ga__dtype_name(x));
  if (!ga__dtype_is_complex(x) && !ga__dtype_is_complex(y))
    return ga__fail(GA_VALUE_ERROR, "x and y are both %s; one is complex",
                    ga__dtype_name(x));
  return GA_NO_ERROR;
}

static int find_lengths(ga__fft_call *c, const size_t *lengths) {
  const GpuArray *of = ga__dtype_is_complex(c->x->typecode) ? c->y : c->x;

  for (unsigned int i = 0; i < c->n_axes; i++) {
    c->n[i] = lengths != NULL ? lengths[i] : of->dimensions[c->axes[i]];
    if (c->n[i] == 0)
      return ga__fail(GA_VALUE_ERROR, "axis %u: a transform of no elements",
                      c->axes[i]);
  }
  return GA_NO_ERROR;
}

static int check_sizes(const ga__fft_call *c) {
  size_t dims[GA_ND_MAX];

  if (c->y->nd != c->x->nd)
    return ga__fail(GA_VALUE_ERROR, "y: expected %u dimensions, got %u",
                    c->x->nd, c->y->nd);
  for (unsigned int d = 0; d < c->x->nd; d++)
    dims[d] = c->x->dimensions[d];
  for (unsigned int i = 0; i < c->n_axes; i++)
    dims[c->axes[i]] = c->n[i];
  if (!ga__dtype_is_complex(c->x->typecode))
    dims[c->axes[c->n_axes - 1]] = c->n[c->n_axes - 1] / 2 + 1;
  GA_TRY(ga__operand_place(NULL, "y", c->y, c->y->nd, dims, 0));
  for (unsigned int d = 0; d < c->y->nd; d++)
    if (c->y->strides[d] == 0 && dims[d] > 1)
      return ga__fail(GA_VALUE_ERROR, "y, dim %u: %zu results in one place", d,
                      dims[d]);
  return GA_NO_ERROR;
}

int ga__fft_check(ga__fft_call *c, const size_t *lengths) {
  GA_TRY(ga__fft_check_operand(c));
  GA_TRY(ga__operand_check_result("y", c->y, GpuArray_context(c->x),
                                  GA_OPERAND_ANY));
  GA_TRY(check_dtypes(c));
  GA_TRY(find_lengths(c, lengths));
  GA_TRY(check_sizes(c));
  if (ga__arrays_same(c->x, c->y) && c->x->typecode == c->y->typecode)
    return GA_NO_ERROR;
  return ga__operand_check_apart("y", c->y, "x", c->x);
}

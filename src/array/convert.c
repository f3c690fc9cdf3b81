/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays for consumers that do not take all strides. */
#include <gpuarray/convert.h>
#include <gpuarray/create.h>

#include <string.h>

#include "array/geometry.h"
#include "base/dtype.h"

/* --- strides --- */

/* The strides of `a`, but those of a contiguous array where a stride has no
 * meaning: for dimensions of size 1 and for empty arrays. Consumers may compare
 * strides. */
static void plain_strides(ssize_t *out, const GpuArray *a) {
  const int is_empty = ga__array_total(a) == 0;
  ssize_t gapless[GA_ND_MAX];

  ga__strides_fill(gapless, a->nd, a->dimensions, GpuArray_ITEMSIZE(a),
                   ga__array_order(a, GA_ANY_ORDER));
  for (unsigned int k = 0; k < a->nd; k++)
    out[k] = is_empty || a->dimensions[k] == 1 ? gapless[k] : a->strides[k];
}

int GpuArray_element_strides(ssize_t *out, const GpuArray *a) {
  ssize_t size, strides[GA_ND_MAX];

  GA_TRY(ga__array_check(a));
  size = (ssize_t)GpuArray_ITEMSIZE(a);
  plain_strides(strides, a);
  for (unsigned int k = 0; k < a->nd; k++) {
    if (strides[k] % size != 0)
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u: stride %zd is not a multiple of %zd bytes", k,
                      strides[k], size);
  }
  for (unsigned int k = 0; k < a->nd; k++)
    out[k] = strides[k] / size;
  return GA_NO_ERROR;
}

/* --- checks for sharing --- */

static int fits_order(const GpuArray *a, const gpuwant *want) {
  if (want->flags & GA_WANT_STRIDED)
    return 1;
  if (want->order == GA_C_ORDER)
    return GpuArray_IS_C_CONTIGUOUS(a) != 0;
  if (want->order == GA_F_ORDER)
    return GpuArray_IS_F_CONTIGUOUS(a) != 0;
  return GpuArray_ISONESEGMENT(a) != 0;
}

/* The first dimension whose stride `flags` forbids, or a->nd. */
static unsigned int bad_stride(const GpuArray *a, int flags) {
  const ssize_t size = (ssize_t)GpuArray_ITEMSIZE(a);
  ssize_t strides[GA_ND_MAX];
  unsigned int k;

  plain_strides(strides, a);
  for (k = 0; k < a->nd; k++) {
    if ((flags & GA_WANT_WHOLE_STRIDES) && strides[k] % size != 0)
      break;
    if ((flags & GA_WANT_NO_REVERSAL) && strides[k] < 0)
      break;
  }
  return k;
}

/* GA_COPY_ERROR when the result must be a copy. */
static int check_shareable(const GpuArray *a, const gpuwant *want) {
  if (want->typecode != GA_KEEP_TYPE && want->typecode != a->typecode)
    return ga__fail(GA_COPY_ERROR, "wanted %s, have %s",
                    ga__dtype_name(want->typecode),
                    ga__dtype_name(a->typecode));
  if (!fits_order(a, want))
    return ga__fail(GA_COPY_ERROR, "the array is not contiguous%s",
                    want->order == GA_C_ORDER   ? " in C order"
                    : want->order == GA_F_ORDER ? " in Fortran order"
                                                : "");
  unsigned int k = bad_stride(a, want->flags);
  if (k < a->nd)
    return ga__fail(GA_COPY_ERROR, "dim %u: stride %zd of elements of %zu", k,
                    a->strides[k], GpuArray_ITEMSIZE(a));
  if ((want->flags & GA_WANT_NO_OFFSET) && a->offset != 0)
    return ga__fail(GA_COPY_ERROR, "element 0 is %zu bytes into the buffer",
                    a->offset);
  if ((want->flags & GA_WANT_ALIGNED) && !GpuArray_ISALIGNED(a))
    return ga__fail(GA_COPY_ERROR, "the elements are not aligned");
  if ((want->flags & GA_WANT_WRITEABLE) && !GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_COPY_ERROR, "the array is not writeable");
  return GA_NO_ERROR;
}

/* --- sharing and copying --- */

static int share(GpuArray *out, const GpuArray *a) {
  GA_TRY(GpuArray_view(out, a));
  plain_strides(out->strides, a);
  GpuArray_fix_flags(out);
  return GA_NO_ERROR;
}

static int copy_as(GpuArray *out, const GpuArray *a, const gpuwant *want) {
  const int keep = want->typecode == GA_KEEP_TYPE;
  ga_order order = want->flags & GA_WANT_STRIDED ? GA_ANY_ORDER : want->order;

  if (keep || want->typecode == a->typecode)
    return GpuArray_copy(out, a, order);
  return GpuArray_cast(out, a, want->typecode, order);
}

static int check_want(const GpuArray *a, const gpuwant *want) {
  GA_TRY(ga__array_check(a));
  if (want->typecode != GA_KEEP_TYPE && ga__type_of(want->typecode) == NULL)
    return ga__fail(GA_VALUE_ERROR, "unknown typecode %d", want->typecode);
  if (want->order < GA_ANY_ORDER || want->order > GA_F_ORDER)
    return ga__fail(GA_VALUE_ERROR, "unknown order %d", (int)want->order);
  return GA_NO_ERROR;
}

int GpuArray_convert(GpuArray *out, const GpuArray *a, const gpuwant *want,
                     ga_copyif copy) {
  memset(out, 0, sizeof *out);
  GA_TRY(check_want(a, want));
  if (copy == GA_COPY_ALWAYS)
    return copy_as(out, a, want);
  int err = check_shareable(a, want);
  if (err == GA_NO_ERROR)
    return share(out, a);
  return copy == GA_COPY_IF_NEEDED ? copy_as(out, a, want) : err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file array.h
 * Strided arrays on a device.
 *
 * A GpuArray is a view: a counted buffer, an offset, sizes and strides. Copies
 * of the data are made only where a function says so. Element (i0, i1, ...)
 * lies `offset + i0 * strides[0] + i1 * strides[1] + ...` bytes into `data`.
 * Sizes of 0 and strides of 0 or below are legal everywhere.
 *
 * Functions that fill a GpuArray overwrite it: clear an old one first. When
 * they fail it is zeroed, and clearing it again does no harm. Functions that
 * change one in place leave it unchanged when they fail. Nothing blocks but
 * GpuArray_sync(), GpuArray_read(), GpuArray_take1() with `check_error`, and
 * the printing functions. */
#ifndef GPUARRAY_ARRAY_H
#define GPUARRAY_ARRAY_H

#include <gpuarray/buffer.h>
#include <gpuarray/util.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _GpuArray {
  gpudata *data;      /**< counted reference */
  size_t *dimensions; /**< nd sizes, owned */
  ssize_t *strides;   /**< nd strides in bytes, owned */
  size_t offset;      /**< bytes from the start of data to element 0 */
  unsigned int nd;    /**< number of dimensions; 0 is a single element */
  int flags;          /**< see below */
  int typecode;       /**< of the elements */
} GpuArray;

/* Flags; the numbers are NumPy's. */
#define GA_C_CONTIGUOUS 0x0001 /**< last index fastest, no gaps */
#define GA_F_CONTIGUOUS 0x0002 /**< first index fastest, no gaps */
#define GA_ALIGNED 0x0100      /**< elements aligned for their type */
#define GA_WRITEABLE 0x0400
#define GA_BEHAVED (GA_ALIGNED | GA_WRITEABLE)
#define GA_CARRAY (GA_C_CONTIGUOUS | GA_BEHAVED)
#define GA_FARRAY (GA_F_CONTIGUOUS | GA_BEHAVED)

/** Layouts to ask for. */
typedef enum _ga_order {
  GA_ANY_ORDER = -1, /**< whichever is cheaper; C for new arrays */
  GA_C_ORDER = 0,
  GA_F_ORDER = 1
} ga_order;

/** True when every one of `flags` is set. */
static inline int GpuArray_CHKFLAGS(const GpuArray *a, int flags) {
  return (a->flags & flags) == flags;
}

#define GpuArray_ISWRITEABLE(a) GpuArray_CHKFLAGS(a, GA_WRITEABLE)
#define GpuArray_ISALIGNED(a) GpuArray_CHKFLAGS(a, GA_ALIGNED)
/** In C or Fortran order, contiguous. */
#define GpuArray_ISONESEGMENT(a)                                               \
  ((a)->flags & (GA_C_CONTIGUOUS | GA_F_CONTIGUOUS))
#define GpuArray_IS_C_CONTIGUOUS(a) ((a)->flags & GA_C_CONTIGUOUS)
#define GpuArray_IS_F_CONTIGUOUS(a) ((a)->flags & GA_F_CONTIGUOUS)
/** Fortran order; unlike NumPy's test, arrays that are both also count. */
#define GpuArray_ISFORTRAN(a) (GpuArray_CHKFLAGS(a, GA_F_CONTIGUOUS))
/** Bytes of one element. */
#define GpuArray_ITEMSIZE(a) gpuarray_get_elsize((a)->typecode)

/* --- make, clear --- */

/** Recompute the contiguity and alignment flags after a change of sizes,
 * strides or offset. GA_WRITEABLE stays as it is. */
GPUARRAY_PUBLIC void GpuArray_fix_flags(GpuArray *a);

/** Allocate an array with undefined contents.
 *
 * `dims[0..nd)` are copied. GA_VALUE_ERROR for an unknown type or order,
 * GA_XLARGE_ERROR when the size in bytes does not fit in ssize_t. */
GPUARRAY_PUBLIC int GpuArray_empty(GpuArray *a, gpucontext *ctx, int typecode,
                                   unsigned int nd, const size_t *dims,
                                   ga_order ord);

/** Allocate an array of zeros. */
GPUARRAY_PUBLIC int GpuArray_zeros(GpuArray *a, gpucontext *ctx, int typecode,
                                   unsigned int nd, const size_t *dims,
                                   ga_order ord);

/** Make an array over a buffer, which gains a reference.
 *
 * `offset` and `strides[0..nd)` are in bytes; every element must lie inside
 * the buffer (GA_VALUE_ERROR). On failure the buffer keeps the references it
 * had. */
GPUARRAY_PUBLIC int GpuArray_fromdata(GpuArray *a, gpudata *data, size_t offset,
                                      int typecode, unsigned int nd,
                                      const size_t *dims,
                                      const ssize_t *strides, int writeable);

/** Release the buffer and the host memory, and zero the structure. A structure
 * that is zeroed already is accepted. Views of the array stay valid. */
GPUARRAY_PUBLIC void GpuArray_clear(GpuArray *a);

/* --- views: new arrays over the same data --- */

/** Make `v` a second view of `a`, with sizes and strides of its own. */
GPUARRAY_PUBLIC int GpuArray_view(GpuArray *v, const GpuArray *a);

/** Take `a[start:stop:step, ...]`.
 *
 * All three lists have a->nd entries. Dimension k runs from `starts[k]`, which
 * is in it, by `steps[k]` to `stops[k]`, which is not; a step below 0 runs
 * down, to a stop of -1 at the lowest. A step of 0 takes the one element at
 * `starts[k]` and drops the dimension (`stops[k]` is not used). Indices count
 * from the start: negative ones do not wrap. GA_VALUE_ERROR when elements would
 * lie outside. */
GPUARRAY_PUBLIC int GpuArray_index(GpuArray *r, const GpuArray *a,
                                   const ssize_t *starts, const ssize_t *stops,
                                   const ssize_t *steps);

/** The same, changing `a` itself. */
GPUARRAY_PUBLIC int GpuArray_index_inplace(GpuArray *a, const ssize_t *starts,
                                           const ssize_t *stops,
                                           const ssize_t *steps);

/** View `a` with other sizes of the same total, in the order of `ord`.
 *
 * GA_ANY_ORDER is Fortran order for an array that is only Fortran contiguous,
 * else C. When strides cannot express the result, the data is copied, or with
 * `nocopy` not 0 the call fails with GA_COPY_ERROR. GA_INVALID_ERROR when the
 * totals differ. */
GPUARRAY_PUBLIC int GpuArray_reshape(GpuArray *res, const GpuArray *a,
                                     unsigned int nd, const size_t *newdims,
                                     ga_order ord, int nocopy);

/** The same, changing `a` itself; never copies. */
GPUARRAY_PUBLIC int GpuArray_reshape_inplace(GpuArray *a, unsigned int nd,
                                             const size_t *newdims,
                                             ga_order ord);

/** View `a` with its axes in another order: axis k of the result is axis
 * `new_axes[k]` of `a`. NULL reverses them. GA_VALUE_ERROR when the list is
 * not a permutation. */
GPUARRAY_PUBLIC int GpuArray_transpose(GpuArray *res, const GpuArray *a,
                                       const unsigned int *new_axes);

/** The same, changing `a` itself. */
GPUARRAY_PUBLIC int GpuArray_transpose_inplace(GpuArray *a,
                                               const unsigned int *new_axes);

/** Cut `a` along `axis` at `p[0] <= p[1] <= ... <= p[n-1]` into n + 1 views.
 *
 * `rs` points to n + 1 structures to fill: part k holds indices p[k-1] up to
 * p[k]. GA_VALUE_ERROR for points outside of the axis or out of order; then
 * all parts are zeroed. */
GPUARRAY_PUBLIC int GpuArray_split(GpuArray **rs, const GpuArray *a, size_t n,
                                   size_t *p, unsigned int axis);

/* --- data on the device --- */

/** Take rows: `a[k, ...] = v[i[k], ...]`.
 *
 * `v` has any strides; `a` is C contiguous and has v's sizes but for its first,
 * which is that of the one-dimensional, C contiguous `i` of any integer type
 * (GA_INVALID_ERROR otherwise). Elements are converted to a's type as
 * GpuArray_setarray() does. Negative indices count from the end. An index out
 * of range leaves its row unspecified. With `check_error` not 0 the call blocks
 * until all indices are checked, and returns GA_VALUE_ERROR for a bad one, with
 * `a` unchanged. */
GPUARRAY_PUBLIC int GpuArray_take1(GpuArray *a, const GpuArray *v,
                                   const GpuArray *i, int check_error);

/** Assign `a[...] = v`, with casts.
 *
 * `v` is broadcast: sizes are matched from the last axis back, sizes of 1 in
 * `v` repeat, and missing leading ones count as 1. The arrays may overlap.
 * GA_VALUE_ERROR when the sizes do not fit or `a` is not writeable;
 * GA_UNALIGNED_ERROR when elements of either are not aligned for their type, as
 * for all copies of arrays. */
GPUARRAY_PUBLIC int GpuArray_setarray(GpuArray *a, const GpuArray *v);

/** Copy all elements in C order, with casts. The arrays have the same context
 * and number of elements; their shapes may differ. */
GPUARRAY_PUBLIC int GpuArray_move(GpuArray *dst, const GpuArray *src);

/** Copy `src_sz` bytes from the host to the start of a contiguous array; `src`
 * may be reused on return.
 *
 * GA_VALUE_ERROR when the array is not writeable or is smaller,
 * GA_UNSUPPORTED_ERROR when it is not contiguous. */
GPUARRAY_PUBLIC int GpuArray_write(GpuArray *dst, const void *src,
                                   size_t src_sz);

/** Copy the first `dst_sz` bytes of a contiguous array to the host; blocks.
 * Errors as for GpuArray_write(). */
GPUARRAY_PUBLIC int GpuArray_read(void *dst, size_t dst_sz,
                                  const GpuArray *src);

/** Set every byte of a contiguous, writeable array to the low 8 bits of
 * `data`. Bytes of the buffer outside of the array stay. Errors as for
 * GpuArray_write(). */
GPUARRAY_PUBLIC int GpuArray_memset(GpuArray *a, int data);

/** Copy to a new array of the same type and sizes, in the order `order`;
 * GA_ANY_ORDER keeps the Fortran order of `a`. */
GPUARRAY_PUBLIC int GpuArray_copy(GpuArray *res, const GpuArray *a,
                                  ga_order order);

/** Copy all elements to an array of the same type (else GA_UNSUPPORTED_ERROR)
 * and sizes, usually of another context; see gpudata_transfer(). */
GPUARRAY_PUBLIC int GpuArray_transfer(GpuArray *res, const GpuArray *a);

/** Join `as[0..n)` along `axis` into a new array of type `restype`, with casts.
 * The other sizes must be equal (GA_VALUE_ERROR). */
GPUARRAY_PUBLIC int GpuArray_concatenate(GpuArray *r, const GpuArray **as,
                                         size_t n, unsigned int axis,
                                         int restype);

/** Find the largest elements along axes, and where they are.
 *
 * `reduxList[0..reduxLen)` are distinct axes of `src`, at least one
 * (GA_INVALID_ERROR). The caller has made both results, with the other axes of
 * `src` and any strides: `dstMax` of its type, `dstArgmax` of a 64-bit integer
 * type, for the position counted along the axes in the order of the list, the
 * last one fastest. Of equal elements the first counts; a NaN is larger than
 * every number. GA_VALUE_ERROR for results of other shapes, results that
 * overlap another array, and empty rows.
 */
GPUARRAY_PUBLIC int GpuArray_maxandargmax(GpuArray *dstMax, GpuArray *dstArgmax,
                                          const GpuArray *src,
                                          unsigned reduxLen,
                                          const unsigned *reduxList);

/* --- ask, wait, print --- */

/** Block until all work that involves `a` is done. */
GPUARRAY_PUBLIC int GpuArray_sync(GpuArray *a);

/** 1 when the bytes that the two arrays span overlap, else 0. */
GPUARRAY_PUBLIC int GpuArray_share(const GpuArray *a, const GpuArray *b);

/** The array's context; borrowed. */
GPUARRAY_PUBLIC gpucontext *GpuArray_context(const GpuArray *a);

/** The message of the thread's last error; see gpucontext_error(). Never
 * NULL. */
GPUARRAY_PUBLIC const char *GpuArray_error(const GpuArray *a, int err);

/** Print one line with type, sizes, strides, offset and flags. */
GPUARRAY_PUBLIC void GpuArray_fprintf(FILE *fd, const GpuArray *a);

/** Print every element in C order, one per line after its index; blocks.
 * GA_SYS_ERROR when writing to the file fails. */
GPUARRAY_PUBLIC int GpuArray_fdump(FILE *fd, const GpuArray *a);

#ifdef __cplusplus
}
#endif

#endif

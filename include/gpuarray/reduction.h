/* SPDX-License-Identifier: BSD-2-Clause */
/** \file reduction.h
 *  Reductions over any axes, with an expression before and after.
 */
#ifndef GPUARRAY_REDUCTION_H
#define GPUARRAY_REDUCTION_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How values are combined. MEAN, NORM1 and NORM2 are for GpuArray_reduction
 *  only; a GpuReduction writes them with map and post. (GA_SUM, GA_PROD, GA_MAX
 *  and GA_MIN belong to the collectives.) */
typedef enum ga_reduce_op {
  GA_REDUCE_SUM = 0,
  GA_REDUCE_PROD,
  GA_REDUCE_MAX, /**< NaN if any value is NaN */
  GA_REDUCE_MIN, /**< NaN if any value is NaN */
  GA_REDUCE_ANY, /**< 1 if any value is nonzero; bool */
  GA_REDUCE_ALL, /**< 1 if every value is nonzero; bool */
  GA_REDUCE_AND, /**< bitwise, integers and bool */
  GA_REDUCE_OR,
  GA_REDUCE_XOR,
  GA_REDUCE_ARGMAX, /**< first position of the largest; NaN counts as largest */
  GA_REDUCE_ARGMIN, /**< first position of the smallest; NaN counts as
                         smallest */
  GA_REDUCE_MEAN,
  GA_REDUCE_VAR, /**< population variance */
  GA_REDUCE_NORM1,
  GA_REDUCE_NORM2
} ga_reduce_op;

/** Reduce `src` over `naxes` axes into a new array.
 *
 *  \param dst   initialised on success; C order; the caller clears it
 *  \param axes  distinct, each below src->nd; NULL with naxes 0 means all axes
 *  \param keepdims nonzero keeps reduced axes with size 1
 *  \param acc   accumulator dtype, or -1: float for half and float, double for
 *               double; for integers 64-bit integers for SUM and PROD, double
 *               (or float without fp64) for MEAN, VAR and norms, else that of
 *               `src`
 *  \param restype dtype of the result, or -1: long for ARGMAX and ARGMIN, bool
 *               for ANY and ALL, that of the accumulator for SUM, PROD, MEAN,
 *               VAR and norms of integers, else that of `src`
 *
 *  The order of combination is fixed by shape and device: two runs give the
 *  same bits. The error of a sum of floats is at most one millionth of the sum
 *  of magnitudes, whatever its length. MAX, MIN, ARGMAX and ARGMIN of an empty
 *  axis are GA_VALUE_ERROR; SUM gives 0, PROD 1, MEAN NaN.
 *
 *  For complex numbers SUM, PROD and MEAN are complex; VAR, NORM1 and NORM2, of
 *  magnitudes, are real. ANY and ALL are bool. MAX, MIN, ARGMAX and ARGMIN are
 *  GA_UNSUPPORTED_ERROR, because complex numbers have no order. A `restype` or
 *  `acc` that would drop imaginary parts is GA_VALUE_ERROR. Does not block. */
GPUARRAY_PUBLIC int GpuArray_reduction(GpuArray *dst, const GpuArray *src,
                                       ga_reduce_op op, unsigned int naxes,
                                       const unsigned int *axes, int keepdims,
                                       int acc, int restype);

/** A reduction with expressions: for each element of the iteration space, `map`
 *  computes `v` from the inputs; the v along the reduced axes are combined into
 *  `acc`; `post`, the epilogue, computes the outputs from `acc`. With `n_acc`
 *  of 2 or more it combines several values in one pass: `map` computes v0, v1,
 *  ... and `post` reads acc0, acc1, ... . Threads may share it. */
typedef struct GpuReduction GpuReduction;

#define GPUREDUCTION_MAX_ACC 4 /**< values that are combined side by side */

typedef struct GpuReductionSpec {
  ga_reduce_op op; /**< SUM ... ARGMIN, VAR */
  int acc;         /**< dtype of acc (of v for ARGMAX/ARGMIN); a complex one
                        for SUM and PROD only, a float for VAR */
  /** Statements in GE_VECTOR form or, without that flag, plain OpenCL C. They
   *  read the names of `in` and assign `v`, which is declared and has the
   *  accumulator's work type; vectors need an explicit conversion: v =
   *  w_to_double(x). Complex numbers are structs of r and i and have no
   *  vectors. NULL: v is the only input, converted. */
  const char *map;
  /** Statements that read `acc` (and `idx`, a long, for ARGMAX/ARGMIN, or
   *  `mean` and `count`, of acc's type, for VAR) and the post arguments and
   *  assign the writable ones. Scalar code; the w_ names are always defined.
   *  NULL: the only post argument is set to acc (idx). */
  const char *post;
  const char *preamble; /**< source before the kernel, or NULL */
  unsigned int n_in;
  const gpuelemwise_arg *in; /**< GE_READ, or GE_READ | GE_SCALAR */
  unsigned int n_post;
  const gpuelemwise_arg *post_args; /**< GE_READ and/or GE_WRITE, or SCALAR */
  int flags;                        /**< GE_VECTOR: map is vector-safe */
  /** Number of values that are combined, each by `op` in `acc`: 0 and 1 mean
   *  one, at most GPUREDUCTION_MAX_ACC. With 2 or more neither `map` nor `post`
   *  may be NULL, and `op` must not be ARGMAX, ARGMIN or VAR. */
  unsigned int n_acc;
} GpuReductionSpec;

/** Describe a reduction. Strings are copied; nothing is compiled yet. The
 *  caller frees *out. */
GPUARRAY_PUBLIC int GpuReduction_new(GpuReduction **out, gpucontext *ctx,
                                     const GpuReductionSpec *spec);
/** Free a reduction; accepts NULL. Its launches stay valid. */
GPUARRAY_PUBLIC void GpuReduction_free(GpuReduction *r);

/** Prepare a reduction for one geometry.
 *
 *  \param nd,dims  the iteration space, nd <= 64
 *  \param reduced  nd flags: nonzero for axes that are combined
 *  \param in       n_in pointers: GpuArray * with nd dims, each equal to
 *                  dims[i] or 1; or a value for GE_SCALAR
 *  \param post     n_post pointers: GpuArray * with nd dims, 1 on reduced axes,
 *                  dims[i] (or 1, if read only) elsewhere; or a value
 *
 *  A post argument that is written may be the same array as one that is read
 *  (same buffer, offset and strides). Other overlaps of written arrays are
 *  GA_VALUE_ERROR.
 *
 *  Slots: inputs 0 .. n_in - 1, then the post arguments. The caller frees *out.
 *  Does not block. */
GPUARRAY_PUBLIC int GpuReduction_prepare(GpuLaunch **out, GpuReduction *r,
                                         unsigned int nd, const size_t *dims,
                                         const unsigned char *reduced,
                                         void **in, void **post);

#ifdef __cplusplus
}
#endif

#endif

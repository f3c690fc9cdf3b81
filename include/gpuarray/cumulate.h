/* SPDX-License-Identifier: BSD-2-Clause */
/** \file cumulate.h
 *  Cumulations: running sums, products, extremes and the like along one axis,
 *  with an expression before and after.
 *
 *  Result i combines elements 0 to i. A row may be cut into parts whose totals
 *  are combined first. The cut depends on sizes, strides and device alone, so
 *  two runs give the same bits.
 */
#ifndef GPUARRAY_CUMULATE_H
#define GPUARRAY_CUMULATE_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How elements are combined. */
typedef enum ga_cumulate_op {
  GA_CUMULATE_EXPR = 0, /**< by the expressions of a GpuCumulationSpec */
  GA_CUMULATE_SUM,
  GA_CUMULATE_PROD,
  GA_CUMULATE_MAX,      /**< real numbers; NaN from the first NaN on */
  GA_CUMULATE_MIN,      /**< real numbers; NaN from the first NaN on */
  GA_CUMULATE_ANY,      /**< the result is bool */
  GA_CUMULATE_ALL,      /**< the result is bool */
  GA_CUMULATE_LOGADDEXP /**< log(exp(a) + exp(b)); the result is a float */
} ga_cumulate_op;

/** Flags. */
enum {
  GA_CUMULATE_EXCLUSIVE = 1, /**< result i leaves element i out; the first one
                                  is the neutral element */
  GA_CUMULATE_REVERSED = 2   /**< result i combines elements n - 1 to i */
};

/** Combine the elements of `src` along `axis` into a new array of the same
 *  sizes.
 *
 *  \param dst     initialised on success; C order; the caller clears it
 *  \param flags   GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED
 *  \param restype dtype of the result. -1: int64 or uint64 for SUM and PROD of
 *                 integers and bool, bool for ANY and ALL, else that of `src`
 *
 *  Elements are converted to the work type of the result (float for half and
 *  bfloat) and combined in it. GA_VALUE_ERROR if `op` does not have the dtype
 *  of the result: complex numbers have only SUM and PROD, bool only ANY and
 *  ALL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_cumulate(GpuArray *dst, const GpuArray *src,
                                      ga_cumulate_op op, unsigned int axis,
                                      int flags, int restype);

/** A cumulation with expressions. For each element of the space, `map` computes
 *  values from the arguments. `combine` combines the values of two neighbouring
 *  runs of elements. `post` computes results from the values of all elements so
 *  far. Threads may share a cumulation. */
typedef struct GpuCumulation GpuCumulation;

#define GPUCUMULATION_MAX_VALUES 4 /**< values that are combined together */

typedef struct GpuCumulationSpec {
  ga_cumulate_op op; /**< for one value, or GA_CUMULATE_EXPR */
  unsigned int n_values;
  /** Names and dtypes of the values; their flags are ignored. Values have the
   *  work types of their dtypes: float for half and bfloat. */
  const gpuelemwise_arg *values;
  /** Statements in GE_VECTOR form or, without that flag, plain OpenCL C.
   *  `map` reads arguments and assigns every value. NULL: argument 0,
   *  converted, is the only value. */
  const char *map;
  /** For GA_CUMULATE_EXPR; else NULL. `combine` must be associative. For each
   *  value v it reads v_a, the value of the elements before, and v_b, that of
   *  the elements after, and assigns v. `neutral` assigns the neutral element
   *  to the values: combined with it on either side, values do not change. */
  const char *combine, *neutral;
  /** Reads values and arguments, and assigns the arguments that are written.
   *  NULL: the only written argument becomes the only value. */
  const char *post;
  const char *preamble; /**< source before the kernel, or NULL */
  unsigned int n_args;
  const gpuelemwise_arg *args; /**< GE_READ and/or GE_WRITE, or GE_SCALAR */
  int flags;                   /**< GE_VECTOR: all texts are in that form */
} GpuCumulationSpec;

/** Describe a cumulation. Strings are copied; nothing is compiled yet. The
 *  caller frees *out. */
GPUARRAY_PUBLIC int GpuCumulation_new(GpuCumulation **out, gpucontext *ctx,
                                      const GpuCumulationSpec *spec);
/** Free a cumulation; accepts NULL. Its launches stay valid. */
GPUARRAY_PUBLIC void GpuCumulation_free(GpuCumulation *c);

/** Prepare a cumulation for one geometry.
 *
 *  \param nd,dims  the space, nd <= 64
 *  \param axis     the axis along which elements are combined, below nd
 *  \param flags    GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED
 *  \param args     n_args pointers: GpuArray * with nd dims, each equal to
 *                  dims[i] or, where it is only read, 1; or a value for
 *                  GE_SCALAR
 *
 *  An argument that is written may be the same array as one that is read (same
 *  buffer, offset and strides). Other overlaps of written arrays are
 *  GA_VALUE_ERROR. Slot k is argument k. The caller frees *out. Does not
 *  block. */
GPUARRAY_PUBLIC int GpuCumulation_prepare(GpuLaunch **out, GpuCumulation *c,
                                          unsigned int nd, const size_t *dims,
                                          unsigned int axis, int flags,
                                          void **args);

#ifdef __cplusplus
}
#endif

#endif

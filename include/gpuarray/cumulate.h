/* SPDX-License-Identifier: BSD-2-Clause */
/** \file cumulate.h
 *  Cumulative sums, products, extremes and the like along one axis, with an
 *  expression before and after.
 *
 *  Result i combines the elements up to and with i. Rows are cut into parts
 *  whose totals are combined first; the cut depends on sizes, strides and
 *  device alone, so two runs give the same bits.
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
  GA_CUMULATE_MAX,      /**< NaN from the first NaN on */
  GA_CUMULATE_MIN,      /**< NaN from the first NaN on */
  GA_CUMULATE_ANY,      /**< bool */
  GA_CUMULATE_ALL,      /**< bool */
  GA_CUMULATE_LOGADDEXP /**< log(exp(a) + exp(b)), floats */
} ga_cumulate_op;

/** Flags. */
enum {
  GA_CUMULATE_EXCLUSIVE = 1, /**< result i is without element i; the first is
                                  the neutral element */
  GA_CUMULATE_REVERSED = 2   /**< from the last element to the first */
};

/** Combine the elements of `src` along `axis` into a new array of its sizes.
 *
 *  \param dst     initialised on success; C order; the caller clears it
 *  \param flags   GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED
 *  \param restype dtype of the result, or -1: 64-bit integers for SUM and PROD
 *                 of integers and bool, bool for ANY and ALL, else that of
 *                 `src`
 *
 *  Elements are combined in the work type of the result: float for half.
 *  Complex numbers have SUM and PROD only. Does not block. */
GPUARRAY_PUBLIC int GpuArray_cumulate(GpuArray *dst, const GpuArray *src,
                                      ga_cumulate_op op, unsigned int axis,
                                      int flags, int restype);

/** A cumulation with expressions: for each element of the space, `map` computes
 *  values from the arguments; `combine` combines the values of neighbouring
 *  stretches; `post` computes results from the values of all elements so far.
 *  Threads may share it. */
typedef struct GpuCumulation GpuCumulation;

#define GPUCUMULATION_MAX_VALUES 4 /**< values that are combined side by side */

typedef struct GpuCumulationSpec {
  ga_cumulate_op op; /**< for one value, or GA_CUMULATE_EXPR */
  unsigned int n_values;
  /** Names and dtypes of the values; flags are not used. Values have their work
   *  types: float for half. */
  const gpuelemwise_arg *values;
  /** Statements in GE_VECTOR form or, without that flag, plain OpenCL C.
   *  `map` reads arguments and assigns every value. NULL: the only value is
   *  argument 0, converted. */
  const char *map;
  /** For GA_CUMULATE_EXPR. `combine` must be associative: for each value v it
   *  reads v_a, that of the elements before, and v_b, that of the elements
   *  after, and assigns v. `neutral` assigns every value what changes nothing,
   *  on either side. */
  const char *combine, *neutral;
  /** Reads values and arguments and assigns the arguments that are written.
   *  NULL: the only argument that is written is set to the only value. */
  const char *post;
  const char *preamble; /**< source before the kernel, or NULL */
  unsigned int n_args;
  const gpuelemwise_arg *args; /**< GE_READ and/or GE_WRITE, or GE_SCALAR */
  int flags;                   /**< GE_VECTOR: all text is vector-safe */
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
 *  GA_VALUE_ERROR. Slots are the arguments. The caller frees *out. Does not
 *  block. */
GPUARRAY_PUBLIC int GpuCumulation_prepare(GpuLaunch **out, GpuCumulation *c,
                                          unsigned int nd, const size_t *dims,
                                          unsigned int axis, int flags,
                                          void **args);

#ifdef __cplusplus
}
#endif

#endif

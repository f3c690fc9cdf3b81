/* SPDX-License-Identifier: BSD-2-Clause */
/** \file rows.h
 *  Row programs: elementwise phases with reductions between them, in one
 *  kernel. An example is softmax: the largest element of a row, the sum of
 *  exponentials, the quotient. Where a row fits into the device's fast memory,
 *  each input is read from memory once and each output written once.
 */
#ifndef GPUARRAY_ROWS_H
#define GPUARRAY_ROWS_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/reduction.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A row program. A row is what the reduced axes span for one index of the kept
 *  axes. Threads may share a row program. */
typedef struct GpuRows GpuRows;

/** One walk over a row. Both members are OpenCL C statements, in GE_VECTOR form
 *  or, without that flag, plain. */
typedef struct GpuRowsPhase {
  /** Runs once per element. It reads arguments, kept values and row values of
   *  earlier phases, and assigns what belongs to this phase: contributions to
   *  reductions, kept values, written arguments. */
  const char *map;
  /** Runs once per row, after the phase's reductions; NULL if there is nothing
   *  to do. It reads row values of this and earlier phases and row arguments,
   *  and assigns row values and written row arguments. */
  const char *post;
} GpuRowsPhase;

/** A reduction over the row. In the map that assigns it, `name` is the
 *  element's contribution; in that phase's post and in later phases it is the
 *  row's result. Both are of the accumulator's work type. */
typedef struct GpuRowsReduce {
  const char *name;
  ga_reduce_op op; /**< SUM to XOR; not ARGMAX, ARGMIN and MEAN to NORM2 */
  int acc;         /**< accumulator dtype */
} GpuRowsReduce;

/** A named value that one phase computes for later ones. */
typedef struct GpuRowsValue {
  const char *name;
  int typecode;
} GpuRowsValue;

/** All names are different. A reduction, a kept value or a written argument
 *  belongs to the first phase whose map mentions it; a row value or a written
 *  row argument to the first whose post does. */
typedef struct GpuRowsSpec {
  unsigned int n_phases; /**< 1 to GPUROWS_MAX_PHASES */
  const GpuRowsPhase *phases;
  unsigned int n_reduce;
  const GpuRowsReduce *reduce;
  /** Values per element that later phases read. Where rows are too long to keep
   *  them, they are computed again from their phase's map. */
  unsigned int n_kept;
  const GpuRowsValue *kept;
  unsigned int n_numbers; /**< row values beside the reductions' results */
  const GpuRowsValue *numbers;
  unsigned int n_args;         /**< arguments of the maps */
  const gpuelemwise_arg *args; /**< GE_READ, GE_WRITE or GE_READ | GE_SCALAR */
  unsigned int n_row_args; /**< arguments of the posts, one element per row */
  const gpuelemwise_arg *row_args; /**< flags as for args */
  int flags;                       /**< GE_VECTOR: all code is vector-safe */
} GpuRowsSpec;

#define GPUROWS_MAX_PHASES 16

/** Describe a row program. Strings are copied; nothing is compiled yet. The
 *  caller frees *out. */
GPUARRAY_PUBLIC int GpuRows_new(GpuRows **out, gpucontext *ctx,
                                const GpuRowsSpec *spec);
/** Free a row program; accepts NULL. Its launches stay valid. */
GPUARRAY_PUBLIC void GpuRows_free(GpuRows *r);

/** Prepare a row program for one geometry.
 *
 *  \param nd,dims  the iteration space, nd <= 64
 *  \param reduced  nd flags: nonzero for the axes that make a row
 *  \param args     n_args pointers: GpuArray * with nd dims, each equal to
 *                  dims[i] or, if read, 1; or a value for GE_SCALAR
 *  \param row_args n_row_args pointers: GpuArray * with nd dims, 1 on reduced
 *                  axes, dims[i] or, if read, 1 elsewhere; or a value
 *
 *  Slots: args 0 .. n_args - 1, then the row arguments.
 *
 *  An array that the last phase writes may be the same array that an argument
 *  reads (same buffer, offset, strides). Any strides work; contiguous rows are
 *  fastest. Sums have the precision of GpuArray_reduction(). Does not block.
 *
 *  GA_INVALID_ERROR for a missing operand, GA_VALUE_ERROR for shapes and dtypes
 *  that do not fit, for other overlaps of written arrays and for MAX or MIN of
 *  empty rows, GA_DEVSUP_ERROR for more arguments than the device takes. */
GPUARRAY_PUBLIC int GpuRows_prepare(GpuLaunch **out, GpuRows *r,
                                    unsigned int nd, const size_t *dims,
                                    const unsigned char *reduced, void **args,
                                    void **row_args);

/** Where an operand of a loop lies in iteration t, relative to where it is
 *  bound. */
typedef struct GpuRowsMove {
  /** Bytes from one iteration to the next; with `once`, to the last one. */
  ptrdiff_t step;
  /** Of a written operand: only the last iteration stores it. */
  int once;
  /** The state that the operand reads or writes, or -1. One row argument writes
   *  each state, one element per row, side by side, in the last phase. An
   *  operand that reads a state reads what the iteration before has written; in
   *  iteration 0, what lies there. */
  int state;
  /** Of an operand that reads a state: the bytes from the state's first element
   *  to the operand's. */
  size_t at;
} GpuRowsMove;

/** Prepare a row program that runs n times, n >= 1, in one kernel: its groups
 *  wait for each other's results. The other arguments are those of
 *  GpuRows_prepare.
 *
 *  \param moves  one for each operand: the args, then the row args. Those of
 *                scalars are ignored.
 *
 *  *out is NULL, and nothing fails, where this is not possible: on devices
 *  whose groups cannot wait for each other (gpudevice_caps.chains) or that have
 *  no 64-bit atomics; if an argument of the maps is written, or a phase has no
 *  reduction; if no argument reads a whole state in each row; for states of
 *  other dtypes than 4-byte numbers; on GPUs for rows of so few elements that
 *  one work-item reads them; for rows of so many that they are cut into parts;
 *  and for more arguments than the device takes. */
GPUARRAY_PUBLIC int GpuRows_prepare_loop(GpuLaunch **out, GpuRows *r,
                                         unsigned int nd, const size_t *dims,
                                         const unsigned char *reduced,
                                         void **args, void **row_args, size_t n,
                                         unsigned int n_states,
                                         const GpuRowsMove *moves);

#ifdef __cplusplus
}
#endif

#endif

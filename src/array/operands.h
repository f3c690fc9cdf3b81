/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands of every family of kernels: their descriptions, the arrays and
 * scalars given for them, and how they move in an iteration space.
 *
 * Each check has one code and one message, which begins with the operand's
 * name: GA_INVALID_ERROR for what is missing, GA_UNSUPPORTED_ERROR for a dtype
 * that no kernel has, GA_UNALIGNED_ERROR, GA_READONLY_ERROR, and GA_VALUE_ERROR
 * for another dtype, context, rank or size than expected and for overlaps. */
#ifndef ARRAY_OPERANDS_H
#define ARRAY_OPERANDS_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>

#include "base/err.h"

/* --- descriptions --- */

/* Names, dtypes that the device has, and flags that can be meant. */
int ga__args_check(gpucontext *ctx, unsigned int n,
                   const gpuelemwise_arg *args);
/* The same, and each is read, written or a scalar. */
int ga__args_check_used(gpucontext *ctx, unsigned int n,
                        const gpuelemwise_arg *args);
/* Copy into `to`, zeroed, with names of their own and canonical dtypes. Clear
 * it in any case. */
int ga__args_copy(gpuelemwise_arg *to, unsigned int n,
                  const gpuelemwise_arg *args);
void ga__args_clear(gpuelemwise_arg *args, unsigned int n);

static inline int ga__arg_is_scalar(const gpuelemwise_arg *a) {
  return (a->flags & GE_SCALAR) != 0;
}

static inline int ga__arg_is_written(const gpuelemwise_arg *a) {
  return (a->flags & GE_WRITE) != 0;
}

/* --- values --- */

/* Any dtype that kernels have. */
enum { GA_OPERAND_ANY = -1 };

/* An aligned array of that context and dtype. */
int ga__operand_check_array(const char *name, const GpuArray *a,
                            gpucontext *ctx, int typecode);
/* The same, and it can be written. */
int ga__operand_check_result(const char *name, const GpuArray *a,
                             gpucontext *ctx, int typecode);
int ga__operand_check_aligned(const char *name, const GpuArray *a);
/* The value given for an argument: an array, a scalar, a state of Philox. */
int ga__operand_check(const gpuelemwise_arg *arg, const void *value,
                      gpucontext *ctx);

/* --- in a space --- */

/* What an operand may have instead of the sizes of its space. */
enum {
  GA_MAY_REPEAT = 1, /* 1 where it stays in its place */
  GA_MAY_PAD = 2     /* fewer dimensions; leading ones are missing */
};

/* Check the array's sizes against those of a space, and give its stride in each
 * dimension: 0 where it has one element. `strides` may be NULL. */
int ga__operand_place(ptrdiff_t *strides, const char *name, const GpuArray *a,
                      unsigned int nd, const size_t *dims, int may);

/* GA_VALUE_ERROR when a result overlaps what is read, which has the name
 * `other`. */
int ga__operand_check_apart(const char *name, const GpuArray *result,
                            const char *other, const GpuArray *read);

/* The same for all results of an expression, which may each be the very array
 * that is read. */
int ga__operands_check_apart(unsigned int n, const gpuelemwise_arg *args,
                             void *const *values);

#endif

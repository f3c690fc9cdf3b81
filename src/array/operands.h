/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands of all kernel families: their descriptions, the arrays and scalars
 * that are passed for them, and their strides in an iteration space.
 *
 * Each check has one code and one message, which begins with the operand's
 * name: GA_INVALID_ERROR for a missing array or scalar, GA_UNSUPPORTED_ERROR
 * for a dtype that no kernel has, GA_UNALIGNED_ERROR, GA_READONLY_ERROR, and
 * GA_VALUE_ERROR for another dtype, context, rank or size than expected and for
 * overlaps. */
#ifndef ARRAY_OPERANDS_H
#define ARRAY_OPERANDS_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>

#include "base/err.h"
#include "base/sha256.h"

/* --- descriptions --- */

/* Check names, dtypes (which the device must have) and combinations of
 * flags. */
int ga__args_check(gpucontext *ctx, unsigned int n,
                   const gpuelemwise_arg *args);
/* The same, and check that each argument is read, written or a scalar. */
int ga__args_check_used(gpucontext *ctx, unsigned int n,
                        const gpuelemwise_arg *args);
/* Add what code depends on: names, dtypes and flags. */
void ga__args_hash(ga__sha256 *h, unsigned int n, const gpuelemwise_arg *args);
/* Copy into `to`, which is zeroed, with names of its own and canonical dtypes.
 * Clear it in any case, also after a failure. */
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

/* A typecode for any dtype that kernels have. */
enum { GA_OPERAND_ANY = -1 };

/* Check that `a` is an aligned array of this context and dtype. */
int ga__operand_check_array(const char *name, const GpuArray *a,
                            gpucontext *ctx, int typecode);
/* The same, and check that `a` is writeable. */
int ga__operand_check_result(const char *name, const GpuArray *a,
                             gpucontext *ctx, int typecode);
int ga__operand_check_aligned(const char *name, const GpuArray *a);
/* Check that no stride of 0 gives elements of a result one place. */
int ga__operand_check_places(const char *name, const GpuArray *a);
/* Check what is passed for an argument: an array, a pointer to a scalar, or a
 * Philox state. */
int ga__operand_check(const gpuelemwise_arg *arg, const void *value,
                      gpucontext *ctx);

/* --- in a space --- */

/* How the sizes of an operand may differ from those of its space. */
enum {
  GA_MAY_REPEAT = 1, /* size 1 where the space has more; the stride is 0 */
  GA_MAY_PAD = 2     /* fewer dimensions; leading ones count as 1 */
};

/* Check the array's sizes against those of a space, and set its stride in each
 * dimension, in bytes: 0 where the array has size 1. `strides` may be NULL. */
int ga__operand_place(ptrdiff_t *strides, const char *name, const GpuArray *a,
                      unsigned int nd, const size_t *dims, int may);

/* GA_VALUE_ERROR when a result overlaps the array `read`, which messages call
 * `other`. */
int ga__operand_check_apart(const char *name, const GpuArray *result,
                            const char *other, const GpuArray *read);

/* The same for all results of an expression. A result may be the same array as
 * one that is read. */
int ga__operands_check_apart(unsigned int n, const gpuelemwise_arg *args,
                             void *const *values);

#endif

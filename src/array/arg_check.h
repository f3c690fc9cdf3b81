/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arrays that are arguments of calls, by the names they have there.
 * The messages hold the values. */
#ifndef ARRAY_ARG_CHECK_H
#define ARRAY_ARG_CHECK_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>

/* GA_UNALIGNED_ERROR when the elements are not aligned for their type. */
int ga__arg_check_aligned(const char *name, const GpuArray *a);

/* An array for an argument of an expression of that context: of its dtype,
 * aligned, and writeable if it is written. Sizes are not looked at. */
int ga__arg_check_array(gpucontext *ctx, const gpuelemwise_arg *arg,
                        const GpuArray *a);

/* Its sizes: those of the space, 1 where `gone` (NULL: nowhere) says that an
 * axis is reduced; what is only read may have 1 anywhere. */
int ga__arg_check_sizes(const gpuelemwise_arg *arg, const GpuArray *a,
                        unsigned int nd, const size_t *dims,
                        const unsigned char *gone);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the files of elementwise expressions share. */
#ifndef ARRAY_ELEMWISE_PARTS_H
#define ARRAY_ELEMWISE_PARTS_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>

#include "layout/elemwise_layout.h"
#include "layout/space.h"

/* GpuElemwise_new() with an error code. The caller frees *out. */
int ga__elemwise_new(GpuElemwise **out, gpucontext *ctx, const char *preamble,
                     const char *expr, unsigned int n,
                     const gpuelemwise_arg *args, int flags);

/* Compute an expression of vectors, or of complex numbers as structs of r and
 * i; the first argument is an array. */
int ga__elemwise_map(const char *expr, unsigned int n,
                     const gpuelemwise_arg *args, void **values);

/* Release the object's reference to its context. An object that the context
 * owns would otherwise keep the context alive. */
void ga__elemwise_weaken(GpuElemwise *ge);

/* The properties of the device that layouts depend on. */
ga__target ga__elemwise_target(gpucontext *ctx);

/* Check arguments and shapes by the rules of GpuElemwise_call(), and describe
 * the iteration space of the arrays. Clear `it` in any case, also after a
 * failure. */
int ga__elemwise_space(ga__iter *it, gpucontext *ctx, unsigned int n,
                       const gpuelemwise_arg *args, void *const *values,
                       int flags);

#endif

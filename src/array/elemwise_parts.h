/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files around elementwise expressions share. */
#ifndef ARRAY_ELEMWISE_PARTS_H
#define ARRAY_ELEMWISE_PARTS_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>

#include "layout/elemwise_layout.h"
#include "layout/space.h"

/* GpuElemwise_new() with a code. */
int ga__elemwise_new(GpuElemwise **out, gpucontext *ctx, const char *preamble,
                     const char *expr, unsigned int n,
                     const gpuelemwise_arg *args, int flags);

/* Let a new object no longer keep its context alive, because the context keeps
 * the object. */
void ga__elemwise_weaken(GpuElemwise *ge);

/* What kernels are laid out by. */
ga__target ga__elemwise_target(gpucontext *ctx);

/* Check arguments and shapes by the rules of GpuElemwise_call(), and describe
 * the space that the arrays span (elemwise_space.c). Clear `it` in any case. */
int ga__elemwise_space(ga__iter *it, gpucontext *ctx, unsigned int n,
                       const gpuelemwise_arg *args, void *const *values,
                       int flags);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of `size` bytes, floats or doubles, on which LAPACK works. */
#ifndef FACTOR_LAPACK_ELEMENTS_H
#define FACTOR_LAPACK_ELEMENTS_H

#include "factor/factor.h"
#include "ocl/launch/launch_native.h"

/* Nonzero if n elements are finite. */
int ga__lapack_is_finite(const void *a, size_t n, size_t size);
void ga__lapack_fill_nan(void *a, size_t n, size_t size);

/* A block as an operand of a native kernel. */
static inline ga__native_operand ga__lapack_operand(const ga__block *b) {
  return (ga__native_operand){.slot = b->slot, .rel = b->rel};
}

#endif

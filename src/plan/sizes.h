/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of all values for one call, and the scalars that follow from them. */
#ifndef PLAN_SIZES_H
#define PLAN_SIZES_H

#include "fuse/program.h"

typedef struct gg__sizes {
  gg_dims *dims;  /* by value */
  double *scalar; /* by value; only set for uniform ones */
} gg__sizes;

/* Find all sizes for these arguments. GA_VALUE_ERROR if some clash, with their
 * variables in the message. May block for scalars in arguments. */
int gg__sizes_init(gg__sizes *s, const gg__program *p, GpuArray *const *in);

static inline void gg__sizes_clear(gg__sizes *s) {
  ga__free(s->dims);
  ga__free(s->scalar);
  s->dims = NULL;
  s->scalar = NULL;
}

/* Read the scalar in an argument that sizes depend on; blocks. */
int gg__read_scalar(const gg__value *v, GpuArray *const *in, double *scalar);

#endif

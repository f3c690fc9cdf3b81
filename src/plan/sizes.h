/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of all values for one call, and the scalars that follow from them. */
#ifndef PLAN_SIZES_H
#define PLAN_SIZES_H

#include <string.h>

#include "base/arena.h"
#include "fuse/program.h"

typedef struct gg__operands gg__operands; /* find_sizes.c */

typedef struct gg__sizes {
  gg_dims *dims;  /* by value */
  double *scalar; /* by value; only set for uniform ones */
  gg__operands *operands;
  ga__arena memory; /* which holds these */
} gg__sizes;

/* Find all sizes for these arguments. *s is zeroed, or has other sizes of this
 * program, whose memory is used again. GA_VALUE_ERROR if some clash, with their
 * variables in the message. May block for scalars in arguments. */
int gg__sizes_init(gg__sizes *s, const gg__program *p, GpuArray *const *in);
/* The same with what gg__read_scalars gave for these arguments, which are not
 * read again, except for sizes inside of loops and choices. */
int gg__sizes_for(gg__sizes *s, const gg__program *p, GpuArray *const *in,
                  const void *scalars);

static inline void gg__sizes_clear(gg__sizes *s) {
  ga__arena_clear(&s->memory);
  s->dims = NULL;
  s->scalar = NULL;
  s->operands = NULL;
}

/* The scalar of value v, or NULL if the host does not know it. */
static inline const double *
gg__scalar_of(const gg__sizes *s, const gg__program *p, unsigned int v) {
  return p->values.v[v].uniform ? &s->scalar[v] : NULL;
}

static inline int gg__has_dims(const GpuArray *a, const gg_dims *d) {
  return a->nd == d->nd &&
         (d->nd == 0 ||
          memcmp(a->dimensions, d->dim, d->nd * sizeof d->dim[0]) == 0);
}

/* Write the strides, in bytes, of an array in C order. */
static inline void gg__fill_strides(ssize_t *strides, unsigned int nd,
                                    const size_t *dims, size_t item_bytes) {
  ssize_t step = (ssize_t)item_bytes;

  for (unsigned int i = nd; i-- > 0;) {
    strides[i] = step;
    step *= (ssize_t)dims[i];
  }
}

/* How often the host has waited for an argument, and how long. */
typedef struct gg__waited {
  uint64_t calls;
  double seconds;
} gg__waited;

/* Read the scalars in arguments that sizes depend on. `out`: one double for
 * each of p->scalars, not necessarily aligned. Blocks, and adds the times to
 * `waited`, by argument, if that is not NULL. GA_VALUE_ERROR: an argument has
 * no memory yet, or an index is out of range. */
int gg__read_scalars(const gg__program *p, GpuArray *const *in, void *out,
                     gg__waited *waited);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A launch of pooling or resizing while it is prepared. */
#ifndef POOLING_POOLING_JOB_H
#define POOLING_POOLING_JOB_H

#include "base/dtype.h"
#include "codegen/gen_expr.h"
#include "codegen/gen_pooling.h"
#include "layout/space.h"
#include "pooling/band.h"

/* Slots of a launch. Those of the maps follow. */
enum { GA_POOLING_X, GA_POOLING_INDEX, GA_POOLING_Y, GA_POOLING_SLOTS };

/* An array or a scalar: of the source and what a map in front reads, of
 * indices, or of the results and what a map behind reads. */
typedef struct ga__pool_operand {
  const GpuArray *array; /* NULL: a scalar, or not given */
  const void *value;     /* of a scalar */
  unsigned int slot;
  int at_result; /* it has the sizes of the result */
  /* Strides in bytes along the axes with windows, the last axis first; 0 where
   * the array has size 1. */
  ptrdiff_t by[GA_POOLING_ND];
} ga__pool_operand;

typedef struct ga__pooling {
  const GpuArray *x; /* its dtype and sizes are those of what is pooled */
  GpuArray *index;   /* or NULL */
  /* What is read in front: the first n_in; then the indices; then what is
   * behind. Owned. */
  ga__pool_operand *operands;
  unsigned int n, n_in;
  ga__gen_pooling_maps maps;           /* its lists are owned */
  ga__expr front, behind;              /* its expressions; owned */
  const struct GpuEpilogueText *known; /* of `behind`, or NULL; borrowed */
  GpuBand bands[GA_POOLING_ND]; /* one for each axis with windows; borrowed */
  GpuBand joined;               /* of several axes; owned */
  gpucontext *ctx;
  ga_pool_op op;
  ga__gen_pooling gen;
  ga__iter batch; /* the other axes */
  /* Sizes of the result and the source along the axes with windows, the last
   * axis first. */
  size_t sizes[GA_POOLING_ND], m[GA_POOLING_ND];
  /* Units of work, and those of a work-item; elements of a strip, strips of a
   * row; iterations of a work-item. */
  size_t units, per, strip, strips, rounds;
  size_t digit[GA_POOLING_DIGITS]; /* how many there are of each digit */
  int n_digits;
  int32_t *spans; /* owned */
  void *weights;  /* owned; in the work type */
  size_t n_spans, n_weights;
} ga__pooling;

/* What a caller gives: a result, or an epilogue with its arguments. */
typedef struct ga__pool_given {
  unsigned int n;
  const GpuBand *bands;
  GpuArray *x, *index, *y;
  const GpuEpilogue *e;
  void **args;
} ga__pool_given;

/* The array that decides the order of the batch: a result. */
static inline unsigned int ga__pooling_lead(const ga__pooling *j) {
  unsigned int k = j->n;

  while (k-- > 0)
    if (j->operands[k].array != NULL && (j->maps.args[k].flags & GE_WRITE) != 0)
      return k;
  return 0;
}

/* Nonzero for what maps read besides a source and a result of the same size:
 * it may be repeated. */
static inline int ga__pooling_is_extra(const ga__pooling *j, unsigned int k) {
  return k != j->n_in && (j->maps.args[k].flags & GE_WRITE) == 0;
}

/* Bytes of an element of an array, and of one in the work type. */
static inline size_t ga__pooling_size(const ga__pooling *j, unsigned int k) {
  return ga__dtype_size(j->maps.args[k].typecode);
}

static inline size_t ga__pooling_work_size(const ga__pooling *j) {
  return ga__dtype_size(ga__dtype_work(j->x->typecode));
}

/* Band of axis d, counted from the last one. */
static inline const GpuBand *ga__pooling_band(const ga__pooling *j,
                                              unsigned int d) {
  return &j->bands[(unsigned int)j->gen.nw - 1 - d];
}

#endif

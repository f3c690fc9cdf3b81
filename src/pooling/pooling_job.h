/* SPDX-License-Identifier: BSD-2-Clause */
/* A launch of pooling or resizing while it is prepared. */
#ifndef POOLING_POOLING_JOB_H
#define POOLING_POOLING_JOB_H

#include "base/dtype.h"
#include "codegen/gen_pooling.h"
#include "layout/space.h"
#include "pooling/band.h"

enum { GA_POOLING_X, GA_POOLING_INDEX, GA_POOLING_Y, GA_POOLING_SLOTS };

typedef struct ga__pooling {
  GpuArray *array[GA_POOLING_SLOTS]; /* INDEX and Y may be NULL */
  const GpuBand *bands;              /* one for each axis with windows */
  gpucontext *ctx;
  ga_pool_op op;
  ga__gen_pooling gen;
  ga__iter batch; /* the other axes */
  /* Sizes of the result and the source and strides in bytes along the axes with
   * windows, the last axis first. */
  size_t n[GA_POOLING_ND], m[GA_POOLING_ND];
  ptrdiff_t by[GA_POOLING_SLOTS][GA_POOLING_ND];
  /* Units of work, and those of a work-item; elements of a strip, strips of a
   * row; iterations of a work-item. */
  size_t units, per, strip, strips, rounds;
  size_t digit[GA_POOLING_DIGITS]; /* how many there are of each digit */
  int n_digits;
  int32_t *spans; /* owned */
  void *weights;  /* owned; in the work type */
  size_t n_spans, n_weights;
} ga__pooling;

static inline int ga__pooling_is_result(const ga__pooling *j, int k) {
  return k == GA_POOLING_Y ||
         (k == GA_POOLING_INDEX && j->op == GA_POOLING_MAX);
}

/* The array that decides the order of the batch: a result. */
static inline unsigned int ga__pooling_lead(const ga__pooling *j) {
  return j->array[GA_POOLING_Y] != NULL ? GA_POOLING_Y : GA_POOLING_INDEX;
}

/* Bytes of an element of an array, and of one in the work type. */
static inline size_t ga__pooling_size(const ga__pooling *j, unsigned int k) {
  return k == GA_POOLING_INDEX
             ? sizeof(int64_t)
             : ga__dtype_size(j->array[GA_POOLING_X]->typecode);
}

static inline size_t ga__pooling_work_size(const ga__pooling *j) {
  return ga__dtype_size(ga__dtype_work(j->array[GA_POOLING_X]->typecode));
}

/* Band of axis d, counted from the last one. */
static inline const GpuBand *ga__pooling_band(const ga__pooling *j,
                                              unsigned int d) {
  return &j->bands[(unsigned int)j->gen.nw - 1 - d];
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How a reduction is laid over a device: its axes in two groups, kept and
 * reduced, and the shape of the kernel launches. Plain arithmetic, no device
 * calls. */
#ifndef REDUCE_REDUCE_PLAN_H
#define REDUCE_REDUCE_PLAN_H

#include <gpuarray/device.h>

#include "codegen/gen_index.h"
#include "codegen/gen_reduce.h"

/* The iteration space of one reduction: the kept and the reduced dimensions,
 * walked for all operands, which are the inputs and then the post arguments.
 * Scalars do not move. The reduced dimensions have one array more: the steps
 * of the position that ARGMAX reports. */
typedef struct ga__space {
  unsigned int n_in, n_ops;
  const size_t *elsize; /* bytes per operand, 0 for scalars; borrowed */
  ga__iter kept, red;
  size_t n_out, n_red; /* elements of the two */
  unsigned int lead;   /* the input that decides on the order */
  int in_order;        /* the position is the number of the element */
} ga__space;

/* Bring the dimensions into the order of memory and merge what can be merged;
 * fills in what follows red. */
void ga__space_fold(ga__space *s);

/* How operand k moves along the inner dimension of `it`, kept or red. */
ga__lane_step ga__space_lane_step(const ga__space *s, const ga__iter *it,
                                  unsigned int k);

/* The shape of the launches. `chunk` elements of the reduced space belong to
 * one of `parts` parts; with more than one part a final launch follows. */
typedef struct ga__reduce_plan {
  ga__reduce_shape main, final;
  size_t parts, chunk;
  size_t rows, final_rows; /* outputs or units per work-item */
  size_t gs[2], ls[2];     /* work-items of the main launch */
  size_t final_gs, final_ls;
} ga__reduce_plan;

/* What the choice depends on besides the space. */
typedef struct ga__reduce_work {
  size_t acc_bytes;
  unsigned int n_acc;
  int lanes_ok; /* map is in GE_VECTOR form */
  int is_arg, is_moments;
  int is_heavy; /* map costs more than loading its inputs */
} ga__reduce_work;

/* Choose for a space with at least one output. */
void ga__reduce_plan_make(ga__reduce_plan *p, const ga__space *s,
                          const gpudevice_caps *caps,
                          const ga__reduce_work *work);

#endif

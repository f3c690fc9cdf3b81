/* SPDX-License-Identifier: BSD-2-Clause */
/* What a work-item of a GPU computes: blocks of rows and columns. */
#ifndef POOLING_POOLING_BLOCK_H
#define POOLING_POOLING_BLOCK_H

#include <gpuarray/device.h>

#include "pooling/pooling_job.h"

/* Bytes that a GPU's work-item reads or stores at once. */
enum { GA_POOLING_VECTOR_BYTES = 16 };

/* Elements of the result, along axis d, that a work-item computes. */
static inline size_t ga__pooling_block(const ga__pooling *j, int d) {
  return j->gen.block[d].size > 0 ? (size_t)j->gen.block[d].size : 1;
}

/* Nonzero if vectors along dimension 0 of the batch are aligned in all
 * arrays. */
int ga__pooling_is_aligned(const ga__pooling *j, size_t lanes);
/* Choose blocks. Lanes and rounds are known. */
void ga__pooling_choose_blocks(ga__pooling *j, const gpudevice_caps *caps);
/* Set how lanes of the arguments of maps lie in memory. */
void ga__pooling_find_steps(ga__pooling *j);
/* Elements of array k whose address must be a multiple of their size. */
size_t ga__pooling_aligned_lanes(const ga__pooling *j, unsigned int k);

#endif

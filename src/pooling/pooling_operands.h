/* SPDX-License-Identifier: BSD-2-Clause */
/* The operands of a launch of pooling or resizing, and its maps. */
#ifndef POOLING_POOLING_OPERANDS_H
#define POOLING_POOLING_OPERANDS_H

#include "pooling/pooling_job.h"

/* Arguments of the maps, or 0. */
unsigned int ga__pooling_count(const ga__pool_given *g);
/* List the operands, and read the maps. Clear the job in any case. */
int ga__pooling_list(ga__pooling *j, const ga__pool_given *g);
/* Join neighbouring axes whose windows are their own elements, where no array
 * has a gap between them. */
int ga__pooling_join_axes(ga__pooling *j);
/* Free what the job owns. */
void ga__pooling_clear(ga__pooling *j);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the operands of pooling and resizing. */
#ifndef POOLING_POOLING_CHECK_H
#define POOLING_POOLING_CHECK_H

#include "pooling/pooling_job.h"

/* Check what a caller gives, and set the job's operands, its maps, bands and
 * context. */
int ga__pooling_check(ga__pooling *j, const ga__pool_given *g);

#endif

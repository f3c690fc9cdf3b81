/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the operands of pooling and resizing. */
#ifndef POOLING_POOLING_CHECK_H
#define POOLING_POOLING_CHECK_H

#include "pooling/pooling_job.h"

/* Check the operands, of windows along n axes. Sets ctx and gen.nw. */
int ga__pooling_check(ga__pooling *j, unsigned int n);

#endif

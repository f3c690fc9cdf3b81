/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel of a launch of pooling or resizing, and the cut of its work. */
#ifndef POOLING_POOLING_LAYOUT_H
#define POOLING_POOLING_LAYOUT_H

#include "pooling/pooling_job.h"

/* Choose the kernel, and set `gen` and what follows `by` except for spans and
 * weights. There is at least one element. */
void ga__pooling_lay_out(ga__pooling *j);
/* The positions of the source that the windows from `o` to `end` have: from
 * *from up to, not including, *to. */
void ga__pooling_strip(const GpuBand *b, size_t o, size_t end, int32_t *from,
                       int32_t *to);

#endif

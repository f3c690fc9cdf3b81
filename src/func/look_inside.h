/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes inside of loops and choices. */
#ifndef FUNC_LOOK_INSIDE_H
#define FUNC_LOOK_INSIDE_H

#include "rewrite/compiling.h"

/* Must a loop or a choice be a stage, because sizes inside follow from what it
 * computes, or because those of a state change? Else needs[i] becomes 1 if
 * sizes inside follow from input i, an integer scalar; it is 0 before. */
int gg__look_inside(const gg__build *b, const gg_apply *a, unsigned char *needs,
                    int *is_stage);

#endif

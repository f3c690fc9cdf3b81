/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that stand for a value of a run of elements in formulas. */
#ifndef OPS_ORDER_RUN_VALUE_H
#define OPS_ORDER_RUN_VALUE_H

#include "ops/ops.h"

/* Set *out to the type of input 0, with unknown sizes from the other ones of
 * the first n inputs. Sizes that differ are an error. */
int gg__merge_sizes(const gg_apply *a, unsigned int n, gg_type *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations and recurrences on the host. */
#ifndef OPS_ORDER_RUNNING_HOST_H
#define OPS_ORDER_RUNNING_HOST_H

#include <gpuarray/cumulate.h>

#include "ops/ops.h"

/* The operation of a node of cumulate. */
static inline ga_cumulate_op gg__cumulate_op(const gg__cumulate_props *p) {
  return (ga_cumulate_op)(p->kind + 1);
}

/* `reference` of cumulate, which has one input, and of recurrence, which has
 * two. */
int gg__cumulate_reference(const gg_prepare *p);

#endif

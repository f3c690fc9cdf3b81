/* SPDX-License-Identifier: BSD-2-Clause */
/* What the nodes of cumulations share. */
#ifndef OPS_ORDER_RUNNING_H
#define OPS_ORDER_RUNNING_H

#include <gpuarray/cumulate.h>
#include <gpugraph/op.h>
#include <gpugraph/save.h>

#include "ops/ops.h"

int gg__cumulate_flags(const gg__cumulate_props *p);
/* Fails, with an error of `op`, if flags are not known. */
int gg__cumulate_check_flags(const gg_op *op, unsigned int n, gg_var *const *in,
                             int flags);
/* The node of gg_recurrence, for a and b of one shape and dtype. */
gg_var *gg__recurrence(gg_var *a, gg_var *b, unsigned int axis, int flags);
/* Prepare `spec`, whose first n_read arguments are the first inputs of `p`,
 * with their numbers as slots. The others are in `rest`. */
int gg__cumulate_prepare(const gg_prepare *p, const GpuCumulationSpec *spec,
                         unsigned int n_read, void *const *rest,
                         GpuLaunch **out, int *slot_in);

/* `grad` and `no_grad` of cumulate_by. */
int gg__combined_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin);
const char *gg__combined_no_grad(const gg_apply *a, unsigned int in);

/* The fields of axis and flags, of which gg__cumulate_props begins. */
#define GG_CUMULATE_PLACE                                                      \
  {GG_FIELD("axis", UINT, gg__cumulate_props, axis)},                          \
      {GG_FIELD("exclusive", FLAG, gg__cumulate_props, exclusive),             \
       .optional = 1},                                                         \
  {                                                                            \
    GG_FIELD("reversed", FLAG, gg__cumulate_props, reversed), .optional = 1    \
  }

#endif

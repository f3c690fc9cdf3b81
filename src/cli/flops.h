/* SPDX-License-Identifier: BSD-2-Clause */
/* How much arithmetic one node takes. */
#ifndef CLI_FLOPS_H
#define CLI_FLOPS_H

#include <gpugraph/op.h>

/* FLOPs of a node whose sizes are all known; -1: they are not counted. */
double cli_flops(const gg_apply *a);
/* Elements of a variable; -1 if a size is not known. */
double cli_elements(const gg_var *v);

#endif

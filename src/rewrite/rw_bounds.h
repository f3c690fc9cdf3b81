/* SPDX-License-Identifier: BSD-2-Clause */
/* Indices that kernels check. */
#ifndef REWRITE_RW_BOUNDS_H
#define REWRITE_RW_BOUNDS_H

#include "rewrite/rule.h"

/* The same macro with its indices checked by a kernel, or `a` if it has none.
 * Failures stick to the graph. */
gg_apply *gg__with_index_guard(gg_apply *a);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking indices in kernels. */
#ifndef REWRITE_RW_BOUNDS_H
#define REWRITE_RW_BOUNDS_H

#include "rewrite/rule.h"

/* Nonzero if a kernel uses the indices of `a`, and none checks them. */
int gg__lacks_index_guard(const gg_apply *a);
/* `a` with a kernel that checks its indices; `a` itself if it has none to
 * check. Failures stick to the graph. */
gg_apply *gg__with_index_guard(gg_apply *a);

#endif

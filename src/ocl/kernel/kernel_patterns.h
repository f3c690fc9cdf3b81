/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns: of each kernel with a key, a copy that launches copy in turn. So a
 * kernel's source is written once, however many steps have it. The context
 * keeps as many as programs, those that were used last. */
#ifndef OCL_KERNEL_KERNEL_PATTERNS_H
#define OCL_KERNEL_KERNEL_PATTERNS_H

#include "ocl/launch/launch_step.h"

/* Store the kernel of a step with a key, and empty the step, also after a
 * failure. Lock held. */
int ga__pattern_put(gpucontext *ctx, ga__step *s);
/* The kernel with this key, or NULL. Borrowed until the lock is released. Lock
 * held. */
const ga__step *ga__pattern_get(gpucontext *ctx, const ga__launch_key *key);
void ga__patterns_clear(gpucontext *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Spare kernels: what a renewed launch did not take over from the older one
 * waits here, by the key of its source, until another launch wants it. Sizes
 * that go back and forth between two layouts so make kernels only once. */
#ifndef OCL_KERNEL_SPARE_KERNELS_H
#define OCL_KERNEL_SPARE_KERNELS_H

#include "ocl/launch/launch_step.h"

/* Store the kernel of a step with a key, in place of the oldest one if there is
 * no room, and empty the step. Other steps are cleared. Lock held. */
void ga__spare_put(gpucontext *ctx, ga__step *s);
/* Move a kernel with this key to *s. Its arguments count as unknown. Returns 0
 * if there is none. Lock held. */
int ga__spare_take(gpucontext *ctx, const ga__launch_key *key, ga__step *s);
void ga__spares_clear(gpucontext *ctx);

#endif

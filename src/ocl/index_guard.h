/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that report indices out of range, and who listens. The lock is held
 * for all but the first. */
#ifndef OCL_INDEX_GUARD_H
#define OCL_INDEX_GUARD_H

#include <gpuarray/buffer.h>
#include <stdint.h>

#include "ocl/clerror.h"

/* How a launch indexes, for the words of a report. */
typedef struct ga__indexing {
  unsigned int axis;
  int is_unsigned; /* the indices, which are reported as ulong then */
  int has_gaps;    /* the kernel's positions are not those in C order */
} ga__indexing;

/* Whether contexts guard indices from the start. */
int ga__index_guard_default(void);
/* The buffer for reports, and the id of those who report with these words;
 * `site` may be NULL. */
int ga__index_guard_user(gpucontext *ctx, const ga__indexing *x,
                         const char *label, const char *site, cl_mem *mem,
                         uint32_t *id);
/* A launch that may report has been enqueued. */
void ga__index_guard_expect(gpucontext *ctx);
/* After a wait that gave `err`: what has been reported since the last look, as
 * an error. Blocks only after such launches. */
int ga__index_guard_check(gpucontext *ctx, int err);
void ga__index_guard_clear(gpucontext *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The index guard of a context: kernels report indices out of range and edges
 * that decrease, and waits turn the reports into errors. The lock is held for
 * all but the first function. */
#ifndef OCL_MEMORY_INDEX_GUARD_H
#define OCL_MEMORY_INDEX_GUARD_H

#include <gpuarray/buffer.h>
#include <stdint.h>

#include "ocl/clerror.h"

/* How a launch indexes, for the message. */
typedef struct ga__indexing {
  unsigned int axis;
  int is_unsigned; /* the kernel reports its indices as ulong */
  int has_gaps;    /* positions in the report are not those in C order */
  int is_order;    /* no indices: the kernel does nothing but report edges of
                      `dtype` that decrease; `index` and `size` are the edge and
                      the one before it */
  int dtype;
} ga__indexing;

/* Nonzero if new contexts guard indices. */
int ga__index_guard_default(void);
/* The buffer for reports (borrowed from the context), and the id by which
 * kernels with this indexing, label and site report. `site` may be NULL. */
int ga__index_guard_user(gpucontext *ctx, const ga__indexing *x,
                         const char *label, const char *site, cl_mem *mem,
                         uint32_t *id);
/* Note that a launch that may report is being enqueued. */
void ga__index_guard_expect(gpucontext *ctx);
/* After a wait that returned `err`: GA_VALUE_ERROR if a kernel has reported
 * since the last check, else `err`. Blocks only if such launches were enqueued
 * since then. */
int ga__index_guard_check(gpucontext *ctx, int err);
void ga__index_guard_clear(gpucontext *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file timeline.h
 *  A timeline of what a process does: kernels, calls, waits, and spans of a
 *  program's own, in the trace event format, which Perfetto (ui.perfetto.dev)
 *  and browsers' profilers read.
 *
 *      gg_func_profile(f, 1);             // kernels of measured functions
 *      gpuarray_timeline_start(0);
 *      ...
 *      gpuarray_timeline_write(file);     // ends it
 *
 *  There is one timeline in a process. Any thread may call these functions.
 */
#ifndef GPUARRAY_TIMELINE_H
#define GPUARRAY_TIMELINE_H

#include <gpuarray/config.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Begin to record at most so many spans; 0: 1,000,000. Later ones are counted,
 *  not recorded. Device time is recorded in contexts that are profiled
 *  (gpucontext_profile, gg_func_profile). GA_VALUE_ERROR while one is
 *  recorded. */
GPUARRAY_PUBLIC int gpuarray_timeline_start(size_t most);
/** Nonzero while one is recorded. */
GPUARRAY_PUBLIC int gpuarray_timeline_is_on(void);
/** Nanoseconds of the timeline's clock; 0 while none is recorded. */
GPUARRAY_PUBLIC uint64_t gpuarray_timeline_now(void);
/** Add a span of the calling thread that ends now. Names are copied, up to 63
 *  bytes; `kind` groups spans and has up to 15 bytes. Does nothing while none
 *  is recorded, or if `begin` is 0:
 *
 *      const uint64_t begin = gpuarray_timeline_now();
 *      read_records();
 *      gpuarray_timeline_add("records", "host", begin); */
GPUARRAY_PUBLIC void gpuarray_timeline_add(const char *name, const char *kind,
                                           uint64_t begin);
/** Name the calling thread in the timeline that is being recorded. */
GPUARRAY_PUBLIC void gpuarray_timeline_thread(const char *name);
/** End it, and write it as JSON; NULL: forget it. Blocks until what was
 *  enqueued has ended. GA_VALUE_ERROR if none is recorded, GA_SYS_ERROR if
 *  writing fails. */
GPUARRAY_PUBLIC int gpuarray_timeline_write(FILE *out);

#ifdef __cplusplus
}
#endif

#endif

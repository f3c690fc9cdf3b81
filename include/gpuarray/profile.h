/* SPDX-License-Identifier: BSD-2-Clause */
/** \file profile.h
 *  Device times by events, and counters of a context.
 */
#ifndef GPUARRAY_PROFILE_H
#define GPUARRAY_PROFILE_H

#include <gpuarray/buffer.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Switch profiling of a context on or off. Blocks until enqueued work has
 *  ended. While it is on, every launch records its device time
 *  (GpuLaunch_stats). It is off by default and costs nothing then.
 *  GA_UNSUPPORTED_ERROR if the context uses a foreign queue without
 *  profiling. */
GPUARRAY_PUBLIC int gpucontext_profile(gpucontext *ctx, int on);

/** Counters of a context since it was made, and its memory now. */
typedef struct gpucontext_counters {
  uint64_t launches;                /**< kernels enqueued */
  uint64_t programs_built;          /**< compiled from source */
  uint64_t programs_loaded;         /**< loaded from the disk cache */
  uint64_t programs_reused;         /**< found in memory */
  double build_seconds;             /**< time in the OpenCL compiler */
  uint64_t held_bytes;              /**< device memory held, pool included */
  uint64_t used_bytes;              /**< device memory in live buffers */
  uint64_t peak_bytes;              /**< largest used_bytes */
  uint64_t device_allocs;           /**< clCreateBuffer calls */
  uint64_t host_reads, host_writes; /**< transfers */
  uint64_t read_bytes, write_bytes;
} gpucontext_counters;

/** Read the counters of a context. Does not block. */
GPUARRAY_PUBLIC int gpucontext_count(gpucontext *ctx, gpucontext_counters *out);

/** Return device memory that nothing uses to the driver: pooled memory, and
 *  workspaces that are kept for calls like earlier ones. */
GPUARRAY_PUBLIC int gpucontext_trim(gpucontext *ctx);

#ifdef __cplusplus
}
#endif

#endif

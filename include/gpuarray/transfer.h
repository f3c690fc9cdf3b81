/* SPDX-License-Identifier: BSD-2-Clause */
/** \file transfer.h
 *  Copies between contexts that do not block the host while it enqueues.
 *
 *  gpudata_transfer (buffer.h) blocks until the source's device has read the
 *  bytes. A prepared transfer blocks in its second half only: start it, enqueue
 *  other work for both devices, and end it.
 *
 *      GpuTransfer_start(t, a, 0);
 *      ... more work for both contexts ...
 *      GpuTransfer_end(t, b, 0);
 */
#ifndef GPUARRAY_TRANSFER_H
#define GPUARRAY_TRANSFER_H

#include <gpuarray/buffer.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GpuTransfer GpuTransfer;

/** Prepare copies of `bytes` bytes from buffers of `from` to buffers of `to`,
 *  another context; retains both contexts. It allocates at most 16 MiB of host
 *  memory. Up to four copies below 1 MiB can be in flight. Only one thread may
 *  use it at a time. The caller frees *out. */
GPUARRAY_PUBLIC int GpuTransfer_new(GpuTransfer **out, gpucontext *to,
                                    gpucontext *from, size_t bytes);
/** Wait for copies in flight, and free the transfer. Accepts NULL. */
GPUARRAY_PUBLIC void GpuTransfer_free(GpuTransfer *t);

/** Enqueue the read from `src`, starting `off` bytes into it. Does not block.
 *  Work enqueued later must not change these bytes until GpuTransfer_end has
 *  returned. A second start replaces the first one. */
GPUARRAY_PUBLIC int GpuTransfer_start(GpuTransfer *t, gpudata *src, size_t off);
/** Enqueue the write to `dst`, starting `off` bytes into it. Blocks until all
 *  bytes are read, not until they are written (large copies from a CPU device,
 *  whose buffers are mapped instead of read, block until they are written).
 *  GA_INVALID_ERROR if nothing was started. After any other failure the bytes
 *  in `dst` are unspecified, and the transfer must be started again. */
GPUARRAY_PUBLIC int GpuTransfer_end(GpuTransfer *t, gpudata *dst, size_t off);

/** Figures of a transfer. */
typedef struct GpuTransferStats {
  uint64_t calls; /**< that ended while both contexts were profiling */
  double seconds; /**< over these calls, of the slower of the two devices */
  double bytes;   /**< of one call */
} GpuTransferStats;
/** Read the figures. Blocks until copies in flight have ended. */
GPUARRAY_PUBLIC int GpuTransfer_stats(GpuTransfer *t, GpuTransferStats *out);

#ifdef __cplusplus
}
#endif

#endif

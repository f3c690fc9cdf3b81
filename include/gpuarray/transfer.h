/* SPDX-License-Identifier: BSD-2-Clause */
/** \file transfer.h
 *  Copies between contexts that do not keep the host.
 *
 *  gpudata_transfer (buffer.h) waits until the source's device has come so far.
 *  A prepared transfer does so in its second half only: start it, give both
 *  devices what else there is to do, and end it.
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
 *  another context; retains both. Holds host memory for as much, but at most
 *  16 MiB; of copies below 1 MiB up to four can be under way. One thread uses
 *  it at a time. */
GPUARRAY_PUBLIC int GpuTransfer_new(GpuTransfer **out, gpucontext *to,
                                    gpucontext *from, size_t bytes);
/** Waits for copies under way. Accepts NULL. */
GPUARRAY_PUBLIC void GpuTransfer_free(GpuTransfer *t);

/** Begin to read from `src`, `off` bytes on, in the order of its context's
 *  work. Does not block. What is enqueued later must not change these bytes
 *  until GpuTransfer_end has returned. Begun once more, what was begun before
 *  is forgotten. */
GPUARRAY_PUBLIC int GpuTransfer_start(GpuTransfer *t, gpudata *src, size_t off);
/** Write what was read to `dst`, `off` bytes on, in the order of its context's
 *  work. Blocks until all is read, not until it is written (from a CPU device,
 *  whose buffers are not read but mapped, until large copies are).
 *  GA_INVALID_ERROR when nothing was begun; after any other failure the bytes
 *  in `dst` are of no use, and the transfer is to be begun again. */
GPUARRAY_PUBLIC int GpuTransfer_end(GpuTransfer *t, gpudata *dst, size_t off);

/** Figures of a transfer. */
typedef struct GpuTransferStats {
  uint64_t calls; /**< ended, while its contexts profiled */
  double seconds; /**< over the calls, of the slower of the two devices */
  double bytes;   /**< of one call */
} GpuTransferStats;
/** Waits for copies under way. */
GPUARRAY_PUBLIC int GpuTransfer_stats(GpuTransfer *t, GpuTransferStats *out);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file buffer_collectives.h
 * Communicators between devices, and their operations on buffers.
 *
 * MPI carries the bytes, in a library of its own that is loaded at first use.
 * Without it gpucomm_new() returns GA_UNSUPPORTED_ERROR, and all other fallible
 * functions return GA_DEVSUP_ERROR.
 *
 * Ranks are processes, and all of them make the same calls in the same order.
 * Calls block. Each call first agrees on what it does. When ranks ask for
 * different things, all get GA_VALUE_ERROR. When a rank has failed, the others
 * get GA_COMM_ERROR. In both cases nothing has changed. A device that fails
 * later is reported to all ranks in the same way, before each 4 MiB are
 * exchanged; results are unspecified then, and the communicator stays usable. A
 * failure while the last bytes go back to a device is reported to its own rank
 * only.
 *
 * No wait is longer than $GPUARRAY_COMM_TIMEOUT seconds (60). After that calls
 * return GA_COMM_ERROR, results are unspecified, and the communicator cannot be
 * used any more. */
#ifndef GPUARRAY_BUFFER_COLLECTIVES_H
#define GPUARRAY_BUFFER_COLLECTIVES_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _gpucomm gpucomm; /**< one rank of a group of devices */

enum gpucomm_reduce_ops { GA_SUM = 0, GA_PROD = 1, GA_MAX = 2, GA_MIN = 3 };

#define GA_COMM_ID_BYTES 128

/** Names a group; all its ranks are made with the same one. */
typedef struct _gpucommCliqueId {
  char internal[GA_COMM_ID_BYTES];
} gpucommCliqueId;

/** Join the group `comm_id` of `ndev` ranks as rank `rank`, from 0. Blocks
 * until all have joined, the maker of the id among them. Sets *comm to NULL on
 * failure. If the program has not initialised MPI, this does, and finalises it
 * at exit. */
GPUARRAY_PUBLIC int gpucomm_new(gpucomm **comm, gpucontext *ctx,
                                gpucommCliqueId comm_id, int ndev, int rank);

/** Leave the group; accepts NULL. */
GPUARRAY_PUBLIC void gpucomm_free(gpucomm *comm);

/** The message of the calling thread's last error; never NULL. */
GPUARRAY_PUBLIC const char *gpucomm_error(gpucontext *ctx);

/** The communicator's context, borrowed; NULL without a provider. */
GPUARRAY_PUBLIC gpucontext *gpucomm_context(gpucomm *comm);

/** Make the id of a new group. Its maker passes it to the other ranks by any
 * means, and joins the group itself. */
GPUARRAY_PUBLIC int gpucomm_gen_clique_id(gpucontext *ctx,
                                          gpucommCliqueId *comm_id);

/** The number of ranks, and the rank of this process. */
GPUARRAY_PUBLIC int gpucomm_get_count(gpucomm *comm, int *devcount);
GPUARRAY_PUBLIC int gpucomm_get_rank(gpucomm *comm, int *rank);

/** The operations of collectives.h on `count` elements of type `typecode`;
 * offsets in bytes. For a scatter and a gather `count` is one rank's part. A
 * destination is either exactly the bytes of its source (its own part of them)
 * or does not overlap it; else GA_VALUE_ERROR. `dest` may be NULL where nothing
 * arrives. */
GPUARRAY_PUBLIC int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest,
                                   size_t offdest, size_t count, int typecode,
                                   int opcode, int root, gpucomm *comm);
GPUARRAY_PUBLIC int gpucomm_all_reduce(gpudata *src, size_t offsrc,
                                       gpudata *dest, size_t offdest,
                                       size_t count, int typecode, int opcode,
                                       gpucomm *comm);
GPUARRAY_PUBLIC int gpucomm_reduce_scatter(gpudata *src, size_t offsrc,
                                           gpudata *dest, size_t offdest,
                                           size_t count, int typecode,
                                           int opcode, gpucomm *comm);
GPUARRAY_PUBLIC int gpucomm_broadcast(gpudata *array, size_t offset,
                                      size_t count, int typecode, int root,
                                      gpucomm *comm);
GPUARRAY_PUBLIC int gpucomm_all_gather(gpudata *src, size_t offsrc,
                                       gpudata *dest, size_t offdest,
                                       size_t count, int typecode,
                                       gpucomm *comm);

#ifdef __cplusplus
}
#endif

#endif

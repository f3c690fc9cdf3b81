/* SPDX-License-Identifier: BSD-2-Clause */
/** \file buffer_collectives.h
 * Communicators between devices, and their operations on buffers.
 *
 * They are carried by MPI, in a library of its own that is loaded at first use.
 * Without it gpucomm_new() returns GA_UNSUPPORTED_ERROR, so there is never a
 * communicator, and everything else that can fail returns GA_DEVSUP_ERROR.
 *
 * Ranks are processes, and all of them make the same calls in the same order.
 * Each call agrees on what it is about first: when ranks mean different things
 * all get GA_VALUE_ERROR, when one has failed the others get GA_COMM_ERROR, and
 * nothing has changed. They are told in the same way of a device that fails
 * later, before each 4 MiB are exchanged: results are unspecified then, and the
 * communicator works on. Of what fails on the way back of the last bytes to a
 * device only its own rank learns. No wait is longer than
 * $GPUARRAY_COMM_TIMEOUT seconds (60): then GA_COMM_ERROR, results are
 * unspecified, and the communicator is of
 * no more use. Calls block. */
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

/** Join the group `comm_id` of `ndev` ranks as number `rank`, from 0. Blocks
 * until all have joined, the maker of the id among them. Sets *comm to NULL on
 * failure. MPI is initialised if the program has not done it, and then also
 * finalised at exit. */
GPUARRAY_PUBLIC int gpucomm_new(gpucomm **comm, gpucontext *ctx,
                                gpucommCliqueId comm_id, int ndev, int rank);

/** Leave the group; NULL is fine. */
GPUARRAY_PUBLIC void gpucomm_free(gpucomm *comm);

/** Say what a GA_COMM_ERROR was about; never NULL. */
GPUARRAY_PUBLIC const char *gpucomm_error(gpucontext *ctx);

/** The communicator's context, borrowed; NULL without a provider. */
GPUARRAY_PUBLIC gpucontext *gpucomm_context(gpucomm *comm);

/** Make the name of a new group, which its maker hands to the other ranks in
 * whatever way it likes and joins itself. */
GPUARRAY_PUBLIC int gpucomm_gen_clique_id(gpucontext *ctx,
                                          gpucommCliqueId *comm_id);

/** The number of ranks, and this one's number. */
GPUARRAY_PUBLIC int gpucomm_get_count(gpucomm *comm, int *devcount);
GPUARRAY_PUBLIC int gpucomm_get_rank(gpucomm *comm, int *rank);

/** The operations of collectives.h on `count` elements of type `typecode`;
 * offsets in bytes. For a scatter and a gather `count` is one rank's part. A
 * destination is either the very same bytes as its source (its own part of
 * them) or does not overlap it: else GA_VALUE_ERROR. `dest` may be NULL where
 * nothing arrives. */
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

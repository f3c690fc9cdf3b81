/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers from one context to another. One queue reads the bytes into host
 * memory that both devices reach, and the other queue writes them from there,
 * piece by piece. The buffer of a CPU device is such memory already, so its
 * pieces are mapped instead of read, and copied only once.
 *
 * A context cannot wait for an event of another one. So the host waits for each
 * piece between its read and its write; the commands that it enqueues between
 * ga__relay_start and ga__relay_end keep both devices busy meanwhile. User
 * events set by a callback would avoid this wait, but PoCL's "basic" device
 * hangs with them, and Rusticl's clFinish returns before commands that wait for
 * one are done. */
#ifndef OCL_MEMORY_RELAY_H
#define OCL_MEMORY_RELAY_H

#include "ocl/memory/pinned.h"

#define GA_RELAY_SLOTS 4
/* The largest piece, and the bytes that a link moves while the host waits for a
 * piece and enqueues its write. */
#define GA_RELAY_MOST_BYTES ((size_t)4 << 20)
#define GA_RELAY_WAIT_BYTES ((size_t)256 << 10)

/* A piece in host memory, which belongs to the relay or is the source's. */
typedef struct ga__relay_slot {
  unsigned char *host;
  int is_mapped;    /* `host` is the source's */
  cl_event arrived; /* of the read or map; NULL once waited for */
  cl_event left;    /* of the write from it; NULL once waited for */
} ga__relay_slot;

typedef struct ga__relay {
  gpucontext *to; /* borrowed */
  ga__pinned room;
  size_t slot_bytes;
  unsigned int next; /* slot */
  ga__relay_slot slots[GA_RELAY_SLOTS];
  /* The current transfer. */
  gpudata *src; /* retained */
  size_t srcoff, bytes, piece_bytes;
  size_t started, sent; /* bytes whose read or write is enqueued */
  unsigned int first;   /* slot of the first piece not yet written */
  double read_seconds, write_seconds; /* device time, if profiling is on */
} ga__relay;

/* Allocate memory for transfers of `bytes` bytes to `to`. Larger ones take more
 * pieces. Blocks. */
int ga__relay_init(ga__relay *r, gpucontext *to, size_t bytes);
/* Nonzero if the slots are as large as the best pieces of a transfer of `bytes`
 * bytes. */
int ga__relay_suits(const ga__relay *r, size_t bytes);
/* Enqueue reads into the free slots. Does not block, except to end an earlier
 * transfer that was only started. The source is retained, and must not change
 * before ga__relay_end returns. */
int ga__relay_start(ga__relay *r, gpudata *src, size_t srcoff, size_t bytes);
/* Enqueue the writes as pieces arrive, and the remaining reads. Blocks until
 * the last piece has arrived; pieces of a mapped source also until they are
 * written. */
int ga__relay_end(ga__relay *r, gpudata *dst, size_t dstoff);
/* Block until all writes have ended, so that the times are complete. */
int ga__relay_drain(ga__relay *r);
/* End a transfer that was only started, wait for all commands and free the
 * memory. NULL and a zeroed relay are accepted. */
void ga__relay_clear(ga__relay *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of bytes from one context to another: read from one queue into host
 * memory that both devices reach, and written from there to the other queue,
 * piece by piece. A CPU's buffer is such memory itself: its pieces are mapped
 * instead of read, and copied only once.
 *
 * No event of one context can be waited for in another, so the host waits
 * between the two halves, and only there: what it enqueues between
 * ga__relay_start and ga__relay_end keeps both devices busy meanwhile. User
 * events that a callback sets would need no waiting, but of the drivers tried
 * PoCL's "basic" device hangs with them, and Rusticl's clFinish returns before
 * commands that wait for one are done. */
#ifndef OCL_RELAY_H
#define OCL_RELAY_H

#include "ocl/pinned.h"

#define GA_RELAY_SLOTS 4
/* The most that is moved at once, and what a link moves while the host waits
 * for a piece and sends it on. */
#define GA_RELAY_MOST_BYTES ((size_t)4 << 20)
#define GA_RELAY_WAIT_BYTES ((size_t)256 << 10)

/* A piece on its way, in host memory of its own or of the source. */
typedef struct ga__relay_slot {
  unsigned char *host;
  int is_mapped;    /* `host` is the source's */
  cl_event arrived; /* of the read or map, NULL when that was waited for */
  cl_event left;    /* of the write from it, NULL when that was waited for */
} ga__relay_slot;

typedef struct ga__relay {
  gpucontext *to; /* borrowed */
  ga__pinned room;
  size_t slot_bytes;
  unsigned int next; /* slot */
  ga__relay_slot slots[GA_RELAY_SLOTS];
  /* The transfer under way. */
  gpudata *src; /* retained */
  size_t srcoff, bytes, piece_bytes;
  size_t started, sent; /* bytes whose read or write is enqueued */
  unsigned int first;   /* slot of the first piece that is not sent */
  double read_seconds, write_seconds; /* of the devices, while they profile */
} ga__relay;

/* For transfers of at most `bytes` bytes to `to`; more go in more pieces. */
int ga__relay_init(ga__relay *r, gpucontext *to, size_t bytes);
/* Nonzero if there is memory for the pieces of a transfer of `bytes` bytes. */
int ga__relay_suits(const ga__relay *r, size_t bytes);
/* Enqueue reads as far as there is room. Does not wait. The source must stay
 * as it is until ga__relay_end returns. */
int ga__relay_start(ga__relay *r, gpudata *src, size_t srcoff, size_t bytes);
/* Enqueue the writes as pieces arrive, and the reads that are left. */
int ga__relay_end(ga__relay *r, gpudata *dst, size_t dstoff);
/* Wait for what was enqueued, so that the times are complete. */
int ga__relay_drain(ga__relay *r);
/* Also forgets what was started; NULL and one that is zeroed are fine. */
void ga__relay_clear(ga__relay *r);

#endif

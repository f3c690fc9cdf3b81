/* SPDX-License-Identifier: BSD-2-Clause */
/* Communicators, and collectives on buffers. */
#ifndef COMM_COLLECTIVE_H
#define COMM_COLLECTIVE_H

#include <gpuarray/buffer_collectives.h>

#include "comm/ring.h"

struct _gpucomm {
  gpucontext *ctx;
  ga__group group;
  unsigned char *work;   /* three parts of a chunk */
  unsigned char *heard;  /* messages of all ranks */
  gpudata *kept[2];      /* buffers of the call in which the group was lost */
  struct _gpucomm *next; /* in the list of lost communicators */
};

typedef enum ga__collective_kind {
  GA_REDUCE,
  GA_ALL_REDUCE,
  GA_REDUCE_SCATTER, /* `count` is of one rank's part */
  GA_BROADCAST,
  GA_ALL_GATHER /* `count` is of one rank's part */
} ga__collective_kind;

typedef struct ga__collective {
  ga__collective_kind kind;
  gpudata *src;
  size_t srcoff;
  gpudata *dst; /* GA_REDUCE: on the root alone; GA_BROADCAST: none */
  size_t dstoff;
  size_t count;
  int typecode, op, root;
} ga__collective;

/* Make a communicator for n ranks with its memory, but without a group. */
int ga__collective_new(gpucomm **out, int n);
void ga__collective_free(gpucomm *c);

/* Check that `comm` is not NULL: GA_DEVSUP_ERROR without a provider, else
 * GA_INVALID_ERROR. */
int ga__collective_check(const gpucomm *comm);

/* Agree with all ranks on the operation, and do it. `err` is an earlier failure
 * of this rank, whose message is recorded. It is reported to the other ranks,
 * so that they do not wait, and returned. Blocks. */
int ga__collective_run(gpucomm *comm, const ga__collective *c, int err);

#endif

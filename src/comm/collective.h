/* SPDX-License-Identifier: BSD-2-Clause */
/* One collective operation on buffers. */
#ifndef COMM_COLLECTIVE_H
#define COMM_COLLECTIVE_H

#include <gpuarray/buffer_collectives.h>

#include "comm/ring.h"

struct _gpucomm {
  gpucontext *ctx;
  ga__group group;
  unsigned char *work;   /* for three parts of a chunk */
  unsigned char *heard;  /* what each rank tells */
  gpudata *kept[2];      /* of the call in which the group was lost */
  struct _gpucomm *next; /* in the list of lost ones */
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

/* A communicator of n ranks with its memory, and without a group. */
int ga__collective_new(gpucomm **out, int n);
void ga__collective_free(gpucomm *c);

/* GA_INVALID_ERROR for none, or GA_DEVSUP_ERROR when there cannot be one. */
int ga__collective_check(const gpucomm *comm);

/* Agree with all ranks on the operation, then do it. `err` is an earlier
 * failure of this rank, whose message is recorded: it is reported to the
 * others, so that they do not wait, and returned. */
int ga__collective_run(gpucomm *comm, const ga__collective *c, int err);

#endif

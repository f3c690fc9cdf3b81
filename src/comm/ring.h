/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives on host memory. Every rank must call the same function with the
 * same sizes. */
#ifndef COMM_RING_H
#define COMM_RING_H

#include "comm/combine.h"
#include "comm/provider.h"

/* One rank of a group. */
typedef struct ga__group {
  const ga__comm_table *table;
  void *handle; /* the provider's */
  int n, rank;
  double timeout;
  int is_lost;           /* an exchange has failed */
  ga__message *messages; /* 2 n, so that exchanges do not allocate */
} ga__group;

/* One part of the data for each rank. */
typedef struct ga__parts {
  unsigned char **at; /* group->n */
  const size_t *n;    /* elements */
  size_t size;        /* bytes of an element */
} ga__parts;

/* Exchange messages. A failure makes the group lost. */
int ga__group_exchange(ga__group *g, const ga__message *m, int n);

/* Send `bytes` bytes of every rank to every other one: those of rank r are at
 * all + r * bytes. This and the following functions fail only when an exchange
 * fails. */
int ga__group_tell(ga__group *g, const void *mine, unsigned char *all,
                   size_t bytes);

/* Reduce all parts. `out` receives the part of this rank, in place if it is
 * parts->at[rank]. `work` must hold two of the largest parts. */
int ga__ring_reduce(ga__group *g, const ga__parts *parts, ga__combine combine,
                    void *out, unsigned char *work);

/* Gather on all ranks: each starts with its own part in place, and ends with
 * all parts. */
int ga__ring_gather(ga__group *g, const ga__parts *parts);

/* Gather on `root`: each rank starts with its own part in place. */
int ga__group_collect(ga__group *g, const ga__parts *parts, int root);

/* Copy `n` bytes from `root` to all other ranks. */
int ga__tree_broadcast(ga__group *g, void *bytes, size_t n, int root);

#endif

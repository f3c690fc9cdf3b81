/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives on host memory. Every rank calls the same function with the same
 * sizes. */
#ifndef COMM_RING_H
#define COMM_RING_H

#include "comm/combine.h"
#include "comm/provider.h"

/* One rank of a group. */
typedef struct ga__group {
  const ga__comm_table *table;
  void *handle; /* of the provider */
  int n, rank;
  double timeout;
  int is_lost;           /* an exchange has failed */
  ga__message *messages; /* memory for 2 n, so that no allocation fails later */
} ga__group;

/* One part of the data for each rank. */
typedef struct ga__parts {
  unsigned char **at; /* group->n */
  const size_t *n;    /* elements */
  size_t size;        /* bytes of an element */
} ga__parts;

/* Exchange, and note a failure in the group. */
int ga__group_exchange(ga__group *g, const ga__message *m, int n);

/* Every rank sends `bytes` bytes to every other: all[r * bytes]. This and the
 * following functions fail only when the exchange fails. */
int ga__group_tell(ga__group *g, const void *mine, unsigned char *all,
                   size_t bytes);

/* Reduce; `out` receives the part of this rank, in place if it is
 * parts->at[rank]. `work` has room for two of the largest parts. */
int ga__ring_reduce(ga__group *g, const ga__parts *parts, ga__combine combine,
                    void *out, unsigned char *work);

/* Each rank has its own part in place; leave all parts on all ranks. */
int ga__ring_gather(ga__group *g, const ga__parts *parts);

/* Each rank has its own part in place; leave all parts on `root`. */
int ga__group_collect(ga__group *g, const ga__parts *parts, int root);

/* Copy from `root` to all others. */
int ga__tree_broadcast(ga__group *g, void *bytes, size_t n, int root);

#endif

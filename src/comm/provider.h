/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of providers, which move bytes of host memory between the ranks
 * of a group. A provider is a library of its own that is loaded at first use
 * and does not depend on this one. The algorithms are here. */
#ifndef COMM_PROVIDER_H
#define COMM_PROVIDER_H

#include <stddef.h>

#define GA_COMM_VERSION 1
#define GA_COMM_WHY 256     /* bytes of a message; longer ones are cut */
#define GA_COMM_ID_ROOM 128 /* bytes of the name of a group */
/* The name of the one symbol, a function that returns the table. */
#define GA_COMM_SYMBOL "ga__comm_provider"

typedef struct ga__message {
  int peer; /* rank in the group */
  int is_send;
  void *bytes; /* source of a send, destination of a receive */
  size_t n;    /* at most INT_MAX */
} ga__message;

/* Functions return a GA_* code, and on failure write a message to `why`. Waits
 * end after `timeout` seconds with GA_COMM_ERROR. */
typedef struct ga__comm_table {
  int version;
  /* Make the name of a group. Its members meet in this process, which must be
   * one of them. */
  int (*name)(char id[GA_COMM_ID_ROOM], char why[GA_COMM_WHY]);
  int (*join)(void **group, const char id[GA_COMM_ID_ROOM], int n, int rank,
              double timeout, char why[GA_COMM_WHY]);
  /* Exchange messages with other ranks, which must make matching calls, and
   * wait for all of them. Messages between two ranks arrive in order. After a
   * failure the memory may still be written to, and the group cannot be used
   * any more. */
  int (*exchange)(void *group, const ga__message *m, int n, double timeout,
                  char why[GA_COMM_WHY]);
  void (*leave)(void *group);
} ga__comm_table;

typedef const ga__comm_table *(*ga__comm_entry)(void);

#endif

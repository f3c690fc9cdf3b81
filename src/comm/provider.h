/* SPDX-License-Identifier: BSD-2-Clause */
/* Providers carry bytes between the ranks of a group. A provider is a library
 * of its own, loaded at first use, that does not depend on this one: it moves
 * bytes of host memory, and the algorithms are here. */
#ifndef COMM_PROVIDER_H
#define COMM_PROVIDER_H

#include <stddef.h>

#define GA_COMM_VERSION 1
#define GA_COMM_WHY 256     /* bytes for a text, cut */
#define GA_COMM_ID_ROOM 128 /* of the name of a group */
/* The name of the one symbol, a function that returns the table. */
#define GA_COMM_SYMBOL "ga__comm_provider"

typedef struct ga__message {
  int peer; /* rank in the group */
  int is_send;
  void *bytes; /* read from when it is sent */
  size_t n;    /* at most INT_MAX */
} ga__message;

/* Functions return a GA_* code and write a text to `why` on failure. Waits end
 * after `timeout` seconds with GA_COMM_ERROR. */
typedef struct ga__comm_table {
  int version;
  /* Make the name of a group that meets in this process, which must join it. */
  int (*name)(char id[GA_COMM_ID_ROOM], char why[GA_COMM_WHY]);
  int (*join)(void **group, const char id[GA_COMM_ID_ROOM], int n, int rank,
              double timeout, char why[GA_COMM_WHY]);
  /* Exchange messages with others, which exchange theirs with us, and wait for
   * all. Between two ranks they arrive in order. After a failure the memory may
   * still be written to, and the group cannot be used any more. */
  int (*exchange)(void *group, const ga__message *m, int n, double timeout,
                  char why[GA_COMM_WHY]);
  void (*leave)(void *group);
} ga__comm_table;

typedef const ga__comm_table *(*ga__comm_entry)(void);

#endif

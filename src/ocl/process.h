/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process means for its contexts: its end, and copies of it that fork()
 * makes. */
#ifndef OCL_PROCESS_H
#define OCL_PROCESS_H

#include <gpuarray/device.h>

/* A context in the list of those that there are. */
typedef struct ga__member {
  gpucontext *ctx;
  void (*end)(gpucontext *ctx);  /* the process ends: wait for its work */
  void (*copy)(gpucontext *ctx); /* this process is a copy */
  struct ga__member *next;
} ga__member;

int ga__process_enter(ga__member *m);
/* One that is not in the list is fine. */
void ga__process_leave(const ga__member *m);
/* This thread may be the one that ends the process, and is about to have
 * something compiled. */
void ga__process_watch(void);
/* Has fork() made this process from one that had contexts? */
int ga__process_is_copy(void);
/* GA_INVALID_ERROR and a message if so. */
int ga__process_check(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What contexts do when the process ends, and in copies of it that fork()
 * makes. */
#ifndef OCL_PROCESS_H
#define OCL_PROCESS_H

#include <gpuarray/device.h>

/* An entry in the list of all contexts. */
typedef struct ga__member {
  gpucontext *ctx;
  void (*end)(gpucontext *ctx);  /* wait for its work: the process ends */
  void (*copy)(gpucontext *ctx); /* this process is a copy: make calls fail */
  struct ga__member *next;
} ga__member;

int ga__process_enter(ga__member *m);
/* Does nothing if `m` is not in the list. */
void ga__process_leave(const ga__member *m);
/* Called before this thread compiles: see that the end of the process waits for
 * the driver even if this thread calls exit(). */
void ga__process_watch(void);
/* Nonzero if fork() made this process from one that had opened a context. */
int ga__process_is_copy(void);
/* GA_INVALID_ERROR in such a process. */
int ga__process_check(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What contexts and buffers consist of. Other folders do not include this.
 *
 * One cl_context and one in-order queue per gpucontext: work is executed in
 * the order of the calls, so buffers need no events of their own and a freed
 * buffer can be handed out again at once.
 *
 * Every field of a context that changes after creation is guarded by its lock,
 * except the reference count. Buffers and kernels retain their context, so it
 * dies last; buffers that wait in the pool do not. */
#ifndef OCL_OBJECTS_H
#define OCL_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>

#include <gpuarray/foreign.h>
#include <gpuarray/profile.h>

#include "base/assert.h"
#include "cache/disk.h"
#include "cache/lru.h"
#include "ocl/device.h"
#include "ocl/keeper.h"
#include "ocl/process.h"

/* 256 B ... 1 MiB in 4 steps per doubling, then 16 per doubling. */
#define GA_POOL_SMALL_BITS 8
#define GA_POOL_LARGE_BITS 20
#define GA_POOL_CLASSES                                                        \
  (4 * (GA_POOL_LARGE_BITS - GA_POOL_SMALL_BITS) +                             \
   16 * (64 - GA_POOL_LARGE_BITS) + 1)

/* See pool.h. */
typedef struct ga__pool {
  gpudata *classes[GA_POOL_CLASSES]; /* idle buffers, last released first */
  gpudata *newest, *oldest;          /* the same by time of release */
  uint64_t idle_bytes, idle_max;
  uint64_t held_bytes; /* idle and in use */
  uint64_t peak_bytes; /* of bytes in use */
  uint64_t limit;      /* of held_bytes; 0: none */
  uint64_t allocs;     /* clCreateBuffer calls */
} ga__pool;

/* What a layer above keeps in a context (context.h). */
typedef struct ga__kept {
  void *object;
  void (*drop)(void *);
} ga__kept;

struct _gpucontext {
  atomic_uint refs;
  ga__member member;    /* in the list of all contexts */
  pthread_mutex_t lock; /* recursive */
#ifdef GA_ASSERTIONS
  pthread_t holder; /* of the lock, while `held` is not 0 */
  unsigned int held;
#endif
  cl_context cl;
  cl_command_queue queue;
  int has_foreign_queue; /* never exchanged for another */
  int shares_host;       /* foreign_data.c: 1 yes, -1 no, 0 not known yet */
  gpuforeign how;        /* who keeps a foreign `cl` and queue */
  ga__device dev;
  atomic_int probed; /* `dev.caps` is complete */
  int poison;        /* fill fresh buffers with 0xFF */
  int guard;         /* guard all buffers, look after every kernel (guard.h) */
  int no_pool;       /* a memory object per buffer, of its size */
  int profiling;
  int guards_indices; /* in launches from now on */
  int is_pocl; /* starts work without a flush; its binaries: programs.c */
  unsigned int unflushed; /* commands since the last flush */
  size_t fill_block;      /* see buffer.c; tests make it small */
  char bin_id[768];
  gpudata *errbuf; /* does not retain the context */

  ga__pool pool;
  ga__disk *disk;
  gpucontext_counters count; /* the byte figures are the pool's */

  /* Each is made by its file when it is needed first, and NULL until then. */
  struct ga__programs *programs;
  struct ga__index_guard *index_guard;
  struct ga__stage *stage;
  struct ga__relay *relay;   /* of transfers from other contexts */
  ga__lru *launches;         /* of direct calls; dropped first of all */
  ga__kept kept[GA_KEEPERS]; /* of layers above; dropped then */
};

struct _gpudata {
  cl_mem mem; /* first: pygpu's base_data reads it from there */
  atomic_uint refs;
  size_t bytes;            /* asked for */
  size_t room;             /* the memory object's size */
  unsigned int size_class; /* of `room`, while it is pooled */
  gpucontext *ctx;
  int pooled;          /* goes back to the pool, not to the driver */
  int counted;         /* its bytes are in the pool's figures */
  gpuforeign *foreign; /* who keeps `mem`, or NULL: it is ours */
  /* Of guarded buffers (guard.c): what `mem` is a part of, where in it `mem`
   * starts, and by how much it is larger. */
  cl_mem around;
  size_t guard_before, guard_bytes;
  /* While in the pool: neighbours in the class and by age. */
  gpudata *class_next, *class_prev;
  gpudata *newer, *older;
};

#endif

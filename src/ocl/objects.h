/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures of contexts and buffers. Other folders do not include this.
 *
 * Each gpucontext has one cl_context and one in-order queue. Work runs in the
 * order of the calls, so buffers need no events, and a freed buffer can be
 * reused at once.
 *
 * The lock of a context guards all of its fields that change after creation,
 * except the reference count. Buffers, kernels and launches retain their
 * context, so it is freed last. Buffers in the pool and launches in the launch
 * cache do not. */
#ifndef OCL_OBJECTS_H
#define OCL_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>

#include <gpuarray/foreign.h>
#include <gpuarray/profile.h>

#include "base/assert.h"
#include "cache/disk.h"
#include "cache/lru.h"
#include "ocl/device/device.h"
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
  gpudata *newest, *oldest;          /* all idle buffers by time of release */
  uint64_t idle_bytes, idle_max;
  uint64_t held_bytes; /* idle and in use */
  uint64_t peak_bytes; /* of bytes in use */
  uint64_t limit;      /* of held_bytes; 0: none */
  uint64_t allocs;     /* clCreateBuffer calls */
} ga__pool;

/* The object of a layer above (context.h). */
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
  int has_foreign_queue; /* profiling does not replace it */
  int shares_host;       /* foreign_data.c: 1 yes, -1 no, 0 not known yet */
  gpuforeign how;        /* who owns a foreign `cl` and queue */
  ga__device dev;
  atomic_int probed; /* `dev.caps` is complete */
  int poison;        /* fill new buffers with 0xFF */
  int guard;         /* guard all buffers and check them after every kernel
                        (guard.h) */
  int no_pool;       /* each buffer has a memory object of exactly its size */
  int profiling;
  int guards_indices; /* in launches that are built from now on */
  int is_pocl;        /* it starts work without a flush; see also programs.c */
  unsigned int unflushed; /* commands since the last flush */
  size_t fill_block;      /* bytes, see buffer.c; tests make it small */
  char bin_id[768];
  gpudata *errbuf; /* does not retain the context */

  ga__pool pool;
  ga__disk *disk;
  gpucontext_counters count; /* without the figures of the pool */

  /* Each is NULL until its file needs it. */
  struct ga__programs *programs;
  struct ga__spares *spares;       /* kernels; freed before the programs */
  struct ga__questions *questions; /* launch_question.c */
  ga__lru *patterns;               /* kernels, by key (kernel_patterns.h) */
  struct ga__index_guard *index_guard;
  struct ga__stage *stage;
  struct ga__relay *relay;   /* of transfers from other contexts */
  ga__lru *launches;         /* the launch cache; freed first */
  ga__kept kept[GA_KEEPERS]; /* of layers above; freed next */
};

struct _gpudata {
  cl_mem mem; /* first: pygpu's base_data reads it from there */
  atomic_uint refs;
  size_t bytes;            /* requested */
  size_t room;             /* size of the memory object */
  unsigned int size_class; /* of `room`, while it is pooled */
  gpucontext *ctx;
  int pooled;          /* release gives it to the pool */
  int counted;         /* the pool's figures include it */
  gpuforeign *foreign; /* who owns `mem`, or NULL: the library */
  /* Of guarded buffers (guard.c): the memory object that `mem` is a part of,
   * the offset of `mem` in it, and the bytes that it has more than `mem`. */
  cl_mem around;
  size_t guard_before, guard_bytes;
  /* While idle in the pool: neighbours in the list of its class and in the list
   * by age. */
  gpudata *class_next, *class_prev;
  gpudata *newer, *older;
};

#endif

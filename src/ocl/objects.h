/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime's objects and what its files share. Other folders do not include
 * this.
 *
 * Every field of a context that changes after creation is guarded by its lock,
 * except the reference count. Buffers and kernels retain their context, so it
 * dies last; buffers that wait in the pool do not. */
#ifndef OCL_OBJECTS_H
#define OCL_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "ocl/ocl.h"

#include <gpuarray/foreign.h>
#include <gpuarray/profile.h>

#include "base/sha256.h"
#include "base/vec.h"
#include "cache/disk.h"
#include "cache/lru.h"
#include "ocl/pool.h"
#include "ocl/relay.h"
#include "ocl/stage.h"

/* --- devices (device.c) --- */

/* What is read from the driver when a context is made; no compiling. */
typedef struct ga__device {
  cl_platform_id cl_platform;
  cl_device_id cl;
  int platform, device; /* numbers of "opencl<P>:<D>" */
  char platform_name[128];
  char platform_version[128];
  char name[256];
  char vendor[128];
  char version[128];
  char driver[128];
  int is_nvidia;
  int is_host; /* its memory is the host's, whatever it is mapped like */
  int has_fp16, has_int64_atomics, has_subgroups; /* by extension string */
  gpudevice_caps caps; /* without what only a probe can tell */
} ga__device;

/* GA_NODEV_ERROR when there is no such platform or device. */
int ga__device_find(int platform, int device, cl_platform_id *cl_platform,
                    cl_device_id *cl);
/* Numbers of a device found by others; -1 when it is in no platform. */
void ga__device_number(cl_platform_id platform, cl_device_id device, int *p,
                       int *d);
int ga__device_describe(ga__device *out, cl_platform_id platform,
                        cl_device_id device);
/* Nonzero if it has the work-groups and the local memory that kernels for GPUs
 * need. Those for CPUs need neither. */
int ga__caps_suit_gpu(const gpudevice_caps *caps);

/* --- capabilities (probe.c) --- */

/* Complete ctx->dev.caps by the cached verdict, or by compiling and running
 * the probes. Never fails: a probe that does is a "no". */
void ga__probe(gpucontext *ctx);

/* --- programs (program.c) --- */

/* A built program. It lives in the context's cache; a kernel object keeps its
 * cl_program alive on its own. */
typedef struct ga__program {
  cl_program cl;
  unsigned char key[GA_SHA256_BYTES];
  gpucontext *ctx;
  int used;                 /* a kernel of it has been taken to be launched */
  int unsaved;              /* in the list of those not on disk yet */
  size_t attempt;           /* from disk and not known to be good, or 0 */
  int launched;             /* while it is tried */
  struct ga__program *next; /* in the list of the unsaved or of the tried */
} ga__program;

typedef enum ga__prelude {
  GA_PRELUDE_OWN = 0, /* cl/prelude.cl */
  GA_PRELUDE_CLUDA,   /* cl/cluda.cl */
  GA_PRELUDE_NONE,
  GA_PRELUDES
} ga__prelude;

/* Source text as the caller has it, with the prelude to put in front. */
typedef struct ga__text {
  ga__prelude prelude;
  unsigned int n;
  const char *const *parts;
  const size_t *lengths;  /* NULL: every part ends at its NUL */
  const char *options;    /* or NULL */
  const char *ptx_target; /* or NULL */
  int is_again; /* its binary ended a process: build it as another text */
} ga__text;

int ga__programs_init(gpucontext *ctx);
/* The program of `text`; borrowed until the next call. Lock held. */
int ga__program_get(ga__program **out, gpucontext *ctx, const ga__text *text);
/* A new kernel object, checked to exist; some drivers take any name. */
int ga__program_kernel(cl_kernel *out, ga__program *p, const char *name);
/* Build a foreign program for the context's device; the message of a
 * failure has the compiler's log. */
int ga__program_finish(gpucontext *ctx, cl_program p);
/* A kernel was enqueued while ctx->tried has programs. Lock held. */
void ga__programs_launched(gpucontext *ctx, cl_kernel k);
/* Write some binaries to disk that were waiting for a first launch to end, or
 * with `all` every one, and trust programs from disk that have run. The queue
 * is empty, the lock held. */
void ga__programs_save(gpucontext *ctx, int all);
/* Trust all programs from disk: the process ends well. Lock held. */
void ga__programs_trust(gpucontext *ctx);
void ga__programs_clear(gpucontext *ctx);

/* --- process.c --- */

/* Put a context into the list of those that there are. */
int ga__process_enter(gpucontext *ctx);
/* This thread may be the one that ends the process, and is about to have
 * something compiled. */
void ga__process_watch(void);
/* Take it out; one that is not in the list is fine. */
void ga__process_leave(const gpucontext *ctx);
/* Has fork() made this process from one that had contexts? */
int ga__process_is_copy(void);
/* GA_INVALID_ERROR and a message if so. */
int ga__process_check(void);
int ga__ctx_init_lock(gpucontext *ctx); /* context.c */

/* --- the three objects --- */

/* What a layer above keeps in a context (context.c). */
typedef struct ga__kept {
  void *object;
  void (*drop)(void *);
} ga__kept;

struct _gpucontext {
  atomic_uint refs;
  gpucontext *next;     /* in the list of all contexts */
  pthread_mutex_t lock; /* recursive */
#ifdef GA_ASSERTIONS
  pthread_t holder; /* of the lock, while `held` is not 0 */
  unsigned int held;
#endif
  cl_context cl;
  cl_command_queue queue;
  int has_foreign_queue; /* never exchanged for another */
  int shares_host;       /* see foreign.c: 1 yes, -1 no, 0 not known yet */
  gpuforeign how;        /* who keeps a foreign `cl` and queue */
  ga__device dev;
  int probed;
  int poison;  /* fill fresh buffers with 0xFF */
  int no_pool; /* a memory object per buffer, of its size */
  int profiling;
  int is_pocl; /* starts work without a flush; its binaries: program.c */
  unsigned int unflushed; /* commands since the last flush */
  size_t fill_block;      /* see buffer.c; tests make it small */
  char bin_id[768];
  gpudata *errbuf; /* does not retain the context */

  ga__pool pool;
  ga__stage stage;
  ga__relay relay; /* of transfers from other contexts */

  ga__lru *programs;    /* of ga__program */
  ga__program *unsaved; /* list of those whose binary is not on disk */
  ga__program *tried;   /* list of those from disk until they have run */
  int has_built;        /* a program, since the last wait */
  ga__disk *disk;
  ga__sha256 seed[GA_PRELUDES]; /* key of device and prelude so far */

  gpucontext_counters count; /* the byte figures are the pool's */

  ga__lru *launches; /* of direct calls, or NULL; dropped first of all */
  ga__kept kept[GA_KEEPERS]; /* of layers above; dropped then */
};

struct _gpudata {
  cl_mem mem; /* first: pygpu's base_data reads it from there */
  atomic_uint refs;
  size_t bytes; /* asked for */
  size_t room;  /* the memory object's size, the pool's class */
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

struct _gpukernel {
  atomic_uint refs;
  gpucontext *ctx;
  cl_kernel cl;
  unsigned int numargs;
  int has_shared; /* one more argument, of local memory */
  int *types;     /* numargs typecodes */
  size_t max_group, group_multiple;
};

/* gpukernel_init with build options, which may be NULL. */
int ga__gpukernel_build(gpukernel **out, gpucontext *ctx, unsigned int count,
                        const char **strings, const size_t *lengths,
                        const char *fname, unsigned int numargs,
                        const int *types, int flags, const char *options);
/* A kernel around `cl`, which is taken over in any case. */
int ga__gpukernel_new(gpukernel **out, gpucontext *ctx, cl_kernel cl,
                      const char *fname, unsigned int numargs,
                      const int *types);
/* gs in work-groups becomes `global` in work-items; 0 groups set *empty. */
int ga__gpukernel_sizes(const gpukernel *k, unsigned int n, const size_t *gs,
                        const size_t *ls, size_t global[3], int *empty);
/* Check that the kernel can have so many bytes of dynamic local memory. */
int ga__gpukernel_shared(const gpukernel *k, size_t shared);

/* --- shared helpers --- */

/* Enqueue a kernel and count it; on a memory error the pool is trimmed and the
 * call made once more. Lock held. `ev` may be NULL. */
int ga__enqueue(gpucontext *ctx, cl_kernel k, unsigned int nd, const size_t *gs,
                const size_t *ls, cl_event *ev);
/* Note that a command went to the queue; flushes now and then. Lock held. */
void ga__queue_kick(gpucontext *ctx);
/* Block until the queue is empty. Lock held: of three drivers tried, one loses
 * the order of commands and one crashes when a thread waits while another
 * enqueues. */
int ga__queue_drain(gpucontext *ctx);
/* The same before memory of the host goes: a driver that refuses it is asked
 * in another way, and nothing is told. Lock held. */
void ga__queue_settle(gpucontext *ctx);
/* Wait for a command of the queue that reads or writes memory of the host, and
 * release its event. It is done whatever is answered. Lock held. */
int ga__queue_await(gpucontext *ctx, cl_event *ev);
int ga__queue_new(cl_command_queue *out, gpucontext *ctx, int profiling);
/* A buffer struct around `mem`, which is taken over only on success. */
int ga__data_wrap(gpudata **out, gpucontext *ctx, cl_mem mem, size_t bytes);
/* GA_VALUE_ERROR when a range of bytes is not inside of `d`. */
int ga__data_check_range(const gpudata *d, size_t off, size_t sz);
/* Whether two buffers lie in one memory object, as wrapped sub-buffers may,
 * and how many bytes behind the start of `a` that of `b` is. */
int ga__data_distance(int *related, ptrdiff_t *distance, const gpudata *a,
                      const gpudata *b);
/* Create a context on a described device. `queue` may be NULL. The two are
 * released with the context, or now on failure, unless `how` borrows them
 * (NULL: it does not); its `drop` is not called on failure. */
int ga__ctx_new(gpucontext **out, const ga__device *dev, cl_context cl,
                cl_command_queue queue, const gpuforeign *how,
                gpucontext_props *props);
/* Let go of a buffer that others own; the last reference is gone (foreign.c).
 */
void ga__foreign_free(gpudata *d);

#endif

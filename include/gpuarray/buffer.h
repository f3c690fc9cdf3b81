/* SPDX-License-Identifier: BSD-2-Clause */
/** \file buffer.h
 * Contexts, device buffers and kernels, on which arrays are based.
 *
 * Work is asynchronous and in order: calls return once their work is enqueued,
 * and later calls on the same context see the effects. Only reads, syncs, large
 * writes, transfers between contexts and the compilation of kernels block.
 * Threads may share every object here, except while one is being built or
 * freed. Releasing the last reference frees an object. */
#ifndef GPUARRAY_BUFFER_H
#define GPUARRAY_BUFFER_H

#include <stdarg.h>
#include <stdio.h>

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _gpudata gpudata;       /**< device memory, counted */
typedef struct _gpucontext gpucontext; /**< a device and its queue, counted */
typedef struct _gpukernel gpukernel;   /**< a compiled kernel, counted */
typedef struct _gpucontext_props gpucontext_props;

/* --- devices --- */

/** Count the platforms of backend `name`, which is "opencl".
 *
 * *platcount is 0 if there is no platform, which is no error. GA_INVALID_ERROR
 * for another backend. */
GPUARRAY_PUBLIC int gpu_get_platform_count(const char *name,
                                           unsigned int *platcount);

/** Count the devices of a platform, given its index, from 0. GA_VALUE_ERROR if
 * there is no such platform. */
GPUARRAY_PUBLIC int gpu_get_device_count(const char *name,
                                         unsigned int platform,
                                         unsigned int *devcount);

/* --- context properties --- */

/** Make a set of properties with every default; NULL in *res on failure. */
GPUARRAY_PUBLIC int gpucontext_props_new(gpucontext_props **res);

/** Choose a CUDA device. For compatibility only: gpucontext_init() then fails
 * with GA_DEVSUP_ERROR. */
GPUARRAY_PUBLIC int gpucontext_props_cuda_dev(gpucontext_props *p, int devno);

/** Choose an OpenCL device by the indices of platform and device, from 0. */
GPUARRAY_PUBLIC int gpucontext_props_opencl_dev(gpucontext_props *p, int platno,
                                                int devno);

/** Choose how the host waits for the device. For compatibility only: it has no
 * effect. GA_INVALID_ERROR for other values than those below. */
GPUARRAY_PUBLIC int gpucontext_props_sched(gpucontext_props *p, int sched);
#define GA_CTX_SCHED_AUTO 0   /**< the driver decides; the default */
#define GA_CTX_SCHED_SINGLE 1 /**< lowest latency, the host may spin */
#define GA_CTX_SCHED_MULTI 2  /**< leave the host's cores to others */

/** Ask for one stream. Contexts have one in-order queue in any case. */
GPUARRAY_PUBLIC int gpucontext_props_set_single_stream(gpucontext_props *p);

/** Store compiled kernels in the folder `path`. The string is copied. Processes
 * may share a folder. Without this call the folder is $GPUARRAY_CACHE_PATH or
 * the user's cache folder. */
GPUARRAY_PUBLIC int gpucontext_props_kernel_cache(gpucontext_props *p,
                                                  const char *path);

/** Set the initial size of the pool, and the limit for all device memory of the
 * context (0: no limit), in bytes. GA_VALUE_ERROR if initial > max and max is
 * not 0. */
GPUARRAY_PUBLIC int gpucontext_props_alloc_cache(gpucontext_props *p,
                                                 size_t initial, size_t max);

/** Free properties that were not given to gpucontext_init(); accepts NULL. */
GPUARRAY_PUBLIC void gpucontext_props_del(gpucontext_props *p);

/* --- contexts --- */

/** Open a device: `name` is "opencl", and `props`, which may be NULL, chooses
 * one.
 *
 * Without a device in `props`, $GPUARRAY_DEVICE or $DEVICE chooses ("openclP:D"
 * or a part of a device's or platform's name), else it is the first usable GPU,
 * or else the first usable device. Frees `props`, also on failure. On failure
 * *res is NULL, and the message has the device that was requested. */
GPUARRAY_PUBLIC int gpucontext_init(gpucontext **res, const char *name,
                                    gpucontext_props *props);

/** Release the caller's reference. Buffers, kernels and launches retain their
 * context. Accepts NULL. */
GPUARRAY_PUBLIC void gpucontext_deref(gpucontext *ctx);

/** Write property `prop_id` (GA_CTX_PROP_*) to `res`; the list of properties
 * below has the types. GA_INVALID_ERROR for an unknown property. */
GPUARRAY_PUBLIC int gpucontext_property(gpucontext *ctx, int prop_id,
                                        void *res);

/** The message of the thread's last error: gpuarray_error_text(err). `ctx` is
 * not used and may be NULL. */
GPUARRAY_PUBLIC const char *gpucontext_error(gpucontext *ctx, int err);

/* --- buffers --- */

/** Allocate a buffer of `sz` bytes with one reference; `sz` may be 0.
 *
 * `flags` combines GA_BUFFER_* bits. With GA_BUFFER_INIT the contents are
 * copied from `data` before the call returns, else `data` is unused and the
 * contents are undefined. On failure returns NULL and, if `ret` is not NULL,
 * sets *ret: GA_VALUE_ERROR for flags that contradict each other,
 * GA_MEMORY_ERROR, whose message has the bytes requested and those in use. */
GPUARRAY_PUBLIC gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data,
                                       int flags, int *ret);
#define GA_BUFFER_READ_WRITE 0x00 /**< for kernels; the default */
#define GA_BUFFER_DEV 0x00        /**< device memory; the default */
#define GA_BUFFER_READ_ONLY 0x01  /**< kernels only read */
#define GA_BUFFER_WRITE_ONLY 0x02 /**< kernels only write */
#define GA_BUFFER_INIT 0x04       /**< start with a copy of `data` */
#define GA_BUFFER_HOST 0x08       /**< prefer memory with fast host access */
#define GA_BUFFER_MASK 0xffff     /**< the bits that callers may set */

/** Add a reference. */
GPUARRAY_PUBLIC void gpudata_retain(gpudata *b);

/** Release a reference; accepts NULL. Enqueued work may still use the
 * buffer. */
GPUARRAY_PUBLIC void gpudata_release(gpudata *b);

/** Return 1 if two buffers may overlap, else 0. On failure return -1, with the
 * code in *ret if `ret` is not NULL. */
GPUARRAY_PUBLIC int gpudata_share(gpudata *a, gpudata *b, int *ret);

/** Copy `sz` bytes within a context; offsets are in bytes. The ranges may
 * overlap, which takes a workspace of at most 16 MiB (GA_MEMORY_ERROR).
 * GA_VALUE_ERROR for ranges outside a buffer and for buffers of different
 * contexts. Does not block. */
GPUARRAY_PUBLIC int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src,
                                 size_t srcoff, size_t sz);

/** Copy `sz` bytes between contexts of any two devices, in parts, through host
 * memory: one part is written while the next one is read. Blocks until all
 * bytes are read, not until they are written. A large range of a CPU device is
 * copied at once instead; then the call blocks until it is written. Within a
 * context, this is gpudata_move(). */
GPUARRAY_PUBLIC int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src,
                                     size_t srcoff, size_t sz);

/** Copy `sz` bytes, from offset `srcoff` on, to the host. Blocks until they are
 * there. */
GPUARRAY_PUBLIC int gpudata_read(void *dst, gpudata *src, size_t srcoff,
                                 size_t sz);

/** Copy `sz` bytes from the host to offset `dstoff`. `src` may be reused on
 * return. Small writes do not block; large ones block until the bytes are
 * copied. */
GPUARRAY_PUBLIC int gpudata_write(gpudata *dst, size_t dstoff, const void *src,
                                  size_t sz);

/** Set every byte from `dstoff` to the buffer's end to the low 8 bits of
 * `data`. Does not block. */
GPUARRAY_PUBLIC int gpudata_memset(gpudata *dst, size_t dstoff, int data);

/** Block until all work enqueued so far on the buffer's context has ended. */
GPUARRAY_PUBLIC int gpudata_sync(gpudata *b);

/** Write a property of the buffer, or of its context, to `res`. */
GPUARRAY_PUBLIC int gpudata_property(gpudata *buf, int prop_id, void *res);

/** The buffer's context; borrowed. */
GPUARRAY_PUBLIC gpucontext *gpudata_context(gpudata *b);

/* --- kernels --- */

/** Build the kernel function `fname` from the joined strings[0..count).
 *
 * `lengths` may be NULL when every string ends with a NUL. `typecodes[0..
 * numargs)` are the argument types, GA_BUFFER for device memory; `flags` are
 * ga_usefl bits. The source uses the cluda names and may include "cluda.h".
 *
 * Returns a kernel with one reference, or NULL with *ret set (if not NULL). If
 * `err_str` is not NULL, *err_str becomes NULL, or after a failed build the
 * numbered source with the compiler's log, which the caller releases with
 * free(). Blocks while the driver compiles. */
GPUARRAY_PUBLIC gpukernel *
gpukernel_init(gpucontext *ctx, unsigned int count, const char **strings,
               const size_t *lengths, const char *fname, unsigned int numargs,
               const int *typecodes, int flags, int *ret, char **err_str);

/** Add a reference. */
GPUARRAY_PUBLIC void gpukernel_retain(gpukernel *k);

/** Release a reference; accepts NULL. An enqueued launch finishes. */
GPUARRAY_PUBLIC void gpukernel_release(gpukernel *k);

/** Set argument `i`, from 0. `a` is a gpudata * for GA_BUFFER, which is not
 * retained and must live until the call, else a pointer to the value, which is
 * copied now. */
GPUARRAY_PUBLIC int gpukernel_setarg(gpukernel *k, unsigned int i, void *a);

/** Launch; does not block.
 *
 * `n` is 1 to 3; `gs[0..n)` counts work-groups, `ls[0..n)` the work-items in
 * each; `shared` is bytes of dynamic local memory. `args` points to the
 * arguments, or is NULL to use those set before. */
GPUARRAY_PUBLIC int gpukernel_call(gpukernel *k, unsigned int n,
                                   const size_t *gs, const size_t *ls,
                                   size_t shared, void **args);

/** Write a property of the kernel, or of its context, to `res`. */
GPUARRAY_PUBLIC int gpukernel_property(gpukernel *k, int prop_id, void *res);

/** The kernel's context; borrowed. */
GPUARRAY_PUBLIC gpucontext *gpukernel_context(gpukernel *k);

/* --- properties, each with the type that `res` points to --- */

/* Of contexts. */
#define GA_CTX_PROP_DEVNAME 1  /**< char[256], NUL-terminated */
#define GA_CTX_PROP_LMEMSIZE 3 /**< size_t, bytes per work-group */
#define GA_CTX_PROP_NUMPROCS 4 /**< unsigned int, compute units */
/** const char *: contexts with equal ids can share binaries. Borrowed. */
#define GA_CTX_PROP_BIN_ID 7
/** gpudata *: 8 bytes of zeros in which a kernel can report an error. Borrowed.
 * A program whose kernels write them must reset them to zeros. */
#define GA_CTX_PROP_ERRBUF 8
#define GA_CTX_PROP_TOTAL_GMEM 9        /**< size_t, bytes */
#define GA_CTX_PROP_FREE_GMEM 10        /**< size_t, bytes, an estimate */
#define GA_CTX_PROP_NATIVE_FLOAT16 11   /**< int, 1 if halfs are native */
#define GA_CTX_PROP_MAXGSIZE0 12        /**< size_t, work-groups along x */
#define GA_CTX_PROP_MAXGSIZE1 13        /**< size_t, along y */
#define GA_CTX_PROP_MAXGSIZE2 14        /**< size_t, along z */
#define GA_CTX_PROP_MAXLSIZE0 15        /**< size_t, work-items along x */
#define GA_CTX_PROP_MAXLSIZE1 16        /**< size_t, along y */
#define GA_CTX_PROP_MAXLSIZE2 17        /**< size_t, along z */
#define GA_CTX_PROP_UNIQUE_ID 19        /**< char[16], differs by device */
#define GA_CTX_PROP_LARGEST_MEMBLOCK 20 /**< size_t, bytes of one buffer */

/* Of buffers. */
#define GA_BUFFER_PROP_START 512
#define GA_BUFFER_PROP_CTX 512    /**< gpucontext *, borrowed */
#define GA_BUFFER_PROP_REFCNT 513 /**< unsigned int, for debugging */
#define GA_BUFFER_PROP_SIZE 514   /**< size_t, bytes */

/* Of kernels. */
#define GA_KERNEL_PROP_START 1024
#define GA_KERNEL_PROP_CTX 1024       /**< gpucontext *, borrowed */
#define GA_KERNEL_PROP_MAXLSIZE 1025  /**< size_t, work-items per group */
#define GA_KERNEL_PROP_PREFLSIZE 1026 /**< size_t, multiples of it are fast */
#define GA_KERNEL_PROP_NUMARGS 1027   /**< unsigned int */
#define GA_KERNEL_PROP_TYPES 1028     /**< const int *, borrowed */

/** What a kernel needs from the device, and the language of its source.
 * GA_DEVSUP_ERROR if the device does not support it. */
typedef enum _ga_usefl {
  GA_USE_SMALL = 0x02,   /**< types of fewer than 4 bytes */
  GA_USE_DOUBLE = 0x04,  /**< double, complex double */
  GA_USE_COMPLEX = 0x08, /**< complex types */
  GA_USE_HALF = 0x10,    /**< halfs */
  GA_USE_CUDA = 0x2000,  /**< the source is CUDA C, which no device supports */
  GA_USE_OPENCL = 0x4000 /**< the source is OpenCL C */
} ga_usefl;

#ifdef __cplusplus
}
#endif

#endif

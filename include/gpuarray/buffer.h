/* SPDX-License-Identifier: BSD-2-Clause */
/** \file buffer.h
 * Contexts, device buffers and kernels: what arrays are made of.
 *
 * Work is asynchronous and in order: calls return once their work is enqueued,
 * and later calls on the same context see the effects. Only reads and syncs
 * block. Threads may share every object here, except while one is being built
 * or freed; the last reference frees. */
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
 * No platform at all is not an error: `*platcount` is 0. Another backend name
 * is GA_INVALID_ERROR. */
GPUARRAY_PUBLIC int gpu_get_platform_count(const char *name,
                                           unsigned int *platcount);

/** Count the devices of a platform, numbered from 0. GA_VALUE_ERROR when there
 * is no such platform. */
GPUARRAY_PUBLIC int gpu_get_device_count(const char *name,
                                         unsigned int platform,
                                         unsigned int *devcount);

/* --- context properties --- */

/** Make a set of properties with every default; NULL in *res on failure. */
GPUARRAY_PUBLIC int gpucontext_props_new(gpucontext_props **res);

/** Choose a CUDA device. Recorded for compatibility; a context that is made of
 * it fails with GA_DEVSUP_ERROR. */
GPUARRAY_PUBLIC int gpucontext_props_cuda_dev(gpucontext_props *p, int devno);

/** Choose an OpenCL device by the indices of platform and device, from 0. */
GPUARRAY_PUBLIC int gpucontext_props_opencl_dev(gpucontext_props *p, int platno,
                                                int devno);

/** Choose how the host waits for the device; GA_VALUE_ERROR for other
 * values. */
GPUARRAY_PUBLIC int gpucontext_props_sched(gpucontext_props *p, int sched);
#define GA_CTX_SCHED_AUTO 0   /**< the driver decides; the default */
#define GA_CTX_SCHED_SINGLE 1 /**< lowest latency, the host may spin */
#define GA_CTX_SCHED_MULTI 2  /**< leave the host's cores to others */

/** Ask for one stream. Contexts have one in-order queue in any case. */
GPUARRAY_PUBLIC int gpucontext_props_set_single_stream(gpucontext_props *p);

/** Keep compiled kernels in folder `path`, which is copied. Processes may share
 * it. Without this call GPUARRAY_CACHE_PATH or the user's cache folder is
 * used. */
GPUARRAY_PUBLIC int gpucontext_props_kernel_cache(gpucontext_props *p,
                                                  const char *path);

/** Set how many bytes of device memory the pool starts with, and the most the
 * context may hold in all (0: no limit). GA_VALUE_ERROR when initial > max and
 * max is not 0. */
GPUARRAY_PUBLIC int gpucontext_props_alloc_cache(gpucontext_props *p,
                                                 size_t initial, size_t max);

/** Free properties that were not given to gpucontext_init(); accepts NULL. */
GPUARRAY_PUBLIC void gpucontext_props_del(gpucontext_props *p);

/* --- contexts --- */

/** Open a device: `name` is "opencl", `props` (may be NULL) tells which one.
 *
 * Without a device in `props`, GPUARRAY_DEVICE or DEVICE decides ("openclP:D"
 * or a part of a device's name), else the first device. Takes ownership of
 * `props` in any case. On failure *res is NULL and gpucontext_error(NULL, err)
 * names the device that was asked for. */
GPUARRAY_PUBLIC int gpucontext_init(gpucontext **res, const char *name,
                                    gpucontext_props *props);

/** Release the caller's reference. Buffers and kernels keep their context
 * alive. Accepts NULL. */
GPUARRAY_PUBLIC void gpucontext_deref(gpucontext *ctx);

/** Write property `prop_id` (GA_CTX_PROP_*) to `res`, whose type the list of
 * properties below gives. */
GPUARRAY_PUBLIC int gpucontext_property(gpucontext *ctx, int prop_id,
                                        void *res);

/** The message of the thread's last error: gpuarray_error_text(err). `ctx` is
 * not used and may be NULL. */
GPUARRAY_PUBLIC const char *gpucontext_error(gpucontext *ctx, int err);

/* --- buffers --- */

/** Allocate `sz` bytes with one reference; 0 bytes are legal.
 *
 * `flags` joins GA_BUFFER_* bits. With GA_BUFFER_INIT the contents are copied
 * from `data` before the call returns, else `data` is unused and the contents
 * are undefined. On failure returns NULL and, if `ret` is not NULL, sets *ret
 * (the message of GA_MEMORY_ERROR has the bytes that were asked for and those
 * held). */
GPUARRAY_PUBLIC gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data,
                                       int flags, int *ret);
#define GA_BUFFER_READ_WRITE 0x00 /**< for kernels; the default */
#define GA_BUFFER_DEV 0x00        /**< device memory; the default */
#define GA_BUFFER_READ_ONLY 0x01  /**< kernels only read */
#define GA_BUFFER_WRITE_ONLY 0x02 /**< kernels only write */
#define GA_BUFFER_INIT 0x04       /**< start with a copy of `data` */
#define GA_BUFFER_HOST 0x08       /**< prefer memory the host reaches fast */
#define GA_BUFFER_MASK 0xffff     /**< the bits of callers */

/** Add a reference. */
GPUARRAY_PUBLIC void gpudata_retain(gpudata *b);

/** Release a reference; accepts NULL. Enqueued work keeps the memory. */
GPUARRAY_PUBLIC void gpudata_release(gpudata *b);

/** Tell whether two buffers may overlap: 1 or 0, or -1 with the code in *ret
 * (if not NULL). */
GPUARRAY_PUBLIC int gpudata_share(gpudata *a, gpudata *b, int *ret);

/** Copy `sz` bytes within a context; offsets in bytes. The ranges may overlap;
 * that takes a workspace of at most 16 MiB (GA_MEMORY_ERROR). Ranges outside a
 * buffer are GA_VALUE_ERROR. Does not block. */
GPUARRAY_PUBLIC int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src,
                                 size_t srcoff, size_t sz);

/** Copy `sz` bytes between contexts of any two devices, in parts, through host
 * memory: one part is written while the next is read. Blocks until all is read,
 * not until it is written. A large range of a CPU device is copied once
 * instead; the call then blocks until it is written. Within a context, this is
 * gpudata_move(). */
GPUARRAY_PUBLIC int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src,
                                     size_t srcoff, size_t sz);

/** Copy `sz` bytes to the host. Blocks until they are there. */
GPUARRAY_PUBLIC int gpudata_read(void *dst, gpudata *src, size_t srcoff,
                                 size_t sz);

/** Copy `sz` bytes from the host; `src` may be reused on return. */
GPUARRAY_PUBLIC int gpudata_write(gpudata *dst, size_t dstoff, const void *src,
                                  size_t sz);

/** Set every byte from `dstoff` to the buffer's end to the low 8 bits of
 * `data`. Does not block. */
GPUARRAY_PUBLIC int gpudata_memset(gpudata *dst, size_t dstoff, int data);

/** Block until all work that involves the buffer is done. */
GPUARRAY_PUBLIC int gpudata_sync(gpudata *b);

/** Write a property of the buffer, or of its context, to `res`. */
GPUARRAY_PUBLIC int gpudata_property(gpudata *buf, int prop_id, void *res);

/** The buffer's context; borrowed. */
GPUARRAY_PUBLIC gpucontext *gpudata_context(gpudata *b);

/* --- kernels --- */

/** Build the kernel function `fname` from `strings[0..count)`, joined.
 *
 * `lengths` may be NULL when every string ends with a NUL. `typecodes[0..
 * numargs)` are the argument types, GA_BUFFER for device memory; `flags` are
 * ga_usefl bits. The source uses the cluda names and may include "cluda.h".
 *
 * Returns a kernel with one reference, or NULL with *ret set (if not NULL).
 * With `err_str` not NULL, *err_str becomes NULL, or on a failed build the
 * numbered source with the compiler's log, to be released with free(). */
GPUARRAY_PUBLIC gpukernel *
gpukernel_init(gpucontext *ctx, unsigned int count, const char **strings,
               const size_t *lengths, const char *fname, unsigned int numargs,
               const int *typecodes, int flags, int *ret, char **err_str);

/** Add a reference. */
GPUARRAY_PUBLIC void gpukernel_retain(gpukernel *k);

/** Release a reference; accepts NULL. An enqueued launch finishes. */
GPUARRAY_PUBLIC void gpukernel_release(gpukernel *k);

/** Set argument `i`, from 0: a gpudata * for GA_BUFFER (not retained, it must
 * live until the call), else a pointer to the value, copied now. */
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
/** gpudata *: 8 bytes of zeros in which a kernel can report an error. Borrowed;
 * whoever writes them zeroes them again. */
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
#define GA_CTX_PROP_UNIQUE_ID 19        /**< char[16], tells devices apart */
#define GA_CTX_PROP_LARGEST_MEMBLOCK 20 /**< size_t, bytes of one buffer */

/* Of buffers. */
#define GA_BUFFER_PROP_START 512
#define GA_BUFFER_PROP_CTX 512    /**< gpucontext *, borrowed */
#define GA_BUFFER_PROP_REFCNT 513 /**< unsigned int, for debugging */
#define GA_BUFFER_PROP_SIZE 514   /**< size_t, bytes, may exceed the request */

/* Of kernels. */
#define GA_KERNEL_PROP_START 1024
#define GA_KERNEL_PROP_CTX 1024       /**< gpucontext *, borrowed */
#define GA_KERNEL_PROP_MAXLSIZE 1025  /**< size_t, work-items per group */
#define GA_KERNEL_PROP_PREFLSIZE 1026 /**< size_t, good multiples of it */
#define GA_KERNEL_PROP_NUMARGS 1027   /**< unsigned int */
#define GA_KERNEL_PROP_TYPES 1028     /**< const int *, borrowed */

/** What a kernel needs from the device, and the language of its source.
 * GA_DEVSUP_ERROR when the device lacks it. */
typedef enum _ga_usefl {
  GA_USE_SMALL = 0x02,   /**< types of fewer than 4 bytes */
  GA_USE_DOUBLE = 0x04,  /**< double, complex double */
  GA_USE_COMPLEX = 0x08, /**< complex types */
  GA_USE_HALF = 0x10,    /**< halfs */
  GA_USE_CUDA = 0x2000,  /**< the source is CUDA C, which no device here
                              takes */
  GA_USE_OPENCL = 0x4000 /**< the source is OpenCL C */
} ga_usefl;

#ifdef __cplusplus
}
#endif

#endif

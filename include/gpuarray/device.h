/* SPDX-License-Identifier: BSD-2-Clause */
/** \file device.h
 *  List devices, choose one by name, and ask what it can do.
 */
#ifndef GPUARRAY_DEVICE_H
#define GPUARRAY_DEVICE_H

#include <gpuarray/buffer.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One device, or a platform without devices (device == -1). */
typedef struct gpudevice_info {
  int platform, device; /**< indices for "opencl<platform>:<device>" */
  char platform_name[128];
  char name[256];
  char vendor[128];
  char version[128]; /**< of the device, e.g. "OpenCL 1.2 ..." */
  char driver[128];
  int is_cpu;    /**< device class: 1 CPU, 0 GPU */
  int usable;    /**< 0 when refused; see `why` */
  char why[128]; /**< reason for a refusal, else "" */
  uint64_t memory_bytes;
  unsigned int compute_units;
} gpudevice_info;

/** List every platform's devices. The caller frees *out with
 *  gpudevice_list_free. Without any platform the list is empty, which is no
 *  error. A device whose driver fails is in the list, but not usable. */
GPUARRAY_PUBLIC int gpudevice_list(gpudevice_info **out, size_t *n);
GPUARRAY_PUBLIC void gpudevice_list_free(gpudevice_info *list);

/** Find the device that `spec` names: "opencl<P>:<D>", "<P>:<D>", a part of a
 *  device or platform name (any case), or NULL: $GPUARRAY_DEVICE, then $DEVICE,
 *  then the first usable GPU, then the first usable device.
 *  \param why  receives a sentence that explains the choice; may be NULL
 *
 *  The message of GA_NODEV_ERROR has `spec` and the devices that exist. */
GPUARRAY_PUBLIC int gpudevice_choose(const char *spec, int *platform,
                                     int *device, char *why, size_t why_bytes);

/** Choose a device as gpudevice_choose does, and create a context on it. The
 *  caller releases *out with gpucontext_deref; it is NULL on failure.
 *
 *  A process that ends by exit() or by returning from main waits for enqueued
 *  work, for a minute at most. If the parent of a fork() had opened a device,
 *  the child can neither use nor open one: its calls fail with
 *  GA_INVALID_ERROR. Fork before the first context is made, or call exec. */
GPUARRAY_PUBLIC int gpucontext_open(gpucontext **out, const char *spec);

/** Nonzero if this context exists. The pointer is compared, not followed. A new
 *  context may have the address of one that was freed. */
GPUARRAY_PUBLIC int gpucontext_alive(const gpucontext *ctx);

/** What a device can do, found by compiling and running kernels. */
typedef struct gpudevice_caps {
  int is_cpu; /**< device class, which decides on the layouts of kernels */
  int fp64;   /**< double arithmetic works */
  int fp16;   /**< half arithmetic works (storage always does) */
  int int64_atomics;
  int subgroups;
  int ptx;          /**< inline PTX is accepted; 2: also that of sm_80 */
  int long_loops;   /**< loops run to their ends; if not, a CPU gets layouts for
                         GPUs, with short work-items */
  int local_memory; /**< local memory is dedicated, not emulated */
  unsigned int compute_units;
  unsigned int vector_float; /**< native float lanes, at least 1 */
  size_t max_group;          /**< work-items per group */
  size_t max_items[3];       /**< per dimension */
  size_t local_bytes;        /**< as the device reports */
  /** local memory that kernels may declare: at least local_bytes, more where
   *  the device reports less than it has */
  size_t declared_local_bytes;
  size_t param_bytes; /**< kernel argument bytes */
  uint64_t memory_bytes;
  uint64_t max_alloc_bytes;
  int chains; /**< groups of one kernel can wait for those before them */
} gpudevice_caps;

/** The capabilities of a context's device; borrowed. The first call compiles
 *  and runs small kernels if the cache on disk has no results, and blocks. */
GPUARRAY_PUBLIC const gpudevice_caps *gpucontext_caps(gpucontext *ctx);

/** The cache of compiled kernels on disk. */
typedef struct gpucache_info {
  char path[1024]; /**< "" when it is off */
  char why[256];   /**< why it is off or read-only, else "" */
  uint64_t bytes, max_bytes;
  size_t files;
} gpucache_info;

/** Read the figures of the default cache folder. Blocks. */
GPUARRAY_PUBLIC int gpucache_stat(gpucache_info *out);
/** Remove every entry; *removed receives their count (may be NULL). Blocks. */
GPUARRAY_PUBLIC int gpucache_clear(size_t *removed);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file foreign.h
 *  Ownership of foreign objects. */
#ifndef GPUARRAY_FOREIGN_H
#define GPUARRAY_FOREIGN_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpuhold {
  GPU_RETAIN = 0, /**< the library has a reference of its own */
  GPU_BORROW = 1  /**< it has none: the caller's reference must outlive the
                       library's use, or `base` has one */
} gpuhold;

/** How the library keeps a foreign object alive.
 *
 *  `drop(base)` is called exactly once, when the last object made from it is
 *  released and the device has finished with it; that release blocks until
 *  then. The thread of the release calls `drop`, and the library holds no lock
 *  during the call. A function that takes this structure and fails does not
 *  call `drop`: the caller still owns the base. */
typedef struct gpuforeign {
  gpuhold hold;
  void *base;           /**< passed to `drop`, otherwise unused */
  void (*drop)(void *); /**< NULL: nothing to release */
} gpuforeign;

#ifdef __cplusplus
}
#endif

#endif

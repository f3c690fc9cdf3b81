/* SPDX-License-Identifier: BSD-2-Clause */
/** \file foreign.h
 *  Who keeps a foreign object alive. */
#ifndef GPUARRAY_FOREIGN_H
#define GPUARRAY_FOREIGN_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpuhold {
  GPU_RETAIN = 0, /**< the library holds a reference of its own */
  GPU_BORROW = 1  /**< it holds none: the caller's reference must outlive the
                       library's use, or `base` holds one */
} gpuhold;

/** How the library holds something foreign.
 *
 *  `drop(base)` is called exactly once, when the last object made of it is gone
 *  and the device is done with it; the last release blocks for that. The thread
 *  of that release calls it, and the library holds no lock for it. When a
 *  function that takes this fails, it does not call `drop`: the caller still
 *  owns the base. */
typedef struct gpuforeign {
  gpuhold hold;
  void *base;           /**< passed to `drop`, otherwise unused */
  void (*drop)(void *); /**< NULL: nothing to release */
} gpuforeign;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file foreign.h
 *  Who keeps alive what others own. */
#ifndef GPUARRAY_FOREIGN_H
#define GPUARRAY_FOREIGN_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpuhold {
  GPU_RETAIN = 0, /**< count a reference of the library's own */
  GPU_BORROW = 1  /**< count none: the caller's must outlive the library's use,
                       or `base` keeps one */
} gpuhold;

/** How the library holds something foreign.
 *
 *  `drop(base)` is called exactly once, when the last object made of it is
 *  gone and the device is done with it; the last release then blocks for that.
 *  It is called by the thread of that release and with no lock of the library's
 *  taken for it. When a function that was given this fails, it is not called:
 *  the base stays the caller's. */
typedef struct gpuforeign {
  gpuhold hold;
  void *base;           /**< handed to `drop`; not looked at */
  void (*drop)(void *); /**< NULL: nothing to let go of */
} gpuforeign;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/** \file error.h
 * The error codes that every fallible function returns. */
#ifndef GPUARRAY_ERROR_H
#define GPUARRAY_ERROR_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ga_error {
  GA_NO_ERROR = 0,          /**< success; every other code is a failure */
  GA_MEMORY_ERROR = 1,      /**< out of host or device memory */
  GA_VALUE_ERROR = 2,       /**< an argument's value or shape is wrong */
  GA_IMPL_ERROR = 3,        /**< the backend or the driver misbehaved */
  GA_INVALID_ERROR = 4,     /**< an argument or object is not usable here */
  GA_UNSUPPORTED_ERROR = 5, /**< valid, but this library does not do it */
  GA_SYS_ERROR = 6,         /**< the operating system refused (files, ...) */
  GA_RUN_ERROR = 7,         /**< a launch or a build on the device failed */
  GA_DEVSUP_ERROR = 8,      /**< valid, but this device or build cannot */
  GA_READONLY_ERROR = 9,    /**< write to something read-only */
  GA_WRITEONLY_ERROR = 10,  /**< read from something write-only */
  GA_BLAS_ERROR = 11,       /**< the BLAS provider failed */
  GA_UNALIGNED_ERROR = 12,  /**< elements are not aligned for their type */
  GA_COPY_ERROR = 13,       /**< a copy is needed, and was forbidden */
  GA_NODEV_ERROR = 14,      /**< no such device */
  GA_MISC_ERROR = 15,       /**< anything else */
  GA_COMM_ERROR = 16,       /**< the collectives' provider failed */
  GA_XLARGE_ERROR = 17,     /**< too large for an index or for the device */
  GA_LOAD_ERROR = 18        /**< a library to load at run time is missing */
};

/** Describe an error code in general words.
 *
 * For what exactly went wrong, with values, ask gpucontext_error() or
 * GpuArray_error() right after the failure. Returns static text, never NULL,
 * for unknown codes too. */
GPUARRAY_PUBLIC const char *gpuarray_error_str(int err);

#ifdef __cplusplus
}
#endif

#endif

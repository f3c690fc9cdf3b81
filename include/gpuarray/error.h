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
 * gpuarray_error_text() describes the failure itself, with values, if it is
 * called right after it. Never NULL, even for unknown codes. For GA_SYS_ERROR
 * it is the current text of errno. */
GPUARRAY_PUBLIC const char *gpuarray_error_str(int err);

/** \name The calling thread's last error
 *
 * Each thread has one code and one message, for both libraries. A failing
 * function records them where it sees the failure, and its callers pass the
 * code on. Your functions that a library calls (the functions of an op,
 * monitors, host functions in a launch) may record an error of their own: if
 * one returns a code other than GA_NO_ERROR, the call fails with that code and
 * that message. None of these functions blocks.
 * @{ */

/** Record an error of the calling thread and return `code`.
 *
 * The message is formatted as by printf and cut after 1,023 bytes. Arguments
 * may include gpuarray_error_text(). Never allocates. */
GPUARRAY_PUBLIC int gpuarray_fail(int code, const char *fmt, ...)
    GPUARRAY_PRINTF(2, 3);

/** Like gpuarray_fail(), for text of any length, such as a compiler's log.
 *
 * The text is copied. If memory runs out, it is cut. */
GPUARRAY_PUBLIC int gpuarray_fail_text(int code, const char *text);

/** The code of the thread's last error, or GA_NO_ERROR if there was none since
 * the start or the last gpuarray_clear_error(). Successful calls leave it as it
 * is. For functions that return NULL and no code. */
GPUARRAY_PUBLIC int gpuarray_error_code(void);

/** The message of the thread's last error, whatever `err` is, or
 * gpuarray_error_str(err) if there was none. gpucontext_error(),
 * GpuArray_error() and GpuKernel_error() return the same text. Valid until the
 * thread's next failure; never NULL. */
GPUARRAY_PUBLIC const char *gpuarray_error_text(int err);

/** Forget the thread's last error. The libraries do this before they call a
 * function of the user's, so that its message is not mistaken for an older
 * one. */
GPUARRAY_PUBLIC void gpuarray_clear_error(void);

/** @} */

#ifdef __cplusplus
}
#endif

#endif

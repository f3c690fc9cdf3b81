/* SPDX-License-Identifier: BSD-2-Clause */
/* Error codes and the calling thread's last error.
 *
 * Every fallible function returns a GA_* code. The message is recorded once,
 * where the failure is seen, and holds the values; callers pass the code on.
 * The message belongs to the thread, not to the context: threads that share a
 * context each see their own failure. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <gpuarray/error.h>

/* Short names, inside the libraries, for functions of <gpuarray/error.h>. These
 * belong to libgpuarray, so that both libraries and the functions of an op
 * share one code and one message for each thread. */
#define ga__fail gpuarray_fail
#define ga__fail_text gpuarray_fail_text
#define ga__err_text gpuarray_error_text

/* While `on`, errors of this thread are not recorded, and the last error stays:
 * for attempts that may fail. */
void ga__err_mute(int on);

/* GA_MEMORY_ERROR with a fixed message; never allocates. */
#define ga__fail_nomem() ga__fail(GA_MEMORY_ERROR, "out of host memory")

/* Return from the function if `expr` fails. For places where nothing is owned
 * yet. */
#define GA_TRY(expr)                                                           \
  do {                                                                         \
    int ga_try_err_ = (expr);                                                  \
    if (ga_try_err_ != GA_NO_ERROR)                                            \
      return ga_try_err_;                                                      \
  } while (0)

/* Set `err` to `expr`, and go to the function's single `done:` label if it
 * failed. */
#define GA_CHECK(expr)                                                         \
  do {                                                                         \
    err = (expr);                                                              \
    if (err != GA_NO_ERROR)                                                    \
      goto done;                                                               \
  } while (0)

#endif

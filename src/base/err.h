/* SPDX-License-Identifier: BSD-2-Clause */
/* Error codes and the calling thread's last message.
 *
 * Every fallible function returns a GA_* code. The message is written once,
 * where the failure is seen, with the values in it; above that place only the
 * code travels. The message belongs to the thread, not to the context: threads
 * that share a context each see their own failure. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <gpuarray/error.h>

#if defined(__GNUC__)
#define GA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define GA_PRINTF(fmt, args)
#endif

/* Record a message for `code` and return `code`. Longer text is cut. */
int ga__fail(int code, const char *fmt, ...) GA_PRINTF(2, 3);

/* Like ga__fail, for text of any length (build logs); `text` is copied. */
int ga__fail_text(int code, const char *text);

/* GA_MEMORY_ERROR with a fixed message; never allocates. */
int ga__fail_nomem(void);

/* The thread's last message if it was recorded for `code` or `code` is
 * GA_NO_ERROR, else the general text of `code`. Valid until the thread's next
 * failure. Never NULL. */
const char *ga__err_text(int code);

/* How many messages the thread has recorded: whether a function of someone
 * else's has left one. */
unsigned long ga__err_count(void);

/* Return from the function when `expr` fails; nothing is owned yet. */
#define GA_TRY(expr)                                                           \
  do {                                                                         \
    int ga_try_err_ = (expr);                                                  \
    if (ga_try_err_ != GA_NO_ERROR)                                            \
      return ga_try_err_;                                                      \
  } while (0)

/* Set `err` and go to the function's single `done:` label when `expr` fails. */
#define GA_CHECK(expr)                                                         \
  do {                                                                         \
    err = (expr);                                                              \
    if (err != GA_NO_ERROR)                                                    \
      goto done;                                                               \
  } while (0)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling thread's last error. Only libgpuarray has this file.
 *
 * Each thread has a fixed buffer for messages, so that running out of memory
 * can still be reported. Longer ones, such as build logs, are on the heap until
 * the next failure or the end of the thread. */
#include "base/err.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define INLINE_BYTES 1024

static _Thread_local struct {
  int code;                /* GA_NO_ERROR: none yet, or cleared */
  char text[INLINE_BYTES]; /* the message, or the start of a long one */
  char *long_text;         /* a long message in full, else NULL; owned */
  int is_muted;
} last;

/* Only for its destructor, which frees long_text when a thread ends. */
static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;
static int has_thread_end;

static void free_long_text(void *unused) {
  (void)unused;
  ga__free(last.long_text);
  last.long_text = NULL;
}

static void make_thread_end(void) {
  has_thread_end = pthread_key_create(&thread_end, free_long_text) == 0;
}

#if defined(__GNUC__)
/* A thread that ends after the library was unloaded must not call it. */
__attribute__((destructor)) static void delete_thread_end(void) {
  free_long_text(NULL);
  if (has_thread_end)
    pthread_key_delete(thread_end);
}
#endif

int gpuarray_fail(int code, const char *fmt, ...) {
  va_list ap;
  char text[INLINE_BYTES]; /* the arguments may point into last.text */

  if (last.is_muted)
    return code;
  va_start(ap, fmt);
  if (vsnprintf(text, sizeof text, fmt, ap) < 0)
    text[0] = '\0';
  va_end(ap);
  free_long_text(NULL);
  memcpy(last.text, text, sizeof text);
  last.code = code;
  return code;
}

int gpuarray_fail_text(int code, const char *text) {
  char *copy = NULL;

  if (last.is_muted)
    return code;
  if (strlen(text) >= INLINE_BYTES) {
    pthread_once(&thread_end_once, make_thread_end);
    if (has_thread_end && pthread_setspecific(thread_end, &last) == 0)
      copy = ga__strdup(text);
  }
  gpuarray_fail(code, "%s", text);
  last.long_text = copy;
  return code;
}

void ga__err_mute(int on) {
  last.is_muted = on;
}

int gpuarray_error_code(void) {
  return last.code;
}

const char *gpuarray_error_text(int err) {
  if (last.text[0] == '\0')
    return gpuarray_error_str(err);
  return last.long_text != NULL ? last.long_text : last.text;
}

void gpuarray_clear_error(void) {
  free_long_text(NULL);
  last.code = GA_NO_ERROR;
  last.text[0] = '\0';
}

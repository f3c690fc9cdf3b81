/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources and sinks of bytes. */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* `read` reads exactly `n` bytes, or fails. */
typedef struct ga__byte_source {
  int (*read)(struct ga__byte_source *s, void *p, size_t n);
  uint64_t left; /* bytes that are left; UINT64_MAX: unknown */
} ga__byte_source;

typedef struct ga__sink {
  int (*write)(struct ga__sink *s, const void *p, size_t n);
} ga__sink;

/* A file, read from its start. */
typedef struct ga__file_source {
  ga__byte_source source;
  int fd;
  const char *path; /* borrowed */
} ga__file_source;

/* The message of GA_SYS_ERROR has the path. Opening a pipe waits for its
 * writer, unless the caller refuses files of unknown size (`sized`). */
int ga__file_source_open(ga__file_source *f, const char *path, int sized);
void ga__file_source_close(ga__file_source *f);
/* Continue at offset `at`, in bytes. For files of known size. */
int ga__file_source_seek(ga__file_source *f, uint64_t at);

#endif

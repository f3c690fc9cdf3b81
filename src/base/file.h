/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, whole: read, write atomically, make folders, list, remove. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strb.h"

/* Read a whole file; the caller frees *bytes. GA_SYS_ERROR names the path. */
int ga__file_read(const char *path, unsigned char **bytes, size_t *n);
/* Write to a temporary name in the same folder, then rename: readers see the
 * old file or the new one. On failure nothing is left behind. */
int ga__file_write_atomic(const char *path, const void *bytes, size_t n);

/* The same in parts: open, write, and close either keeps the file under its
 * name or, as after a failure, leaves nothing behind. */
typedef struct ga__newfile {
  int fd;
  char *path;   /* owned; NULL: not open */
  ga__strb tmp; /* the name until then */
} ga__newfile;

#define GA_NEWFILE_INIT                                                        \
  { -1, NULL, GA_STRB_INIT }

int ga__newfile_open(ga__newfile *f, const char *path);
int ga__newfile_write(ga__newfile *f, const void *bytes, size_t n);
/* Change what was written before; the place to write next stays. */
int ga__newfile_write_at(ga__newfile *f, uint64_t at, const void *bytes,
                         size_t n);
int ga__newfile_close(ga__newfile *f, int keep); /* closed is fine */
int ga__dir_make(const char *path); /* with parents; existing is fine */
int ga__file_remove(const char *path);
/* Set the time of last change to now if it is more than `age_s` seconds ago. */
int ga__file_touch(const char *path, int64_t age_s);

typedef struct ga__dir_entry {
  const char *name; /* valid during the call */
  uint64_t bytes;
  int64_t mtime_ns;
} ga__dir_entry;
/* Call `fn` for each regular file in `path`; a missing folder has none. Stops
 * at the first nonzero return and returns it. */
int ga__dir_each(const char *path, int (*fn)(void *, const ga__dir_entry *),
                 void *arg);

#endif

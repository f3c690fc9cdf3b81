/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading, writing, listing and removing files, and making folders. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/strb.h"

/* Read a whole regular file. The caller frees *bytes. The message of
 * GA_SYS_ERROR has the path. */
int ga__file_read(const char *path, unsigned char **bytes, size_t *n);

/* Map a regular file; an empty one gives NULL and 0. GA_SYS_ERROR, with the
 * path, if it cannot be read. The file must not shrink until it is unmapped. */
int ga__file_map(const char *path, const unsigned char **p, size_t *n);
void ga__file_unmap(const unsigned char *p, size_t n); /* accepts NULL, 0 */

/* --- writing (file_write.c) --- */

enum {
  /* ga__newfile_write_at will be called. */
  GA_FILE_PATCHED = 1,
  /* The file is an entry of a cache, whose reader checks it: only the owner may
   * read it, it is always renamed, and not synced. */
  GA_FILE_CACHED = 2
};

/* A file that is being written. The old file stays until this one is closed.
 * Then a regular file is replaced atomically, which survives a loss of power,
 * and keeps its mode and owner; a new one has the mode 0666 less the umask.
 * Symbolic links are followed. Files with several names (hard links), and files
 * whose owner cannot be kept, get the bytes copied in place at the end, which a
 * crash can interrupt. Devices, pipes and sockets are written directly. Folders
 * and files without permission to write are refused. */
typedef struct ga__newfile {
  int fd;       /* where bytes are written: a temporary file or the file
                   itself */
  int target;   /* where the temporary file is copied to; -1: it is renamed */
  int flags;    /* GA_FILE_* */
  char *path;   /* owned; NULL: not open */
  ga__strb tmp; /* the temporary file's name; empty: there is none */
} ga__newfile;

#define GA_NEWFILE_INIT                                                        \
  { -1, -1, 0, NULL, GA_STRB_INIT }

/* The message of GA_SYS_ERROR has the path. After a failure nothing is open,
 * and no temporary file is left. Opening a pipe waits for its reader. */
int ga__newfile_open(ga__newfile *f, const char *path, int flags);
int ga__newfile_write(ga__newfile *f, const void *bytes, size_t n);
/* Overwrite earlier bytes at offset `at`. The next write continues at the
 * end. */
int ga__newfile_write_at(ga__newfile *f, uint64_t at, const void *bytes,
                         size_t n);
/* Close the file, and put it in its place if `keep`, else discard it. Accepts a
 * closed one. */
int ga__newfile_close(ga__newfile *f, int keep);
/* Flush a stream. GA_SYS_ERROR if that or an earlier write failed; the message
 * names `what` and the reason. */
int ga__flushed(FILE *out, const char *what);
/* Open, write and close a file. */
int ga__file_write(const char *path, const void *bytes, size_t n, int flags);

/* --- the rest --- */

/* Record "cannot <verb> <path>: " with the text of errno, and return
 * GA_SYS_ERROR. */
int ga__file_fail(const char *verb, const char *path);
/* Read `n` bytes, or fewer at the end of the file; *got is their count. Returns
 * -1 with errno set on failure. */
int ga__fd_read(int fd, void *p, size_t n, size_t *got);
/* Make a folder and its parents, with mode 0700. Existing ones are accepted. */
int ga__dir_make(const char *path);
/* GA_SYS_ERROR, with the reason, if other users can put files into a folder:
 * the owner is neither the user nor root, or others may write to it. */
int ga__dir_check_own(const char *path);
/* Open a regular file that the user or root owns and nobody else may write, and
 * fill *st. Returns -1 for others. Does not block on pipes, nor follow links.
 * With O_CREAT, a new file has mode 0600. */
int ga__file_open_own(const char *path, int flags, struct stat *st);

int ga__file_remove(const char *path);
/* Set the modification time to now if it is more than `age_s` seconds ago. */
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

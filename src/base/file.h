/* SPDX-License-Identifier: BSD-2-Clause */
/* Read, write, list and remove files; make folders. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/strb.h"

/* Read a whole file; the caller frees *bytes. GA_SYS_ERROR names the path. */
int ga__file_read(const char *path, unsigned char **bytes, size_t *n);

/* --- writing (file_write.c) --- */

enum {
  /* ga__newfile_write_at will be called. */
  GA_FILE_PATCHED = 1,
  /* An entry of a cache, which its reader checks: readable by the owner only,
   * always renamed, and not synced. */
  GA_FILE_CACHED = 2
};

/* A file that is being written. What had been under its name stays until it is
 * closed. A regular file is then replaced in one step that outlives a loss of
 * power, and keeps its mode and owner; a new one has the mode 0666 less the
 * umask. Symbolic links are followed. Files with other names (hard links) and
 * files whose owner cannot be kept get the bytes at the end, in place, which a
 * crash can interrupt. Devices, pipes and sockets get them directly. Folders
 * and files that may not be written are refused. */
typedef struct ga__newfile {
  int fd;       /* what is written to: a temporary file or the file itself */
  int target;   /* what the temporary file is copied to; -1: it is renamed */
  int flags;    /* GA_FILE_* */
  char *path;   /* owned; NULL: not open */
  ga__strb tmp; /* the temporary file's name; empty: there is none */
} ga__newfile;

#define GA_NEWFILE_INIT                                                        \
  { -1, -1, 0, NULL, GA_STRB_INIT }

/* GA_SYS_ERROR names the path; then nothing is open, and nothing left behind.
 * Opening a pipe waits for its reader. */
int ga__newfile_open(ga__newfile *f, const char *path, int flags);
int ga__newfile_write(ga__newfile *f, const void *bytes, size_t n);
/* Overwrite earlier bytes; the position of the next write stays. */
int ga__newfile_write_at(ga__newfile *f, uint64_t at, const void *bytes,
                         size_t n);
/* Put the file in its place if `keep`, else remove it; accepts a closed one. */
int ga__newfile_close(ga__newfile *f, int keep);
/* All three. */
int ga__file_write(const char *path, const void *bytes, size_t n, int flags);

/* --- the rest --- */

/* Record "cannot <verb> <path>: " and what errno stands for; GA_SYS_ERROR. */
int ga__file_fail(const char *verb, const char *path);
/* Read until `n` bytes or the end; *got is how many came. -1 and errno when the
 * system fails. */
int ga__fd_read(int fd, void *p, size_t n, size_t *got);
/* Make a folder and its parents, for the owner alone (0700). Existing ones are
 * accepted. */
int ga__dir_make(const char *path);
/* GA_SYS_ERROR, with the reason, if others can put files into it: it belongs to
 * someone other than the user and root, or others may write to it. */
int ga__dir_check_own(const char *path);
/* Open a regular file that the user or root owns and nobody else may write,
 * and fill *st; -1 otherwise. Does not wait for pipes or follow links.
 * A file that O_CREAT makes is for the owner alone. */
int ga__file_open_own(const char *path, int flags, struct stat *st);

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

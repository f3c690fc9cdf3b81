/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a cache: which entries are being tried.
 *
 * A driver that gets bad bytes may end the process, at once or at the first
 * launch, and would do so at every start. So the process writes the key of an
 * entry to a file until the entry has proved good. The next process that opens
 * the cache finds the files of processes that have ended, and empties the
 * entries that they name.
 *
 * The files are named "loading.0", "loading.1" and so on. A running process
 * holds a lock on its file. A file has records of GA_SHA256_BYTES bytes, which
 * are a key or zeros. Only files that the user or root owns are read. */
#ifndef CACHE_JOURNAL_H
#define CACHE_JOURNAL_H

#include <stddef.h>

#include "base/sha256.h"
#include "base/vec.h"

typedef struct ga__journal {
  int fd;     /* -1: no file yet */
  char *path; /* of the file; owned */
  int gave_up;
  GA_VEC(unsigned char) taken; /* per record: nonzero if it has a key */
} ga__journal;

#define GA_JOURNAL_INIT                                                        \
  {                                                                            \
    -1, NULL, 0, {                                                             \
      0                                                                        \
    }                                                                          \
  }

/* Call found(arg, key) for each key in files of processes that have ended, and
 * remove these files. Failures are ignored. */
void ga__journal_recover(const char *folder,
                         void (*found)(void *arg, const unsigned char *key),
                         void *arg);
/* Write a key. Returns the number of its record, from 1, or 0 on failure. The
 * first call creates the file of the process. */
size_t ga__journal_begin(ga__journal *j, const char *folder,
                         const unsigned char key[GA_SHA256_BYTES]);
/* Erase a record, because its entry is good. Accepts 0. */
void ga__journal_end(ga__journal *j, size_t record);
/* Erase all records and remove the file. */
void ga__journal_close(ga__journal *j);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which entries of a cache are being tried.
 *
 * A driver that is given bad bytes can end the process, at once or at the first
 * launch, and would do so at every start. So the key of an entry stands in a
 * file of the process until the entry has proved good. Whoever opens the cache
 * next finds the files of processes that are gone and empties what they name.
 *
 * The files are called "loading.0", "loading.1" and so on. A living process
 * holds a lock on its own. A file holds records of GA_SHA256_BYTES, a key or
 * zeros. Only files that the user or root owns are read. */
#ifndef CACHE_JOURNAL_H
#define CACHE_JOURNAL_H

#include <stddef.h>

#include "base/sha256.h"
#include "base/vec.h"

typedef struct ga__journal {
  int fd;     /* -1: there is no file yet */
  char *path; /* of the file; owned */
  int gave_up;
  GA_VEC(unsigned char) taken; /* per record: does it hold a key? */
} ga__journal;

#define GA_JOURNAL_INIT                                                        \
  {                                                                            \
    -1, NULL, 0, {                                                             \
      0                                                                        \
    }                                                                          \
  }

/* Call found(arg, key) for what processes left that are gone, and remove their
 * files. Best effort. */
void ga__journal_recover(const char *folder,
                         void (*found)(void *arg, const unsigned char *key),
                         void *arg);
/* Note a key: the number of its record, or 0 where that cannot be noted. Makes
 * the process's file at first. */
size_t ga__journal_begin(ga__journal *j, const char *folder,
                         const unsigned char key[GA_SHA256_BYTES]);
/* The entry is good; 0 is fine. */
void ga__journal_end(ga__journal *j, size_t record);
/* All are; remove the file. */
void ga__journal_close(ga__journal *j);

#endif

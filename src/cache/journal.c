/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a cache. */
#include "cache/journal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strb.h"

#define FILES 16 /* processes that can have a file at the same time */

static int name_file(ga__strb *b, const char *folder, int i) {
  ga__strb_reset(b);
  ga__strb_appendf(b, "%s/loading.%d", folder, i);
  return b->err == GA_NO_ERROR;
}

/* Open and lock file i. Returns -1 if it does not exist, another user owns it
 * or another process has locked it. */
static int open_locked(ga__strb *name, const char *folder, int i, int flags) {
  struct stat st;

  if (!name_file(name, folder, i))
    return -1;
  int fd = ga__file_open_own(name->s, O_RDWR | flags, &st);
  if (fd < 0)
    return -1;
  /* Its process may have removed it between the open and the lock. */
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
      st.st_nlink != 0)
    return fd;
  close(fd);
  return -1;
}

void ga__journal_recover(const char *folder,
                         void (*found)(void *arg, const unsigned char *key),
                         void *arg) {
  static const unsigned char none[GA_SHA256_BYTES];
  unsigned char key[GA_SHA256_BYTES];
  ga__strb name = GA_STRB_INIT;

  for (int i = 0; i < FILES; i++) {
    const int fd = open_locked(&name, folder, i, 0);
    if (fd < 0)
      continue;
    while (read(fd, key, sizeof key) == (ssize_t)sizeof key)
      if (memcmp(key, none, sizeof key) != 0)
        found(arg, key);
    unlink(name.s);
    close(fd);
  }
  ga__strb_clear(&name);
}

static void make_file(ga__journal *j, const char *folder) {
  ga__strb name = GA_STRB_INIT;

  for (int i = 0; i < FILES && j->fd < 0; i++)
    j->fd = open_locked(&name, folder, i, O_CREAT);
  if (j->fd >= 0 && ga__strb_take(&name, &j->path) != GA_NO_ERROR) {
    close(j->fd);
    j->fd = -1;
  }
  ga__strb_clear(&name);
}

static int write_record(const ga__journal *j, size_t record,
                        const unsigned char *key) {
  return pwrite(j->fd, key, GA_SHA256_BYTES,
                (off_t)((record - 1) * GA_SHA256_BYTES)) == GA_SHA256_BYTES;
}

size_t ga__journal_begin(ga__journal *j, const char *folder,
                         const unsigned char key[GA_SHA256_BYTES]) {
  size_t i = 0;

  if (j->fd < 0 && !j->gave_up) {
    make_file(j, folder);
    j->gave_up = j->fd < 0;
  }
  if (j->fd < 0)
    return 0;
  while (i < j->taken.n && j->taken.v[i])
    i++;
  if (i == j->taken.n && ga__vec_push(&j->taken, 0) != GA_NO_ERROR)
    return 0;
  if (!write_record(j, i + 1, key))
    return 0;
  j->taken.v[i] = 1;
  return i + 1;
}

void ga__journal_end(ga__journal *j, size_t record) {
  static const unsigned char none[GA_SHA256_BYTES];

  if (record != 0 && write_record(j, record, none))
    j->taken.v[record - 1] = 0;
}

void ga__journal_close(ga__journal *j) {
  if (j->fd >= 0) {
    unlink(j->path);
    close(j->fd);
  }
  ga__free(j->path);
  ga__vec_clear(&j->taken);
  *j = (ga__journal)GA_JOURNAL_INIT;
}

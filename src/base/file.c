/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files through POSIX calls. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strb.h"

#define TRIES 100 /* temporary names that may be taken already */

static int fail_errno(const char *verb, const char *path) {
  return ga__fail(GA_SYS_ERROR, "cannot %s %s: %s", verb, path,
                  strerror(errno));
}

/* Read until `n` bytes or the end; *got tells how many came. */
static int read_all(int fd, unsigned char *p, size_t n, size_t *got) {
  *got = 0;
  while (*got < n) {
    ssize_t r = read(fd, p + *got, n - *got);
    if (r == 0)
      break;
    if (r > 0)
      *got += (size_t)r;
    else if (errno != EINTR)
      return -1;
  }
  return 0;
}

static int write_all(int fd, const unsigned char *p, size_t n) {
  while (n > 0) {
    ssize_t r = write(fd, p, n);
    if (r >= 0) {
      p += r;
      n -= (size_t)r;
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

int ga__file_read(const char *path, unsigned char **bytes, size_t *n) {
  unsigned char *p = NULL;
  struct stat st;
  int fd = -1, err = GA_NO_ERROR;

  *bytes = NULL;
  *n = 0;
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    err = fail_errno("open", path);
    goto done;
  }
  if (!S_ISREG(st.st_mode)) {
    err = ga__fail(GA_SYS_ERROR, "cannot read %s: not a regular file", path);
    goto done;
  }
  p = ga__malloc((size_t)st.st_size);
  if (p == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  if (read_all(fd, p, (size_t)st.st_size, n) != 0) {
    err = fail_errno("read", path);
    goto done;
  }
  *bytes = p;
  p = NULL;

done:
  if (fd >= 0)
    close(fd);
  ga__free(p);
  return err;
}

/* Open a new file next to `path`, its name in `tmp`; -1 and errno when that
 * fails. The process id and a counter make the name unique among processes of
 * one machine, O_EXCL among machines that share the folder. */
static int open_temp(ga__strb *tmp, const char *path) {
  static atomic_uint counter;
  int fd = -1;

  for (int i = 0; i < TRIES && fd < 0; i++) {
    ga__strb_reset(tmp);
    ga__strb_appendf(tmp, "%s.tmp.%ld.%u", path, (long)getpid(),
                     atomic_fetch_add(&counter, 1));
    errno = ENOMEM;
    if (tmp->err != GA_NO_ERROR)
      break;
    fd = open(tmp->s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  return fd;
}

int ga__newfile_open(ga__newfile *f, const char *path) {
  *f = (ga__newfile)GA_NEWFILE_INIT;
  f->path = ga__strdup(path);
  if (f->path == NULL)
    return ga__fail_nomem();
  f->fd = open_temp(&f->tmp, path);
  if (f->fd >= 0)
    return GA_NO_ERROR;
  int err = f->tmp.err != GA_NO_ERROR ? f->tmp.err : fail_errno("create", path);
  ga__strb_clear(&f->tmp);
  ga__free(f->path);
  f->path = NULL;
  return err;
}

int ga__newfile_write(ga__newfile *f, const void *bytes, size_t n) {
  return write_all(f->fd, bytes, n) == 0 ? GA_NO_ERROR
                                         : fail_errno("write", f->path);
}

int ga__newfile_write_at(ga__newfile *f, uint64_t at, const void *bytes,
                         size_t n) {
  const off_t end = lseek(f->fd, 0, SEEK_CUR);

  if (end < 0 || lseek(f->fd, (off_t)at, SEEK_SET) < 0)
    return fail_errno("seek in", f->path);
  int err = ga__newfile_write(f, bytes, n);
  if (err == GA_NO_ERROR && lseek(f->fd, end, SEEK_SET) < 0)
    err = fail_errno("seek in", f->path);
  return err;
}

int ga__newfile_close(ga__newfile *f, int keep) {
  int err = GA_NO_ERROR;

  if (f->path == NULL)
    return GA_NO_ERROR;
  /* Some file systems report a full disk only here. */
  if (close(f->fd) != 0 && keep)
    err = fail_errno("write", f->path);
  if (err == GA_NO_ERROR && keep && rename(f->tmp.s, f->path) != 0)
    err = fail_errno("rename to", f->path);
  if (err != GA_NO_ERROR || !keep)
    unlink(f->tmp.s);
  ga__strb_clear(&f->tmp);
  ga__free(f->path);
  *f = (ga__newfile)GA_NEWFILE_INIT;
  return err;
}

int ga__file_write_atomic(const char *path, const void *bytes, size_t n) {
  ga__newfile f;

  GA_TRY(ga__newfile_open(&f, path));
  int failed = ga__newfile_write(&f, bytes, n);
  int err = ga__newfile_close(&f, failed == GA_NO_ERROR);
  return failed != GA_NO_ERROR ? failed : err;
}

static int is_dir(const char *path) {
  struct stat st;

  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int ga__dir_make(const char *path) {
  char *copy = ga__strdup(path);
  int err = GA_NO_ERROR;

  if (copy == NULL)
    return ga__fail_nomem();
  /* Parents first: cut the copy at each slash in turn. Their failure shows up
   * as that of the last folder. */
  for (char *p = copy; *p != '\0'; p++) {
    if (*p != '/' || p == copy)
      continue;
    *p = '\0';
    mkdir(copy, 0777);
    *p = '/';
  }
  if (mkdir(path, 0777) != 0 && !is_dir(path))
    err = fail_errno("make folder", path);
  ga__free(copy);
  return err;
}

int ga__file_remove(const char *path) {
  return unlink(path) == 0 ? GA_NO_ERROR : fail_errno("remove", path);
}

int ga__file_touch(const char *path, int64_t age_s) {
  struct stat st;

  if (stat(path, &st) != 0)
    return fail_errno("look at", path);
  if ((int64_t)time(NULL) - (int64_t)st.st_mtime <= age_s)
    return GA_NO_ERROR;
  if (utimensat(AT_FDCWD, path, NULL, 0) != 0)
    return fail_errno("touch", path);
  return GA_NO_ERROR;
}

static int64_t mtime_ns(const struct stat *st) {
#if defined(__APPLE__)
  return (int64_t)st->st_mtime * 1000000000 + st->st_mtimensec;
#else
  return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
#endif
}

int ga__dir_each(const char *path, int (*fn)(void *, const ga__dir_entry *),
                 void *arg) {
  DIR *dir = opendir(path);
  const struct dirent *e;
  ga__dir_entry entry;
  struct stat st;
  int err = GA_NO_ERROR;

  if (dir == NULL)
    return errno == ENOENT ? GA_NO_ERROR : fail_errno("list", path);
  while (err == GA_NO_ERROR && (e = readdir(dir)) != NULL) {
    /* A file that another process has just removed is not an error. */
    if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    entry.name = e->d_name;
    entry.bytes = (uint64_t)st.st_size;
    entry.mtime_ns = mtime_ns(&st);
    err = fn(arg, &entry);
  }
  closedir(dir);
  return err;
}

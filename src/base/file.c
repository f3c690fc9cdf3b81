/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and listing files, and making folders. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

int ga__file_fail(const char *verb, const char *path) {
  return ga__fail(GA_SYS_ERROR, "cannot %s %s: %s", verb, path,
                  strerror(errno));
}

int ga__fd_read(int fd, void *p, size_t n, size_t *got) {
  *got = 0;
  while (*got < n) {
    const ssize_t r = read(fd, (char *)p + *got, n - *got);
    if (r == 0)
      break;
    if (r > 0)
      *got += (size_t)r;
    else if (errno != EINTR)
      return -1;
  }
  return 0;
}

int ga__file_read(const char *path, unsigned char **bytes, size_t *n) {
  unsigned char *p = NULL;
  struct stat st;
  int fd = -1, err = GA_NO_ERROR;
  char c;

  *bytes = NULL;
  *n = 0;
  /* O_NONBLOCK: do not wait for a writer if this is a pipe. */
  fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &st) != 0)
    GA_CHECK(ga__file_fail("open", path));
  if (!S_ISREG(st.st_mode))
    GA_CHECK(
        ga__fail(GA_SYS_ERROR, "cannot read %s: not a regular file", path));
  p = ga__malloc((size_t)st.st_size);
  if (p == NULL)
    GA_CHECK(ga__fail_nomem());
  if (st.st_size == 0 && read(fd, &c, 1) == 1)
    GA_CHECK(
        ga__fail(GA_SYS_ERROR, "cannot read %s: its size is not known", path));
  if (ga__fd_read(fd, p, (size_t)st.st_size, n) != 0)
    GA_CHECK(ga__file_fail("read", path));
  *bytes = p;
  p = NULL;

done:
  if (fd >= 0)
    close(fd);
  ga__free(p);
  return err;
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
  /* Make the parents first, by cutting the copy at each slash in turn. If one
   * fails, so does the last folder. */
  for (char *p = copy; *p != '\0'; p++) {
    if (*p != '/' || p == copy)
      continue;
    *p = '\0';
    mkdir(copy, 0700);
    *p = '/';
  }
  if (mkdir(path, 0700) != 0 && !is_dir(path))
    err = ga__file_fail("make folder", path);
  ga__free(copy);
  return err;
}

/* The same rule as ssh's for its files. */
static int is_own(const struct stat *st) {
  return (st->st_uid == geteuid() || st->st_uid == 0) &&
         (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int ga__dir_check_own(const char *path) {
  struct stat st;

  if (stat(path, &st) != 0)
    return ga__file_fail("look at", path);
  if (is_own(&st))
    return GA_NO_ERROR;
  return ga__fail(GA_SYS_ERROR, "cannot trust %s: %s", path,
                  st.st_mode & (S_IWGRP | S_IWOTH)
                      ? "others may write to it (chmod go-w)"
                      : "it belongs to another user");
}

int ga__file_open_own(const char *path, int flags, struct stat *st) {
  const int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

  if (fd < 0)
    return -1;
  if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && is_own(st))
    return fd;
  close(fd);
  return -1;
}

int ga__file_remove(const char *path) {
  return unlink(path) == 0 ? GA_NO_ERROR : ga__file_fail("remove", path);
}

int ga__file_touch(const char *path, int64_t age_s) {
  struct stat st;

  if (stat(path, &st) != 0)
    return ga__file_fail("look at", path);
  if ((int64_t)time(NULL) - (int64_t)st.st_mtime <= age_s)
    return GA_NO_ERROR;
  if (utimensat(AT_FDCWD, path, NULL, 0) != 0)
    return ga__file_fail("touch", path);
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
    return errno == ENOENT ? GA_NO_ERROR : ga__file_fail("list", path);
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

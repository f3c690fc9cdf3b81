/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrapped calls. */
#include "torture/file_fault.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RENAMES = 4, PATH = 1200 };

static struct {
  int on, how, always;
  long nth; /* 0: count only */
  long calls, struck;
} armed;

static long n_open;
static char renamed[RENAMES][PATH];
static int n_renamed;

void file_fault_arm(long nth, int how, int always) {
  memset(&armed, 0, sizeof armed);
  armed.on = 1;
  armed.nth = nth;
  armed.how = how;
  armed.always = always;
  if (nth == 0)
    n_renamed = 0;
}

long file_fault_disarm(long *struck) {
  armed.on = 0;
  if (struck != NULL)
    *struck = armed.struck;
  return armed.calls;
}

long file_fault_open(void) {
  return n_open;
}

const char *file_fault_renamed(int i) {
  return i < n_renamed ? renamed[i] : NULL;
}

/* What becomes of this call: 0, an errno, or one of the above. */
static int fault(void) {
  if (!armed.on)
    return 0;
  armed.calls++;
  if (armed.nth == 0 || armed.calls < armed.nth ||
      (armed.calls > armed.nth && !armed.always))
    return 0;
  armed.struck++;
  if (armed.how == FILE_KILL)
    raise(SIGKILL);
  return armed.how;
}

static long finish(int how, long result) {
  if (how == FILE_KILL_AFTER)
    raise(SIGKILL);
  return result;
}

/* A wrapped call: the real one unless the fault is an errno. */
#define WRAP(type, name, params, args)                                         \
  type __real_##name params;                                                   \
  type __wrap_##name params;                                                   \
  type __wrap_##name params {                                                  \
    const int how = fault();                                                   \
                                                                               \
    if (how > 0) {                                                             \
      errno = how;                                                             \
      return -1;                                                               \
    }                                                                          \
    return (type)finish(how, __real_##name args);                              \
  }

WRAP(int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, unlink, (const char *path), (path))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, int mode);
int __wrap_open(const char *path, int flags, int mode) {
  const int how = fault();
  int fd = -1;

  if (how > 0)
    errno = how;
  else
    fd = (int)finish(how, __real_open(path, flags, mode));
  n_open += fd >= 0;
  return fd;
}

/* The file is closed in any case. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  const int how = fault(), r = __real_close(fd);

  n_open -= r == 0;
  if (how <= 0)
    return (int)finish(how, r);
  errno = how;
  return -1;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  const int how = fault();

  if (armed.on && armed.nth == 0 && n_renamed < RENAMES)
    snprintf(renamed[n_renamed++], PATH, "%s", to);
  if (how <= 0)
    return (int)finish(how, __real_rename(from, to));
  errno = how;
  return -1;
}

/* How much of n bytes is wanted. */
static size_t part(size_t n, int how) {
  return how == FILE_SHORT ? (n + 1) / 2 : n;
}

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n) {
  const int how = fault();

  if (how <= 0)
    return finish(how, __real_read(fd, p, how == FILE_END ? 0 : part(n, how)));
  errno = how;
  return -1;
}

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n) {
  const int how = fault();

  if (how <= 0)
    return finish(how, __real_write(fd, p, part(n, how)));
  errno = how;
  return -1;
}

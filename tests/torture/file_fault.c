/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrapped calls. */
#include "torture/file_fault.h"

#include <errno.h>
#include <fcntl.h>
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

/* --- what a loss of power would take --- */

enum { FILES = 16, NAMES = 16 };

/* A file or a folder that was opened since the fault was armed. */
static struct {
  int fd; /* -1: closed */
  int is_dirty;
  char path[PATH]; /* what it is called now */
  off_t synced;    /* bytes that are safe */
} files[FILES];
static int n_files;

/* A name that a file got, until its folder is synced. */
static struct {
  char path[PATH], before[PATH]; /* where the old file of that name is kept */
} names[NAMES];
static int n_names;

int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_stat(const char *path, struct stat *st);
int __real_fstat(int fd, struct stat *st);

static void note_open(int fd, const char *path, int flags) {
  if (!armed.on || fd < 0 || n_files == FILES)
    return;
  files[n_files].fd = fd;
  files[n_files].is_dirty = 0;
  files[n_files].synced = 0;
  snprintf(files[n_files++].path, PATH, "%s", path);
  if ((flags & O_EXCL) && n_names < NAMES) {
    names[n_names].before[0] = '\0';
    snprintf(names[n_names++].path, PATH, "%s", path);
  }
}

static void note_close(int fd) {
  for (int i = 0; i < n_files; i++)
    if (files[i].fd == fd)
      files[i].fd = -1;
}

static void note_change(int fd) {
  for (int i = 0; i < n_files; i++)
    if (files[i].fd == fd)
      files[i].is_dirty = 1;
}

static int is_in(const char *path, const char *folder) {
  const char *slash = strrchr(path, '/');
  size_t n = strlen(folder);

  while (n > 0 && folder[n - 1] == '/')
    n--;
  return slash != NULL && (size_t)(slash - path) == n &&
         memcmp(path, folder, n) == 0;
}

static void note_sync(int fd) {
  struct stat st;

  for (int i = 0; i < n_files; i++)
    if (files[i].fd == fd && __real_fstat(fd, &st) == 0) {
      files[i].is_dirty = 0;
      files[i].synced = st.st_size;
      for (int k = 0; k < n_names; k++)
        if (is_in(names[k].path, files[i].path)) {
          if (names[k].before[0] != '\0')
            __real_unlink(names[k].before);
          names[k].path[0] = '\0';
        }
    }
}

/* Before it happens: keep the old file of that name. */
static void note_rename(const char *from, const char *to) {
  if (!armed.on || n_names == NAMES)
    return;
  for (int i = 0; i < n_files; i++)
    if (strcmp(files[i].path, from) == 0)
      snprintf(files[i].path, PATH, "%s", to);
  snprintf(names[n_names].path, PATH, "%s", to);
  snprintf(names[n_names].before, PATH, "%.1100s.before", to);
  if (link(to, names[n_names].before) != 0)
    names[n_names].before[0] = '\0';
  n_names++;
}

void file_fault_power(int how) {
  for (int i = 0; i < n_files; i++)
    if (files[i].is_dirty && truncate(files[i].path, files[i].synced) != 0)
      continue; /* it has gone */
  for (int k = n_names; k-- > 0;) {
    if (names[k].path[0] == '\0')
      continue;
    if (how == FILE_POWER_NAMES && names[k].before[0] != '\0')
      __real_rename(names[k].before, names[k].path);
    else if (how == FILE_POWER_NAMES)
      __real_unlink(names[k].path);
    else if (names[k].before[0] != '\0')
      __real_unlink(names[k].before);
  }
  raise(SIGKILL);
}

/* --- faults --- */

void file_fault_arm(long nth, int how, int always) {
  memset(&armed, 0, sizeof armed);
  armed.on = 1;
  armed.nth = nth;
  armed.how = how;
  armed.always = always;
  n_files = n_names = 0;
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
  if (armed.how == FILE_POWER_BYTES || armed.how == FILE_POWER_NAMES)
    file_fault_power(armed.how);
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

WRAP(int, stat, (const char *path, struct stat *st), (path, st))
WRAP(int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
WRAP(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence))
WRAP(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n))
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
  note_open(fd, path, flags);
  return fd;
}

/* The file is closed in any case. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  const int how = fault(), r = __real_close(fd);

  n_open -= r == 0;
  note_close(fd);
  if (how <= 0)
    return (int)finish(how, r);
  errno = how;
  return -1;
}

int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  const int how = fault();

  if (armed.on && armed.nth == 0 && n_renamed < RENAMES)
    snprintf(renamed[n_renamed++], PATH, "%s", to);
  if (how <= 0) {
    if (armed.how == FILE_POWER_BYTES || armed.how == FILE_POWER_NAMES)
      note_rename(from, to);
    return (int)finish(how, __real_rename(from, to));
  }
  errno = how;
  return -1;
}

int __real_ftruncate(int fd, off_t n);
int __wrap_ftruncate(int fd, off_t n);
int __wrap_ftruncate(int fd, off_t n) {
  const int how = fault();

  note_change(fd);
  if (how <= 0)
    return (int)finish(how, __real_ftruncate(fd, n));
  errno = how;
  return -1;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
  const int how = fault();

  if (how <= 0) {
    note_sync(fd);
    return (int)finish(how, __real_fsync(fd));
  }
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

  note_change(fd);
  if (how <= 0)
    return finish(how, __real_write(fd, p, part(n, how)));
  errno = how;
  return -1;
}

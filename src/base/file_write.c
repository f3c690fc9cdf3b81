/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing files.
 *
 * A regular or new file is written under a temporary name in its folder and
 * then renamed, so that its name has either the old bytes or the new ones, even
 * after a crash or a loss of power. Where a rename would do harm, the file
 * stays: one with several names, or with an owner that the process may not set,
 * gets a copy of the temporary file's bytes. Devices, pipes and sockets are
 * written directly. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"

#define TRIES 100         /* temporary names that are tried */
#define LINKS 40          /* symbolic links that are followed */
#define COPY_BYTES 65536  /* copied at a time */
#define PERMISSIONS 0777u /* the permission bits of a mode */

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

/* --- opening --- */

/* Open a new file named `base` with a suffix, and put the name into `tmp`.
 * Returns -1 with errno set on failure. The process id and a counter make the
 * name unique on one machine, O_EXCL among machines that share the folder. */
static int open_temp(ga__strb *tmp, const char *base, mode_t mode) {
  static atomic_uint counter;
  int fd = -1;

  for (int i = 0; i < TRIES && fd < 0; i++) {
    ga__strb_reset(tmp);
    ga__strb_appendf(tmp, "%s.tmp.%ld.%u", base, (long)getpid(),
                     atomic_fetch_add(&counter, 1));
    errno = ENOMEM;
    if (tmp->err != GA_NO_ERROR)
      break;
    fd = open(tmp->s, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0)
    tmp->n = 0;
  return fd;
}

/* Replace the path of a symbolic link by its target, which need not exist. */
static int follow_links(ga__strb *path) {
  char link[PATH_MAX];

  for (int i = 0; i < LINKS && path->err == GA_NO_ERROR; i++) {
    const ssize_t n = readlink(path->s, link, sizeof link - 1);
    if (n < 0)
      return GA_NO_ERROR; /* not a link, or not there */
    link[n] = '\0';
    const char *slash = strrchr(path->s, '/');
    path->n =
        link[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path->s) + 1;
    ga__strb_append(path, link);
  }
  errno = ELOOP;
  return path->err != GA_NO_ERROR ? path->err : ga__file_fail("open", path->s);
}

/* Set f->path to `path`, or with `follow` to the target of its symbolic
 * links. */
static int set_path(ga__newfile *f, const char *path, int follow) {
  ga__strb b = GA_STRB_INIT;
  int err;

  ga__strb_append(&b, path);
  GA_CHECK(b.err);
  if (follow)
    GA_CHECK(follow_links(&b));
  GA_CHECK(ga__strb_take(&b, &f->path));
done:
  ga__strb_clear(&b);
  return err;
}

/* Open a temporary file beside `base`. */
static int open_new(ga__newfile *f, const char *base, mode_t mode) {
  f->fd = open_temp(&f->tmp, base, mode);
  if (f->fd >= 0)
    return GA_NO_ERROR;
  return f->tmp.err != GA_NO_ERROR ? f->tmp.err : ga__file_fail("create", base);
}

static int open_target(int *fd, const char *path) {
  *fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return *fd >= 0 ? GA_NO_ERROR : ga__file_fail("open", path);
}

/* Give an open file the owner and the mode of `old`. Returns 0 if that is not
 * permitted. */
static int take_owner(int fd, const struct stat *old) {
  struct stat st;

  if (fstat(fd, &st) != 0)
    return 0;
  if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
      fchown(fd, old->st_uid, old->st_gid) != 0)
    return 0;
  return fchmod(fd, old->st_mode & PERMISSIONS) == 0;
}

/* Opens the old file first, to find out whether it may be written. */
static int open_existing(ga__newfile *f, const struct stat *old) {
  GA_TRY(open_target(&f->target, f->path));
  GA_TRY(open_new(f, f->path, old->st_mode & PERMISSIONS));
  if (old->st_nlink != 1 || !take_owner(f->fd, old))
    return GA_NO_ERROR;
  close(f->target);
  f->target = -1;
  return GA_NO_ERROR;
}

/* Open a device, a pipe or a socket. If it cannot seek but the bytes will be
 * patched, write a temporary file first, in the folder for such files. */
static int open_special(ga__newfile *f) {
  GA_TRY(open_target(&f->fd, f->path));
  if (!(f->flags & GA_FILE_PATCHED) || lseek(f->fd, 0, SEEK_CUR) >= 0)
    return GA_NO_ERROR;
  ga__strb base = GA_STRB_INIT;
  const char *folder = ga__env_text("TMPDIR");
  int err;

  ga__strb_appendf(&base, "%s/gpugraph", folder != NULL ? folder : "/tmp");
  GA_CHECK(base.err);
  f->target = f->fd;
  err = open_new(f, base.s, 0600);
done:
  ga__strb_clear(&base);
  return err;
}

static int open_any(ga__newfile *f, const char *path) {
  struct stat st;

  if (f->flags & GA_FILE_CACHED) {
    GA_TRY(set_path(f, path, 0));
    return open_new(f, f->path, 0600);
  }
  const int exists = stat(path, &st) == 0;
  if (!exists && errno != ENOENT)
    return ga__file_fail("open", path);
  if (exists && S_ISDIR(st.st_mode))
    return ga__fail(GA_SYS_ERROR, "cannot write %s: it is a folder", path);
  GA_TRY(set_path(f, path, !exists || S_ISREG(st.st_mode)));
  if (!exists)
    return open_new(f, f->path, 0666);
  return S_ISREG(st.st_mode) ? open_existing(f, &st) : open_special(f);
}

int ga__newfile_open(ga__newfile *f, const char *path, int flags) {
  *f = (ga__newfile)GA_NEWFILE_INIT;
  f->flags = flags;
  if (path == NULL || path[0] == '\0')
    return ga__fail(GA_VALUE_ERROR, path == NULL ? "no path" : "an empty path");
  int err = open_any(f, path);
  if (err != GA_NO_ERROR)
    ga__newfile_close(f, 0);
  return err;
}

/* --- writing --- */

int ga__newfile_write(ga__newfile *f, const void *bytes, size_t n) {
  return write_all(f->fd, bytes, n) == 0 ? GA_NO_ERROR
                                         : ga__file_fail("write", f->path);
}

int ga__newfile_write_at(ga__newfile *f, uint64_t at, const void *bytes,
                         size_t n) {
  const off_t end = lseek(f->fd, 0, SEEK_CUR);

  if (end < 0 || lseek(f->fd, (off_t)at, SEEK_SET) < 0)
    return ga__file_fail("seek in", f->path);
  int err = ga__newfile_write(f, bytes, n);
  if (err == GA_NO_ERROR && lseek(f->fd, end, SEEK_SET) < 0)
    err = ga__file_fail("seek in", f->path);
  return err;
}

/* --- closing --- */

static int close_fd(int *fd) {
  const int r = *fd >= 0 ? close(*fd) : 0;

  *fd = -1;
  return r;
}

/* Sync the folder of the file. To allocate nothing, its name is made in the
 * memory of the temporary name. File systems that cannot sync a folder, and
 * folders that may not be read, are accepted. */
static int sync_folder(ga__newfile *f) {
  char *slash = strrchr(f->tmp.s, '/');
  int err = GA_NO_ERROR;

  if (slash != NULL)
    slash[1] = '\0';
  int fd =
      open(slash != NULL ? f->tmp.s : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if ((fd < 0 && errno != EACCES) ||
      (fd >= 0 && fsync(fd) != 0 && errno != EINVAL))
    err = ga__file_fail("sync the folder of", f->path);
  close_fd(&fd);
  return err;
}

static int rename_temp(ga__newfile *f) {
  if (!(f->flags & GA_FILE_CACHED) && fsync(f->fd) != 0)
    return ga__file_fail("sync", f->path);
  /* Some file systems report a full disk only here. */
  if (close_fd(&f->fd) != 0)
    return ga__file_fail("write", f->path);
  if (rename(f->tmp.s, f->path) != 0)
    return ga__file_fail("rename to", f->path);
  f->tmp.n = 0; /* that name no longer exists */
  return f->flags & GA_FILE_CACHED ? GA_NO_ERROR : sync_folder(f);
}

static int copy_bytes(const ga__newfile *f, unsigned char *piece) {
  if (lseek(f->fd, 0, SEEK_SET) < 0)
    return ga__file_fail("copy to", f->path);
  for (;;) {
    const ssize_t n = read(f->fd, piece, COPY_BYTES);
    if (n == 0)
      return GA_NO_ERROR;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 || write_all(f->target, piece, (size_t)n) != 0)
      return ga__file_fail("copy to", f->path);
  }
}

static int copy_temp(ga__newfile *f) {
  unsigned char *piece = ga__malloc(COPY_BYTES);
  struct stat st;
  int err;

  if (piece == NULL)
    return ga__fail_nomem();
  const int is_file = fstat(f->target, &st) == 0 && S_ISREG(st.st_mode);
  if (is_file && ftruncate(f->target, 0) != 0)
    GA_CHECK(ga__file_fail("write", f->path));
  GA_CHECK(copy_bytes(f, piece));
  if (is_file && fsync(f->target) != 0)
    GA_CHECK(ga__file_fail("sync", f->path));
  if (close_fd(&f->target) != 0)
    GA_CHECK(ga__file_fail("write", f->path));
done:
  ga__free(piece);
  return err;
}

static int keep_file(ga__newfile *f) {
  if (f->target >= 0)
    return copy_temp(f);
  if (f->tmp.n != 0)
    return rename_temp(f);
  return close_fd(&f->fd) == 0 ? GA_NO_ERROR : ga__file_fail("write", f->path);
}

int ga__newfile_close(ga__newfile *f, int keep) {
  int err = keep && f->path != NULL ? keep_file(f) : GA_NO_ERROR;

  close_fd(&f->fd);
  close_fd(&f->target);
  if (f->tmp.n != 0)
    unlink(f->tmp.s);
  ga__strb_clear(&f->tmp);
  ga__free(f->path);
  *f = (ga__newfile)GA_NEWFILE_INIT;
  return err;
}

int ga__flushed(FILE *out, const char *what) {
  const int failed_before = ferror(out);

  errno = 0;
  if (fflush(out) == 0 && !failed_before)
    return GA_NO_ERROR;
  return ga__fail(GA_SYS_ERROR, "cannot write %s: %s", what,
                  errno != 0 ? strerror(errno) : "an earlier write failed");
}

int ga__file_write(const char *path, const void *bytes, size_t n, int flags) {
  ga__newfile f;

  GA_TRY(ga__newfile_open(&f, path, flags));
  int failed = ga__newfile_write(&f, bytes, n);
  int err = ga__newfile_close(&f, failed == GA_NO_ERROR);
  return failed != GA_NO_ERROR ? failed : err;
}

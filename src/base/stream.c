/* SPDX-License-Identifier: BSD-2-Clause */
/* Files as sources of bytes. */
#include "base/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static int read_file(ga__byte_source *s, void *p, size_t n) {
  ga__file_source *f = (ga__file_source *)s;
  size_t got;
  const int failed = ga__fd_read(f->fd, p, n, &got);

  if (s->left != UINT64_MAX)
    s->left -= got < s->left ? got : s->left;
  if (failed)
    return ga__file_fail("read", f->path);
  if (got < n)
    return ga__fail(GA_VALUE_ERROR, "%s ends %zu bytes early", f->path,
                    n - got);
  return GA_NO_ERROR;
}

int ga__file_source_open(ga__file_source *f, const char *path, int sized) {
  struct stat st;
  char c;

  *f = (ga__file_source){{read_file, UINT64_MAX}, -1, path};
  f->fd = open(path, O_RDONLY | O_CLOEXEC | (sized ? O_NONBLOCK : 0));
  if (f->fd < 0)
    return ga__file_fail("open", path);
  if (fstat(f->fd, &st) != 0) {
    int err = ga__file_fail("open", path);
    ga__file_source_close(f);
    return err;
  }
  /* Files of /proc have bytes, but no size. */
  if (S_ISREG(st.st_mode) && (st.st_size != 0 || pread(f->fd, &c, 1, 0) == 0))
    f->source.left = (uint64_t)st.st_size;
  return GA_NO_ERROR;
}

void ga__file_source_close(ga__file_source *f) {
  if (f->fd >= 0)
    close(f->fd);
  f->fd = -1;
}

int ga__file_source_seek(ga__file_source *f, uint64_t at) {
  const off_t end = lseek(f->fd, 0, SEEK_END);

  if (end < 0 || at > (uint64_t)end || lseek(f->fd, (off_t)at, SEEK_SET) < 0)
    return ga__fail(GA_SYS_ERROR, "cannot seek in %s to byte %llu", f->path,
                    (unsigned long long)at);
  f->source.left = (uint64_t)end - at;
  return GA_NO_ERROR;
}

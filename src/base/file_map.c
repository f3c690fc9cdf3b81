/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped files: nothing is copied, and pages are read when they are needed. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

static int map(int fd, const char *path, const unsigned char **p, size_t *n) {
  struct stat st;

  if (fstat(fd, &st) != 0)
    return ga__file_fail("read", path);
  if (!S_ISREG(st.st_mode))
    return ga__fail(GA_SYS_ERROR, "%s is not a regular file", path);
  if (st.st_size == 0)
    return GA_NO_ERROR;
  void *mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED)
    return ga__file_fail("map", path);
  *p = mapped;
  *n = (size_t)st.st_size;
  return GA_NO_ERROR;
}

int ga__file_map(const char *path, const unsigned char **p, size_t *n) {
  *p = NULL;
  *n = 0;
  /* O_NONBLOCK: do not wait for a writer if this is a pipe. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return ga__file_fail("open", path);
  int err = map(fd, path, p, n);
  close(fd);
  return err;
}

void ga__file_unmap(const unsigned char *p, size_t n) {
  if (n != 0)
    munmap((void *)(uintptr_t)p, n);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static int map(gg__bytes *bytes, int fd, const char *path) {
  struct stat st;

  if (fstat(fd, &st) != 0)
    return ga__file_fail("read", path);
  if (!S_ISREG(st.st_mode))
    return ga__fail(GA_SYS_ERROR, "%s is not a regular file", path);
  if (st.st_size == 0)
    return GA_NO_ERROR;
  void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED)
    return ga__file_fail("map", path);
  *bytes = (gg__bytes){p, (size_t)st.st_size};
  return GA_NO_ERROR;
}

int gg__mapped_open(gg__bytes *bytes, const char *path) {
  *bytes = (gg__bytes){NULL, 0};
  /* O_NONBLOCK: do not wait for a writer if this is a pipe. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return ga__file_fail("open", path);
  int err = map(bytes, fd, path);
  close(fd);
  return err;
}

void gg__mapped_close(gg__bytes *bytes) {
  if (bytes->n != 0)
    munmap((void *)(uintptr_t)bytes->p, bytes->n);
  *bytes = (gg__bytes){NULL, 0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "nn/train/report_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

int gg__folder_path(ga__strb *b, const char *folder, const char *name) {
  ga__strb_appendf(b, "%s/%s", folder, name);
  return b->err;
}

static int append(const char *path, const char *text, size_t n) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
  int err = GA_NO_ERROR;

  if (fd < 0 || write(fd, text, n) != (ssize_t)n) {
    err = ga__file_fail("write", path);
    if (fd >= 0 && ftruncate(fd, end) != 0)
      err = ga__file_fail("write", path);
  }
  if (fd >= 0 && close(fd) != 0 && err == GA_NO_ERROR)
    err = ga__file_fail("write", path);
  return err;
}

int gg__folder_put(const char *folder, const char *name, const char *text,
                   size_t n, int appends) {
  ga__strb path = GA_STRB_INIT;
  int err;

  GA_CHECK(gg__folder_path(&path, folder, name));
  err = appends ? append(path.s, text, n) : ga__file_write(path.s, text, n, 0);
done:
  ga__strb_clear(&path);
  return err;
}

int gg__folder_write(const char *folder, const char *name,
                     int (*put)(const void *arg, FILE *out), const void *arg) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);

  if (f == NULL)
    return ga__fail_nomem();
  int err = put(arg, f);
  if (fclose(f) != 0 && err == GA_NO_ERROR)
    err = ga__fail_nomem();
  if (err == GA_NO_ERROR)
    err = gg__folder_put(folder, name, text, n, 0);
  free(text); /* of the C library */
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a test. */
#include "support/tmpfile.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/device.h"

const char *test_file_path(const char *name) {
  static char paths[4][1024];
  static int next;
  const char *dir = getenv("TEST_DIR");

  next = (next + 1) % 4;
  snprintf(paths[next], sizeof paths[next], "%s/%s", dir != NULL ? dir : "/tmp",
           name);
  return paths[next];
}

unsigned char *test_file_read(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  struct stat st;

  assert_non_null(f);
  assert_int_equal(fstat(fileno(f), &st), 0);
  *n = (size_t)st.st_size;
  unsigned char *p = malloc(*n + 1);
  assert_non_null(p);
  assert_int_equal(fread(p, 1, *n, f), *n);
  fclose(f);
  return p;
}

void test_file_write(const char *path, const void *bytes, size_t n) {
  remove(path); /* some file systems flush a file that is cut to nothing */
  FILE *f = fopen(path, "wb");

  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

int test_file_exists(const char *path) {
  struct stat st;

  return stat(path, &st) == 0;
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;

  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void test_disk_is_full(size_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  limit_files(bytes);
}

void test_disk_has_room(void) {
  limit_files(RLIM_INFINITY);
  signal(SIGXFSZ, SIG_DFL);
}

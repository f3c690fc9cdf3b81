/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of fuzz targets, in a folder of the process that goes with it. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

int fuzz_accepted;

static char folder[] = "/tmp/gpugraph-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *s, int type,
                      struct FTW *at) {
  (void)s;
  (void)type;
  (void)at;
  return remove(path);
}

static void remove_folder(void) {
  enum { MOST_OPEN = 8 };

  nftw(folder, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void) {
  static int is_made;

  if (is_made)
    return;
  if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0)
    abort();
  is_made = 1;
}

const char *fuzz_path(const char *name) {
  static char path[256];

  make_folder();
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

void fuzz_write(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");

  if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
    abort();
}

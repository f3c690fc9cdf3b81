/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of fuzz targets. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

const char *fuzz_path(const char *name) {
  static char folder[] = "/tmp/gpugraph-fuzz-XXXXXX", path[256];
  static int is_made;

  if (!is_made && mkdtemp(folder) == NULL)
    abort();
  is_made = 1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

void fuzz_write(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");

  if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
    abort();
}

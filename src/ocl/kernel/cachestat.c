/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of the disk cache: where it is, how large it is, and
 * emptying it. */
#include <stdio.h>
#include <string.h>

#include <gpuarray/device.h>

#include "base/err.h"
#include "cache/disk.h"

int gpucache_stat(gpucache_info *out) {
  ga__disk_info info;
  ga__disk *d;

  memset(out, 0, sizeof *out);
  GA_TRY(ga__disk_open(&d, NULL));
  ga__disk_stat(d, &info);
  snprintf(out->path, sizeof out->path, "%s",
           info.path != NULL ? info.path : "");
  snprintf(out->why, sizeof out->why, "%s", info.why != NULL ? info.why : "");
  out->bytes = info.bytes;
  out->max_bytes = info.max_bytes;
  out->files = info.files;
  ga__disk_close(d);
  return GA_NO_ERROR;
}

int gpucache_clear(size_t *removed) {
  ga__disk *d;

  GA_TRY(ga__disk_open(&d, NULL));
  size_t n = ga__disk_wipe(d);
  if (removed != NULL)
    *removed = n;
  ga__disk_close(d);
  return GA_NO_ERROR;
}

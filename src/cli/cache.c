/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph cache: the kernel cache on disk. */
#include "cli/cli.h"

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>
#include <string.h>

const char *cli_size(char *out, unsigned long long bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double v = (double)bytes;
  size_t unit = 0;

  while (v >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    v /= 1024;
    unit++;
  }
  snprintf(out, 16, "%.4g %s", v, units[unit]);
  return out;
}

static int stat_cache(void) {
  gpucache_info info;
  char used[16], most[16];
  int err = gpucache_stat(&info);

  if (err != GA_NO_ERROR)
    return cli_fail(err);
  if (info.path[0] == '\0') {
    printf("off: %s\n", info.why);
    return 0;
  }
  printf("%s\n", info.path);
  printf("%zu files, %s of at most %s\n", info.files,
         cli_size(used, info.bytes), cli_size(most, info.max_bytes));
  if (info.why[0] != '\0')
    printf("not written to: %s\n", info.why);
  return 0;
}

static int clear_cache(void) {
  size_t removed;
  int err = gpucache_clear(&removed);

  if (err != GA_NO_ERROR)
    return cli_fail(err);
  printf("removed %zu files\n", removed);
  return 0;
}

int cli_cache(int argc, char **argv) {
  if (argc == 0 || (argc == 1 && strcmp(argv[0], "stat") == 0))
    return stat_cache();
  if (argc == 1 && strcmp(argv[0], "clear") == 0)
    return clear_cache();
  return cli_usage("cache takes stat or clear");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph cache: the kernel cache on disk. */
#include "cli/cli.h"

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli_json.h"

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

static void print_cache(const gpucache_info *info) {
  char used[16], most[16];

  if (info->path[0] == '\0') {
    printf("off: %s\n", info->why);
    return;
  }
  printf("%s\n", info->path);
  printf("%zu files, %s of at most %s\n", info->files,
         cli_size(used, info->bytes), cli_size(most, info->max_bytes));
  if (info->why[0] != '\0')
    printf("not written to: %s\n", info->why);
}

static void write_cache(const gpucache_info *info) {
  cli_json j = {stdout, 0, 0};

  cli_json_open(&j, NULL, '{');
  cli_json_flag(&j, "on", info->path[0] != '\0');
  cli_json_text(&j, "path", info->path);
  cli_json_text(&j, "why", info->why);
  cli_json_count(&j, "files", info->files);
  cli_json_count(&j, "bytes", info->bytes);
  cli_json_count(&j, "max_bytes", info->max_bytes);
  cli_json_close(&j, '}');
}

static int stat_cache(int json) {
  gpucache_info info;
  const int err = gpucache_stat(&info);

  if (err != GA_NO_ERROR)
    return cli_fail(err);
  (json ? write_cache : print_cache)(&info);
  return 0;
}

static int clear_cache(int json) {
  cli_json j = {stdout, 0, 0};
  size_t removed;
  const int err = gpucache_clear(&removed);

  if (err != GA_NO_ERROR)
    return cli_fail(err);
  if (!json) {
    printf("removed %zu files\n", removed);
    return 0;
  }
  cli_json_open(&j, NULL, '{');
  cli_json_count(&j, "removed", removed);
  cli_json_close(&j, '}');
  return 0;
}

int cli_cache(const cli_command *c, int argc, char **argv) {
  const char *word;
  int json;

  if (cli_read_one(c, argc, argv, &word, &json) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  if (word == NULL || strcmp(word, "stat") == 0)
    return stat_cache(json);
  return clear_cache(json);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives the files of folders to a fuzz target, one by one: what libFuzzer found
 * once is a test in builds without it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

static int replay(const char *path) {
  static unsigned char bytes[1 << 20];
  FILE *f = fopen(path, "rb");

  if (f == NULL)
    return 0;
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  LLVMFuzzerTestOneInput(bytes, n);
  return 1;
}

static int replay_folder(const char *folder) {
  DIR *dir = opendir(folder);
  const struct dirent *e;
  char path[4096];
  int n = 0;

  while (dir != NULL && (e = readdir(dir)) != NULL) {
    if (e->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    n += replay(path);
  }
  if (dir != NULL)
    closedir(dir);
  return n;
}

int main(int argc, char **argv) {
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay_folder(argv[i]);
  printf("%d inputs\n", n);
  return n == 0;
}

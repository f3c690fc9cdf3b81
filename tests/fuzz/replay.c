/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives the files of a folder to a fuzz target, one by one, and compares what
 * it accepts with a list of names, one in each line: what libFuzzer found once
 * is a test in builds without it.
 *
 *   replay_<what> FOLDER LIST
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

static char listed[1 << 16];

static int read_file(const char *path, void *bytes, size_t most, size_t *n) {
  FILE *f = fopen(path, "rb");

  if (f == NULL) {
    perror(path);
    return 0;
  }
  *n = fread(bytes, 1, most, f);
  fclose(f);
  return 1;
}

static int is_listed(const char *name) {
  const size_t n = strlen(name);

  for (const char *s = listed; (s = strstr(s, name)) != NULL; s += n)
    if ((s == listed || s[-1] == '\n') && (s[n] == '\n' || s[n] == '\0'))
      return 1;
  return 0;
}

/* Whether the target thinks of the file what the list says. */
static int replay(const char *folder, const char *name) {
  static unsigned char bytes[1 << 20];
  char path[4096];
  size_t n;

  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!read_file(path, bytes, sizeof bytes, &n))
    return 0;
  LLVMFuzzerTestOneInput(bytes, n);
  if (fuzz_accepted == is_listed(name))
    return 1;
  printf("%s: %s\n", name, fuzz_accepted ? "accepted" : "refused");
  return 0;
}

int main(int argc, char **argv) {
  const struct dirent *e;
  int n = 0, wrong = 0;
  size_t bytes;

  if (argc != 3 || !read_file(argv[2], listed, sizeof listed - 1, &bytes))
    return 2;
  DIR *dir = opendir(argv[1]);
  while (dir != NULL && (e = readdir(dir)) != NULL) {
    if (e->d_name[0] == '.')
      continue;
    wrong += !replay(argv[1], e->d_name);
    n++;
  }
  if (dir != NULL)
    closedir(dir);
  printf("%d inputs, %d not as in %s\n", n, wrong, argv[2]);
  return n == 0 || wrong != 0;
}

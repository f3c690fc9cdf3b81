/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes of tests. */
#include "support/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static void run(const char *role, const char *const *env) {
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

  if (n < 0)
    _exit(126);
  self[n] = '\0';
  for (; *env; env++)
    putenv((char *)(size_t)*env);
  execl(self, self, role, (char *)NULL);
  _exit(127);
}

int test_child(const char *role, const char *const *env) {
  int status;

  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    run(role, env);
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

static int remove_file(void *dir, const ga__dir_entry *e) {
  char path[4096];

  snprintf(path, sizeof path, "%s/%s", (const char *)dir, e->name);
  return ga__file_remove(path);
}

const char *test_path(const char *name) {
  static char path[2048], fresh[] = "/tmp/gpugraph-test-XXXXXX";
  const char *dir = getenv("TEST_DIR");

  if (dir == NULL) { /* run by hand: not into the source tree */
    dir = mkdtemp(fresh);
    if (dir == NULL || setenv("TEST_DIR", dir, 1) != 0)
      return fresh;
  }
  snprintf(path, sizeof path, "%s/%s", dir, name);
  ga__dir_each(path, remove_file, path);
  return path;
}

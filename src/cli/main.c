/* SPDX-License-Identifier: BSD-2-Clause */
/* The gpugraph program: finds the command and ends with its status. */
#include <errno.h>
#include <fcntl.h>
#include <gpuarray/abi_version.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/cli_json.h"
#include "cli/status_line.h"

int cli_unknown(const char *word) {
  const char *names[64] = {NULL};
  char what[160], near[64];

  for (size_t i = 0; i < 63 && cli_commands[i].name != NULL; i++)
    names[i] = cli_commands[i].name;
  snprintf(what, sizeof what, "unknown command \"%.40s\"%s", word,
           cli_suggest(near, word, names));
  return cli_usage(NULL, what);
}

int cli_help(const cli_command *c, int argc, char **argv) {
  const char *word;
  const int err = cli_read_one(c, argc, argv, &word, NULL);

  if (err != GA_NO_ERROR)
    return cli_wrong(c, err);
  if (word != NULL && cli_find(word) == NULL)
    return cli_unknown(word);
  cli_print_help(stdout, word == NULL ? NULL : cli_find(word));
  return 0;
}

int cli_version(const cli_command *c, int argc, char **argv) {
  cli_json j = {stdout, 0, 0};
  const char *word;
  char abi[32];
  int json;

  const int err = cli_read_one(c, argc, argv, &word, &json);
  if (err != GA_NO_ERROR)
    return cli_wrong(c, err);
  snprintf(abi, sizeof abi, "%d.%d", GPUARRAY_ABI_VERSION / 1000,
           GPUARRAY_ABI_VERSION % 1000);
  if (!json) {
    printf("gpugraph %s (libgpuarray ABI %s)\n", GG_VERSION, abi);
    return 0;
  }
  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "gpugraph", GG_VERSION);
  cli_json_text(&j, "libgpuarray_abi", abi);
  cli_json_close(&j, '}');
  return 0;
}

static int asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return 1;
  return 0;
}

static int run(int argc, char **argv) {
  const char *word = argc < 2 ? NULL : argv[1];

  if (word == NULL)
    return cli_usage(NULL, "no command");
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    word = "help";
  if (strcmp(word, "--version") == 0)
    word = "version";
  const cli_command *c = cli_find(word);
  if (c == NULL)
    return cli_unknown(word);
  if (!asks_for_help(argc - 2, argv + 2))
    return c->run(c, argc - 2, argv + 2);
  cli_print_help(stdout, c);
  return 0;
}

/* A file that a driver opens must not get the place of a stream that is closed:
 * what is printed would go there. Writing to this fails, as it should. */
static void fill_streams(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 &&
        open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      return;
}

int main(int argc, char **argv) {
  fill_streams();
  const int status = run(argc, argv);
  cli_progress(NULL);
  const int failed_before = ferror(stdout);

  errno = 0;
  if ((fflush(stdout) == 0 && !failed_before) || status != 0)
    return status;
  fprintf(stderr, "gpugraph: cannot write: %s\n",
          errno != 0 ? strerror(errno) : "an earlier write failed");
  return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of the gpugraph program. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* argv begins after the command's name. Returns the exit status. */
int cli_devices(int argc, char **argv);
int cli_caps(int argc, char **argv);
int cli_cache(int argc, char **argv);
int cli_selftest(int argc, char **argv);
int cli_kernels(int argc, char **argv);
int cli_graph(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_convert(int argc, char **argv);

/* Print the library's message for `err`; returns 1. */
int cli_fail(int err);
/* Print what is wrong with the arguments, and the usage; returns 2. */
int cli_usage(const char *what);
/* The word of a list that ends with NULL which is most like `word`, or NULL if
 * none is. */
const char *cli_closest(const char *word, const char *const *words);
/* Write a size such as "1.5 GiB" to out[16]. */
const char *cli_size(char *out, unsigned long long bytes);

#endif

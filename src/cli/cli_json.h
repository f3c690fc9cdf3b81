/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in JSON, one on each line. Texts may have any bytes: what is no UTF-8
 * becomes U+FFFD. Names are the program's own words. */
#ifndef CLI_CLI_JSON_H
#define CLI_CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

/* Begin with {f}. Names are NULL within lists. */
typedef struct cli_json {
  FILE *f;
  int depth, has_some;
} cli_json;

void cli_json_open(cli_json *j, const char *name, char bracket);
void cli_json_close(cli_json *j, char bracket);
void cli_json_text(cli_json *j, const char *name, const char *text);
void cli_json_count(cli_json *j, const char *name, uint64_t n);
/* null if it is not finite */
void cli_json_real(cli_json *j, const char *name, double x);
void cli_json_flag(cli_json *j, const char *name, int yes);
/* Write the name of a value that the caller writes. */
void cli_json_name(cli_json *j, const char *name);

#endif

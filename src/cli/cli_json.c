/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli_json.h"

#include <inttypes.h>
#include <math.h>

#include "base/json_text.h"

/* What comes before a value: a comma, a new line, its name. */
static void begin(cli_json *j, const char *name) {
  if (j->depth > 0)
    fprintf(j->f, "%s\n%*s", j->has_some ? "," : "", 2 * j->depth, "");
  j->has_some = 1;
  if (name != NULL)
    fprintf(j->f, "\"%s\": ", name);
}

void cli_json_open(cli_json *j, const char *name, char bracket) {
  begin(j, name);
  fputc(bracket, j->f);
  j->depth++;
  j->has_some = 0;
}

void cli_json_close(cli_json *j, char bracket) {
  j->depth--;
  if (j->has_some)
    fprintf(j->f, "\n%*s", 2 * j->depth, "");
  j->has_some = 1;
  fprintf(j->f, "%c%s", bracket, j->depth == 0 ? "\n" : "");
}

void cli_json_text(cli_json *j, const char *name, const char *text) {
  begin(j, name);
  ga__json_put_text(j->f, text);
}

void cli_json_count(cli_json *j, const char *name, uint64_t n) {
  begin(j, name);
  fprintf(j->f, "%" PRIu64, n);
}

void cli_json_real(cli_json *j, const char *name, double x) {
  begin(j, name);
  if (isfinite(x))
    fprintf(j->f, "%.6g", x);
  else
    fprintf(j->f, "null");
}

void cli_json_flag(cli_json *j, const char *name, int yes) {
  begin(j, name);
  fprintf(j->f, yes ? "true" : "false");
}

void cli_json_name(cli_json *j, const char *name) {
  begin(j, name);
}

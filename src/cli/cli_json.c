/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Bytes of the UTF-8 character that begins here; 0 if none does. */
static size_t utf8(const unsigned char *s) {
  const size_t n = s[0] < 0x80                   ? 1
                   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;

  for (size_t i = 1; i < n; i++)
    if (s[i] < 0x80 || s[i] > 0xbf)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

void cli_json_text(cli_json *j, const char *name, const char *text) {
  const unsigned char *s = (const unsigned char *)text;

  begin(j, name);
  fputc('"', j->f);
  while (*s != '\0') {
    const size_t n = utf8(s);

    if (n == 0)
      fprintf(j->f, "\\ufffd");
    else if (*s == '"' || *s == '\\')
      fprintf(j->f, "\\%c", *s);
    else if (*s < 0x20 || *s == 0x7f)
      fprintf(j->f, "\\u%04x", *s);
    else
      fwrite(s, 1, n, j->f);
    s += n == 0 ? 1 : n;
  }
  fputc('"', j->f);
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

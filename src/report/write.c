/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/write.h"

#include "base/err.h"

void gg__put_quoted(FILE *out, const char *s) {
  for (; *s != '\0'; s++) {
    if (*s == '"' || *s == '\\')
      fputc('\\', out);
    if (*s == '\n')
      fputs("\\n", out);
    else
      fputc(*s, out);
  }
}

int gg__nothing_to_write(const char *call, const void *f) {
  return ga__fail(GA_VALUE_ERROR, "%s: the %s is NULL", call,
                  f == NULL ? "function" : "file");
}

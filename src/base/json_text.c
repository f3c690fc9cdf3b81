/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json_text.h"

#include <string.h>

size_t ga__utf8(const char *s, size_t n) {
  const unsigned char *p = (const unsigned char *)s;

  if (n == 0)
    return 0;
  const size_t bytes = p[0] < 0x80                    ? 1
                       : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
                       : p[0] >= 0xe0 && p[0] <= 0xef ? 3
                       : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                      : 0;
  if (bytes == 0 || bytes > n)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  /* Longer than needed, a half of a pair, or beyond the last. */
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
      (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
    return 0;
  return bytes;
}

void ga__json_put_text(FILE *f, const char *text) {
  size_t left = strlen(text);

  fputc('"', f);
  while (left > 0) {
    const size_t n = ga__utf8(text, left), step = n == 0 ? 1 : n;
    const unsigned char c = (unsigned char)*text;

    if (n == 0)
      fputs("\\ufffd", f);
    else if (c == '"' || c == '\\')
      fprintf(f, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      fprintf(f, "\\u%04x", c);
    else
      fwrite(text, 1, n, f);
    text += step;
    left -= step;
  }
  fputc('"', f);
}

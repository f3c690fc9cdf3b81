/* SPDX-License-Identifier: BSD-2-Clause */
#include "codegen/words.h"

#include <string.h>

int ga__word_is_listed(const char *list, const char *word, size_t n) {
  for (const char *s = list; (s = strchr(s, ' ')) != NULL; s++)
    if (strncmp(s + 1, word, n) == 0 && s[1 + n] == ' ')
      return 1;
  return 0;
}

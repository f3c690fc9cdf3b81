/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/number.h"

#include <locale.h>
#include <string.h>

int ga__number_local(const char *text, size_t n, char *out, size_t most) {
  const char *point = localeconv()->decimal_point;
  const size_t wide = strlen(point);
  size_t k = 0;

  if (n == 0 || n + wide >= most)
    return 0;
  for (size_t i = 0; i < n; i++)
    if (text[i] == '.') {
      if (k + wide + (n - i) >= most)
        return 0;
      memcpy(out + k, point, wide);
      k += wide;
    } else {
      out[k++] = text[i];
    }
  out[k] = '\0';
  return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Environment variables. */
#include "base/env.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

const char *ga__env_text(const char *name) {
  const char *s = getenv(name);

  return s != NULL && s[0] != '\0' ? s : NULL;
}

double ga__real_of_text(const char *text) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

  if (c == (locale_t)0)
    return 0;
  locale_t old = uselocale(c);
  double x = strtod(text, NULL);
  uselocale(old);
  freelocale(c);
  return x;
}

int ga__env_on(const char *name) {
  const char *s = ga__env_text(name);

  return s != NULL && strcmp(s, "0") != 0;
}

uint64_t ga__env_mib(const char *name, unsigned long mib) {
  const char *s = ga__env_text(name);

  if (s != NULL && strspn(s, "0123456789") == strlen(s) && strlen(s) < 10)
    mib = strtoul(s, NULL, 10);
  return (uint64_t)mib << 20;
}

void ga__env_folder(ga__strb *b, const char *xdg, const char *below) {
  const char *s = ga__env_text(xdg), *home = ga__env_text("HOME");

  if (s != NULL && s[0] == '/')
    ga__strb_appendf(b, "%s/gpugraph", s);
  else if (home != NULL)
    ga__strb_appendf(b, "%s/%s/gpugraph", home, below);
}

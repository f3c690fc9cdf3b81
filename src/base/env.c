/* SPDX-License-Identifier: BSD-2-Clause */
/* What the environment says. */
#include "base/env.h"

#include <stdlib.h>
#include <string.h>

const char *ga__env_text(const char *name) {
  const char *s = getenv(name);

  return s != NULL && s[0] != '\0' ? s : NULL;
}

int ga__env_on(const char *name) {
  const char *s = ga__env_text(name);

  return s != NULL && strcmp(s, "0") != 0;
}

void ga__env_folder(ga__strb *b, const char *xdg, const char *below) {
  const char *s = ga__env_text(xdg), *home = ga__env_text("HOME");

  if (s != NULL && s[0] == '/')
    ga__strb_appendf(b, "%s/gpugraph", s);
  else if (home != NULL)
    ga__strb_appendf(b, "%s/%s/gpugraph", home, below);
}

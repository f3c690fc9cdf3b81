/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/locale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tmpfile.h"

static int use(const char *name) {
  return setlocale(LC_NUMERIC, name) != NULL &&
         strcmp(localeconv()->decimal_point, ",") == 0;
}

/* glibc looks for locales in $LOCPATH. A later run finds what this one made. */
static int make(void) {
  const char *path = test_file_path("de_DE.UTF-8");
  char command[1400], folder[600];

  snprintf(command, sizeof command,
           "localedef -c -i de_DE -f UTF-8 '%s' >/dev/null 2>&1", path);
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path),
           path);
  if (setenv("LOCPATH", folder, 1) != 0)
    return 0;
  return use("de_DE.UTF-8") || (system(command) >= 0 && use("de_DE.UTF-8"));
}

void test_comma_locale(void) {
  static const char *const names[] = {
      "de_DE.UTF-8", "de_DE.utf8", "de_DE",      "fr_FR.UTF-8", "fr_FR.utf8",
      "nl_NL.utf8",  "es_ES.utf8", "it_IT.utf8", "ru_RU.utf8"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (use(names[i]))
      return;
  if (make())
    return;
  test_plain_locale();
  print_message("no locale with a decimal comma, and localedef makes none: "
                "skipped\n");
  skip();
}

void test_plain_locale(void) {
  setlocale(LC_NUMERIC, "C");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated text against files in tests/golden. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 65536

static void update(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");

  if (f == NULL || fputs(text, f) < 0)
    fail_msg("cannot write %s", path);
  fclose(f);
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(TEXT_MAX, 1);

  if (f == NULL)
    fail_msg("no %s; GOLDEN_UPDATE=1 writes it", path);
  if (fread(text, 1, TEXT_MAX - 1, f) == TEXT_MAX - 1)
    fail_msg("%s is too long", path);
  fclose(f);
  return text;
}

/* Length of the line at `s`. */
static int line_length(const char *s) {
  return (int)strcspn(s, "\n");
}

static void compare(const char *path, const char *got, const char *want) {
  int line = 1;

  for (; *got != '\0' && *got == *want; got++, want++)
    line += *got == '\n';
  if (*got == *want)
    return;
  for (; line > 1 && got[-1] != '\n'; got--)
    want--;
  fail_msg("%s:%d is \"%.*s\", got \"%.*s\"", path, line, line_length(want),
           want, line_length(got), got);
}

void test_golden(const char *name, const char *text) {
  char path[256];

  snprintf(path, sizeof path, "tests/golden/%s.cl", name);
  if (getenv("GOLDEN_UPDATE") != NULL) {
    update(path, text);
    return;
  }
  char *want = read_file(path);
  compare(path, text, want);
  free(want);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The word that was meant. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

enum { MOST = 32 }; /* letters of a word that is compared */

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* How many letters to insert, to remove or to change to get from a to b;
 * SIZE_MAX if one is too long. */
static size_t distance(const char *a, const char *b) {
  const size_t n = strlen(b);
  size_t row[MOST + 1];

  if (strlen(a) > MOST || n > MOST)
    return SIZE_MAX;
  for (size_t k = 0; k <= n; k++)
    row[k] = k;
  for (size_t i = 0; a[i] != 0; i++) {
    size_t before = row[0]++; /* of the row above, one to the left */

    for (size_t k = 1; k <= n; k++) {
      const size_t changed = before + (a[i] != b[k - 1]);

      before = row[k];
      row[k] = least(changed, least(row[k], row[k - 1]) + 1);
    }
  }
  return row[n];
}

const char *cli_closest(const char *word, const char *const *words) {
  const char *found = NULL;
  size_t best = strlen(word) / 3 + 2;

  for (; *words != NULL; words++)
    if (distance(word, *words) < best) {
      best = distance(word, *words);
      found = *words;
    }
  return found;
}

const char *cli_suggest(char *out, const char *word, const char *const *words) {
  const char *near = cli_closest(word, words);

  snprintf(out, 64, "%s%.40s%s", near == NULL ? "" : "; did you mean ",
           near == NULL ? "" : near, near == NULL ? "" : "?");
  return out;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists that the macros of users write. */
#include <string.h>

#include "graph/graph.h"

/* What stands in a list for NULL: an input of no graph. Its first bytes are
 * those of an empty string, for lists of names. */
static gg_var missing = {.name = "NULL"};

/* Members are pointers of several types, so their bytes are copied. */
void *gg_list(void *items, size_t n, size_t bytes) {
  const void *const mark = &missing;

  for (size_t i = 0; i < n; i++) {
    char *at = (char *)items + i * bytes;
    void *member;
    memcpy(&member, at, sizeof member);
    if (member == NULL)
      memcpy(at, &mark, sizeof mark);
  }
  return items;
}

int gg__is_missing(const void *member) {
  return member == NULL || member == &missing;
}

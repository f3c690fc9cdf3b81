/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists that end with NULL and are written by macros. */
#include <string.h>

#include "graph/graph.h"

/* A list has the address of this variable in place of a NULL member. It
 * belongs to no graph. Its first byte is 0, so that in lists of names it reads
 * as an empty string. */
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

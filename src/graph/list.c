/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists that the macros of users write. */
#include "graph/graph.h"

/* What stands in a list where a variable is NULL: an input of no graph. */
static gg_var missing = {.name = "NULL"};

void *gg_list(void *items, size_t n, size_t bytes) {
  for (size_t i = 0; i < n; i++) {
    gg_var **const v = (gg_var **)((char *)items + i * bytes);
    if (*v == NULL)
      *v = &missing;
  }
  return items;
}

int gg__is_missing(const gg_var *v) {
  return v == NULL || v == &missing;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once, such as that of graph nodes. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct ga__arena_block ga__arena_block;

typedef struct ga__arena {
  ga__arena_block *head;
  size_t bytes; /* allocated so far */
} ga__arena;

#define GA_ARENA_INIT                                                          \
  { NULL, 0 }

/* Zeroed memory, aligned for any object. NULL on failure. The arena owns it. */
void *ga__arena_alloc(ga__arena *a, size_t bytes);
void *ga__arena_dup(ga__arena *a, const void *p, size_t bytes);
char *ga__arena_strdup(ga__arena *a, const char *s);
void ga__arena_clear(ga__arena *a); /* frees every block */
/* Give back all objects, but keep one block that holds as many, if there is
 * memory for it. */
void ga__arena_empty(ga__arena *a);
/* The same for objects that are filled before they are read: later ones hold
 * what earlier ones held. */
void ga__arena_rewind(ga__arena *a);

#endif

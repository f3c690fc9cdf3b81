/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once: a list of zeroed blocks, each twice as
 * large as the one before, up to a limit. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

#define FIRST_BLOCK 4096u   /* bytes, with its header */
#define LAST_BLOCK 2097152u /* bytes; blocks do not grow beyond this */

struct ga__arena_block {
  ga__arena_block *next;
  size_t used, cap; /* bytes of mem */
  alignas(max_align_t) unsigned char mem[];
};

static ga__arena_block *block_new(size_t cap) {
  ga__arena_block *b;

  if (cap > SIZE_MAX - sizeof *b)
    return NULL;
  b = ga__calloc_large(1, sizeof *b + cap);
  if (b != NULL)
    b->cap = cap;
  return b;
}

static void *block_take(ga__arena_block *b, size_t bytes) {
  GA_ASSERT(b->used <= b->cap && bytes <= b->cap - b->used);
  void *p = b->mem + b->used;

  b->used += bytes;
  return p;
}

/* A block with `bytes` bytes free. A large object gets a block of its own,
 * after the head of the list, so that the rest of the head is not wasted. */
static ga__arena_block *block_with(ga__arena *a, size_t bytes) {
  ga__arena_block *b = a->head;
  size_t cap = b != NULL ? (sizeof *b + b->cap) * 2 : FIRST_BLOCK;

  cap = (cap < LAST_BLOCK ? cap : LAST_BLOCK) - sizeof *b;
  if (a->head != NULL && bytes > cap / 4) {
    b = block_new(bytes);
    if (b != NULL) {
      b->next = a->head->next;
      a->head->next = b;
    }
    return b;
  }
  b = block_new(bytes > cap ? bytes : cap);
  if (b != NULL) {
    b->next = a->head;
    a->head = b;
  }
  return b;
}

void *ga__arena_alloc(ga__arena *a, size_t bytes) {
  const size_t align = alignof(max_align_t);
  ga__arena_block *b = a->head;

  if (bytes > SIZE_MAX - align)
    return NULL;
  bytes = bytes == 0 ? align : (bytes + align - 1) / align * align;
  if (b == NULL || b->cap - b->used < bytes)
    b = block_with(a, bytes);
  if (b == NULL)
    return NULL;
  a->bytes += bytes;
  return block_take(b, bytes);
}

void *ga__arena_dup(ga__arena *a, const void *p, size_t bytes) {
  void *q = ga__arena_alloc(a, bytes);

  if (q != NULL && bytes != 0)
    memcpy(q, p, bytes);
  return q;
}

char *ga__arena_strdup(ga__arena *a, const char *s) {
  return ga__arena_dup(a, s, strlen(s) + 1);
}

static void free_blocks(ga__arena_block *b) {
  ga__arena_block *next;

  for (; b != NULL; b = next) {
    next = b->next;
    ga__free(b);
  }
}

void ga__arena_clear(ga__arena *a) {
  free_blocks(a->head);
  *a = (ga__arena)GA_ARENA_INIT;
}

void ga__arena_rewind(ga__arena *a) {
  ga__arena_block *b = a->head;

  if (b != NULL && b->next != NULL) {
    free_blocks(b);
    b = a->head = block_new(a->bytes);
  }
  if (b != NULL)
    b->used = 0;
  a->bytes = 0;
}

void ga__arena_empty(ga__arena *a) {
  if (a->bytes == 0)
    return; /* it is empty */
  if (a->head != NULL && a->head->next == NULL)
    memset(a->head->mem, 0, a->head->used);
  ga__arena_rewind(a);
}

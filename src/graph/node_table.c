/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of nodes, with linear probing, at most three quarters full.
 * Nodes are removed only when a graph goes back to an earlier state. */
#include "graph/node_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/err.h"
#include "base/xxh64.h"

#define FIRST_CAP 64 /* entries */

struct gg__node_entry {
  uint64_t hash;
  gg_apply *node; /* NULL: a free entry */
};

/* Multiplication carries low bits upwards, the shift brings them down again. */
static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}

uint64_t gg__node_hash(const gg__node_key *k) {
  uint64_t h = mix(k->n_in, (uintptr_t)k->op);

  if (k->op->props_bytes != 0)
    h = mix(h, ga__xxh64_of(k->props, k->op->props_bytes));
  for (unsigned int i = 0; i < k->n_in; i++)
    h = mix(h, (uintptr_t)k->in[i]);
  return h;
}

static int has_key(const gg_apply *a, const gg__node_key *k) {
  if (a->op != k->op || a->n_in != k->n_in)
    return 0;
  for (unsigned int i = 0; i < k->n_in; i++)
    if (a->in[i] != k->in[i])
      return 0;
  return k->op->props_bytes == 0 ||
         memcmp(a->props, k->props, k->op->props_bytes) == 0;
}

/* The first entry, probing from `hash` on, that is free or, if `k` is not
 * NULL, has that key. The table always has a free entry. */
static gg__node_entry *find(const gg__node_table *t, uint64_t hash,
                            const gg__node_key *k) {
  GA_ASSERT(t->n < t->cap && (t->cap & (t->cap - 1)) == 0);
  size_t i = (size_t)hash & (t->cap - 1);
  gg__node_entry *e = &t->entries[i];

  while (e->node != NULL &&
         !(e->hash == hash && k != NULL && has_key(e->node, k))) {
    i = (i + 1) & (t->cap - 1);
    e = &t->entries[i];
  }
  return e;
}

static int grow(gg__node_table *t) {
  gg__node_table bigger = {.n = t->n};

  bigger.cap = t->cap != 0 ? t->cap * 2 : FIRST_CAP;
  bigger.entries = ga__calloc_large(bigger.cap, sizeof *bigger.entries);
  if (bigger.entries == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < t->cap; i++)
    if (t->entries[i].node != NULL)
      *find(&bigger, t->entries[i].hash, NULL) = t->entries[i];
  ga__free(t->entries);
  *t = bigger;
  return GA_NO_ERROR;
}

gg_apply *gg__node_find(const gg__node_table *t, const gg__node_key *k) {
  return t->n != 0 ? find(t, k->hash, k)->node : NULL;
}

int gg__node_add(gg__node_table *t, const gg__node_key *k, gg_apply *a) {
  if (t->n + 1 > t->cap / 4 * 3)
    GA_TRY(grow(t));
  *find(t, k->hash, NULL) = (gg__node_entry){k->hash, a};
  t->n++;
  return GA_NO_ERROR;
}

/* Entries after the one that becomes free move up, unless that would put them
 * before the place where probing for them begins. */
void gg__node_remove(gg__node_table *t, const gg__node_key *k) {
  const size_t mask = t->cap - 1;
  gg__node_entry *e = find(t, k->hash, k);

  if (e->node == NULL)
    return;
  size_t gap = (size_t)(e - t->entries);
  for (size_t i = (gap + 1) & mask; t->entries[i].node != NULL;
       i = (i + 1) & mask) {
    const size_t home = (size_t)t->entries[i].hash & mask;
    if (((i - home) & mask) < ((i - gap) & mask))
      continue;
    t->entries[gap] = t->entries[i];
    gap = i;
  }
  t->entries[gap].node = NULL;
  t->n--;
}

void gg__node_table_clear(gg__node_table *t) {
  ga__free(t->entries);
  *t = (gg__node_table){NULL, 0, 0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash map from byte strings to pointers.
 *
 * It uses linear probing, in a table that is at most three quarters full.
 * Removal moves later entries of the run back, so that there are no tombstones
 * and look-ups stay short. */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

#define FIRST_CAP 16 /* slots */

struct ga__map_slot {
  uint64_t hash;
  void *key; /* owned copy */
  size_t key_bytes;
  void *value; /* NULL in an empty slot */
};

static uint64_t add_word(uint64_t h, uint64_t word) {
  return ((h << 5 | h >> 59) ^ word) * 0x517cc1b727220a95u;
}

uint64_t ga__hash(uint64_t seed, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  uint64_t h = add_word(seed, n), word = 0;

  for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
    memcpy(&word, p, sizeof word);
    h = add_word(h, word);
  }
  word = 0;
  memcpy(&word, p, n);
  return add_word(h, word);
}

/* The slot where the search for `hash` starts. The low bits alone are weak, so
 * the high half is mixed in. */
static size_t home_of(const ga__map *m, uint64_t hash) {
  hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
  return (size_t)(hash >> 32) & (m->cap - 1);
}

static int slot_matches(const ga__map_slot *s, uint64_t hash, const void *key,
                        size_t key_bytes) {
  return s->hash == hash && s->key_bytes == key_bytes &&
         memcmp(s->key, key, key_bytes) == 0;
}

/* The slot with the key, or the empty one where it belongs. The map must have
 * an empty slot. */
static ga__map_slot *find(const ga__map *m, uint64_t hash, const void *key,
                          size_t key_bytes) {
  GA_ASSERT(m->n < m->cap && (m->cap & (m->cap - 1)) == 0);
  size_t i = home_of(m, hash);

  while (m->slots[i].value != NULL &&
         !slot_matches(&m->slots[i], hash, key, key_bytes))
    i = (i + 1) & (m->cap - 1);
  return &m->slots[i];
}

static int grow(ga__map *m) {
  ga__map bigger = GA_MAP_INIT;

  bigger.cap = m->cap != 0 ? m->cap * 2 : FIRST_CAP;
  bigger.n = m->n;
  bigger.slots = ga__calloc(bigger.cap, sizeof *bigger.slots);
  if (bigger.slots == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < m->cap; i++) {
    const ga__map_slot *s = &m->slots[i];
    if (s->value != NULL)
      *find(&bigger, s->hash, s->key, s->key_bytes) = *s;
  }
  ga__free(m->slots);
  *m = bigger;
  return GA_NO_ERROR;
}

void *ga__map_get(const ga__map *m, const void *key, size_t key_bytes) {
  if (m->n == 0)
    return NULL;
  return find(m, ga__hash(0, key, key_bytes), key, key_bytes)->value;
}

int ga__map_put(ga__map *m, const void *key, size_t key_bytes, void *value) {
  GA_ASSERT(value != NULL);
  uint64_t hash = ga__hash(0, key, key_bytes);

  if (m->n + 1 > m->cap / 4 * 3)
    GA_TRY(grow(m));
  ga__map_slot *s = find(m, hash, key, key_bytes);
  if (s->value == NULL) {
    s->key = ga__memdup(key, key_bytes);
    if (s->key == NULL)
      return ga__fail_nomem();
    s->key_bytes = key_bytes;
    s->hash = hash;
    m->n++;
  }
  s->value = value;
  return GA_NO_ERROR;
}

/* Close the gap at slot `gap`: move a later entry of the run into it unless the
 * entry's search starts after the gap. */
static void close_gap(ga__map *m, size_t gap) {
  const size_t mask = m->cap - 1;

  for (size_t i = (gap + 1) & mask; m->slots[i].value != NULL;
       i = (i + 1) & mask) {
    size_t home = home_of(m, m->slots[i].hash);
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      m->slots[gap] = m->slots[i];
      gap = i;
    }
  }
  memset(&m->slots[gap], 0, sizeof m->slots[gap]);
}

void *ga__map_remove(ga__map *m, const void *key, size_t key_bytes) {
  if (m->n == 0)
    return NULL;
  ga__map_slot *s = find(m, ga__hash(0, key, key_bytes), key, key_bytes);
  void *value = s->value;
  if (value == NULL)
    return NULL;
  ga__free(s->key);
  close_gap(m, (size_t)(s - m->slots));
  m->n--;
  return value;
}

void ga__map_clear(ga__map *m) {
  for (size_t i = 0; i < m->cap; i++)
    ga__free(m->slots[i].key);
  ga__free(m->slots);
  *m = (ga__map)GA_MAP_INIT;
}

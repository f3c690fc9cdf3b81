/* SPDX-License-Identifier: BSD-2-Clause */
/* A map to entries, which are also in a list in order of use. */
#include "cache/lru.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/map.h"

typedef struct entry {
  struct entry *prev, *next; /* towards the newest, the oldest */
  void *value;               /* owned */
  size_t cost, key_bytes;
  unsigned char key[];
} entry;

struct ga__lru {
  ga__map map; /* key -> entry */
  size_t max, max_cost, cost;
  void (*drop)(void *);
  entry *newest, *oldest;
};

int ga__lru_new(ga__lru **out, size_t max, size_t max_cost,
                void (*drop)(void *)) {
  ga__lru *c = ga__calloc(1, sizeof *c);

  *out = c;
  if (c == NULL)
    return ga__fail_nomem();
  c->max = max;
  c->max_cost = max_cost;
  c->drop = drop;
  return GA_NO_ERROR;
}

static void unlink_entry(ga__lru *c, entry *e) {
  GA_ASSERT(e->prev != NULL ? e->prev->next == e : c->newest == e);
  GA_ASSERT(e->next != NULL ? e->next->prev == e : c->oldest == e);
  *(e->prev != NULL ? &e->prev->next : &c->newest) = e->next;
  *(e->next != NULL ? &e->next->prev : &c->oldest) = e->prev;
}

static void link_newest(ga__lru *c, entry *e) {
  e->prev = NULL;
  e->next = c->newest;
  *(c->newest != NULL ? &c->newest->prev : &c->oldest) = e;
  c->newest = e;
}

static entry *use(ga__lru *c, const void *key, size_t key_bytes) {
  entry *e = ga__map_get(&c->map, key, key_bytes);

  if (e != NULL && e != c->newest) {
    unlink_entry(c, e);
    link_newest(c, e);
  }
  return e;
}

static void drop_oldest(ga__lru *c) {
  entry *e = c->oldest;

  unlink_entry(c, e);
  ga__map_remove(&c->map, e->key, e->key_bytes);
  c->cost -= e->cost;
  c->drop(e->value);
  ga__free(e);
}

void *ga__lru_get(ga__lru *c, const void *key, size_t key_bytes) {
  entry *e = use(c, key, key_bytes);

  return e != NULL ? e->value : NULL;
}

static entry *new_entry(ga__lru *c, const void *key, size_t key_bytes) {
  entry *e = ga__malloc(sizeof *e + key_bytes);

  if (e == NULL)
    return NULL;
  *e = (entry){.key_bytes = key_bytes};
  memcpy(e->key, key, key_bytes);
  if (ga__map_put(&c->map, key, key_bytes, e) == GA_NO_ERROR) {
    link_newest(c, e);
    return e;
  }
  ga__free(e);
  return NULL;
}

int ga__lru_put(ga__lru *c, const void *key, size_t key_bytes, void *value,
                size_t cost) {
  entry *e = use(c, key, key_bytes);

  if (e != NULL) {
    c->cost -= e->cost;
    c->drop(e->value);
  } else {
    e = new_entry(c, key, key_bytes);
  }
  if (e == NULL) {
    c->drop(value);
    return ga__fail_nomem();
  }
  e->value = value;
  e->cost = cost;
  c->cost += cost;
  while (c->map.n > c->max || c->cost > c->max_cost)
    drop_oldest(c);
  return GA_NO_ERROR;
}

size_t ga__lru_count(const ga__lru *c) {
  return c->map.n;
}

void ga__lru_free(ga__lru *c) {
  if (c == NULL)
    return;
  while (c->oldest != NULL)
    drop_oldest(c);
  ga__map_clear(&c->map);
  ga__free(c);
}

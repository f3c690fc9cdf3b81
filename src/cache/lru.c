/* SPDX-License-Identifier: BSD-2-Clause */
/* A map to entries that form a list in order of use. */
#include "cache/lru.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"

typedef struct entry {
  struct entry *prev, *next; /* towards the newest, the oldest */
  void *value;               /* owned */
  unsigned char key[GA_SHA256_BYTES];
} entry;

struct ga__lru {
  ga__map map; /* key -> entry */
  size_t max;
  void (*drop)(void *);
  entry *newest, *oldest;
};

int ga__lru_new(ga__lru **out, size_t max, void (*drop)(void *)) {
  ga__lru *c = ga__calloc(1, sizeof *c);

  *out = c;
  if (c == NULL)
    return ga__fail_nomem();
  c->max = max;
  c->drop = drop;
  return GA_NO_ERROR;
}

static void unlink_entry(ga__lru *c, entry *e) {
  *(e->prev != NULL ? &e->prev->next : &c->newest) = e->next;
  *(e->next != NULL ? &e->next->prev : &c->oldest) = e->prev;
}

static void link_newest(ga__lru *c, entry *e) {
  e->prev = NULL;
  e->next = c->newest;
  *(c->newest != NULL ? &c->newest->prev : &c->oldest) = e;
  c->newest = e;
}

static entry *use(ga__lru *c, const unsigned char *key) {
  entry *e = ga__map_get(&c->map, key, GA_SHA256_BYTES);

  if (e != NULL && e != c->newest) {
    unlink_entry(c, e);
    link_newest(c, e);
  }
  return e;
}

static void drop_oldest(ga__lru *c) {
  entry *e = c->oldest;

  unlink_entry(c, e);
  ga__map_remove(&c->map, e->key, sizeof e->key);
  c->drop(e->value);
  ga__free(e);
}

void *ga__lru_get(ga__lru *c, const unsigned char key[GA_SHA256_BYTES]) {
  entry *e = use(c, key);

  return e != NULL ? e->value : NULL;
}

int ga__lru_put(ga__lru *c, const unsigned char key[GA_SHA256_BYTES],
                void *value) {
  entry *e = use(c, key);

  if (e != NULL) {
    void *old = e->value;
    e->value = value;
    c->drop(old);
    return GA_NO_ERROR;
  }
  e = ga__malloc(sizeof *e);
  if (e == NULL || ga__map_put(&c->map, key, GA_SHA256_BYTES, e) != 0) {
    ga__free(e);
    c->drop(value);
    return ga__fail_nomem();
  }
  e->value = value;
  memcpy(e->key, key, sizeof e->key);
  link_newest(c, e);
  while (c->map.n > c->max)
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Spare kernels: a ring of steps, oldest first, and lists of those whose keys
 * have the same hash. */
#include "ocl/kernel/spare_kernels.h"

#include <string.h>

#include "base/alloc.h"
#include "base/xxh64.h"
#include "ocl/objects.h"

enum {
  SPARES = 2048, /* at most; a power of two */
  NO_SPARE = -1
};

typedef struct spare {
  ga__step step; /* step.kernel is NULL: the place is free */
  int list;      /* of its hash */
  int next;      /* in that list, or NO_SPARE */
} spare;

struct ga__spares {
  spare place[SPARES];
  int first[SPARES]; /* by hash, or NO_SPARE */
  unsigned int next; /* place to be filled next: the oldest */
};

static int list_of(const size_t *key, size_t n) {
  return (int)(ga__xxh64_of(key, n * sizeof *key) % SPARES);
}

static struct ga__spares *need_spares(gpucontext *ctx) {
  if (ctx->spares != NULL)
    return ctx->spares;
  ctx->spares = ga__calloc(1, sizeof *ctx->spares);
  for (int i = 0; ctx->spares != NULL && i < SPARES; i++)
    ctx->spares->first[i] = NO_SPARE;
  return ctx->spares;
}

/* Take place `k` out of its list, and free it for another step. */
static void unlink_place(struct ga__spares *s, int k) {
  int *at = &s->first[s->place[k].list];

  while (*at != k)
    at = &s->place[*at].next;
  *at = s->place[k].next;
  memset(&s->place[k].step, 0, sizeof s->place[k].step);
}

static void drop(struct ga__spares *s, int k) {
  ga__step old = s->place[k].step;

  if (old.kernel == NULL)
    return;
  unlink_place(s, k);
  ga__step_clear(&old);
}

void ga__spare_put(gpucontext *ctx, ga__step *step) {
  struct ga__spares *s = step->key != NULL ? need_spares(ctx) : NULL;

  if (s == NULL || step->kernel == NULL) {
    ga__step_clear(step);
  } else {
    const int k = (int)(s->next++ % SPARES);
    drop(s, k);
    s->place[k].step = *step;
    s->place[k].list = (int)(step->key_hash % SPARES);
    s->place[k].next = s->first[s->place[k].list];
    s->first[s->place[k].list] = k;
    for (size_t i = 0; i < step->values.n; i++)
      step->values.v[i].bytes = 0;
  }
  memset(step, 0, sizeof *step);
}

int ga__spare_take(gpucontext *ctx, const ga__launch_key *key, ga__step *step) {
  struct ga__spares *s = ctx->spares;

  if (s == NULL || key->n > GA_LAUNCH_KEY_MAX)
    return 0;
  for (int k = s->first[list_of(key->v, key->n)]; k != NO_SPARE;
       k = s->place[k].next) {
    const ga__step *found = &s->place[k].step;

    if (!ga__step_has_key(found, key))
      continue;
    *step = *found;
    unlink_place(s, k);
    return 1;
  }
  return 0;
}

void ga__spares_clear(gpucontext *ctx) {
  for (int k = 0; ctx->spares != NULL && k < SPARES; k++)
    drop(ctx->spares, k);
  ga__free(ctx->spares);
  ctx->spares = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings: in n - 1 steps each rank sends a part to the next rank and receives
 * another one from the previous rank. All links are busy, and no rank sends
 * more than twice the data, however many ranks there are. */
#include "comm/ring.h"

#include <string.h>

#include "base/assert.h"
#include "base/err.h"

static int wrap(const ga__group *g, int rank) {
  return (rank % g->n + g->n) % g->n;
}

int ga__group_exchange(ga__group *g, const ga__message *m, int n) {
  char why[GA_COMM_WHY] = "";

  if (n == 0)
    return GA_NO_ERROR;
  int err = g->table->exchange(g->handle, m, n, g->timeout, why);
  if (err == GA_NO_ERROR)
    return GA_NO_ERROR;
  g->is_lost = 1;
  return ga__fail(err, "rank %d of %d: %s", g->rank, g->n, why);
}

int ga__group_tell(ga__group *g, const void *mine, unsigned char *all,
                   size_t bytes) {
  ga__message *m = g->messages;
  int n = 0;

  memcpy(all + (size_t)g->rank * bytes, mine, bytes);
  for (int r = 0; r < g->n; r++) {
    if (r == g->rank)
      continue;
    m[n++] = (ga__message){r, 0, all + (size_t)r * bytes, bytes};
    m[n++] = (ga__message){r, 1, all + (size_t)g->rank * bytes, bytes};
  }
  return ga__group_exchange(g, m, n);
}

/* One step: send to the next rank, receive from the previous one. */
static int pass(ga__group *g, void *send, size_t n_send, void *receive,
                size_t n_receive) {
  const ga__message m[2] = {{wrap(g, g->rank - 1), 0, receive, n_receive},
                            {wrap(g, g->rank + 1), 1, send, n_send}};

  return ga__group_exchange(g, m, 2);
}

static size_t bytes_of(const ga__parts *p, int rank) {
  return p->n[rank] * p->size;
}

int ga__ring_reduce(ga__group *g, const ga__parts *parts, ga__combine combine,
                    void *out, unsigned char *work) {
  const int own = g->rank;
  size_t largest = 0;

  GA_ASSERT(own >= 0 && own < g->n);

  for (int r = 0; r < g->n; r++)
    largest = bytes_of(parts, r) > largest ? bytes_of(parts, r) : largest;
  int part = wrap(g, own - 1);
  unsigned char *send = parts->at[part];
  for (int step = 0; step < g->n - 1; step++) {
    const int before = part;

    part = wrap(g, part - 1);
    unsigned char *receive = work + (size_t)(step % 2) * largest;
    GA_TRY(
        pass(g, send, bytes_of(parts, before), receive, bytes_of(parts, part)));
    combine(receive, parts->at[part], parts->n[part]);
    send = receive;
  }
  /* `part` is this rank's own now. With one rank it always was. */
  if (out != send)
    memmove(out, send, bytes_of(parts, own));
  return GA_NO_ERROR;
}

int ga__ring_gather(ga__group *g, const ga__parts *parts) {
  for (int step = 0; step < g->n - 1; step++) {
    const int send = wrap(g, g->rank - step);
    const int receive = wrap(g, send - 1);

    GA_TRY(pass(g, parts->at[send], bytes_of(parts, send), parts->at[receive],
                bytes_of(parts, receive)));
  }
  return GA_NO_ERROR;
}

int ga__group_collect(ga__group *g, const ga__parts *parts, int root) {
  GA_ASSERT(root >= 0 && root < g->n);
  ga__message *m = g->messages;
  int n = 0;

  if (g->rank != root) {
    const ga__message one = {root, 1, parts->at[g->rank],
                             bytes_of(parts, g->rank)};

    return ga__group_exchange(g, &one, 1);
  }
  for (int r = 0; r < g->n; r++) {
    if (r != root)
      m[n++] = (ga__message){r, 0, parts->at[r], bytes_of(parts, r)};
  }
  return ga__group_exchange(g, m, n);
}

/* Ranks are counted from the root. A rank that has the data sends it to those a
 * power of two further on, the furthest first. */
int ga__tree_broadcast(ga__group *g, void *bytes, size_t n, int root) {
  const int place = wrap(g, g->rank - root);
  int step = 1;

  for (; step < g->n && !(place & step); step *= 2)
    ;
  if (place != 0) {
    const ga__message m = {wrap(g, g->rank - step), 0, bytes, n};

    GA_TRY(ga__group_exchange(g, &m, 1));
  }
  while ((step /= 2) > 0) {
    const ga__message m = {wrap(g, g->rank + step), 1, bytes, n};

    if (place + step < g->n)
      GA_TRY(ga__group_exchange(g, &m, 1));
  }
  return GA_NO_ERROR;
}

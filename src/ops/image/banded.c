/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows along the last axes, on the host. */
#include "ops/image/banded.h"

#include <math.h>

#include "base/dtype.h"
#include "base/err.h"

void gg__bands_clear(gg__bands *b) {
  for (unsigned int d = 0; d < GA_POOLING_ND; d++)
    GpuBand_clear(&b->band[d]);
}

int gg__bands_turn(gg__bands *b, unsigned int d) {
  GpuBand turned;

  GA_TRY(GpuBand_transpose(&turned, &b->band[d]));
  GpuBand_clear(&b->band[d]);
  b->band[d] = turned;
  return GA_NO_ERROR;
}

/* An element of the result and what its window has given so far. */
typedef struct cell {
  size_t base; /* index of the batch's first element of the source */
  size_t o[GA_POOLING_ND]; /* of the result */
  int64_t me;              /* its index over the windows' axes */
  double sum, best;
  int64_t place;
} cell;

static void combine(const gg__bands_host *h, cell *c, int64_t at,
                    double weight) {
  const size_t i = c->base + (size_t)at;
  const double v = ga__dtype_to_double(
      h->dtype, (const char *)h->from + i * ga__dtype_size(h->dtype));

  if (h->op == GA_POOLING_SUM)
    c->sum += weight * v;
  else if (h->op == GA_POOLING_PICK)
    c->sum += h->index[i] == c->me ? v : 0;
  else if (c->place < 0 || v > c->best || (isnan(v) && !isnan(c->best))) {
    c->best = v;
    c->place = at;
  }
}

/* Go through the window from axis d on; `at` and `weight` are those of the axes
 * before it. */
static void walk(const gg__bands *b, const gg__bands_host *h, cell *c,
                 unsigned int d, int64_t at, double weight) {
  const GpuBand *s = &b->band[d];
  const size_t o = c->o[d];

  for (size_t k = 0; k < (size_t)s->count[o]; k++) {
    const int64_t next =
        at * (int64_t)s->from + s->first[o] + (int64_t)(k * s->step);
    const double w =
        s->weights != NULL ? weight * s->weights[k * s->n + o] : weight;

    if (d + 1 < b->n && d + 1 < GA_POOLING_ND)
      walk(b, h, c, d + 1, next, w);
    else
      combine(h, c, next, w);
  }
}

/* The least value of a dtype, which the maximum of no elements is. */
static double least(int dtype) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
    return -INFINITY;
  case GA_KIND_INT:
    return -ldexp(1, 8 * (int)ga__dtype_size(dtype) - 1);
  default:
    return 0;
  }
}

int gg__bands_compute(const gg__bands *b, const gg__bands_host *h) {
  size_t total = 1, source = 1, each = 1;

  for (unsigned int d = 0; d < h->nd - b->n; d++)
    total *= h->x[d];
  for (unsigned int d = 0; d < b->n; d++) {
    each *= b->band[d].n;
    source *= b->band[d].from;
  }
  for (size_t i = 0; i < total * each; i++) {
    cell c = {.base = i / each * source,
              .me = (int64_t)(i % each),
              .best = least(h->dtype),
              .place = -1};
    size_t rest = i % each;

    for (unsigned int d = b->n; d-- > 0;) {
      c.o[d] = rest % b->band[d].n;
      rest /= b->band[d].n;
    }
    walk(b, h, &c, 0, 0, 1);
    if (h->place != NULL)
      h->place[i] = c.place;
    if (h->value != NULL)
      ga__dtype_from_double(h->dtype,
                            (char *)h->value + i * ga__dtype_size(h->dtype),
                            h->op == GA_POOLING_MAX ? c.best : c.sum);
  }
  return GA_NO_ERROR;
}

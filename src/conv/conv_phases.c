/* SPDX-License-Identifier: BSD-2-Clause */
/* Remainders of positions in gradients by input with strides. */
#include "conv/conv_phases.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/arith.h"

enum {
  MOST = 1 << 14, /* products and groups: GPUs count up to 65535 */
  MOST_BLOCK = 64 /* positions along a dimension that a column stores */
};

ga__conv_phase ga__conv_find_phase(const ga__conv *c, int d, size_t remainder) {
  const size_t stride = c->stride[d], dilation = c->dilation[d];
  const size_t common = ga__gcd(stride, dilation);
  const size_t from = remainder + c->before[d];
  ga__conv_phase f = {.columns =
                          c->x.size[d] > remainder
                              ? ga__ceil_div(c->x.size[d] - remainder, stride)
                              : 0,
                      .apart = stride / common,
                      .pt = -(ptrdiff_t)(dilation / common)};

  const size_t most = ga__at_most(f.apart, c->w.size[d]);
  while (f.first < most &&
         (ptrdiff_t)(from - f.first * dilation) % (ptrdiff_t)stride != 0)
    f.first++;
  if (f.first < most)
    f.taps = ga__ceil_div(c->w.size[d] - f.first, f.apart);
  if (f.taps > 0)
    f.pad = -((ptrdiff_t)(from - f.first * dilation) / (ptrdiff_t)stride);
  return f;
}

size_t ga__conv_remainders(const ga__conv *c, int d) {
  return ga__at_most(c->stride[d], c->x.size[d]);
}

/* Remainders along a dimension that have products of their own. */
typedef struct range {
  size_t first, n;
  int has_zeros; /* the only one that has taps, of several */
} range;

static range find_range(const ga__conv *c, int d) {
  const size_t n = ga__conv_remainders(c, d);
  size_t found = 0, last = 0;

  for (size_t r = 0; r < n && found < 2; r++) {
    if (ga__conv_find_phase(c, d, r).taps == 0)
      continue;
    last = r;
    found++;
  }
  return n > 1 && n <= MOST_BLOCK && found == 1 ? (range){last, 1, 1}
                                                : (range){0, n, 0};
}

static ga__phase describe(const ga__conv *c, const size_t remainder[3],
                          const int64_t block[3]) {
  ga__phase v = {.k = (int64_t)(c->w.n[0] / c->groups),
                 .n = (int64_t)c->x.n[0]};

  for (int d = 0; d < 3; d++) {
    const ga__conv_phase f = ga__conv_find_phase(c, d, remainder[d]);

    v.p[d] = (int64_t)f.taps;
    v.j[d] = (int64_t)(block[d] > 1 ? ga__ceil_div(c->x.size[d], c->stride[d])
                                    : f.columns);
    v.pad[d] = f.pad;
    v.first[d] = (int64_t)remainder[d];
    v.k *= v.p[d];
    v.n *= v.j[d];
  }
  return v;
}

static int is_longer(const void *a, const void *b) {
  const ga__phase *x = a, *y = b;

  if (x->k != y->k)
    return x->k > y->k ? -1 : 1;
  for (int d = 0; d < 3; d++) /* the same order everywhere */
    if (x->first[d] != y->first[d])
      return x->first[d] < y->first[d] ? -1 : 1;
  return 0;
}

int ga__conv_find_phases(ga__phases *out, const ga__conv *c) {
  size_t all = 1, products = 1, sum = 0;
  range of[3];

  *out = (ga__phases){.all = {.batch = (int64_t)c->groups}};
  for (int d = 0; d < 3; d++) {
    of[d] = find_range(c, d);
    all = ga__times(all, ga__conv_remainders(c, d));
    products = ga__times(products, of[d].n);
    out->all.step[d] = (int64_t)c->stride[d];
    out->all.block[d] =
        of[d].has_zeros ? (int64_t)ga__conv_remainders(c, d) : 1;
    out->all.size[d] = (int64_t)c->x.size[d];
  }
  if (all <= 1 || ga__times(products, c->groups) > MOST)
    return 0;
  out->v = ga__calloc(products, sizeof *out->v);
  if (out->v == NULL)
    return 0;
  for (size_t i = 0; i < products; i++) {
    const size_t r[3] = {of[0].first + i / (of[1].n * of[2].n),
                         of[1].first + i / of[2].n % of[1].n,
                         of[2].first + i % of[2].n};

    out->v[i] = describe(c, r, out->all.block);
    sum += (size_t)out->v[i].k;
  }
  out->n = products;
  out->mean = ga__ceil_div(sum, products);
  qsort(out->v, products, sizeof *out->v, is_longer);
  return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "conv/conv_pad.h"

#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "blas/product_provider.h"

enum {
  UNIT_BYTES = 16,
  MOST_TIMES = 4 /* as long sums are slower than other kernels */
};

/* How a copy lies. Positions have `channels`; a line along the last dimension
 * has `positions`, of which the first `before` are zeros; and the sum goes over
 * `taps` of them, which are one digit with the channels if `is_line`. */
typedef struct layout {
  size_t channels, taps, positions;
  ptrdiff_t before;
  int is_line;
} layout;

/* n or more, so that `each` of them are whole units. */
static size_t fill_units(size_t n, size_t each, size_t unit) {
  return ga__round_up(n, unit / ga__gcd(each, unit));
}

/* Positions that are whole units each. */
static layout by_positions(const ga__window *w, size_t unit) {
  return (layout){.channels = ga__round_up(w->p[3], unit),
                  .taps = w->p[2],
                  .positions = w->x[2]};
}

/* Lines under a filter that begin with a unit each: several positions share
 * one. */
static layout by_lines(const ga__window *w, size_t unit) {
  layout y = {.before = w->pad[2], .is_line = 1};
  const size_t step = (size_t)w->jt[2];

  y.channels = fill_units(w->p[3], step, unit);
  y.taps = fill_units(w->p[2], y.channels, unit);
  y.positions = fill_units((w->j[3] - 1) * step + y.taps, y.channels, unit);
  return y;
}

static layout choose(const ga__window *w, size_t unit) {
  const layout positions = by_positions(w, unit);

  if (w->p[2] <= 1 || w->pt[2] != 1 || w->jt[2] < 1 || w->j[3] == 0)
    return positions;
  const layout lines = by_lines(w, unit);
  return lines.taps * lines.channels < positions.taps * positions.channels
             ? lines
             : positions;
}

/* The window on the copy. */
static ga__window window_on_copy(const ga__window *w, const layout *y) {
  ga__window t = *w;
  ptrdiff_t next = (ptrdiff_t)ga__times(y->positions, y->channels);

  t.p[3] = y->channels;
  t.s[2] = (ptrdiff_t)y->channels;
  if (y->is_line) {
    t.p[2] = 1;
    t.p[3] = y->taps * y->channels;
    t.s[2] *= w->jt[2];
    t.jt[2] = 1;
    t.pad[2] = 0;
    t.x[2] = w->j[3];
  }
  for (int d = 1; d >= 0; d--) {
    t.s[d] = next;
    next *= (ptrdiff_t)w->x[d];
  }
  t.js = next;
  t.low = 0;
  t.high = next * (ptrdiff_t)w->j[0];
  return t;
}

static void copy(GpuLaunch *l, const ga__product *p, const ga__window *w,
                 const layout *y, size_t unit, unsigned int to) {
  const size_t gs[3] = {y->positions * y->channels / unit,
                        ga__times(w->x[0], w->x[1]), w->j[0]};

  ga__product_kernel(p->ctx, l, p->typecode, "conv_pad", "conv_pad",
                     GA_GEN_TEXT(ga__gen_gemm_align_text, p->typecode), 3, gs,
                     NULL);
  ga__product_matrix(l, &p->b, 1);
  ga__launch_ssize(l, w->ps);
  ga__launch_ssize(l, w->js);
  for (int d = 0; d < 3; d++)
    ga__launch_ssize(l, w->s[d]);
  ga__launch_size(l, w->x[1]);
  ga__launch_size(l, w->x[2]);
  ga__launch_size(l, w->p[3]);
  ga__launch_size(l, y->channels);
  ga__launch_ssize(l, y->before);
  ga__launch_slot(l, to);
}

/* The window with sums and columns in each other's place. */
static ga__window turned(const ga__window *w) {
  ga__window t = *w;

  memcpy(t.p, w->j, sizeof t.p);
  memcpy(t.j, w->p, sizeof t.j);
  memcpy(t.pt, w->jt, sizeof t.pt);
  memcpy(t.jt, w->pt, sizeof t.jt);
  t.p_last = w->j_last;
  t.j_last = w->p_last;
  t.ps = w->js;
  t.js = w->ps;
  return t;
}

int ga__conv_pad(GpuLaunch *l, ga__product *p, ga__window *w, size_t sizes[2]) {
  const size_t unit = UNIT_BYTES / ga__dtype_size(p->typecode);
  const int is_filters = w->j_last && !w->p_last;
  const ga__window from = is_filters ? turned(w) : *w;
  ga__product q = *p;
  size_t *const terms = is_filters ? &q.n : &q.k;

  if (p->batch != 1 || from.j_last || !from.p_last || from.ps != 1 ||
      p->k == 0 || from.p[3] % unit == 0)
    return 0;
  const layout y = choose(&from, unit);
  ga__window t = window_on_copy(&from, &y);
  const size_t bytes = ga__times((size_t)t.high, ga__dtype_size(p->typecode));
  const size_t were = *terms;

  if (is_filters)
    t = turned(&t);
  q.window = &t;
  *terms = were / (from.p[2] * from.p[3]) * (y.taps * y.channels);
  q.b = (ga__product_operand){.slot = p->b.slot};
  if (*terms > ga__times(MOST_TIMES, were) || !ga__gemm_mma.wants(&q) ||
      bytes > ga__product_wish(p->ctx).workspace)
    return 0;
  q.b.slot = ga__launch_own_slot(l, bytes);
  copy(l, p, &from, &y, unit, q.b.slot);
  sizes[0] = y.taps;
  sizes[1] = y.channels;
  *w = t;
  q.window = w;
  *p = q;
  return 1;
}

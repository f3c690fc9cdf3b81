/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions whose filters have one element as products without windows. */
#include "conv/conv_plain.h"

#include "base/arith.h"

enum {
  BLOCK = 16,     /* terms of a sum that cl/gemm_gpu.cl loads at once */
  MOST_WASTE = 3, /* blocks may be larger than lines by 1 in so many terms */
  DIGITS = 4
};

/* Nonzero if no position outside of B is read, where digits of columns (`of`)
 * or of sums are `apart` positions from each other. */
static int is_inside(const ga__window *w, const size_t *of,
                     const ptrdiff_t apart[3]) {
  for (int d = 0; d < 3; d++)
    if (w->pad[d] != 0 ||
        (ptrdiff_t)w->x[d] <= (ptrdiff_t)(of[d] - 1) * apart[d])
      return 0;
  return 1;
}

static int has_rel(const ga__product *p) {
  return p->a.rel != 0 || p->b.rel != 0 || p->c.rel != 0;
}

/* --- columns along the last dimension --- */

/* Set the strides of the epilogue's arguments for a product without a window,
 * or a batch of them. */
static void settle_columns(const ga__conv_plain *c) {
  const int by_image = c->w->j[3] <= 1; /* columns are images */
  ga__epilogue *e = c->end->epilogue;

  e->is_batch = c->p->batch > 1;
  for (unsigned int k = 0; k < e->spec->n_args; k++) {
    const ga__conv_arg *from = &c->end->args[k];

    if (by_image)
      e->args[k].cs = from->by[0];
    e->args[k].bs = c->w->j[0] > 1 && !by_image
                        ? from->by[0]
                        : from->by[1] * (ptrdiff_t)c->p->m;
  }
}

void ga__conv_plain_columns(const ga__conv_plain *c) {
  ga__product *p = c->p;
  const ga__window *w = c->w;
  const size_t images = w->j[0];

  if (w->j_last || w->p[w->p_last ? 3 : 0] != p->k || w->j[1] * w->j[2] != 1 ||
      !is_inside(w, w->j + 1, w->jt))
    return;
  if ((images > 1 && p->batch > 1 && w->j[3] > 1) || has_rel(p))
    return;
  p->window = NULL;
  p->b.rs = w->ps;
  p->b.cs = w->j[3] > 1 ? w->jt[2] * w->s[2] : w->js;
  p->c.cs = w->j[3] > 1 ? w->c[3] : w->c[0];
  if (images > 1 && w->j[3] > 1) {
    p->batch = images;
    p->n = w->j[3];
    p->a.bs = 0;
    p->b.bs = w->js;
    p->c.bs = w->c[0];
  }
  if (c->end != NULL)
    settle_columns(c);
}

/* --- gradients by filters --- */

/* The terms of a sum: some digits, the first one outermost, and the strides of
 * A and B for each. */
typedef struct sum_digits {
  size_t n[DIGITS];
  ptrdiff_t a[DIGITS], b[DIGITS];
  int count;
} sum_digits;

/* Add a digit inside of the others, and merge it with the one before if terms
 * are evenly spaced. */
static void add_digit(sum_digits *s, size_t n, ptrdiff_t a, ptrdiff_t b) {
  const int last = s->count - 1;

  if (n == 1)
    return;
  if (last >= 0 && s->a[last] == a * (ptrdiff_t)n &&
      s->b[last] == b * (ptrdiff_t)n) {
    s->n[last] *= n;
    s->a[last] = a;
    s->b[last] = b;
    return;
  }
  s->n[s->count] = n;
  s->a[s->count] = a;
  s->b[s->count++] = b;
}

static sum_digits find_digits(const ga__conv_plain *c) {
  const ga__window *w = c->w;
  sum_digits s = {.count = 0};

  add_digit(&s, w->p[0], c->a[0], w->ps);
  for (int d = 0; d < 3; d++)
    add_digit(&s, w->p[d + 1], c->a[d + 1], w->pt[d] * w->s[d]);
  if (s.count == 0) /* one term */
    s.n[s.count++] = 1;
  return s;
}

/* Nonzero if the digits inside of two are lines that blocks fit. */
static int are_lines(const sum_digits *s) {
  const size_t n = s->n[s->count - 1];

  return s->count <= 3 && (ga__round_up(n, BLOCK) - n) * MOST_WASTE <= n;
}

static void settle_filters(const ga__conv_plain *c) {
  ga__epilogue *e = c->end->epilogue;

  e->is_batch = c->p->batch > 1;
  for (unsigned int k = 0; k < e->spec->n_args; k++) {
    const ga__conv_arg *from = &c->end->args[k];

    e->args[k].cs = from->by[1];
    e->args[k].bs = from->by[0] * (ptrdiff_t)c->p->m;
  }
}

static void set_lines(ga__product *p, const sum_digits *s) {
  const int line = s->count - 2, sheet = s->count - 3;

  p->sheets = sheet >= 0 ? s->n[sheet] : 1;
  p->lines = s->n[line];
  p->a.ls = s->a[line];
  p->b.ls = s->b[line];
  if (sheet < 0)
    return;
  p->a.ss = s->a[sheet];
  p->b.ss = s->b[sheet];
}

int ga__conv_plain_filters(const ga__conv_plain *c) {
  ga__product *p = c->p;
  const ga__window *w = c->w;

  if (w->p_last || p->k == 0 || p->n != w->j[w->j_last ? 3 : 0] ||
      !is_inside(w, w->p + 1, w->pt) || has_rel(p))
    return 0;
  const sum_digits s = find_digits(c);
  const int last = s.count - 1;
  if (last > 0 && !are_lines(&s))
    return 0;
  p->window = NULL;
  p->k = s.n[last];
  p->a.cs = s.a[last];
  p->b.rs = s.b[last];
  p->b.cs = w->js;
  p->c.cs = w->c[w->j_last ? 3 : 0];
  if (last > 0)
    set_lines(p, &s);
  if (c->end != NULL)
    settle_filters(c);
  return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients by input as products. With strides there is one product for each
 * remainder of positions divided by the strides, because each of them has
 * filter elements of its own. The windows of these products have stride 1. GPUs
 * compute all of them in one launch where that is faster. */
#include "conv/conv_input.h"

#include "conv/conv_direct.h"
#include "conv/conv_phases.h"

#include "base/alloc.h"
#include "base/arith.h"

enum {
  MOST_APART = 9,    /* launches of tensor cores */
  APART_TILE = 64,   /* rows and columns of a tile */
  APART_TERMS = 1024 /* of a sum, from which few tiles need parts of it */
};

/* --- one remainder --- */

static void add_phase(ga__conv_work *s, const size_t remainder[3]) {
  const ga__conv *c = s->c;
  const size_t filters = c->w.n[0] / c->groups;
  size_t taps[3], columns[3];
  ptrdiff_t a_rel = 0, c_rel = 0, by_tap[3], by_column[3];
  ga__window *w = &s->w;

  for (int d = 0; d < 3; d++) {
    const ga__conv_phase f = ga__conv_find_phase(c, d, remainder[d]);

    taps[d] = f.taps;
    columns[d] = f.columns;
    w->pt[d] = f.pt;
    w->jt[d] = 1;
    w->pad[d] = f.pad;
    by_tap[d] = c->w.s[d] * (ptrdiff_t)f.apart;
    by_column[d] = c->x.s[d] * (ptrdiff_t)c->stride[d];
    a_rel += c->w.s[d] * (ptrdiff_t)(f.taps > 0 ? f.first : 0);
    c_rel += c->x.s[d] * (ptrdiff_t)remainder[d];
    s->step[d] = (ptrdiff_t)c->stride[d];
    s->first[d] = (ptrdiff_t)remainder[d];
  }
  s->p.m = c->w.n[1];
  w->p_last = c->y.by[1] == 1;
  w->j_last = 0;
  ga__conv_set_sizes(w->p, w->p_last, filters, taps);
  ga__conv_set_sizes(w->j, 0, c->x.n[0], columns);
  ga__conv_set_operand(&s->p.a, c, &c->w, a_rel);
  s->p.a.rs = c->w.by[1];
  s->p.a.bs = (ptrdiff_t)filters * c->w.by[0];
  ga__conv_set_strides(s->a, w->p_last, c->w.by[0], by_tap);
  ga__conv_set_b(s, &c->y);
  s->p.b.bs = (ptrdiff_t)filters * c->y.by[1];
  w->ps = c->y.by[1];
  w->js = c->y.by[0];
  ga__conv_set_operand(&s->p.c, c, &c->x, c_rel);
  s->p.c.rs = c->x.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->x.by[1];
  ga__conv_set_strides(w->c, 0, c->x.by[0], by_column);
  s->row = 1;
  s->channel = 0;
  ga__conv_add_work(s);
}

/* --- all remainders in one launch --- */

/* The strides of A for the digits of a sum, and its place in w. */
static ptrdiff_t set_taps(ga__conv_work *s, const ga__phase *f) {
  const ga__conv *c = s->c;
  ptrdiff_t rel = 0, by_tap[3];
  size_t taps[3];

  for (int d = 0; d < 3; d++) {
    const ga__conv_phase one = ga__conv_find_phase(c, d, (size_t)f->first[d]);

    taps[d] = one.taps;
    by_tap[d] = c->w.s[d] * (ptrdiff_t)one.apart;
    rel += c->w.s[d] * (ptrdiff_t)(one.taps > 0 ? one.first : 0);
  }
  ga__conv_set_sizes(s->w.p, s->w.p_last, c->w.n[0] / c->groups, taps);
  ga__conv_set_strides(s->a, s->w.p_last, c->w.by[0], by_tap);
  s->p.k = (size_t)f->k;
  return rel;
}

static void set_filters(ga__conv_work *s, ptrdiff_t rel) {
  const ga__conv *c = s->c;

  ga__conv_set_operand(&s->p.a, c, &c->w, rel);
  s->p.a.rs = c->w.by[1];
  s->p.a.bs = (ptrdiff_t)(c->w.n[0] / c->groups) * c->w.by[0];
}

/* Read w in place, if all sums have the same distance from term to term: set
 * the places of their A. */
static int read_filters(ga__conv_work *s, const ga__phases *f) {
  ptrdiff_t step = 0;

  for (size_t i = 0; i < f->n && f->v[i].k > 0; i++) {
    ptrdiff_t own;

    f->v[i].a = set_taps(s, &f->v[i]);
    if (!ga__conv_is_even(&own, s->w.p, s->a) || (i > 0 && own != step))
      return 0;
    step = own;
  }
  set_filters(s, 0);
  s->p.a.cs = step;
  return 1;
}

/* Copy the filters of all products beside each other. */
static void copy_filters(ga__conv_work *s, const ga__phases *f) {
  size_t all = 0, at = 0;

  for (size_t i = 0; i < f->n; i++)
    all += (size_t)f->v[i].k;
  for (size_t i = 0; i < f->n && f->v[i].k > 0; i++) {
    set_filters(s, set_taps(s, &f->v[i]));
    ga__conv_copy_a(s, at, all);
    f->v[i].a = (ptrdiff_t)at;
    at += (size_t)f->v[i].k;
  }
}

/* Set the window to the largest sizes, and to paddings unless all are 0. */
static void set_window(ga__conv_work *s, const ga__phases *f) {
  const ga__conv *c = s->c;
  size_t taps[3] = {0, 0, 0}, columns[3] = {0, 0, 0};

  for (int d = 0; d < 3; d++) {
    s->w.pt[d] = ga__conv_find_phase(c, d, 0).pt;
    s->w.jt[d] = 1;
    s->w.pad[d] = 0;
    for (size_t i = 0; i < f->n; i++) {
      taps[d] = ga__at_least(taps[d], (size_t)f->v[i].p[d]);
      columns[d] = ga__at_least(columns[d], (size_t)f->v[i].j[d]);
      if (f->v[i].pad[d] != 0)
        s->w.pad[d] = f->v[i].pad[d];
    }
  }
  ga__conv_set_sizes(s->w.p, s->w.p_last, c->w.n[0] / c->groups, taps);
  ga__conv_set_sizes(s->w.j, 0, c->x.n[0], columns);
}

/* Put the digits of sums in the order of the window. Kernels divide by them. */
static void settle_digits(ga__conv_work *s, const ga__phases *f) {
  for (size_t i = 0; i < f->n; i++) {
    const int64_t *p = f->v[i].p;
    const size_t taps[3] = {(size_t)p[0], (size_t)p[1], (size_t)p[2]};
    size_t digits[4];

    ga__conv_set_sizes(digits, s->w.p_last, s->c->w.n[0] / s->c->groups, taps);
    for (int d = 0; d < 3; d++)
      f->v[i].p[d] = (int64_t)ga__at_least(digits[d + 1], 1);
  }
}

/* Nonzero if tensor cores compute all products, and these are few. */
static int are_by_tensor_cores(const ga__conv_work *s, const ga__phases *f) {
  const ga__conv *c = s->c;
  size_t all = 1;

  for (int d = 0; d < 3; d++)
    all = ga__times(all, ga__conv_remainders(c, d));
  if (s->by == &ga__gemm_gpu || all > MOST_APART)
    return 0;
  for (size_t i = 0; i < f->n; i++) {
    ga__product p = s->p;

    p.k = (size_t)f->v[i].k;
    p.n = (size_t)f->v[i].n;
    if (!ga__gemm_mma.wants(&p))
      return 0;
  }
  return 1;
}

/* Nonzero if a GPU computes products one by one faster: on tensor cores,
 * directly, or with sums in parts where there are few of them. */
static int are_better_apart(const ga__conv_work *s, const ga__phases *f) {
  const ga__conv_direct direct = {&s->p, s->a, 0};
  const size_t tiles =
      ga__times(f->n * s->p.batch, ga__ceil_div(s->p.m, APART_TILE) *
                                       ga__ceil_div(s->p.n, APART_TILE));

  return are_by_tensor_cores(s, f) ||
         (s->by == NULL && ga__conv_direct_wants(&direct)) ||
         (f->mean > APART_TERMS &&
          tiles < gpucontext_caps(s->c->ctx)->compute_units);
}

static void describe_phases(ga__conv_work *s, const ga__phases *f) {
  const ga__conv *c = s->c;
  ga__window *w = &s->w;

  w->p_last = c->y.by[1] == 1;
  w->j_last = 0;
  set_window(s, f);
  ga__conv_set_b(s, &c->y);
  s->p.b.bs = (ptrdiff_t)(c->w.n[0] / c->groups) * c->y.by[1];
  w->ps = c->y.by[1];
  w->js = c->y.by[0];
  ga__conv_set_operand(&s->p.c, c, &c->x, 0);
  s->p.m = c->w.n[1];
  s->p.n = ga__conv_count(w->j);
  s->p.c.rs = c->x.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->x.by[1];
  ga__conv_set_strides(w->c, 0, c->x.by[0], c->x.s);
  s->row = 1;
  s->channel = 0;
  ga__conv_start(s);
}

/* Return 0 if the products are to be added one by one. */
static int add_phases(ga__conv_work *s) {
  ga__phases f;

  if (!ga__conv_is_by_gpu(s) || !ga__conv_find_phases(&f, s->c))
    return 0;
  describe_phases(s, &f);
  ga__conv_settle_ending(s);
  if (s->end != NULL)
    ga__conv_imagine_c(s);
  const int is_one = !are_better_apart(s, &f);
  if (is_one && s->p.m > 0 && s->p.n > 0) {
    if (!read_filters(s, &f))
      copy_filters(s, &f);
    set_window(s, &f);
    s->p.k = (size_t)f.v[0].k;
    settle_digits(s, &f);
    s->p.phases = &f;
    ga__product_add(s->l, &s->p, &ga__gemm_gpu);
  }
  ga__free(f.v);
  return is_one;
}

void ga__conv_add_input(ga__conv_work *s) {
  const ga__conv *c = s->c;
  size_t n[3], r[3];

  if (add_phases(s))
    return;
  for (int d = 0; d < 3; d++) /* larger remainders have no columns */
    n[d] = ga__conv_remainders(c, d);
  for (r[0] = 0; r[0] < n[0]; r[0]++)
    for (r[1] = 0; r[1] < n[1]; r[1]++)
      for (r[2] = 0; r[2] < n[2]; r[2]++)
        add_phase(s, r);
}

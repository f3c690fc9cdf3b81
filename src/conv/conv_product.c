/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients as products.
 *
 *                        rows      A                  B
 *   forward              filters   w                  x
 *   gradient by input    channels  w                  the gradient by y
 *   gradient by filters  filters   the gradient by y  x
 *
 * B is read through a window. */
#include "conv/conv_product.h"

#include "conv/conv_input.h"

#include "base/arith.h"

/* Nonzero if the epilogue's arguments have no gaps between spatial dimension d
 * of the result and the last one, which has n elements. Results of gradients by
 * filters have one element there. */
static int ending_merges(const ga__conv_ending *end, ga_conv_part part, int d,
                         size_t n) {
  const unsigned int n_args =
      end != NULL && part != GA_CONV_FILTERS ? end->epilogue->spec->n_args : 0;

  for (unsigned int k = 0; k < n_args; k++)
    if (end->args[k].s[d] != end->args[k].s[2] * (ptrdiff_t)n)
      return 0;
  return 1;
}

/* Merge spatial dimensions of x and y into the last one, so that columns form
 * longer runs: where filters have size 1, stride 1 and no padding, and memory
 * has no gaps between the dimensions. Kernels compute positions in merged
 * dimensions as ints, too. */
static void merge(ga__conv *c, ga_conv_part part, const ga__conv_ending *end) {
  ga__conv_array *const x = &c->x, *const y = &c->y;

  for (int d = 1; d >= 0; d--) {
    if (c->w.size[d] * c->w.size[2] != 1 || c->stride[d] * c->stride[2] != 1 ||
        c->before[d] + c->before[2] != 0 || x->size[d] != y->size[d] ||
        x->size[2] != y->size[2] ||
        ga__times(x->size[d], x->size[2]) > GA__CONV_MOST)
      return;
    if (x->size[d] > 1 && (x->s[d] != x->s[2] * (ptrdiff_t)x->size[2] ||
                           y->s[d] != y->s[2] * (ptrdiff_t)y->size[2] ||
                           !ending_merges(end, part, d, x->size[2])))
      return;
    x->size[2] *= x->size[d];
    y->size[2] *= y->size[d];
    x->size[d] = y->size[d] = 1;
    x->s[d] = y->s[d] = 0;
  }
}

static void add_forward(ga__conv_work *s) {
  const ga__conv *c = s->c;
  const size_t channels = c->w.n[1];
  ga__window *w = &s->w;

  s->p.m = c->w.n[0] / c->groups;
  w->p_last = c->x.by[1] == 1;
  w->j_last = 0;
  ga__conv_set_sizes(w->p, w->p_last, channels, c->w.size);
  ga__conv_set_sizes(w->j, 0, c->x.n[0], c->y.size);
  ga__conv_set_operand(&s->p.a, c, &c->w, 0);
  s->p.a.rs = c->w.by[0];
  s->p.a.bs = (ptrdiff_t)s->p.m * c->w.by[0];
  ga__conv_set_strides(s->a, w->p_last, c->w.by[1], c->w.s);
  ga__conv_set_b(s, &c->x);
  s->p.b.bs = (ptrdiff_t)channels * c->x.by[1];
  w->ps = c->x.by[1];
  w->js = c->x.by[0];
  for (int d = 0; d < 3; d++) {
    w->pt[d] = (ptrdiff_t)c->dilation[d];
    w->jt[d] = (ptrdiff_t)c->stride[d];
    w->pad[d] = (ptrdiff_t)c->before[d];
  }
  ga__conv_set_operand(&s->p.c, c, &c->y, 0);
  s->p.c.rs = c->y.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->y.by[1];
  ga__conv_set_strides(w->c, 0, c->y.by[0], c->y.s);
  s->row = 1;
  s->channel = 0;
  ga__conv_add_work(s);
}

static void add_filters(ga__conv_work *s) {
  const ga__conv *c = s->c;
  const size_t channels = c->w.n[1];
  ga__window *w = &s->w;

  s->p.m = c->w.n[0] / c->groups;
  w->p_last = 0;
  w->j_last = c->x.by[1] == 1;
  ga__conv_set_sizes(w->p, 0, c->x.n[0], c->y.size);
  ga__conv_set_sizes(w->j, w->j_last, channels, c->w.size);
  ga__conv_set_operand(&s->p.a, c, &c->y, 0);
  s->p.a.rs = c->y.by[1];
  s->p.a.bs = (ptrdiff_t)s->p.m * c->y.by[1];
  ga__conv_set_strides(s->a, 0, c->y.by[0], c->y.s);
  ga__conv_set_b(s, &c->x);
  s->p.b.bs = (ptrdiff_t)channels * c->x.by[1];
  w->ps = c->x.by[0];
  w->js = c->x.by[1];
  for (int d = 0; d < 3; d++) {
    w->pt[d] = (ptrdiff_t)c->stride[d];
    w->jt[d] = (ptrdiff_t)c->dilation[d];
    w->pad[d] = (ptrdiff_t)c->before[d];
  }
  ga__conv_set_operand(&s->p.c, c, &c->w, 0);
  s->p.c.rs = c->w.by[0];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->w.by[0];
  ga__conv_set_strides(w->c, w->j_last, c->w.by[1], c->w.s);
  for (int d = 0; d < 3 && c->flip; d++) {
    s->step[d] = -1;
    s->first[d] = (ptrdiff_t)c->w.size[d] - 1;
  }
  s->row = 0;
  s->channel = 1;
  ga__conv_add_work(s);
}

void ga__conv_add(GpuLaunch *l, const ga__conv *given, ga_conv_part part,
                  const ga__conv_ending *end, const ga__provider *by) {
  ga__conv c = *given;
  const ga__conv_array *a = part == GA_CONV_FILTERS ? &c.y : &c.w;
  ga__conv_work s = {.l = l,
                     .c = &c,
                     .end = end,
                     .by = by,
                     .a_total = ga__times(ga__times(a->n[0], a->n[1]),
                                          a->size[0] * a->size[1] * a->size[2]),
                     .copy = GA_NO_SLOT,
                     .step = {1, 1, 1}};

  merge(&c, part, end);
  if (part == GA_CONV_FORWARD)
    add_forward(&s);
  else if (part == GA_CONV_FILTERS)
    add_filters(&s);
  else
    ga__conv_add_input(&s);
}

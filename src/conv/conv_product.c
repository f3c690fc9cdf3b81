/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients as products.
 *
 *                        rows      A                  B
 *   forward              filters   w                  x
 *   gradient by input    channels  w                  the gradient by y
 *   gradient by filters  filters   the gradient by y  x
 *
 * B is read through a window. A gradient by input with strides is one product
 * for each remainder of positions divided by the strides, because each of them
 * has filter elements of its own. The windows of these products have stride
 * 1. */
#include "conv/conv_product.h"

#include <string.h>

#include "conv/conv_direct.h"
#include "conv/conv_pad.h"
#include "conv/conv_phases.h"
#include "conv/conv_plain.h"
#include "conv/conv_winograd.h"

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"

enum {
  APART_TILE = 64,   /* rows and columns of a tile */
  APART_TERMS = 1024 /* of a sum, from which few tiles need parts of it */
};

/* The product that is being added, and how its A lies in memory. A gradient by
 * input uses it for one product after the other. */
typedef struct work {
  GpuLaunch *l;               /* borrowed */
  const ga__conv *c;          /* borrowed */
  const ga__conv_ending *end; /* or NULL; borrowed */
  const ga__provider *by;
  ga__product p;
  ga__window w;
  ptrdiff_t a[4];    /* strides of A for the digits of sums, in elements */
  size_t a_total;    /* elements of the whole array that A is a part of */
  size_t a_has[2];   /* of the last two digits of sums: how many A has, */
  size_t a_size[2];  /* and with zeros behind them; 0: as the window says */
  unsigned int copy; /* slot for copies of A; GA_NO_SLOT: none yet */
  /* For the epilogue's arguments: the axes of the result that rows and the
   * channel digit of columns walk, as indices of ga__conv_arg.by. */
  unsigned int row, channel;
  ptrdiff_t step[3], first[3]; /* positions of the result: from one digit of
                                  columns to the next, and of digit 0 */
} work;

/* --- digits --- */

/* Set the sizes of digits. The channel is the last one or the first. */
static void set_sizes(size_t to[4], int is_last, size_t channel,
                      const size_t spatial[3]) {
  to[is_last ? 3 : 0] = channel;
  for (int d = 0; d < 3; d++)
    to[is_last ? d : d + 1] = spatial[d];
}

/* Set strides in the same order. */
static void set_strides(ptrdiff_t to[4], int is_last, ptrdiff_t channel,
                        const ptrdiff_t spatial[3]) {
  to[is_last ? 3 : 0] = channel;
  for (int d = 0; d < 3; d++)
    to[is_last ? d : d + 1] = spatial[d];
}

static size_t count(const size_t n[4]) {
  return ga__times(ga__times(n[0], n[1]), ga__times(n[2], n[3]));
}

/* Nonzero if consecutive indices always have the same distance in memory; set
 * *step to it. */
static int is_even(ptrdiff_t *step, const size_t n[4],
                   const ptrdiff_t strides[4]) {
  ptrdiff_t next = 0;
  int is_first = 1;

  *step = 0;
  for (int t = 3; t >= 0; t--) {
    if (n[t] <= 1)
      continue;
    if (is_first)
      *step = strides[t];
    else if (strides[t] != next)
      return 0;
    is_first = 0;
    next = strides[t] * (ptrdiff_t)n[t];
  }
  return 1;
}

/* --- A --- */

/* Copy A to columns from `at` on of a matrix [batch, m, ld], and use that. The
 * copies of all products of a launch share one slot, since they run in order.
 * On CPUs a work-item copies up to 512 elements, on GPUs one. */
static void copy_a(work *s, size_t at, size_t ld) {
  ga__product *p = &s->p;
  const int is_cpu = gpucontext_caps(p->ctx)->is_cpu;
  const int is_padded = s->a_size[1] > 0;
  const size_t size = ga__dtype_size(p->typecode);
  const size_t run = is_cpu ? 512 : 1;
  const size_t gs[3] = {ga__ceil_div(p->k, run), p->m, p->batch};
  const size_t one[3] = {1, 1, 1};

  if (s->copy == GA_NO_SLOT)
    s->copy = ga__launch_own_slot(s->l, ga__times(s->a_total, size));
  ga__product_kernel(p->ctx, s->l, p->typecode, "conv_copy", "conv_copy",
                     GA_GEN_TEXT(ga__gen_gemm_align_text, p->typecode), 3, gs,
                     is_cpu ? one : NULL);
  ga__product_matrix(s->l, &p->a, 1);
  for (int t = 0; t < 4; t++)
    ga__launch_ssize(s->l, s->a[t]);
  ga__launch_size(s->l, s->w.p[1]);
  for (int t = 0; t < 2; t++)
    ga__launch_size(s->l, is_padded ? s->a_size[t] : s->w.p[2 + t]);
  for (int t = 0; t < 2; t++)
    ga__launch_size(s->l, is_padded ? s->a_has[t] : s->w.p[2 + t]);
  ga__launch_slot(s->l, s->copy);
  ga__launch_size(s->l, at);
  ga__launch_size(s->l, ld);
  ga__launch_size(s->l, p->k);
  ga__launch_size(s->l, run);
  p->a = (ga__product_operand){.slot = s->copy,
                               .rs = (ptrdiff_t)ld,
                               .cs = 1,
                               .bs = (ptrdiff_t)(p->m * ld)};
}

/* Set the column stride of A, or copy A if it has none. */
static void settle_a(work *s) {
  if (s->p.k == 0 || (s->a_size[1] == 0 && is_even(&s->p.a.cs, s->w.p, s->a)))
    return;
  copy_a(s, 0, s->p.k);
}

/* Let tensor cores read channels that are no whole units from a copy, if that
 * pays. */
static int pad_channels(work *s) {
  const size_t has[2] = {s->w.p[2], s->w.p[3]};

  if (!ga__conv_pad(s->l, &s->p, &s->w, s->a_size))
    return 0;
  memcpy(s->a_has, has, sizeof has);
  s->a_total = ga__times(s->p.m, s->p.k);
  return 1;
}

/* --- the epilogue --- */

/* Set the strides of the epilogue's arguments along rows and columns. */
static void settle_ending(work *s) {
  if (s->end == NULL)
    return;
  ga__epilogue *e = s->end->epilogue;
  e->is_batch = 0;
  for (unsigned int k = 0; k < e->spec->n_args; k++) {
    const ga__conv_arg *from = &s->end->args[k];
    ptrdiff_t spatial[3], digits[4];

    e->args[k].rel = 0;
    for (int d = 0; d < 3; d++) {
      spatial[d] = from->s[d] * s->step[d];
      e->args[k].rel += from->s[d] * s->first[d];
    }
    set_strides(digits, s->w.j_last, from->by[s->channel], spatial);
    e->args[k].rs = from->by[s->row];
    e->args[k].cs = digits[3];
    for (int t = 0; t < 3; t++)
      e->args[k].others[t] = digits[2 - t];
  }
  s->p.epilogue = e;
}

/* Set the strides of columns where they are equally far apart in C and in the
 * epilogue's arguments. */
static void settle_columns(work *s) {
  const unsigned int n_args =
      s->end != NULL ? s->end->epilogue->spec->n_args : 0;
  ga__epilogue_arg *args = s->end != NULL ? s->end->epilogue->args : NULL;

  s->w.is_even = is_even(&s->p.c.cs, s->w.j, s->w.c);
  for (unsigned int k = 0; k < n_args && s->w.is_even; k++) {
    const ptrdiff_t digits[4] = {args[k].others[2], args[k].others[1],
                                 args[k].others[0], args[k].cs};

    s->w.is_even = is_even(&args[k].cs, s->w.j, digits);
  }
}

/* Choose the strides of C with an epilogue, where nothing is stored in C. They
 * only decide which columns are passed to the epilogue at once. */
static void imagine_c(work *s) {
  ptrdiff_t next = 1;

  for (int t = 3; t >= 0; t--) {
    s->w.c[t] = next;
    next *= (ptrdiff_t)s->w.j[t];
  }
  s->p.c = (ga__product_operand){.slot = GA_NO_SLOT, .rs = next, .cs = 1};
}

/* --- products --- */

const ga__provider ga__conv_as_product;

/* Nonzero if products are those of cl/gemm_gpu.cl where tensor cores do not
 * compute them. */
static int is_by_gpu(const work *s) {
  if (s->by == &ga__gemm_gpu)
    return 1;
  return (s->by == NULL || s->by == &ga__conv_as_product) &&
         !gpucontext_caps(s->c->ctx)->is_cpu;
}

/* Replace the window by strides if that is possible. CPUs copy
 * what gradients by filters read through windows as fast. */
static void simplify(work *s) {
  const ga__conv_plain plain = {&s->p, &s->w, s->a, s->end};

  if (s->row == 0 && is_by_gpu(s) && ga__conv_plain_filters(&plain))
    return;
  settle_a(s);
  if (s->channel == 0)
    ga__conv_plain_columns(&plain);
}

/* Set what all products have in common. */
static void start(work *s) {
  s->p.ctx = s->c->ctx;
  s->p.routine = GA_ROUTINE_GEMM;
  s->p.typecode = s->c->typecode;
  s->p.k = count(s->w.p);
  s->p.n = count(s->w.j);
  s->p.batch = s->c->groups;
  s->p.alpha.re = 1;
  s->p.window = &s->w;
  s->p.epilogue = NULL;
}

static void add(work *s) {
  start(s);
  if (s->p.m == 0 || s->p.n == 0)
    return;
  settle_ending(s);
  if (s->end != NULL)
    imagine_c(s);
  settle_columns(s);
  const ga__conv_direct direct = {&s->p, s->a, s->row == 0};
  /* One of several products would need workspaces of its own. */
  const int is_whole = s->step[0] <= 1 && s->step[1] <= 1 && s->step[2] <= 1;
  if (s->by == NULL && ga__conv_direct_wants(&direct)) {
    ga__conv_direct_add(s->l, &direct);
    return;
  }
  /* Tensor cores read windows faster than Winograd's tiles are transformed. */
  const int by_tensor_cores = s->by == NULL && (ga__gemm_mma.wants(&s->p) ||
                                                (is_whole && pad_channels(s)));
  if (is_whole && !by_tensor_cores && ga__conv_winograd_wants(&direct, s->by)) {
    ga__conv_winograd_add(s->l, &direct);
    return;
  }
  simplify(s);
  ga__product_add(s->l, &s->p, s->by == &ga__conv_as_product ? NULL : s->by);
}

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

/* Describe an operand that begins `rel` elements after position a->base. */
static void set_operand(ga__product_operand *o, const ga__conv *c,
                        const ga__conv_array *a, ptrdiff_t rel) {
  *o = (ga__product_operand){.slot = a->slot,
                             .off = a->off,
                             .rel = (a->base + rel) *
                                    (ptrdiff_t)ga__dtype_size(c->typecode)};
}

static void set_b(work *s, const ga__conv_array *a) {
  set_operand(&s->p.b, s->c, a, 0);
  for (int d = 0; d < 3; d++) {
    s->w.x[d] = a->size[d];
    s->w.s[d] = a->s[d];
  }
  s->w.low = a->low;
  s->w.high = a->high;
}

static void add_forward(work *s) {
  const ga__conv *c = s->c;
  const size_t channels = c->w.n[1];
  ga__window *w = &s->w;

  s->p.m = c->w.n[0] / c->groups;
  w->p_last = c->x.by[1] == 1;
  w->j_last = 0;
  set_sizes(w->p, w->p_last, channels, c->w.size);
  set_sizes(w->j, 0, c->x.n[0], c->y.size);
  set_operand(&s->p.a, c, &c->w, 0);
  s->p.a.rs = c->w.by[0];
  s->p.a.bs = (ptrdiff_t)s->p.m * c->w.by[0];
  set_strides(s->a, w->p_last, c->w.by[1], c->w.s);
  set_b(s, &c->x);
  s->p.b.bs = (ptrdiff_t)channels * c->x.by[1];
  w->ps = c->x.by[1];
  w->js = c->x.by[0];
  for (int d = 0; d < 3; d++) {
    w->pt[d] = (ptrdiff_t)c->dilation[d];
    w->jt[d] = (ptrdiff_t)c->stride[d];
    w->pad[d] = (ptrdiff_t)c->before[d];
  }
  set_operand(&s->p.c, c, &c->y, 0);
  s->p.c.rs = c->y.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->y.by[1];
  set_strides(w->c, 0, c->y.by[0], c->y.s);
  s->row = 1;
  s->channel = 0;
  add(s);
}

static void add_filters(work *s) {
  const ga__conv *c = s->c;
  const size_t channels = c->w.n[1];
  ga__window *w = &s->w;

  s->p.m = c->w.n[0] / c->groups;
  w->p_last = 0;
  w->j_last = c->x.by[1] == 1;
  set_sizes(w->p, 0, c->x.n[0], c->y.size);
  set_sizes(w->j, w->j_last, channels, c->w.size);
  set_operand(&s->p.a, c, &c->y, 0);
  s->p.a.rs = c->y.by[1];
  s->p.a.bs = (ptrdiff_t)s->p.m * c->y.by[1];
  set_strides(s->a, 0, c->y.by[0], c->y.s);
  set_b(s, &c->x);
  s->p.b.bs = (ptrdiff_t)channels * c->x.by[1];
  w->ps = c->x.by[0];
  w->js = c->x.by[1];
  for (int d = 0; d < 3; d++) {
    w->pt[d] = (ptrdiff_t)c->stride[d];
    w->jt[d] = (ptrdiff_t)c->dilation[d];
    w->pad[d] = (ptrdiff_t)c->before[d];
  }
  set_operand(&s->p.c, c, &c->w, 0);
  s->p.c.rs = c->w.by[0];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->w.by[0];
  set_strides(w->c, w->j_last, c->w.by[1], c->w.s);
  for (int d = 0; d < 3 && c->flip; d++) {
    s->step[d] = -1;
    s->first[d] = (ptrdiff_t)c->w.size[d] - 1;
  }
  s->row = 0;
  s->channel = 1;
  add(s);
}

/* --- the gradient by input --- */

static void add_phase(work *s, const size_t remainder[3]) {
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
  set_sizes(w->p, w->p_last, filters, taps);
  set_sizes(w->j, 0, c->x.n[0], columns);
  set_operand(&s->p.a, c, &c->w, a_rel);
  s->p.a.rs = c->w.by[1];
  s->p.a.bs = (ptrdiff_t)filters * c->w.by[0];
  set_strides(s->a, w->p_last, c->w.by[0], by_tap);
  set_b(s, &c->y);
  s->p.b.bs = (ptrdiff_t)filters * c->y.by[1];
  w->ps = c->y.by[1];
  w->js = c->y.by[0];
  set_operand(&s->p.c, c, &c->x, c_rel);
  s->p.c.rs = c->x.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->x.by[1];
  set_strides(w->c, 0, c->x.by[0], by_column);
  s->row = 1;
  s->channel = 0;
  add(s);
}

/* --- all remainders in one launch --- */

/* The strides of A for the digits of a sum, and its place in w. */
static ptrdiff_t set_taps(work *s, const ga__phase *f) {
  const ga__conv *c = s->c;
  ptrdiff_t rel = 0, by_tap[3];
  size_t taps[3];

  for (int d = 0; d < 3; d++) {
    const ga__conv_phase one = ga__conv_find_phase(c, d, (size_t)f->first[d]);

    taps[d] = one.taps;
    by_tap[d] = c->w.s[d] * (ptrdiff_t)one.apart;
    rel += c->w.s[d] * (ptrdiff_t)(one.taps > 0 ? one.first : 0);
  }
  set_sizes(s->w.p, s->w.p_last, c->w.n[0] / c->groups, taps);
  set_strides(s->a, s->w.p_last, c->w.by[0], by_tap);
  s->p.k = (size_t)f->k;
  return rel;
}

static void set_filters(work *s, ptrdiff_t rel) {
  const ga__conv *c = s->c;

  set_operand(&s->p.a, c, &c->w, rel);
  s->p.a.rs = c->w.by[1];
  s->p.a.bs = (ptrdiff_t)(c->w.n[0] / c->groups) * c->w.by[0];
}

/* Read w in place, if all sums have the same distance from term to term: set
 * the places of their A. */
static int read_filters(work *s, const ga__phases *f) {
  ptrdiff_t step = 0;

  for (size_t i = 0; i < f->n && f->v[i].k > 0; i++) {
    ptrdiff_t own;

    f->v[i].a = set_taps(s, &f->v[i]);
    if (!is_even(&own, s->w.p, s->a) || (i > 0 && own != step))
      return 0;
    step = own;
  }
  set_filters(s, 0);
  s->p.a.cs = step;
  return 1;
}

/* Copy the filters of all products beside each other. */
static void copy_filters(work *s, const ga__phases *f) {
  size_t all = 0, at = 0;

  for (size_t i = 0; i < f->n; i++)
    all += (size_t)f->v[i].k;
  for (size_t i = 0; i < f->n && f->v[i].k > 0; i++) {
    set_filters(s, set_taps(s, &f->v[i]));
    copy_a(s, at, all);
    f->v[i].a = (ptrdiff_t)at;
    at += (size_t)f->v[i].k;
  }
}

/* Set the window to the largest sizes, and to paddings unless all are 0. */
static void set_window(work *s, const ga__phases *f) {
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
  set_sizes(s->w.p, s->w.p_last, c->w.n[0] / c->groups, taps);
  set_sizes(s->w.j, 0, c->x.n[0], columns);
}

/* Put the digits of sums in the order of the window. Kernels divide by them. */
static void settle_digits(work *s, const ga__phases *f) {
  for (size_t i = 0; i < f->n; i++) {
    const int64_t *p = f->v[i].p;
    const size_t taps[3] = {(size_t)p[0], (size_t)p[1], (size_t)p[2]};
    size_t digits[4];

    set_sizes(digits, s->w.p_last, s->c->w.n[0] / s->c->groups, taps);
    for (int d = 0; d < 3; d++)
      f->v[i].p[d] = (int64_t)ga__at_least(digits[d + 1], 1);
  }
}

/* Nonzero if a GPU computes products one by one faster: directly, or with sums
 * in parts where there are few of them. */
static int are_better_apart(const work *s, const ga__phases *f) {
  const ga__conv_direct direct = {&s->p, s->a, 0};
  const size_t tiles =
      ga__times(f->n * s->p.batch, ga__ceil_div(s->p.m, APART_TILE) *
                                       ga__ceil_div(s->p.n, APART_TILE));

  return (s->by == NULL && ga__conv_direct_wants(&direct)) ||
         (f->mean > APART_TERMS &&
          tiles < gpucontext_caps(s->c->ctx)->compute_units);
}

static void describe_phases(work *s, const ga__phases *f) {
  const ga__conv *c = s->c;
  ga__window *w = &s->w;

  w->p_last = c->y.by[1] == 1;
  w->j_last = 0;
  set_window(s, f);
  set_b(s, &c->y);
  s->p.b.bs = (ptrdiff_t)(c->w.n[0] / c->groups) * c->y.by[1];
  w->ps = c->y.by[1];
  w->js = c->y.by[0];
  set_operand(&s->p.c, c, &c->x, 0);
  s->p.m = c->w.n[1];
  s->p.n = count(w->j);
  s->p.c.rs = c->x.by[1];
  s->p.c.bs = (ptrdiff_t)s->p.m * c->x.by[1];
  set_strides(w->c, 0, c->x.by[0], c->x.s);
  s->row = 1;
  s->channel = 0;
  start(s);
}

/* Return 0 if the products are to be added one by one. */
static int add_phases(work *s) {
  ga__phases f;

  if (!is_by_gpu(s) || !ga__conv_find_phases(&f, s->c))
    return 0;
  describe_phases(s, &f);
  const int is_one = !are_better_apart(s, &f);
  if (is_one && s->p.m > 0 && s->p.n > 0) {
    settle_ending(s);
    if (s->end != NULL)
      imagine_c(s);
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

static void add_input(work *s) {
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

void ga__conv_add(GpuLaunch *l, const ga__conv *given, ga_conv_part part,
                  const ga__conv_ending *end, const ga__provider *by) {
  ga__conv c = *given;
  const ga__conv_array *a = part == GA_CONV_FILTERS ? &c.y : &c.w;
  work s = {.l = l,
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
    add_input(&s);
}

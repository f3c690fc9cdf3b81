/* SPDX-License-Identifier: BSD-2-Clause */
/* The products that convolutions consist of. */
#include "conv/conv_work.h"

#include <string.h>

#include "conv/conv_direct.h"
#include "conv/conv_pad.h"
#include "conv/conv_plain.h"
#include "conv/conv_winograd.h"

#include "base/arith.h"
#include "base/dtype.h"

/* --- digits --- */

void ga__conv_set_sizes(size_t to[4], int is_last, size_t channel,
                        const size_t spatial[3]) {
  to[is_last ? 3 : 0] = channel;
  for (int d = 0; d < 3; d++)
    to[is_last ? d : d + 1] = spatial[d];
}

void ga__conv_set_strides(ptrdiff_t to[4], int is_last, ptrdiff_t channel,
                          const ptrdiff_t spatial[3]) {
  to[is_last ? 3 : 0] = channel;
  for (int d = 0; d < 3; d++)
    to[is_last ? d : d + 1] = spatial[d];
}

size_t ga__conv_count(const size_t n[4]) {
  return ga__times(ga__times(n[0], n[1]), ga__times(n[2], n[3]));
}

int ga__conv_is_even(ptrdiff_t *step, const size_t n[4],
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
void ga__conv_copy_a(ga__conv_work *s, size_t at, size_t ld) {
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
static void settle_a(ga__conv_work *s) {
  if (s->p.k == 0 ||
      (s->a_size[1] == 0 && ga__conv_is_even(&s->p.a.cs, s->w.p, s->a)))
    return;
  ga__conv_copy_a(s, 0, s->p.k);
}

/* Let tensor cores read channels that are no whole units from a copy, if that
 * pays. In gradients by filters they are digits of columns. */
static int pad_channels(ga__conv_work *s) {
  const int is_filters = s->row == 0;
  const size_t *digits = is_filters ? s->w.j : s->w.p;
  const size_t has[2] = {digits[2], digits[3]};
  size_t size[2];

  if (!ga__conv_pad(s->l, &s->p, &s->w, size))
    return 0;
  memcpy(is_filters ? s->w.c_has : s->a_has, has, sizeof has);
  memcpy(is_filters ? s->w.c_size : s->a_size, size, sizeof size);
  if (!is_filters)
    s->a_total = ga__times(s->p.m, s->p.k);
  return 1;
}

/* --- the epilogue --- */

void ga__conv_settle_ending(ga__conv_work *s) {
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
    ga__conv_set_strides(digits, s->w.j_last, from->by[s->channel], spatial);
    e->args[k].rs = from->by[s->row];
    e->args[k].cs = digits[3];
    for (int t = 0; t < 3; t++)
      e->args[k].others[t] = digits[2 - t];
  }
  s->p.epilogue = e;
}

/* Set the strides of columns where they are equally far apart in C and in the
 * epilogue's arguments. */
static void settle_columns(ga__conv_work *s) {
  const unsigned int n_args =
      s->end != NULL ? s->end->epilogue->spec->n_args : 0;
  ga__epilogue_arg *args = s->end != NULL ? s->end->epilogue->args : NULL;

  s->w.is_even = ga__conv_is_even(&s->p.c.cs, s->w.j, s->w.c);
  for (unsigned int k = 0; k < n_args && s->w.is_even; k++) {
    const ptrdiff_t digits[4] = {args[k].others[2], args[k].others[1],
                                 args[k].others[0], args[k].cs};

    s->w.is_even = ga__conv_is_even(&args[k].cs, s->w.j, digits);
  }
}

/* Choose the strides of C with an epilogue, where nothing is stored in C. They
 * only decide which columns are passed to the epilogue at once. */
void ga__conv_imagine_c(ga__conv_work *s) {
  ptrdiff_t next = 1;

  for (int t = 3; t >= 0; t--) {
    s->w.c[t] = next;
    next *= (ptrdiff_t)s->w.j[t];
  }
  s->p.c = (ga__product_operand){.slot = GA_NO_SLOT, .rs = next, .cs = 1};
}

/* --- operands --- */

void ga__conv_set_operand(ga__product_operand *o, const ga__conv *c,
                          const ga__conv_array *a, ptrdiff_t rel) {
  *o = (ga__product_operand){.slot = a->slot,
                             .off = a->off,
                             .rel = (a->base + rel) *
                                    (ptrdiff_t)ga__dtype_size(c->typecode)};
}

void ga__conv_set_b(ga__conv_work *s, const ga__conv_array *a) {
  ga__conv_set_operand(&s->p.b, s->c, a, 0);
  for (int d = 0; d < 3; d++) {
    s->w.x[d] = a->size[d];
    s->w.s[d] = a->s[d];
  }
  s->w.low = a->low;
  s->w.high = a->high;
}

/* --- products --- */

const ga__provider ga__conv_as_product;

int ga__conv_is_by_gpu(const ga__conv_work *s) {
  if (s->by == &ga__gemm_gpu)
    return 1;
  return (s->by == NULL || s->by == &ga__conv_as_product) &&
         !gpucontext_caps(s->c->ctx)->is_cpu;
}

/* Replace the window by strides if that is possible. CPUs copy what gradients
 * by filters read through windows as fast; tensor cores read them in place. */
static void simplify(ga__conv_work *s) {
  const ga__conv_plain plain = {&s->p, &s->w, s->a, s->end};
  const int by_tensor_cores =
      s->by != &ga__gemm_gpu && ga__gemm_mma.wants(&s->p);

  if (s->row == 0 && !by_tensor_cores && ga__conv_is_by_gpu(s) &&
      ga__conv_plain_filters(&plain))
    return;
  settle_a(s);
  if (s->channel == 0)
    ga__conv_plain_columns(&plain);
}

void ga__conv_start(ga__conv_work *s) {
  s->p.ctx = s->c->ctx;
  s->p.routine = GA_ROUTINE_GEMM;
  s->p.typecode = s->c->typecode;
  s->p.k = ga__conv_count(s->w.p);
  s->p.n = ga__conv_count(s->w.j);
  s->p.batch = s->c->groups;
  s->p.alpha.re = 1;
  s->p.window = &s->w;
  s->p.epilogue = NULL;
}

void ga__conv_add_work(ga__conv_work *s) {
  ga__conv_start(s);
  if (s->p.m == 0 || s->p.n == 0)
    return;
  ga__conv_settle_ending(s);
  if (s->end != NULL)
    ga__conv_imagine_c(s);
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "conv/conv_pad.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "blas/product_provider.h"

enum {
  UNIT_BYTES = 16,
  MOST_TIMES = 4 /* as many channels are slower than other kernels */
};

/* The window on the copy. */
static ga__window window_on_copy(const ga__window *w, size_t channels) {
  ga__window t = *w;
  ptrdiff_t next = (ptrdiff_t)channels;

  t.p[3] = channels;
  for (int d = 2; d >= 0; d--) {
    t.s[d] = next;
    next *= (ptrdiff_t)w->x[d];
  }
  t.js = next;
  t.low = 0;
  t.high = next * (ptrdiff_t)w->j[0];
  return t;
}

static void copy(GpuLaunch *l, const ga__product *p, const ga__window *w,
                 size_t channels, unsigned int to) {
  const size_t gs[3] = {w->x[2], ga__times(w->x[0], w->x[1]), w->j[0]};

  ga__product_kernel(p->ctx, l, p->typecode, "conv_pad", "conv_pad",
                     GA_GEN_TEXT(ga__gen_gemm_align_text, p->typecode), 3, gs,
                     NULL);
  ga__product_matrix(l, &p->b, 1);
  ga__launch_ssize(l, w->ps);
  ga__launch_ssize(l, w->js);
  for (int d = 0; d < 3; d++)
    ga__launch_ssize(l, w->s[d]);
  ga__launch_size(l, w->x[1]);
  ga__launch_size(l, w->p[3]);
  ga__launch_size(l, channels * ga__dtype_size(p->typecode) / UNIT_BYTES);
  ga__launch_slot(l, to);
}

int ga__conv_pad(GpuLaunch *l, ga__product *p, ga__window *w) {
  const size_t unit = UNIT_BYTES / ga__dtype_size(p->typecode);
  const size_t channels = ga__round_up(w->p[3], unit);
  ga__window t = window_on_copy(w, channels);
  ga__product q = *p;

  if (p->batch != 1 || w->j_last || w->ps != 1 || channels == w->p[3] ||
      channels > MOST_TIMES * w->p[3])
    return 0;
  const size_t bytes = ga__times((size_t)t.high, ga__dtype_size(p->typecode));
  q.window = &t;
  q.k = p->k / w->p[3] * channels;
  q.b = (ga__product_operand){.slot = p->b.slot};
  if (!ga__gemm_mma.wants(&q) || bytes > ga__product_wish(p->ctx).workspace)
    return 0;
  q.b.slot = ga__launch_own_slot(l, bytes);
  copy(l, p, w, channels, q.b.slot);
  *w = t;
  q.window = w;
  *p = q;
  return 1;
}

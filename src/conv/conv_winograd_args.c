/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel arguments of filters that are read forwards. */
#include "conv/conv_winograd_args.h"

ga__window ga__conv_winograd_window(const ga__window *given) {
  ga__window w = *given;

  for (int d = 1; d < 3; d++) {
    w.pad[d] += w.pt[d] < 0 ? 2 : 0;
    w.pt[d] = 1;
  }
  return w;
}

void ga__conv_winograd_filter_args(GpuLaunch *l, const ga__product *p,
                                   const ptrdiff_t *a) {
  const ga__window *w = p->window;
  const ptrdiff_t *taps = a + (w->p_last ? 0 : 1);
  ptrdiff_t first = 0;

  for (int d = 1; d < 3; d++)
    first += w->pt[d] < 0 ? 2 * taps[d] : 0;
  ga__product_matrix(l, &p->a, 1);
  ga__launch_ssize(l, first);
  ga__launch_ssize(l, a[w->p_last ? 3 : 0]);
  ga__launch_ssize(l, w->pt[1] * taps[1]);
  ga__launch_ssize(l, w->pt[2] * taps[2]);
}

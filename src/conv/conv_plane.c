/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with one channel in a group and short lines, on CPUs. Vectors
 * along a line would mostly end outside of it. The kernel is
 * cl/conv_plane.cl. */
#include "conv/conv_plane.h"

#include <limits.h>

#include "base/arith.h"

enum {
  MOST_LINE = 128,   /* beyond it, vectors along a line pay */
  MOST_TAPS = 128,   /* TAPS of cl/conv_plane.cl */
  MOST_PLANE = 4096, /* PLANE */
  MOST_SUMS = 2048,  /* SUMS */
  ITEMS_PER_CORE = 4
};

void ga__conv_direct_factors(GpuLaunch *l, const ga__conv_direct *d) {
  ga__product_matrix(l, &d->p->a, 1);
  for (int t = 0; t < 4; t++)
    ga__launch_ssize(l, d->a[t]);
  ga__product_matrix(l, &d->p->b, 1);
}

/* Positions that the filter elements of one column span in dimension d, less
 * one. */
static size_t span(const ga__window *w, int d) {
  const ptrdiff_t step = w->pt[d] < 0 ? -w->pt[d] : w->pt[d];

  return ga__times(w->p[d + 1] - 1, (size_t)step);
}

/* The most lines of a part; 0 if there is no room for one. */
static size_t lines_of(const ga__window *w) {
  const size_t along = span(w, 2), down = span(w, 1);
  const size_t jump = (size_t)w->jt[1];

  if (along > MOST_PLANE || down > MOST_PLANE)
    return 0;
  const size_t width = (w->j[3] - 1) * (size_t)w->jt[2] + along + 1;
  const size_t room = MOST_PLANE / width;
  if (room <= down)
    return 0;
  return ga__at_most(
      ga__at_most((room - down - 1) / jump + 1, MOST_SUMS / w->j[3]), w->j[2]);
}

static int is_dense(const ga__window *w) {
  return w->c[3] == 1 && (w->j[2] == 1 || w->c[2] == (ptrdiff_t)w->j[3]);
}

static size_t count_planes(const ga__product *p) {
  return ga__times(p->batch, p->window->j[0] * p->window->j[1]);
}

int ga__conv_plane_wants(const ga__conv_direct *d) {
  const ga__window *w = d->p->window;

  if (d->has_long_sums || w->p_last || w->p[0] != 1 || w->p[1] != 1 ||
      d->p->k > MOST_TAPS || w->s[2] != 1 || w->jt[2] > 2 || w->j[3] < 2 ||
      w->j[3] > MOST_LINE || !is_dense(w) || lines_of(w) == 0)
    return 0;
  const size_t planes = count_planes(d->p);
  return planes <= INT_MAX &&
         planes >= 2 * (size_t)gpucontext_caps(d->p->ctx)->compute_units;
}

void ga__conv_plane_add(GpuLaunch *l, const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const ga__window *w = p->window;
  const size_t cores = gpucontext_caps(p->ctx)->compute_units;
  const size_t planes = count_planes(p);
  const size_t run = ga__ceil_div(planes, cores * ITEMS_PER_CORE);
  const size_t gs = ga__ceil_div(planes, run), ls = 1;
  const unsigned int lanes = ga__product_lanes(p->ctx, p->typecode);
  const ga__ending end = ga__product_ending(p, lanes);
  const ga__gen_macros gen = {.typecode = p->typecode,
                              .lanes = lanes,
                              .names_lanes = 1,
                              .n = 4,
                              .v = {{"LINE", (size_t)w->jt[2]},
                                    {"TAPS", MOST_TAPS},
                                    {"PLANE", MOST_PLANE},
                                    {"SUMS", MOST_SUMS}}};

  ga__ending_kernel(l, "conv_plane", "conv_plane",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 1, &gs, &ls);
  ga__launch_provided(l, "direct");
  ga__conv_direct_factors(l, d);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, p->batch);
  ga__launch_size(l, planes);
  ga__launch_size(l, run);
  ga__launch_size(l, lines_of(w));
  ga__window_args(l, w);
  ga__ending_args(l, &end);
}

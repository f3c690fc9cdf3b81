/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/fft.md. */
#include "listings.h"
#include <gpuarray/fft.h>
#include <gpugraph/fft.h>
#include <gpugraph/signal.h>

static void arrays(gpucontext *ctx) {
  GpuArray x = filled(ctx, GA_CFLOAT, 1, SIZES(2, 6, 8)), y, h;
  GpuArray r = filled(ctx, GA_FLOAT, 1, SIZES(2, 6, 8));
  const size_t lengths[] = {6, 8};
  GpuLaunch *launch;
#include "1.h"
  check(GpuLaunch_run(launch));
  GpuLaunch_free(launch);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&h);
  GpuArray_clear(&r);
}

static void frequencies(gg_graph *g, gg_var *x, gg_var *r, const int *axes) {
  gg_var *y, *f, *c;
#include "3.h"
  compute(g, GG_VARS(y, f, c, r));
}

static void convolve(gg_graph *g, gg_var *x, gg_var *y, const int *axes) {
  gg_var *z;
#include "4.h"
  compute(g, GG_VARS(z));
}

static void frames(gg_graph *g, gg_var *x) {
  gg_var *s;
#include "5.h"
  compute(g, GG_VARS(s, x));
}

static void graphs(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = shared(g, GA_CFLOAT, 1, SIZES(480, 640));
  gg_var *r = shared(g, GA_FLOAT, 1, SIZES(480, 640));
  gg_var *y, *h;
#include "2.h"
  compute(g, GG_VARS(y, x, h, r));
  frequencies(g, x, r, axes + 1);
  convolve(g, r, shared(g, GA_FLOAT, 1, SIZES(31, 31)), axes);
  frames(g, shared(g, GA_FLOAT, 1, SIZES(4096)));
  gg_graph_free(g);
}

static void both(gpucontext *ctx) {
  arrays(ctx);
  graphs(ctx);
}

LISTINGS_MAIN(both)

/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/select.md. */
#include "listings.h"
#include <gpuarray/select.h>

static void arrays(gpucontext *ctx) {
  GpuArray x = VECTOR(ctx, GA_FLOAT, 3, 0, 3, 1),
           mask = VECTOR(ctx, GA_BOOL, 1, 0, 1, 1);
  GpuArray y, positions, values, first, inverse, counts, starts, lengths;
#include "1.h"
  check(GpuArray_sync(&lengths));
}

static void sets(gg_graph *g, gg_var *x, gg_var *mask) {
  gg_var *a = x, *b = x, *at, *y, *u, *v, *k, *first, *inverse, *counts,
         *starts, *lengths;
  gg_var *boxes = shared(g, GA_FLOAT, 1, SIZES(1, 2, 4));
  gg_var *scores = shared(g, GA_FLOAT, 1, SIZES(1, 1, 2)), *most = gg_i64(g, 2);
  gg_var *iou_threshold = gg_f32(g, 0.5f), *score_threshold = gg_f32(g, 0);
  const int is_center = 1;
#include "2.h"
  compute(g, GG_VARS(at, y, u, v, k, first, inverse, counts, starts, lengths));
}

static void sizes(gg_graph *g, gg_var *x) {
  gg_var *stops = SHARED_VECTOR(g, GA_BOOL, 0, 0, 1, 0);
  gg_var *lengths = SHARED_VECTOR(g, GA_LONG, 2, 5), *zero = gg_i64(g, 0),
         *one = gg_i64(g, 1);
  gg_var *y, *r;
#include "3.h"
  compute(g, GG_VARS(y, r));
}

static void items(gg_graph *g) {
  gg_var *x = shared(g, GA_FLOAT, 1, SIZES(4, 4, 4)), *y;
  gg_var *i = SHARED_VECTOR(g, GA_LONG, 3, 1),
         *j = SHARED_VECTOR(g, GA_LONG, 0, 0);
  gg_var *mask = gg_gt(x, gg_f32(g, 2)), *v = gg_f32(g, 1),
         *zero = gg_f32(g, 0);
#include "4.h"
  compute(g, GG_VARS(y));
}

static void bounds(gg_graph *g, gg_var *x, gg_var *mask) {
  gg_var *n = gg_i64(g, 3), *v = SHARED_VECTOR(g, GA_FLOAT, 1, 2, 3, 4), *at,
         *y, *count;
#include "5.h"
  compute(g, GG_VARS(at, y, count));
}

static void both(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = SHARED_VECTOR(g, GA_FLOAT, 3, 0, 3, 1),
         *mask = SHARED_VECTOR(g, GA_BOOL, 1, 0, 1, 1);

  arrays(ctx);
  sets(g, x, mask);
  sizes(g, x);
  items(g);
  bounds(g, x, mask);
  gg_graph_free(g);
}

LISTINGS_MAIN(both)

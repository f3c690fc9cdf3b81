/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/sparse.md. */
#include "listings.h"
#include <gpuarray/sparse.h>
#include <gpugraph/blocks.h>
#include <gpugraph/sparse.h>

/* The matrix [[1, 0, 2], [0, 3, 0]]. */
static void arrays(gpucontext *ctx) {
  GpuArray starts = VECTOR(ctx, GA_LONG, 0, 2, 3),
           columns = VECTOR(ctx, GA_LONG, 0, 2, 1);
  GpuArray values = VECTOR(ctx, GA_FLOAT, 1, 2, 3),
           rows = VECTOR(ctx, GA_LONG, 0, 0, 1);
  GpuArray dense = filled(ctx, GA_FLOAT, 1, SIZES(2, 3)), x, y;
  GpuCsr saved;
  const size_t n_rows = 2, n_columns = 3;

  check(GpuCsr_from_dense(&saved, &dense));
  check(GpuCsr_save_npz(&saved, "matrix.npz", 0));
  const GpuCsr n = saved;
  x = dense;
  GpuArray b = filled(ctx, GA_FLOAT, 1, SIZES(3)),
           c = filled(ctx, GA_FLOAT, 1, SIZES(2));
#include "1.h"
  check(GpuArray_sync(&y));
}

/* [[1, 0, 2], [0, 3, 0], [0, 0, 0]]: square, so that b fits on both sides. */
static void graphs(gg_graph *g) {
  gg_var *starts = SHARED_VECTOR(g, GA_LONG, 0, 2, 3, 3);
  gg_var *columns = SHARED_VECTOR(g, GA_LONG, 0, 2, 1);
  gg_var *values = SHARED_VECTOR(g, GA_FLOAT, 1, 2, 3);
  gg_var *v = SHARED_VECTOR(g, GA_FLOAT, 1, 2, 3);
  gg_var *a = shared(g, GA_FLOAT, 1, SIZES(3, 3)), *b = a;
  const int64_t n_columns = 3;
#include "2.h"
  compute(g, GG_VARS(y, z, s, t.values, sum.values));
}

static void blocks(gg_graph *g) {
  gg_var *w = shared(g, GA_FLOAT, 1, SIZES(2, 3, 4, 5)),
         *h = shared(g, GA_FLOAT, 1, SIZES(6, 1, 4));
  gg_var *from = shared(g, GA_LONG, 1, SIZES(6, 1)),
         *to = shared(g, GA_LONG, 2, SIZES(6, 2));
#include "3.h"
  compute(g, GG_VARS(y));
}

static void both(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);

  arrays(ctx);
  graphs(g);
  blocks(g);
  gg_graph_free(g);
}

LISTINGS_MAIN(both)

/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/order.md. */
#include "listings.h"
#include <gpuarray/bincount.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/search.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>
#include <gpugraph/gpugraph.h>

static void cumulate(GpuArray x, unsigned int axis) {
  GpuArray z = {0};
#include "1.h"
  GpuArray_clear(&z);
}

static void recur(gpucontext *ctx) {
  GpuCumulation *c;
#include "2.h"
  check(GpuCumulation_new(&c, ctx, &spec));
  GpuCumulation_free(c);
}

#include "3.h"
static void sum_by_flags(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *in[2] = {gg_input(g, "flags", GA_BOOL, 1),
                   gg_input(g, "x", GA_FLOAT, 1)};
  gg_var *y[2];

  check(gg_cumulate_by(y, 2, in, (double[]){0, 0}, restart, NULL, 0, 0));
  gg_graph_free(g);
}

static void sort(GpuArray x, unsigned int axis) {
  GpuArray values, indices;
#include "4.h"
  GpuArray_clear(&values);
  GpuArray_clear(&indices);
}

static void part(GpuArray x, unsigned int axis) {
  GpuArray values, indices;
  const size_t rank = 1;
#include "5.h"
  GpuArray_clear(&values);
  GpuArray_clear(&indices);
}

static void first(GpuArray x, unsigned int axis) {
  GpuArray values, indices;
  const size_t k = 2, rank = 1;
#include "6.h"
  GpuArray_clear(&values);
  GpuArray_clear(&indices);
}

static void find(GpuArray x, GpuArray edges) {
  GpuArray positions;
#include "7.h"
  GpuArray_clear(&positions);
}

static void count(GpuArray x, GpuArray edges, GpuArray weights) {
  GpuArray counts;
  const size_t n = 4;
#include "8.h"
  GpuArray_clear(&counts);
}

static void lend(gpucontext *ctx, GpuArray x) {
  GpuArray values;
  GpuLaunch *sort;
  gpudata *work;
  size_t bytes;

  check(GpuArray_copy(&values, &x, GA_C_ORDER));
#include "9.h"
  check(GpuLaunch_run(sort));
  GpuLaunch_free(sort);
  gpudata_release(work);
  GpuArray_clear(&values);
}

static void order(gpucontext *ctx) {
  GpuArray x = VECTOR(ctx, GA_INT, 3, 1, 2, 2),
           edges = VECTOR(ctx, GA_INT, 1, 2, 3);
  GpuArray weights = filled(ctx, GA_FLOAT, 1, SIZES(4));

  cumulate(x, 0);
  recur(ctx);
  sum_by_flags(ctx);
  sort(x, 0);
  part(x, 0);
  first(x, 0);
  find(x, edges);
  count(x, edges, weights);
  lend(ctx, x);
  check(GpuArray_sync(&x));
  GpuArray_clear(&x);
  GpuArray_clear(&edges);
  GpuArray_clear(&weights);
}

LISTINGS_MAIN(order)

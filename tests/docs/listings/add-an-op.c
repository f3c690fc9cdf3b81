/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of docs/add-an-op.md about contexts; the others are parts of
 * programs. */
#include "listings.h"
#include <gpugraph/context.h>

static gg_var *add_three(gg_var *a, gg_var *b, gg_var *c) {
#include "3.h"
  return gg_add(gg_add(in[0], in[1]), in[2]);
}

static void add(gpucontext *ctx) {
  gpucontext *other;

  check(gpucontext_open(&other, NULL));
  gg_graph *g = gg_graph_new(ctx);
  gg_var *a = shared(g, GA_FLOAT, 1, SIZES(3));
  GpuArray there = filled(other, GA_FLOAT, 2, SIZES(3));
  gg_var *c = gg_shared(g, "c", &there), *sum = add_three(a, a, c);

  if (sum == NULL || gg_var_context(sum) != ctx)
    exit(1);
  compute(g, GG_VARS(sum));
  GpuArray_clear(&there);
  gg_graph_free(g);
  gpucontext_deref(other);
}

LISTINGS_MAIN(add)

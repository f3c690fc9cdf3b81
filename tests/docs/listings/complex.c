/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/complex.md. */
#include "listings.h"

static void numbers(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
#include "1.h"
  GpuArray a = filled(ctx, GA_CFLOAT, 2, SIZES(2, 3)), out = {0};

  check(gg_eval(size, GG_VALUES({z, &a}), &out));
  GpuArray_clear(&out);
  GpuArray_clear(&a);
  gg_graph_free(g);
}

LISTINGS_MAIN(numbers)

/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/several-devices.md. */
#include "listings.h"

static void devices(gpucontext *left) {
  gpucontext *right;

  check(gpucontext_open(&right, NULL));
#include "1.h"
  GpuArray a = filled(left, GA_FLOAT, 1, SIZES(2, 3)), out = {0};
  GpuArray b = filled(right, GA_FLOAT, 1, SIZES(2, 3));

  check(gg_eval(sum, GG_VALUES({x, &a}, {y, &b}), &out));
  check(GpuArray_sync(&out));
  GpuArray_clear(&out);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  gg_graph_free(g);
  gpucontext_deref(right);
}

LISTINGS_MAIN(devices)

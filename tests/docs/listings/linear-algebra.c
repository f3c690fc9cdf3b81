/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/linear-algebra.md. */
#include "listings.h"
#include <gpuarray/factor.h>
#include <gpuarray/matrix.h>

static void factor(gpucontext *ctx) {
  GpuArray a;
  GpuArray b = filled(ctx, GA_FLOAT, 1, SIZES(3, 2));
  GpuArray ab = filled(ctx, GA_FLOAT, 1, SIZES(3, 3));
  GpuArray g = filled(ctx, GA_FLOAT, 1, SIZES(3, 3));
  GpuArray l, t, x, lu, pivots, order, info, q, r, u, s, vt, w, v;
  GpuArray det, sign, logdet, norm, cond, rank, inverse, power, exponential;
  GpuArray norms, kronecker;

  check(GpuArray_eye(&a, ctx, GA_FLOAT, 3, 3, 0));
#include "1.h"
#include "2.h"
  check(GpuArray_sync(&power));
}

LISTINGS_MAIN(factor)

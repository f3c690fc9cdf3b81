/* SPDX-License-Identifier: BSD-2-Clause */
/* What the environment requests for products, read once per context. */
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "blas/product_provider.h"

/* $GPUARRAY_BLAS is "own" or "clblast"; with anything else the library chooses.
 * If $GPUARRAY_TF32 is set and not "0", products of floats may round the
 * factors to 10 bits of fraction. With "own" in $GPUARRAY_LAPACK, LAPACK is not
 * called. With "time_once" in $GPUARRAY_CONV, convolutions are measured.
 * $GPUARRAY_WORKSPACE_MB bounds workspaces. */
static ga__wish read_wish(void) {
  const char *who = ga__env_text("GPUARRAY_BLAS");
  const char *factors = ga__env_text("GPUARRAY_LAPACK");
  const char *conv = ga__env_text("GPUARRAY_CONV");
  ga__wish w = {.who = GA_WISH_NONE};

  if (who != NULL && strcmp(who, "clblast") == 0)
    w.who = GA_WISH_CLBLAST;
  if (who != NULL && strcmp(who, "own") == 0)
    w.who = GA_WISH_OWN;
  w.tf32 = ga__env_on("GPUARRAY_TF32");
  w.workspace = ga__env_mib("GPUARRAY_WORKSPACE_MB", 256);
  w.measures = conv != NULL && strcmp(conv, "time_once") == 0;
  w.lapack = factors == NULL || strcmp(factors, "own") != 0;
  return w;
}

ga__wish ga__product_wish(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  ga__wish *kept = ga__ctx_kept(ctx, GA_KEEPER_WISH);
  ga__wish w = kept != NULL ? *kept : read_wish();
  if (kept == NULL) {
    kept = ga__malloc(sizeof *kept); /* if this fails, the next call reads
                                        again */
    if (kept != NULL) {
      *kept = w;
      ga__ctx_keep(ctx, GA_KEEPER_WISH, kept, ga__free);
    }
  }
  ga__ctx_unlock(ctx);
  return w;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix times matrix: who computes it. */
#include "blas/product.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

/* $GPUARRAY_BLAS: "own" or "clblast"; anything else leaves it to us. Our
 * kernels were ahead of CLBlast's at every size on the NVIDIA device that they
 * were measured on; for other makers' GPUs CLBlast has parameters. */
static ga__provider wanted(gpucontext *ctx) {
  const char *v = getenv("GPUARRAY_BLAS");
  const int is_cpu = gpucontext_caps(ctx)->is_cpu;

  if (v != NULL && strcmp(v, "clblast") == 0)
    return GA_PROVIDER_CLBLAST;
  if (v != NULL && strcmp(v, "own") == 0)
    return is_cpu ? GA_PROVIDER_CPU : GA_PROVIDER_GPU;
  if (is_cpu)
    return GA_PROVIDER_CPU;
  return gpucontext_caps(ctx)->ptx ? GA_PROVIDER_GPU : GA_PROVIDER_CLBLAST;
}

/* A product with a vector, which C's other size being 1 makes of it. */
static int as_gemv(ga__gemv *v, const ga__gemm *g) {
  if (g->batch != 1 || (g->m != 1 && g->n != 1))
    return 0;
  *v = (ga__gemv){.ctx = g->ctx,
                  .typecode = g->typecode,
                  .n = g->k,
                  .alpha = g->alpha,
                  .beta = g->beta,
                  .a = g->a,
                  .x = g->b,
                  .y = g->c,
                  .epilogue = g->epilogue,
                  .turned = g->n == 1};
  if (g->n == 1) {
    v->m = g->m;
    return 1;
  }
  v->m = g->n;
  v->a = g->b;
  v->a.rs = g->b.cs;
  v->a.cs = g->b.rs;
  v->x = g->a;
  v->x.rs = g->a.cs;
  v->y.rs = g->c.cs;
  return 1;
}

/* Bytes that must move and arithmetic that must be done. */
static void set_cost(GpuLaunch *l, const ga__gemm *g) {
  double m = (double)g->m, n = (double)g->n, k = (double)g->k;
  double c_times = g->beta == 0 ? 1 : 2;
  double bytes = (double)ga__dtype_size(g->typecode);

  ga__launch_cost(l,
                  (double)g->batch * bytes * (m * k + k * n + c_times * m * n),
                  (double)g->batch * 2 * m * n * k);
}

void ga__gemm_turn(ga__gemm *g) {
  const ga__gemm was = *g;

  if (ga__product_unit(&g->c, g->m, g->n) != 2)
    return;
  g->turned = !was.turned;
  g->m = was.n;
  g->n = was.m;
  g->a = was.b;
  g->b = was.a;
  g->a.rs = was.b.cs;
  g->a.cs = was.b.rs;
  g->b.rs = was.a.cs;
  g->b.cs = was.a.rs;
  g->c.rs = was.c.cs;
  g->c.cs = was.c.rs;
}

/* Tensor cores take halves and doubles where they have been seen to work. */
static ga__provider best(const ga__gemm *g) {
  if (ga__gemm_mma_takes(g) && ga__gemm_mma_trusted(g->ctx, g->typecode))
    return GA_PROVIDER_MMA;
  return wanted(g->ctx);
}

void ga__gemm_steps(GpuLaunch *l, const ga__gemm *g, ga__provider who) {
  const int is_cpu = gpucontext_caps(g->ctx)->is_cpu;

  if (who == GA_PROVIDER_AUTO)
    who = best(g);
  if (who == GA_PROVIDER_CLBLAST &&
      (g->epilogue != NULL || !ga__clblast_takes(g)))
    who = is_cpu ? GA_PROVIDER_CPU : GA_PROVIDER_GPU;
  if (who == GA_PROVIDER_MMA && !ga__gemm_mma_takes(g))
    who = GA_PROVIDER_GPU;
  if (g->m == 0 || g->n == 0 || g->batch == 0)
    return; /* nothing to do */
  if (who == GA_PROVIDER_CLBLAST)
    ga__clblast_gemm(l, g);
  else if (who == GA_PROVIDER_CPU)
    ga__gemm_cpu(l, g);
  else if (who == GA_PROVIDER_MMA)
    ga__gemm_mma(l, g);
  else
    ga__gemm_gpu(l, g);
}

int ga__gemm_prepare_by(GpuLaunch **out, const ga__gemm *g, ga__provider who) {
  ga__gemm p = *g;
  GpuLaunch *l;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  if (p.alpha == 0)
    p.k = 0; /* A and B do not count */
  l = ga__launch_open(p.ctx, "gemm",
                      GA_EPILOGUE_SLOT + ga__epilogue_count(p.epilogue));
  ga__product_bind(l, &p.a);
  ga__product_bind(l, &p.b);
  ga__product_bind(l, &p.c);
  ga__epilogue_bind(l, p.epilogue);
  set_cost(l, &p);
  ga__gemm_steps(l, &p, who);
  return ga__launch_seal(out, l);
}

int ga__gemm_prepare(GpuLaunch **out, const ga__gemm *g) {
  ga__gemv v;

  if (!as_gemv(&v, g))
    return ga__gemm_prepare_by(out, g, GA_PROVIDER_AUTO);
  GA_TRY(ga__gemv_prepare(out, &v));
  return GA_NO_ERROR;
}

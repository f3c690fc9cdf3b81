/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix times matrix: who computes it, real or complex. */
#include "blas/product_complex.h"

#include "base/dtype.h"

/* Our kernels were ahead of CLBlast's at every size on the NVIDIA device that
 * they were measured on; for other makers' GPUs CLBlast has parameters. */
static ga__provider wanted(gpucontext *ctx) {
  const ga__wish wish = ga__product_wish(ctx);

  if (wish.who == GA_PROVIDER_CLBLAST)
    return GA_PROVIDER_CLBLAST;
  if (gpucontext_caps(ctx)->is_cpu)
    return GA_PROVIDER_CPU;
  if (wish.who == GA_PROVIDER_GPU)
    return GA_PROVIDER_GPU;
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
                  .conj_a = g->conj_a,
                  .conj_x = g->conj_b,
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
  v->conj_a = g->conj_b;
  v->conj_x = g->conj_a;
  v->a = g->b;
  v->a.rs = g->b.cs;
  v->a.cs = g->b.rs;
  v->x = g->a;
  v->x.rs = g->a.cs;
  v->y.rs = g->c.cs;
  return 1;
}

void ga__gemm_cost(GpuLaunch *l, const ga__gemm *g) {
  const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
  const double c_times = ga__complex_is_zero(g->beta) ? 1 : 2;
  const double flops = ga__dtype_is_complex(g->typecode) ? 8 : 2;
  const double bytes = (double)ga__dtype_size(g->typecode);

  ga__launch_cost(l,
                  (double)g->batch * bytes * (m * k + k * n + c_times * m * n),
                  (double)g->batch * flops * m * n * k);
}

void ga__gemm_transpose(ga__gemm *g) {
  const ga__gemm was = *g;

  g->turned = !was.turned;
  g->m = was.n;
  g->n = was.m;
  g->conj_a = was.conj_b;
  g->conj_b = was.conj_a;
  g->a = was.b;
  g->b = was.a;
  g->a.rs = was.b.cs;
  g->a.cs = was.b.rs;
  g->b.rs = was.a.cs;
  g->b.cs = was.a.rs;
  g->c.rs = was.c.cs;
  g->c.cs = was.c.rs;
}

void ga__gemm_turn(ga__gemm *g) {
  if (ga__product_unit(&g->c, g->m, g->n) == 2)
    ga__gemm_transpose(g);
}

/* Tensor cores take halves and doubles where they have been seen to work,
 * unless CLBlast is asked for. */
static ga__provider best(const ga__gemm *g) {
  if (ga__product_wish(g->ctx).who != GA_PROVIDER_CLBLAST &&
      ga__gemm_mma_takes(g) && ga__gemm_mma_trusted(g->ctx, g->typecode))
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
  else if (who == GA_PROVIDER_CPU || who == GA_PROVIDER_CPU_PACKED)
    ga__gemm_cpu(l, g, who == GA_PROVIDER_CPU_PACKED);
  else if (who == GA_PROVIDER_MMA)
    ga__gemm_mma(l, g);
  else
    ga__gemm_gpu(l, g);
}

int ga__gemm_prepare_by(GpuLaunch **out, const ga__gemm *g, ga__provider who) {
  ga__gemm p = *g;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  ga__product_drop(&p.alpha, &p.k);
  GpuLaunch *l = ga__product_open(p.ctx, "gemm", &p.a, &p.b, &p.c, p.epilogue);
  ga__gemm_cost(l, &p);
  ga__gemm_steps(l, &p, who);
  return ga__launch_seal(out, l);
}

int ga__gemm_prepare(GpuLaunch **out, const ga__gemm *g) {
  ga__gemv v;

  if (as_gemv(&v, g))
    return ga__gemv_prepare(out, &v);
  if (ga__dtype_is_complex(g->typecode))
    return ga__cgemm_prepare_by(out, g, ga__cgemm_best(g));
  return ga__gemm_prepare_by(out, g, GA_PROVIDER_AUTO);
}

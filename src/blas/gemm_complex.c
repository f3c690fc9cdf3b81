/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrix times matrix: who computes it. */
#include "blas/product_complex.h"

#include "base/dtype.h"

/* A product with a vector, which C's other size being 1 makes of it. */
static int as_gemv(ga__cgemv *v, const ga__cgemm *g) {
  if (g->batch != 1 || (g->m != 1 && g->n != 1))
    return 0;
  *v = (ga__cgemv){.ctx = g->ctx,
                   .typecode = g->typecode,
                   .n = g->k,
                   .alpha = g->alpha,
                   .beta = g->beta,
                   .conj_a = g->conj_a,
                   .conj_x = g->conj_b,
                   .a = g->a,
                   .x = g->b,
                   .y = g->c};
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

/* The transposed product if that gives C rows along its unit stride. */
static void turn(ga__cgemm *g) {
  const ga__cgemm was = *g;

  if (ga__product_unit(&g->c, g->m, g->n) != 2)
    return;
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

/* Bytes that must move and arithmetic that must be done. */
static void set_cost(GpuLaunch *l, const ga__cgemm *g) {
  const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
  const double c_times = ga__complex_is_zero(g->beta) ? 1 : 2;
  const double batch = (double)g->batch;
  const double size = (double)ga__dtype_size(g->typecode);

  ga__launch_cost(l, batch * size * (m * k + k * n + c_times * m * n),
                  batch * 8 * m * n * k);
}

int ga__cgemm_prepare_by(GpuLaunch **out, const ga__cgemm *g,
                         ga__cgemm_way how) {
  ga__cgemm p = *g;
  GpuLaunch *l;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, ga__complex_part(g->typecode)));
  if (ga__complex_is_zero(p.alpha))
    p.k = 0; /* A and B do not count */
  if (p.k == 0)
    p.alpha = (ga_complex){0, 0}; /* it may be NaN: not that of no sums */
  l = ga__launch_open(p.ctx, "gemm", 3);
  ga__product_bind(l, &p.a);
  ga__product_bind(l, &p.b);
  ga__product_bind(l, &p.c);
  set_cost(l, &p);
  if (p.m == 0 || p.n == 0 || p.batch == 0)
    return ga__launch_seal(out, l); /* nothing to do */
  turn(&p);
  if (how == GA_CGEMM_CPU)
    ga__cgemm_cpu(l, &p);
  else if (how == GA_CGEMM_REAL)
    ga__cgemm_real(l, &p);
  else
    ga__cgemm_gpu(l, &p);
  return ga__launch_seal(out, l);
}

static ga__cgemm_way best(const ga__cgemm *g) {
  ga__cgemm p = *g;

  if (gpucontext_caps(g->ctx)->is_cpu)
    return GA_CGEMM_CPU;
  turn(&p);
  return ga__cgemm_real_takes(&p) ? GA_CGEMM_REAL : GA_CGEMM_GPU;
}

int ga__cgemm_prepare(GpuLaunch **out, const ga__cgemm *g) {
  ga__cgemv v;

  if (as_gemv(&v, g))
    return ga__cgemv_prepare(out, &v);
  return ga__cgemm_prepare_by(out, g, best(g));
}

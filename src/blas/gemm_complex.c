/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrix times matrix: who computes it. */
#include "blas/product_complex.h"

#include "base/dtype.h"

int ga__cgemm_prepare_by(GpuLaunch **out, const ga__gemm *g,
                         ga__cgemm_way how) {
  ga__gemm p = *g;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  ga__product_drop(&p.alpha, &p.k);
  GpuLaunch *l = ga__product_open(p.ctx, "gemm", &p.a, &p.b, &p.c, NULL);
  ga__gemm_cost(l, &p);
  if (p.m == 0 || p.n == 0 || p.batch == 0)
    return ga__launch_seal(out, l); /* nothing to do */
  ga__gemm_turn(&p);
  if (how == GA_CGEMM_CPU || how == GA_CGEMM_CPU_PACKED)
    ga__cgemm_cpu(l, &p, how == GA_CGEMM_CPU_PACKED);
  else if (how == GA_CGEMM_REAL)
    ga__cgemm_real(l, &p);
  else
    ga__cgemm_gpu(l, &p);
  return ga__launch_seal(out, l);
}

ga__cgemm_way ga__cgemm_best(const ga__gemm *g) {
  ga__gemm p = *g;

  if (gpucontext_caps(g->ctx)->is_cpu)
    return GA_CGEMM_CPU;
  ga__gemm_turn(&p);
  return ga__cgemm_real_takes(&p) ? GA_CGEMM_REAL : GA_CGEMM_GPU;
}

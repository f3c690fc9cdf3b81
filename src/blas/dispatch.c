/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of providers, and the choice of one for a product. */
#include "blas/dispatch.h"

#include "base/assert.h"
#include "base/dtype.h"

enum { MOST_PROVIDERS = 5 };

/* The providers of each routine, real and complex. The first one that wants a
 * product gets it. */
static const ga__provider *const providers[GA_ROUTINES][MOST_PROVIDERS] = {
    [GA_ROUTINE_GEMM] = {&ga__gemm_as_real, &ga__gemm_mma, &ga__gemm_clblast,
                         &ga__gemm_cpu, &ga__gemm_gpu},
    [GA_ROUTINE_GEMV] = {&ga__gemv_cpu, &ga__gemv_gpu},
    [GA_ROUTINE_GER] = {&ga__ger_own},
    [GA_ROUTINE_DOT] = {&ga__dot_own},
};

static int takes(const ga__provider *by, const ga__product *p) {
  return by->takes == NULL || by->takes(p);
}

/* The last provider of each routine takes every product. */
static const ga__provider *best(const ga__product *p) {
  if (p->lines > 0 || p->phases != NULL)
    return &ga__gemm_gpu;
  if (p->window != NULL)
    return gpucontext_caps(p->ctx)->is_cpu ? &ga__gemm_cpu
           : ga__gemm_mma.wants(p)         ? &ga__gemm_mma
                                           : &ga__gemm_gpu;
  const ga__provider *const *by = providers[p->routine];

  while ((*by)->wants != NULL ? !(*by)->wants(p) : !takes(*by, p)) {
    by++;
    GA_ASSERT(by < providers[p->routine] + MOST_PROVIDERS && *by != NULL);
  }
  return *by;
}

/* Turn a gemm into a gemv if C has one row or column. */
static void narrow(ga__product *p) {
  if (p->routine != GA_ROUTINE_GEMM || p->batch != 1 ||
      (p->m != 1 && p->n != 1))
    return;
  if (p->n != 1)
    ga__product_transpose(p);
  p->routine = GA_ROUTINE_GEMV;
}

/* Nonzero if there is nothing to compute. */
static int is_idle(const ga__product *p) {
  if (p->routine == GA_ROUTINE_GER && ga__complex_is_zero(p->alpha))
    return 1;
  return (p->m == 0 || p->n == 0 || p->batch == 0) && !ga__product_sums(p);
}

/* For GA_ASSERT: a product fits its routine, and is what providers rely on. */
__attribute__((unused)) static int is_sound(const ga__product *p) {
  const int has_sizes = p->m > 0 && p->n > 0 && p->batch > 0;

  if (!has_sizes && !ga__product_sums(p))
    return 0;
  if (p->epilogue != NULL && ga__dtype_is_complex(p->typecode))
    return 0;
  switch (p->routine) {
  case GA_ROUTINE_GEMV:
    return p->n == 1 && p->batch == 1;
  case GA_ROUTINE_GER:
    return p->k == 1 && p->batch == 1;
  case GA_ROUTINE_DOT:
    return p->m == 1 && p->n == 1 && p->batch == 1;
  default:
    return p->routine == GA_ROUTINE_GEMM;
  }
}

static void add_steps(GpuLaunch *l, ga__product *p, const ga__provider *by) {
  GA_ASSERT(is_sound(p));
  if (by == NULL)
    by = best(p);
  if (by->lower != NULL) {
    by->lower(l, p);
    by = best(p);
    GA_ASSERT(is_sound(p) && by->lower == NULL);
  }
  by->add(l, p);
}

/* Add the kernels of a product whose parts without elements are dropped. */
static void add_product(GpuLaunch *l, ga__product *p, const ga__provider *by) {
  if (by != NULL && !takes(by, p))
    by = gpucontext_caps(p->ctx)->is_cpu ? &ga__gemm_cpu : &ga__gemm_gpu;
  if (!is_idle(p))
    add_steps(l, p, by);
}

void ga__product_add(GpuLaunch *l, const ga__product *given,
                     const ga__provider *by) {
  ga__product p = *given;

  ga__product_drop(&p);
  add_product(l, &p, by);
}

/* Changes p. */
static int prepare_by(GpuLaunch **out, ga__product *p, const ga__provider *by) {
  *out = NULL;
  GA_TRY(ga__product_support(p->ctx, p->typecode));
  ga__product_drop(p);
  GpuLaunch *l = ga__product_open(p);
  add_product(l, p, by);
  return ga__launch_seal(out, l);
}

int ga__product_prepare_by(GpuLaunch **out, const ga__product *given,
                           const ga__provider *by) {
  ga__product p = *given;

  return prepare_by(out, &p, by);
}

int ga__product_prepare(GpuLaunch **out, const ga__product *given) {
  ga__product p = *given;

  narrow(&p);
  return prepare_by(out, &p, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Who computes products: one structure of functions for each provider, and one
 * file for it. A provider adds its kernels to an open launch; operands may lie
 * in slots of the launch's own. Products that it gets are not empty. */
#ifndef BLAS_PRODUCT_PROVIDER_H
#define BLAS_PRODUCT_PROVIDER_H

#include "blas/product.h"

typedef struct ga__provider {
  /* Can it compute this product here? NULL: every one. */
  int (*takes)(const ga__product *p);
  /* Should it, if no provider before it in the table does? NULL: whenever it
   * can. */
  int (*wants)(const ga__product *p);
  void (*add)(GpuLaunch *l, const ga__product *p);
  /* In place of `add`: add what makes another product of this one, which is
   * left in *p for the next provider. */
  void (*lower)(GpuLaunch *l, ga__product *p);
} ga__provider;

/* Complex products as real ones, on GPUs; takes those with a unit stride of C
 * (gemm_as_real.c). */
extern const ga__provider ga__gemm_as_real;
/* NVIDIA's tensor cores (gemm_mma.c). */
extern const ga__provider ga__gemm_mma;
/* CLBlast, if it can be loaded (clblast.c). */
extern const ga__provider ga__gemm_clblast;
/* Our own for CPUs, one work-item per group; `packed` copies factors into
 * panels first even where that does not pay, for tests (gemm_cpu.c). */
extern const ga__provider ga__gemm_cpu, ga__gemm_cpu_packed;
/* Our own for GPUs, through local memory (gemm_gpu.c). */
extern const ga__provider ga__gemm_gpu;
/* Our own (gemv.c, ger.c, dot_product.c). */
extern const ga__provider ga__gemv_cpu, ga__gemv_gpu, ga__ger_own, ga__dot_own;

/* Has the device shown, once, that its tensor cores compute products of this
 * dtype right? */
int ga__gemm_mma_trusted(gpucontext *ctx, int typecode);

/* What the user asks for: CLBlast, or our own kernels alone, or nothing; and
 * tensor cores for floats (wish.c). */
typedef struct ga__wish {
  enum { GA_WISH_NONE, GA_WISH_OWN, GA_WISH_CLBLAST } who;
  int tf32;
} ga__wish;
ga__wish ga__product_wish(gpucontext *ctx);

/* Own parameters for CLBlast on a device that it does not know: `fn` is called
 * for each kernel, with at most GA_TUNED_MAX names; again for one that the user
 * has tuned (tuned.c). */
enum { GA_TUNED_MAX = 16 };
typedef void (*ga__tuned_fn)(const char *kernel, int bits, size_t n,
                             const char *const *names, const size_t *values,
                             void *arg);
void ga__tuned_each(const char *device, ga__tuned_fn fn, void *arg);
/* Those of the user alone, from files of CLBlast's tuners (tuned_file.c). */
void ga__tuned_files(const char *device, ga__tuned_fn fn, void *arg);

#endif

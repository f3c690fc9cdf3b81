/* SPDX-License-Identifier: BSD-2-Clause */
/* Providers of products: each has one structure of functions and one file. A
 * provider adds its kernels to an open launch. Operands may lie in own slots of
 * the launch. Products that it gets are not empty. */
#ifndef BLAS_PRODUCT_PROVIDER_H
#define BLAS_PRODUCT_PROVIDER_H

#include "blas/product.h"

typedef struct ga__provider {
  /* Nonzero if it can compute this product. NULL: it can compute every one. */
  int (*takes)(const ga__product *p);
  /* Nonzero if it should, unless one before it in the table does. It implies
   * `takes`. NULL: as `takes`. */
  int (*wants)(const ga__product *p);
  void (*add)(GpuLaunch *l, const ga__product *p);
  /* Instead of `add`: add kernels that reduce this product to another one, and
   * store that one in *p for the next provider. */
  void (*lower)(GpuLaunch *l, ga__product *p);
} ga__provider;

/* Complex products as real ones, on GPUs. C needs a unit stride
 * (gemm_as_real.c). */
extern const ga__provider ga__gemm_as_real;
/* NVIDIA's tensor cores (gemm_mma.c). */
extern const ga__provider ga__gemm_mma;
/* CLBlast, if it can be loaded (clblast.c). */
extern const ga__provider ga__gemm_clblast;
/* The library's own for CPUs, with one work-item per group. ga__gemm_cpu_packed
 * is for tests: it always copies A and B into panels first (gemm_cpu.c). */
extern const ga__provider ga__gemm_cpu, ga__gemm_cpu_packed;
/* The library's own for GPUs, with local memory (gemm_gpu.c). */
extern const ga__provider ga__gemm_gpu;
/* The library's own (gemv.c, ger.c, dot_product.c). */
extern const ga__provider ga__gemv_cpu, ga__gemv_gpu, ga__ger_own, ga__dot_own;

/* Nonzero if the device's tensor cores computed a test product of this dtype
 * right. The first call for a device runs the test, and blocks. */
int ga__gemm_mma_trusted(gpucontext *ctx, int typecode);

/* What the user requests: CLBlast, only the library's own kernels, or neither;
 * whether floats may use tensor cores; whether LAPACK may factor; whether the
 * algorithms of convolutions are measured; the most bytes of a workspace that
 * only saves time (wish.c). */
typedef struct ga__wish {
  enum { GA_WISH_NONE, GA_WISH_OWN, GA_WISH_CLBLAST } who;
  int tf32;
  int lapack;
  int measures;
  uint64_t workspace;
} ga__wish;
ga__wish ga__product_wish(gpucontext *ctx);

/* Parameters of CLBlast's kernels for a device that CLBlast does not know
 * (tuned.c): call `fn` for each kernel with `n` (at most GA_TUNED_MAX) names
 * and values, which are valid during the call. Calls for the user's own
 * parameters come last. */
enum { GA_TUNED_MAX = 16 };
typedef void (*ga__tuned_fn)(const char *kernel, int bits, size_t n,
                             const char *const *names, const size_t *values,
                             void *arg);
void ga__tuned_each(const char *device, ga__tuned_fn fn, void *arg);
/* The user's own parameters alone, from files of CLBlast's tuners
 * (tuned_file.c). */
void ga__tuned_files(const char *device, ga__tuned_fn fn, void *arg);

#endif

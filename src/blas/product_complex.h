/* SPDX-License-Identifier: BSD-2-Clause */
/* How complex products are computed; product.h describes them. */
#ifndef BLAS_PRODUCT_COMPLEX_H
#define BLAS_PRODUCT_COMPLEX_H

#include "blas/product.h"
#include "codegen/gen_complex.h"

/* How a gemm is computed. */
typedef enum ga__cgemm_way {
  GA_CGEMM_CPU,        /* one work-item per group */
  GA_CGEMM_CPU_PACKED, /* the same, and A is copied first */
  GA_CGEMM_GPU,        /* through local memory */
  GA_CGEMM_REAL        /* as one real product; C must have a stride of 1 */
} ga__cgemm_way;

ga__cgemm_way ga__cgemm_best(const ga__gemm *g);
int ga__cgemm_prepare_by(GpuLaunch **out, const ga__gemm *g, ga__cgemm_way how);
int ga__cgemv_prepare_by(GpuLaunch **out, const ga__gemv *g, ga__provider who);

/* --- one file each; they add steps to an open launch --- */

void ga__cger_step(GpuLaunch *l, const ga__ger *g);
void ga__cdot_steps(GpuLaunch *l, const ga__dot *g);
/* A is copied into panels first if `packed`, else where it pays. */
void ga__cgemm_cpu(GpuLaunch *l, const ga__gemm *g, int packed);
void ga__cgemm_gpu(GpuLaunch *l, const ga__gemm *g);
/* False when a product would not profit, or needs too much memory. */
int ga__cgemm_real_takes(const ga__gemm *g);
void ga__cgemm_real(GpuLaunch *l, const ga__gemm *g);

/* --- shared helpers (product_complex.c) --- */

/* GA_FLOAT or GA_DOUBLE: what the parts are. */
int ga__complex_part(int typecode);
/* A kernel of cl/<name>.cl behind these macros. */
void ga__complex_kernel(GpuLaunch *l, const char *name, const char *entry,
                        int typecode, unsigned int lanes, size_t n,
                        const ga__macro *macros, unsigned int nd,
                        const size_t *gs, const size_t *ls);
/* A factor as two lanes, in the precision that the kernels work in. */
void ga__complex_factor(GpuLaunch *l, int typecode, ga_complex v);
/* +1, or -1 for a conjugate. */
void ga__complex_sign(GpuLaunch *l, int typecode, int conj);
/* Lanes of a CPU's vectors for the parts. */
unsigned int ga__complex_lanes(gpucontext *ctx, int typecode);

#endif

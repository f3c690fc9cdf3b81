/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of complex matrices and vectors as descriptions, like those of
 * product.h: strides count numbers. Conjugates are flags of the operands, so
 * that a transpose is a matter of strides here too. */
#ifndef BLAS_PRODUCT_COMPLEX_H
#define BLAS_PRODUCT_COMPLEX_H

#include <gpuarray/blas_complex.h>

#include "blas/product.h"
#include "codegen/gen_complex.h"

/* C = alpha A B + beta C: A is [m, k], B [k, n], C [m, n], `batch` times; A or
 * B or both conjugated. With a beta of 0, C is not read. */
typedef struct ga__cgemm {
  gpucontext *ctx;
  int typecode; /* GA_CFLOAT, GA_CDOUBLE */
  size_t m, n, k, batch;
  ga_complex alpha, beta;
  int conj_a, conj_b;
  ga__operand a, b, c;
} ga__cgemm;

/* y = alpha A x + beta y: A is [m, n]. */
typedef struct ga__cgemv {
  gpucontext *ctx;
  int typecode;
  size_t m, n;
  ga_complex alpha, beta;
  int conj_a, conj_x;
  ga__operand a, x, y;
} ga__cgemv;

/* A = alpha x y^T + A: A is [m, n]. */
typedef struct ga__cger {
  gpucontext *ctx;
  int typecode;
  size_t m, n;
  ga_complex alpha;
  int conj_x, conj_y;
  ga__operand x, y, a;
} ga__cger;

/* z = sum of x * y over n. */
typedef struct ga__cdot {
  gpucontext *ctx;
  int typecode;
  size_t n;
  int conj_x;
  ga__operand x, y, z;
} ga__cdot;

/* Launches with every operand bound. The caller owns *out. */
int ga__cgemm_prepare(GpuLaunch **out, const ga__cgemm *g);
int ga__cgemv_prepare(GpuLaunch **out, const ga__cgemv *g);
int ga__cger_prepare(GpuLaunch **out, const ga__cger *g);
int ga__cdot_prepare(GpuLaunch **out, const ga__cdot *g);

/* How a gemm is computed. */
typedef enum ga__cgemm_way {
  GA_CGEMM_CPU, /* one work-item per group */
  GA_CGEMM_GPU, /* through local memory */
  GA_CGEMM_REAL /* as one real product; C must have a stride of 1 */
} ga__cgemm_way;

/* The first two with a mapping of the caller's choice; tests use them. */
int ga__cgemm_prepare_by(GpuLaunch **out, const ga__cgemm *g,
                         ga__cgemm_way how);
int ga__cgemv_prepare_by(GpuLaunch **out, const ga__cgemv *g, ga__provider who);

/* Run the launch of an earlier call with the same geometry and numbers, or
 * prepare one (reuse_complex.c). */
int ga__cgemm_run(const ga__cgemm *g);
int ga__cgemv_run(const ga__cgemv *g);
int ga__cger_run(const ga__cger *g);
int ga__cdot_run(const ga__cdot *g);

/* --- one file each; they add steps to an open launch --- */

void ga__cgemm_cpu(GpuLaunch *l, const ga__cgemm *g);
void ga__cgemm_gpu(GpuLaunch *l, const ga__cgemm *g);
/* False when a product would not profit, or needs too much memory. */
int ga__cgemm_real_takes(const ga__cgemm *g);
void ga__cgemm_real(GpuLaunch *l, const ga__cgemm *g);

/* --- shared helpers (product_complex.c) --- */

/* GA_FLOAT or GA_DOUBLE: what the parts are. */
int ga__complex_part(int typecode);
int ga__complex_is_zero(ga_complex v);
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

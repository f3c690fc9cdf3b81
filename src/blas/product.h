/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix and vector products as descriptions, and prepared launches of them.
 *
 * Row and column order, transposes and leading dimensions are all one thing
 * here: two strides per matrix. Whoever fills a description has checked that
 * its operands lie inside their buffers. */
#ifndef BLAS_PRODUCT_H
#define BLAS_PRODUCT_H

#include <gpuarray/blas_complex.h>
#include <limits.h>

#include "blas/epilogue.h"
#include "ocl/ocl.h"

#include "base/strb.h"
#include "codegen/gen_gemm.h"

/* An operand. Element (row, column) of matrix z of a batch lies
 * row * rs + column * cs + z * bs elements after `off`; a vector has only rs.
 */
typedef struct ga__operand {
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes, to the element with indices 0 */
  ptrdiff_t rs, cs;  /* elements, of any sign */
  ptrdiff_t bs;      /* elements */
  unsigned int slot; /* of the launch, or GA_NO_SLOT: absent, not touched */
} ga__operand;

#define GA_NO_SLOT UINT_MAX

/* All four describe real products and complex ones: GA_HALF, GA_FLOAT,
 * GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE. Strides count numbers. Real factors have no
 * imaginary part, and conjugates of real operands do not count. They are flags
 * of operands, so that a transpose is a matter of strides here too. */

/* C = alpha A B + beta C: A is [m, k], B [k, n], C [m, n], `batch` times.
 * With a beta of 0, C is not read. With an epilogue, C is not written; if it is
 * not read either, it is absent: its strides only say how results lie. */
typedef struct ga__gemm {
  gpucontext *ctx;
  int typecode;
  size_t m, n, k, batch;
  ga_complex alpha, beta;
  int conj_a, conj_b;
  ga__operand a, b, c;
  const ga__epilogue *epilogue; /* or NULL; of one real product */
  int turned; /* this is the transpose of what the epilogue's arguments are to
               */
} ga__gemm;

/* y = alpha A x + beta y: A is [m, n]. */
typedef struct ga__gemv {
  gpucontext *ctx;
  int typecode;
  size_t m, n;
  ga_complex alpha, beta;
  int conj_a, conj_x;
  ga__operand a, x, y;
  const ga__epilogue
      *epilogue; /* as above: y is its row, or turned, a column */
  int turned;
} ga__gemv;

/* A = alpha x y^T + A: A is [m, n]. */
typedef struct ga__ger {
  gpucontext *ctx;
  int typecode;
  size_t m, n;
  ga_complex alpha;
  int conj_x, conj_y;
  ga__operand x, y, a;
} ga__ger;

/* z = sum of x * y over n. */
typedef struct ga__dot {
  gpucontext *ctx;
  int typecode;
  size_t n;
  int conj_x;
  ga__operand x, y, z;
} ga__dot;

/* Who computes a real gemm. */
typedef enum ga__provider {
  GA_PROVIDER_AUTO = 0,
  GA_PROVIDER_CPU,        /* ours, one work-item per group */
  GA_PROVIDER_CPU_PACKED, /* the same, and both factors are copied first */
  GA_PROVIDER_GPU,        /* ours, through local memory */
  GA_PROVIDER_MMA,        /* ours, on NVIDIA's tensor cores */
  GA_PROVIDER_CLBLAST
} ga__provider;

/* What the user asks for: GA_PROVIDER_AUTO, _GPU for our own kernels, those for
 * CPUs on a CPU, or _CLBLAST; and tensor cores for floats (wish.c). */
typedef struct ga__wish {
  ga__provider who;
  int tf32;
} ga__wish;
ga__wish ga__product_wish(gpucontext *ctx);

/* Launches with every operand bound. The caller owns *out. */
int ga__gemm_prepare(GpuLaunch **out, const ga__gemm *g);
int ga__gemv_prepare(GpuLaunch **out, const ga__gemv *g);
int ga__ger_prepare(GpuLaunch **out, const ga__ger *g);
int ga__dot_prepare(GpuLaunch **out, const ga__dot *g);
/* The first two, of real numbers, with a mapping of the caller's choice; tests
 * use them. */
int ga__gemm_prepare_by(GpuLaunch **out, const ga__gemm *g, ga__provider who);
int ga__gemv_prepare_by(GpuLaunch **out, const ga__gemv *g, ga__provider who);

/* The steps of a product in an open launch, by whoever does it best or as
 * asked. Operands may lie in slots of the launch's own. */
void ga__gemm_steps(GpuLaunch *l, const ga__gemm *g, ga__provider who);

/* --- one file each; they add steps to an open launch --- */

/* Both factors are copied into panels first if `packed`, else where it pays. */
void ga__gemm_cpu(GpuLaunch *l, const ga__gemm *g, int packed);
void ga__gemm_gpu(GpuLaunch *l, const ga__gemm *g);
/* Has a product enough work for a launch that packs factors before it? */
int ga__gemm_pays_to_pack(const ga__gemm *g);
/* What a work-item of a CPU computes of C: some tiles of rows times some panels
 * of columns, at most GA_MOST_PANELS. */
typedef struct ga__cut {
  size_t tiles, panels;
} ga__cut;
enum { GA_MOST_PANELS = 4 };
/* Cut C, which is `tiles` x `panels`, into work-items that keep all cores busy
 * to the end, with rows in `across` blocks at least. */
ga__cut ga__gemm_cut(const ga__gemm *g, size_t tiles, size_t panels,
                     size_t across);
/* False when tensor cores cannot compute this product. */
int ga__gemm_mma_takes(const ga__gemm *g);
/* Has the device shown, once, that it computes such products right? */
int ga__gemm_mma_trusted(gpucontext *ctx, int typecode);
void ga__gemm_mma(GpuLaunch *l, const ga__gemm *g);
/* The same product, transposed. */
void ga__gemm_transpose(ga__gemm *g);
/* The transposed product if that gives C rows along its unit stride. */
void ga__gemm_turn(ga__gemm *g);
/* Bytes that must move and arithmetic that must be done. */
void ga__gemm_cost(GpuLaunch *l, const ga__gemm *g);
void ga__gemv_cost(GpuLaunch *l, const ga__gemv *g);
/* False when CLBlast is absent or must not be asked for this product. */
int ga__clblast_takes(const ga__gemm *g);
void ga__clblast_gemm(GpuLaunch *l, const ga__gemm *g);
/* Own parameters for CLBlast on a device that it does not know: `fn` is called
 * for each kernel, with at most GA_TUNED_MAX names; again for one that the user
 * has tuned. */
enum { GA_TUNED_MAX = 16 };
typedef void (*ga__tuned_fn)(const char *kernel, int bits, size_t n,
                             const char *const *names, const size_t *values,
                             void *arg);
void ga__tuned_each(const char *device, ga__tuned_fn fn, void *arg);
/* Those of the user alone, from files of CLBlast's tuners. */
void ga__tuned_files(const char *device, ga__tuned_fn fn, void *arg);

/* --- shared helpers (product.c) --- */

int ga__complex_is_zero(ga_complex v);
/* GA_DEVSUP_ERROR for doubles, complex ones too, on a device without them. */
int ga__product_support(gpucontext *ctx, int typecode);
/* A kernel of cl/<name>.cl behind `defines`. */
void ga__product_kernel(GpuLaunch *l, const char *name, const char *entry,
                        ga__strb *defines, unsigned int nd, const size_t *gs,
                        const size_t *ls);
/* A launch with three operands bound, if they have buffers, and what an
 * epilogue (NULL: none) has. NULL when memory is out, as all that adds to
 * launches accepts. */
GpuLaunch *ga__product_open(gpucontext *ctx, const char *label,
                            const ga__operand *a, const ga__operand *b,
                            const ga__operand *c, const ga__epilogue *e);
/* Without alpha no sums of k products count, and without sums no alpha, which
 * may be a NaN. */
void ga__product_drop(ga_complex *alpha, size_t *k);
/* Buffer, byte offset, and strides as kernel arguments. */
void ga__product_matrix(GpuLaunch *l, const ga__operand *o, int with_batch);
void ga__product_vector(GpuLaunch *l, const ga__operand *o);
/* A number in the type that the kernels work in. */
void ga__product_scalar(GpuLaunch *l, int typecode, double v);
/* The same, and behind it what rounding took off, for a factor that is applied
 * again and again: the rounding of 0.9998 to float alone would show after ten
 * thousand steps of weight decay. */
void ga__product_factor(GpuLaunch *l, int typecode, double v);
/* Which stride of a matrix of `rows` x `cols` is 1: 1 the one along a row, 2
 * the one along a column, 0 neither; 1 when both. */
int ga__product_unit(const ga__operand *o, size_t rows, size_t cols);
/* A group of `width` by `teams` work-items on a GPU, shared out on two
 * dimensions. */
typedef struct ga__product_group {
  unsigned int width, teams;
} ga__product_group;

/* The group with fewer teams, then narrower, until the device can have it with
 * `item_bytes` of local memory for each work-item. */
ga__product_group ga__product_fit(gpucontext *ctx, ga__product_group group,
                                  size_t item_bytes);
/* May groups leave parts to the last one of them on this device? */
ga__gen_tickets ga__product_tickets(gpucontext *ctx);
/* The lanes that a CPU's vectors have for a dtype: 4, 8 or 16. */
unsigned int ga__product_lanes(gpucontext *ctx, int typecode);

#endif

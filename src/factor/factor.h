/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of factorisations: lists of kernels for diagonal blocks and panels,
 * and of products of other blocks. */
#ifndef FACTOR_FACTOR_H
#define FACTOR_FACTOR_H

#include <gpuarray/factor.h>

#include "base/err.h"
#include "blas/dispatch.h"
#include "codegen/gen_factor.h"
#include "factor/matrix_block.h"

enum { GA_FACTOR_SLOTS = 5 /* arrays of a call at most */ };

/* A launch that is being built. */
typedef struct ga__factor {
  GpuLaunch *l;
  gpucontext *ctx; /* borrowed */
  int typecode;
  int is_complex;
  size_t batch; /* matrices */
  int is_cpu;
  size_t nb;         /* most rows of a diagonal block */
  size_t panel;      /* most columns of a panel of LU */
  size_t columns;    /* the same of QR */
  size_t most;       /* work-items of a group on a GPU */
  size_t side;       /* of a square of them that factors a diagonal block */
  size_t rows, cols; /* of x that a group solves for: of each work-item, and
                        in all */
  unsigned int ls;   /* work-items of a group for rows of a matrix */
  unsigned int info; /* a workspace of int32, [batch], after the first
                        factorisation */
} ga__factor;

/* --- arrays (factor_array.c) --- */

/* An operand or a result, which lies in slot `slot`. */
typedef struct ga__factor_array {
  const char *name; /* for messages */
  const GpuArray *array;
  unsigned int slot;
} ga__factor_array;

/* Check the first operand: its dtype is GA_FLOAT, GA_DOUBLE, GA_CFLOAT or
 * GA_CDOUBLE. */
int ga__factor_check_first(const ga__factor_array *a);
/* Check an array against the dtype of `first`, which is checked, its context,
 * and its leading sizes. */
int ga__factor_check(const ga__factor_array *a, const ga__factor_array *first,
                     int is_result);
/* The same against the dtype `code`. */
int ga__factor_check_as(const ga__factor_array *a,
                        const ga__factor_array *first, int code, int is_result);
/* Check the last two sizes. */
int ga__factor_check_sizes(const ga__factor_array *a, size_t m, size_t n);
/* Check that the matrices are square. */
int ga__factor_check_square(const ga__factor_array *a);
/* Check an array of int32, [..., n] with `more` of 1, [...] with 0; it may be
 * missing. */
int ga__factor_check_ints(const ga__factor_array *a,
                          const ga__factor_array *first, int is_result,
                          unsigned int more, size_t n);
/* Check a result of the dtype of `first`, or of the parts of that, [..., n],
 * which is not missing. */
int ga__factor_check_vector(const ga__factor_array *a,
                            const ga__factor_array *first, size_t n);
/* The same of the dtype `code`. */
int ga__factor_check_vector_as(const ga__factor_array *a,
                               const ga__factor_array *first, int code,
                               size_t n);
/* Check that a result overlaps no operand; it may be the same array as
 * `same`, or NULL. */
int ga__factor_check_apart(const ga__factor_array *result,
                           const ga__factor_array *operand, int may_be_same);
/* Check that no flag is unknown, and that at most one transposes. */
int ga__factor_check_flags(int flags, int known);

/* --- building (factor_array.c) --- */

/* Open a launch for matrices of the dtype and the batch of `a`. */
void ga__factor_open(ga__factor *f, const char *label, unsigned int n_slots,
                     const ga__factor_array *a);
/* Bind the arrays that are not missing. */
void ga__factor_bind(ga__factor *f, unsigned int n, const ga__factor_array *o);
/* Nonzero if `a` can be read and written as blocks: its batch has one
 * stride, and strides count whole elements. */
int ga__factor_is_plain(const ga__factor_array *a);
/* The matrices of `a`, which is plain, as a block. */
ga__block ga__factor_block(const ga__factor_array *a);
/* The same launch for real matrices, of the dtype of the parts. */
ga__factor ga__factor_parts(const ga__factor *f);
/* A workspace for matrices of m x n, in C order, as a block. There may be
 * GA_OWN_SLOTS of them. */
ga__block ga__factor_work(ga__factor *f, size_t m, size_t n);
/* The same, of which GPUs, and complex panels, get columns without gaps: they
 * are fast then. */
ga__block ga__factor_work_panels(ga__factor *f, size_t m, size_t n);
/* Where a result of the sizes of `a` is computed: in `a` or in a
 * workspace. */
ga__block ga__factor_place(ga__factor *f, const ga__factor_array *a);
/* The same for matrices that are factored by panels. */
ga__block ga__factor_place_panels(ga__factor *f, const ga__factor_array *a);
/* --- copies (factor_copy.c) --- */

/* Add a copy of `from` to `b`, where the result `to` is computed. Nothing is
 * added if that is done in place and all elements are copied. */
void ga__factor_fetch(ga__factor *f, const ga__block *b,
                      const ga__factor_array *to, const ga__factor_array *from,
                      ga__triangle part);
/* Add a copy of `b` to the result, unless it lies there. */
void ga__factor_store(ga__factor *f, const ga__factor_array *to,
                      const ga__block *b);
/* Add a copy of a block to another one of the same sizes. */
void ga__factor_copy(ga__factor *f, const ga__block *from, const ga__block *to,
                     ga__triangle part);
/* Add a copy of square blocks, which lie one below the other in `from`, to the
 * diagonal of `to`, from its first element on. */
void ga__factor_copy_diagonal(ga__factor *f, const ga__block *from,
                              const ga__block *to);
/* Make `b` zeros, or the identity. */
void ga__factor_zero(ga__factor *f, const ga__block *b);
void ga__factor_identity(ga__factor *f, const ga__block *b);
/* Add a copy of int32, [..., n], to a workspace that is a part of kernel
 * arguments already. */
void ga__factor_fetch_ints(ga__factor *f, unsigned int work,
                           const ga__factor_array *from, size_t n);
/* Make a workspace of int32, [batch, n], zeros. */
void ga__factor_zero_ints(ga__factor *f, unsigned int work, size_t n);
/* Add a copy from a workspace of int32, [batch, n], to an array, if that is not
 * missing. */
void ga__factor_store_ints(ga__factor *f, const ga__factor_array *to,
                           unsigned int work, size_t n, unsigned int more);
/* Add a copy of a block of one row to an array, [..., n]. */
void ga__factor_store_vector(ga__factor *f, const ga__factor_array *to,
                             const ga__block *b);

/* --- kernels (factor_kernels.c) --- */

/* Add a kernel of cl/factor_cpu.cl, cl/factor_gpu.cl or cl/factor_complex.cl.
 * On CPUs `items` counts work-items for each matrix, on GPUs groups of `group`
 * work-items; `group` is 1 on CPUs for complex kernels. `x_unit` is a macro. */
void ga__factor_kernel(ga__factor *f, const char *entry, size_t items,
                       size_t group, int x_unit);
/* Add a kernel of a template with n macros: `items` groups of `group`
 * work-items for each matrix. On CPUs `group` is 1. */
void ga__factor_group_kernel(ga__factor *f, const char *name, const char *entry,
                             size_t items, size_t group, size_t n,
                             const ga__macro *macros);
/* Add a block as arguments of the last kernel. */
void ga__factor_arg(ga__factor *f, const ga__block *b);
/* c = c - a b. */
void ga__factor_product(ga__factor *f, const ga__block *a, const ga__block *b,
                        const ga__block *c);
/* The same for the lower triangle of a square c, or the lower trapezoid of a c
 * with more rows than columns. On CPUs, and of complex numbers, elements above
 * the diagonal change, too, within diagonal blocks. */
void ga__factor_product_lower(ga__factor *f, const ga__block *a,
                              const ga__block *b, const ga__block *c);
/* c = a b. */
void ga__factor_multiply(ga__factor *f, const ga__block *a, const ga__block *b,
                         const ga__block *c);
/* Half of n, in whole diagonal blocks, where n exceeds one. */
size_t ga__factor_half(const ga__factor *f, size_t n);

/* The matrix, or what GA_FACTOR_TRANS or GA_FACTOR_CONJ_TRANS say. */
ga__block ga__factor_op(const ga__block *a, int flags);
/* Declare bytes, and operations as of a real matrix. */
void ga__factor_cost(ga__factor *f, double bytes, double flops);

/* --- calls (factor_call.c) --- */

/* What calls of one kind have in common. Arrays lie in slots: the operands, of
 * which the first one is a matrix, then the results. */
typedef struct ga__factor_family {
  const char *name; /* of launches */
  const char *arrays[GA_FACTOR_SLOTS];
  unsigned int n_in, n_slots;
  unsigned int needed; /* a result that may not be missing, or 0 */
  /* Check the arrays; the first one is checked. */
  int (*check)(const ga__factor_array *o, int flags);
  /* Make those results of a call that are not missing: `to` has their slots,
   * and `o` the operands, of which the first one is checked. */
  int (*make)(GpuArray *const *to, const ga__factor_array *o, int flags);
  /* Add kernels. A result has elements. */
  void (*add)(ga__factor *f, const ga__factor_array *o, int flags);
} ga__factor_family;

/* Prepare a launch for arrays by slots. */
int ga__factor_prepare(GpuLaunch **out, const ga__factor_family *family,
                       const GpuArray *const *arrays, int flags);
/* Make the results, and run a launch, if there is one, of an earlier call of
 * the same geometry. All are cleared after an error. It is one if a result is
 * two of the arrays: then nothing is changed. */
int ga__factor_call(const ga__factor_family *family,
                    const GpuArray *const *operands, GpuArray *const *results,
                    int flags);
/* Make an array in the context of `a`, in C order, unless it is missing. */
int ga__factor_make(GpuArray *to, const GpuArray *a, int typecode,
                    unsigned int nd, const size_t *dims);

/* Make the solution, an array of the sizes of `b`, which is checked against the
 * matrix `a`. */
int ga__factor_make_solution(GpuArray *to, const ga__factor_array *a,
                             const ga__factor_array *b);

/* --- parts of factorisations --- */

/* Make the workspace `info`, which the launch owns. NULL on failure. */
gpudata *ga__factor_info(ga__factor *f);
/* Add the argument `info` of a kernel. The first such argument makes the
 * workspace. */
void ga__factor_info_arg(ga__factor *f, int is_first);
/* Replace the lower triangle of a by its Cholesky factor; f->info is new
 * (cholesky.c). */
void ga__factor_cholesky(ga__factor *f, const ga__block *a);

/* How a group of a GPU factors a panel. */
typedef struct ga__panel {
  size_t group;   /* work-items, a power of 2 */
  size_t rows;    /* of a work-item, in registers; 0: there are too many */
  size_t columns; /* in registers at a time, a power of 2 */
} ga__panel;

/* The layout of panels of `rows` rows, with at most `columns` columns in
 * registers, of matrices of m rows. */
ga__panel ga__factor_panel(const ga__factor *f, size_t m, size_t rows,
                           size_t columns);

/* Row exchanges in a workspace of int32, [batch, each]. */
typedef struct ga__pivots {
  unsigned int work;
  size_t each;
} ga__pivots;

/* Replace a by its LU factors; f->info is new (lu.c). */
ga__pivots ga__factor_lu(ga__factor *f, const ga__block *a);
/* Whether these are small matrices of a GPU, and the same for them: put the LU
 * factors of `from`, which may be a, into a (lu_small.c). */
int ga__factor_lu_is_small(const ga__factor *f, const ga__block *a);
ga__pivots ga__factor_lu_small(ga__factor *f, const ga__block *from,
                               const ga__block *a);
/* Exchange rows of x by pivots [first, last), or in reversed order. */
void ga__factor_swap(ga__factor *f, const ga__block *x, const ga__pivots *p,
                     size_t first, size_t last, int back);
/* Clamp n pivots to rows below `rows`. */
void ga__factor_clamp(ga__factor *f, unsigned int work, size_t n, size_t rows);
/* QR factors: R in the upper triangle of `a`, below which anything may stand,
 * and what products with the reflectors need. */
typedef struct ga__reflectors {
  ga__block a;
  int by_strips; /* blocks consist of strips in registers */
  size_t width;  /* columns of a block */
  ga__block v;   /* the reflectors of each block, with ones and zeros; what is
                    right of a diagonal block is not set */
  ga__block y;   /* V T of each block, likewise */
  ga__block w;   /* workspace, [columns of a block, columns of x] */
} ga__reflectors;

/* Replace a by its QR factors. Products have x of at most `most` columns
 * (qr.c). */
ga__reflectors ga__factor_qr(ga__factor *f, const ga__block *a, size_t most);
/* x = Q^T x, or x = Q x; with `is_lower` the first rows of x that a block does
 * not touch are the identity's, and so are as many columns. */
void ga__factor_reflect(ga__factor *f, const ga__reflectors *q,
                        const ga__block *x, int trans, int is_lower);
/* x = op(A)^-1 x by LU factors; flags as of ga__factor_op (lu_solve.c). */
void ga__factor_lu_solve(ga__factor *f, const ga__block *lu,
                         const ga__pivots *p, const ga__block *x, int flags);
/* x = L^-H L^-1 x (matrix_solve.c). */
void ga__factor_cholesky_solve(ga__factor *f, const ga__block *l,
                               const ga__block *x);
/* x = op(A)^-1 x, or x = x op(A)^-1, where A is a triangle; flags as for
 * GpuArray_triangular_solve (triangular.c). */
void ga__factor_triangle(ga__factor *f, ga__block a, ga__block x, int flags);
/* x = U^-1 x, where U is the upper triangle of a (triangular.c). */
void ga__factor_backward(ga__factor *f, const ga__block *a, const ga__block *x,
                         int unit);

/* x = L^-1 x, where L is the lower triangle of a, with ones on the diagonal if
 * `unit` (triangular.c). */
void ga__factor_forward(ga__factor *f, const ga__block *a, const ga__block *x,
                        int unit);

#endif

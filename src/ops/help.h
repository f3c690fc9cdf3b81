/* SPDX-License-Identifier: BSD-2-Clause */
/* What ops and their builders have in common; ops.h has it, too. */
#ifndef OPS_HELP_H
#define OPS_HELP_H

#include <gpugraph/op.h>

#include "base/dtype.h"

/* --- help for builders --- */

/* The common dtype of two operands (rules in gpugraph/ops.h). */
int gg__common_dtype(int a, int b);
/* That of a weak scalar, whole or real, beside operands of `dtype`, or alone if
 * that is -1. */
int gg__weak_dtype(int dtype, int is_real);
/* Nonzero if a whole number may become this dtype without wrapping around. */
int gg__weak_fits(double value, int dtype);
/* That of n operands, at least one, weak ones among them. */
int gg__common_dtype_of(unsigned int n, gg_var *const *x);
/* Signed or unsigned; bool does not count. */
static inline int gg__is_integer(int dtype) {
  const ga__kind kind = ga__dtype_kind(dtype);

  return kind == GA_KIND_INT || kind == GA_KIND_UINT;
}
/* float32 for integers and bool, else the dtype itself, also if complex. */
int gg__float_dtype(int dtype);
/* The dtype of the mean of elements of another. */
int gg__mean_dtype(int dtype);
/* g, a gradient, in the dtype of what it belongs to: a real variable gets the
 * real part of a complex one. */
gg_var *gg__cast_gradient(gg_var *g, int dtype);
/* The sum of a b over all elements; of complex numbers the real part of that of
 * conj(a) b. Both have one dtype. */
gg_var *gg__real_product(gg_var *a, gg_var *b);
/* x with `before` new axes of size 1 in front. A constant stays a constant. */
gg_var *gg__pad_rank(gg_var *x, unsigned int before);
/* x with a new axis of size 1 at `axis`. */
gg_var *gg__expand(gg_var *x, unsigned int axis);
/* A scalar constant in the graph and dtype of `like`; NULL gives NULL. */
gg_var *gg__num(gg_var *like, double value);
/* x reshaped to the sizes of `like`, which has as many elements. */
gg_var *gg__reshape_like(gg_var *x, gg_var *like);
/* The positions along an axis of x; the result has size 1 along the other
 * axes. */
gg_var *gg__iota(gg_var *x, int axis);
/* The vector 0, 1, ... n - 1 of an integer scalar n, int64. A negative n is
 * refused, here or in a call; gg_arange takes it for 0. */
gg_var *gg__count_up(gg_var *n);
/* Set *out to `axis` of x, which counts from the end if negative. The error
 * names the op. */
int gg__axis(gg_var *x, const gg_op *op, int axis, unsigned int *out);
/* Record an error of a builder that has no node yet. Returns NULL. */
gg_var *gg__refuse(const gg_op *op, unsigned int n, gg_var *const *in, int code,
                   const char *fmt, ...);

/* Nonzero if v is an integer scalar. Otherwise returns 0 and records an error
 * of `op` with the operand x. */
int gg__check_number(const gg_op *op, gg_var *x, const gg_var *v);

/* Nonzero if none of n operands is NULL. Otherwise records an error that names
 * the op and the first one that is NULL, unless all are NULL. */
int gg__given(const gg_op *op, unsigned int n, gg_var *const *in);
/* Nonzero if x is there. Otherwise the error goes to the graph of the n
 * variables beside it, unless all are NULL. */
int gg__given_beside(const gg_op *op, gg_var *x, unsigned int n,
                     gg_var *const *beside);
/* Nonzero unless `list`, of n items that go with x, is NULL though n > 0. */
int gg__listed(const gg_op *op, gg_var *x, unsigned int n, const void *list);

/* `eval_complex` of ops that return operand 0. */
void gg__eval_same(const double *x, double *y);
/* The stem of a dtype's name in GE_VECTOR code: "float" of w_float. */
const char *gg__stem(int dtype);
/* Prepare a launch of dst[...] = src, with equal shapes, or dst[...] = 0. dst
 * is slot 0, src slot 1. */
int gg__prepare_copy(GpuLaunch **out, gpucontext *ctx, GpuArray *dst,
                     GpuArray *src);
int gg__prepare_zero(GpuLaunch **out, gpucontext *ctx, GpuArray *dst);
/* Output i, and its slot, unless nobody reads it: then NULL. */
GpuArray *gg__wanted_output(const gg_prepare *p, unsigned int i, int slot,
                            int *slot_out);

/* --- first.c: for ops whose result is like their first operand --- */

int gg__infer_first(const gg_apply *a, gg_type *out);
/* Of an elementwise op whose result has the dtype of its second operand. */
int gg__infer_of_second(const gg_apply *a, gg_type *out);
int gg__shape_first(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);
int gg__grad_first(const gg_apply *a, gg_var *const *gout, gg_var **gin);
double gg__eval_first(const double *x);
int gg__destroys_first(const gg_apply *a, unsigned int out);
unsigned int gg__parts_first(const gg_prepare *p);
/* If this part is the one that copies operand 0: prepare it and set *done. */
int gg__prepare_first(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                      int *slot_out, int *done);

/* --- for ops whose sizes are properties, and ops whose sizes calls decide;
 * sizes of GG_ANY are open --- */

/* Set the strides of output 0 of a dimshuffle, in bytes, from those of its
 * input. `item`: bytes of an element; `want`: sizes of the output. */
void gg__dimshuffle_strides(const gg_apply *a, const ssize_t *in, size_t item,
                            const gg_dims *want, ssize_t *out);
/* Set *out to `dims`, which are sizes for the elements of x. At most one of
 * them is open; it is computed. */
int gg__reshaped_dims(const gg_apply *a, unsigned int nd, const int64_t *dims,
                      const gg_dims *x, gg_dims *out);
int gg__reshape_view(const gg_apply *a, unsigned int which, const GpuArray *in,
                     const gg_dims *dims, const double *const *number,
                     const gg_dims *want, GpuArray *out);
int gg__reshape_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin);
/* The type, or the sizes, of x with those in `dims` specified. Fail where they
 * differ. */
int gg__specified_type(const gg_apply *a, const int64_t *dims, gg_type *out);
int gg__specified_dims(const gg_apply *a, const int64_t *dims, const gg_dims *x,
                       gg_dims *out);
int gg__specify_view(const gg_apply *a, unsigned int which, const GpuArray *in,
                     const gg_dims *dims, const double *const *number,
                     const gg_dims *want, GpuArray *out);

/* Whether the elements of x are not 0, as bool, and how many are not
 * (selecting.c). */
gg_var *gg__as_mask(gg_var *x);
gg_var *gg__count_of(gg_var *mask);

/* `connected` of ops that pass no gradients. */
int gg__not_connected(const gg_apply *a, unsigned int in, unsigned int out);

/* `print` of gg__message_props. */
void gg__print_message(const gg_apply *a, char *buf, size_t bytes);

/* --- linalg.c: for products of vectors, matrices, and batches --- */

/* `reference` for operands (x, y) with gg__dot_props, and (first, x, y) with
 * gg__gemm_props. */
int gg__reference_dot(const gg_prepare *p);
int gg__reference_gemm(const gg_prepare *p);
/* `prepare` for operands (first, x, y) with gg__gemm_props. */
int gg__prepare_gemm(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                     int *slot_out);
int gg__post_dot(const gg_prepare *p, const GpuEpilogue *post, void **args,
                 GpuLaunch **out, int *slot_in, unsigned int *slot_post);
int gg__post_gemm(const gg_prepare *p, const GpuEpilogue *post, void **args,
                  GpuLaunch **out, int *slot_in, unsigned int *slot_post);
/* Fails unless the first operand has the sizes of the product. */
int gg__check_first(const gg_apply *a, const gg_dims *first,
                    const gg_dims *product);
void gg__print_alpha(const gg_apply *a, char *buf, size_t bytes);
void gg__print_gemm(const gg_apply *a, char *buf, size_t bytes);
/* x [b, m, n] as a view [b, n, m] (batched.c). */
gg_var *gg__transpose_each(gg_var *x);

#endif

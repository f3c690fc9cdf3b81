/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in ops, for code that recognises them (rewrites, printing) or
 * builds nodes that users do not build themselves. The graph layer may include
 * this. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include <gpugraph/complex.h>
#include <gpugraph/op.h>
#include <gpugraph/ops.h>
#include <gpugraph/save.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "base/err.h"
#include "ops/family.h"
#include "ops/help.h"

/* --- elementwise: no properties; operands have one dtype and rank --- */

#define UNARY(name, ...) extern const gg_op gg__op_##name;
#define BINARY UNARY
#define TERNARY UNARY
#include "ops/elementwise/elementwise.def"
#undef UNARY
#undef BINARY
#undef TERNARY

/* Complex numbers. (re, im): re + i im. (z): a part of z, or its conjugate. */
extern const gg_op gg__op_complex;
extern const gg_op gg__op_real, gg__op_imag, gg__op_conj, gg__op_angle,
    gg__op_magnitude;

/* (bool, a, b) */
extern const gg_op gg__op_where;
/* Properties: gg__cast_props. */
extern const gg_op gg__op_cast;
/* (x): its bits as another dtype of the same size, one of the two floats.
 * Properties: gg__cast_props. */
extern const gg_op gg__op_bit_cast;
/* (like, value): `value`, broadcast to the common shape; only the shape of
 * `like` matters. */
extern const gg_op gg__op_fill;
/* (x): x; gradients stop here. */
extern const gg_op gg__op_stop_gradient;
/* (x): x; its gradient is clipped, scaled or an error. */
extern const gg_op gg__op_clip_gradient;      /* gg__clip_props */
extern const gg_op gg__op_scale_gradient;     /* gg__scale_props */
extern const gg_op gg__op_undefined_gradient; /* gg__message_props */

typedef struct gg__clip_props {
  double lo, hi;
} gg__clip_props;

typedef struct gg__scale_props {
  double factor;
} gg__scale_props;

typedef struct gg__cast_props {
  int dtype;
} gg__cast_props;

/* --- shapes --- */

/* int64, known before anything runs: the size of one axis (gg__axis_props), the
 * number of elements (no properties), and 0, 1, ... n - 1 for the size n of one
 * axis (gg__axis_props). */
extern const gg_op gg__op_shape, gg__op_size, gg__op_iota;
/* (n0, n1 ...): zeros of these sizes, used for their shape alone. */
extern const gg_op gg__op_extent;
/* (n0, n1 ...): the vector of these scalars, int64. */
extern const gg_op gg__op_vector;

/* Views of input 0. reshape_like and part use only the shapes of the others:
 * (x, like), and (joined, x0, x1 ...) for the part of `joined` where x<i> is.
 * The other inputs of reshape_sizes and specify_sizes, (x, n0, n1 ...), are
 * scalars that the host knows: a size for each axis of the result, -1 where it
 * is open. So are those of slice_at (x, start, stop, step) and index_at (x,
 * index); a start or stop of GG_END is open. */
extern const gg_op gg__op_dimshuffle;    /* gg__dimshuffle_props */
extern const gg_op gg__op_reshape;       /* gg__reshape_props */
extern const gg_op gg__op_reshape_like;  /* none */
extern const gg_op gg__op_specify_shape; /* gg__reshape_props */
extern const gg_op gg__op_reshape_sizes; /* none */
extern const gg_op gg__op_specify_sizes; /* none */
extern const gg_op gg__op_slice;         /* gg__slice_props */
extern const gg_op gg__op_index;         /* gg__index_props */
extern const gg_op gg__op_slice_at;      /* gg__axis_props */
extern const gg_op gg__op_index_at;      /* gg__axis_props */
extern const gg_op gg__op_part;          /* gg__part_props */

typedef struct gg__axis_props {
  unsigned int axis;
} gg__axis_props;

typedef struct gg__dimshuffle_props {
  unsigned int nd;        /* of the result */
  int pattern[GG_MAX_ND]; /* -1 past nd, too */
} gg__dimshuffle_props;

typedef struct gg__reshape_props {
  int64_t nd;              /* of the result */
  int64_t dims[GG_MAX_ND]; /* -1: open; 0 past nd */
} gg__reshape_props;

typedef struct gg__slice_props {
  int64_t axis;
  int64_t start, stop, step; /* by Python's rules; GG_END: open */
} gg__slice_props;

typedef struct gg__index_props {
  int64_t axis, index;
} gg__index_props;

typedef struct gg__part_props {
  unsigned int axis, part;
} gg__part_props;

/* Properties are hashed and compared as bytes. */
GA_NO_PADDING(gg__clip_props, 2 * sizeof(double));
GA_NO_PADDING(gg__scale_props, sizeof(double));
GA_NO_PADDING(gg__cast_props, sizeof(int));
GA_NO_PADDING(gg__axis_props, sizeof(int));
GA_NO_PADDING(gg__dimshuffle_props, (1 + GG_MAX_ND) * sizeof(int));
GA_NO_PADDING(gg__reshape_props, (1 + GG_MAX_ND) * sizeof(int64_t));
GA_NO_PADDING(gg__slice_props, 4 * sizeof(int64_t));
GA_NO_PADDING(gg__index_props, 2 * sizeof(int64_t));
GA_NO_PADDING(gg__part_props, 2 * sizeof(int));

/* --- reductions --- */

/* The number of axes in a mask. */
static inline unsigned int gg__count_axes(unsigned int mask) {
  unsigned int n = 0;

  for (; mask != 0; mask &= mask - 1)
    n++;
  return n;
}

extern const gg_op gg__op_reduce; /* gg_reduce_props */
GA_NO_PADDING(gg_reduce_props, 3 * sizeof(int));

/* --- running sums and the like --- */

extern const gg_op gg__op_cumulate;   /* gg__cumulate_props */
extern const gg_op gg__op_recurrence; /* the same without `kind` */

typedef struct gg__cumulate_props {
  unsigned int axis;
  int exclusive, reversed;
  int kind; /* a ga_cumulate_op, less one; of cumulate_by the number n of
               values */
} gg__cumulate_props;
GA_NO_PADDING(gg__cumulate_props, 4 * sizeof(int));

/* (n arrays, n formulas, n scalars): how runs of elements combine, one formula
 * for each value (order/formula.h), and the neutral elements. Formulas and
 * neutral elements become code: nothing reads their values, but they must not
 * be replaced by others of the same shape. gg__cumulate_props. */
extern const gg_op gg__op_cumulate_by;
/* (n arrays): a value of a run of elements, in formulas. */
extern const gg_op gg__op_run_value;

typedef struct gg__run_props {
  unsigned int value;
  int after; /* of two runs, the second one */
  int dtype;
} gg__run_props;
GA_NO_PADDING(gg__run_props, 3 * sizeof(int));

/* --- order --- */

/* (x): x in order, and int64, the positions in order. */
extern const gg_op gg__op_sort, gg__op_argsort; /* gg__sort_props */

typedef struct gg__sort_props {
  unsigned int axis;
  int descending;
} gg__sort_props;
GA_NO_PADDING(gg__sort_props, 2 * sizeof(int));

/* (x, k): the first k elements in order; (x, rank): the element of that rank,
 * with size 1 along the axis (gg__axis_props). Each has two outputs: values,
 * and their positions, int64. */
extern const gg_op gg__op_topk, gg__op_kth;

typedef struct gg__topk_props {
  unsigned int axis;
  int smallest, unsorted;
} gg__topk_props;
GA_NO_PADDING(gg__topk_props, 3 * sizeof(int));

/* (x, rank, ...): x with the elements of these ranks in their places, and the
 * positions that its elements come from, int64. */
extern const gg_op gg__op_partition; /* gg__axis_props */

/* --- under a mask --- */

/* (x, n): where x is not 0, [n] or [n, rank]. */
extern const gg_op gg__op_positions_of; /* gg__positions_props */
/* (x, mask, n): the elements of x under the mask, [n]. */
extern const gg_op gg__op_compress;

typedef struct gg__positions_props {
  int64_t fill;
  int64_t coordinates; /* 0 or 1 */
} gg__positions_props;
GA_NO_PADDING(gg__positions_props, 2 * sizeof(int64_t));

/* --- in edges --- */

/* (edges, x): the number of edges before each element of x, int64. */
extern const gg_op gg__op_searchsorted; /* gg__search_props */

typedef struct gg__search_props {
  int right; /* edges that equal the element count, too */
} gg__search_props;
GA_NO_PADDING(gg__search_props, sizeof(int));

/* (x, n) and (x, edges), then weights, if there are any: how many elements each
 * bin has, int64, or the sums of their weights, in the dtype of these. */
extern const gg_op gg__op_bincount, gg__op_histogram;

/* --- kernels --- */

/* alpha a . b for ranks (2,2), (2,1), (1,2) and, with alpha 1 only, (1,1). */
extern const gg_op gg__op_dot; /* gg__dot_props */
/* beta C + alpha A B, (C, A, B): C [m, n], A [m, k], B [k, n]. */
extern const gg_op gg__op_gemm; /* gg__gemm_props */
/* beta y + alpha A x, (y, A, x): y [m], A [m, n], x [n]. */
extern const gg_op gg__op_gemv; /* gg__gemm_props */
/* A + alpha x y^T, (A, x, y): A [m, n], x [m], y [n]. */
extern const gg_op gg__op_ger; /* gg__dot_props */
/* alpha A B for each matrix of a batch: A [b, m, k], B [b, k, n]. */
extern const gg_op gg__op_batched_dot; /* gg__dot_props */
/* The same for each matrix of a batch, (C, A, B): C [b, m, n]. */
extern const gg_op gg__op_batched_gemm; /* gg__gemm_props */

typedef struct gg__dot_props {
  double alpha;
} gg__dot_props;

typedef struct gg__gemm_props {
  double alpha, beta;
} gg__gemm_props;

GA_NO_PADDING(gg__dot_props, sizeof(double));
GA_NO_PADDING(gg__gemm_props, 2 * sizeof(double));

/* (x): pooling; the gradient of maxima, (g, indices, like), and that of means,
 * (g, like). Of `like`, the source, only the shape matters. */
extern const gg_op gg__op_pool_max, gg__op_pool_indices, gg__op_pool_pick;
extern const gg_op gg__op_pool_mean, gg__op_pool_mean_back;

typedef struct gg__pooling_props {
  int64_t nd; /* pooled axes; elements beyond are 0 */
  int64_t size[3], stride[3], dilation[3], before[3], after[3];
  int64_t flags;
} gg__pooling_props;

GA_NO_PADDING(gg__pooling_props, 17 * sizeof(int64_t));

/* (x, regions, images): the largest element of each part of regions, and its
 * place in the flattened x, -1 if the part is empty (gg_roi_pool). x [images,
 * channels, rows, columns], regions [n, 4], images int64[n]. */
extern const gg_op gg__op_roi_pool;

typedef struct gg__roi_props {
  int64_t rows, columns; /* parts of a region, 1 to 2^20 */
  double scale;
} gg__roi_props;

GA_NO_PADDING(gg__roi_props, 2 * sizeof(int64_t) + sizeof(double));

/* (x, like): x resized to the last sizes of `like`, and the gradient of that,
 * (g, like), where `like` is the source. Only shapes of `like` matter. */
extern const gg_op gg__op_resize, gg__op_resize_back;

typedef struct gg__resize_props {
  int nd;                /* resized axes; elements beyond are 0 */
  int mode, rule, round; /* ga_resize_mode and so on */
  int antialias, exclude_outside;
  double cubic;
  double scale[3], start[3], end[3];
} gg__resize_props;

GA_NO_PADDING(gg__resize_props, 6 * sizeof(int) + 10 * sizeof(double));

/* (x, w), and the gradients of that: (y, w, x) by x, (x, y, w) by w. Of the
 * third operand only the shape matters. */
extern const gg_op gg__op_conv, gg__op_conv_input, gg__op_conv_filters;

typedef struct gg__conv_props {
  int64_t nd; /* spatial dimensions; elements beyond are 0 */
  int64_t stride[3], dilation[3], before[3], after[3];
  int64_t groups, flip;
} gg__conv_props;

GA_NO_PADDING(gg__conv_props, 15 * sizeof(int64_t));

/* (a), and (a, b): factors of matrices, and solving with triangles. */
extern const gg_op gg__op_cholesky, gg__op_triangular_solve;

typedef struct gg__factor_props {
  int upper, trans, conj_trans, right, unit; /* flags of gpuarray/factor.h */
} gg__factor_props;

GA_NO_PADDING(gg__factor_props, 5 * sizeof(int));

/* (l, g), where g is the gradient by the factor l: T = L^-H P L^-1, where P is
 * Hermitian, and its lower triangle is that of L^H tril(G). The gradient by an
 * element that l comes from is that of T, or half of it on the diagonal. */
extern const gg_op gg__op_cholesky_gradient;

typedef struct gg__triangle_props {
  int upper;
} gg__triangle_props;

/* (a): LU factors, pivots, the order of rows. */
extern const gg_op gg__op_lu;
/* (a, lu, pivots, b): solve by the factors of a. The elements of a are not
 * read, but it gets the gradient of its factors. */
extern const gg_op gg__op_lu_solve;

typedef struct gg__lu_solve_props {
  int trans;
} gg__lu_solve_props;

GA_NO_PADDING(gg__lu_solve_props, sizeof(int));

/* (diagonals, b): the solution with a banded matrix. */
extern const gg_op gg__op_solve_banded;

typedef struct gg__banded_props {
  unsigned int lower; /* diagonals below the main one */
  int trans;
} gg__banded_props;

GA_NO_PADDING(gg__banded_props, 2 * sizeof(int));

/* (a): QR factors Q and R; with column pivots also their order. */
extern const gg_op gg__op_qr, gg__op_qr_pivoted;

typedef struct gg__qr_props {
  int full;
} gg__qr_props;

GA_NO_PADDING(gg__qr_props, sizeof(int));

/* (a): eigenvalues and eigenvectors of a symmetric matrix. */
extern const gg_op gg__op_eigh;
/* (a): complex eigenvalues and eigenvectors of any square matrix. */
extern const gg_op gg__op_eig;

/* (a): left vectors, singular values and transposed right vectors. */
extern const gg_op gg__op_svd, gg__op_svd_full;

/* (a, limit): the pseudo-inverse; singular values up to that part of the
 * largest one count as 0. */
extern const gg_op gg__op_pinv;
/* (a): the determinant. */
extern const gg_op gg__op_det;
/* (a): the exponential. */
extern const gg_op gg__op_matrix_exp;

typedef struct gg__eigh_props {
  int upper;
} gg__eigh_props;

GA_NO_PADDING(gg__eigh_props, sizeof(int));

/* (starts, columns, values, b): a sparse matrix times a vector or a matrix. */
extern const gg_op gg__op_csr_dot;

/* (x complex), and (x real): Fourier transforms; the latter has half of its
 * result. (x complex, n): the inverse of that. The real ones have one axis. */
extern const gg_op gg__op_fft, gg__op_rfft, gg__op_irfft;

typedef struct gg__fft_props {
  unsigned int axes;           /* bit i for axis i */
  int inverse, ortho, forward; /* flags of gpuarray/fft.h */
} gg__fft_props;

GA_NO_PADDING(gg__fft_props, 4 * sizeof(int));

#define GG_MAX_JOIN 64          /* operands at most */
extern const gg_op gg__op_join; /* gg__axis_props */
/* (x, index): elements or slices along an axis (picks.h). gg__axis_props. */
extern const gg_op gg__op_take;
/* (x, g): zeros in the shape of x, with g at the slice. gg__slice_props. */
extern const gg_op gg__op_slice_grad;
/* (x, v): x with v at the slice. gg__slice_props. */
extern const gg_op gg__op_slice_set;
/* The same with start, stop and step as further operands: gg__axis_props. */
extern const gg_op gg__op_slice_grad_at, gg__op_slice_set_at;
/* (x, index, v): x with v put where take would read. gg__put_props. */
extern const gg_op gg__op_put;

typedef struct gg__put_props {
  unsigned int axis;
  int how; /* gg_put_op */
} gg__put_props;

GA_NO_PADDING(gg__put_props, 2 * sizeof(int));

/* --- showing and checking values (inspect.c) --- */

extern const gg_op gg__op_print;  /* (x): x; gg__message_props */
extern const gg_op gg__op_assert; /* (x, bool): x; gg__message_props */

/* (index, x): index, whose elements are checked to be positions along an
 * axis of x; gg__bounds_props. The host checks in check_index, a kernel in
 * guard_index (see "index guard" in docs/glossary.md). Rewriting makes these
 * nodes (rw_bounds.c). */
extern const gg_op gg__op_check_index, gg__op_guard_index;
/* (edges): edges, which the host checks to ascend along the last axis;
 * gg__bounds_props, of which only `who` counts. What searches among edges has a
 * kernel that checks them, too. */
extern const gg_op gg__op_check_edges;

typedef struct gg__message_props {
  char text[128]; /* zeros behind it */
} gg__message_props;
/* Set *p to `text`. Returns 0 and records an error if it is too long. */
int gg__message(gg__message_props *p, const gg_op *op, unsigned int n,
                gg_var *const *in, const char *text);

typedef struct gg__bounds_props {
  int64_t axis, from_end; /* nonzero: negative indices count from the end */
  char who[32]; /* name of the op that uses the indices; zeros behind it */
} gg__bounds_props;

GA_NO_PADDING(gg__message_props, 128);
GA_NO_PADDING(gg__bounds_props, 2 * sizeof(int64_t) + 32);

/* `op` is gg__op_check_index or gg__op_guard_index; `x` has the axis. */
gg_var *gg__check_index(const gg_op *op, const char *who, gg_var *index,
                        gg_var *x, int64_t axis, int64_t from_end);
gg_var *gg__check_edges(const char *who, gg_var *edges);

/* --- macros --- */

/* (x, index, g): zeros in the shape of x, with g added where take reads.
 * gg__axis_props. */
extern const gg_op gg__op_take_grad;
extern const gg_op gg__op_softmax;           /* (z) */
extern const gg_op gg__op_log_softmax;       /* (z) */
extern const gg_op gg__op_softmax_grad;      /* (dp, p): p (dp - sum(dp p)) */
extern const gg_op gg__op_crossentropy;      /* (p, y): -log p[i, y[i]] */
extern const gg_op gg__op_crossentropy_grad; /* (g, p, y): -g / p at y */
/* (z, y): crossentropy(softmax(z), y) */
extern const gg_op gg__op_softmax_xent;
/* (g, z, y): (softmax(z) - onehot(y)) g */
extern const gg_op gg__op_softmax_xent_grad;

/* Builders of macros that rewrites and gradients use. */
gg_var *gg__softmax_grad(gg_var *dp, gg_var *p);
gg_var *gg__crossentropy_grad(gg_var *g, gg_var *p, gg_var *y);
gg_var *gg__softmax_xent(gg_var *z, gg_var *y);
gg_var *gg__softmax_xent_grad(gg_var *g, gg_var *z, gg_var *y);

/* --- help for gradients --- */

/* Give a gradient g the shape and dtype of `like`: sum it over the axes where
 * `like` has size 1 and g may not, and broadcast it along the others. */
gg_var *gg__unbroadcast(gg_var *g, gg_var *like);
/* g, which has the shape of a reduction of x by `p`, broadcast to the shape of
 * x. */
gg_var *gg__spread(gg_var *g, gg_var *x, const gg_reduce_props *p);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors, and what is solved with them: equations, inverses. */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <gpugraph/create.h>
#include <gpugraph/gather.h>
#include <gpugraph/linalg.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "ops/linalg/matrices.h"

/* Outputs of lu, and inputs of lu_solve. */
enum { FACTORS, PIVOTS, ORDER, RESULTS };
enum {
  KINDS = GA_FACTOR_POSITIVE | GA_FACTOR_TRIANGULAR | GA_FACTOR_SYMMETRIC |
          GA_FACTOR_HERMITIAN
};
enum { MATRIX, SOLVE_FACTORS, SOLVE_PIVOTS, RIGHT_SIDE, OPERANDS };

/* --- lu --- */

static int infer_lu(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  GA_TRY(gg__check_matrix(a));
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  for (int i = 0; i < RESULTS; i++) {
    out[i] = *x;
    if (i == FACTORS)
      continue;
    out[i].dtype = GA_INT;
    out[i].nd = x->nd - 1;
    out[i].dims[x->nd - 1] = 0;
    out[i].dims[x->nd - 2] = i == ORDER ? m : gg__least_size(m, n);
  }
  return GA_NO_ERROR;
}

static int shape_lu(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  const unsigned int nd = in[0].nd;
  const size_t m = in[0].dim[nd - 2], n = in[0].dim[nd - 1];

  (void)a;
  (void)host;
  for (int i = 0; i < RESULTS; i++)
    out[i] = in[0];
  out[PIVOTS].nd = out[ORDER].nd = nd - 1;
  out[PIVOTS].dim[nd - 2] = m < n ? m : n;
  return GA_NO_ERROR;
}

static int connected_lu(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)in;
  return out == FACTORS;
}

static gg_var *triangular(gg_var *lu, gg_var *x, int flags) {
  return gg_triangular_solve(lu, x, flags);
}

/* The order of rows as an index along axis -2 of matrices. */
static gg_var *row_index(const gg_apply *a) {
  return gg__expand(a->out[ORDER], gg__rank_of(a->out[ORDER]));
}

/* G L^-T, and so on, where L has ones on its diagonal. */
static gg_var *by_lower(const gg__blocks *lu, gg_var *x, int trans) {
  return triangular(lu->square, x, trans | GA_FACTOR_UNIT);
}

static gg_var *by_upper(const gg__blocks *lu, gg_var *x, int trans) {
  return triangular(lu->square, x, trans | GA_FACTOR_UPPER | GA_FACTOR_RIGHT);
}

static gg_var *times(gg_var *a, gg_var *b) {
  return gg__multiply_each(a, b);
}

/* With P^T A = L U, where G is the gradient by the square block of the factors,
 * V is right of it and K is below it, the gradient is P times
 *
 *   L^-T (tril(L^T G - Gv V^T, -1) + triu(G U^T - K^T Gk)) U^-T    L^-T Gv
 *   Gk U^-T
 *
 * as in PyTorch (lu_factor_ex_backward, plu_backward). */
static int grad_lu(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (gout[FACTORS] == NULL)
    return GA_NO_ERROR;
  gg_var *const lu = a->out[FACTORS];
  const gg__blocks f = gg__blocks_like(lu, lu);
  gg__blocks g = gg__blocks_like(gout[FACTORS], lu);
  gg_var *const below = gg_tril(g.square, -1);
  gg_var *l = gg_add(times(gg__swap_last(gg_tril(f.square, -1)), below), below);
  gg_var *u = times(gg_triu(g.square, 0), gg__swap_last(gg_triu(f.square, 0)));
  if (f.right != NULL)
    l = gg_sub(l, times(g.right, gg__swap_last(f.right)));
  if (f.below != NULL)
    u = gg_sub(u, times(gg__swap_last(f.below), g.below));
  gg_var *const inner = gg_add(gg_tril(l, -1), gg_triu(u, 0));

  g.square =
      by_upper(&f, by_lower(&f, inner, GA_FACTOR_TRANS), GA_FACTOR_TRANS);
  if (g.right != NULL)
    g.right = by_lower(&f, g.right, GA_FACTOR_TRANS);
  if (g.below != NULL)
    g.below = by_upper(&f, g.below, GA_FACTOR_TRANS);
  gg_var *const x = gg__join_blocks(&g, a->in[0]);
  gin[0] = gg_put_along(gg_zeros_like(x), -2, row_index(a), x, GG_PUT_SET);
  return GA_NO_ERROR;
}

/* With F = L^-1 P^T dA U^-1, the derivative is L tril(F, -1) + triu(F) U; right
 * of the square block L^-1 P^T dA - tril(F, -1) V, and below it
 * P^T dA U^-1 - K triu(F), as in PyTorch (lu_factor_ex_jvp). */
static int rop_lu(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const factors = a->out[FACTORS];
  const gg__blocks lu = gg__blocks_like(factors, factors);
  gg__blocks d =
      gg__blocks_like(gg_take_along(din[0], -2, row_index(a)), factors);
  gg_var *const f = by_upper(&lu, by_lower(&lu, d.square, 0), 0);
  gg_var *const below = gg_tril(f, -1), *const above = gg_triu(f, 0);

  d.square = gg_add(gg_add(below, times(gg_tril(lu.square, -1), below)),
                    times(above, gg_triu(lu.square, 0)));
  if (d.right != NULL)
    d.right = gg_sub(by_lower(&lu, d.right, 0), times(below, lu.right));
  if (d.below != NULL)
    d.below = gg_sub(by_upper(&lu, d.below, 0), times(lu.below, above));
  dout[FACTORS] = gg__join_blocks(&d, a->in[0]);
  return GA_NO_ERROR;
}

static int prepare_lu(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                      int *slot_out) {
  slot_in[0] = 0;
  for (int i = 0; i < RESULTS; i++)
    slot_out[i] = i + 1;
  return GpuArray_lu_prepare(out, p->out[FACTORS], p->out[PIVOTS],
                             p->out[ORDER], NULL, p->in[0]);
}

static int destroys_lu(const gg_apply *a, unsigned int out) {
  (void)a;
  return out == FACTORS ? 0 : -1;
}

static void exchange(double *x, size_t n, size_t i, size_t k) {
  for (size_t j = 0; j < n; j++) {
    const double t = x[i * n + j];

    x[i * n + j] = x[k * n + j];
    x[k * n + j] = t;
  }
}

/* Of complex numbers the sum of the sizes of the parts, as in LAPACK. */
static double pivot_size(const double *x, size_t parts) {
  return fabs(x[0]) + (parts == 2 ? fabs(x[1]) : 0);
}

/* The row from k on with the pivot of column k. A NaN is none. */
static size_t find_pivot(const double *x, size_t m, size_t n, size_t k,
                         size_t parts) {
  double most = -1;
  size_t p = k;

  for (size_t i = k; i < m; i++) {
    const double size = pivot_size(x + (i * n + k) * parts, parts);

    if (size > most) {
      most = size;
      p = i;
    }
  }
  return p;
}

/* Factor one matrix, and set its pivots. */
static void factor_matrix(double *x, size_t m, size_t n, size_t parts,
                          int32_t *pivots) {
  for (size_t k = 0; k < m && k < n; k++) {
    const double *const row = x + k * n * parts, *const d = row + k * parts;
    const size_t p = find_pivot(x, m, n, k, parts);

    pivots[k] = (int32_t)p;
    exchange(x, n * parts, k, p);
    for (size_t i = k + 1; i < m && pivot_size(d, parts) != 0; i++) {
      double *const to = x + i * n * parts, *const f = to + k * parts;

      gg__host_divide(f, d, parts, 0);
      for (size_t j = k + 1; j < n; j++)
        gg__host_subtract(to + j * parts, f, row + j * parts, parts, 0);
    }
  }
}

static void order_rows(int32_t *order, size_t m, const int32_t *pivots,
                       size_t n) {
  for (size_t i = 0; i < m; i++)
    order[i] = (int32_t)i;
  for (size_t k = 0; k < n; k++) {
    const int32_t t = order[k];

    order[k] = order[pivots[k]];
    order[pivots[k]] = t;
  }
}

static int reference_lu(const gg_prepare *p) {
  gg__host_matrices x = {.v = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&x, p, 0));
  const size_t least = x.m < x.n ? x.m : x.n;
  for (size_t z = 0; z < x.batch; z++) {
    int32_t *const pivots = (int32_t *)p->to[PIVOTS] + z * least;

    factor_matrix(x.v + z * x.m * x.n * x.parts, x.m, x.n, x.parts, pivots);
    order_rows((int32_t *)p->to[ORDER] + z * x.m, x.m, pivots, least);
  }
  gg__matrices_write(&x, p, FACTORS);

done:
  gg__matrices_clear(&x);
  return err;
}

const gg_op gg__op_lu = {.name = "lu",
                         .kind = GG_OP_KERNEL,
                         .complex_use = GG_ANALYTIC,
                         .n_out = RESULTS,
                         .infer = infer_lu,
                         .shape = shape_lu,
                         .grad = grad_lu,
                         .rop = rop_lu,
                         .connected = connected_lu,
                         .prepare = prepare_lu,
                         .destroys = destroys_lu,
                         .reference = reference_lu};

/* --- lu_solve --- */

static int is_trans(const gg_apply *a) {
  const gg__lu_solve_props *p = a->props;

  return p->trans;
}

static gg_var *lu_solve(gg_var *const in[OPERANDS], int trans) {
  const gg__lu_solve_props p = {trans};

  return gg_op_apply(NULL, &gg__op_lu_solve, &p, OPERANDS, in);
}

static int check_solve(const gg_apply *a) {
  GA_TRY(gg__check_square(a, MATRIX));
  GA_TRY(gg__check_square(a, SOLVE_FACTORS));
  GA_TRY(gg__check_batches(a, MATRIX, SOLVE_FACTORS));
  GA_TRY(gg__check_batches(a, MATRIX, RIGHT_SIDE));
  if (gg__rank(a, SOLVE_PIVOTS) + 1 != gg__rank(a, MATRIX) ||
      gg_var_type(a->in[SOLVE_PIVOTS])->dtype != GA_INT)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected pivots of int32 with %u dimensions",
                      gg__rank(a, MATRIX) - 1);
  return GA_NO_ERROR;
}

static int infer_solve(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[MATRIX]);
  const int64_t n = x->dims[x->nd - 2];

  *out = *gg_var_type(a->in[RIGHT_SIDE]);
  if (n != GG_ANY && out->dims[x->nd - 2] != GG_ANY &&
      n != out->dims[x->nd - 2])
    return gg_op_fail(a, GA_VALUE_ERROR, "sizes %lld and %lld differ",
                      (long long)n, (long long)out->dims[x->nd - 2]);
  return GA_NO_ERROR;
}

static int shape_solve(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const gg_dims *x = &in[MATRIX], *b = &in[RIGHT_SIDE];

  (void)host;
  GA_TRY(gg__check_square_dims(a, x));
  for (unsigned int d = 0; d < x->nd; d++)
    if (in[SOLVE_FACTORS].dim[d] != x->dim[d] ||
        (d + 1 < x->nd && in[SOLVE_PIVOTS].dim[d] != x->dim[d]))
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: factors or pivots are not those of the matrix",
                        d);
  GA_TRY(gg__check_batch_dims(a, x, b));
  if (x->dim[x->nd - 2] != b->dim[x->nd - 2])
    return gg_op_fail(a, GA_VALUE_ERROR, "sizes %zu and %zu differ",
                      x->dim[x->nd - 2], b->dim[x->nd - 2]);
  *out = *b;
  return GA_NO_ERROR;
}

/* Gradients pass to the matrix itself. So its factors, which follow from it,
 * get none. */
static int connected_solve(const gg_apply *a, unsigned int in,
                           unsigned int out) {
  (void)a;
  (void)out;
  return in == MATRIX || in == RIGHT_SIDE;
}

/* With H = A^-T G, which is the gradient by B, the one by A is -H X^T. */
static int grad_solve(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const x = a->out[0];
  gg_var *const in[OPERANDS] = {a->in[MATRIX], a->in[SOLVE_FACTORS],
                                a->in[SOLVE_PIVOTS], gout[0]};
  gg_var *const h = lu_solve(in, !is_trans(a));
  gg_var *const left = is_trans(a) ? x : h, *const right = is_trans(a) ? h : x;

  gin[MATRIX] = gg_neg(gg__multiply_each(left, gg__swap_last(right)));
  gin[RIGHT_SIDE] = h;
  return GA_NO_ERROR;
}

/* dX = A^-1 (dB - dA X). */
static int rop_solve(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *in[OPERANDS] = {a->in[MATRIX], a->in[SOLVE_FACTORS],
                          a->in[SOLVE_PIVOTS], din[RIGHT_SIDE]};

  if (din[MATRIX] != NULL) {
    gg_var *const d = is_trans(a) ? gg__swap_last(din[MATRIX]) : din[MATRIX];
    gg_var *const product = gg__multiply_each(d, a->out[0]);

    in[RIGHT_SIDE] = in[RIGHT_SIDE] != NULL ? gg_sub(in[RIGHT_SIDE], product)
                                            : gg_neg(product);
  }
  if (in[RIGHT_SIDE] != NULL)
    dout[0] = lu_solve(in, is_trans(a));
  return GA_NO_ERROR;
}

static int prepare_solve(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                         int *slot_out) {
  slot_in[SOLVE_FACTORS] = 0;
  slot_in[SOLVE_PIVOTS] = 1;
  slot_in[RIGHT_SIDE] = 2;
  slot_out[0] = 3;
  return GpuArray_lu_solve_prepare(out, p->out[0], p->in[SOLVE_FACTORS],
                                   p->in[SOLVE_PIVOTS], p->in[RIGHT_SIDE],
                                   is_trans(p->apply) ? GA_FACTOR_TRANS : 0);
}

static int destroys_right_side(const gg_apply *a, unsigned int out) {
  (void)a;
  (void)out;
  return RIGHT_SIDE;
}

/* x = A^-1 x or A^-T x: rows, then one triangle, then the other one. */
static void solve_matrix(const double *lu, size_t n, const int32_t *pivots,
                         double *x, size_t r, size_t parts, int trans) {
  for (size_t k = 0; !trans && k < n; k++)
    exchange(x, r * parts, k, (size_t)pivots[k]);
  for (int pass = 0; pass < 2; pass++)
    for (size_t s = 0; s < n; s++) {
      const size_t i = pass == 0 ? s : n - 1 - s;

      for (size_t c = 0; c < r; c++) {
        double *const to = x + (i * r + c) * parts;

        for (size_t t = 0; t < s; t++) {
          const size_t j = pass == 0 ? t : n - 1 - t;
          gg__host_subtract(to, lu + (trans ? j * n + i : i * n + j) * parts,
                            x + (j * r + c) * parts, parts, 0);
        }
        if (pass == !trans)
          gg__host_divide(to, lu + (i * n + i) * parts, parts, 0);
      }
    }
  for (size_t k = n; trans && k-- > 0;)
    exchange(x, r * parts, k, (size_t)pivots[k]);
}

static int reference_solve(const gg_prepare *p) {
  gg__host_matrices lu = {.v = NULL}, x = {.v = NULL};
  const int32_t *pivots = p->from[SOLVE_PIVOTS];
  int err;

  GA_CHECK(gg__matrices_read(&lu, p, SOLVE_FACTORS));
  GA_CHECK(gg__matrices_read(&x, p, RIGHT_SIDE));
  for (size_t i = 0; i < lu.batch * lu.n; i++)
    if (pivots[i] < 0 || (size_t)pivots[i] >= lu.n)
      GA_CHECK(ga__fail(GA_VALUE_ERROR, "lu_solve: pivot %d of %zu rows",
                        pivots[i], lu.n));
  for (size_t z = 0; z < x.batch; z++)
    solve_matrix(lu.v + z * lu.n * lu.n * lu.parts, lu.n, pivots + z * lu.n,
                 x.v + z * x.m * x.n * x.parts, x.n, x.parts,
                 is_trans(p->apply));
  gg__matrices_write(&x, p, 0);

done:
  gg__matrices_clear(&lu);
  gg__matrices_clear(&x);
  return err;
}

static void print_solve(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", is_trans(a) ? "trans" : "");
}

const gg_op gg__op_lu_solve = {.name = "lu_solve",
                               .kind = GG_OP_KERNEL,
                               .complex_use = GG_ANALYTIC,
                               .props_bytes = sizeof(gg__lu_solve_props),
                               .n_out = 1,
                               .infer = infer_solve,
                               .shape = shape_solve,
                               .grad = grad_solve,
                               .rop = rop_solve,
                               .connected = connected_solve,
                               .prepare = prepare_solve,
                               .destroys = destroys_right_side,
                               .reference = reference_solve,
                               .print = print_solve};

/* --- builders --- */

/* Output 0 of a new node. */
static gg_var *lu(gg_var *a) {
  return gg__apply_checked(&gg__op_lu, NULL, 1, &a, gg__check_matrix);
}

static gg_var *output(gg_var *first, unsigned int i) {
  return gg_var_owner(first)->out[i];
}

int gg_lu(gg_var **factors, gg_var **pivots, gg_var **order, gg_var *a) {
  gg_var *const first = gg__as_matrices(&gg__op_lu, 1, &a) ? lu(a) : NULL;
  gg_var **const out[RESULTS] = {factors, pivots, order};

  for (unsigned int i = 0; i < RESULTS; i++)
    if (out[i] != NULL)
      *out[i] = first != NULL ? output(first, i) : NULL;
  return first != NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
}

/* Solve by LU factors. */
static gg_var *solve_by_lu(gg_var *a, gg_var *b, int flags) {
  gg_var *const factors = lu(a);
  const gg__lu_solve_props p = {(flags & GA_FACTOR_TRANS) != 0};

  if (factors == NULL)
    return NULL;
  gg_var *const in[OPERANDS] = {a, factors, output(factors, PIVOTS), b};
  return gg__apply_checked(&gg__op_lu_solve, &p, OPERANDS, in, check_solve);
}

/* The matrix of which one triangle is read, and the other one its mirror image,
 * conjugated and with a real diagonal for Hermitian ones. */
static gg_var *mirrored(gg_var *a, int flags) {
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  const int is_hermitian = (flags & GA_FACTOR_HERMITIAN) != 0 &&
                           ga__dtype_is_complex(gg_var_type(a)->dtype);
  gg_var *const part = gg__triangle_of(a, is_upper, 1);
  gg_var *const image = is_hermitian ? gg__adjoint(part) : gg__swap_last(part);
  gg_var *diagonal = gg_tril(gg_triu(a, 0), 0);

  if (is_hermitian)
    diagonal = gg_cast(gg_real(diagonal), gg_var_type(a)->dtype);
  return gg_add(gg_add(part, image), diagonal);
}

static gg_var *solve_matrices(gg_var *a, gg_var *b, int flags) {
  const int kind = flags & KINDS, rest = flags & ~kind;

  if (kind == GA_FACTOR_TRIANGULAR)
    return gg_triangular_solve(a, b, rest);
  if (kind == GA_FACTOR_POSITIVE) {
    const int form = rest & GA_FACTOR_UPPER;
    gg_var *const l = gg_cholesky(a, form);
    /* The transpose is the conjugate, and the conjugate transpose the same. */
    return rest & GA_FACTOR_TRANS
               ? gg_conj(gg_cholesky_solve(l, gg_conj(b), form))
               : gg_cholesky_solve(l, b, form);
  }
  gg_var *const whole = kind != 0 ? mirrored(a, flags) : a;

  return rest & GA_FACTOR_CONJ_TRANS
             ? gg_conj(solve_by_lu(whole, gg_conj(b), GA_FACTOR_TRANS))
             : solve_by_lu(whole, b, flags);
}

static int check_flags(const gg_op *op, unsigned int n, gg_var *const *in,
                       int flags) {
  const int kind = flags & KINDS;
  const int trans = GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS;
  const int known = kind | trans | (kind != 0 ? GA_FACTOR_UPPER : 0) |
                    (kind == GA_FACTOR_TRIANGULAR ? GA_FACTOR_UNIT : 0);

  if ((flags & ~known) == 0 && (flags & trans) != trans &&
      (kind & (kind - 1)) == 0)
    return 1;
  gg__refuse(op, n, in, GA_VALUE_ERROR, "flags %#x do not go together",
             (unsigned int)flags);
  return 0;
}

gg_var *gg_solve(gg_var *a, gg_var *b, int flags) {
  const gg_op *const op = GG_CALLED("solve");
  gg_var *in[2] = {a, b};

  if (!gg__as_matrices(op, 2, in) || !check_flags(op, 2, in, flags))
    return NULL;
  const unsigned int nd = gg__rank_of(b);
  const int is_vector = nd >= 1 && nd + 1 == gg__rank_of(a);
  if (is_vector)
    in[1] = gg__expand(in[1], nd);
  gg_var *const x = solve_matrices(in[0], in[1], flags);
  return is_vector && x != NULL ? gg_squeeze(x, (int)nd) : x;
}

gg_var *gg_inverse(gg_var *a, int flags) {
  const gg_op *const op = GG_CALLED("inverse");

  if (!gg__as_matrices(op, 1, &a) || !check_flags(op, 1, &a, flags))
    return NULL;
  if (gg__rank_of(a) < 2)
    return gg__refuse(op, 1, &a, GA_VALUE_ERROR, "expected a matrix");
  return solve_matrices(a, gg__identity_like(a), flags);
}

/* --- in texts and files --- */

static const gg_field solve_fields[] = {
    {GG_FIELD("trans", FLAG, gg__lu_solve_props, trans), .optional = 1}};

const gg_op_form gg__forms_lu_nodes[] = {
    GG_FORM(lu, "f", gg__check_matrix),
    GG_FORM_PROPS(lu_solve, "FFiF", solve_fields, check_solve), GG_FORMS_END};

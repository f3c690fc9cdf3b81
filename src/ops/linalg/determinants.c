/* SPDX-License-Identifier: BSD-2-Clause */
/* Determinants, from LU factors. They are a macro of their own, since their
 * derivatives are finite where those of the factors are not: for singular
 * matrices. */
#include <gpugraph/grad.h>
#include <gpugraph/linalg.h>

#include "ops/linalg/matrices.h"

enum { MATRIX, FACTORS, PIVOTS, RIGHT_SIDE, OPERANDS };

/* --- shapes --- */

static int check_det(const gg_apply *a) {
  return gg__check_square(a, 0);
}

static int infer_det(const gg_apply *a, gg_type *out) {
  GA_TRY(check_det(a));
  *out = *gg_var_type(a->in[0]);
  out->nd -= 2;
  out->dims[out->nd] = out->dims[out->nd + 1] = 0;
  return GA_NO_ERROR;
}

static int shape_det(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  GA_TRY(gg__check_square_dims(a, &in[0]));
  *out = in[0];
  out->nd -= 2;
  return GA_NO_ERROR;
}

/* --- from factors --- */

static gg_var *product_of(gg_var *x) {
  const int last = -1;

  return gg_reduce(GG_PROD, x, 1, &last, 0);
}

/* The sign of row exchanges, in a dtype. */
static gg_var *parity_of(gg_var *pivots, int dtype) {
  gg_var *const moved =
      gg_cast(gg_ne(gg_cast(pivots, GA_LONG), gg_positions(pivots, -1)), dtype);

  return product_of(
      gg_sub(gg__num(moved, 1), gg_mul(gg__num(moved, 2), moved)));
}

static gg_var *diagonal_of(gg_var *x) {
  return gg__square_diagonal(x, gg__rank_of(x) - 2, gg__rank_of(x) - 1);
}

static gg_var *is_zero(gg_var *x) {
  return gg_eq(x, gg__num(x, 0));
}

/* What stands for pivots that are 0: the largest element of the matrix times
 * the distance of 1 from the next number, [..., 1]. */
static gg_var *least_pivot(gg_var *x) {
  const int dtype = gg_var_type(x)->dtype;
  gg_var *const most = gg__largest(gg__largest(gg_abs(x), 0), 1);
  gg_var *const scale = gg_where(is_zero(most), gg__num(most, 1), most);

  return gg_stop_gradient(
      gg_cast(gg_mul(scale, gg__num(scale, ga__dtype_epsilon(dtype))), dtype));
}

/* The cofactors det(A) A^-T. Of a singular A they are those of a matrix nearby,
 * A with `least` instead of pivots of 0. */
static gg_var *cofactors_of(gg_var *x) {
  const gg__lu_solve_props trans = {1};
  gg_var *factors, *pivots;

  if (gg_lu(&factors, &pivots, NULL, x) != GA_NO_ERROR)
    return NULL;
  gg_var *const least = least_pivot(x);
  gg_var *const d = diagonal_of(factors);
  gg_var *const det = gg_mul(product_of(gg_where(is_zero(d), least, d)),
                             parity_of(pivots, gg_var_type(x)->dtype));
  gg_var *const is_pivot =
      gg_eq(gg_positions(factors, -1), gg_positions(factors, -2));
  gg_var *const in[OPERANDS] = {
      x,
      gg_where(gg_and(is_pivot, is_zero(factors)),
               gg__expand(least, gg__rank_of(least)), factors),
      pivots,
      gg_mul(gg__identity_like(x), gg__expand(gg__expand(det, gg__rank_of(det)),
                                              gg__rank_of(det) + 1))};

  return gg_op_apply(NULL, &gg__op_lu_solve, &trans, OPERANDS, in);
}

/* --- derivatives --- */

static int grad_det(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const unsigned int nd = gg__rank_of(gout[0]);

  gin[0] = gg_mul(cofactors_of(a->in[0]),
                  gg__expand(gg__expand(gout[0], nd), nd + 1));
  return GA_NO_ERROR;
}

static int rop_det(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const int last[2] = {-2, -1};

  if (din[0] != NULL)
    dout[0] =
        gg_reduce(GG_SUM, gg_mul(cofactors_of(a->in[0]), din[0]), 2, last, 0);
  return GA_NO_ERROR;
}

/* --- what it is made of --- */

static int lower_det(const gg_apply *a, gg_var **out) {
  gg_var *factors, *pivots;

  if (gg_lu(&factors, &pivots, NULL, a->in[0]) == GA_NO_ERROR)
    out[0] = gg_mul(product_of(diagonal_of(factors)),
                    parity_of(pivots, gg_var_type(factors)->dtype));
  return GA_NO_ERROR;
}

const gg_op gg__op_det = {.name = "det",
                          .kind = GG_OP_MACRO,
                          .complex_use = GG_ANALYTIC,
                          .n_out = 1,
                          .infer = infer_det,
                          .shape = shape_det,
                          .grad = grad_det,
                          .rop = rop_det,
                          .lower = lower_det};

/* --- builders --- */

gg_var *gg_det(gg_var *a) {
  const gg_op *const op = &gg__op_det;

  if (!gg__as_matrices(op, 1, &a) || !gg__is_square(op, a))
    return NULL;
  gg_var *const x = gg__in_work_type(a);
  gg_var *const det = gg__apply_checked(op, NULL, 1, &x, check_det);
  return det != NULL ? gg_cast(det, gg_var_type(a)->dtype) : NULL;
}

/* x / |x|, and 0 for 0. */
static gg_var *sign_of(gg_var *x) {
  if (!gg__has_complex_dtype(x))
    return gg_sign(x);
  return gg_where(is_zero(x), gg__num(x, 0), gg_div(x, gg_abs(x)));
}

int gg_slogdet(gg_var **sign, gg_var **logdet, gg_var *a) {
  const gg_op *const op = GG_CALLED("slogdet");
  const int last = -1;
  gg_var *factors = NULL, *pivots;

  if (sign != NULL)
    *sign = NULL;
  if (logdet != NULL)
    *logdet = NULL;
  if (!gg__as_matrices(op, 1, &a) || !gg__is_square(op, a))
    return GA_VALUE_ERROR;
  GA_TRY(gg_lu(&factors, &pivots, NULL, a));
  gg_var *const d = diagonal_of(factors);
  if (sign != NULL)
    *sign = gg_mul(product_of(sign_of(d)),
                   parity_of(pivots, gg_var_type(factors)->dtype));
  if (logdet != NULL)
    *logdet = gg_reduce(GG_SUM, gg_log(gg_abs(d)), 1, &last, 0);
  return GA_NO_ERROR;
}

/* --- in texts and files --- */

const gg_op_form gg__forms_determinants[] = {GG_FORM(det, "f", check_det),
                                             GG_FORMS_END};

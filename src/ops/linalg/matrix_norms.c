/* SPDX-License-Identifier: BSD-2-Clause */
/* Norms, condition numbers and ranks of matrices, built from singular values,
 * reductions and inverses. */
#include <gpugraph/linalg.h>
#include <gpugraph/statistics.h>
#include <math.h>

#include "ops/linalg/matrices.h"

static const int both[2] = {-2, -1}, rows[1] = {-2}, columns[1] = {-1};

/* The least element along the last axis. */
static gg_var *least(gg_var *x) {
  return gg_norm(x, -INFINITY, 1, columns, 0);
}

/* The sums of absolute values of columns or of rows. */
static gg_var *sums(gg_var *a, int of_columns) {
  return gg_norm(a, 1, 1, of_columns ? rows : columns, 0);
}

/* Nonzero if `a` is a matrix and `kind` a norm; *a becomes one of floats. */
static int is_known(const gg_op *name, gg_var **a, gg_matrix_norm_kind kind) {
  if (!gg__as_matrices(name, 1, a))
    return 0;
  if (gg__rank_of(*a) < 2)
    return gg__refuse(name, 1, a, GA_VALUE_ERROR, "expected a matrix") != NULL;
  if ((unsigned int)kind > GG_NORM_LEAST_ROW)
    return gg__refuse(name, 1, a, GA_VALUE_ERROR, "norm %d is not known",
                      (int)kind) != NULL;
  return 1;
}

static gg_var *norm(gg_var *a, gg_matrix_norm_kind kind) {
  switch (kind) {
  case GG_NORM_FROBENIUS:
    return gg_norm(a, 2, 2, both, 0);
  case GG_NORM_NUCLEAR:
    return gg_norm(gg_svdvals(a), 1, 1, columns, 0);
  case GG_NORM_SPECTRAL:
    return gg__largest(gg_svdvals(a), 0);
  case GG_NORM_LEAST_SINGULAR:
    return least(gg_svdvals(a));
  case GG_NORM_LEAST_COLUMN:
  case GG_NORM_LEAST_ROW:
    return least(sums(a, kind == GG_NORM_LEAST_COLUMN));
  default:
    return gg__largest(sums(a, kind == GG_NORM_COLUMNS), 0);
  }
}

gg_var *gg_matrix_norm(gg_var *a, gg_matrix_norm_kind kind) {
  return is_known(GG_CALLED("matrix_norm"), &a, kind) ? norm(a, kind) : NULL;
}

/* --- condition numbers --- */

/* x, but infinite instead of NaN where `a`, a norm, is not NaN. */
static gg_var *or_infinite(gg_var *x, gg_var *a) {
  if (x == NULL || a == NULL)
    return NULL;
  return gg_where(gg_and(gg_isnan(x), gg_not(gg_isnan(a))),
                  gg__num(x, INFINITY), x);
}

static gg_var *ratio(gg_var *a, int is_inverted) {
  gg_var *const s = gg_svdvals(a), *const most = gg__largest(s, 0);

  if (most == NULL)
    return NULL;
  return or_infinite(
      is_inverted ? gg_div(least(s), most) : gg_div(most, least(s)), most);
}

gg_var *gg_cond(gg_var *a, gg_matrix_norm_kind kind) {
  const gg_op *const name = GG_CALLED("cond");

  if (!is_known(name, &a, kind))
    return NULL;
  if (kind == GG_NORM_SPECTRAL || kind == GG_NORM_LEAST_SINGULAR)
    return ratio(a, kind == GG_NORM_LEAST_SINGULAR);
  if (!gg__is_square(name, a))
    return NULL;
  gg_var *const size = norm(a, kind), *const x = gg_inverse(a, 0);
  return x != NULL ? or_infinite(gg_mul(size, norm(x, kind)), size) : NULL;
}

/* --- ranks --- */

gg_var *gg_matrix_rank(gg_var *a, double tolerance) {
  const gg_op *const name = GG_CALLED("matrix_rank");

  if (!is_known(name, &a, GG_NORM_SPECTRAL))
    return NULL;
  if (isnan(tolerance))
    return gg__refuse(name, 1, &a, GA_VALUE_ERROR, "the tolerance is NaN");
  gg_var *const part = gg__rank_limit(a);
  gg_var *const s = gg_svdvals(gg__in_work_type(a));
  if (s == NULL || part == NULL)
    return NULL;
  gg_var *const limit =
      tolerance < 0 ? gg_mul(gg__largest(s, 1), part) : gg__num(s, tolerance);
  return gg_reduce(GG_SUM, gg_gt(s, limit), 1, columns, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Exponentials of square matrices: Pade's approximant of degree 13 of A / 2^s,
 * squared s times. A loop squares as often as the data need. The exponential is
 * a macro of its own: its derivatives are blocks of other exponentials. */
#include <gpugraph/arrange.h>
#include <gpugraph/grad.h>
#include <gpugraph/linalg.h>
#include <gpugraph/scan.h>
#include <gpugraph/statistics.h>
#include <math.h>

#include "base/pade.h"
#include "ops/linalg/matrices.h"

/* Norms up to this are not scaled; 2^MOST times this is too much. */
static const double radius = 5.371920351148152;

enum { MOST = 64 };

/* --- shapes --- */

static int check_exp(const gg_apply *a) {
  return gg__check_square(a, 0);
}

static int infer_exp(const gg_apply *a, gg_type *out) {
  GA_TRY(check_exp(a));
  return gg__infer_first(a, out);
}

static int shape_exp(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  GA_TRY(gg__check_square_dims(a, &in[0]));
  *out = in[0];
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static gg_var *matrix_exp(gg_var *a) {
  return gg__apply_checked(&gg__op_matrix_exp, NULL, 1, &a, check_exp);
}

/* The sum of absolute values of each matrix, or 1 for 0, without gradient. */
static gg_var *size_of(gg_var *d) {
  const int both[2] = {-2, -1};
  gg_var *const size = gg_norm(d, 1, 2, both, 1);

  return size != NULL ? gg_stop_gradient(gg_where(gg_eq(size, gg__num(size, 0)),
                                                  gg__num(size, 1), size))
                      : NULL;
}

/* The derivative of exp(x) along d: the block at the upper right of the
 * exponential of ((x, d), (0, x)). It is linear in d, which is scaled so that
 * it does not matter for the size of the blocks. */
static gg_var *along(gg_var *x, gg_var *d) {
  gg_var *const by = size_of(d);

  if (x == NULL || by == NULL)
    return NULL;
  gg_var *const upper[2] = {x, gg_div(d, by)};
  gg_var *const lower[2] = {gg_zeros_like(x), x};
  gg_var *const rows[2] = {gg_join(-1, 2, upper), gg_join(-1, 2, lower)};
  gg_var *half[2], *part[2];
  const gg_op *const name = &gg__op_matrix_exp;

  if (gg__split(name, matrix_exp(gg_join(-2, 2, rows)), -2, 2, half) !=
          GA_NO_ERROR ||
      gg__split(name, half[0], -1, 2, part) != GA_NO_ERROR)
    return NULL;
  return gg_mul(part[1], by);
}

static int grad_exp(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = along(gg__swap_last(a->in[0]), gout[0]);
  return GA_NO_ERROR;
}

static int rop_exp(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  dout[0] = along(a->in[0], din[0]);
  return GA_NO_ERROR;
}

/* --- what it is made of --- */

static gg_var *times(gg_var *a, gg_var *b) {
  return gg__multiply_each(a, b);
}

/* c[0] + c[2] x[0] + c[4] x[1] + c[6] x[2] as products with the identity and
 * powers of a matrix; terms from `first` on. */
static gg_var *combine(const double *c, size_t first, gg_var *const *x) {
  gg_var *sum = NULL;

  for (size_t i = first; i < 4; i++) {
    gg_var *const term = gg_mul(x[i], gg__num(x[i], c[2 * i]));
    sum = sum != NULL ? gg_add(sum, term) : term;
  }
  return sum;
}

/* Coefficients over the first one, so that float32 has them all. */
static gg_var *approximate(gg_var *x) {
  double c[14];
  gg_var *power[4] = {gg__identity_like(x), times(x, x)};

  for (int i = 0; i < 14; i++)
    c[i] = ga__pade[i] / ga__pade[0];
  power[2] = times(power[1], power[1]);
  power[3] = times(power[2], power[1]);
  if (power[3] == NULL)
    return NULL;
  gg_var *const odd = times(x, gg_add(times(power[3], combine(c + 7, 1, power)),
                                      combine(c + 1, 0, power)));
  gg_var *const even =
      gg_add(times(power[3], combine(c + 6, 1, power)), combine(c, 0, power));
  return gg_solve(gg_sub(even, odd), gg_add(even, odd), 0);
}

/* How often each matrix is squared, [..., 1, 1]; NaN for one that is not
 * finite. */
static gg_var *count_squares(gg_var *x) {
  const int rows = -2;
  gg_var *const sums = gg_norm(x, 1, 1, &rows, 1);
  gg_var *const norm = gg__largest(sums, 1);

  if (norm == NULL)
    return NULL;
  gg_var *const n = gg_ceil(gg_log2(gg_mul(norm, gg__num(norm, 1 / radius))));
  return gg_where(gg_le(n, gg__num(n, MOST)), gg_maximum(n, gg__num(n, 0)),
                  gg__num(n, NAN));
}

/* y squared n times. */
static gg_var *square(gg_var *y, gg_var *n) {
  gg_graph *const g = gg_var_graph(y);
  gg_scan *const s = gg_scan_open(g);
  gg_var *const state = gg_scan_state(s, y), *const left = gg_scan_state(s, n);
  gg_var *const zero = gg__num(n, 0), *last = NULL;
  gg_var *const after = gg_sub(left, gg__num(n, 1));
  gg_var *const more = gg_reduce(GG_ANY_OF, gg_gt(after, zero), 0, NULL, 0);

  gg_scan_next(s, state,
               gg_where(gg_gt(left, zero), times(state, state), state));
  gg_scan_next(s, left, after);
  gg_scan_until(s, gg_not(more));
  gg_scan_steps(s, gg_i64(g, MOST));
  if (gg_scan_close(s) == GA_NO_ERROR)
    last = gg_scan_last(s, state);
  gg_scan_free(s);
  return last;
}

static int lower_exp(const gg_apply *a, gg_var **out) {
  gg_var *const x = a->in[0], *const n = count_squares(x);

  if (n == NULL)
    return GA_NO_ERROR;
  gg_var *const small = gg_mul(x, gg_ldexp(gg__num(n, 1), gg_neg(n)));
  gg_var *const y = square(approximate(small), n);
  out[0] = gg_where(gg_isnan(n), gg__num(n, NAN), y);
  return GA_NO_ERROR;
}

const gg_op gg__op_matrix_exp = {.name = "matrix_exp",
                                 .kind = GG_OP_MACRO,
                                 .complex_use = GG_ANALYTIC,
                                 .n_out = 1,
                                 .infer = infer_exp,
                                 .shape = shape_exp,
                                 .grad = grad_exp,
                                 .rop = rop_exp,
                                 .lower = lower_exp};

gg_var *gg_matrix_exp(gg_var *a) {
  if (!gg__as_matrices(&gg__op_matrix_exp, 1, &a))
    return NULL;
  gg_var *const y = matrix_exp(gg__in_work_type(a));
  return y != NULL ? gg_cast(y, gg_var_type(a)->dtype) : NULL;
}

/* --- in texts and files --- */

const gg_op_form gg__forms_matrix_exp[] = {GG_FORM(matrix_exp, "f", check_exp),
                                           GG_FORMS_END};

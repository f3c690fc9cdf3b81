/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudo-inverses. They are a macro of their own, since their derivatives are
 * finite where those of singular vectors are not: for equal values, and for
 * matrices that are not of full rank. */
#include <gpugraph/linalg.h>
#include <math.h>

#include "ops/linalg/matrices.h"

/* --- shapes --- */

static int check_pinv(const gg_apply *a) {
  GA_TRY(gg__check_matrix(a));
  if (gg__rank(a, 1) != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected a scalar for the limit");
  return GA_NO_ERROR;
}

static int infer_pinv(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  GA_TRY(check_pinv(a));
  *out = *x;
  out->dims[x->nd - 2] = x->dims[x->nd - 1];
  out->dims[x->nd - 1] = x->dims[x->nd - 2];
  return GA_NO_ERROR;
}

static int shape_pinv(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const unsigned int nd = in[0].nd;

  (void)a;
  (void)host;
  *out = in[0];
  out->dim[nd - 2] = in[0].dim[nd - 1];
  out->dim[nd - 1] = in[0].dim[nd - 2];
  return GA_NO_ERROR;
}

/* --- derivatives, for matrices whose rank does not change --- */

static gg_var *times(gg_var *a, gg_var *b) {
  return gg__multiply_each(a, b);
}

static int connected_pinv(const gg_apply *a, unsigned int in,
                          unsigned int out) {
  (void)a;
  (void)out;
  return in == 0;
}

/* With P the result and H = G^H:
 * (I - A P) H P P^H + P^H P H (I - P A) - P^H G P^H. */
static int grad_pinv(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const x = a->in[0], *const p = a->out[0];
  gg_var *const pt = gg__adjoint(p), *const h = gg__adjoint(gout[0]);
  gg_var *const left = times(times(h, p), pt);
  gg_var *const right = times(pt, times(p, h));
  gg_var *const sum = gg_add(gg_sub(left, times(x, times(p, left))),
                             gg_sub(right, times(times(right, p), x)));

  gin[0] = gg_sub(sum, times(times(pt, gout[0]), pt));
  return GA_NO_ERROR;
}

/* P P^H D^H (I - A P) + (I - P A) D^H P^H P - P D P for a direction D. */
static int rop_pinv(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const x = a->in[0], *const p = a->out[0], *const d = din[0];

  if (d == NULL)
    return GA_NO_ERROR;
  gg_var *const dt = gg__adjoint(d), *const pt = gg__adjoint(p);
  gg_var *const left = times(p, times(pt, dt));
  gg_var *const right = times(times(dt, pt), p);
  gg_var *const sum = gg_add(gg_sub(left, times(times(left, x), p)),
                             gg_sub(right, times(p, times(x, right))));

  dout[0] = gg_sub(sum, times(times(p, d), p));
  return GA_NO_ERROR;
}

/* --- what it is made of --- */

/* 1 / s, but 0 where s is no larger than `part` of the largest one. */
static gg_var *inverted(gg_var *s, gg_var *part) {
  return gg_where(gg_le(s, gg_mul(gg__largest(s, 1), part)), gg__num(s, 0),
                  gg_div(gg__num(s, 1), s));
}

static int lower_pinv(const gg_apply *a, gg_var **out) {
  gg_var *u, *s, *vt;

  if (gg_svd(&u, &s, &vt, a->in[0], 0) == GA_NO_ERROR)
    out[0] =
        times(gg_mul(gg__adjoint(vt), gg__expand(inverted(s, gg_real(a->in[1])),
                                                 gg__rank_of(s) - 1)),
              gg__adjoint(u));
  return GA_NO_ERROR;
}

const gg_op gg__op_pinv = {.name = "pinv",
                           .kind = GG_OP_MACRO,
                           .complex_use = GG_PARTS,
                           .n_out = 1,
                           .infer = infer_pinv,
                           .shape = shape_pinv,
                           .grad = grad_pinv,
                           .rop = rop_pinv,
                           .connected = connected_pinv,
                           .lower = lower_pinv};

gg_var *gg_pinv(gg_var *a, double rcond) {
  if (!gg__as_matrices(&gg__op_pinv, 1, &a))
    return NULL;
  if (gg__rank_of(a) < 2)
    return gg__refuse(&gg__op_pinv, 1, &a, GA_VALUE_ERROR, "expected a matrix");
  if (isnan(rcond))
    return gg__refuse(&gg__op_pinv, 1, &a, GA_VALUE_ERROR, "rcond is NaN");
  gg_var *const x = gg__in_work_type(a);
  gg_var *const limit = rcond < 0 ? gg__rank_limit(a) : gg__num(x, rcond);
  gg_var *const in[2] = {x, gg_cast(limit, gg_var_type(x)->dtype)};
  gg_var *const p = gg__apply_checked(&gg__op_pinv, NULL, 2, in, check_pinv);
  return p != NULL ? gg_cast(p, gg_var_type(a)->dtype) : NULL;
}

/* --- in texts and files --- */

const gg_op_form gg__forms_pinv[] = {GG_FORM(pinv, "FF", check_pinv),
                                     GG_FORMS_END};

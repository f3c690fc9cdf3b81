/* SPDX-License-Identifier: BSD-2-Clause */
/* Classification along the last axis.
 *
 * These ops are macros. In a new graph each is one node, so that rewrites can
 * recognise log(softmax(z)) and the like and choose the form that stays finite.
 * Later they are lowered to elementwise ops and reductions, which fuse like any
 * other. */
#include "ops/ops.h"

/* --- formulas --- */

/* Reduce the last axis, which keeps size 1. */
static gg_var *along_rows(gg_reduction op, gg_var *x) {
  const int axis = -1;

  return gg_reduce(op, x, 1, &axis, 1);
}

/* x - max(x), whose exponential cannot overflow. */
static gg_var *centred(gg_var *x) {
  return gg_sub(x, along_rows(GG_MAX, x));
}

/* g [n] as a column for rows [n, k]. */
static gg_var *column(gg_var *g) {
  return gg__expand(g, gg_var_type(g)->nd);
}

/* bool [n, k]: is the element of x [n, k] at the class y [n] of its row? */
static gg_var *at_class(gg_var *x, gg_var *y) {
  gg_var *const classes = column(y); /* so each compiler builds it first */

  return gg_eq(gg__iota(x, -1), classes);
}

/* x[i, y[i]] for each row i. */
static gg_var *pick(gg_var *x, gg_var *y) {
  return gg_sum_axis(gg_where(at_class(x, y), x, gg__num(x, 0)), -1);
}

/* --- types --- */

/* All operands and the result have the same shape: nothing broadcasts. */
static int infer_rows(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);
  const gg_type *y = gg_var_type(a->in[a->n_in - 1]);

  for (unsigned int i = 0; i < x->nd && i < y->nd; i++)
    if ((x->dims[i] == 1) != (y->dims[i] == 1))
      return gg_op_fail(a, GA_VALUE_ERROR, "axis %u is 1 in one of them", i);
  return gg_infer_elemwise(a, x->dtype, out);
}

/* Operands `rows` and `other` must have the same size along axis 0. If one is
 * known to have one row, the other must be, too; otherwise the first would
 * broadcast. */
static int check_rows(const gg_apply *a, unsigned int rows,
                      unsigned int other) {
  const int64_t n = gg_var_type(a->in[rows])->dims[0];
  const int64_t m = gg_var_type(a->in[other])->dims[0];

  if (n != GG_ANY && m != GG_ANY && n != m)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld rows and %lld", (long long)n,
                      (long long)m);
  if ((n == 1) != (m == 1))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "1 row, and so many that it is not known to be 1");
  return GA_NO_ERROR;
}

/* (p [n, k], y [n]) -> [n] */
static int infer_loss(const gg_apply *a, gg_type *out) {
  const gg_type *p = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);

  out->dtype = p->dtype;
  out->nd = 1;
  out->dims[0] = p->dims[0] != GG_ANY ? p->dims[0] : y->dims[0];
  return check_rows(a, 0, 1);
}

static int shape_loss(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  (void)host;
  out->nd = 1;
  out->dim[0] = in[0].dim[0];
  if (in[0].dim[0] != in[1].dim[0])
    return gg_op_fail(a, GA_VALUE_ERROR, "%zu rows and %zu classes",
                      in[0].dim[0], in[1].dim[0]);
  return GA_NO_ERROR;
}

/* (g [n], p [n, k], y [n]) -> [n, k] */
static int infer_loss_grad(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[1]);
  GA_TRY(check_rows(a, 1, 0));
  return check_rows(a, 1, 2);
}

static int shape_loss_grad(const gg_apply *a, const gg_dims *in,
                           const double *const *host, gg_dims *out) {
  (void)a;
  (void)host;
  *out = in[1];
  return GA_NO_ERROR;
}

/* --- softmax --- */

/* Define an op with the gradient grad_<op> and the formula lower_<op>. */
#define MACRO(op, types, sizes)                                                \
  const gg_op gg__op_##op = {.name = #op,                                      \
                             .kind = GG_OP_MACRO,                              \
                             .n_out = 1,                                       \
                             .infer = types,                                   \
                             .shape = sizes,                                   \
                             .grad = grad_##op,                                \
                             .lower = lower_##op};

static int lower_softmax(const gg_apply *a, gg_var **out) {
  gg_var *const e = gg_exp(centred(a->in[0]));

  out[0] = gg_div(e, along_rows(GG_SUM, e));
  return GA_NO_ERROR;
}

static int grad_softmax(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg__softmax_grad(gout[0], a->out[0]);
  return GA_NO_ERROR;
}

MACRO(softmax, infer_rows, gg__shape_first)

static int lower_softmax_grad(const gg_apply *a, gg_var **out) {
  gg_var *const dp = a->in[0], *const p = a->in[1];

  out[0] = gg_mul(p, gg_sub(dp, along_rows(GG_SUM, gg_mul(dp, p))));
  return GA_NO_ERROR;
}

/* The formula is linear in dp and of degree two in p. */
static int grad_softmax_grad(const gg_apply *a, gg_var *const *gout,
                             gg_var **gin) {
  gg_var *const dp = a->in[0], *const p = a->in[1], *const g = gout[0];
  gg_var *const gp = along_rows(GG_SUM, gg_mul(g, p));
  gg_var *const dpp = along_rows(GG_SUM, gg_mul(dp, p));

  gin[0] = gg_mul(p, gg_sub(g, gp));
  gin[1] = gg_sub(gg_mul(g, gg_sub(dp, dpp)), gg_mul(dp, gp));
  return GA_NO_ERROR;
}

MACRO(softmax_grad, infer_rows, gg__shape_first)

static int lower_log_softmax(const gg_apply *a, gg_var **out) {
  gg_var *const x = centred(a->in[0]);

  out[0] = gg_sub(x, gg_log(along_rows(GG_SUM, gg_exp(x))));
  return GA_NO_ERROR;
}

static int grad_log_softmax(const gg_apply *a, gg_var *const *gout,
                            gg_var **gin) {
  gg_var *const total = along_rows(GG_SUM, gout[0]);

  gin[0] = gg_sub(gout[0], gg_mul(gg_softmax(a->in[0]), total));
  return GA_NO_ERROR;
}

MACRO(log_softmax, infer_rows, gg__shape_first)

/* --- cross-entropy --- */

static int lower_crossentropy(const gg_apply *a, gg_var **out) {
  out[0] = gg_neg(gg_log(pick(a->in[0], a->in[1])));
  return GA_NO_ERROR;
}

static int grad_crossentropy(const gg_apply *a, gg_var *const *gout,
                             gg_var **gin) {
  gin[0] = gg__crossentropy_grad(gout[0], a->in[0], a->in[1]);
  return GA_NO_ERROR;
}

MACRO(crossentropy, infer_loss, shape_loss)

static int lower_crossentropy_grad(const gg_apply *a, gg_var **out) {
  gg_var *const g = column(a->in[0]), *const p = a->in[1];

  out[0] = gg_where(at_class(p, a->in[2]), gg_neg(gg_div(g, p)), gg__num(p, 0));
  return GA_NO_ERROR;
}

static int grad_crossentropy_grad(const gg_apply *a, gg_var *const *gout,
                                  gg_var **gin) {
  gg_var *const g = a->in[0], *const p = a->in[1], *const y = a->in[2];
  gg_var *const zero = gg__num(p, 0);
  gg_var *const d = gg_where(at_class(p, y), gg_div(gout[0], p), zero);

  gin[0] = gg_neg(gg_sum_axis(d, -1));
  gin[1] = gg_mul(column(g), gg_where(at_class(p, y), gg_div(d, p), zero));
  return GA_NO_ERROR;
}

MACRO(crossentropy_grad, infer_loss_grad, shape_loss_grad)

/* The cross-entropy of softmax(z), which never takes the log of 0. */
static int lower_softmax_xent(const gg_apply *a, gg_var **out) {
  gg_var *const x = centred(a->in[0]);
  gg_var *const norm = gg_log(gg_sum_axis(gg_exp(x), -1));

  out[0] = gg_sub(norm, pick(x, a->in[1]));
  return GA_NO_ERROR;
}

static int grad_softmax_xent(const gg_apply *a, gg_var *const *gout,
                             gg_var **gin) {
  gin[0] = gg__softmax_xent_grad(gout[0], a->in[0], a->in[1]);
  return GA_NO_ERROR;
}

MACRO(softmax_xent, infer_loss, shape_loss)

static gg_var *softmax_minus_onehot(gg_var *z, gg_var *y) {
  gg_var *const hit = gg_cast(at_class(z, y), gg_var_type(z)->dtype);

  return gg_sub(gg_softmax(z), hit);
}

static int lower_softmax_xent_grad(const gg_apply *a, gg_var **out) {
  out[0] = gg_mul(softmax_minus_onehot(a->in[1], a->in[2]), column(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_softmax_xent_grad(const gg_apply *a, gg_var *const *gout,
                                  gg_var **gin) {
  gg_var *const g = a->in[0], *const z = a->in[1], *const y = a->in[2];

  gin[0] = gg_sum_axis(gg_mul(gout[0], softmax_minus_onehot(z, y)), -1);
  gin[1] = gg__softmax_grad(gg_mul(gout[0], column(g)), gg_softmax(z));
  return GA_NO_ERROR;
}

MACRO(softmax_xent_grad, infer_loss_grad, shape_loss_grad)

/* --- builders --- */

static gg_var *rows_op(const gg_op *op, gg_var *x) {
  if (x == NULL)
    return NULL;
  x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  return gg__apply_checked(op, NULL, 1, &x, gg__check_not_scalar);
}

gg_var *gg_softmax(gg_var *x) {
  return rows_op(&gg__op_softmax, x);
}

gg_var *gg_log_softmax(gg_var *x) {
  return rows_op(&gg__op_log_softmax, x);
}

static gg_var *loss(const gg_op *op, gg_var *p, gg_var *y) {
  gg_var *in[2] = {p, y};

  if (!gg__given(op, 2, in))
    return NULL;
  if (gg_var_type(p)->nd != 2 || gg_var_type(y)->nd != 1 ||
      ga__dtype_kind(gg_var_type(p)->dtype) != GA_KIND_FLOAT ||
      !gg__is_integer(gg_var_type(y)->dtype))
    return gg__refuse(op, 2, in, GA_VALUE_ERROR,
                      "expected a float matrix and a vector of integers");
  if (gg_var_type(p)->dims[0] == 1 && gg_var_type(y)->dims[0] == GG_ANY)
    in[1] = gg_reshape(y, 1, (const int64_t[]){1});
  return in[1] == NULL ? NULL : gg_op_apply(NULL, op, NULL, 2, in);
}

gg_var *gg_crossentropy(gg_var *p, gg_var *y) {
  return loss(&gg__op_crossentropy, p, y);
}

gg_var *gg__softmax_xent(gg_var *z, gg_var *y) {
  return loss(&gg__op_softmax_xent, z, y);
}

gg_var *gg__softmax_grad(gg_var *dp, gg_var *p) {
  gg_var *const in[2] = {dp, p};

  return gg_op_apply(NULL, &gg__op_softmax_grad, NULL, 2, in);
}

gg_var *gg__crossentropy_grad(gg_var *g, gg_var *p, gg_var *y) {
  gg_var *const in[3] = {g, p, y};

  return gg_op_apply(NULL, &gg__op_crossentropy_grad, NULL, 3, in);
}

gg_var *gg__softmax_xent_grad(gg_var *g, gg_var *z, gg_var *y) {
  gg_var *const in[3] = {g, z, y};

  return gg_op_apply(NULL, &gg__op_softmax_xent_grad, NULL, 3, in);
}

/* --- in texts and files --- */

static int check_pair(const gg_apply *a) {
  GA_TRY(gg__check_not_scalar(a));
  return gg__check_ranks(a, 0, 1);
}

const gg_op_form gg__forms_softmax[] = {
    GG_FORM(softmax, "f", gg__check_not_scalar),
    GG_FORM(log_softmax, "f", gg__check_not_scalar),
    GG_FORM(softmax_grad, "FF", check_pair),
    GG_FORM(crossentropy, "f2i1", NULL),
    GG_FORM(crossentropy_grad, "F1F2i1", NULL),
    GG_FORM(softmax_xent, "f2i1", NULL),
    GG_FORM(softmax_xent_grad, "F1F2i1", NULL),
    GG_FORMS_END};

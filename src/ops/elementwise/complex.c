/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers: their parts, and numbers from parts. These functions are not
 * analytic, so their gradients are written for complex numbers: the gradient by
 * z = x + i y is (d cost / dx) + i (d cost / dy). */
#include <gpugraph/complex.h>

#include <math.h>

#include "ops/code.h"
#include "ops/ops.h"

/* --- on the host --- */

static void eval_make(const double *x, double *y) {
  y[0] = x[0];
  y[1] = x[2];
}

static void eval_real(const double *x, double *y) {
  y[0] = x[0];
  y[1] = 0;
}

static void eval_imag(const double *x, double *y) {
  y[0] = x[1];
  y[1] = 0;
}

static void eval_conj(const double *x, double *y) {
  y[0] = x[0];
  y[1] = -x[1];
}

static void eval_angle(const double *x, double *y) {
  y[0] = atan2(x[1], x[0]);
  y[1] = 0;
}

static void eval_magnitude(const double *x, double *y) {
  y[0] = hypot(x[0], x[1]);
  y[1] = 0;
}

/* --- types --- */

static int infer_complex(const gg_apply *a, gg_type *out) {
  const int part = gg_var_type(a->in[0])->dtype;

  if ((part != GA_FLOAT && part != GA_DOUBLE) ||
      gg_var_type(a->in[1])->dtype != part)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected two parts, both float32 or both float64");
  return gg_infer_elemwise(a, part == GA_DOUBLE ? GA_CDOUBLE : GA_CFLOAT, out);
}

/* Real results of complex operands. */
static int infer_part(const gg_apply *a, gg_type *out) {
  const int dtype = gg_var_type(a->in[0])->dtype;

  if (!ga__dtype_is_complex(dtype))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected complex numbers, got %s",
                      ga__dtype_name(dtype));
  return gg_infer_elemwise(a, ga__dtype_real(dtype), out);
}

static int infer_conj(const gg_apply *a, gg_type *out) {
  GA_TRY(infer_part(a, out));
  out->dtype = gg_var_type(a->in[0])->dtype;
  return GA_NO_ERROR;
}

/* --- gradients --- */

static int grad_complex(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gg_real(gout[0]);
  gin[1] = gg_imag(gout[0]);
  return GA_NO_ERROR;
}

static int grad_real(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_cast(gout[0], gg_var_type(a->in[0])->dtype);
  return GA_NO_ERROR;
}

static int grad_imag(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gg_complex(gg__num(gout[0], 0), gout[0]);
  return GA_NO_ERROR;
}

static int grad_conj(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gg_conj(gout[0]);
  return GA_NO_ERROR;
}

/* g / size where size is not 0, else 0. */
static gg_var *over(gg_var *g, gg_var *size) {
  gg_var *const zero = gg__num(size, 0);
  gg_var *const is_zero = gg_eq(size, zero);

  return gg_where(is_zero, zero,
                  gg_div(g, gg_where(is_zero, gg__num(size, 1), size)));
}

/* The angle grows fastest along i z, by 1 / |z| for each unit. */
static int grad_angle(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const z = a->in[0], *const size = gg_abs(z);
  gg_var *const by = over(over(gout[0], size), size);

  gin[0] = gg_complex(gg_neg(gg_mul(by, gg_imag(z))), gg_mul(by, gg_real(z)));
  return GA_NO_ERROR;
}

/* The size grows fastest along z, by 1 for each unit. */
static int grad_magnitude(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gg_var *const z = a->in[0], *const by = over(gout[0], a->out[0]);

  gin[0] = gg_complex(gg_mul(by, gg_real(z)), gg_mul(by, gg_imag(z)));
  return GA_NO_ERROR;
}

/* --- the ops --- */

#define PART_OP(op, type, slope, text, eval, flops)                            \
  const gg_op gg__op_##op = {.name = #op,                                      \
                             .kind = GG_OP_ELEMWISE,                           \
                             .n_out = 1,                                       \
                             .infer = infer_##type,                            \
                             .grad = grad_##slope,                             \
                             COMPLEX(GG_PARTS, text, eval, flops)};

PART_OP(real, part, real, "%0.r", eval_real, 0)
PART_OP(imag, part, imag, "%0.i", eval_imag, 0)
PART_OP(conj, conj, conj, "%i_conj(%0)", eval_conj, 1)
PART_OP(angle, part, angle, "%i_arg(%0)", eval_angle, 20)
PART_OP(magnitude, part, magnitude, "%i_abs(%0)", eval_magnitude, 8)

const gg_op gg__op_complex = {.name = "complex",
                              .kind = GG_OP_ELEMWISE,
                              .n_out = 1,
                              .infer = infer_complex,
                              .grad = grad_complex,
                              .code = SCALAR_CODE("%t_make(%0, %1)", NULL, 0),
                              .eval_complex = eval_make};

/* --- builders --- */

static int is_complex(const gg_var *x) {
  return ga__dtype_is_complex(gg_var_type(x)->dtype);
}

gg_var *gg_complex(gg_var *re, gg_var *im) {
  gg_var *in[2] = {re, im};

  if (!gg__given(&gg__op_complex, 2, in))
    return NULL;
  const int dtype = gg__common_dtype_of(2, in);
  if (ga__dtype_is_complex(dtype))
    return gg__refuse(&gg__op_complex, 2, in, GA_VALUE_ERROR,
                      "expected two real parts");
  for (unsigned int i = 0; i < 2; i++)
    in[i] = gg_cast(in[i], dtype == GA_DOUBLE ? GA_DOUBLE : GA_FLOAT);
  return gg_op_elemwise(&gg__op_complex, NULL, 2, in);
}

gg_var *gg_polar(gg_var *r, gg_var *angle) {
  static const gg_op name = {.name = "polar"};
  gg_var *const in[2] = {r, angle};

  if (!gg__given(&name, 2, in))
    return NULL;
  if (is_complex(r) || is_complex(angle))
    return gg__refuse(&name, 2, in, GA_VALUE_ERROR,
                      "expected a real radius and a real angle");
  return gg_complex(gg_mul(r, gg_cos(angle)), gg_mul(r, gg_sin(angle)));
}

gg_var *gg_real(gg_var *x) {
  if (x == NULL || !is_complex(x))
    return x;
  return gg_op_elemwise(&gg__op_real, NULL, 1, &x);
}

gg_var *gg_imag(gg_var *x) {
  if (x == NULL)
    return NULL;
  return is_complex(x) ? gg_op_elemwise(&gg__op_imag, NULL, 1, &x)
                       : gg_zeros_like(x);
}

gg_var *gg_conj(gg_var *x) {
  const gg_apply *const a = gg_var_owner(x);

  if (x == NULL || !is_complex(x))
    return x;
  if (a != NULL && a->op == &gg__op_conj)
    return a->in[0];
  return gg_op_elemwise(&gg__op_conj, NULL, 1, &x);
}

gg_var *gg_angle(gg_var *x) {
  if (x == NULL)
    return NULL;
  if (!is_complex(x))
    x = gg_cast(x, gg__common_dtype(GA_CFLOAT, gg_var_type(x)->dtype));
  return gg_op_elemwise(&gg__op_angle, NULL, 1, &x);
}

gg_var *gg_c64(gg_graph *g, float re, float im) {
  return gg_constant(g, GA_CFLOAT, 0, NULL, (const float[]){re, im});
}

gg_var *gg_c128(gg_graph *g, double re, double im) {
  return gg_constant(g, GA_CDOUBLE, 0, NULL, (const double[]){re, im});
}

/* --- in texts and files --- */

const gg_op_form gg__forms_complex[] = {GG_FORM(complex, "XX", NULL),
                                        GG_FORM(real, "x", NULL),
                                        GG_FORM(imag, "x", NULL),
                                        GG_FORM(conj, "x", NULL),
                                        GG_FORM(angle, "x", NULL),
                                        GG_FORM(magnitude, "x", NULL),
                                        GG_FORMS_END};

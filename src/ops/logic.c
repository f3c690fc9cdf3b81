/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons, logic, choice and conversion. */
#include <gpugraph/grad.h>
#include <math.h>
#include <stdio.h>

#include "ops/scalar.h"

/* --- on the host --- */

static double eval_lt(const double *x) {
  return x[0] < x[1];
}

static double eval_le(const double *x) {
  return x[0] <= x[1];
}

static double eval_gt(const double *x) {
  return x[0] > x[1];
}

static double eval_ge(const double *x) {
  return x[0] >= x[1];
}

static double eval_eq(const double *x) {
  return x[0] == x[1];
}

static double eval_ne(const double *x) {
  return x[0] != x[1];
}

static double eval_isnan(const double *x) {
  return x[0] != x[0];
}

static double eval_isinf(const double *x) {
  return x[0] == x[0] && x[0] - x[0] != 0;
}

static double eval_and(const double *x) {
  return (double)((int64_t)x[0] & (int64_t)x[1]);
}

static double eval_or(const double *x) {
  return (double)((int64_t)x[0] | (int64_t)x[1]);
}

static double eval_xor(const double *x) {
  return (double)((int64_t)x[0] ^ (int64_t)x[1]);
}

static double eval_not(const double *x) {
  return (double)~(int64_t)x[0];
}

static double eval_bool_not(const double *x) {
  return x[0] == 0;
}

static double eval_where(const double *x) {
  return x[0] != 0 ? x[1] : x[2];
}

/* Storing the result converts it. */
static double eval_first(const double *x) {
  return x[0];
}

/* --- types and gradients --- */

static int infer_bool(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, GA_BOOL, out);
}

static int infer_where(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, gg_var_type(a->in[1])->dtype, out);
}

static int infer_cast(const gg_apply *a, gg_type *out) {
  const gg__cast_props *p = a->props;

  return gg_infer_elemwise(a, p->dtype, out);
}

static int grad_where(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const zero = gg__num(gout[0], 0);

  gin[1] = gg_where(a->in[0], gout[0], zero);
  gin[2] = gg_where(a->in[0], zero, gout[0]);
  return GA_NO_ERROR;
}

static int grad_cast(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_cast(gout[0], gg_var_type(a->in[0])->dtype);
  return GA_NO_ERROR;
}

/* Nothing passes. */
static int grad_stop(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  (void)gout;
  (void)gin;
  return GA_NO_ERROR;
}

static int is_connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)in;
  (void)out;
  return 0;
}

static void print_cast(const gg_apply *a, char *buf, size_t bytes) {
  const gg__cast_props *p = a->props;

  snprintf(buf, bytes, "%s", ga__dtype_name(p->dtype));
}

/* --- the tables --- */

#define COMPARE(name, text)                                                    \
  ELEMWISE(name, infer_bool, NULL, CODE(text, eval_##name, 1), NULL, NULL)
#define BITWISE(name, text)                                                    \
  ELEMWISE(name, NULL, NULL, CODE(text, eval_##name, 1), NULL, NULL)

/* clang-format off */
COMPARE(lt, "(%0 < %1)");
COMPARE(le, "(%0 <= %1)");
COMPARE(gt, "(%0 > %1)");
COMPARE(ge, "(%0 >= %1)");
COMPARE(eq, "(%0 == %1)");
COMPARE(ne, "(%0 != %1)");
COMPARE(isnan, "(%0 != %0)");
COMPARE(isinf, "(fabs(%0) == (%I)(INFINITY))");
BITWISE(and, "(%0 & %1)");
BITWISE(or, "(%0 | %1)");
BITWISE(xor, "(%0 ^ %1)");
ELEMWISE(where, infer_where, grad_where,
         CODE("(%0 ? %1 : %2)", eval_where, 1), NULL, NULL);
/* clang-format on */

const gg_op gg__op_stop_gradient = {.name = "stop_gradient",
                                    .kind = GG_OP_ELEMWISE,
                                    .n_out = 1,
                                    .grad = grad_stop,
                                    .connected = is_connected,
                                    .code = CODE("%0", eval_first, 0)};

const gg_op gg__op_not = {.name = "not",
                          .kind = GG_OP_ELEMWISE,
                          .n_out = 1,
                          .code = CODE("(~%0)", eval_not, 1),
                          .code_bool = CODE("(!%0)", eval_bool_not, 1)};

const gg_op gg__op_cast = {.name = "cast",
                           .kind = GG_OP_ELEMWISE,
                           .props_bytes = sizeof(gg__cast_props),
                           .n_out = 1,
                           .infer = infer_cast,
                           .grad = grad_cast,
                           .code = CODE("w_to_%t(%0)", eval_first, 0),
                           .code_bool =
                               CODE("w_from_bool_%t(%0)", eval_first, 0),
                           .print = print_cast};

/* --- builders --- */

/* Bools compare as numbers. */
static gg_var *compare(const gg_op *op, gg_var *a, gg_var *b) {
  gg_var *in[2];

  if (a == NULL || b == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype);
  if (dtype == GA_BOOL)
    dtype = GA_BYTE;
  in[0] = gg_cast(a, dtype);
  in[1] = gg_cast(b, dtype);
  return gg_op_elemwise(op, NULL, 2, in);
}

static gg_var *test_real(const gg_op *op, gg_var *x) {
  if (x == NULL)
    return NULL;
  x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  return gg_op_elemwise(op, NULL, 1, &x);
}

static gg_var *bitwise(const gg_op *op, unsigned int n, gg_var *const *x) {
  gg_var *in[2];
  int dtype = GA_BOOL;

  for (unsigned int i = 0; i < n; i++) {
    if (x[i] == NULL)
      return NULL;
    dtype = gg__common_dtype(dtype, gg_var_type(x[i])->dtype);
  }
  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return gg__refuse(op, n, x, GA_VALUE_ERROR, "floats have no bits");
  for (unsigned int i = 0; i < n; i++)
    in[i] = gg_cast(x[i], dtype);
  return gg_op_elemwise(op, NULL, n, in);
}

gg_var *gg_lt(gg_var *a, gg_var *b) {
  return compare(&gg__op_lt, a, b);
}

gg_var *gg_le(gg_var *a, gg_var *b) {
  return compare(&gg__op_le, a, b);
}

gg_var *gg_gt(gg_var *a, gg_var *b) {
  return compare(&gg__op_gt, a, b);
}

gg_var *gg_ge(gg_var *a, gg_var *b) {
  return compare(&gg__op_ge, a, b);
}

gg_var *gg_eq(gg_var *a, gg_var *b) {
  return compare(&gg__op_eq, a, b);
}

gg_var *gg_ne(gg_var *a, gg_var *b) {
  return compare(&gg__op_ne, a, b);
}

gg_var *gg_isnan(gg_var *x) {
  return test_real(&gg__op_isnan, x);
}

gg_var *gg_isinf(gg_var *x) {
  return test_real(&gg__op_isinf, x);
}

gg_var *gg_and(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  return bitwise(&gg__op_and, 2, in);
}

gg_var *gg_or(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  return bitwise(&gg__op_or, 2, in);
}

gg_var *gg_xor(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  return bitwise(&gg__op_xor, 2, in);
}

gg_var *gg_not(gg_var *x) {
  return bitwise(&gg__op_not, 1, &x);
}

gg_var *gg_where(gg_var *cond, gg_var *a, gg_var *b) {
  gg_var *in[3];

  if (cond == NULL || a == NULL || b == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype);
  in[0] = gg_cast(cond, GA_BOOL);
  in[1] = gg_cast(a, dtype);
  in[2] = gg_cast(b, dtype);
  return gg_op_elemwise(&gg__op_where, NULL, 3, in);
}

gg_var *gg_stop_gradient(gg_var *x) {
  return gg_op_elemwise(&gg__op_stop_gradient, NULL, 1, &x);
}

/* A constant of one element that a double holds exactly. */
static int is_number(const gg_var *x, double *value) {
  const gg_type *t = gg_var_type(x);

  for (unsigned int i = 0; i < t->nd; i++)
    if (t->dims[i] != 1)
      return 0;
  return gg_var_uniform(x, value) && !(fabs(*value) >= 0x1p53);
}

/* The number in another dtype, in the shape of x, which has one element. */
static gg_var *cast_number(gg_var *x, double value, int dtype) {
  const gg_type *t = gg_var_type(x);
  double room[2] = {0, 0}; /* as large as the largest element */
  size_t ones[GG_MAX_ND];

  ga__dtype_from_double(dtype, room, value);
  for (unsigned int i = 0; i < t->nd; i++)
    ones[i] = 1;
  return gg_constant(gg_var_graph(x), dtype, t->nd, ones, room);
}

gg_var *gg_cast(gg_var *x, int dtype) {
  const gg__cast_props props = {ga__dtype_canon(dtype)};
  ga__kind kind = ga__dtype_kind(dtype);
  double value;

  if (x == NULL || props.dtype == gg_var_type(x)->dtype)
    return x;
  if (kind == GA_KIND_NONE || kind == GA_KIND_COMPLEX)
    return gg__refuse(&gg__op_cast, 1, &x, GA_UNSUPPORTED_ERROR,
                      "graphs have no dtype %s (%d)", ga__dtype_name(dtype),
                      dtype);
  if (is_number(x, &value))
    return cast_number(x, value, props.dtype);
  return gg_op_elemwise(&gg__op_cast, &props, 1, &x);
}

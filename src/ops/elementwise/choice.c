/* SPDX-License-Identifier: BSD-2-Clause */
/* Choice, conversion, and gg_stop_gradient. */
#include <gpugraph/grad.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/value_size.h"

/* --- on the host --- */

static double eval_where(const double *x) {
  return x[0] != 0 ? x[1] : x[2];
}

static void eval_where_complex(const double *x, double *y) {
  const size_t chosen = x[0] != 0 ? 2 : 4;

  y[0] = x[chosen];
  y[1] = x[chosen + 1];
}

/* --- types and gradients --- */

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
  gin[0] = gg__cast_gradient(gout[0], gg_var_type(a->in[0])->dtype);
  return GA_NO_ERROR;
}

/* No gradient passes. */
static int grad_stop(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  (void)gout;
  (void)gin;
  return GA_NO_ERROR;
}

static void print_cast(const gg_apply *a, char *buf, size_t bytes) {
  const gg__cast_props *p = a->props;

  snprintf(buf, bytes, "%s", ga__dtype_name(p->dtype));
}

/* --- bits as another dtype --- */

/* The integers that have the size of a float. */
static int word_of(int dtype) {
  switch (ga__dtype_size(dtype)) {
  case 2:
    return GA_USHORT;
  case 4:
    return GA_UINT;
  default:
    return GA_ULONG;
  }
}

/* Bits are copied as those of integers, so that NaN keeps them. */
static int prepare_bits(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  GpuArray from = *p->in[0], to = *p->out[0];

  slot_out[0] = 0;
  slot_in[0] = 1;
  from.typecode = to.typecode = word_of(to.typecode);
  return gg__prepare_copy(out, p->ctx, &to, &from);
}

static int reference_bits(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0],
         gg__array_count(p->in[0]) * ga__dtype_size(p->in[0]->typecode));
  return GA_NO_ERROR;
}

/* --- the ops --- */

const gg_op gg__op_where = {
    .name = "where",
    .kind = GG_OP_ELEMWISE,
    .n_out = 1,
    .infer = gg__infer_of_second,
    .grad = grad_where,
    COMPLEX(GG_PARTS, "(%0 ? %1 : %2)", eval_where_complex, 1),
    .code = CODE("(%0 ? %1 : %2)", eval_where, 1)};

const gg_op gg__op_stop_gradient = {.name = "stop_gradient",
                                    .kind = GG_OP_ELEMWISE,
                                    .n_out = 1,
                                    .grad = grad_stop,
                                    .connected = gg__not_connected,
                                    COMPLEX(GG_PARTS, "%0", gg__eval_same, 0),
                                    .code = CODE("%0", gg__eval_first, 0)};

const gg_op gg__op_cast = {.name = "cast",
                           .kind = GG_OP_ELEMWISE,
                           .props_bytes = sizeof(gg__cast_props),
                           .n_out = 1,
                           .infer = infer_cast,
                           .grad = grad_cast,
                           .code = CODE("w_sat_%t(%0, %I)", gg__eval_first, 0),
                           .code_int = CODE("w_to_%t(%0)", gg__eval_first, 0),
                           .code_bool =
                               CODE("w_from_bool_%t(%0)", gg__eval_first, 0),
                           .print = print_cast};

const gg_op gg__op_bit_cast = {.name = "bit_cast",
                               .kind = GG_OP_KERNEL,
                               .props_bytes = sizeof(gg__cast_props),
                               .n_out = 1,
                               .infer = infer_cast,
                               .shape = gg__shape_first,
                               .prepare = prepare_bits,
                               .reference = reference_bits,
                               .half_ok = 1,
                               .print = print_cast};

/* --- builders --- */

gg_var *gg_where(gg_var *cond, gg_var *a, gg_var *b) {
  gg_var *in[3] = {cond, a, b};

  if (!gg__given(&gg__op_where, 3, in))
    return NULL;
  const int dtype = gg__common_dtype_of(2, in + 1);
  in[0] = gg_cast(cond, GA_BOOL);
  in[1] = gg_cast(a, dtype);
  in[2] = gg_cast(b, dtype);
  return gg_op_elemwise(&gg__op_where, NULL, 3, in);
}

gg_var *gg_stop_gradient(gg_var *x) {
  return gg_op_elemwise(&gg__op_stop_gradient, NULL, 1, &x);
}

/* Is x a constant of one element that a double holds exactly? */
static int is_number(const gg_var *x, double *value) {
  const gg_type *t = gg_var_type(x);

  for (unsigned int i = 0; i < t->nd; i++)
    if (t->dims[i] != 1)
      return 0;
  return gg_var_uniform(x, value) && !(fabs(*value) >= 0x1p53);
}

/* Does `value` change in a cast between two integer dtypes? */
static int wraps(int from, int to, double value) {
  double room[2] = {0, 0};

  if (!gg__is_integer(from) || !gg__is_integer(to))
    return 0;
  ga__dtype_from_double(to, room, value);
  return ga__dtype_to_double(to, room) != value;
}

/* `value` as a constant of `dtype` in the shape of x, which has one element. */
static gg_var *cast_number(gg_var *x, double value, int dtype) {
  const gg_type *t = gg_var_type(x);
  double room[2] = {0, 0}; /* as large as the largest element */
  size_t ones[GG_MAX_ND];

  ga__dtype_from_double(dtype, room, value);
  for (unsigned int i = 0; i < t->nd; i++)
    ones[i] = 1;
  return gg_constant(gg_var_graph(x), dtype, t->nd, ones, room);
}

/* x, a weak scalar, as a constant of `dtype`. A whole one fits a dtype of
 * integers, or is refused. */
static gg_var *cast_weak(gg_var *x, gg_weakness weak, double value, int dtype) {
  const int is_large = fabs(value) >= 0x1p53 && weak == GG_WEAK_INT;

  if (weak == GG_WEAK_INT && !gg__weak_fits(value, dtype))
    return gg__refuse(&gg__op_cast, 1, &x, GA_VALUE_ERROR,
                      "%.0f does not fit %s", value, ga__dtype_name(dtype));
  if (!is_large)
    return cast_number(x, value, dtype);
  return gg_cast(gg_constant(gg_var_graph(x), GA_LONG, 0, NULL, gg_var_data(x)),
                 dtype);
}

/* From or to a complex dtype: the parts are cast. */
static gg_var *cast_complex(gg_var *x, int dtype) {
  const int from = gg_var_type(x)->dtype, part = ga__dtype_real(dtype);

  if (!ga__dtype_is_complex(from))
    return gg_complex(gg_cast(x, part), gg_scalar(gg_var_graph(x), part, 0));
  if (ga__dtype_is_complex(dtype))
    return gg_complex(gg_cast(gg_real(x), part), gg_cast(gg_imag(x), part));
  if (dtype == GA_BOOL)
    return gg_ne(x, gg__num(x, 0));
  return gg__refuse(&gg__op_cast, 1, &x, GA_VALUE_ERROR,
                    "%s would lose imaginary parts of %s (use gg_real)",
                    ga__dtype_name(dtype), ga__dtype_name(from));
}

gg_var *gg_cast(gg_var *x, int dtype) {
  const gg__cast_props props = {ga__dtype_canon(dtype)};
  const ga__kind kind = ga__dtype_kind(dtype);
  double value;

  const gg_weakness weak = gg_var_weak(x, &value);

  if (x == NULL || (props.dtype == gg_var_type(x)->dtype && !weak))
    return x;
  if (kind == GA_KIND_NONE)
    return gg__refuse(&gg__op_cast, 1, &x, GA_UNSUPPORTED_ERROR,
                      "graphs have no dtype %s (%d)", ga__dtype_name(dtype),
                      dtype);
  if (weak)
    return cast_weak(x, weak, value, props.dtype);
  if (is_number(x, &value) && !wraps(gg_var_type(x)->dtype, dtype, value))
    return cast_number(x, value, props.dtype);
  if (kind == GA_KIND_COMPLEX || ga__dtype_is_complex(gg_var_type(x)->dtype))
    return cast_complex(x, props.dtype);
  return gg_op_elemwise(&gg__op_cast, &props, 1, &x);
}

static int is_float(int dtype) {
  return ga__dtype_kind(dtype) == GA_KIND_FLOAT;
}

/* Nonzero if a cast keeps the bits. */
static int are_whole(int from, int to) {
  return (from == GA_BOOL || gg__is_integer(from)) &&
         (to == GA_BOOL || gg__is_integer(to)) &&
         ga__dtype_size(from) == ga__dtype_size(to);
}

static int check_bits(const gg_apply *a) {
  const int from = gg_var_type(a->in[0])->dtype;
  const int to = ((const gg__cast_props *)a->props)->dtype;

  GA_TRY(gg__check_dtype(a, to));
  if (ga__dtype_is_complex(from) || ga__dtype_is_complex(to))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected real dtypes, got %s",
                      ga__dtype_name(to));
  if (ga__dtype_size(from) != ga__dtype_size(to))
    return gg_op_fail(a, GA_VALUE_ERROR, "%s has %zu bytes, expected %zu",
                      ga__dtype_name(to), ga__dtype_size(to),
                      ga__dtype_size(from));
  if (!is_float(from) && !is_float(to))
    return gg_op_fail(a, GA_VALUE_ERROR, "to %s: cast keeps the bits",
                      ga__dtype_name(to));
  return GA_NO_ERROR;
}

gg_var *gg_bit_cast(gg_var *x, int dtype) {
  const gg__cast_props props = {ga__dtype_canon(dtype)};

  if (!gg__given(&gg__op_bit_cast, 1, &x))
    return NULL;
  const int from = gg_var_type(x)->dtype;
  if (props.dtype == from || are_whole(from, props.dtype))
    return gg_cast(x, props.dtype);
  x = gg_cast(x, from); /* no weak scalar any more */
  return gg__apply_checked(&gg__op_bit_cast, &props, 1, &x, check_bits);
}

gg_var *gg_clip(gg_var *x, gg_var *lo, gg_var *hi) {
  static const gg_op name = {.name = "clip"};

  if (!gg__given(&name, 3, (gg_var *[]){x, lo, hi}))
    return NULL;
  return gg_minimum(gg_maximum(x, lo), hi);
}

/* --- in texts and files --- */

static int check_cast(const gg_apply *a) {
  const int dtype = ((const gg__cast_props *)a->props)->dtype;

  if (ga__dtype_is_complex(dtype))
    return gg_op_fail(a, GA_VALUE_ERROR, "%s is made of parts (complex)",
                      ga__dtype_name(dtype));
  return gg__check_dtype(a, dtype);
}

static const gg_field cast_fields[] = {
    {GG_FIELD("dtype", DTYPE, gg__cast_props, dtype)}};

const gg_op_form gg__forms_choice[] = {
    GG_FORM(where, "bXX", NULL), GG_FORM(stop_gradient, "x", NULL),
    GG_FORM_PROPS(cast, "x", cast_fields, check_cast),
    GG_FORM_PROPS(bit_cast, "x", cast_fields, check_bits), GG_FORMS_END};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants, and ops that compute values from sizes and positions. */
#include <gpugraph/create.h>
#include <gpugraph/op.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- constants --- */

/* The output as if it were a tensor of the graph: a weight if it is large. */
static int from_tensor(gg__onnx_call *c, const gg__onnx_tensor *t) {
  gg__onnx_value v = {.name = c->node->out[0], .tensor = t};

  GA_TRY(gg__onnx_tensor_check(t, c->b->files));
  c->out[0] = gg__value_var(c->b, &v);
  c->tensor = t;
  return GA_NO_ERROR;
}

int gg__from_constant(gg__onnx_call *c) {
  const gg__onnx_attr *a = c->node->n_attrs == 1 ? c->node->attrs : NULL;

  if (a == NULL)
    return ga__fail(GA_VALUE_ERROR, "%zu attributes, expected one",
                    c->node->n_attrs);
  a = gg__call_attr(c, a->name);
  if (a == NULL)
    return ga__fail(GA_VALUE_ERROR, "the call does not give its value");
  switch (a->kind) {
  case GG_ATTR_TENSOR:
    return a->t == NULL ? ga__fail(GA_VALUE_ERROR, "the tensor is missing")
                        : from_tensor(c, a->t);
  case GG_ATTR_FLOAT:
    c->out[0] = gg_constant(c->g, GA_FLOAT, 0, NULL, &a->f);
    return GA_NO_ERROR;
  case GG_ATTR_INT:
    c->out[0] = gg_i64(c->g, a->i);
    return GA_NO_ERROR;
  case GG_ATTR_FLOATS:
    c->out[0] = gg_constant(c->g, GA_FLOAT, 1, &a->n_floats,
                            a->n_floats == 0 ? (const void *)"" : a->floats);
    return GA_NO_ERROR;
  case GG_ATTR_INTS:
    c->out[0] = gg_constant(c->g, GA_LONG, 1, &a->n_ints,
                            a->n_ints == 0 ? (const void *)"" : a->ints);
    return GA_NO_ERROR;
  default:
    return ga__fail(GA_UNSUPPORTED_ERROR, "attribute \"%s\"", a->name);
  }
}

/* The element of a tensor with one element, as a scalar. */
static int one_element(gg__onnx_call *c, const gg__onnx_tensor *t,
                       gg_var **out) {
  const void *elements = NULL;
  void *own = NULL;

  GA_TRY(gg__onnx_tensor_check(t, c->b->files));
  if (gg__onnx_tensor_count(t) != 1)
    return ga__fail(GA_VALUE_ERROR, "value has %zu elements, expected one",
                    gg__onnx_tensor_count(t));
  int err = gg__onnx_tensor_elements(t, c->b->files, &elements, &own);
  if (err == GA_NO_ERROR)
    *out = gg_constant(c->g, gg__onnx_dtype(t->type), 0, NULL, elements);
  ga__free(own);
  return err;
}

int gg__from_constant_of_shape(gg__onnx_call *c) {
  const gg__onnx_attr *a = gg__call_attr(c, "value");
  gg_var *sizes[GG_MAX_ND], *value = NULL;
  size_t n;

  GA_TRY(gg__call_sizes(c, 0, GG_MAX_ND, &n, sizes));
  if (a != NULL && a->t != NULL)
    GA_TRY(one_element(c, a->t, &value));
  else
    value = gg_f32(c->g, 0);
  c->out[0] = n == 0 ? value : gg_alloc(value, (unsigned int)n, sizes);
  return GA_NO_ERROR;
}

/* --- values by position --- */

int gg__from_eye_like(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const int64_t type = gg__call_int(c, "dtype", 0);
  const int dtype = type == 0 ? gg__dtype_of(x) : gg__onnx_dtype(type);

  if (gg__call_rank(c, 0) != 2)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 2",
                    gg__call_rank(c, 0));
  if (dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "elements of type %s",
                    gg__onnx_type_name(type));
  c->out[0] = gg_eye(gg__size_of(x, 0), gg__size_of(x, 1),
                     gg__call_int(c, "k", 0), dtype);
  return GA_NO_ERROR;
}

/* The first element of a vector; a scalar as it is. */
static gg_var *scalar_of(gg_var *x) {
  return x != NULL && gg_var_type(x)->nd == 1 ? gg_index(x, 0, 0) : x;
}

/* values[1] at the index along the new axis, values[0] elsewhere. */
int gg__from_one_hot(gg__onnx_call *c) {
  gg_var *index = gg__call_in(c, 0), *values = gg__call_in(c, 2), *depth;
  const unsigned int nd = gg__call_rank(c, 0);
  int64_t known;
  int axis;

  GA_TRY(gg__call_axis_attr(c, -1, nd + 1, &axis));
  GA_TRY(gg__call_size(c, 1, &depth));
  if (ga__dtype_kind(gg__dtype_of(gg__call_in(c, 1))) == GA_KIND_FLOAT)
    GA_TRY(gg__call_known_one(c, 1, &known)); /* calls decide integers only */
  gg_var *at = gg_cast(index, GA_LONG), *size = gg_cast(depth, GA_LONG);
  at = gg_where(gg_lt(at, gg__like(at, 0)), gg_add(at, size), at);
  gg_var *hot = gg_cast(gg_one_hot(at, size, GA_UBYTE), GA_BOOL);
  hot = gg_where(hot, gg_index(values, 0, 1), gg_index(values, 0, 0));
  c->out[0] = gg_moveaxis(hot, -1, axis);
  return GA_NO_ERROR;
}

/* Calls may decide integers. Floats must be known while the model is loaded,
 * because the size of the result depends on them. Narrow floats are computed
 * as float32. */
int gg__from_range(gg__onnx_call *c) {
  gg_var *start = scalar_of(gg__call_in(c, 0));
  gg_var *limit = scalar_of(gg__call_in(c, 1));
  gg_var *delta = scalar_of(gg__call_in(c, 2));
  const int dtype = gg__dtype_of(start);
  double from, to, by;
  int64_t n;

  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT) {
    c->out[0] = gg_cast(gg_arange(start, limit, delta), dtype);
    return GA_NO_ERROR;
  }
  GA_TRY(gg__call_known_float(c, 0, &from));
  GA_TRY(gg__call_known_float(c, 1, &to));
  GA_TRY(gg__call_known_float(c, 2, &by));
  const double steps = by == 0 ? 0 : (to - from) / by;
  if (steps >= 1e15)
    return ga__fail(GA_XLARGE_ERROR, "%g elements", steps);
  n = steps > 0 ? (int64_t)steps : 0;
  n += (double)n * by + from != to && steps > (double)n;
  gg_var *at = gg_arange(gg_i64(c->g, 0), gg_i64(c->g, n), gg_i64(c->g, 1));
  const int work = dtype == GA_DOUBLE ? GA_DOUBLE : GA_FLOAT;
  at = gg_mul(gg_cast(at, work), gg_cast(delta, work));
  c->out[0] = gg_cast(gg_add(gg_cast(start, work), at), dtype);
  return GA_NO_ERROR;
}

int gg__from_trilu(gg__onnx_call *c) {
  gg_var *const x = gg__call_in(c, 0);
  gg_var *const k =
      gg__call_has(c, 1) ? scalar_of(gg__call_in(c, 1)) : gg_i64(c->g, 0);

  c->out[0] = gg__call_int(c, "upper", 1) ? gg_triu_at(x, k) : gg_tril_at(x, k);
  return GA_NO_ERROR;
}

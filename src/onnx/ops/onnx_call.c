/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/ops/onnx_call.h"

#include <gpugraph/op.h>
#include <gpugraph/sizes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"

/* --- tensors to variables --- */

/* Elements that may decide what is built. */
#define MOST_KNOWN 64

/* Scalars and short vectors of integers become constants: they often are sizes,
 * which must be known. All others are weights, also those of one element. */
static int is_constant(const gg__onnx_tensor *t) {
  const size_t n = gg__onnx_tensor_count(t);

  return n == 0 || t->nd == 0 ||
         (t->nd == 1 && n <= MOST_KNOWN &&
          ga__dtype_kind(gg__onnx_dtype(t->type)) != GA_KIND_FLOAT);
}

static gg_var *make_var(gg__onnx_build *b, const gg__onnx_value *v,
                        int constant, const void *elements) {
  const gg__onnx_tensor *t = v->tensor;
  const int dtype = gg__onnx_dtype(t->type);
  size_t dims[GG_MAX_ND];

  for (size_t i = 0; i < t->nd; i++)
    dims[i] = (size_t)t->dims[i];
  if (constant)
    return gg_constant(b->g, dtype, (unsigned int)t->nd, dims, elements);
  return gg_shared_host(b->g, v->name, dtype, (unsigned int)t->nd, dims,
                        elements);
}

/* NULL on error. The graph has the error, unless no memory was left for the
 * elements. */
static gg_var *from_tensor(gg__onnx_build *b, const gg__onnx_value *v,
                           int constant) {
  const gg__onnx_tensor *t = v->tensor;
  const void *elements = NULL;
  void *own = NULL;
  gg_var *var = NULL;

  if ((b->dry || gg_graph_context(b->g) == NULL) && !constant)
    return gg_input_sized(b->g, v->name, gg__onnx_dtype(t->type),
                          (unsigned int)t->nd, t->dims);
  if (gg__onnx_tensor_elements(t, b->files, &elements, &own) == GA_NO_ERROR)
    var = make_var(b, v, constant, elements);
  ga__free(own);
  return var;
}

gg_var *gg__value_var(gg__onnx_build *b, gg__onnx_value *v) {
  if (v->var == NULL && v->tensor != NULL)
    v->var = from_tensor(b, v, is_constant(v->tensor));
  return v->var;
}

int gg__value_need(gg__onnx_build *b, gg__onnx_value *v, gg_var **out) {
  *out = gg__value_var(b, v);
  if (*out != NULL)
    return GA_NO_ERROR;
  if (v->tensor == NULL)
    return ga__fail(GA_VALUE_ERROR, "\"%s\" has no value", v->name);
  GA_TRY(gg_graph_status(b->g));
  return ga__fail_nomem();
}

/* --- inputs --- */

int gg__call_has(const gg__onnx_call *c, size_t i) {
  return i < c->n_in && c->in[i] != NULL;
}

gg_var *gg__call_in(gg__onnx_call *c, size_t i) {
  return gg__call_has(c, i) ? gg__value_var(c->b, c->in[i]) : NULL;
}

int gg__dtype_of(const gg_var *x) {
  return x == NULL ? -1 : gg_var_type(x)->dtype;
}

unsigned int gg__call_rank(gg__onnx_call *c, size_t i) {
  const gg_var *x = gg__call_in(c, i);

  return x == NULL ? 0 : gg_var_type(x)->nd;
}

/* --- elements of scalars and vectors --- */

#define TWO_63 9223372036854775808.0

static int64_t read_int(int dtype, const void *at) {
  int64_t v;

  if (dtype == GA_LONG) {
    memcpy(&v, at, sizeof v);
    return v;
  }
  const double x = ga__dtype_to_double(dtype, at);
  if (!(x >= -TWO_63))
    return x < 0 ? INT64_MIN : 0;
  return x < TWO_63 ? (int64_t)x : INT64_MAX;
}

/* Input i as an op reads it that needs its elements: short weights are
 * constants then, which graphs know. */
static gg_var *as_known(gg__onnx_call *c, size_t i) {
  const gg__onnx_value *v = gg__call_has(c, i) ? c->in[i] : NULL;

  if (v != NULL && v->tensor != NULL && !is_constant(v->tensor) &&
      gg__onnx_tensor_count(v->tensor) <= MOST_KNOWN)
    return from_tensor(c->b, v, 1);
  return gg__call_in(c, i);
}

/* Element k of x as a scalar. It is an int64 constant if it is known. */
static gg_var *element(gg_var *x, size_t k) {
  gg_var *v = gg_element(x, k);
  const void *data = v == NULL ? NULL : gg_var_data(v);

  return data == NULL
             ? v
             : gg_i64(gg_var_graph(v), read_int(gg__dtype_of(v), data));
}

/* GA_VALUE_ERROR unless input i has one element. */
static int check_one(const gg__onnx_call *c, size_t i, size_t n) {
  return n == 1 ? GA_NO_ERROR
                : ga__fail(GA_VALUE_ERROR, "input %zu \"%s\" is empty", i,
                           c->in[i]->name);
}

/* *x: input i, which must be a scalar, or a vector of at most `most` elements.
 * *n gets the number of elements. The dtype is not checked. */
static int find_elements(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                         gg_var **x) {
  *x = as_known(c, i);
  if (*x == NULL)
    return gg_graph_status(c->g) != GA_NO_ERROR
               ? ga__fail(GA_VALUE_ERROR, "%s", gg_graph_error(c->g))
               : ga__fail(GA_VALUE_ERROR, "input %zu is missing", i);
  const gg_type *t = gg_var_type(*x);
  if (t->nd > 1)
    return ga__fail(GA_VALUE_ERROR,
                    "input %zu \"%s\" has %u dimensions, expected a vector", i,
                    c->in[i]->name, t->nd);
  const int64_t size = t->nd == 0 ? 1 : t->dims[0];
  if (size < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the size of the vector \"%s\" (input %zu) is not known "
                    "while the model is loaded",
                    c->in[i]->name, i);
  if ((uint64_t)size > most)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "input %zu \"%s\" has %lld elements, at most %zu are "
                    "supported",
                    i, c->in[i]->name, (long long)size, most);
  *n = (size_t)size;
  return GA_NO_ERROR;
}

int gg__call_sizes(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   gg_var **out) {
  gg_var *x;

  GA_TRY(find_elements(c, i, most, n, &x));
  for (size_t k = 0; k < *n; k++)
    out[k] = element(x, k);
  return gg_graph_status(c->g);
}

static int fail_open(const gg__onnx_call *c, size_t i) {
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "the values of \"%s\" (input %zu) are not known while the "
                  "model is loaded",
                  c->in[i]->name, i);
}

int gg__call_known(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   int64_t *out) {
  gg_var *x;

  GA_TRY(find_elements(c, i, most, n, &x));
  for (size_t k = 0; k < *n; k++) {
    const gg_var *v = element(x, k);

    if (v == NULL)
      return gg_graph_status(c->g);
    if (gg_var_data(v) == NULL)
      return fail_open(c, i);
    out[k] = read_int(gg_var_type(v)->dtype, gg_var_data(v));
  }
  return GA_NO_ERROR;
}

int gg__call_known_one(gg__onnx_call *c, size_t i, int64_t *out) {
  size_t n;

  GA_TRY(gg__call_known(c, i, 1, &n, out));
  return check_one(c, i, n);
}

int gg__call_size(gg__onnx_call *c, size_t i, gg_var **out) {
  size_t n;

  GA_TRY(gg__call_sizes(c, i, 1, &n, out));
  return check_one(c, i, n);
}

int gg__call_known_float(gg__onnx_call *c, size_t i, double *out) {
  const gg_var *x = as_known(c, i);

  if (x == NULL || !gg_var_uniform(x, out))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the value of input %zu is not known while the model is "
                    "loaded",
                    i);
  return GA_NO_ERROR;
}

int gg__call_known_floats(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                          double *out) {
  gg_var *x;

  GA_TRY(find_elements(c, i, most, n, &x));
  for (size_t k = 0; k < *n; k++) {
    const gg_var *v = gg_element(x, k);

    if (v == NULL)
      return gg_graph_status(c->g);
    if (gg_var_data(v) == NULL)
      return fail_open(c, i);
    out[k] = ga__dtype_to_double(gg_var_type(v)->dtype, gg_var_data(v));
  }
  return GA_NO_ERROR;
}

/* --- attributes --- */

static const gg__onnx_attr *find(const gg__onnx_attr *list, size_t n,
                                 const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(list[i].name, name) == 0)
      return &list[i];
  return NULL;
}

/* In a function, an attribute may refer to one of the node that calls it. That
 * node may be in a function itself, so follow references to the end. */
const gg__onnx_attr *gg__call_attr(const gg__onnx_call *c, const char *name) {
  const gg__onnx_attr *a = find(c->node->attrs, c->node->n_attrs, name);
  const gg__onnx_scope *s = c->scope;

  while (a != NULL && a->ref != NULL && a->ref[0] != 0) {
    const char *ref = a->ref;

    while (s != NULL && s->function == NULL)
      s = s->outer;
    if (s == NULL)
      return NULL;
    a = find(s->caller->attrs, s->caller->n_attrs, ref);
    if (a == NULL)
      a = find(s->function->defaults, s->function->n_defaults, ref);
    s = s->caller_scope;
  }
  return a;
}

int64_t gg__call_int(const gg__onnx_call *c, const char *name,
                     int64_t missing) {
  const gg__onnx_attr *a = gg__call_attr(c, name);

  return a == NULL ? missing : a->i;
}

double gg__call_float(const gg__onnx_call *c, const char *name,
                      double missing) {
  const gg__onnx_attr *a = gg__call_attr(c, name);

  return a == NULL ? missing : (double)a->f;
}

const char *gg__call_text(const gg__onnx_call *c, const char *name,
                          const char *missing) {
  const gg__onnx_attr *a = gg__call_attr(c, name);

  return a == NULL ? missing : a->s;
}

int gg__call_word(const gg__onnx_call *c, const char *name, const char *missing,
                  const char *const *words, int *out) {
  const char *text = gg__call_text(c, name, missing);

  for (int i = 0; words[i] != NULL; i++)
    if (strcmp(words[i], text) == 0) {
      *out = i;
      return GA_NO_ERROR;
    }
  return ga__fail(GA_VALUE_ERROR, "%s is \"%s\"", name, text);
}

const int64_t *gg__call_ints(const gg__onnx_call *c, const char *name,
                             size_t *n) {
  const gg__onnx_attr *a = gg__call_attr(c, name);

  *n = a == NULL ? 0 : a->n_ints;
  return a == NULL ? NULL : a->ints;
}

/* --- axes and sizes --- */

int gg__call_axis(int64_t axis, unsigned int nd, int *out) {
  const int64_t n = (int64_t)nd;

  *out = 0;
  if (axis < -n || axis >= n)
    return ga__fail(GA_VALUE_ERROR, "axis %lld does not exist in %u dimensions",
                    (long long)axis, nd);
  *out = (int)(axis < 0 ? axis + n : axis);
  return GA_NO_ERROR;
}

int gg__call_axis_attr(const gg__onnx_call *c, int64_t missing, unsigned int nd,
                       int *out) {
  return gg__call_axis(gg__call_int(c, "axis", missing), nd, out);
}

gg_var *gg__size_of(gg_var *x, int axis) {
  if (x == NULL)
    return NULL;
  const gg_type *t = gg_var_type(x);
  const int64_t n = axis < (int)t->nd ? t->dims[axis] : GG_ANY;
  return n < 0 ? gg_shape(x, axis) : gg_i64(gg_var_graph(x), n);
}

gg_var *gg__like(gg_var *x, double value) {
  return x == NULL ? NULL : gg_scalar(gg_var_graph(x), gg__dtype_of(x), value);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter's loop: values by variable, inputs before users. */
#include "support/interp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "support/interp_ops.h"

struct interp {
  GA_VEC(tensor) value; /* by id; v is NULL where unknown */
  GA_VEC(unsigned char) bound;
  GA_VEC(const gg_var *) todo; /* stack */
};

/* --- tensors --- */

void tensor_make(tensor *t, unsigned int nd, const size_t *dims) {
  t->nd = nd;
  t->n = 1;
  for (unsigned int i = 0; i < nd; i++) {
    t->dim[i] = dims[i];
    t->n *= dims[i];
  }
  t->v = calloc(t->n + 1, sizeof *t->v);
  if (t->v == NULL)
    fail_msg("out of memory for %zu elements", t->n);
}

void tensor_coord(const tensor *t, size_t i, size_t *coord) {
  for (unsigned int k = t->nd; k-- > 0;) {
    coord[k] = i % t->dim[k];
    i /= t->dim[k];
  }
}

size_t tensor_at(const tensor *t, const size_t *coord) {
  size_t i = 0;

  for (unsigned int k = 0; k < t->nd; k++)
    i = i * t->dim[k] + (t->dim[k] == 1 ? 0 : coord[k]);
  return i;
}

static void tensor_drop(tensor *t) {
  free(t->v);
  memset(t, 0, sizeof *t);
}

/* --- conversions --- */

/* What an integer or bool dtype stores for `x`: truncated and wrapped. */
static double wrapped(int dtype, double x) {
  const ga__kind kind = ga__dtype_kind(dtype);
  const double range = ldexp(1, (int)(8 * ga__dtype_size(dtype)));

  if (kind == GA_KIND_BOOL)
    return x != 0;
  if (kind == GA_KIND_FLOAT)
    return x;
  x = fmod(trunc(x), range) + 0.0; /* integers have no -0 */
  if (kind == GA_KIND_INT && x >= range / 2)
    return x - range;
  if (kind == GA_KIND_INT && x < -range / 2)
    return x + range;
  return kind == GA_KIND_UINT && x < 0 ? x + range : x;
}

/* What a float becomes in `dtype`: the nearest integer of its range. */
static double saturated(int dtype, double x) {
  const double range = ldexp(1, (int)(8 * ga__dtype_size(dtype)));
  const ga__kind kind = ga__dtype_kind(dtype);
  const double lo = kind == GA_KIND_INT ? -range / 2 : 0;

  if (kind != GA_KIND_INT && kind != GA_KIND_UINT)
    return wrapped(dtype, x);
  /* integers have no -0 */
  return isnan(x) ? 0 : fmin(fmax(trunc(x), lo), lo + range - 1) + 0.0;
}

static void load(tensor *t, int dtype, const void *data) {
  for (size_t i = 0; i < t->n; i++)
    t->v[i] = ga__dtype_to_double(dtype, (const char *)data +
                                             i * ga__dtype_size(dtype));
}

/* --- elementwise ops --- */

static void broadcast_dims(const gg_apply *a, const tensor *const *in,
                           size_t *dims) {
  for (unsigned int k = 0; k < in[0]->nd; k++) {
    dims[k] = 1;
    for (unsigned int i = 0; i < a->n_in; i++) {
      if (in[i]->nd != in[0]->nd)
        fail_msg("%s: ranks %u and %u", a->op->name, in[0]->nd, in[i]->nd);
      if (dims[k] == 1)
        dims[k] = in[i]->dim[k];
      if (in[i]->dim[k] != 1 && in[i]->dim[k] != dims[k])
        fail_msg("%s: dim %u: %zu and %zu", a->op->name, k, dims[k],
                 in[i]->dim[k]);
    }
  }
}

/* The reference's function, or for ops it has no name for, the op's own. */
static double scalar_of(const gg_apply *a, const double *x) {
  int known;
  double y = interp_scalar(a->op->name, x, &known);

  if (known)
    return y;
  const gg_code *code = gg_apply_code(a);
  if (code == NULL || code->eval == NULL)
    fail_msg("interp: no elementwise op %s", a->op->name);
  return code->eval(x);
}

static void elementwise(const gg_apply *a, const tensor *const *in,
                        tensor *out) {
  size_t dims[GG_MAX_ND], coord[GG_MAX_ND], i;
  double x[8];

  broadcast_dims(a, in, dims);
  tensor_make(out, in[0]->nd, dims);
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    for (unsigned int k = 0; k < a->n_in; k++)
      x[k] = in[k]->v[tensor_at(in[k], coord)];
    out->v[i] = scalar_of(a, x);
  }
}

/* --- the loop --- */

interp *interp_new(void) {
  return calloc(1, sizeof(interp));
}

void interp_free(interp *it) {
  if (it == NULL)
    return;
  for (size_t i = 0; i < it->value.n; i++)
    tensor_drop(&it->value.v[i]);
  ga__vec_clear(&it->value);
  ga__vec_clear(&it->bound);
  ga__vec_clear(&it->todo);
  free(it);
}

static void make_room(interp *it, const gg_graph *g) {
  static const tensor none;

  while (it->value.n < g->vars.n)
    if (ga__vec_push(&it->value, none) != GA_NO_ERROR ||
        ga__vec_push(&it->bound, 0) != GA_NO_ERROR)
      fail_msg("out of memory");
}

void interp_bind(interp *it, const gg_var *v, unsigned int nd,
                 const size_t *dims, const double *data) {
  make_room(it, v->graph);
  for (size_t i = 0; i < it->value.n; i++)
    if (!it->bound.v[i] || i == v->id)
      tensor_drop(&it->value.v[i]);
  it->bound.v[v->id] = 1;
  tensor_make(&it->value.v[v->id], nd, dims);
  for (size_t i = 0; i < it->value.v[v->id].n; i++)
    it->value.v[v->id].v[i] = wrapped(v->type.dtype, data[i]);
}

static void load_leaf(const gg_var *v, tensor *t) {
  size_t dims[GG_MAX_ND];

  if (v->kind == GG_VAR_INPUT)
    fail_msg("interp: input '%s' is not bound", v->name);
  for (unsigned int i = 0; i < v->type.nd; i++)
    dims[i] = v->kind == GG_VAR_CONST ? (size_t)v->type.dims[i]
                                      : v->storage->value.dimensions[i];
  tensor_make(t, v->type.nd, dims);
  if (v->kind == GG_VAR_CONST) {
    load(t, v->type.dtype, v->data);
    return;
  }
  void *data = malloc(t->n * ga__dtype_size(v->type.dtype) + 1);
  assert_non_null(data);
  test_gather(&v->storage->value, data);
  load(t, v->type.dtype, data);
  free(data);
}

/* The static type must be true of the value. */
static void check_type(const gg_var *v, const tensor *t) {
  if (t->nd != v->type.nd)
    fail_msg("interp: %s has rank %u, its type %u",
             v->owner != NULL ? v->owner->op->name : v->name, t->nd,
             v->type.nd);
  for (unsigned int i = 0; i < t->nd; i++)
    if (v->type.dims[i] != GG_ANY && (size_t)v->type.dims[i] != t->dim[i])
      fail_msg("interp: %s: dim %u is %zu, its type says %lld",
               v->owner != NULL ? v->owner->op->name : v->name, i, t->dim[i],
               (long long)v->type.dims[i]);
}

static void compute(interp *it, const gg_var *v) {
  const gg_apply *a = v->owner;
  const tensor *in[128];
  tensor *out = &it->value.v[v->id];

  if (a->n_in > 128 || gg_var_index(v) > 1)
    fail_msg("interp: %s has %u inputs, %u outputs", a->op->name, a->n_in,
             a->n_out);
  for (size_t i = 0; i < a->n_in; i++)
    in[i] = &it->value.v[a->in[i]->id];
  interp_fn fn = interp_find(a->op->name, gg_var_index(v));
  if (fn == NULL && a->op->kind != GG_OP_ELEMWISE)
    fail_msg("interp: no op %s", a->op->name);
  if (fn != NULL)
    fn(a, in, out);
  else
    elementwise(a, in, out);
  const int saturates =
      strcmp(a->op->name, "cast") == 0 && gg__is_float(a->in[0]);
  for (size_t i = 0; i < out->n; i++)
    out->v[i] = saturates ? saturated(v->type.dtype, out->v[i])
                          : wrapped(v->type.dtype, out->v[i]);
}

/* Push the inputs of `v` that have no value; nonzero if there are any. */
static int push_inputs(interp *it, const gg_var *v) {
  const gg_apply *a = v->owner;
  unsigned int n = 0;

  for (unsigned int i = 0; a != NULL && i < a->n_in; i++)
    if (it->value.v[a->in[i]->id].v == NULL) {
      if (ga__vec_push(&it->todo, a->in[i]) != GA_NO_ERROR)
        fail_msg("out of memory");
      n++;
    }
  return n != 0;
}

const tensor *interp_eval(interp *it, gg_var *v) {
  assert_non_null(v);
  make_room(it, v->graph);
  it->todo.n = 0;
  if (ga__vec_push(&it->todo, v) != GA_NO_ERROR)
    fail_msg("out of memory");
  while (it->todo.n > 0) {
    const gg_var *top = it->todo.v[it->todo.n - 1];
    if (it->value.v[top->id].v == NULL && push_inputs(it, top))
      continue;
    it->todo.n--;
    if (it->value.v[top->id].v != NULL)
      continue;
    if (top->owner == NULL)
      load_leaf(top, &it->value.v[top->id]);
    else
      compute(it, top);
    check_type(top, &it->value.v[top->id]);
  }
  return &it->value.v[v->id];
}

double interp_number(interp *it, gg_var *v) {
  const tensor *t = interp_eval(it, v);

  assert_int_equal(t->n, 1);
  return t->v[0];
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and tensors of a model that is being written, as fields of onnx.proto.
 */
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/format/wire_out.h"
#include "onnx/model.h"
#include "onnx/save/saving.h"

/* --- nodes --- */

static void put_attr(ga__strb *node, const gg__out_attr *a) {
  ga__strb m = GA_STRB_INIT;

  gg__put_text(&m, 1, a->name);
  switch (a->kind) {
  case GG_ATTR_FLOAT:
    gg__put_float(&m, 2, (float)a->f);
    break;
  case GG_ATTR_INT:
    gg__put_int(&m, 3, a->i);
    break;
  case GG_ATTR_STRING:
    gg__put_text(&m, 4, a->s);
    break;
  case GG_ATTR_GRAPH:
    gg__put_message(&m, 6, a->graph);
    break;
  default:
    for (size_t i = 0; i < a->n; i++)
      gg__put_int(&m, 8, a->ints[i]);
  }
  gg__put_int(&m, 20, a->kind);
  gg__put_message(node, 5, &m);
  ga__strb_clear(&m);
}

static void put_node(gg__save *s, const char *op, size_t n_in,
                     const gg__name *in, const gg__out_attr *attrs,
                     size_t n_out, const gg__name *out) {
  ga__strb node = GA_STRB_INIT;

  for (size_t i = 0; i < n_in; i++)
    gg__put_text(&node, 1, in[i]);
  for (size_t i = 0; i < n_out; i++)
    gg__put_text(&node, 2, out[i]);
  gg__put_text(&node, 3, out[0]); /* ONNX Runtime tells nodes apart by names */
  gg__put_text(&node, 4, op);
  for (; attrs != NULL && attrs->name != NULL; attrs++)
    put_attr(&node, attrs);
  gg__put_message(&s->frame->nodes, 1, &node);
  ga__strb_clear(&node);
  if (s->err == GA_NO_ERROR)
    s->err = s->frame->nodes.err;
}

void gg__node_as(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                 const gg__out_attr *attrs, gg__name out) {
  if (s->err == GA_NO_ERROR)
    put_node(s, op, n_in, in, attrs, 1, &out);
}

void gg__node_outs(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                   const gg__out_attr *attrs, size_t n_out, gg__name *out) {
  int known = s->err == GA_NO_ERROR;

  for (size_t i = 0; i < n_in; i++)
    known &= in[i] != NULL;
  for (size_t i = 0; i < n_out; i++) {
    out[i] = known ? gg__save_name(s, op) : NULL;
    known &= out[i] != NULL;
  }
  if (known)
    put_node(s, op, n_in, in, attrs, n_out, out);
}

gg__name gg__node(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                  const gg__out_attr *attrs) {
  gg__name out;

  gg__node_outs(s, op, n_in, in, attrs, 1, &out);
  return out;
}

/* --- tensors --- */

static gg__name add_tensor(gg__save *s, const char *wish, gg__out_tensor t) {
  t.name = gg__save_name(s, wish);
  if (t.name == NULL)
    return NULL;
  if (ga__vec_push(&s->tensors, t) != GA_NO_ERROR)
    s->err = GA_MEMORY_ERROR;
  return t.name;
}

static gg__out_tensor tensor_of(gg__save *s, int dtype, unsigned int nd,
                                const int64_t *dims) {
  gg__out_tensor t = {.dtype = dtype, .nd = nd};

  t.dims = ga__arena_dup(&s->arena, dims, nd * sizeof *dims + (nd == 0));
  t.bytes = ga__dtype_size(dtype);
  for (unsigned int i = 0; i < nd; i++)
    t.bytes *= (size_t)dims[i];
  if (t.dims == NULL)
    s->err = ga__fail_nomem();
  return t;
}

/* The constant with these elements, which stands in the main graph, once. */
static gg__name constant(gg__save *s, const char *wish, int dtype,
                         unsigned int nd, const int64_t *dims,
                         const void *data) {
  gg__out_tensor t = tensor_of(s, dtype, nd, dims);
  ga__strb key = GA_STRB_INIT;
  gg__name name = NULL;

  if (s->err != GA_NO_ERROR)
    return NULL;
  ga__strb_appendf(&key, "%d %u ", dtype, nd);
  ga__strb_append_n(&key, (const char *)dims, nd * sizeof *dims);
  ga__strb_append_n(&key, data, t.bytes);
  s->err = key.err;
  if (s->err == GA_NO_ERROR)
    name = ga__map_get(&s->constants, key.s, key.n);
  if (name == NULL && s->err == GA_NO_ERROR) {
    t.data = t.bytes == 0 ? "" : ga__arena_dup(&s->arena, data, t.bytes);
    s->err = t.data == NULL ? ga__fail_nomem() : GA_NO_ERROR;
    name = add_tensor(s, wish, t);
    if (name != NULL)
      s->err =
          ga__map_put(&s->constants, key.s, key.n, (void *)(uintptr_t)name);
  }
  ga__strb_clear(&key);
  return s->err == GA_NO_ERROR ? name : NULL;
}

/* The sizes that the value of a shared variable has now. */
static int present_sizes(const gg_var *v, int64_t *dims) {
  GpuArray now = {0};

  GA_TRY(gg_shared_view(v, &now));
  for (unsigned int i = 0; i < now.nd; i++)
    dims[i] = (int64_t)now.dimensions[i];
  GpuArray_clear(&now);
  return GA_NO_ERROR;
}

static gg__name shared(gg__save *s, const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  int64_t dims[GG_MAX_ND];

  if (present_sizes(v, dims) != GA_NO_ERROR) {
    gg_graph_reset_error(s->g);
    return gg__save_problem(s, NULL,
                            "\"%s\" is neither an input of the function nor a "
                            "shared variable with a value",
                            gg_var_name(v));
  }
  gg__out_tensor tensor = tensor_of(s, t->dtype, t->nd, dims);
  tensor.shared = v;
  return add_tensor(s, gg_var_name(v)[0] != '\0' ? gg_var_name(v) : "shared",
                    tensor);
}

/* A complex constant: pairs along one more axis. */
static gg__name pairs(gg__save *s, const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  int64_t dims[GG_MAX_ND + 1];

  memcpy(dims, t->dims, t->nd * sizeof *dims);
  dims[t->nd] = 2;
  return constant(s, "constant", ga__dtype_real(t->dtype), t->nd + 1, dims,
                  gg_var_data(v));
}

gg__name gg__save_leaf(gg__save *s, const gg_var *v) {
  const gg_type *t = gg_var_type(v);

  if (ga__dtype_is_complex(t->dtype) && gg_var_data(v) != NULL)
    return pairs(s, v);
  if (gg__onnx_type_of(t->dtype) == 0)
    return gg__save_problem(s, NULL, "\"%s\": a model has no %s",
                            gg_var_name(v), ga__dtype_name(t->dtype));
  if (gg_var_data(v) == NULL)
    return shared(s, v);
  return constant(s, gg_var_name(v)[0] != '\0' ? gg_var_name(v) : "constant",
                  t->dtype, t->nd, t->dims, gg_var_data(v));
}

gg__name gg__ints(gg__save *s, size_t n, const int64_t *v) {
  const int64_t size = (int64_t)n;

  return constant(s, "constant", GA_LONG, 1, &size, v);
}

gg__name gg__scalar_name(gg__save *s, int dtype, double v) {
  const int64_t none = 0;
  char item[16];

  ga__dtype_from_double(dtype, item, v);
  return constant(s, "constant", dtype, 0, &none, item);
}

void gg__put_value(ga__strb *graph, uint32_t id, gg__name name, int dtype,
                   const ga__strb *shape) {
  ga__strb tensor = GA_STRB_INIT, type = GA_STRB_INIT, info = GA_STRB_INIT;

  gg__put_int(&tensor, 1, gg__onnx_type_of(dtype));
  gg__put_message(&tensor, 2, shape);
  gg__put_message(&type, 1, &tensor);
  gg__put_text(&info, 1, name);
  gg__put_message(&info, 2, &type);
  gg__put_message(graph, id, &info);
  ga__strb_clear(&tensor);
  ga__strb_clear(&type);
  ga__strb_clear(&info);
}

/* --- short forms --- */

gg__name gg__two(gg__save *s, const char *op, gg__name x, gg__name y) {
  return gg__node(s, op, GG_IN(x, y), NULL);
}

gg__name gg__gather_name(gg__save *s, gg__name x, gg__name index,
                         int64_t axis) {
  return gg__node(s, "Gather", GG_IN(x, index),
                  GG_ATTRS(GG_A_INT("axis", axis)));
}

gg__name gg__cast_name(gg__save *s, gg__name x, int dtype) {
  return gg__node(s, "Cast", GG_IN(x),
                  GG_ATTRS(GG_A_INT("to", gg__onnx_type_of(dtype))));
}

static const int64_t first_axis[] = {0};

gg__name gg__as_scalar(gg__save *s, gg__name x) {
  return gg__node(s, "Squeeze", GG_IN(x, gg__ints(s, 1, first_axis)), NULL);
}

gg__name gg__as_vector(gg__save *s, gg__name x) {
  return gg__node(s, "Unsqueeze", GG_IN(x, gg__ints(s, 1, first_axis)), NULL);
}

gg__name gg__size_vector(gg__save *s, gg_var *v, unsigned int axis) {
  const gg_type *t = gg_var_type(v);
  gg_apply *a = gg_var_owner(v);

  if (t->dims[axis] != GG_ANY)
    return gg__ints(s, 1, &t->dims[axis]);
  if (a != NULL && strcmp(a->op->name, "extent") == 0)
    return gg__scalars(s, 1, &a->in[axis]);
  return gg__node(s, "Shape", GG_IN(gg__name_of(s, v)),
                  GG_ATTRS(GG_A_INT("start", axis), GG_A_INT("end", axis + 1)));
}

gg__name gg__shape_name(gg__save *s, gg_var *v) {
  const gg_type *t = gg_var_type(v);
  gg_apply *a = gg_var_owner(v);
  int known = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    known &= t->dims[i] != GG_ANY;
  if (known)
    return gg__ints(s, t->nd, t->dims);
  if (a != NULL && strcmp(a->op->name, "extent") == 0)
    return gg__scalars(s, a->n_in, a->in);
  return gg__node(s, "Shape", GG_IN(gg__name_of(s, v)), NULL);
}

/* A scalar as a vector of one int64. */
static gg__name one_of(gg__save *s, gg_var *v) {
  gg__name x = gg__name_of(s, v);

  if (gg_var_type(v)->dtype != GA_LONG)
    x = gg__cast_name(s, x, GA_LONG);
  return gg__as_vector(s, x);
}

/* Set known[] to n scalars. Returns 0 if they are not all int64 constants. */
static int all_known(unsigned int n, gg_var *const *scalars, int64_t *known) {
  for (unsigned int i = 0; i < n; i++) {
    const void *data = gg_var_data(scalars[i]);

    if (data == NULL || gg_var_type(scalars[i])->dtype != GA_LONG)
      return 0;
    memcpy(&known[i], data, sizeof *known);
  }
  return 1;
}

gg__name gg__scalars(gg__save *s, unsigned int n, gg_var *const *scalars) {
  gg__name *parts = ga__arena_alloc(&s->arena, (n + 1) * sizeof *parts);
  int64_t *known = ga__arena_alloc(&s->arena, (n + 1) * sizeof *known);

  if (parts == NULL || known == NULL) {
    s->err = ga__fail_nomem();
    return NULL;
  }
  if (all_known(n, scalars, known))
    return gg__ints(s, n, known);
  for (unsigned int i = 0; i < n; i++)
    parts[i] = one_of(s, scalars[i]);
  return n == 1
             ? parts[0]
             : gg__node(s, "Concat", n, parts, GG_ATTRS(GG_A_INT("axis", 0)));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Types, and the leaves that hold no device memory: inputs and constants. */
#include <gpuarray/device.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "base/sha256.h"
#include "graph/graph.h"
#include "ops/value_size.h"

/* --- types --- */

char *gg_type_text(const gg_type *t, char *buf, size_t bytes) {
  size_t n = 0;
  int k = 0;

  if (bytes == 0)
    return buf;
  buf[0] = '\0';
  k = snprintf(buf, bytes, "%s%s", ga__dtype_name(t->dtype),
               t->nd != 0 ? "[" : "");
  for (unsigned int i = 0; i < t->nd && k >= 0 && n + (size_t)k < bytes; i++) {
    n += (size_t)k;
    if (t->dims[i] == GG_ANY)
      k = snprintf(buf + n, bytes - n, "?");
    else
      k = snprintf(buf + n, bytes - n, "%lld", (long long)t->dims[i]);
    if (k < 0 || n + (size_t)k >= bytes)
      break;
    n += (size_t)k;
    k = snprintf(buf + n, bytes - n, "%s", i + 1 < t->nd ? ", " : "]");
  }
  return buf;
}

int64_t gg__type_size(const gg_type *t) {
  int64_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] == GG_ANY)
      return GG_ANY;
    n *= t->dims[i];
  }
  return n;
}

int gg__type_equal(const gg_type *a, const gg_type *b) {
  if (a->dtype != b->dtype || a->nd != b->nd || a->ctx != b->ctx)
    return 0;
  for (unsigned int i = 0; i < a->nd; i++)
    if (a->dims[i] != b->dims[i])
      return 0;
  return 1;
}

int gg__type_fits(const gg_type *from, const gg_type *to) {
  if (from->dtype != to->dtype || from->nd != to->nd)
    return 0;
  for (unsigned int i = 0; i < from->nd; i++)
    if (from->dims[i] != to->dims[i] && from->dims[i] != GG_ANY &&
        to->dims[i] != GG_ANY)
      return 0;
  return 1;
}

/* Fill *t. Fail if a variable cannot have this type. */
static int make_type(gg_type *t, gg_graph *g, gpucontext *ctx, int dtype,
                     unsigned int nd, const int64_t *dims) {
  const ga__kind kind = ga__dtype_kind(dtype);

  memset(t, 0, sizeof *t);
  t->dtype = ga__dtype_canon(dtype);
  t->nd = nd;
  t->ctx = ctx;
  if (kind == GA_KIND_NONE)
    return gg__fail(g, GA_VALUE_ERROR, "%d is not a dtype", dtype);
  if (nd > GG_MAX_ND)
    return gg__fail(g, GA_VALUE_ERROR, "%u dimensions are more than %d", nd,
                    GG_MAX_ND);
  for (unsigned int i = 0; i < nd; i++) {
    t->dims[i] = dims != NULL ? dims[i] : GG_ANY;
    if (t->dims[i] < 0 && t->dims[i] != GG_ANY)
      return gg__fail(g, GA_VALUE_ERROR, "dim %u: %lld is not a size", i,
                      (long long)dims[i]);
  }
  if (!gg__sizes_fit(nd, t->dims))
    return gg__fail(g, GA_XLARGE_ERROR, "the sizes are too large");
  return GA_NO_ERROR;
}

/* --- creating --- */

gg_var *gg__var_new(gg_graph *g, gg__var_kind kind, const gg_type *type,
                    const char *name) {
  gg_var *v = ga__arena_alloc(&g->arena, sizeof *v);

  if (v == NULL)
    goto nomem;
  v->kind = kind;
  v->graph = g;
  v->name = "";
  if (type != NULL)
    v->type = *type;
  if (name != NULL && name[0] != '\0')
    v->name = ga__arena_strdup(&g->arena, name);
  if (v->name == NULL || !gg__site_keep(g, &v->site))
    goto nomem;
  if (kind == GG_VAR_COMPUTED)
    return v;
  v->id = (unsigned int)g->vars.n;
  if (ga__vec_push(&g->vars, v) == GA_NO_ERROR)
    return v;
nomem:
  gg__fail_nomem(g);
  return NULL;
}

/* --- inputs --- */

gg_var *gg_input(gg_graph *g, const char *name, int dtype, unsigned int nd) {
  return gg_input_sized(g, name, dtype, nd, NULL);
}

gg_var *gg_input_sized(gg_graph *g, const char *name, int dtype,
                       unsigned int nd, const int64_t *dims) {
  gg_type t;

  if (g == NULL || make_type(&t, g, g->ctx, dtype, nd, dims) != GA_NO_ERROR)
    return NULL;
  return gg__var_new(g, GG_VAR_INPUT, &t, name);
}

gg_var *gg_input_in(gg_graph *g, gpucontext *ctx, const char *name, int dtype,
                    unsigned int nd, const int64_t *dims) {
  gg_type t;

  if (g == NULL)
    return NULL;
  if (!gpucontext_alive(ctx)) {
    gg__fail(g, GA_VALUE_ERROR, "input %s: the context is gone",
             name != NULL ? name : "");
    return NULL;
  }
  if (make_type(&t, g, ctx, dtype, nd, dims) != GA_NO_ERROR)
    return NULL;
  return gg__var_new(g, GG_VAR_INPUT, &t, name);
}

/* --- constants --- */

/* Write the key of a constant to g->key: its type, and its bytes or, if there
 * are many, their digest. A weak one has more of both. */
static int make_key(gg_graph *g, const gg_type *t, const void *data,
                    size_t bytes, unsigned char weak) {
  unsigned char digest[GA_SHA256_BYTES];
  ga__sha256 sha;

  ga__strb_reset(&g->key);
  ga__strb_append_n(&g->key, (const char *)&t->dtype, sizeof t->dtype);
  ga__strb_append_n(&g->key, (const char *)&t->nd, sizeof t->nd);
  ga__strb_append_n(&g->key, (const char *)t->dims, t->nd * sizeof t->dims[0]);
  ga__strb_append_n(&g->key, (const char *)&t->ctx, sizeof t->ctx);
  if (bytes <= sizeof digest) {
    ga__strb_append_n(&g->key, data, bytes);
    if (weak) {
      ga__strb_append_n(&g->key, (const char *)&((const gg__weak *)data)->value,
                        sizeof(double));
      ga__strb_append_n(&g->key, (const char *)&weak, sizeof weak);
    }
  } else {
    ga__sha256_init(&sha);
    ga__sha256_add(&sha, data, bytes);
    ga__sha256_end(&sha, digest);
    ga__strb_append_n(&g->key, (const char *)digest, sizeof digest);
  }
  return g->key.err;
}

/* `data` are the elements, or a gg__weak. */
static gg_var *constant(gg_graph *g, const gg_type *t, const void *data,
                        gg_weakness weak) {
  const size_t bytes = (size_t)gg__type_size(t) * ga__dtype_size(t->dtype);

  if (bytes == 0)
    data = "";
  if (make_key(g, t, data, bytes, (unsigned char)weak) != GA_NO_ERROR)
    goto nomem;
  gg_var *v = ga__map_get(&g->consts, ga__strb_text(&g->key), g->key.n);
  if (v != NULL)
    return v;
  v = gg__var_new(g, GG_VAR_CONST, t, NULL);
  if (v == NULL)
    return NULL;
  GA_ASSERT(gg__type_size(t) >= 0);
  v->data_bytes = bytes;
  v->weak = (unsigned char)weak;
  v->data = ga__arena_dup(&g->arena, data, weak ? sizeof(gg__weak) : bytes);
  if (v->data != NULL && ga__map_put(&g->consts, ga__strb_text(&g->key),
                                     g->key.n, v) == GA_NO_ERROR)
    return v;
  g->vars.n--;
nomem:
  gg__fail_nomem(g);
  return NULL;
}

/* The memory for the key is there since v was created. */
void gg__constant_forget(const gg_var *v) {
  gg_graph *g = v->graph;

  if (make_key(g, &v->type, v->data, v->data_bytes, v->weak) == GA_NO_ERROR)
    ga__map_remove(&g->consts, ga__strb_text(&g->key), g->key.n);
}

gg_var *gg_constant(gg_graph *g, int dtype, unsigned int nd, const size_t *dims,
                    const void *value) {
  int64_t sizes[GG_MAX_ND];
  gg_type t;

  if (g == NULL)
    return NULL;
  if (dims == NULL && nd != 0) {
    gg__fail(g, GA_VALUE_ERROR, "gg_constant: the sizes are NULL");
    return NULL;
  }
  for (unsigned int i = 0; i < nd && i < GG_MAX_ND; i++)
    sizes[i] = (int64_t)ga__at_most(dims[i], INT64_MAX);
  if (make_type(&t, g, NULL, dtype, nd, sizes) != GA_NO_ERROR)
    return NULL;
  if (value == NULL && gg__type_size(&t) != 0) {
    gg__fail(g, GA_VALUE_ERROR, "gg_constant: the value is NULL");
    return NULL;
  }
  return constant(g, &t, value, GG_STRONG);
}

gg_var *gg__constant_in(const gg_var *v, gpucontext *ctx) {
  gg_type t = v->type;

  t.ctx = ctx;
  gg_var *w = constant(v->graph, &t, v->data, GG_STRONG);
  if (w != NULL && w->name[0] == '\0')
    gg_named(w, v->name);
  return w;
}

gg_var *gg_scalar(gg_graph *g, int dtype, double value) {
  double room[2]; /* enough for any element */

  memset(room, 0, sizeof room);
  ga__dtype_from_double(dtype, room, value);
  return gg_constant(g, dtype, 0, NULL, room);
}

gg_var *gg_f32(gg_graph *g, float value) {
  return gg_constant(g, GA_FLOAT, 0, NULL, &value);
}

gg_var *gg_f64(gg_graph *g, double value) {
  return gg_constant(g, GA_DOUBLE, 0, NULL, &value);
}

gg_var *gg_i64(gg_graph *g, int64_t value) {
  return gg_constant(g, GA_LONG, 0, NULL, &value);
}

gg_var *gg_weak(gg_graph *g, double value) {
  const gg__weak data = {.element.real = (float)value, .value = value};
  const gg_type t = {.dtype = GA_FLOAT};

  return g != NULL ? constant(g, &t, &data, GG_WEAK_REAL) : NULL;
}

gg_var *gg_weak_int(gg_graph *g, int64_t value) {
  const gg__weak data = {.element.whole = value, .value = (double)value};
  const gg_type t = {.dtype = GA_LONG};

  return g != NULL ? constant(g, &t, &data, GG_WEAK_INT) : NULL;
}

gg_weakness gg_var_weak(const gg_var *v, double *value) {
  if (v == NULL || v->weak == GG_STRONG)
    return GG_STRONG;
  *value = ((const gg__weak *)v->data)->value;
  return (gg_weakness)v->weak;
}

const void *gg_var_data(const gg_var *v) {
  return v != NULL ? v->data : NULL;
}

int gg_var_uniform(const gg_var *v, double *value) {
  if (v == NULL || v->kind != GG_VAR_CONST || v->data_bytes == 0)
    return 0;
  const char *p = v->data;
  size_t size = ga__dtype_size(v->type.dtype);
  for (size_t i = size; i < v->data_bytes; i += size)
    if (memcmp(p, p + i, size) != 0)
      return 0;
  *value = ga__dtype_to_double(v->type.dtype, p);
  if (!gg__is_complex(v))
    return 1;
  /* The scalar of a complex constant must be all of it. */
  const double im =
      ga__dtype_to_double(ga__dtype_real(v->type.dtype), p + size / 2);
  return im == 0 && !signbit(im);
}

/* --- all variables --- */

gg_var *gg__clone_leaf(gg_graph *g, const gg_var *v) {
  const gg__site old = gg__site_from(g, v);
  gg_var *w;

  if (v->kind == GG_VAR_CONST) {
    w = constant(g, &v->type, v->data, GG_STRONG);
    if (w != NULL && w->name[0] == '\0')
      gg_named(w, v->name);
  } else {
    w = gg__var_new(g, v->kind, &v->type, v->name);
    if (w != NULL) {
      w->is_body = v->is_body;
      w->by_data = v->by_data;
    }
    if (w != NULL && v->kind == GG_VAR_SHARED)
      w->storage = gg__storage_retain(v->storage);
    if (w != NULL && gg__size_names_copy(w, v) != GA_NO_ERROR)
      w = NULL;
  }
  g->from = old;
  return w;
}

const gg_type *gg_var_type(const gg_var *v) {
  return v != NULL ? &v->type : NULL;
}

const char *gg_var_name(const gg_var *v) {
  return v != NULL ? v->name : "";
}

gg_var *gg_named(gg_var *v, const char *name) {
  if (v == NULL || name == NULL)
    return v;
  char *copy = ga__arena_strdup(&v->graph->arena, name);
  if (copy == NULL) {
    gg__fail_nomem(v->graph);
    return NULL;
  }
  v->name = copy;
  return v;
}

gg_graph *gg_var_graph(const gg_var *v) {
  return v != NULL ? v->graph : NULL;
}

/* The label is the value if all elements are equal. */
static void constant_label(const gg_var *v, char *buf, size_t bytes) {
  int64_t whole;
  double x;

  if (!gg_var_uniform(v, &x)) {
    snprintf(buf, bytes, "constant");
  } else if (v->type.dtype == GA_LONG) {
    memcpy(&whole, v->data, sizeof whole);
    snprintf(buf, bytes, "%lld", (long long)whole);
  } else {
    snprintf(buf, bytes, "%.9g", x);
  }
}

static void computed_label(const gg_var *v, char *buf, size_t bytes) {
  const gg_apply *a = v->owner;
  char props[128] = "", which[16] = "";

  if (a->op->print != NULL)
    a->op->print(a, props, sizeof props);
  if (a->n_out > 1)
    snprintf(which, sizeof which, ".%u", v->index);
  if (props[0] != '\0')
    snprintf(buf, bytes, "%s{%s}%s", a->op->name, props, which);
  else
    snprintf(buf, bytes, "%s%s", a->op->name, which);
}

char *gg__var_label(const gg_var *v, char *buf, size_t bytes) {
  const int named = v->name[0] != '\0';

  switch (v->kind) {
  case GG_VAR_INPUT:
    snprintf(buf, bytes, "%s", named ? v->name : "input");
    break;
  case GG_VAR_SHARED:
    snprintf(buf, bytes, named ? "%s (shared)" : "%sshared", v->name);
    break;
  case GG_VAR_CONST:
    constant_label(v, buf, bytes);
    break;
  default:
    computed_label(v, buf, bytes);
    break;
  }
  return buf;
}

const char *gg__display_name(const gg_var *v) {
  if (v->name[0] != '\0')
    return v->name;
  if (v->owner != NULL)
    return v->owner->op->name;
  return v->kind == GG_VAR_CONST ? "a constant" : "an unnamed variable";
}

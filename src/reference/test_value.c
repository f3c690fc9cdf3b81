/* SPDX-License-Identifier: BSD-2-Clause */
/* Test values: the host computes nodes while the graph is built. */
#include <gpugraph/debug.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/value_size.h"
#include "reference/reference.h"

/* --- leaves --- */

/* Give `v` a test value of these sizes. Takes ownership of `data`
 * (ga__malloc), also on failure. */
static int put_value(gg_var *v, const gg_dims *dims, void *data) {
  gg__host *x = ga__arena_alloc(&v->graph->arena, sizeof *x);

  if (x == NULL || ga__vec_push(&v->graph->tests, data) != GA_NO_ERROR) {
    ga__free(data);
    return gg__fail_nomem(v->graph);
  }
  x->dims = *dims;
  x->data = data;
  v->test = x;
  return GA_NO_ERROR;
}

static int check_input(const gg_var *v, const size_t *dims) {
  char type[160];

  if (v->kind != GG_VAR_INPUT)
    return gg__fail(v->graph, GA_VALUE_ERROR, "test value: %s is not an input",
                    v->name);
  if (dims == NULL && v->type.nd != 0)
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "test value of %s: the sizes are NULL", v->name);
  for (unsigned int i = 0; i < v->type.nd; i++)
    if (v->type.dims[i] != GG_ANY && (size_t)v->type.dims[i] != dims[i])
      return gg__fail(v->graph, GA_VALUE_ERROR,
                      "test value of %s: dim %u: %zu does not fit %s", v->name,
                      i, dims[i], gg_type_text(&v->type, type, sizeof type));
  for (size_t k = v->id + (size_t)1; k < v->graph->vars.n; k++) {
    const gg_apply *a = v->graph->vars.v[k]->owner;

    for (unsigned int i = 0; a != NULL && i < a->n_in; i++)
      if (a->in[i] == v)
        return gg__fail(v->graph, GA_VALUE_ERROR,
                        "test value of %s: %s uses it already", v->name,
                        a->op->name);
  }
  return GA_NO_ERROR;
}

static int test_node(gg_apply *a);

int gg_test_value(gg_var *v, const size_t *dims, const void *value) {
  gg_dims d;

  if (v == NULL)
    return GA_VALUE_ERROR;
  GA_TRY(gg_graph_status(v->graph));
  GA_TRY(check_input(v, dims));
  d.nd = v->type.nd;
  if (d.nd != 0)
    memcpy(d.dim, dims, d.nd * sizeof *dims);
  if (!gg__dims_fit(&d))
    return gg__fail(v->graph, GA_XLARGE_ERROR,
                    "test value of %s: the sizes are too large", v->name);
  size_t bytes = gg__dims_size(&d) * ga__dtype_size(v->type.dtype);
  if (value == NULL && bytes != 0)
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "test value of %s: the value is NULL", v->name);
  void *data = ga__malloc(bytes + 1);
  if (data == NULL)
    return gg__fail_nomem(v->graph);
  if (bytes != 0)
    memcpy(data, value, bytes);
  GA_TRY(put_value(v, &d, data));
  v->graph->test_node = test_node;
  return GA_NO_ERROR;
}

const void *gg_var_test_value(const gg_var *v, size_t *dims) {
  if (v == NULL || v->test == NULL)
    return NULL;
  if (dims != NULL)
    memcpy(dims, v->test->dims.dim, v->test->dims.nd * sizeof *dims);
  return v->test->data;
}

static int read_shared(gg_var *v, gg_dims *d, void **data) {
  GpuArray now = {0};

  GA_TRY(gg__shared_view(v, &now));
  if (d->nd != 0)
    memcpy(d->dim, now.dimensions, d->nd * sizeof *now.dimensions);
  int err = gg__host_read(&now, data);
  if (err != GA_NO_ERROR)
    gg__fail(v->graph, err, "test value of %s: %s", v->name, ga__err_text(err));
  GpuArray_clear(&now);
  return err;
}

static int copy_constant(gg_var *v, gg_dims *d, void **data) {
  for (unsigned int i = 0; i < d->nd; i++)
    d->dim[i] = (size_t)v->type.dims[i];
  *data = ga__malloc(v->data_bytes + 1);
  if (*data == NULL)
    return gg__fail_nomem(v->graph);
  memcpy(*data, v->data, v->data_bytes);
  return GA_NO_ERROR;
}

/* Give a constant or a shared variable its own value as test value. */
static int find_leaf(gg_var *v) {
  gg_dims d;
  void *data = NULL;

  if (v->test != NULL || (v->kind != GG_VAR_CONST && v->kind != GG_VAR_SHARED))
    return GA_NO_ERROR;
  d.nd = v->type.nd;
  GA_TRY(v->kind == GG_VAR_CONST ? copy_constant(v, &d, &data)
                                 : read_shared(v, &d, &data));
  return put_value(v, &d, data);
}

/* --- nodes --- */

/* All lists for one node, in one arena. */
typedef struct node_lists {
  gg__host *in, *out;
  gg_dims *in_dims, *out_dims;
  const double **number;
  double *value;
  ga__arena arena;
} node_lists;

static int lists_init(node_lists *l, const gg_apply *a) {
  ga__arena *m = &l->arena;

  l->in = ga__arena_alloc(m, a->n_in * sizeof *l->in);
  l->out = ga__arena_alloc(m, a->n_out * sizeof *l->out);
  l->in_dims = ga__arena_alloc(m, a->n_in * sizeof *l->in_dims);
  l->out_dims = ga__arena_alloc(m, a->n_out * sizeof *l->out_dims);
  l->number = ga__arena_alloc(m, a->n_in * sizeof *l->number);
  l->value = ga__arena_alloc(m, a->n_in * sizeof *l->value);
  if (l->in == NULL || l->out == NULL || l->in_dims == NULL ||
      l->out_dims == NULL || l->number == NULL || l->value == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < a->n_in; i++) {
    l->in[i] = *a->in[i]->test;
    l->in_dims[i] = l->in[i].dims;
    if (gg__dims_size(&l->in[i].dims) != 1)
      continue;
    l->value[i] = ga__dtype_to_double(a->in[i]->type.dtype, l->in[i].data);
    l->number[i] = &l->value[i];
  }
  return GA_NO_ERROR;
}

static int compute(const gg_apply *a, node_lists *l) {
  GA_TRY(gg__apply_sizes(a, l->in_dims, l->number, l->out_dims));
  for (unsigned int i = 0; i < a->n_out; i++)
    l->out[i].dims = l->out_dims[i];
  return gg__reference(a, a->out[0]->graph->ctx, l->in, l->out);
}

/* Takes ownership of the data, also on failure. */
static int put_results(const gg_apply *a, const gg__host *out) {
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < a->n_out; i++)
    if (err != GA_NO_ERROR)
      ga__free(out[i].data);
    else if (out[i].data != NULL)
      err = put_value(a->out[i], &out[i].dims, out[i].data);
  return err;
}

static int test_apply(gg_apply *a) {
  node_lists l = {.arena = GA_ARENA_INIT};
  int err = lists_init(&l, a);

  if (err == GA_NO_ERROR)
    err = compute(a, &l);
  if (err == GA_NO_ERROR)
    err = put_results(a, l.out);
  /* If the op recorded its own message, that one stays. */
  if (err != GA_NO_ERROR)
    gg__fail_err(a->out[0]->graph, err);
  ga__arena_clear(&l.arena);
  return err;
}

/* The test values of a macro are those of the variables that it lowers to. */
static int test_macro(gg_apply *a) {
  GA_VEC(gg_var *) out = {0};
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < a->n_out; i++)
    GA_CHECK(ga__vec_push(&out, NULL));
  gpuarray_clear_error();
  GA_CHECK(a->op->lower(a, out.v));
  GA_CHECK(gg_graph_status(a->out[0]->graph));
  for (unsigned int i = 0; i < a->n_out; i++)
    if (out.v[i] != NULL)
      a->out[i]->test = out.v[i]->test;
done:
  ga__vec_clear(&out);
  return err;
}

/* Compute a new node's test values if its inputs have some. */
static int test_node(gg_apply *a) {
  if (a->op->kind == GG_OP_INNER)
    return GA_NO_ERROR; /* the host does not compute inner graphs */
  for (unsigned int i = 0; i < a->n_in; i++) {
    GA_TRY(find_leaf(a->in[i]));
    if (a->in[i]->test == NULL)
      return GA_NO_ERROR;
  }
  return a->op->kind == GG_OP_MACRO ? test_macro(a) : test_apply(a);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes are built in the order of the file. If a node fails, the problem is
 * collected and its outputs are marked as failed. Nodes that read them are only
 * looked up in the table of ops, and so are those of their inner graphs. So one
 * pass finds everything that is not supported. */
#include "onnx/build.h"

#include <gpugraph/site.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "onnx/ops/op_table.h"

/* Problems whose text is collected. Further ones are counted. */
#define MOST_PROBLEMS 100

/* --- problems --- */

static void describe(ga__strb *s, const gg__onnx_node *n, int64_t version) {
  ga__strb_appendf(s, "node ");
  if (n->name[0] != 0)
    ga__strb_appendf(s, "\"%s\" ", n->name);
  ga__strb_appendf(s, "(%s%s%s", n->domain, n->domain[0] == 0 ? "" : ".",
                   n->op);
  if (version != 0)
    ga__strb_appendf(s, ", opset %lld", (long long)version);
  ga__strb_appendf(s, ", at byte %zu)", n->at);
}

/* Name the nodes in whose graphs or functions a scope lies. */
static void describe_around(ga__strb *text, const gg__onnx_scope *s) {
  for (; s != NULL; s = s->function != NULL ? s->caller_scope : s->outer)
    if (s->around != NULL) {
      ga__strb_append(text, ", inside of ");
      describe(text, s->around, 0);
    }
}

int gg__build_problem(gg__onnx_build *b, const gg__onnx_node *node,
                      int64_t version, int code) {
  const char *text = gg_graph_status(b->g) != GA_NO_ERROR ? gg_graph_error(b->g)
                                                          : ga__err_text(code);

  if (code == GA_MEMORY_ERROR)
    return code;
  if (b->n_problems++ == 0)
    b->code = code;
  if (b->n_problems <= MOST_PROBLEMS) {
    ga__strb_append(&b->problems, "\n  ");
    if (node != NULL) {
      describe(&b->problems, node, version);
      describe_around(&b->problems, b->scope);
      ga__strb_append(&b->problems, ": ");
    }
    ga__strb_append(&b->problems, text);
  }
  gg_graph_reset_error(b->g);
  return b->problems.err;
}

/* --- scopes --- */

void gg__scope_clear(gg__onnx_scope *s) {
  ga__map_clear(&s->values);
}

int gg__scope_add(gg__onnx_build *b, gg__onnx_scope *s, const char *name,
                  gg_var *var, gg__onnx_value **out) {
  gg__onnx_value *v;

  if (out != NULL)
    *out = NULL;
  if (name[0] == 0)
    return GA_NO_ERROR;
  if (ga__map_get(&s->values, name, strlen(name)) != NULL)
    return ga__fail(GA_VALUE_ERROR, "the name \"%s\" is used twice", name);
  v = ga__arena_alloc(b->arena, sizeof *v);
  if (v == NULL)
    return ga__fail_nomem();
  v->name = name;
  v->var = var;
  if (out != NULL)
    *out = v;
  return ga__map_put(&s->values, name, strlen(name), v);
}

int gg__build_add(gg__onnx_build *b, gg__onnx_scope *s, const char *name,
                  gg_var *var, gg__onnx_value **out) {
  const int err = gg__scope_add(b, s, name, var, out);

  return err == GA_VALUE_ERROR ? gg__build_problem(b, NULL, 0, err) : err;
}

gg__onnx_value *gg__scope_find(const gg__onnx_scope *s, const char *name) {
  gg__onnx_value *v = NULL;

  for (; s != NULL && v == NULL; s = s->outer)
    v = ga__map_get(&s->values, name, strlen(name));
  return v;
}

int gg__build_tensors(gg__onnx_build *b, gg__onnx_scope *s,
                      const gg__onnx_graph *graph) {
  gg__onnx_value *v;

  for (size_t i = 0; i < graph->n_tensors; i++) {
    const gg__onnx_tensor *t = &graph->tensors[i];
    int err = gg__onnx_tensor_check(t, b->files);

    if (err == GA_NO_ERROR && t->name[0] == 0)
      err = ga__fail(GA_VALUE_ERROR, "tensor %zu has no name", i);
    if (err != GA_NO_ERROR)
      GA_TRY(gg__build_problem(b, NULL, 0, err));
    GA_TRY(gg__build_add(b, s, t->name, NULL, &v));
    if (v == NULL)
      continue;
    v->tensor = err == GA_NO_ERROR ? t : NULL;
    v->failed = err != GA_NO_ERROR;
  }
  if (graph->n_sparse > 0) {
    ga__fail(GA_UNSUPPORTED_ERROR, "sparse tensor \"%s\"",
             graph->sparse[0].values.name);
    GA_TRY(gg__build_problem(b, NULL, 0, GA_UNSUPPORTED_ERROR));
  }
  return GA_NO_ERROR;
}

/* --- inner graphs --- */

static int enter(gg__onnx_build *b) {
  if (b->depth >= GG_ONNX_DEEPEST)
    return ga__fail(GA_VALUE_ERROR,
                    "more than %d graphs and functions lie in each other",
                    GG_ONNX_DEEPEST);
  b->depth++;
  return GA_NO_ERROR;
}

static int fill_inner(gg__onnx_call *c, gg__onnx_scope *s,
                      const gg__onnx_graph *graph, size_t n_in,
                      gg_var *const *in, gg_var **out) {
  for (size_t i = 0; i < graph->n_in; i++)
    GA_TRY(gg__build_add(c->b, s, graph->in[i].name, i < n_in ? in[i] : NULL,
                         NULL));
  GA_TRY(gg__build_tensors(c->b, s, graph));
  GA_TRY(gg__build_nodes(c->b, s, graph->nodes, graph->n_nodes));
  for (size_t i = 0; i < graph->n_out; i++) {
    gg__onnx_value *v = gg__scope_find(s, graph->out[i].name);

    c->is_reported |= v != NULL && v->failed;
    if (v == NULL || v->failed)
      return ga__fail(GA_VALUE_ERROR, "its graph does not compute \"%s\"",
                      graph->out[i].name);
    GA_TRY(gg__value_need(c->b, v, &out[i]));
  }
  return GA_NO_ERROR;
}

/* Add the inputs as failed, so that nodes which read them are looked up. */
static int fill_failed(gg__onnx_call *c, gg__onnx_scope *s,
                       const gg__onnx_graph *graph) {
  gg__onnx_value *v;

  for (size_t i = 0; i < graph->n_in; i++) {
    GA_TRY(gg__build_add(c->b, s, graph->in[i].name, NULL, &v));
    if (v != NULL)
      v->failed = 1;
  }
  GA_TRY(gg__build_tensors(c->b, s, graph));
  return gg__build_nodes(c->b, s, graph->nodes, graph->n_nodes);
}

/* Build a graph, or look up its nodes if `out` is NULL. */
static int build_graph(gg__onnx_call *c, const gg__onnx_graph *graph,
                       size_t n_in, gg_var *const *in, gg_var **out) {
  gg__onnx_scope s = {.outer = c->scope,
                      .around = c->node,
                      .opsets = c->scope->opsets,
                      .n_opsets = c->scope->n_opsets};

  GA_TRY(enter(c->b));
  const int err = out != NULL ? fill_inner(c, &s, graph, n_in, in, out)
                              : fill_failed(c, &s, graph);
  c->b->depth--;
  c->b->scope = c->scope;
  gg__scope_clear(&s);
  return err;
}

int gg__build_inner(gg__onnx_call *c, const gg__onnx_graph *graph, size_t n_in,
                    gg_var *const *in, gg_var **out) {
  const int was_reported = c->is_reported;

  c->is_reported = 0;
  const int err = build_graph(c, graph, n_in, in, out);
  if (err != GA_NO_ERROR && !c->is_reported && !c->b->is_full) {
    c->is_reported = 1;
    GA_TRY(gg__build_problem(c->b, c->node, c->version, err));
  }
  c->is_reported |= was_reported;
  return err;
}

/* Look up the nodes of the node's graphs. */
static int look_up_graphs(gg__onnx_call *c) {
  for (size_t i = 0; i < c->node->n_attrs; i++)
    if (c->node->attrs[i].g != NULL)
      GA_TRY(build_graph(c, c->node->attrs[i].g, 0, NULL, NULL));
  return GA_NO_ERROR;
}

/* --- calls of ops --- */

static int find_inputs(gg__onnx_call *c) {
  for (size_t i = 0; i < c->n_in; i++) {
    const char *name = c->node->in[i];

    if (name[0] == 0)
      continue;
    c->in[i] = gg__scope_find(c->scope, name);
    if (c->in[i] == NULL)
      return ga__fail(GA_VALUE_ERROR,
                      "input %zu \"%s\" is not computed before this node", i,
                      name);
    if (c->in[i]->omitted)
      c->in[i] = NULL;
  }
  return GA_NO_ERROR;
}

static int any_failed(const gg__onnx_call *c) {
  for (size_t i = 0; i < c->n_in; i++)
    if (c->in[i] != NULL && c->in[i]->failed)
      return 1;
  return 0;
}

static int add_outputs(gg__onnx_call *c, int failed) {
  gg__onnx_value *v;

  for (size_t i = 0; i < c->n_out; i++) {
    GA_TRY(gg__scope_add(c->b, c->scope, c->node->out[i], c->out[i], &v));
    if (v == NULL)
      continue;
    v->failed = failed;
    if (i == 0 && !failed)
      v->tensor = c->tensor;
  }
  return GA_NO_ERROR;
}

/* Check that the builder set all outputs that the node names. */
static int check_outputs(const gg__onnx_call *c) {
  GA_TRY(gg_graph_status(c->g));
  for (size_t i = 0; i < c->n_out; i++)
    if (c->node->out[i][0] != 0 && c->out[i] == NULL)
      return ga__fail(GA_UNSUPPORTED_ERROR, "output %zu \"%s\"", i,
                      c->node->out[i]);
  return GA_NO_ERROR;
}

static int find_row(gg__onnx_call *c) {
  const gg__onnx_node *n = c->node;
  const gg__onnx_row *other;

  if (c->version == 0)
    return ga__fail(GA_VALUE_ERROR, "the model imports no opset \"%s\"",
                    n->domain);
  c->row = gg__onnx_find_op(n->domain, n->op, c->version, &other);
  if (c->row != NULL)
    return gg__onnx_check_node(c);
  if (other == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "this op is not supported");
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "this op is supported since opset %d, not in this version",
                  other->since);
}

/* *skipped: nothing was built, because an input failed. */
static int call_op(gg__onnx_call *c, int *skipped) {
  if (c->n_out == 0)
    return ga__fail(GA_VALUE_ERROR, "the node has no outputs");
  GA_TRY(find_row(c));
  GA_TRY(find_inputs(c));
  *skipped = any_failed(c);
  if (*skipped)
    return look_up_graphs(c);
  GA_TRY(c->row->build(c));
  return check_outputs(c);
}

/* --- calls of functions --- */

/* The key of a function: three texts, each with the 0 that ends it. */
static int make_key(ga__strb *key, const char *domain, const char *name,
                    const char *overload) {
  ga__strb_reset(key);
  ga__strb_append_n(key, domain, strlen(domain) + 1);
  ga__strb_append_n(key, name, strlen(name) + 1);
  ga__strb_append_n(key, overload, strlen(overload) + 1);
  return key->err;
}

int gg__build_functions(gg__onnx_build *b) {
  for (size_t i = 0; i < b->model->n_functions; i++) {
    gg__onnx_function *f = &b->model->functions[i];

    GA_TRY(make_key(&b->key, f->domain, f->name, f->overload));
    if (ga__map_get(&b->functions, b->key.s, b->key.n) == NULL)
      GA_TRY(ga__map_put(&b->functions, b->key.s, b->key.n, f));
  }
  return GA_NO_ERROR;
}

/* *out: the function that a node calls, or NULL. */
static int find_function(gg__onnx_build *b, const gg__onnx_node *n,
                         const gg__onnx_function **out) {
  *out = NULL;
  if (b->functions.n == 0)
    return GA_NO_ERROR;
  GA_TRY(make_key(&b->key, n->domain, n->op, n->overload));
  *out = ga__map_get(&b->functions, b->key.s, b->key.n);
  return GA_NO_ERROR;
}

static int check_counts(const gg__onnx_call *c, const gg__onnx_function *f) {
  if (c->n_in > f->n_in || c->n_out > f->n_out)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu inputs and %zu outputs, but the function has %zu and "
                    "%zu",
                    c->n_in, c->n_out, f->n_in, f->n_out);
  return GA_NO_ERROR;
}

/* Give the function's inputs the values of the node that calls it. Nodes of the
 * function that read an omitted one omit it, too. */
static int bind_inputs(gg__onnx_call *c, const gg__onnx_function *f,
                       gg__onnx_scope *inner) {
  GA_TRY(check_counts(c, f));
  for (size_t i = 0; i < f->n_in; i++) {
    gg__onnx_value *v;

    GA_TRY(gg__scope_add(c->b, inner, f->in[i], NULL, &v));
    if (v == NULL)
      continue;
    v->omitted = !gg__call_has(c, i);
    if (!v->omitted)
      GA_TRY(ga__map_put(&inner->values, f->in[i], strlen(f->in[i]), c->in[i]));
  }
  return GA_NO_ERROR;
}

static int bind_outputs(gg__onnx_call *c, const gg__onnx_function *f,
                        const gg__onnx_scope *inner, int *failed) {
  for (size_t i = 0; i < c->n_out; i++) {
    gg__onnx_value *v = gg__scope_find(inner, f->out[i]);

    if (v == NULL)
      return ga__fail(GA_VALUE_ERROR, "function %s does not compute \"%s\"",
                      f->name, f->out[i]);
    *failed |= v->failed;
    if (!v->failed)
      GA_TRY(gg__value_need(c->b, v, &c->out[i]));
  }
  return GA_NO_ERROR;
}

static int call_function(gg__onnx_call *c, const gg__onnx_function *f,
                         int *failed) {
  gg__onnx_scope inner = {
      .function = f,
      .caller = c->node,
      .caller_scope = c->scope,
      .around = c->node,
      .opsets = f->n_opsets > 0 ? f->opsets : c->scope->opsets,
      .n_opsets = f->n_opsets > 0 ? f->n_opsets : c->scope->n_opsets};
  int err;

  GA_CHECK(find_inputs(c));
  GA_CHECK(enter(c->b));
  err = bind_inputs(c, f, &inner);
  if (err == GA_NO_ERROR)
    err = gg__build_nodes(c->b, &inner, f->nodes, f->n_nodes);
  if (err == GA_NO_ERROR)
    err = bind_outputs(c, f, &inner, failed);
  c->b->depth--;
done:
  gg__scope_clear(&inner);
  return err;
}

/* --- nodes --- */

static int call_init(gg__onnx_call *c, gg__onnx_build *b, gg__onnx_scope *s,
                     const gg__onnx_node *n) {
  c->b = b;
  c->g = b->g;
  c->node = n;
  c->scope = s;
  c->n_in = n->n_in;
  c->n_out = n->n_out;
  const char *domain = strcmp(n->domain, "ai.onnx") == 0 ? "" : n->domain;
  c->version = gg__onnx_version(s->opsets, s->n_opsets, domain);
  c->in = ga__arena_alloc(b->arena, (n->n_in + 1) * sizeof *c->in);
  c->out = ga__arena_alloc(b->arena, (n->n_out + 1) * sizeof *c->out);
  return c->in == NULL || c->out == NULL ? ga__fail_nomem() : GA_NO_ERROR;
}

/* Count a node that is about to be built. */
static int count_node(gg__onnx_build *b, const gg__onnx_node *n,
                      int64_t version) {
  const int few_vars = gg_graph_size(b->g) < b->most_vars;
  ga__strb text = GA_STRB_INIT;

  if (few_vars && b->left > 0) {
    b->left--;
    return GA_NO_ERROR;
  }
  b->is_full = 1;
  ga__strb_appendf(&text, "%s: ", b->path);
  describe(&text, n, version);
  if (few_vars)
    ga__strb_appendf(&text, ": more than %d nodes", GG_ONNX_MOST_NODES);
  else
    ga__strb_appendf(&text, ": the nodes before become more than %d variables",
                     GG_ONNX_MOST_VARS);
  return ga__strb_fail(&text, GA_XLARGE_ERROR);
}

static int build_node(gg__onnx_build *b, gg__onnx_scope *s,
                      const gg__onnx_node *n) {
  gg__onnx_call c = {0};
  const gg__onnx_function *f;
  int failed = 0, err;

  GA_TRY(call_init(&c, b, s, n));
  GA_TRY(count_node(b, n, c.version));
  GA_TRY(find_function(b, n, &f));
  err = f != NULL ? call_function(&c, f, &failed) : call_op(&c, &failed);
  b->scope = s;
  if (b->is_full)
    return err;
  if (err != GA_NO_ERROR && !c.is_reported)
    GA_TRY(gg__build_problem(b, n, c.version, err));
  err = add_outputs(&c, failed || err != GA_NO_ERROR);
  return err == GA_VALUE_ERROR ? gg__build_problem(b, n, c.version, err) : err;
}

int gg__build_nodes(gg__onnx_build *b, gg__onnx_scope *s,
                    const gg__onnx_node *nodes, size_t n) {
  int err = GA_NO_ERROR;

  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    gg_site_enter(b->path, (int)i + 1);
    err = gg_site_leave_code(build_node(b, s, &nodes[i]));
  }
  return err;
}

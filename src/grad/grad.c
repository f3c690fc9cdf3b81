/* SPDX-License-Identifier: BSD-2-Clause */
/* Reverse accumulation: visit the nodes from the cost backwards, and sum for
 * each variable the gradients that its users pass back. */
#include <gpugraph/grad.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "ops/ops.h"

#define TYPE_TEXT 160 /* bytes */

typedef struct backprop {
  gg_graph *g;
  gg__order order;        /* what the cost depends on */
  size_t n_ids;           /* number of variables before gradients are built */
  unsigned char *on_path; /* by id: 1: depends on a wrt, 2: taken as constant */
  gg_var **grad;          /* by id: d cost / d variable, so far, or NULL */
  unsigned char *known;   /* by id: the gradient is given */
  const char *cost_name;  /* used in names of gradients; NULL: no names */
  GA_VEC(gg_var *) gout;  /* of the node at hand */
  GA_VEC(gg_var *) gin;
} backprop;

static void backprop_clear(backprop *b) {
  ga__vec_clear(&b->order);
  ga__vec_clear(&b->gout);
  ga__vec_clear(&b->gin);
  ga__free(b->on_path);
  ga__free(b->grad);
  ga__free(b->known);
}

/* --- checks --- */

static int check_cost(gg_graph *g, const gg_var *cost) {
  char type[TYPE_TEXT];

  if (gg__is_float(cost) && cost->type.nd == 0)
    return GA_NO_ERROR;
  return gg__fail(g, GA_VALUE_ERROR,
                  "gradient: the cost must be a float scalar, got %s",
                  gg_type_text(&cost->type, type, sizeof type));
}

static int check_known(gg_graph *g, const gg_grad_spec *s) {
  char want[TYPE_TEXT], got[TYPE_TEXT];

  for (unsigned int i = 0; i < s->n_known; i++) {
    gg_var *v = s->known[i];
    gg_var *d = s->known_grad[i];
    if (v == NULL || d == NULL || v->graph != g || d->graph != g)
      return gg__fail(g, GA_VALUE_ERROR,
                      "gradient: known variable %u is not in the graph", i);
    if (!gg__is_smooth(v) || !gg__type_fits(&d->type, &v->type))
      return gg__fail(g, GA_VALUE_ERROR,
                      "gradient: known variable %u is %s, its gradient %s", i,
                      gg_type_text(&v->type, want, sizeof want),
                      gg_type_text(&d->type, got, sizeof got));
  }
  return GA_NO_ERROR;
}

static int check_wrt(gg_graph *g, unsigned int n, gg_var *const *wrt) {
  char type[TYPE_TEXT];

  for (unsigned int i = 0; i < n; i++) {
    if (wrt[i] == NULL)
      return gg__fail(g, GA_VALUE_ERROR, "gradient: variable %u is NULL", i);
    if (wrt[i]->graph != g)
      return gg__fail(g, GA_VALUE_ERROR,
                      "gradient: variable %u is not in the cost's graph", i);
    if (!gg__is_smooth(wrt[i]))
      return gg__fail(g, GA_VALUE_ERROR,
                      "gradient: variable %u (%s) is %s: only floats and "
                      "complex numbers have gradients",
                      i, wrt[i]->name,
                      gg_type_text(&wrt[i]->type, type, sizeof type));
  }
  return GA_NO_ERROR;
}

/* NULL variables are skipped. */
static int check_constant(gg_graph *g, const gg_grad_spec *s) {
  for (unsigned int i = 0; i < s->n_constant; i++)
    if (s->constant[i] != NULL && s->constant[i]->graph != g)
      return gg__fail(g, GA_VALUE_ERROR,
                      "gradient: constant variable %u is not in the graph", i);
  return GA_NO_ERROR;
}

/* --- which variables need gradients --- */

/* Does output `out` depend on an input that is on the path? */
static unsigned char depends(const backprop *b, const gg_apply *a,
                             unsigned int out) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (b->on_path[a->in[i]->id] == 1 && gg__is_connected(a, i, out))
      return 1;
  return 0;
}

/* Mark what depends on some wrt, in topological order, so that no other
 * gradients are built. Variables that count as constant depend on nothing. */
static void mark_path(backprop *b, unsigned int n, gg_var *const *wrt,
                      unsigned int n_constant, gg_var *const *constant) {
  unsigned char is_constant = 2;

  for (unsigned int i = 0; i < n; i++)
    b->on_path[wrt[i]->id] = 1;
  for (unsigned int i = 0; i < n_constant; i++)
    if (constant[i] != NULL)
      b->on_path[constant[i]->id] = is_constant;
  for (size_t k = 0; k < b->order.n; k++) {
    const gg_apply *a = b->order.v[k];
    for (unsigned int i = 0; i < a->n_out; i++)
      if (gg__is_smooth(a->out[i]) && b->on_path[a->out[i]->id] == 0)
        b->on_path[a->out[i]->id] = depends(b, a, i);
  }
}

/* Must `a` pass a gradient to its input i? */
static int is_wanted(const backprop *b, const gg_apply *a, unsigned int i) {
  if (b->on_path[a->in[i]->id] != 1 || b->known[a->in[i]->id])
    return 0;
  for (unsigned int k = 0; k < a->n_out; k++)
    if (b->grad[a->out[k]->id] != NULL && gg__is_connected(a, i, k))
      return 1;
  return 0;
}

static int has_wanted(const backprop *b, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (is_wanted(b, a, i))
      return 1;
  return 0;
}

/* Fail if the op lacks a gradient that is wanted. */
static int check_defined(const backprop *b, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (is_wanted(b, a, i))
      GA_TRY(gg__has_gradient(a, i));
  if (a->op->grad == NULL)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "this op has no gradient");
  return GA_NO_ERROR;
}

/* --- accumulation --- */

/* Is a size of v unknown that `like` knows? With ones_only only sizes of 1 in
 * `like` count. */
static int is_vaguer(const gg_var *v, const gg_var *like, int ones_only) {
  for (unsigned int i = 0; i < like->type.nd; i++)
    if (v->type.dims[i] == GG_ANY && like->type.dims[i] != GG_ANY &&
        (!ones_only || like->type.dims[i] == 1))
      return 1;
  return 0;
}

/* Add `g` to the gradient of operand i of `a`. */
static int accumulate(backprop *b, const gg_apply *a, unsigned int i,
                      gg_var *g) {
  gg_var *const v = a->in[i];
  char got[TYPE_TEXT], want[TYPE_TEXT];
  GA_ASSERT(v->id < b->n_ids);
  gg_var **sum = &b->grad[v->id];

  if (a->op->kind == GG_OP_ELEMWISE && g->type.nd < v->type.nd)
    g = gg__pad_rank(g, v->type.nd - g->type.nd);
  if (a->op->kind == GG_OP_ELEMWISE)
    g = gg__unbroadcast(g, v);
  g = gg__cast_gradient(g, v->type.dtype);
  if (g != NULL && !gg__type_fits(&g->type, &v->type))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the gradient of operand %u is %s, expected %s", i,
                      gg_type_text(&g->type, got, sizeof got),
                      gg_type_text(&v->type, want, sizeof want));
  /* Nodes before it may drop axes that are known to have size 1: the gradient
   * must know these sizes, too. */
  if (g != NULL && is_vaguer(g, v, 1))
    g = gg__reshape_like(g, v);
  *sum = *sum == NULL ? g : gg_add(*sum, g);
  return gg_graph_status(b->g);
}

/* Name `d`, the gradient of `v`, if it has no name yet. */
static int add_name(const backprop *b, const gg_var *v, gg_var *d) {
  ga__strb text = GA_STRB_INIT;

  if (b->cost_name == NULL || b->known[v->id] || v->name[0] == '\0' ||
      d == NULL || d->kind != GG_VAR_COMPUTED || d->name[0] != '\0')
    return GA_NO_ERROR;
  ga__strb_appendf(&text, "(d%s/d%s)", b->cost_name, v->name);
  int err = text.err;
  if (err == GA_NO_ERROR && gg_named(d, ga__strb_text(&text)) == NULL)
    err = GA_MEMORY_ERROR;
  ga__strb_clear(&text);
  return err;
}

/* Pass the gradients of the outputs of `a` to its inputs. */
static int pass_back(backprop *b, const gg_apply *a) {
  gg__site old;
  int err = GA_NO_ERROR;

  if (!has_wanted(b, a))
    return GA_NO_ERROR;
  b->gout.n = b->gin.n = 0;
  for (unsigned int i = 0; i < a->n_out; i++) {
    GA_TRY(add_name(b, a->out[i], b->grad[a->out[i]->id]));
    GA_TRY(ga__vec_push(&b->gout, b->grad[a->out[i]->id]));
  }
  for (unsigned int i = 0; i < a->n_in; i++)
    GA_TRY(ga__vec_push(&b->gin, NULL));
  old = gg__site_from(b->g, a->out[0]);
  GA_CHECK(check_defined(b, a));
  gpuarray_clear_error();
  GA_CHECK(gg__apply_gradient(a, b->gout.v, b->gin.v));
  GA_CHECK(gg_graph_status(b->g));
  GA_ASSERT(b->gout.n == a->n_out && b->gin.n == a->n_in);
  for (unsigned int i = 0; i < a->n_in; i++)
    if (b->gin.v[i] != NULL && is_wanted(b, a, i))
      GA_CHECK(accumulate(b, a, i, b->gin.v[i]));
done:
  b->g->from = old;
  return err;
}

static int collect(const backprop *b, gg_var **out, unsigned int n,
                   gg_var *const *wrt, int flags) {
  for (unsigned int i = 0; i < n; i++) {
    gg_var *v = b->grad[wrt[i]->id];
    if (v == NULL && flags & GG_GRAD_NULL_DISCONNECTED)
      continue;
    if (v == NULL && !(flags & GG_GRAD_ALLOW_DISCONNECTED))
      return gg__fail(b->g, GA_VALUE_ERROR,
                      "gradient: variable %u (%s) does not influence the cost",
                      i, wrt[i]->name);
    if (v == NULL)
      v = gg_zeros_like(wrt[i]);
    else if (is_vaguer(v, wrt[i], 0))
      v = gg__reshape_like(v, wrt[i]);
    GA_TRY(gg_graph_status(b->g));
    GA_TRY(add_name(b, wrt[i], v));
    out[i] = v;
  }
  return GA_NO_ERROR;
}

/* Sort all nodes that the cost and the known variables depend on. */
static int find_order(backprop *b, const gg_grad_spec *s) {
  GA_VEC(gg_var *) roots = {0};
  int err;

  GA_CHECK(ga__vec_push(&roots, s->cost));
  for (unsigned int i = 0; i < s->n_known; i++)
    GA_CHECK(ga__vec_push(&roots, s->known[i]));
  GA_CHECK(gg__toposort(&b->order, roots.n, roots.v));
done:
  ga__vec_clear(&roots);
  return err;
}

static int backprop_init(backprop *b, gg_graph *g, const gg_grad_spec *s) {
  memset(b, 0, sizeof *b);
  b->g = g;
  b->n_ids = g->vars.n;
  b->on_path = ga__calloc(b->n_ids, sizeof *b->on_path);
  b->grad = ga__calloc(b->n_ids, sizeof(gg_var *));
  b->known = ga__calloc(b->n_ids, sizeof *b->known);
  if (b->on_path == NULL || b->grad == NULL || b->known == NULL)
    return ga__fail_nomem();
  if (s->cost != NULL && s->flags & GG_GRAD_NAMES && s->cost->name[0] != '\0')
    b->cost_name = s->cost->name;
  if (s->cost != NULL)
    b->grad[s->cost->id] = gg_scalar(g, s->cost->type.dtype, 1);
  for (unsigned int i = 0; i < s->n_known; i++) {
    b->grad[s->known[i]->id] = s->known_grad[i];
    b->known[s->known[i]->id] = 1;
  }
  return find_order(b, s);
}

static gg_graph *graph_of(const gg_grad_spec *s) {
  if (s->cost != NULL)
    return s->cost->graph;
  return s->n_known != 0 && s->known[0] != NULL ? s->known[0]->graph : NULL;
}

/* There is nothing to differentiate. Record an error in the graph of a variable
 * of wrt, or in the thread if there is none. */
static int fail_no_cost(const gg_grad_spec *s) {
  for (unsigned int i = 0; i < s->n_wrt; i++)
    if (s->wrt[i] != NULL) {
      gg__fail(s->wrt[i]->graph, GA_VALUE_ERROR, "gradient: the cost is NULL");
      return gg_graph_status(s->wrt[i]->graph);
    }
  return ga__fail(GA_VALUE_ERROR, "gradient: the cost is NULL");
}

static int differentiate(backprop *b, gg_var **out, gg_graph *g,
                         const gg_grad_spec *s) {
  GA_TRY(backprop_init(b, g, s));
  mark_path(b, s->n_wrt, s->wrt, s->n_constant, s->constant);
  for (size_t k = b->order.n; k-- > 0;)
    GA_TRY(pass_back(b, b->order.v[k]));
  return collect(b, out, s->n_wrt, s->wrt, s->flags);
}

static int lacks_list(const gg_grad_spec *s) {
  return (s->n_wrt > 0 && s->wrt == NULL) ||
         (s->n_constant > 0 && s->constant == NULL) ||
         (s->n_known > 0 && (s->known == NULL || s->known_grad == NULL));
}

int gg_grad_of(gg_var **out, const gg_grad_spec *s) {
  for (unsigned int i = 0; s != NULL && i < s->n_wrt; i++)
    out[i] = NULL;
  if (s == NULL || lacks_list(s))
    return ga__fail(GA_VALUE_ERROR, "gradient: the %s is NULL",
                    s == NULL ? "spec" : "list of variables");
  gg_graph *g = graph_of(s);
  backprop b;

  if (g == NULL)
    return fail_no_cost(s);
  GA_TRY(gg_graph_status(g));
  if (s->cost != NULL)
    GA_TRY(check_cost(g, s->cost));
  GA_TRY(check_known(g, s));
  GA_TRY(check_wrt(g, s->n_wrt, s->wrt));
  GA_TRY(check_constant(g, s));
  int err = differentiate(&b, out, g, s);
  if (err != GA_NO_ERROR) {
    gg__fail(g, err, "gradient: %s", ga__err_text(err));
    for (unsigned int i = 0; i < s->n_wrt; i++)
      out[i] = NULL;
  }
  backprop_clear(&b);
  return err;
}

int gg_grad_ex(gg_var **out, gg_var *cost, unsigned int n, gg_var *const *wrt,
               unsigned int n_constant, gg_var *const *constant, int flags) {
  return gg_grad_of(out, &(gg_grad_spec){.cost = cost,
                                         .n_wrt = n,
                                         .wrt = wrt,
                                         .n_constant = n_constant,
                                         .constant = constant,
                                         .flags = flags});
}

int gg_grad(gg_var **out, gg_var *cost, unsigned int n, gg_var *const *wrt) {
  return gg_grad_ex(out, cost, n, wrt, 0, NULL, 0);
}

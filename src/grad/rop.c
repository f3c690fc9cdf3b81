/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward accumulation: visit the nodes in topological order and compute the
 * directional derivative of each variable. A variable "moves" if its derivative
 * is not zero; the derivative is its "move". */
#include <gpugraph/rop.h>

#include <gpugraph/grad.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "ops/ops.h"

#define TYPE_TEXT 160 /* bytes */

typedef struct forward {
  gg_graph *g;
  gg__order order;
  gg_var **move; /* by id: the move of the variable; NULL: it does not move */
  GA_VEC(gg_var *) in; /* moves of the inputs of the node at hand */
  GA_VEC(gg_var *) out;
  GA_VEC(gg_var *) back;  /* leaves: the gradients of its outputs */
  GA_VEC(gg_var *) slope; /* the gradients of its inputs by `back` */
} forward;

static void forward_clear(forward *f) {
  ga__vec_clear(&f->order);
  ga__vec_clear(&f->in);
  ga__vec_clear(&f->out);
  ga__vec_clear(&f->back);
  ga__vec_clear(&f->slope);
  ga__free(f->move);
}

/* --- checks --- */

static int check(gg_graph *g, unsigned int n, gg_var *const *wrt,
                 gg_var *const *dir) {
  char want[TYPE_TEXT], got[TYPE_TEXT];

  for (unsigned int i = 0; i < n; i++) {
    if (wrt[i] == NULL || dir[i] == NULL || wrt[i]->graph != g ||
        dir[i]->graph != g)
      return gg__fail(g, GA_VALUE_ERROR,
                      "rop: variable %u is not in the graph of the results", i);
    if (!gg__is_smooth(wrt[i]) || !gg__type_fits(&dir[i]->type, &wrt[i]->type))
      return gg__fail(g, GA_VALUE_ERROR,
                      "rop: variable %u (%s) is %s and cannot move by %s", i,
                      wrt[i]->name,
                      gg_type_text(&wrt[i]->type, want, sizeof want),
                      gg_type_text(&dir[i]->type, got, sizeof got));
  }
  return GA_NO_ERROR;
}

static int check_results(gg_graph *g, unsigned int n, gg_var *const *y) {
  for (unsigned int i = 0; i < n; i++) {
    if (y[i] == NULL || y[i]->graph != g)
      return gg__fail(g, GA_VALUE_ERROR, "rop: result %u is of another graph",
                      i);
    if (!gg__is_smooth(y[i]))
      return gg__fail(g, GA_VALUE_ERROR,
                      "rop: result %u (%s) is neither float "
                      "nor complex",
                      i, y[i]->name);
  }
  return GA_NO_ERROR;
}

/* --- a node without rop --- */

/* The gradients of the inputs are linear in the gradient u of the output. So
 * the derivative of sum(gradient(u) * move), over all inputs, with respect to u
 * is the move of the output. Compute that sum; NULL if nothing moves. */
static int add_products(forward *f, const gg_apply *a, gg_var **sum) {
  *sum = NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    if (f->slope.v[i] == NULL || f->in.v[i] == NULL)
      continue;
    gg_var *v = gg__real_product(
        gg__cast_gradient(f->slope.v[i], a->in[i]->type.dtype), f->in.v[i]);
    *sum = *sum == NULL ? v : gg_add(*sum, v);
  }
  return gg_graph_status(f->g);
}

/* Set *out to the derivative of `sum` with respect to leaf i. It does not
 * depend on the values of the leaves but may contain them, so replace them by
 * zeros. */
static int derive(const forward *f, const gg_apply *a, gg_var *sum,
                  unsigned int i, gg_var **out) {
  int err = GA_NO_ERROR;
  gg_var *v;
  gg__subst s;

  GA_TRY(gg_grad_ex(&v, sum, 1, &f->back.v[i], 0, NULL,
                    GG_GRAD_ALLOW_DISCONNECTED));
  gg__subst_init(&s, f->g);
  for (unsigned int k = 0; k < a->n_out && err == GA_NO_ERROR; k++)
    if (f->back.v[k] != NULL)
      err = gg__subst_put(&s, f->back.v[k], gg_zeros_like(a->out[k]));
  if (err == GA_NO_ERROR)
    *out = gg__subst_apply(&s, v);
  gg__subst_clear(&s);
  return err == GA_NO_ERROR ? gg_graph_status(f->g) : err;
}

static int push_leaves(forward *f, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_out; i++) {
    gg_var *u = gg__is_smooth(a->out[i])
                    ? gg__var_new(f->g, GG_VAR_INPUT, &a->out[i]->type, "rop")
                    : NULL;
    GA_TRY(ga__vec_push(&f->back, u));
  }
  for (unsigned int i = 0; i < a->n_in; i++)
    GA_TRY(ga__vec_push(&f->slope, NULL));
  return gg_graph_status(f->g);
}

static int move_by_gradient(forward *f, const gg_apply *a) {
  gg_var *sum;

  for (unsigned int i = 0; i < a->n_in; i++)
    if (f->in.v[i] != NULL)
      GA_TRY(gg__has_gradient(a, i));
  if (a->op->grad == NULL)
    return gg_op_fail(
        a, GA_UNSUPPORTED_ERROR,
        "this op has neither a forward derivative nor a gradient");
  GA_TRY(push_leaves(f, a));
  gpuarray_clear_error();
  GA_TRY(gg__apply_gradient(a, f->back.v, f->slope.v));
  GA_TRY(gg_graph_status(f->g));
  GA_TRY(add_products(f, a, &sum));
  for (unsigned int i = 0; i < a->n_out && sum != NULL; i++)
    if (f->back.v[i] != NULL)
      GA_TRY(derive(f, a, sum, i, &f->out.v[i]));
  return GA_NO_ERROR;
}

/* --- the walk --- */

/* Does a derivative pass from input i to an output? */
static int is_moved_by(const gg_apply *a, unsigned int i) {
  for (unsigned int k = 0; k < a->n_out; k++)
    if (gg__is_connected(a, i, k))
      return 1;
  return 0;
}

static int move_outputs(forward *f, const gg_apply *a) {
  const gg__site old = gg__site_from(f->g, a->out[0]);
  int err;

  gpuarray_clear_error();
  err = a->op->rop != NULL ? a->op->rop(a, f->in.v, f->out.v)
                           : move_by_gradient(f, a);
  f->g->from = old;
  return err;
}

static int move_node(forward *f, const gg_apply *a) {
  unsigned int moving = 0;
  int is_smooth = 0; /* integers and bools do not move */

  f->in.n = f->out.n = f->back.n = f->slope.n = 0;
  for (unsigned int i = 0; i < a->n_in; i++) {
    GA_TRY(ga__vec_push(&f->in,
                        !is_moved_by(a, i) ? NULL : f->move[a->in[i]->id]));
    moving |= f->in.v[i] != NULL;
  }
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(ga__vec_push(&f->out, NULL));
  for (unsigned int i = 0; i < a->n_out; i++) {
    moving &= f->move[a->out[i]->id] == NULL; /* a wrt: it has a direction */
    is_smooth |= gg__is_smooth(a->out[i]);
  }
  if (!moving || !is_smooth)
    return GA_NO_ERROR;
  GA_TRY(move_outputs(f, a));
  for (unsigned int i = 0; i < a->n_out; i++)
    f->move[a->out[i]->id] = f->out.v[i];
  return gg_graph_status(f->g);
}

static int collect(const forward *f, gg_var **out, unsigned int n,
                   gg_var *const *y) {
  char want[TYPE_TEXT], got[TYPE_TEXT];

  for (unsigned int i = 0; i < n; i++) {
    gg_var *v = f->move[y[i]->id];
    v = v != NULL ? gg_cast(v, y[i]->type.dtype) : gg_zeros_like(y[i]);
    if (v != NULL && !gg__type_fits(&v->type, &y[i]->type))
      return gg__fail(f->g, GA_VALUE_ERROR,
                      "rop: result %u is %s but moves by %s", i,
                      gg_type_text(&y[i]->type, want, sizeof want),
                      gg_type_text(&v->type, got, sizeof got));
    out[i] = v;
  }
  return gg_graph_status(f->g);
}

static int walk(forward *f, gg_var **out, unsigned int n_y, gg_var *const *y,
                unsigned int n, gg_var *const *wrt, gg_var *const *dir) {
  f->move = ga__calloc(f->g->vars.n, sizeof(gg_var *));
  if (f->move == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__toposort(&f->order, n_y, y));
  for (unsigned int i = 0; i < n; i++)
    f->move[wrt[i]->id] = dir[i];
  for (size_t k = 0; k < f->order.n; k++)
    GA_TRY(move_node(f, f->order.v[k]));
  return collect(f, out, n_y, y);
}

int gg_rop(gg_var **out, unsigned int n_y, gg_var *const *y, unsigned int n,
           gg_var *const *wrt, gg_var *const *dir) {
  forward f;

  for (unsigned int i = 0; i < n_y; i++)
    out[i] = NULL;
  if (n_y > 0 && (y == NULL || (n > 0 && (wrt == NULL || dir == NULL))))
    return ga__fail(GA_VALUE_ERROR, "rop: a list is NULL");
  if (n_y == 0 || y[0] == NULL)
    return ga__fail(GA_VALUE_ERROR, n_y == 0 ? "rop: there are no results"
                                             : "rop: result 0 is NULL");
  memset(&f, 0, sizeof f);
  f.g = y[0]->graph;
  GA_TRY(gg_graph_status(f.g));
  GA_TRY(check_results(f.g, n_y, y));
  GA_TRY(check(f.g, n, wrt, dir));
  int err = walk(&f, out, n_y, y, n, wrt, dir);
  if (err != GA_NO_ERROR) {
    gg__fail(f.g, err, "rop: %s", ga__err_text(err));
    for (unsigned int i = 0; i < n_y; i++)
      out[i] = NULL;
  }
  forward_clear(&f);
  return err;
}

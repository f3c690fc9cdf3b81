/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices: making their nodes, types and derivatives. */
#include <gpugraph/ifelse.h>

#include <string.h>

#include "loop/ifelse.h"
#include "ops/ops.h"

#define TYPE_TEXT 160 /* bytes */

/* --- the node --- */

typedef struct maker {
  const gg__choice *c;
  gg_graph *g; /* the inner graph */
  gg__subst inwards;
  GA_VEC(gg_var *) in, out; /* of the inner graph */
  GA_VEC(gg_var *) outer;   /* inputs of the node */
  GA_VEC(gg_var *) stack;
} maker;

static void maker_clear(maker *m) {
  gg__subst_clear(&m->inwards);
  gg_graph_free(m->g);
  ga__vec_clear(&m->in);
  ga__vec_clear(&m->out);
  ga__vec_clear(&m->outer);
  ga__vec_clear(&m->stack);
}

static int is_inside(const gg__choice *c, const gg_var *v) {
  return c->home != NULL && v->owner != NULL &&
         (c->home[v->id] == c->homes[0] || c->home[v->id] == c->homes[1]);
}

static gg_var *outer_of(const maker *m, gg_var *v) {
  return m->c->outer != NULL ? gg__subst_apply(m->c->outer, v) : v;
}

static int add_input(maker *m, gg_var *v) {
  gg_type here = v->type;

  here.ctx = m->g->ctx;
  gg_var *x = gg__var_new(m->g, GG_VAR_INPUT, &here, v->name);
  if (x == NULL)
    return GA_MEMORY_ERROR;
  x->by_data = v->by_data;
  GA_TRY(gg__subst_put(&m->inwards, v, x));
  GA_TRY(ga__vec_push(&m->in, x));
  return ga__vec_push(&m->outer, outer_of(m, v));
}

/* Add an input of the inner graph for each variable from outside that a root
 * depends on. The stack holds variables still to be visited. */
static int add_inputs(maker *m, gg_var *root) {
  m->stack.n = 0;
  GA_TRY(ga__vec_push(&m->stack, root));
  while (m->stack.n > 0) {
    gg_var *v = m->stack.v[--m->stack.n];
    if (v->kind == GG_VAR_CONST || gg__subst_get(&m->inwards, v) != NULL)
      continue;
    if (!is_inside(m->c, v)) {
      GA_TRY(add_input(m, v));
      continue;
    }
    const gg_apply *a = v->owner;
    for (unsigned int i = a->n_in; i-- > 0;)
      GA_TRY(ga__vec_push(&m->stack, a->in[i]));
  }
  return GA_NO_ERROR;
}

static int fill_inner(maker *m) {
  const gg__choice *c = m->c;

  gg__subst_init(&m->inwards, m->g);
  GA_TRY(ga__vec_push(&m->outer, outer_of(m, c->cond)));
  for (unsigned int i = 0; i < 2 * c->n; i++)
    GA_TRY(add_inputs(m, c->roots[i]));
  for (unsigned int i = 0; i < 2 * c->n; i++) {
    gg_var *v = gg__subst_apply(&m->inwards, c->roots[i]);
    if (v == NULL)
      return gg__fail(c->cond->graph, gg_graph_status(m->g), "ifelse: %s",
                      gg_graph_error(m->g));
    GA_TRY(ga__vec_push(&m->out, v));
  }
  return GA_NO_ERROR;
}

static gg_apply *apply(maker *m) {
  gg_graph *to = m->c->cond->graph, *g = m->g;
  const int64_t word = m->c->n;
  gg__inner_props props;

  m->g = NULL;
  props.inner = gg__inner_new(to, g, (unsigned int)m->in.n, m->in.v,
                              (unsigned int)m->out.n, m->out.v, 1, &word);
  if (props.inner == NULL)
    return NULL;
  gg_var *v = gg_op_apply(to, &gg__op_ifelse, &props, (unsigned int)m->outer.n,
                          m->outer.v);
  gg__inner_release(props.inner);
  return v != NULL ? v->owner : NULL;
}

/* The context of the condition, or else of a value; that of the graph if none
 * of them has one. Applying the node checks that there is only one. */
static gpucontext *find_context(const gg__choice *c) {
  gpucontext *ctx = c->cond->type.ctx;

  for (unsigned int i = 0; i < 2 * c->n && ctx == NULL; i++)
    ctx = c->roots[i]->type.ctx;
  return ctx != NULL ? ctx : c->cond->graph->ctx;
}

gg_apply *gg__ifelse_make(const gg__choice *c) {
  gg_apply *a = NULL;
  maker m;

  memset(&m, 0, sizeof m);
  m.c = c;
  m.g = gg_graph_new(find_context(c));
  if (m.g != NULL && fill_inner(&m) == GA_NO_ERROR)
    a = apply(&m);
  if (a == NULL)
    gg__fail(c->cond->graph, GA_MEMORY_ERROR, "out of host memory");
  maker_clear(&m);
  return a;
}

/* --- choices as users build them --- */

int gg__ifelse_is_plain(const gg_apply *a) {
  return a->op == &gg__op_ifelse && gg__inner_of(a)->g->nodes.n == 0;
}

/* The index of the input of the node that is output k of its inner graph;
 * a->n_in if that output is no input. Binary search: fill_inner() makes the
 * inputs of the inner graph in the order of their ids. */
static unsigned int passed(const gg_apply *a, unsigned int k) {
  const gg__inner *x = gg__inner_of(a);
  unsigned int from = 0, to = x->n_in;

  while (from < to) {
    const unsigned int i = from + (to - from) / 2;
    GA_ASSERT(i == 0 || x->in[i - 1]->id < x->in[i]->id);
    if (x->in[i]->id < x->out[k]->id)
      from = i + 1;
    else
      to = i;
  }
  return from < x->n_in && x->in[from] == x->out[k] ? from + 1 : x->n_in + 1;
}

gg_var *gg__ifelse_value(const gg_apply *a, unsigned int k) {
  const unsigned int i = passed(a, k);

  return i < a->n_in ? a->in[i] : gg__inner_of(a)->out[k];
}

/* --- types --- */

static unsigned int count_out(const void *props) {
  const gg__inner *x = ((const gg__inner_props *)props)->inner;

  return x->n_out >= 2 ? x->n_out / 2 : 1;
}

/* A size is open if data decide it, even where the other branch has a fixed
 * one. */
static int infer_output(const gg_apply *a, unsigned int i, gg_type *out) {
  const gg__inner *x = gg__inner_of(a);
  const gg_type *yes = &x->out[i]->type, *no = &x->out[a->n_out + i]->type;
  const int by_data = x->out[i]->by_data || x->out[a->n_out + i]->by_data;
  char first[TYPE_TEXT], second[TYPE_TEXT];

  if (!gg__type_fits(yes, no))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "output %u is %s if the condition holds, else %s", i,
                      gg_type_text(yes, first, sizeof first),
                      gg_type_text(no, second, sizeof second));
  *out = *yes;
  for (unsigned int k = 0; k < out->nd; k++)
    if (yes->dims[k] == GG_ANY || no->dims[k] == GG_ANY)
      out->dims[k] = by_data                  ? GG_ANY
                     : yes->dims[k] != GG_ANY ? yes->dims[k]
                                              : no->dims[k];
  return GA_NO_ERROR;
}

static int infer(const gg_apply *a, gg_type *out) {
  const gg__inner *x = gg__inner_of(a);

  if (x->n_out != 2 * a->n_out || x->n_words != 1 ||
      x->words[0] != (int64_t)a->n_out || a->n_in != x->n_in + 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "the choice is not well formed");
  if (a->in[0]->type.nd != 0 || a->in[0]->type.dtype != GA_BOOL)
    return gg_op_fail(a, GA_VALUE_ERROR, "the condition is not a bool");
  for (unsigned int i = 0; i < x->n_in; i++)
    if (!gg__type_fits(&a->in[i + 1]->type, &x->in[i]->type))
      return gg_op_fail(a, GA_VALUE_ERROR, "input %u is of another type", i);
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(infer_output(a, i, &out[i]));
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static int refuse_work(const gg_apply *a) {
  return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                    "branches that compute have no derivatives");
}

static void add_to(gg_var **sum, gg_var *v) {
  *sum = *sum != NULL ? gg_add(*sum, v) : v;
}

/* Zeros like output k of the inner graph of a choice that does not compute. */
static gg_var *zeros_like_value(const gg_apply *a, unsigned int k) {
  gg_graph *g = a->out[0]->graph;
  gg_var *v = gg__ifelse_value(a, k);

  return gg_zeros_like(v->graph == g ? v : gg__clone_leaf(g, v));
}

/* The branch that is not taken gets zeros, which are like its own value: the
 * branches may have different sizes. */
static int grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  for (unsigned int i = 0; i < a->n_out; i++) {
    if (gout[i] == NULL)
      continue;
    unsigned int yes = passed(a, i);
    unsigned int no = passed(a, a->n_out + i);
    if (gg__inner_of(a)->g->nodes.n != 0)
      return refuse_work(a);
    if (yes < a->n_in)
      add_to(&gin[yes], gg_ifelse(a->in[0], gout[i], zeros_like_value(a, i)));
    if (no < a->n_in)
      add_to(&gin[no],
             gg_ifelse(a->in[0], zeros_like_value(a, a->n_out + i), gout[i]));
  }
  return GA_NO_ERROR;
}

static gg_var *move_of(const gg_apply *a, unsigned int k, gg_var *const *din) {
  const unsigned int i = passed(a, k);

  return i < a->n_in && din[i] != NULL ? din[i] : zeros_like_value(a, k);
}

static int rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  if (gg__inner_of(a)->g->nodes.n != 0)
    return refuse_work(a);
  for (unsigned int i = 0; i < a->n_out; i++) {
    unsigned int yes = passed(a, i);
    unsigned int no = passed(a, a->n_out + i);
    if ((yes < a->n_in && din[yes] != NULL) ||
        (no < a->n_in && din[no] != NULL))
      dout[i] = gg_ifelse(a->in[0], move_of(a, i, din),
                          move_of(a, a->n_out + i, din));
  }
  return GA_NO_ERROR;
}

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  return in != 0 && (passed(a, out) == in || passed(a, a->n_out + out) == in ||
                     gg__inner_of(a)->g->nodes.n != 0);
}

const gg_op gg__op_ifelse = {.name = "ifelse",
                             .kind = GG_OP_INNER,
                             .props_bytes = sizeof(gg__inner_props),
                             .half_ok = 1,
                             .infer = infer,
                             .grad = grad,
                             .rop = rop,
                             .connected = connected,
                             .count_out = count_out};

/* --- public functions --- */

static int check(gg_var *cond, unsigned int n, gg_var *const *yes,
                 gg_var *const *no) {
  if (cond == NULL && n != 0 && yes[0] != NULL)
    gg__fail(yes[0]->graph, GA_VALUE_ERROR, "ifelse: the condition is NULL");
  if (cond == NULL)
    return ga__fail(GA_VALUE_ERROR, "ifelse: the condition is NULL");
  if (cond->type.nd != 0)
    return gg__fail(cond->graph, GA_VALUE_ERROR,
                    "ifelse: the condition has %u dimensions, expected a "
                    "scalar",
                    cond->type.nd);
  for (unsigned int i = 0; i < n; i++) {
    if (yes[i] == NULL || no[i] == NULL)
      return gg__fail(cond->graph, GA_VALUE_ERROR, "ifelse: value %u is NULL",
                      i);
    if (yes[i]->graph != cond->graph || no[i]->graph != cond->graph)
      return gg__fail(cond->graph, GA_VALUE_ERROR,
                      "ifelse: value %u belongs to another graph", i);
  }
  return gg_graph_status(cond->graph);
}

int gg_ifelse_all(gg_var **out, gg_var *cond, unsigned int n,
                  gg_var *const *yes, gg_var *const *no) {
  gg__choice c = {.cond = cond, .n = n};

  memset(out, 0, n * sizeof(gg_var *));
  GA_TRY(check(cond, n, yes, no));
  if (n == 0)
    return GA_NO_ERROR;
  gg_var **roots = ga__malloc(2 * (size_t)n * sizeof(gg_var *));
  if (roots == NULL)
    return gg__fail(cond->graph, GA_MEMORY_ERROR, "out of host memory");
  memcpy(roots, yes, n * sizeof(gg_var *));
  memcpy(roots + n, no, n * sizeof(gg_var *));
  c.roots = roots;
  if (cond->type.dtype != GA_BOOL)
    c.cond = gg_ne(cond, gg__num(cond, 0));
  gg_apply *a = c.cond != NULL ? gg__ifelse_make(&c) : NULL;
  ga__free(roots);
  if (a == NULL)
    return gg_graph_status(cond->graph);
  memcpy(out, a->out, n * sizeof(gg_var *));
  return GA_NO_ERROR;
}

gg_var *gg_ifelse(gg_var *cond, gg_var *yes, gg_var *no) {
  gg_var *v = NULL;

  gg_ifelse_all(&v, cond, 1, &yes, &no);
  return v;
}

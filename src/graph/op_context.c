/* SPDX-License-Identifier: BSD-2-Clause */
/* The contexts of variables, and the op that moves values between them. */
#include <gpuarray/device.h>
#include <stdio.h>

#include "graph/inner.h"
#include "ops/ops.h"

/* --- the contexts of nodes --- */

gpucontext *gg_var_context(const gg_var *v) {
  if (v == NULL)
    return NULL;
  return v->type.ctx != NULL ? v->type.ctx : v->graph->ctx;
}

/* The name of a context for messages. A graph that was read has its own names
 * for contexts. */
static const char *text_of(const gg_apply *a, gpucontext *ctx, char *buf) {
  const char *name = gg__label_of(&a->out[0]->graph->labels, ctx);

  return name != NULL ? name : gg_context_text(ctx, buf, GG_CONTEXT_TEXT);
}

/* Set *ctx to the context of the inputs whose values the node reads; NULL if
 * they go with any. */
static int find_context(const gg_apply *a, gpucontext **ctx) {
  char here[GG_CONTEXT_TEXT], there[GG_CONTEXT_TEXT];
  unsigned int first = 0;

  *ctx = NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const gg_var *v = a->in[i];

    if (v->type.ctx == NULL || v->type.ctx == *ctx ||
        gg_apply_shape_only(a, i) || gg__number_only(a, i))
      continue;
    if (*ctx != NULL)
      return gg_op_fail(
          a, GA_VALUE_ERROR,
          "operand %u (%s) is in %s, operand %u (%s) in %s; gg_transfer moves "
          "one to the other",
          first, gg__display_name(a->in[first]), text_of(a, *ctx, here), i,
          gg__display_name(v), text_of(a, v->type.ctx, there));
    *ctx = v->type.ctx;
    first = i;
  }
  return GA_NO_ERROR;
}

/* An inner graph runs in its own context. Check that the operands are there. */
static int check_inner(const gg_apply *a, gpucontext **ctx) {
  char here[GG_CONTEXT_TEXT], there[GG_CONTEXT_TEXT];
  gpucontext *inside = gg__inner_of(a)->g->ctx;

  if (*ctx != NULL && *ctx != inside)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the operands are in %s, what is inside in %s",
                      text_of(a, *ctx, here), text_of(a, inside, there));
  *ctx = inside;
  return GA_NO_ERROR;
}

int gg__infer_contexts(const gg_apply *a, gg_type *types) {
  const int is_number =
      a->op->kind == GG_OP_SHAPE && gg__type_size(&types[0]) == 1;
  gpucontext *ctx;

  if (a->op->kind == GG_OP_TRANSFER)
    return GA_NO_ERROR;
  GA_TRY(find_context(a, &ctx));
  if (a->op->kind == GG_OP_INNER)
    GA_TRY(check_inner(a, &ctx));
  for (unsigned int i = 0; i < a->n_in && ctx == NULL; i++)
    if (gg_apply_shape_only(a, i))
      ctx = a->in[i]->type.ctx;
  for (unsigned int i = 0; i < a->n_out; i++) {
    if (ctx != NULL)
      types[i].ctx = ctx;
    if (is_number)
      types[i].ctx = NULL;
  }
  return GA_NO_ERROR;
}

/* Record the error in both graphs. */
static int fail_contexts(const gg_var *v, const gg_var *w, unsigned int i) {
  char first[GG_CONTEXT_TEXT], other[GG_CONTEXT_TEXT];
  gg_graph *graphs[2] = {w->graph, v->graph};
  int err = GA_NO_ERROR;

  gg_context_text(gg_var_context(v), first, sizeof first);
  gg_context_text(gg_var_context(w), other, sizeof other);
  for (int k = 0; k < 2; k++)
    err = gg__fail(graphs[k], GA_VALUE_ERROR,
                   "variable %u (%s) is in another context (%s) than %s (%s)",
                   i, gg__display_name(w), other, gg__display_name(v), first);
  return err;
}

/* Nonzero for a variable of `g` that goes with any context. */
static int is_anywhere(const gg_var *v, const gg_graph *g) {
  return v->type.ctx == NULL && v->graph == g;
}

int gg_infer_context(gpucontext **ctx, unsigned int n, gg_var *const *vars) {
  unsigned int first = 0;

  *ctx = NULL;
  for (unsigned int i = 0; i < n; i++)
    if (vars[i] == NULL)
      return ga__fail(GA_VALUE_ERROR, "variable %u is NULL", i);
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "no variable to infer a context from");
  while (first + 1 < n && is_anywhere(vars[first], vars[0]->graph))
    first++;
  for (unsigned int i = first + 1; i < n; i++)
    if (!is_anywhere(vars[i], vars[0]->graph) &&
        gg_var_context(vars[i]) != gg_var_context(vars[first]))
      return fail_contexts(vars[first], vars[i], i);
  *ctx = gg_var_context(vars[first]);
  return GA_NO_ERROR;
}

/* --- the op --- */

typedef struct transfer_props {
  gpucontext *ctx;
} transfer_props;

GA_NO_PADDING(transfer_props, sizeof(void *));

static int infer_transfer(const gg_apply *a, gg_type *out) {
  *out = a->in[0]->type;
  out->ctx = gg__transfer_target(a);
  return GA_NO_ERROR;
}

static int grad_transfer(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_transfer(gout[0], gg_var_context(a->in[0]));
  return GA_NO_ERROR;
}

static int rop_transfer(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  dout[0] = gg_transfer(din[0], gg__transfer_target(a));
  return GA_NO_ERROR;
}

static void print_transfer(const gg_apply *a, char *buf, size_t bytes) {
  char name[GG_CONTEXT_TEXT];

  snprintf(buf, bytes, "to %s",
           gg_context_text(gg__transfer_target(a), name, sizeof name));
}

const gg_op gg__op_transfer = {.name = "transfer",
                               .kind = GG_OP_TRANSFER,
                               .props_bytes = sizeof(transfer_props),
                               .n_out = 1,
                               .infer = infer_transfer,
                               .shape = gg__shape_first,
                               .grad = grad_transfer,
                               .rop = rop_transfer,
                               .print = print_transfer,
                               .half_ok = 1,
                               .no_fold = 1};

gpucontext *gg__transfer_target(const gg_apply *a) {
  const transfer_props *p = a->props;

  return p->ctx;
}

/* --- building --- */

gg_var *gg_transfer(gg_var *x, gpucontext *ctx) {
  if (x == NULL)
    return NULL;
  if (ctx == NULL)
    ctx = x->graph->ctx;
  if (!gpucontext_alive(ctx)) {
    gg__fail(x->graph, GA_VALUE_ERROR,
             "transfer of %s: the context that it should go to is gone",
             gg__display_name(x));
    return NULL;
  }
  return gg__transfer_to(x, ctx);
}

gg_var *gg__transfer_to(gg_var *x, gpucontext *ctx) {
  const transfer_props p = {ctx};

  while (x->type.ctx != p.ctx && x->owner != NULL &&
         x->owner->op == &gg__op_transfer)
    x = x->owner->in[0];
  if (x->type.ctx == p.ctx)
    return x;
  if (x->kind == GG_VAR_CONST)
    return gg__constant_in(x, p.ctx);
  return gg_op_apply(x->graph, &gg__op_transfer, &p, 1, &x);
}

gg_var *gg_as_gpu_variable(gg_var *x, gpucontext *ctx) {
  if (x != NULL && ctx == NULL) {
    gg__fail(x->graph, GA_VALUE_ERROR, "no context to have %s in",
             gg__display_name(x));
    return NULL;
  }
  return gg_transfer(x, ctx);
}

int gg_as_context(gpucontext *ctx, unsigned int n, gg_var *const *vars,
                  gg_var **out) {
  for (unsigned int i = 0; i < n; i++) {
    gg_graph *g = gg_var_graph(vars[i]);

    out[i] = gg_as_gpu_variable(vars[i], ctx);
    if (out[i] == NULL)
      return g != NULL ? gg_graph_status(g)
                       : ga__fail(GA_VALUE_ERROR, "variable %u is NULL", i);
  }
  return GA_NO_ERROR;
}

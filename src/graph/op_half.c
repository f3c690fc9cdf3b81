/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that do not support narrow floats compute in float32: inputs are cast to
 * it, and outputs back. */
#include "base/dtype.h"
#include "graph/graph.h"
#include "ops/ops.h"

static int is_narrow(const gg_var *v) {
  return ga__dtype_is_narrow(v->type.dtype);
}

int gg__knows_half(const gg_op *op) {
  return op->half_ok || (op->kind != GG_OP_KERNEL && op->kind != GG_OP_PERFORM);
}

int gg__needs_floats(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in && !gg__knows_half(a->op); i++)
    if (is_narrow(a->in[i]))
      return 1;
  return 0;
}

const char *gg__widened_from(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in && !gg__knows_half(a->op); i++) {
    const gg_apply *cast = a->in[i]->owner;
    if (cast != NULL && cast->op == &gg__op_cast && is_narrow(cast->in[0]))
      return ga__dtype_name(cast->in[0]->type.dtype);
  }
  return NULL;
}

/* Apply the op of `a` to float32 inputs. NULL on failure. */
static gg_apply *apply_to_floats(gg_graph *g, const gg_apply *a) {
  gg_var **in = ga__malloc(a->n_in * sizeof(gg_var *));

  if (in == NULL) {
    gg__fail_nomem(g);
    return NULL;
  }
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = is_narrow(a->in[i]) ? gg_cast(a->in[i], GA_FLOAT) : a->in[i];
  gg_var *v = gg_op_apply(g, a->op, a->props, a->n_in, in);
  ga__free(in);
  return v != NULL ? v->owner : NULL;
}

int gg__use_floats(gg__subst *s, const gg_apply *old, const gg_apply *a) {
  const gg_apply *wide = apply_to_floats(s->g, a);

  if (wide == NULL)
    return gg_graph_status(s->g);
  for (unsigned int i = 0; i < a->n_out; i++) {
    gg_var *v = wide->out[i];
    if (is_narrow(a->out[i]))
      v = gg_cast(v, a->out[i]->type.dtype);
    if (v == NULL)
      return gg_graph_status(s->g);
    if (!gg__type_fits(&v->type, &a->out[i]->type))
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "output %u has another type on float32 inputs", i);
    GA_TRY(gg__subst_put(s, old->out[i], v));
  }
  return GA_NO_ERROR;
}

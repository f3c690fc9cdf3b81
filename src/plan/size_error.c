/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules and macros make nodes that the user did not write. Where their sizes
 * clash, the message names the user's variables that the sizes come from. */
#include "plan/size_error.h"

#include "ops/ops.h"

/* The input of v's node that the size of axis *k of v comes from; *k becomes
 * the axis of that input. NULL if that is not clear. */
static const gg_var *source_of(const gg_var *v, unsigned int *k) {
  const gg_apply *a = v->owner;

  if (a->op->shape == gg__shape_first)
    return a->in[0];
  if (a->op == &gg__op_dimshuffle) {
    const int from = ((const gg__dimshuffle_props *)a->props)->pattern[*k];
    *k = (unsigned int)from;
    return from >= 0 ? a->in[0] : NULL;
  }
  if (a->op == &gg__op_reduce) {
    const gg_reduce_props *p = a->props;
    for (unsigned int i = 0; !p->keepdims && i <= *k; i++)
      *k += p->axes_mask >> i & 1u;
    return a->in[0];
  }
  for (unsigned int i = 0; a->op->kind == GG_OP_ELEMWISE && i < a->n_in; i++)
    if (a->in[i]->type.dims[*k] != 1)
      return a->in[i];
  return NULL;
}

/* The user's variable that the size of axis k of v comes from, or v. */
static const gg_var *users_variable(const gg_var *v, unsigned int k) {
  const gg_var *u = v;

  while (u != NULL && u->name[0] == '\0' && gg__made_from(u) != NULL)
    u = source_of(u, &k);
  return u != NULL ? u : v;
}

/* Find two inputs of an elementwise node whose sizes differ along an axis, *k.
 * Returns 0 if there are none. */
static int find_clash(const gg_apply *a, const gg_dims *in, unsigned int *k,
                      unsigned int pair[2]) {
  for (*k = 0; *k < a->out[0]->type.nd; ++*k) {
    unsigned int n = 0;
    for (unsigned int i = 0; i < a->n_in; i++) {
      if (a->in[i]->type.dims[*k] == 1)
        continue;
      pair[n != 0] = i;
      if (n++ != 0 && in[i].dim[*k] != in[pair[0]].dim[*k])
        return 1;
    }
  }
  return 0;
}

/* Name the user's variables that two inputs get different sizes from. */
static void append_clash(ga__strb *b, const gg_apply *a, const gg_dims *in,
                         unsigned int k, const unsigned int pair[2]) {
  ga__strb_appendf(b, "dim %u", k);
  for (int i = 0; i < 2; i++)
    ga__strb_appendf(b, "%s %s has %zu", i == 0 ? ":" : ",",
                     gg__display_name(users_variable(a->in[pair[i]], k)),
                     in[pair[i]].dim[k]);
}

/* The sizes of v if the program has it and found them before the failure. */
static const gg_dims *known_dims(const void *arg, const gg_var *v) {
  const gg__failed_size *f = arg;
  const gg__program *p = f->p;
  const gg_graph *g = p->g;

  if (v->id >= g->vars.n || g->vars.v[v->id] != v ||
      p->value_of[v->id] == GG_NONE)
    return NULL;
  const unsigned int k = p->value_of[v->id], node = p->values.v[k].node;
  return node == GG_NONE || node < f->node ? &f->dims[k] : NULL;
}

/* Begin the message: what the user called, with what, and what is wrong. */
static void append_call(ga__strb *b, const gg__failed_size *f,
                        const gg_apply *a) {
  const gg_parts *parts = a->out[0]->site.parts;
  unsigned int k, pair[2];

  if (parts != NULL)
    gg__parts_append(b, parts, known_dims, f);
  else
    ga__strb_appendf(b, "%s: ", gg__made_from(a->out[0])->name);
  const int has_rule = parts != NULL && parts->rule != NULL;
  if (a->op->kind == GG_OP_ELEMWISE && find_clash(a, f->in, &k, pair)) {
    ga__strb_append(b, has_rule ? ": " : "");
    append_clash(b, a, f->in, k, pair);
  } else if (!has_rule) {
    ga__strb_append(b, "sizes do not fit");
  }
}

int gg__blame_sizes(int err, const gg__failed_size *f) {
  const gg_apply *a = f->p->nodes.v[f->node].apply;
  ga__strb b = GA_STRB_INIT;

  if ((err == GA_VALUE_ERROR || err == GA_XLARGE_ERROR) &&
      gg__made_from(a->out[0]) != NULL) {
    append_call(&b, f, a);
    ga__strb_appendf(&b, "; computed as %s", ga__err_text(err));
    if (b.err == GA_NO_ERROR)
      ga__fail_text(err, ga__strb_text(&b));
    ga__strb_clear(&b);
  }
  return gg__blame(err, a->out[0]);
}

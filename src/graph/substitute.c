/* SPDX-License-Identifier: BSD-2-Clause */
/* Substitution: graphs rebuilt with other variables. Nothing recurses, so
 * chains of nodes may have any length. */
#include <string.h>

#include "graph/graph.h"

void gg__subst_init(gg__subst *s, gg_graph *to) {
  memset(s, 0, sizeof *s);
  s->g = to;
}

void gg__subst_clear(gg__subst *s) {
  ga__vec_clear(&s->map);
  ga__vec_clear(&s->stack);
  ga__vec_clear(&s->in);
}

int gg__subst_put(gg__subst *s, const gg_var *from, gg_var *to) {
  GA_ASSERT(to == NULL || to->graph == s->g);
  while (s->map.n <= from->id)
    if (ga__vec_push(&s->map, NULL) != GA_NO_ERROR)
      return gg__fail_nomem(s->g);
  s->map.v[from->id] = to;
  return GA_NO_ERROR;
}

gg_var *gg__subst_get(const gg__subst *s, const gg_var *from) {
  return from->id < s->map.n ? s->map.v[from->id] : NULL;
}

/* --- sites, and what builders were called with --- */

/* What v is now: itself if it stays in its graph, NULL if it is not needed or
 * comes later. */
static gg_var *mapped(const gg__subst *s, gg_var *v) {
  const gg_graph *from = v != NULL ? v->graph : NULL;

  if (from == NULL || v->id >= from->vars.n || from->vars.v[v->id] != v)
    return NULL;
  gg_var *const w = gg__subst_get(s, v);
  return w != NULL ? w : from == s->g ? v : NULL;
}

static int stays(const gg__subst *s, const gg_parts *p) {
  for (unsigned int i = 0; i < p->n_in; i++)
    if (p->in[i] == NULL || mapped(s, p->in[i]) != p->in[i])
      return 0;
  return 1;
}

/* The parts of a builder follow one another, so that the last copy is most
 * often the one that is asked for. By then more operands may be mapped. */
const gg_parts *gg__parts_mapped(gg__subst *s, const gg_parts *p) {
  if (p == NULL || stays(s, p))
    return p;
  if (p != s->parts_from) {
    s->parts_from = p;
    s->parts = gg__parts_new(s->g, p->op, p->rule, p->n_in);
  }
  for (unsigned int i = 0; s->parts != NULL && i < p->n_in; i++)
    s->parts->in[i] = mapped(s, p->in[i]);
  return s->parts;
}

gg__site gg__site_mapped(gg__subst *s, const gg_var *v) {
  const gg__site old = gg__site_from(s->g, v);

  s->g->from.parts = gg__parts_mapped(s, v->site.parts);
  return old;
}

gg__site gg__site_lowered(gg__subst *s, const gg_var *v, const gg_apply *a) {
  const gg__site old = gg__site_mapped(s, v);

  if (s->g->from.parts == NULL && s->g->from.op == a->op)
    s->g->from.parts = gg__parts_of(s->g, a->op, NULL, a->n_in, a->in);
  return old;
}

/* --- nodes --- */

/* Nonzero if the inputs of `a` are mapped to themselves. */
static int is_same(const gg__subst *s, const gg_apply *a) {
  if (a->out[0]->graph != s->g)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__subst_get(s, a->in[i]) != a->in[i])
      return 0;
  return 1;
}

/* Apply the op of `a` to the variables that its inputs are mapped to. Returns
 * output 0. */
static gg_var *apply_again(gg__subst *s, const gg_apply *a) {
  const gg__site old = gg__site_mapped(s, a->out[0]);
  gg_var *v = NULL;
  int err = GA_NO_ERROR;

  s->in.n = 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    GA_CHECK(ga__vec_push(&s->in, gg__subst_get(s, a->in[i])));
  v = gg_op_apply(s->g, a->op, a->props, a->n_in, s->in.v);
done:
  s->g->from = old;
  if (err != GA_NO_ERROR)
    gg__fail_nomem(s->g);
  return v;
}

void gg__keep_sizes(const gg_apply *a, gg_apply *b) {
  for (unsigned int k = 0; k < a->n_out; k++)
    for (unsigned int i = 0; i < a->out[k]->type.nd; i++) {
      const int64_t old = a->out[k]->type.dims[i];
      int64_t *now = &b->out[k]->type.dims[i];
      if (*now == GG_ANY || (*now == 1 && old == GG_ANY))
        *now = old;
    }
}

/* Map the outputs of `a`, whose inputs are mapped. */
static int rebuild_apply(gg__subst *s, gg_apply *a) {
  const size_t n_before = s->g->vars.n;
  gg_var *v = is_same(s, a) ? a->out[0] : apply_again(s, a);

  if (v == NULL)
    return gg_graph_status(s->g);
  if (a->out[0]->graph == s->g && v->id >= n_before)
    gg__keep_sizes(a, v->owner);
  for (unsigned int i = 0; i < a->n_out; i++) {
    gg_var *w = v->owner->out[i];
    if (w->name[0] == '\0' && a->out[i]->name[0] != '\0')
      gg_named(w, a->out[i]->name);
    /* An output that is mapped to something else stays so. */
    if (gg__subst_get(s, a->out[i]) == NULL)
      GA_TRY(gg__subst_put(s, a->out[i], w));
  }
  return GA_NO_ERROR;
}

static int rebuild_leaf(gg__subst *s, gg_var *v) {
  gg_var *w = v->graph == s->g ? v : gg__clone_leaf(s->g, v);

  if (w == NULL)
    return gg_graph_status(s->g);
  return gg__subst_put(s, v, w);
}

/* The first input of `a`, from *next on, that is not mapped, or NULL. */
static gg_var *unmapped_input(const gg__subst *s, const gg_apply *a,
                              unsigned int *next) {
  for (; *next < a->n_in; ++*next)
    if (gg__subst_get(s, a->in[*next]) == NULL)
      return a->in[*next];
  return NULL;
}

static int rebuild(gg__subst *s, gg_var *v) {
  gg__rebuilding top = {v, 0}, *f;

  s->stack.n = 0;
  GA_TRY(ga__vec_push(&s->stack, top));
  while (s->stack.n > 0) {
    f = &s->stack.v[s->stack.n - 1];
    if (f->v->owner == NULL) {
      GA_TRY(rebuild_leaf(s, f->v));
    } else {
      gg_var *below = unmapped_input(s, f->v->owner, &f->next);
      if (below != NULL) {
        top.v = below;
        GA_TRY(ga__vec_push(&s->stack, top));
        continue;
      }
      GA_TRY(rebuild_apply(s, f->v->owner));
    }
    s->stack.n--;
  }
  return GA_NO_ERROR;
}

gg_var *gg__subst_apply(gg__subst *s, gg_var *v) {
  if (v == NULL)
    return NULL;
  if (gg__subst_get(s, v) == NULL) {
    int err = rebuild(s, v);
    if (err != GA_NO_ERROR) {
      gg__fail_err(s->g, err);
      return NULL;
    }
  }
  return gg__subst_get(s, v);
}

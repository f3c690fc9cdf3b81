/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over graphs: order, use counts and rebuilding. None recurses, so
 * chains of nodes may have any length.
 *
 * Ids of variables are a topological order already, so a walk is a pass over
 * ids: downwards to find needed variables, upwards to visit inputs first. */
#include <string.h>

#include "graph/graph.h"

const gg_graph *gg__graph_of(size_t n, gg_var *const *vars) {
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      return vars[i]->graph;
  return NULL;
}

/* Allocate *need, one byte for each id up to the greatest of `vars`, and set
 * need[id] = 1 for each of `vars`. *n_ids is its length. The caller frees
 * *need. */
static int mark_vars(unsigned char **need, size_t *n_ids, size_t n,
                     gg_var *const *vars) {
  size_t top = 0;

  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL && vars[i]->id + (size_t)1 > top)
      top = vars[i]->id + (size_t)1;
  *n_ids = top;
  *need = ga__calloc(top, 1);
  if (*need == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      (*need)[vars[i]->id] = 1;
  return GA_NO_ERROR;
}

static void reverse(gg__order *order) {
  for (size_t i = 0; i < order->n / 2; i++) {
    gg_apply *a = order->v[i];
    order->v[i] = order->v[order->n - 1 - i];
    order->v[order->n - 1 - i] = a;
  }
}

/* One walk downwards. A node is added at its first output: the walk reaches
 * this one last. */
int gg__toposort(gg__order *out, size_t n, gg_var *const *vars) {
  const gg_graph *g = gg__graph_of(n, vars);
  unsigned char *need = NULL;
  size_t n_ids;
  int err;

  out->n = 0;
  GA_CHECK(mark_vars(&need, &n_ids, n, vars));
  for (size_t id = n_ids; id-- > 0;) {
    if (!need[id])
      continue;
    gg_apply *a = g->vars.v[id]->owner;
    if (a == NULL)
      continue;
    if (a->out[0]->id != id) {
      need[a->out[0]->id] = 1;
      continue;
    }
    for (unsigned int i = 0; i < a->n_in; i++) {
      GA_ASSERT(a->in[i]->graph == g && a->in[i]->id < id);
      need[a->in[i]->id] = 1;
    }
    GA_CHECK(ga__vec_push(out, a));
  }
  reverse(out);
done:
  ga__free(need);
  return err;
}

int gg__count_ordered_uses(gg__uses *out, const gg_graph *g,
                           const gg__order *order, size_t n,
                           gg_var *const *vars) {
  out->n = 0;
  for (size_t i = 0; i < g->vars.n; i++)
    GA_TRY(ga__vec_push(out, 0));
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      out->v[vars[i]->id]++;
  for (size_t i = 0; i < order->n; i++) {
    const gg_apply *a = order->v[i];
    for (size_t k = 0; k < a->n_in; k++)
      out->v[a->in[k]->id]++;
  }
  return GA_NO_ERROR;
}

int gg__count_uses(gg__uses *out, const gg_graph *g, size_t n,
                   gg_var *const *vars) {
  gg__order order = {0};
  int err = gg__toposort(&order, n, vars);

  if (err == GA_NO_ERROR)
    err = gg__count_ordered_uses(out, g, &order, n, vars);
  ga__vec_clear(&order);
  return err;
}

/* --- substitution --- */

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
  const gg__site old = gg__site_from(s->g, a->out[0]);
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

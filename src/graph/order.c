/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over graphs: order, use counts and rebuilding. None recurses, so that
 * chains of any length are fine.
 *
 * Ids of variables are a topological order already, so a walk is a pass over
 * ids: downwards to find what is needed, upwards to visit inputs first. */
#include <string.h>

#include "graph/graph.h"

/* need[id] = 1 for each output of a needed node and each needed leaf, for ids
 * up to the greatest of `vars`; *n_ids is how many. The caller frees. */
static int mark_needed(unsigned char **need, size_t *n_ids, size_t n,
                       gg_var *const *vars) {
  const gg_graph *g = NULL;
  const gg_apply *a;
  unsigned char *mark;
  size_t i, id, top = 0;

  for (i = 0; i < n; i++)
    if (vars[i] != NULL && vars[i]->id + (size_t)1 > top) {
      g = vars[i]->graph;
      top = vars[i]->id + (size_t)1;
    }
  *n_ids = top;
  *need = mark = ga__calloc(top, 1);
  if (mark == NULL)
    return ga__fail_nomem();
  for (i = 0; i < n; i++)
    if (vars[i] != NULL)
      mark[vars[i]->id] = 1;
  for (id = top; id-- > 0;) {
    a = g->vars.v[id]->owner;
    if (!mark[id] || a == NULL)
      continue;
    /* The first output stands for the node. */
    mark[a->out[0]->id] = 1;
    for (i = 0; i < a->n_in; i++)
      mark[a->in[i]->id] = 1;
  }
  return GA_NO_ERROR;
}

static const gg_graph *graph_of(size_t n, gg_var *const *vars) {
  size_t i;

  for (i = 0; i < n; i++)
    if (vars[i] != NULL)
      return vars[i]->graph;
  return NULL;
}

int gg__toposort(gg__order *out, size_t n, gg_var *const *vars) {
  const gg_graph *g = graph_of(n, vars);
  unsigned char *need = NULL;
  size_t id, n_ids;
  gg_apply *a;
  int err;

  out->n = 0;
  GA_CHECK(mark_needed(&need, &n_ids, n, vars));
  for (id = 0; id < n_ids; id++) {
    a = g->vars.v[id]->owner;
    if (need[id] && a != NULL && g->vars.v[id]->index == 0)
      GA_CHECK(ga__vec_push(out, a));
  }
done:
  ga__free(need);
  return err;
}

int gg__count_uses(gg__uses *out, const gg_graph *g, size_t n,
                   gg_var *const *vars) {
  gg__order order = {0};
  size_t i, k;
  int err;

  out->n = 0;
  GA_CHECK(gg__toposort(&order, n, vars));
  for (i = 0; i < g->vars.n; i++)
    GA_CHECK(ga__vec_push(out, 0));
  for (i = 0; i < n; i++)
    if (vars[i] != NULL)
      out->v[vars[i]->id]++;
  for (i = 0; i < order.n; i++)
    for (k = 0; k < order.v[i]->n_in; k++)
      out->v[order.v[i]->in[k]->id]++;
done:
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
}

int gg__subst_put(gg__subst *s, const gg_var *from, gg_var *to) {
  while (s->map.n <= from->id)
    if (ga__vec_push(&s->map, NULL) != GA_NO_ERROR)
      return gg__fail(s->g, GA_MEMORY_ERROR, "out of host memory");
  s->map.v[from->id] = to;
  return GA_NO_ERROR;
}

gg_var *gg__subst_get(const gg__subst *s, const gg_var *from) {
  return from->id < s->map.n ? s->map.v[from->id] : NULL;
}

/* Map the outputs of `a`, whose inputs are mapped. */
static int rebuild_apply(gg__subst *s, gg_apply *a) {
  const gg__site old = gg__site_from(s->g, a->out[0]);
  GA_VEC(gg_var *) in = {0};
  int same = a->out[0]->graph == s->g;
  gg_var *v, *w;
  unsigned int i;
  int err = GA_NO_ERROR;

  for (i = 0; i < a->n_in; i++) {
    w = gg__subst_get(s, a->in[i]);
    same = same && w == a->in[i];
    if (ga__vec_push(&in, w) != GA_NO_ERROR)
      GA_CHECK(gg__fail(s->g, GA_MEMORY_ERROR, "out of host memory"));
  }
  v = same ? a->out[0] : gg_op_apply(s->g, a->op, a->props, a->n_in, in.v);
  GA_CHECK(v != NULL ? GA_NO_ERROR : gg_graph_status(s->g));
  for (i = 0; i < a->n_out; i++) {
    w = v->owner->out[i];
    if (w->name[0] == '\0' && a->out[i]->name[0] != '\0')
      gg_named(w, a->out[i]->name);
    /* An output that is mapped to something else stays so. */
    if (gg__subst_get(s, a->out[i]) == NULL)
      GA_CHECK(gg__subst_put(s, a->out[i], w));
  }
done:
  s->g->from = old;
  ga__vec_clear(&in);
  return err;
}

static int rebuild_leaf(gg__subst *s, gg_var *v) {
  gg_var *w = v->graph == s->g ? v : gg__clone_leaf(s->g, v);

  if (w == NULL)
    return gg_graph_status(s->g);
  return gg__subst_put(s, v, w);
}

/* The first input of `a` that is not mapped, or NULL. */
static gg_var *unmapped_input(const gg__subst *s, const gg_apply *a,
                              unsigned int *next) {
  for (; *next < a->n_in; ++*next)
    if (gg__subst_get(s, a->in[*next]) == NULL)
      return a->in[*next];
  return NULL;
}

typedef struct frame {
  gg_var *v;
  unsigned int next; /* inputs before it are mapped */
} frame;

static int rebuild(gg__subst *s, gg_var *v) {
  GA_VEC(frame) stack = {0};
  frame top = {v, 0}, *f;
  gg_var *below;
  int err;

  GA_CHECK(ga__vec_push(&stack, top));
  while (stack.n > 0) {
    f = &stack.v[stack.n - 1];
    if (f->v->owner == NULL) {
      GA_CHECK(rebuild_leaf(s, f->v));
    } else {
      below = unmapped_input(s, f->v->owner, &f->next);
      if (below != NULL) {
        top.v = below;
        GA_CHECK(ga__vec_push(&stack, top));
        continue;
      }
      GA_CHECK(rebuild_apply(s, f->v->owner));
    }
    stack.n--;
  }
done:
  ga__vec_clear(&stack);
  return err;
}

gg_var *gg__subst_apply(gg__subst *s, gg_var *v) {
  int err;

  if (v == NULL)
    return NULL;
  if (gg__subst_get(s, v) == NULL) {
    err = rebuild(s, v);
    if (err != GA_NO_ERROR) {
      gg__fail(s->g, err, "%s", gpuarray_error_str(err));
      return NULL;
    }
  }
  return gg__subst_get(s, v);
}

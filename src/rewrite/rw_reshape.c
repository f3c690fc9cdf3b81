/* SPDX-License-Identifier: BSD-2-Clause */
/* Reshapes: fewer of them, and none between what one kernel computes. */
#include "rewrite/rw_match.h"

enum { MOST_MOVED = 24 /* maps that move into a reshape together */ };

/* --- fewer reshapes --- */

/* Do x and the output, which have equal numbers of elements, have the same
 * sizes? A single unknown size follows from the others. */
static int is_same_shape(const gg_type *x, const gg_type *out) {
  unsigned int open = 0, none = 0;

  if (x->nd != out->nd)
    return 0;
  for (unsigned int i = 0; i < x->nd; i++) {
    none |= x->dims[i] == 0;
    if (x->dims[i] == GG_ANY || out->dims[i] == GG_ANY)
      open++;
    else if (x->dims[i] != out->dims[i])
      return 0;
  }
  return open == 0 || (open == 1 && !none);
}

/* The only axis whose size is not known to be 1; -1 if there is none or
 * several. */
static int only_axis(const gg_var *v) {
  const unsigned int wide = gg__wide(v);
  int i = 0;

  if (wide == 0 || (wide & (wide - 1)) != 0)
    return -1;
  while (!(wide >> i & 1u))
    i++;
  return i;
}

/* A reshape that only adds and drops axes of size 1. */
static gg_var *reshape_of_vector(gg_apply *a) {
  const int from = only_axis(a->in[0]), to = only_axis(a->out[0]);
  int pattern[GG_MAX_ND];

  if (gg__wide(a->in[0]) == 0 && gg__wide(a->out[0]) == 0)
    return gg__with_rank(a->in[0], a->out[0]->type.nd);
  if (from < 0 || to < 0)
    return NULL;
  gg__only_new(pattern);
  pattern[to] = from;
  return gg_dimshuffle(a->in[0], a->out[0]->type.nd, pattern);
}

static int is_reshape(const gg_apply *a) {
  return a->op == &gg__op_reshape || a->op == &gg__op_reshape_like ||
         a->op == &gg__op_reshape_sizes;
}

/* The operand of `a` if `a` keeps its elements in C order, else NULL. */
static gg_var *same_elements(const gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  int last = -1;

  if (is_reshape(a))
    return a->in[0];
  if (a->op != &gg__op_dimshuffle)
    return NULL;
  for (unsigned int i = 0; i < p->nd; i++) {
    if (p->pattern[i] < 0 || a->out[0]->type.dims[i] == 1)
      continue;
    if (p->pattern[i] < last)
      return NULL;
    last = p->pattern[i];
  }
  return a->in[0];
}

static gg_var *reshape_again(gg_apply *a) {
  gg_var *in[2] = {a->in[0], a->n_in > 1 ? a->in[1] : NULL};
  gg_apply *b = a->in[0]->owner;

  if (is_same_shape(&a->in[0]->type, &a->out[0]->type))
    return a->in[0];
  in[0] = b != NULL ? same_elements(b) : NULL;
  return in[0] != NULL ? gg__apply_like(a, in) : NULL;
}

/* --- maps that move into a reshape --- */

/* A map and those below it that only it uses, whose operands are a view of x
 * (a reshape) and what can stand beside x. */
typedef struct moving {
  const gg_rewriting *rw;
  const gg_apply *view;
  unsigned int kept; /* last axes of x that the view keeps */
  unsigned int met;  /* reads of the view */
  unsigned int left; /* maps that may be added */
} moving;

/* How many last axes of x the view keeps, as far as sizes are known. */
static unsigned int kept_axes(const gg_type *x, const gg_type *view) {
  unsigned int n = 0;

  while (n < x->nd && n < view->nd &&
         x->dims[x->nd - 1 - n] == view->dims[view->nd - 1 - n] &&
         x->dims[x->nd - 1 - n] != GG_ANY)
    n++;
  return n;
}

/* Can v stand beside x? It must have no axes but the last ones that the view
 * keeps, and not broadcast the view along these. */
static int stands_beside(const moving *m, const gg_var *v) {
  const gg_type *view = &m->view->out[0]->type;
  const unsigned int first = view->nd - m->kept;

  if ((gg__wide(v) & ((1u << first) - 1)) != 0)
    return 0;
  for (unsigned int i = first; i < view->nd; i++)
    if (v->type.dims[i] != 1 && v->type.dims[i] != view->dims[i])
      return 0;
  return 1;
}

/* v, which can stand beside x, with its rank. */
static gg_var *beside(const moving *m, gg_var *v) {
  const unsigned int nd = m->view->in[0]->type.nd;
  int pattern[GG_MAX_ND];

  gg__only_new(pattern);
  for (unsigned int i = 1; i <= m->kept; i++)
    pattern[nd - i] = (int)(v->type.nd - i);
  return gg_dimshuffle(v, nd, pattern);
}

/* Does v view a value of x's sizes as the view does x? */
static int is_viewed_alike(const moving *m, const gg_var *v) {
  const gg_apply *a = m->view, *b = v->owner;
  const unsigned int nd = a->out[0]->type.nd;

  if (b == NULL || b->op != a->op || b->n_in != a->n_in)
    return 0;
  for (unsigned int i = 1; i < b->n_in; i++)
    if (b->in[i] != a->in[i])
      return 0;
  if (b->op == &gg__op_reshape && kept_axes(&v->type, &a->out[0]->type) < nd)
    return 0;
  return is_same_shape(&b->in[0]->type, &a->in[0]->type) &&
         gg_rule_uses(m->rw, v) <= 1;
}

/* Can the map `a` move, with what is below it? Counts reads of the view. */
static int can_move(moving *m, const gg_apply *a) {
  if (!gg__is_map(a) || a->op->shape_only != 0 || m->left-- == 0)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const gg_var *v = a->in[i];

    if (v == m->view->out[0])
      m->met++;
    else if (!is_viewed_alike(m, v) && !stands_beside(m, v) &&
             (gg_rule_uses(m->rw, v) > 1 || !can_move(m, v->owner)))
      return 0;
  }
  return 1;
}

/* The map on x. */
static gg_var *moved(const moving *m, const gg_apply *a) {
  gg_var *in[GG_MAX_OPERANDS];

  for (unsigned int i = 0; i < a->n_in; i++) {
    gg_var *v = a->in[i];

    in[i] = v == m->view->out[0]    ? m->view->in[0]
            : is_viewed_alike(m, v) ? v->owner->in[0]
            : stands_beside(m, v)   ? beside(m, v)
                                    : moved(m, v->owner);
    if (in[i] == NULL)
      return NULL;
  }
  return gg__apply_like(a, in);
}

/* Can a kernel that computes x compute a map in addition? */
static int takes_maps(const gg_var *x) {
  return x->owner != NULL &&
         (gg__is_map(x->owner) || x->owner->op->prepare_post != NULL);
}

/* The first reshape below `a`, through maps alone, of what takes maps; or
 * NULL. */
static const gg_apply *find_reshape(const gg_apply *a, unsigned int *left) {
  const gg_apply *found = NULL;

  if (!gg__is_map(a) || (*left)-- == 0)
    return NULL;
  for (unsigned int i = 0; i < a->n_in && found == NULL && *left > 0; i++) {
    const gg_apply *b = a->in[i]->owner;

    if (b != NULL && is_reshape(b))
      found = takes_maps(b->in[0]) ? b : NULL;
    else
      found = find_reshape(b, left);
  }
  return found;
}

/* f(reshape(x), y) becomes reshape(f(x, y)): the kernel that computes x
 * computes f, too. All readers of the reshape must be part of f. */
static gg_var *map_into_reshape(const gg_rewriting *rw, gg_apply *a) {
  moving m = {.rw = rw, .left = MOST_MOVED};
  gg_var *to[1 + GG_MAX_ND];
  unsigned int left = MOST_MOVED;

  m.view = find_reshape(a, &left);
  if (m.view == NULL)
    return NULL;
  m.kept = kept_axes(&m.view->in[0]->type, &m.view->out[0]->type);
  if (!can_move(&m, a) || m.met < gg_rule_uses(rw, m.view->out[0]))
    return NULL;
  to[0] = moved(&m, a);
  for (unsigned int i = 1; i < m.view->n_in; i++)
    to[i] = m.view->in[i];
  return to[0] != NULL ? gg__apply_like(m.view, to) : NULL;
}

const gg_rule gg__rules_reshape[] = {
    GG_RULE("reshape to add axes", GG_CANON, reshape_of_vector,
            &gg__op_reshape),
    GG_RULE("reshape of reshape", GG_CANON, reshape_again, &gg__op_reshape,
            &gg__op_reshape_like),
    {.name = "map into reshape",
     .phases = GG_LATE,
     .counted = map_into_reshape},
    {0}};

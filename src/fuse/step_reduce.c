/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions, with the map before them, other reductions of the same elements,
 * and the epilogue. */
#include "fuse/body.h"
#include "fuse/label.h"
#include "fuse/overwrite.h"

/* Read the elements that are reduced, unless the step's own map computes
 * them. */
static int read_operand(gg__maker *m, const gg__cut *t, const gg_apply *a) {
  const unsigned int from = gg__in(m->p, a, 0);

  if (m->p->values.v[from].uniform)
    return gg__read_array(m, from);
  if (!gg__in_cut(m, t, from))
    return gg__read_value(m, from);
  return GA_NO_ERROR;
}

/* The step's reductions: its own, then the others. */
static gg_apply **list_roots(gg__maker *m, const gg__group *g) {
  gg_apply **roots =
      ga__arena_alloc(&m->p->arena, (1 + g->others.n) * sizeof(gg_apply *));

  if (roots == NULL) {
    ga__fail_nomem();
    return NULL;
  }
  roots[0] = m->p->nodes.v[g->root].apply;
  for (size_t i = 0; i < g->others.n; i++)
    roots[i + 1] = m->p->nodes.v[g->others.v[i]].apply;
  return roots;
}

static int make_bodies(gg__maker *m, gg__reduce_step *x, unsigned int group,
                       gg_apply *const *roots) {
  const gg__cut t = {.group = group};
  size_t first = 0;

  gg__begin_body(m, &x->map);
  GA_TRY(gg__fill_body(m, &x->map, &t, NULL, 0, &first));
  for (unsigned int i = 0; i <= x->n_also; i++)
    GA_TRY(read_operand(m, &t, roots[i]));
  GA_TRY(gg__end_body(m, &x->map));
  return gg__make_epilogue(m, &x->epilogue, m->f->groups.v[group].epilogue,
                           roots, x->n_also + 1);
}

int gg__add_reduction(gg__maker *m, unsigned int group) {
  const gg__group *g = &m->f->groups.v[group];
  gg_apply **roots = list_roots(m, g);
  gg__reduce_step *x =
      roots != NULL ? gg__add_step(m, GG_STEP_REDUCE, roots[0], sizeof *x)
                    : NULL;

  if (x == NULL)
    return GA_MEMORY_ERROR;
  x->also = roots + 1;
  x->n_also = (unsigned int)g->others.n;
  GA_TRY(make_bodies(m, x, group, roots));
  GA_TRY(gg__step_lists(m, &x->step, 3 + x->n_also,
                        x->map.n_in + x->epilogue.n_in, x->epilogue.n_out));
  gg__step_computes(&x->step, x->map.nodes, x->map.n_nodes);
  for (unsigned int i = 0; i <= x->n_also; i++)
    gg__step_computes(&x->step, &roots[i], 1);
  gg__step_computes(&x->step, x->epilogue.nodes, x->epilogue.n_nodes);
  gg__step_reads_body(&x->step, &x->map);
  gg__step_reads_body(&x->step, &x->epilogue);
  gg__step_writes_body(m, &x->step, &x->epilogue);
  return GA_NO_ERROR;
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  const gg__reduce_step *x = gg__reduce_of(s);

  (void)p;
  gg__label_node(b, s->apply);
  for (unsigned int i = 0; i < x->n_also; i++) {
    ga__strb_append(b, ", ");
    gg__label_node(b, x->also[i]);
  }
  if (x->map.n_nodes != 0)
    gg__label_body(b, &x->map);
  gg__label_then(b, &x->epilogue);
}

/* The map must not read the shared variable at all: the work-item that reads an
 * element is not the one that writes it. */
static int overwrites(const gg__program *p, const gg__step *s,
                      const gg__result *r) {
  const gg__reduce_step *x = gg__reduce_of(s);

  return gg__body_allows(p, &x->map, r->shared, GG_NONE) &&
         gg__body_allows(p, &x->epilogue, r->shared,
                         p->values.v[r->value].space);
}

const gg__step_ops gg__reduce_ops = {.name = "reduction",
                                     .has_launch = 1,
                                     .label = label,
                                     .overwrites = overwrites};

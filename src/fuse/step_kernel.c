/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops with kernels of their own, and their epilogues; loops and choices. */
#include "fuse/body.h"
#include "fuse/label.h"
#include "fuse/overwrite.h"

static int make_front(gg__maker *m, gg__kernel_step *x, unsigned int group) {
  const gg__cut t = {.group = group};
  size_t first = 0;

  gg__begin_body(m, &x->front);
  GA_TRY(gg__fill_body(m, &x->front, &t, NULL, 0, &first));
  return gg__end_body(m, &x->front);
}

static int make_epilogues(gg__maker *m, gg__kernel_step *x,
                          const gg__group *g) {
  GA_TRY(gg__make_epilogue(m, &x->epilogue, g->epilogue, &x->step.apply, 1));
  if (g->others.n == 0)
    return GA_NO_ERROR;
  x->sum = m->p->nodes.v[g->others.v[0]].apply;
  return gg__make_epilogue(m, &x->sum_epilogue, g->sum_epilogue, &x->sum, 1);
}

/* Enter what the node reads from memory. */
static int list_operands(gg__maker *m, gg__kernel_step *x) {
  const gg__body *f = &x->front, *t = &x->epilogue, *u = &x->sum_epilogue;
  const gg_apply *a = x->step.apply;
  const gg__node *n = gg__step_node(m->p, &x->step);
  gg__step *s = &x->step;

  GA_TRY(gg__step_lists(m, s, 5, a->n_in + f->n_in + t->n_in + u->n_in,
                        a->n_out + t->n_out + u->n_out));
  gg__step_computes(s, f->nodes, f->n_nodes);
  gg__step_computes(s, &s->apply, 1);
  gg__step_reads_body(s, f);
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__kernel_reads(n, x, i))
      gg__step_reads(s, gg__in(m->p, a, i));
  return GA_NO_ERROR;
}

/* Fill the lists of the head. Without an epilogue, all results are stored as
 * they are. */
static int list_all(gg__maker *m, gg__kernel_step *x) {
  const gg__body *t = &x->epilogue, *u = &x->sum_epilogue;
  gg__step *s = &x->step;

  GA_TRY(list_operands(m, x));
  gg__step_computes(s, t->nodes, t->n_nodes);
  gg__step_computes(s, &x->sum, x->sum != NULL);
  gg__step_computes(s, u->nodes, u->n_nodes);
  gg__step_reads_body(s, t);
  gg__step_reads_body(s, u);
  gg__step_writes_body(m, s, t);
  gg__step_writes_body(m, s, u);
  if (s->n_writes == 0)
    gg__step_writes_results(m, s);
  return GA_NO_ERROR;
}

int gg__add_kernel(gg__maker *m, gg_apply *a, unsigned int group) {
  const gg__group *g = group != GG_NONE ? &m->f->groups.v[group] : NULL;
  const gg__step_kind kind =
      a->op->kind == GG_OP_INNER ? GG_STEP_INNER : GG_STEP_KERNEL;
  gg__kernel_step *x = gg__add_step(m, kind, a, sizeof *x);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  if (g != NULL && g->nodes.n > 0)
    GA_TRY(make_front(m, x, group));
  if (g != NULL &&
      (g->nodes.n > 0 || g->epilogue != GG_NONE || g->others.n > 0))
    GA_TRY(make_epilogues(m, x, g));
  return list_all(m, x);
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  const gg__kernel_step *x = gg__kernel_of(s);

  (void)p;
  gg__label_node(b, s->apply);
  if (x->front.n_nodes != 0)
    gg__label_body(b, &x->front);
  gg__label_then(b, &x->epilogue);
  if (x->sum == NULL)
    return;
  ga__strb_append(b, ", ");
  gg__label_node(b, x->sum);
  gg__label_then(b, &x->sum_epilogue);
}

/* Does the node read the shared variable only as the input that its op may
 * overwrite with this output? */
static int node_allows(const gg__program *p, const gg_apply *a,
                       const gg__result *r) {
  const int destroyed = gg__destroyed(a, p->values.v[r->value].var->index);

  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned int v = gg__in(p, a, i);
    if (gg_apply_shape_only(a, i) || gg__shared_root(p, v) != r->shared)
      continue;
    if ((int)i != destroyed || p->values.v[v].var->kind != GG_VAR_SHARED)
      return 0;
  }
  return 1;
}

static int overwrites(const gg__program *p, const gg__step *s,
                      const gg__result *r) {
  const gg__kernel_step *x = gg__kernel_of(s);
  const unsigned int space = p->values.v[r->value].space;

  return node_allows(p, s->apply, r) &&
         gg__body_allows(p, &x->front, r->shared, GG_NONE) &&
         gg__body_allows(p, &x->epilogue, r->shared, space) &&
         gg__body_allows(p, &x->sum_epilogue, r->shared, space);
}

const gg__step_ops gg__kernel_ops = {
    .has_launch = 1, .label = label, .overwrites = overwrites};

/* Never in place: a loop may fail halfway. */
const gg__step_ops gg__inner_ops = {.has_launch = 1, .label = label};

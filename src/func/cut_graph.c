/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program is cut because sizes follow from data.
 *
 * Some nodes need scalars before anything runs (`number_only` of gg_op). If
 * such a scalar, an integer, comes from a kernel, the program is cut there: the
 * node and all that depends on it are *late*, and the stage before computes the
 * scalar, the *count*. What early nodes compute and late ones need crosses the
 * cut as an array. So do early results, which would be computed twice
 * otherwise. Scalars that follow from counts, tables and views of arguments
 * cost nothing, so they are made again behind the cut. */
#include "func/cut_graph.h"

#include "fuse/program.h"
#include "ops/ops.h"

enum {
  COUNT = 1,  /* the host must read this scalar */
  NEEDED = 2, /* or one from which it computes this one */
  LATE = 4,
  FREE = 8,   /* made again behind the cut */
  LEAF = 16,  /* an argument, a shared variable, or a view of one */
  BEHIND = 32 /* needed behind the cut */
};

typedef struct cutter {
  gg__program p;
  unsigned char *is; /* by value: the bits above */
} cutter;

static int has_numbers(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__number_only(a, i))
      return 1;
  return 0;
}

static int is_integer_scalar(const gg__value *v) {
  return v->var->type.nd == 0 && gg__is_integer(v->var->type.dtype);
}

static int is_missing(const cutter *c, const gg_apply *a, unsigned int i) {
  const gg__value *v = &c->p.values.v[gg__in(&c->p, a, i)];

  return gg__number_only(a, i) && !v->uniform && is_integer_scalar(v);
}

/* --- counts --- */

/* Can the host compute this scalar from integer scalars? */
static int follows(const cutter *c, const gg__node *n) {
  const gg_apply *a = n->apply;

  if (a->op->kind != GG_OP_ELEMWISE || n->code->eval == NULL || a->n_out != 1)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const gg__value *v = &c->p.values.v[gg__in(&c->p, a, i)];
    if (gg__reads(n, i) && !v->uniform && !is_integer_scalar(v))
      return 0;
  }
  return 1;
}

/* Does the host need an output of the node that it can compute? Other needed
 * outputs become counts. */
static int needs_inputs(cutter *c, const gg__node *n) {
  const int can = follows(c, n);
  int any = 0;

  for (unsigned int i = 0; i < n->apply->n_out; i++) {
    unsigned char *out = &c->is[gg__out(&c->p, n->apply, i)];

    if ((*out & NEEDED) != 0 && !can)
      *out |= COUNT;
    any |= (*out & NEEDED) != 0;
  }
  return any && can;
}

/* From users to inputs: what the host needs, and which of it is a count. */
static void find_counts(cutter *c) {
  for (size_t k = c->p.nodes.n; k-- > 0;) {
    const gg__node *n = &c->p.nodes.v[k];
    const int passes = needs_inputs(c, n);

    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      const unsigned int v = gg__in(&c->p, n->apply, i);
      if (is_missing(c, n->apply, i) ||
          (passes && gg__reads(n, i) && !c->p.values.v[v].uniform))
        c->is[v] |= NEEDED;
    }
  }
  for (size_t v = 0; v < c->p.values.n; v++)
    if ((c->is[v] & NEEDED) != 0 && c->p.values.v[v].node == GG_NONE)
      c->is[v] |= COUNT;
}

/* --- early and late --- */

static int all_inputs(const cutter *c, const gg__node *n, unsigned char bits) {
  for (unsigned int i = 0; i < n->apply->n_in; i++)
    if (gg__reads(n, i) && !(c->is[gg__in(&c->p, n->apply, i)] & bits))
      return 0;
  return 1;
}

/* The bits that all outputs of an early node have. */
static unsigned char class_of(const cutter *c, const gg__node *n) {
  const unsigned int first = gg__out(&c->p, n->apply, 0);
  const gg_op_kind kind = n->apply->op->kind;

  if (c->is[first] & COUNT)
    return 0;
  if ((c->is[first] & NEEDED) || kind == GG_OP_SHAPE ||
      c->p.values.v[first].uniform)
    return FREE;
  if ((kind == GG_OP_ELEMWISE || kind == GG_OP_VIEW) && all_inputs(c, n, FREE))
    return FREE;
  return kind == GG_OP_VIEW && all_inputs(c, n, LEAF | FREE) ? LEAF : 0;
}

static void classify(cutter *c) {
  for (size_t v = 0; v < c->p.values.n; v++) {
    const gg__value *x = &c->p.values.v[v];
    if (x->node == GG_NONE && !(c->is[v] & COUNT))
      c->is[v] |= x->var->kind == GG_VAR_CONST ? FREE : LEAF;
  }
  for (size_t k = 0; k < c->p.nodes.n; k++) {
    const gg__node *n = &c->p.nodes.v[k];
    int late = 0;

    for (unsigned int i = 0; i < n->apply->n_in; i++)
      late |= is_missing(c, n->apply, i) ||
              (c->is[gg__in(&c->p, n->apply, i)] & LATE);
    const unsigned char bits = late ? LATE : class_of(c, n);
    for (unsigned int i = 0; i < n->apply->n_out; i++)
      c->is[gg__out(&c->p, n->apply, i)] |= bits;
  }
}

/* --- what crosses --- */

static int crosses(const cutter *c, size_t v) {
  return (c->is[v] & BEHIND) != 0 && !(c->is[v] & (LATE | FREE | LEAF));
}

/* From results to inputs: what is needed behind the cut. */
static void find_behind(cutter *c) {
  for (size_t k = 0; k < c->p.results.n; k++)
    c->is[c->p.results.v[k].value] |= BEHIND;
  for (size_t k = c->p.nodes.n; k-- > 0;) {
    const gg_apply *a = c->p.nodes.v[k].apply;
    int behind = 0;

    for (unsigned int i = 0; i < a->n_out; i++) {
      const unsigned int v = gg__out(&c->p, a, i);
      behind |= (c->is[v] & BEHIND) != 0 && !crosses(c, v);
    }
    for (unsigned int i = 0; behind && i < a->n_in; i++)
      c->is[gg__in(&c->p, a, i)] |= BEHIND;
  }
}

static int has_early_count(const cutter *c) {
  for (size_t v = 0; v < c->p.values.n; v++)
    if ((c->is[v] & (COUNT | LATE)) == COUNT)
      return 1;
  return 0;
}

static int find(cutter *c, gg__cut *out) {
  c->is = ga__calloc(c->p.values.n, 1);
  if (c->is == NULL)
    return ga__fail_nomem();
  find_counts(c);
  classify(c);
  if (!has_early_count(c))
    return GA_NO_ERROR;
  find_behind(c);
  for (size_t v = 0; v < c->p.values.n; v++)
    if (crosses(c, v))
      GA_TRY(ga__vec_push(out, c->p.values.v[v].var));
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int may_be_cut(int *found, const gg__build *b) {
  gg__order order = {NULL, 0, 0};
  const int err = gg__toposort(&order, b->results.n, b->results.v);

  *found = 0;
  for (size_t k = 0; k < order.n && !*found; k++)
    *found = has_numbers(order.v[k]);
  ga__vec_clear(&order);
  return err;
}

int gg__cut_find(gg__cut *out, gg__build *b) {
  cutter c = {.is = NULL};
  int err, found;

  *out = (gg__cut){NULL, 0, 0};
  GA_TRY(may_be_cut(&found, b));
  if (!found)
    return GA_NO_ERROR;
  GA_TRY(gg__settle(b));
  GA_CHECK(gg__number_graph(&c.p, b));
  GA_CHECK(find(&c, out));
done:
  b->g = c.p.g;
  c.p.g = NULL;
  gg__program_clear(&c.p);
  ga__free(c.is);
  return err;
}

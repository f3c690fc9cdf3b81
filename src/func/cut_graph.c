/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program is cut because sizes follow from data.
 *
 * Some nodes need scalars before anything runs (`number_only` of gg_op). If
 * such a scalar, an integer, comes from a kernel, the program is cut there: the
 * node and all that depends on it are *late*, and the stage before computes the
 * scalar, the *count*. What early nodes compute and late ones need crosses the
 * cut as an array. So do early results, which would be computed twice
 * otherwise. Scalars that follow from counts, tables and views of arguments
 * cost nothing, so they are made again behind the cut.
 *
 * A loop or a choice whose inside needs such scalars is a stage of its own
 * (look_inside.c). All that it reads becomes an argument. */
#include "func/cut_graph.h"

#include <string.h>

#include "func/look_inside.h"
#include "fuse/program.h"
#include "ops/ops.h"

enum {
  COUNT = 1,  /* the host must read this scalar */
  NEEDED = 2, /* or one from which it computes this one */
  LATE = 4,
  FREE = 8,    /* made again behind the cut */
  LEAF = 16,   /* an argument, a shared variable, or a view of one */
  BEHIND = 32, /* needed behind the cut */
  FEEDS = 64   /* a stage inside needs it as an argument, which it is not */
};

/* What is known of a node with inner graphs. */
typedef struct inside {
  unsigned char *needs; /* by input (gg__look_inside); NULL: no such node */
  int is_stage;
} inside;

typedef struct cutter {
  gg__program p;
  const gg__feeds *feeds;
  unsigned char *is; /* by value: the bits above */
  inside *in;        /* by node */
} cutter;

static int has_numbers(const gg_apply *a) {
  if (a->op->kind == GG_OP_INNER)
    return 1;
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

/* Do sizes inside of the node follow from input i, which is no argument? */
static int is_needed_inside(const cutter *c, size_t node, unsigned int i) {
  const gg_apply *a = c->p.nodes.v[node].apply;

  return c->in[node].needs != NULL && c->in[node].needs[i] &&
         !c->in[node].is_stage && a->in[i]->kind != GG_VAR_CONST &&
         gg__argument_of(a->in[i]) == NULL;
}

/* --- inside of loops and choices --- */

static int is_fed(const cutter *c, const gg_var *v) {
  for (size_t k = 0; k < c->feeds->n; k++)
    if (c->feeds->v[k].var == v)
      return 1;
  return v->kind == GG_VAR_INPUT;
}

/* A number of steps that never changes needs no argument. */
static int is_known(const gg_apply *a, unsigned int i) {
  double x;

  return gg__number_only(a, i) && gg_var_uniform(a->in[i], &x);
}

/* Do sizes inside follow from elements of a vector that is no argument? A count
 * is a scalar, but the function of a stage can read them. */
static int needs_vector(const cutter *c, size_t node) {
  const gg_apply *a = c->p.nodes.v[node].apply;
  int any = 0;

  for (unsigned int i = 0; i < a->n_in; i++)
    any |= is_needed_inside(c, node, i) &&
           !is_integer_scalar(&c->p.values.v[gg__in(&c->p, a, i)]);
  return any;
}

static int look_inside(cutter *c, const gg__build *b) {
  for (size_t k = 0; k < c->p.nodes.n; k++) {
    const gg_apply *a = c->p.nodes.v[k].apply;
    inside *x = &c->in[k];

    if (a->op->kind != GG_OP_INNER)
      continue;
    x->needs = ga__arena_alloc(&c->p.arena, a->n_in);
    if (x->needs == NULL)
      return ga__fail_nomem();
    GA_TRY(gg__look_inside(b, a, x->needs, &x->is_stage));
    x->is_stage |= needs_vector(c, k);
    for (unsigned int i = 0; x->is_stage && i < a->n_in; i++)
      if (!is_known(a, i) && !is_fed(c, a->in[i]))
        c->is[gg__in(&c->p, a, i)] |= FEEDS;
  }
  return GA_NO_ERROR;
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
      if (is_needed_inside(c, k, i))
        c->is[v] |= COUNT;
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
    int late = c->in[k].is_stage;

    for (unsigned int i = 0; i < n->apply->n_in; i++)
      late |= is_missing(c, n->apply, i) || is_needed_inside(c, k, i) ||
              (c->is[gg__in(&c->p, n->apply, i)] & LATE);
    const unsigned char bits = late ? LATE : class_of(c, n);
    for (unsigned int i = 0; i < n->apply->n_out; i++)
      c->is[gg__out(&c->p, n->apply, i)] |= bits;
  }
}

/* --- what crosses --- */

/* Does value v replace the nodes before it? */
static int goes_through(const cutter *c, size_t v) {
  return (c->is[v] & BEHIND) != 0 && !(c->is[v] & (LATE | FREE | LEAF));
}

static int only_feeds(const cutter *c, size_t v) {
  return (c->is[v] & FEEDS) != 0 && !(c->is[v] & LATE) && !goes_through(c, v);
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
      behind |= (c->is[v] & BEHIND) != 0 && !goes_through(c, v);
    }
    for (unsigned int i = 0; behind && i < a->n_in; i++)
      c->is[gg__in(&c->p, a, i)] |= BEHIND;
  }
}

/* Is there a count before the cut, or something that a stage is fed with? */
static int has_early(const cutter *c) {
  for (size_t v = 0; v < c->p.values.n; v++)
    if ((c->is[v] & (COUNT | FEEDS)) != 0 && !(c->is[v] & LATE))
      return 1;
  return 0;
}

/* The first loop or choice that is a stage: all of its inputs are arguments if
 * nothing crosses. */
static const gg_apply *first_inside(const cutter *c) {
  for (size_t k = 0; k < c->p.nodes.n; k++)
    if (c->in[k].is_stage)
      return c->p.nodes.v[k].apply;
  return NULL;
}

static int list_crossing(const cutter *c, gg__cut *out) {
  for (size_t v = 0; v < c->p.values.n; v++)
    if (goes_through(c, v))
      GA_TRY(ga__vec_push(&out->crossing, c->p.values.v[v].var));
  out->n_through = out->crossing.n;
  for (size_t v = 0; v < c->p.values.n; v++)
    if (only_feeds(c, v))
      GA_TRY(ga__vec_push(&out->crossing, c->p.values.v[v].var));
  return GA_NO_ERROR;
}

static int find(cutter *c, const gg__build *b, gg__cut *out) {
  c->is = ga__calloc(c->p.values.n, 1);
  c->in = ga__calloc(c->p.nodes.n, sizeof *c->in);
  if (c->is == NULL || c->in == NULL)
    return ga__fail_nomem();
  GA_TRY(look_inside(c, b));
  find_counts(c);
  classify(c);
  if (!has_early(c)) {
    out->inside = first_inside(c);
    return GA_NO_ERROR;
  }
  find_behind(c);
  return list_crossing(c, out);
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

int gg__cut_find(gg__cut *out, gg__build *b, const gg__feeds *feeds) {
  cutter c = {.feeds = feeds};
  int err, found;

  memset(out, 0, sizeof *out);
  GA_TRY(may_be_cut(&found, b));
  if (!found)
    return GA_NO_ERROR;
  GA_TRY(gg__settle(b));
  GA_CHECK(gg__number_graph(&c.p, b));
  b->g = c.p.g; /* number_graph has taken it */
  GA_CHECK(find(&c, b, out));
done:
  b->g = c.p.g;
  c.p.g = NULL;
  gg__program_clear(&c.p);
  ga__free(c.is);
  ga__free(c.in);
  return err;
}

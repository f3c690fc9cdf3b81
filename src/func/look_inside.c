/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host has to know about loops and choices before they run.
 *
 * Sizes inside may follow from scalars. The host knows those that follow from
 * shapes, and can read those that are inputs of the node and the same in all
 * iterations. All others are known only while the node runs: it must be a stage
 * of its own. So must a loop with a resized state, and a choice whose branches
 * may differ in sizes that follow from data. */
#include "func/look_inside.h"

#include <string.h>

#include "func/builds.h"
#include "func/request.h"
#include "loop/ifelse.h"
#include "loop/loop.h"
#include "ops/ops.h"
#include "rewrite/rw_match.h"

enum { USED = 1, NUMBER = 2 /* sizes follow from it */ };

typedef struct looker {
  const gg__build *b;
  const gg_apply *a;
  unsigned char *needs;
  unsigned char *marks; /* by id of the variables inside */
  int is_stage;
} looker;

/* Can the host compute the node's scalar from those of its inputs? */
static int carries(const gg_apply *a) {
  switch (a->op->kind) {
  case GG_OP_SHAPE:
    return 1;
  case GG_OP_ELEMWISE:
  case GG_OP_VIEW:
  case GG_OP_MACRO:
    return a->n_out == 1;
  default:
    return 0;
  }
}

/* Mark the inputs of node `a` that sizes inside of it follow from. */
static int mark_inside(looker *k, const gg_apply *a) {
  unsigned char *needs;
  int is_stage;

  if (a->op->kind != GG_OP_INNER)
    return GA_NO_ERROR;
  needs = ga__calloc(a->n_in, 1);
  if (needs == NULL)
    return ga__fail_nomem();
  const int err = gg__look_inside(k->b, a, needs, &is_stage);
  for (unsigned int i = 0; i < a->n_in && err == GA_NO_ERROR; i++)
    if (needs[i])
      k->marks[a->in[i]->id] |= NUMBER;
  ga__free(needs);
  k->is_stage |= err == GA_NO_ERROR && is_stage;
  return err;
}

static int visit(looker *k, const gg_apply *a) {
  unsigned char is = 0;

  for (unsigned int i = 0; i < a->n_out; i++)
    is |= k->marks[a->out[i]->id];
  if (is == 0)
    return GA_NO_ERROR;
  if ((is & NUMBER) != 0 && !carries(a))
    k->is_stage = 1;
  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned char *in = &k->marks[a->in[i]->id];
    *in |= USED;
    if (gg__number_only(a, i) ||
        ((is & NUMBER) != 0 && carries(a) && a->op->kind != GG_OP_SHAPE &&
         !gg_apply_shape_only(a, i)))
      *in |= NUMBER;
  }
  return mark_inside(k, a);
}

/* Sizes inside follow from input i of the inner graph. */
static void take_input(looker *k, unsigned int i) {
  if (k->a->op != &gg__op_scan) {
    k->needs[i + 1] = 1;
    return;
  }
  const gg__loop l = gg__loop_of(k->a);
  const unsigned int first = gg__body_fixed(&l, 0);
  if (i < first)
    k->is_stage = 1;
  else
    k->needs[gg__loop_fixed(&l, i - first)] = 1;
}

/* Look at a graph with these inputs and outputs. Ids are a topological order,
 * and those of a node's outputs follow each other. */
static int look(looker *k, const gg_graph *g, unsigned int n_in,
                gg_var *const *in, unsigned int n_out, gg_var *const *out) {
  int err = GA_NO_ERROR;

  k->is_stage = 0;
  k->marks = ga__calloc(g->vars.n, 1);
  if (k->marks == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n_out; i++)
    k->marks[out[i]->id] |= USED;
  for (size_t i = g->vars.n; i-- > 0 && err == GA_NO_ERROR;)
    if (g->vars.v[i]->owner != NULL && g->vars.v[i]->index == 0)
      err = visit(k, g->vars.v[i]->owner);
  for (unsigned int i = 0; i < n_in; i++)
    if (k->marks[in[i]->id] & NUMBER)
      take_input(k, i);
  ga__free(k->marks);
  return err;
}

static int finds_any(const looker *k) {
  int any = k->is_stage;

  for (unsigned int i = 0; i < k->a->n_in; i++)
    any |= k->needs[i];
  return any;
}

/* Look again at what is left after rewriting, which may find sizes. */
static int look_rewritten(looker *k) {
  const gg__inner *x = gg__inner_of(k->a);
  gg__build b = gg__inside_of(k->b);
  int err = GA_NO_ERROR;

  b.g = gg__graph_beside(k->b->g, x->g->ctx);
  if (b.g == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg__copy_inner(&b, x, 0, x->n_out));
  GA_CHECK(gg__rewrite(&b));
  GA_CHECK(gg__sink_branches(&b));
  memset(k->needs, 0, k->a->n_in);
  GA_CHECK(look(k, b.g, x->n_in, b.inputs.v, x->n_out, b.results.v));
done:
  if (err != GA_NO_ERROR)
    gg__fail(k->b->g, err, "%s",
             gg_graph_status(b.g) != GA_NO_ERROR ? gg_graph_error(b.g)
                                                 : ga__err_text(err));
  gg__build_clear(&b);
  return err;
}

/* May the branches have sizes that follow from data and differ? */
static int branches_differ(const gg_apply *a) {
  const gg__inner *x = gg__inner_of(a);

  if (a->op != &gg__op_ifelse)
    return 0;
  for (unsigned int i = 0; i < a->n_out; i++) {
    gg_var *const yes = x->out[i], *const no = x->out[a->n_out + i];
    if (yes->type.nd != 0 && (yes->by_data || no->by_data) &&
        gg__shape_root(yes) != gg__shape_root(no))
      return 1;
  }
  return 0;
}

static int resizes(const gg_apply *a) {
  unsigned int state;

  if (a->op != &gg__op_scan)
    return 0;
  const gg__loop l = gg__loop_of(a);
  return gg__loop_resizes(&l, &state);
}

int gg__look_inside(const gg__build *b, const gg_apply *a, unsigned char *needs,
                    int *is_stage) {
  const gg__inner *x = gg__inner_of(a);
  looker k = {.b = b, .a = a, .needs = needs};

  *is_stage = resizes(a) || branches_differ(a);
  if (*is_stage)
    return GA_NO_ERROR;
  GA_TRY(look(&k, x->g, x->n_in, x->in, x->n_out, x->out));
  if (finds_any(&k))
    GA_TRY(look_rewritten(&k));
  *is_stage = k.is_stage;
  return GA_NO_ERROR;
}

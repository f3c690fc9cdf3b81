/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops: reading only the last value, and computing products of all iterations
 * at once. */
#include <gpugraph/ifelse.h>

#include "loop/ifelse.h"
#include "ops/ops.h"
#include "rewrite/loop_copy.h"
#include "rewrite/rw_match.h"

/* --- the last value --- */

/* The output of a loop that `v` has all values of: `v` itself, or what it
 * slices if it drops just the initial rows. NULL if there is none. */
static gg_var *all_values(gg_var *v, gg__loop *l) {
  gg_apply *slice = gg__node(v, &gg__op_slice);
  gg_var *from = slice != NULL ? slice->in[0] : v;
  gg_apply *a = gg__node(from, &gg__op_scan);
  int64_t before = 0;

  if (a == NULL)
    return NULL;
  *l = gg__loop_of(a);
  if (from->index % 2 != 0 || from->index == gg__loop_count(l))
    return NULL;
  if (from->index < gg__loop_all(l, 0)) {
    before = l->depth[from->index / 2];
    if (before == 0) /* no rows, but the elements of all values */
      return NULL;
  } else if (l->outs[from->index / 2 - l->h->n_states].reversed) {
    return NULL;
  }
  if ((slice != NULL) != (before != 0))
    return NULL;
  if (slice == NULL)
    return from;
  const gg__slice_props *p = slice->props;
  return p->axis == 0 && p->start == before && p->stop == GG_END && p->step == 1
             ? from
             : NULL;
}

/* A loop that makes all its iterations has the last value as an output of its
 * own, and then need not store the others. */
static gg_var *last_of_all(gg_apply *a) {
  const gg__index_props *p = a->props;
  gg__loop l;

  if (p->axis != 0)
    return NULL;
  gg_var *all = all_values(a->in[0], &l);
  if (all == NULL || gg__loop_is_open(&l) ||
      (p->index != -1 &&
       (p->index < 0 || p->index != a->in[0]->type.dims[0] - 1)))
    return NULL;
  return all->owner->out[all->index + 1];
}

/* --- products of all iterations ---
 *
 * Products of rows with values that are the same in all iterations leave the
 * loop: one product of all rows replaces one in each iteration, and the loop
 * gets a sequence of its rows. Elementwise nodes between a sequence and a
 * product, or between a product and what depends on states, move along.
 *
 * This applies only to loops that use all rows of their sequences and make all
 * iterations: other loops might not need all of the results. */

enum { SAME, ROWS, OTHER }; /* what a variable of the body depends on */

/* What is known of a variable of the body. */
typedef struct known {
  unsigned char kind;
  unsigned char reversed; /* ROWS: its sequences are reversed */
  unsigned char heavy;    /* ROWS: it is, or depends on, a product */
  unsigned char needed;   /* ROWS: a variable that leaves the loop needs it */
  unsigned char leaves;   /* ROWS: it leaves, and the rest of the loop uses
                             it */
} known;

typedef struct pusher {
  const gg_apply *a;
  gg__loop l;
  gg_graph *g; /* the graph of the node */
  gg_graph *w; /* the graph of the new body */
  known *known;
  gg_var *
      *all; /* by id: for ROWS, values of all iterations in the node's graph */
  gg__subst same; /* from the body to the node's graph */
  gg__subst in;   /* from the body to the new body */
  gg__loop_spec spec;
} pusher;

static void pusher_clear(pusher *p) {
  ga__free(p->known);
  ga__free(p->all);
  gg__subst_clear(&p->same);
  gg__subst_clear(&p->in);
  gg__loop_spec_clear(&p->spec);
  gg_graph_free(p->w);
}

static known *known_of(const pusher *p, const gg_var *v) {
  return &p->known[v->id];
}

/* --- what can leave --- */

/* Is it a matrix or vector of a row times a constant matrix, or a constant
 * matrix times a vector of a row? Then one product can compute all rows. */
static int is_stackable_dot(const pusher *p, const gg_apply *a) {
  const unsigned char x = known_of(p, a->in[0])->kind;
  const unsigned char y = known_of(p, a->in[1])->kind;

  if (x == ROWS && y == SAME)
    return a->in[1]->type.nd == 2;
  return x == SAME && y == ROWS && a->in[1]->type.nd == 1 &&
         a->in[0]->type.nd == 2;
}

static int is_stackable(const pusher *p, const gg_apply *a) {
  if (a->n_out != 1 || a->out[0]->type.nd >= GG_MAX_ND)
    return 0;
  if (a->op == &gg__op_dot)
    return is_stackable_dot(p, a);
  return a->op->kind == GG_OP_ELEMWISE && a->op->shape_only == 0 &&
         a->op->number_only == 0;
}

static void judge(const pusher *p, const gg_apply *a) {
  known *x = known_of(p, a->out[0]);

  x->heavy = a->op == &gg__op_dot;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const known *y = known_of(p, a->in[i]);
    if (y->kind == OTHER ||
        (x->kind == ROWS && y->kind == ROWS && x->reversed != y->reversed))
      x->kind = OTHER;
    if (x->kind == OTHER)
      return;
    if (y->kind != ROWS)
      continue;
    x->kind = ROWS;
    x->reversed = y->reversed;
    x->heavy |= y->heavy;
  }
  if (x->kind == ROWS && !is_stackable(p, a))
    x->kind = OTHER;
}

static void judge_all(const pusher *p) {
  const gg__inner *x = p->l.inner;

  for (unsigned int i = 0; i < p->l.h->n_seqs; i++) {
    known_of(p, x->in[i])->kind = ROWS;
    known_of(p, x->in[i])->reversed = (unsigned char)p->l.reversed[i];
  }
  for (unsigned int i = 0; i < p->l.h->n_taps; i++)
    known_of(p, x->in[gg__body_tap(&p->l, i)])->kind = OTHER;
  for (size_t id = 0; id < x->g->vars.n; id++) {
    const gg_apply *a = x->g->vars.v[id]->owner;
    if (a == NULL || a->out[0]->id != id)
      continue;
    judge(p, a);
    for (unsigned int i = 1; i < a->n_out; i++)
      *known_of(p, a->out[i]) = *known_of(p, a->out[0]);
  }
}

static int leave(const pusher *p, const gg_var *v) {
  known *x = known_of(p, v);

  if (x->kind != ROWS || !x->heavy)
    return 0;
  x->leaves = x->needed = 1;
  return 1;
}

/* Mark the variables that leave, and those that they need. Returns whether any
 * leave. */
static int find_leaving(const pusher *p) {
  const gg__inner *x = p->l.inner;
  int any = 0;

  for (unsigned int i = 0; i < x->n_out; i++)
    any |= leave(p, x->out[i]);
  for (size_t id = x->g->vars.n; id-- > 0;) {
    const gg_apply *a = x->g->vars.v[id]->owner;
    for (unsigned int i = 0; a != NULL && i < a->n_in; i++)
      if (p->known[id].kind == OTHER)
        any |= leave(p, a->in[i]);
      else if (p->known[id].needed)
        known_of(p, a->in[i])->needed = 1;
  }
  return any;
}

/* --- all rows at once --- */

/* `v` as an operand of all iterations: with an axis for these. */
static gg_var *beside(pusher *p, gg_var *v) {
  if (known_of(p, v)->kind == ROWS)
    return p->all[v->id];
  return gg__expand(gg__subst_apply(&p->same, v), 0);
}

/* Apply the op of `a` in the node's graph. */
static gg_var *apply(const pusher *p, const gg_apply *a, gg_var *const *in) {
  return gg_op_apply(p->g, a->op, a->props, a->n_in, in);
}

static gg_var *sum_axis(gg_var *x, int axis) {
  return gg_reduce(GG_SUM, x, 1, &axis, 0);
}

/* Rows [t, m, k] times [k, n], computed as [t m, k] times [k, n] and reshaped.
 * The sums only supply sizes; they are never computed. */
static gg_var *dot_matrices(pusher *p, const gg_apply *a, gg_var *x,
                            gg_var *y) {
  gg_var *tm = sum_axis(x, 2);

  gg_var *like =
      gg_add(gg__expand(gg_flatten(tm), 1), gg__expand(sum_axis(y, 1), 0));
  gg_var *flat = apply(
      p, a, (gg_var *[]){like != NULL ? gg__reshape_like(x, like) : NULL, y});
  like =
      gg_add(gg__expand(tm, 2), gg__expand(gg__expand(sum_axis(y, 0), 0), 0));
  return flat != NULL && like != NULL ? gg__reshape_like(flat, like) : NULL;
}

static gg_var *stack_dot(pusher *p, const gg_apply *a) {
  if (known_of(p, a->in[0])->kind == SAME)
    return apply(
        p, a,
        (gg_var *[]){p->all[a->in[1]->id],
                     gg_transpose(gg__subst_apply(&p->same, a->in[0]))});
  gg_var *x = p->all[a->in[0]->id];
  gg_var *y = gg__subst_apply(&p->same, a->in[1]);
  if (a->in[0]->type.nd == 2)
    return dot_matrices(p, a, x, y);
  return apply(p, a, (gg_var *[]){x, y});
}

static gg_var *stack_elemwise(pusher *p, const gg_apply *a) {
  gg_var **in = ga__calloc(a->n_in, sizeof *in);

  for (unsigned int i = 0; in != NULL && i < a->n_in; i++)
    in[i] = beside(p, a->in[i]);
  gg_var *v = in != NULL ? apply(p, a, in) : NULL;
  ga__free(in);
  return v;
}

static int stack_all(pusher *p) {
  const gg_graph *body = p->l.inner->g;

  for (unsigned int i = 0; i < p->l.h->n_seqs; i++)
    p->all[p->l.inner->in[i]->id] = p->a->in[gg__loop_seq(&p->l, i)];
  for (size_t id = 0; id < body->vars.n; id++) {
    gg_apply *a = body->vars.v[id]->owner;
    if (a == NULL || p->known[id].kind != ROWS || !p->known[id].needed)
      continue;
    p->all[id] = a->op == &gg__op_dot ? stack_dot(p, a) : stack_elemwise(p, a);
    if (p->all[id] == NULL)
      return gg__fail(p->g, GA_MEMORY_ERROR, "out of host memory");
  }
  return GA_NO_ERROR;
}

/* --- rebuilding the loop --- */

/* Add an input of the new body that replaces `v`. */
static int add_input(pusher *p, const gg_var *v) {
  gg_var *x = gg__var_new(p->w, GG_VAR_INPUT, &v->type, v->name);

  if (x == NULL)
    return gg_graph_status(p->w);
  x->by_data = v->by_data;
  return gg__subst_put(&p->in, v, x);
}

/* Add a sequence with the rows of `v`, which leaves. */
static int add_rows(pusher *p, const gg_var *v) {
  GA_TRY(add_input(p, v));
  return ga__vec_push(
      &p->spec.seqs, ((gg__loop_series){.outer = p->all[v->id],
                                        .row = gg__subst_get(&p->in, v),
                                        .reversed = known_of(p, v)->reversed}));
}

static int rebuild(pusher *p, gg_apply **out) {
  const gg__inner *x = p->l.inner;
  const gg__loop_copy c = {.a = p->a, .l = p->l, .body = &p->in};

  GA_TRY(stack_all(p));
  for (unsigned int i = 0; i < x->n_in; i++)
    GA_TRY(add_input(p, x->in[i]));
  for (size_t id = 0; id < x->g->vars.n; id++)
    if (p->known[id].leaves)
      GA_TRY(add_rows(p, x->g->vars.v[id]));
  p->spec.g = p->g;
  GA_TRY(gg__loop_copy_to(&p->spec, &c));
  *out = gg__loop_make(p->a->op, &p->spec);
  return *out != NULL ? GA_NO_ERROR : gg_graph_status(p->g);
}

/* Map the constants of the body to their values outside. */
static int know_same(pusher *p) {
  for (unsigned int i = 0; i < p->l.h->n_fixed; i++)
    GA_TRY(gg__subst_put(&p->same, p->l.inner->in[gg__body_fixed(&p->l, i)],
                         p->a->in[gg__loop_fixed(&p->l, i)]));
  return GA_NO_ERROR;
}

static gg_var *push_out(gg_apply *a) {
  pusher p = {.a = a, .l = gg__loop_of(a), .g = a->out[0]->graph};
  const gg_graph *body = p.l.inner->g;
  gg_apply *by = NULL;
  int err = GA_NO_ERROR;

  if (!p.l.h->is_exact || gg__loop_is_open(&p.l))
    return NULL;
  gg__subst_init(&p.same, p.g);
  p.known = ga__calloc(body->vars.n, sizeof *p.known);
  p.all = ga__calloc(body->vars.n, sizeof(gg_var *));
  p.w = gg_graph_new(body->ctx);
  gg__subst_init(&p.in, p.w);
  if (p.known == NULL || p.all == NULL || p.w == NULL) {
    err = ga__fail_nomem();
  } else {
    judge_all(&p);
    if (find_leaving(&p) && (err = know_same(&p)) == GA_NO_ERROR)
      err = rebuild(&p, &by);
  }
  if (err != GA_NO_ERROR)
    gg__fail(p.g, err, "%s", ga__err_text(err));
  pusher_clear(&p);
  return by != NULL ? by->out[0] : NULL;
}

/* --- choices --- */

/* The value of branch k of a choice with one output, NULL if it is a constant
 * inside. */
static gg_var *branch_value(const gg_apply *a, unsigned int k) {
  gg_var *v = gg__ifelse_value(a, k);

  return v->graph == a->out[0]->graph ? v : NULL;
}

static int is_zeros(const gg_var *v) {
  const gg_apply *fill = gg__node(v, &gg__op_fill);
  double number;

  return fill != NULL && gg__number(fill->in[1], &number) && number == 0;
}

/* Zeros for the branch that is not taken get the shape of the other branch,
 * which must be the same if the host knows the sizes. Else they would keep the
 * value that they are like out of its branch. */
static gg_var *zeros_in_choice(gg_apply *a) {
  if (a->n_out != 1 || !gg__ifelse_is_plain(a) || a->out[0]->by_data)
    return NULL;
  for (unsigned int k = 0; k < 2; k++) {
    gg_var *v[2] = {branch_value(a, 0), branch_value(a, 1)};
    gg_var *from = v[1 - k];
    if (v[k] == NULL || from == NULL || !is_zeros(v[k]) || is_zeros(from))
      continue;
    from = gg__shape_root(from);
    if (v[k]->owner->in[0] == from)
      continue;
    v[k] = gg_fill(from, v[k]->owner->in[1]);
    return gg_ifelse(a->in[0], v[0], v[1]);
  }
  return NULL;
}

const gg_rule gg__rules_loop[] = {
    GG_RULE("zeros in choice", GG_CANON, zeros_in_choice, &gg__op_ifelse),
    GG_RULE("scan push out", GG_CANON, push_out, &gg__op_scan),
    GG_RULE("scan last", GG_CANON, last_of_all, &gg__op_index),
    {0}};

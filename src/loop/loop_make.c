/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a loop from a body, whose variables lie among others of a graph.
 *
 * Values of the body that do not depend on the iteration are moved out if they
 * are expensive: they become fixed inputs, computed once before the loop. Cheap
 * ones, such as views, fills, sizes and scalars that the host knows, stay
 * inside, which saves memory. */
#include <string.h>

#include "loop/loop.h"
#include "ops/ops.h"

/* Marks of a variable of the body; bits. */
enum {
  VARIES = 1,   /* depends on a row or a tap */
  KNOWN = 2,    /* the host knows it before anything runs */
  HEAVY = 4,    /* does not vary, and is expensive */
  NEEDED = 8,   /* the loop depends on it */
  CAPTURED = 16 /* becomes a fixed input */
};

typedef struct maker {
  const gg_op *op;
  const gg__loop_spec *s;
  gg_graph *body;       /* graph of the body's variables */
  gg__order order;      /* nodes of the body */
  size_t n_ids;         /* number of its variables before any is made */
  unsigned char *marks; /* by id */
  gg__subst outwards;   /* body to the node's graph */
  gg__subst inwards;    /* body to the inner graph */
  gg_graph *g;          /* the inner graph */
  GA_VEC(gg_var *) in;  /* of the inner graph */
  GA_VEC(gg_var *) out;
  GA_VEC(gg_var *) outer; /* inputs of the node */
  GA_VEC(int64_t) words;
  GA_VEC(gg_var *) roots;    /* outputs of the body */
  GA_VEC(unsigned int) seqs; /* indices of sequences in use */
  size_t first_fixed;        /* in `outer` */
} maker;

static void maker_clear(maker *m) {
  ga__vec_clear(&m->order);
  ga__free(m->marks);
  gg__subst_clear(&m->outwards);
  gg__subst_clear(&m->inwards);
  gg_graph_free(m->g);
  ga__vec_clear(&m->in);
  ga__vec_clear(&m->out);
  ga__vec_clear(&m->outer);
  ga__vec_clear(&m->words);
  ga__vec_clear(&m->roots);
  ga__vec_clear(&m->seqs);
}

/* --- nodes of the body --- */

static int list_roots(maker *m) {
  const gg__loop_spec *s = m->s;

  for (size_t i = 0; i < s->states.n; i++)
    GA_TRY(ga__vec_push(&m->roots, s->states.v[i].next));
  for (size_t i = 0; i < s->outs.n; i++)
    GA_TRY(ga__vec_push(&m->roots, s->outs.v[i].value));
  if (s->until != NULL)
    GA_TRY(ga__vec_push(&m->roots, s->until));
  if (m->roots.n == 0)
    return gg__fail(s->g, GA_VALUE_ERROR, "scan: a loop without results");
  m->body = m->roots.v[0]->graph;
  return GA_NO_ERROR;
}

static void mark(maker *m, const gg_var *v, unsigned char bits) {
  m->marks[v->id] |= bits;
}

static int has(const maker *m, const gg_var *v, unsigned char bits) {
  return (m->marks[v->id] & bits) == bits;
}

static int all_known(const maker *m, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (!has(m, a->in[i], KNOWN))
      return 0;
  return 1;
}

static int any_varies(const maker *m, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (has(m, a->in[i], VARIES))
      return 1;
  return 0;
}

static unsigned char judge(const maker *m, const gg_apply *a) {
  if (any_varies(m, a))
    return VARIES;
  switch (a->op->kind) {
  case GG_OP_SHAPE:
    return KNOWN;
  case GG_OP_VIEW:
    return all_known(m, a) ? KNOWN : 0;
  case GG_OP_ELEMWISE:
    if (all_known(m, a))
      return KNOWN;
    return a->out[0]->type.nd != 0 && a->op != &gg__op_fill ? HEAVY : 0;
  default:
    return HEAVY;
  }
}

static int judge_all(maker *m) {
  const gg__loop_spec *s = m->s;

  for (size_t i = 0; i < m->body->vars.n; i++)
    if (m->body->vars.v[i]->kind == GG_VAR_CONST)
      m->marks[i] = KNOWN;
  for (size_t i = 0; i < s->seqs.n; i++)
    mark(m, s->seqs.v[i].row, VARIES);
  for (size_t i = 0; i < s->taps.n; i++)
    mark(m, s->taps.v[i].var, VARIES);
  GA_TRY(gg__toposort(&m->order, m->roots.n, m->roots.v));
  for (size_t i = 0; i < m->order.n; i++) {
    const gg_apply *a = m->order.v[i];
    if (a->op == &gg__op_transfer && any_varies(m, a))
      return gg__fail(
          s->g, GA_UNSUPPORTED_ERROR,
          "scan: a step moves values to another context; "
          "gg_transfer moves sequences before the loop, and results "
          "behind it");
    for (unsigned int k = 0; k < a->n_out; k++)
      mark(m, a->out[k], judge(m, a));
  }
  return GA_NO_ERROR;
}

/* Mark the variables that become fixed inputs. In descending order of ids,
 * users come before what they use. */
static void find_captured(maker *m) {
  for (size_t i = 0; i < m->roots.n; i++)
    mark(m, m->roots.v[i], NEEDED);
  for (size_t i = m->body->vars.n; i-- > 0;) {
    const gg_var *v = m->body->vars.v[i];
    const gg_apply *a = v->owner;
    if (!has(m, v, NEEDED) || v->kind == GG_VAR_CONST ||
        (a == NULL && has(m, v, VARIES)))
      continue;
    if (!has(m, v, VARIES) && (a == NULL || has(m, v, HEAVY))) {
      mark(m, v, CAPTURED);
      continue;
    }
    for (unsigned int k = 0; k < a->n_in; k++)
      mark(m, a->in[k], NEEDED);
  }
}

/* --- context --- */

static void look_at(gpucontext **ctx, const gg_var *v) {
  if (*ctx == NULL && v != NULL)
    *ctx = v->type.ctx;
}

/* The context of the inputs, and so of the body; that of the graph if no input
 * has one. Applying the node checks that there is only one. */
static gpucontext *find_context(const maker *m) {
  const gg__loop_spec *s = m->s;
  gpucontext *ctx = NULL;

  for (size_t i = 0; i < s->seqs.n; i++)
    look_at(&ctx, s->seqs.v[i].outer);
  for (size_t i = 0; i < s->states.n; i++)
    look_at(&ctx, s->states.v[i].init);
  for (size_t i = 0; i < s->fixed.n; i++)
    look_at(&ctx, s->fixed.v[i].outer);
  for (size_t i = 0; i < m->n_ids && m->body == s->g; i++)
    if (m->marks[i] & CAPTURED)
      look_at(&ctx, m->body->vars.v[i]);
  look_at(&ctx, s->limit);
  return ctx != NULL ? ctx : s->g->ctx;
}

/* --- inputs of the body --- */

/* A new input of the inner graph for a variable of the body. */
static gg_var *add_input(maker *m, const gg_var *v, const gg_type *t) {
  gg_type here = *t;

  here.ctx = m->g->ctx;
  gg_var *x = gg__var_new(m->g, GG_VAR_INPUT, &here, v->name);

  if (x == NULL || gg__subst_put(&m->inwards, v, x) != GA_NO_ERROR ||
      ga__vec_push(&m->in, x) != GA_NO_ERROR)
    return NULL;
  x->by_data = v->by_data;
  return x;
}

static int no_memory(const maker *m) {
  return gg__fail(m->s->g, GA_MEMORY_ERROR, "out of host memory");
}

static int is_liked(const maker *m, const gg_var *seq) {
  for (size_t i = 0; i < m->s->outs.n; i++)
    if (m->s->outs.v[i].like == seq)
      return 1;
  return 0;
}

/* Equal sequences share an input; sequences that nothing uses get none. */
static int add_sequences(maker *m) {
  size_t k;

  for (size_t i = 0; i < m->s->seqs.n; i++) {
    const gg__loop_series *x = &m->s->seqs.v[i];
    if (!has(m, x->row, NEEDED) && !is_liked(m, x->outer))
      continue;
    for (k = 0; k < m->seqs.n; k++) {
      const gg__loop_series *y = &m->s->seqs.v[m->seqs.v[k]];
      if (y->outer == x->outer && y->reversed == x->reversed)
        break;
    }
    if (k < m->seqs.n) {
      GA_TRY(gg__subst_put(&m->inwards, x->row, m->in.v[k]));
      continue;
    }
    if (add_input(m, x->row, &x->row->type) == NULL ||
        ga__vec_push(&m->seqs, (unsigned int)i) != GA_NO_ERROR)
      return no_memory(m);
  }
  return GA_NO_ERROR;
}

static size_t count_taps(const maker *m) {
  size_t n = 0;

  for (size_t i = 0; i < m->s->taps.n; i++)
    n += has(m, m->s->taps.v[i].var, NEEDED) ? 1 : 0;
  return n;
}

static int add_taps(maker *m) {
  for (size_t i = 0; i < m->s->taps.n; i++) {
    const gg_var *v = m->s->taps.v[i].var;
    if (has(m, v, NEEDED) && add_input(m, v, &v->type) == NULL)
      return no_memory(m);
  }
  return GA_NO_ERROR;
}

/* The variable outside of the loop for a captured one. */
static gg_var *outer_of(maker *m, gg_var *v) {
  return v->graph == m->s->g ? v : gg__subst_apply(&m->outwards, v);
}

static int add_captured(maker *m, gg_var *v) {
  const size_t n_before = (size_t)(m->in.n - (m->outer.n - m->first_fixed));
  gg_var *x = outer_of(m, v);

  if (x == NULL)
    return gg_graph_status(m->s->g);
  if (x->kind == GG_VAR_CONST)
    return gg__subst_put(&m->inwards, v, gg__clone_leaf(m->g, x));
  for (size_t i = m->first_fixed; i < m->outer.n; i++)
    if (m->outer.v[i] == x)
      return gg__subst_put(&m->inwards, v,
                           m->in.v[n_before + i - m->first_fixed]);
  if (ga__vec_push(&m->outer, x) != GA_NO_ERROR ||
      add_input(m, v, &x->type) == NULL)
    return no_memory(m);
  return GA_NO_ERROR;
}

static int add_fixed(maker *m) {
  const gg__loop_spec *s = m->s;

  for (size_t i = 0; i < s->fixed.n; i++)
    GA_TRY(gg__subst_put(&m->outwards, s->fixed.v[i].var, s->fixed.v[i].outer));
  for (size_t i = 0; i < m->n_ids; i++)
    if (m->marks[i] & CAPTURED)
      GA_TRY(add_captured(m, m->body->vars.v[i]));
  return GA_NO_ERROR;
}

/* Inputs of the node that come before the fixed ones. */
static int list_outer(maker *m) {
  const gg__loop_spec *s = m->s;

  GA_TRY(ga__vec_push(&m->outer, s->steps));
  if (s->limit != NULL)
    GA_TRY(ga__vec_push(&m->outer, s->limit));
  for (size_t i = 0; i < m->seqs.n; i++)
    GA_TRY(ga__vec_push(&m->outer, s->seqs.v[m->seqs.v[i]].outer));
  for (size_t i = 0; i < s->states.n; i++)
    GA_TRY(ga__vec_push(&m->outer, s->states.v[i].init));
  m->first_fixed = m->outer.n;
  return GA_NO_ERROR;
}

/* --- the node --- */

static int push(maker *m, int64_t word) {
  return ga__vec_push(&m->words, word);
}

static int64_t seq_number(const maker *m, const gg_var *outer) {
  for (size_t i = 0; i < m->seqs.n; i++)
    if (m->s->seqs.v[m->seqs.v[i]].outer == outer)
      return (int64_t)i;
  return -1;
}

static int add_head(maker *m) {
  const gg__loop_spec *s = m->s;
  const gg__loop_head h = {.n_seqs = (int64_t)m->seqs.n,
                           .n_states = (int64_t)s->states.n,
                           .n_taps = (int64_t)count_taps(m),
                           .n_outs = (int64_t)s->outs.n,
                           .n_fixed = (int64_t)(m->outer.n - m->first_fixed),
                           .is_limited = s->limit != NULL,
                           .has_until = s->until != NULL,
                           .is_exact = s->is_exact,
                           .most = s->most,
                           .truncate = s->truncate};
  const int64_t *word = (const int64_t *)&h;

  for (size_t i = 0; i < sizeof h / sizeof *word; i++)
    GA_TRY(push(m, word[i]));
  return GA_NO_ERROR;
}

static int add_words(maker *m) {
  const gg__loop_spec *s = m->s;

  GA_ASSERT(m->in.n == m->seqs.n + count_taps(m) + m->outer.n - m->first_fixed);
  GA_TRY(add_head(m));
  for (size_t i = 0; i < m->seqs.n; i++)
    GA_TRY(push(m, s->seqs.v[m->seqs.v[i]].reversed));
  for (size_t i = 0; i < s->states.n; i++)
    GA_TRY(push(m, s->states.v[i].depth));
  for (size_t i = 0; i < s->taps.n; i++) {
    if (!has(m, s->taps.v[i].var, NEEDED))
      continue;
    GA_TRY(push(m, s->taps.v[i].state));
    GA_TRY(push(m, s->taps.v[i].back));
  }
  for (size_t i = 0; i < s->outs.n; i++) {
    GA_TRY(push(m, s->outs.v[i].reversed));
    GA_TRY(push(m, s->outs.v[i].like != NULL ? seq_number(m, s->outs.v[i].like)
                                             : -1));
  }
  return GA_NO_ERROR;
}

static int copy_body(maker *m) {
  for (size_t i = 0; i < m->roots.n; i++) {
    gg_var *v = gg__subst_apply(&m->inwards, m->roots.v[i]);
    if (v == NULL)
      return gg__fail(m->s->g, gg_graph_status(m->g), "scan: %s",
                      gg_graph_error(m->g));
    GA_TRY(ga__vec_push(&m->out, v));
  }
  return GA_NO_ERROR;
}

static gg_apply *apply(maker *m) {
  gg__inner_props props;
  gg_graph *g = m->g;

  m->g = NULL;
  props.inner = gg__inner_new(m->s->g, g, (unsigned int)m->in.n, m->in.v,
                              (unsigned int)m->out.n, m->out.v,
                              (unsigned int)m->words.n, m->words.v);
  if (props.inner == NULL)
    return NULL;
  gg_var *v =
      gg_op_apply(m->s->g, m->op, &props, (unsigned int)m->outer.n, m->outer.v);
  gg__inner_release(props.inner);
  return v != NULL ? v->owner : NULL;
}

static int make(maker *m, gg_apply **out) {
  GA_ASSERT(m->s->steps != NULL);
  GA_TRY(list_roots(m));
  m->n_ids = m->body->vars.n;
  m->marks = ga__calloc(m->n_ids, 1);
  if (m->marks == NULL)
    return no_memory(m);
  GA_TRY(judge_all(m));
  find_captured(m);
  m->g = gg_graph_new(find_context(m));
  if (m->g == NULL)
    return no_memory(m);
  gg__subst_init(&m->outwards, m->s->g);
  gg__subst_init(&m->inwards, m->g);
  GA_TRY(add_sequences(m));
  GA_TRY(add_taps(m));
  GA_TRY(list_outer(m));
  GA_TRY(add_fixed(m));
  GA_TRY(add_words(m));
  GA_TRY(copy_body(m));
  *out = apply(m);
  return *out != NULL ? GA_NO_ERROR : gg_graph_status(m->s->g);
}

gg_apply *gg__loop_make(const gg_op *op, const gg__loop_spec *s) {
  gg_apply *a = NULL;
  maker m;

  memset(&m, 0, sizeof m);
  m.op = op;
  m.s = s;
  int err = make(&m, &a);
  if (err != GA_NO_ERROR)
    gg__fail(s->g, err, "scan: %s", ga__err_text(err));
  maker_clear(&m);
  return a;
}

void gg__loop_spec_clear(gg__loop_spec *s) {
  ga__vec_clear(&s->seqs);
  ga__vec_clear(&s->states);
  ga__vec_clear(&s->taps);
  ga__vec_clear(&s->outs);
  ga__vec_clear(&s->fixed);
}

/* --- states whose sizes change --- */

int gg__loop_put_sizes(gg__loop_spec *s) {
  for (size_t t = 0; t < s->taps.n; t++) {
    gg_var *const v = s->taps.v[t].var;
    if (s->states.v[s->taps.v[t].state].depth != 0)
      continue;
    for (unsigned int k = 0; k < v->type.nd; k++) {
      if (v->type.dims[k] != GG_ANY)
        continue;
      const gg__loop_result size = {.value = gg_shape(v, (int)k)};
      if (size.value == NULL)
        return gg__fail(s->g, gg_graph_status(v->graph), "scan: %s",
                        gg_graph_error(v->graph));
      if (ga__vec_push(&s->outs, size) != GA_NO_ERROR)
        return gg__fail(s->g, GA_MEMORY_ERROR, "out of host memory");
    }
  }
  return GA_NO_ERROR;
}

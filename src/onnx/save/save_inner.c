/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices.
 *
 * A loop becomes Loop. Each state is carried as the rows that its taps look
 * back to, the latest one last. The body reads rows of sequences by index.
 * Rows of results are gathered by the node, in the order of iterations. */
#include "onnx/save/save_inner.h"

#include <gpugraph/inner.h>
#include <gpugraph/replace.h>
#include <string.h>

#include "base/err.h"
#include "onnx/format/wire_out.h"

/* An inner graph of the model that is being written. Its inputs and outputs
 * are declared in `ends`. */
typedef struct inner {
  gg__frame frame;
  ga__strb ends;
} inner;

static void open_inner(gg__save *s, inner *x) {
  *x = (inner){.frame = {.outer = s->frame}};
  s->frame = &x->frame;
}

/* Declare an input (id 11) or output (12), by dtype and rank. */
static void declare(inner *x, uint32_t id, gg__name name, int dtype,
                    unsigned int nd) {
  ga__strb shape = GA_STRB_INIT;

  if (name == NULL)
    return;
  for (unsigned int i = 0; i < nd; i++)
    gg__put_bytes(&shape, 1, NULL, 0);
  gg__put_value(&x->ends, id, name, dtype, &shape);
  ga__strb_clear(&shape);
}

static gg__name declare_input(gg__save *s, inner *x, const char *wish,
                              int dtype, unsigned int nd) {
  gg__name name = gg__save_name(s, wish);

  declare(x, 11, name, dtype, nd);
  return name;
}

/* Outputs are named by nodes of their own, since they may be outer values. */
static void declare_output(gg__save *s, inner *x, gg__name value, int dtype,
                           unsigned int nd) {
  declare(x, 12, gg__node(s, "Identity", GG_IN(value), NULL), dtype, nd);
}

/* The graph as a message, and the frame before it. */
static ga__strb close_inner(gg__save *s, inner *x, const char *name) {
  ga__strb graph = GA_STRB_INIT;

  gg__put_text(&graph, 2, name);
  ga__strb_append_n(&graph, ga__strb_text(&x->ends), x->ends.n);
  ga__strb_append_n(&graph, ga__strb_text(&x->frame.nodes), x->frame.nodes.n);
  s->frame = x->frame.outer;
  if (s->err == GA_NO_ERROR)
    s->err = x->ends.err != GA_NO_ERROR ? x->ends.err : graph.err;
  ga__map_clear(&x->frame.names);
  ga__strb_clear(&x->frame.nodes);
  ga__strb_clear(&x->ends);
  return graph;
}

/* Copies, in s->g, of the inputs and outputs of an inner graph. Both lists end
 * with NULL. Returns 0 on failure. */
static int copy(gg__save *s, unsigned int n_in, gg_var *const *in,
                unsigned int n_out, gg_var *const *out, gg_var ***in_copy,
                gg_var ***out_copy) {
  gg_var **all =
      ga__arena_alloc(&s->arena, ((size_t)n_in + n_out + 2) * sizeof *all);

  if (all == NULL) {
    s->err = ga__fail_nomem();
    return 0;
  }
  if (n_in != 0)
    memcpy(all, in, n_in * sizeof *all);
  memcpy(all + n_in, out, n_out * sizeof *all);
  s->err = gg_replace_in(s->g, all, n_in + n_out, all, NULL);
  memmove(all + n_in + 1, all + n_in, n_out * sizeof *all);
  all[n_in] = NULL;
  *in_copy = all;
  *out_copy = all + n_in + 1;
  return s->err == GA_NO_ERROR;
}

/* --- choices --- */

static ga__strb branch(gg__save *s, const gg_apply *a, gg_var **in,
                       gg_var **out, const char *name) {
  gg_var **roots = ga__arena_alloc(&s->arena, (a->n_out + 1) * sizeof *roots);
  inner x;

  open_inner(s, &x);
  for (unsigned int i = 1; i < a->n_in; i++)
    gg__bind(s, in[i - 1], gg__name_of(s, a->in[i]));
  if (roots != NULL)
    memcpy(roots, out, a->n_out * sizeof *roots);
  if (s->err == GA_NO_ERROR)
    s->err = roots == NULL ? ga__fail_nomem() : s->write_all(s, roots, in);
  for (unsigned int i = 0; i < a->n_out; i++)
    declare_output(s, &x, gg__name_of(s, out[i]), gg_var_type(a->out[i])->dtype,
                   gg_var_type(a->out[i])->nd);
  return close_inner(s, &x, name);
}

static void save_choice(gg__save *s, const gg_apply *a,
                        const gg_choice_view *c) {
  gg__name *names = ga__arena_alloc(&s->arena, a->n_out * sizeof *names);
  gg_var **in, **out;
  gg__name cond = gg__name_of(s, a->in[0]);

  if (names == NULL || !copy(s, c->n_in, c->in, c->n_out, c->out, &in, &out))
    return;
  if (gg_var_type(a->in[0])->dtype != GA_BOOL)
    cond = gg__cast_name(s, cond, GA_BOOL);
  ga__strb yes = branch(s, a, in, out, "then");
  ga__strb no = branch(s, a, in, out + a->n_out, "else");
  gg__node_outs(
      s, "If", GG_IN(cond),
      GG_ATTRS(GG_A_GRAPH("then_branch", &yes), GG_A_GRAPH("else_branch", &no)),
      a->n_out, names);
  for (unsigned int i = 0; i < a->n_out; i++)
    gg__bind(s, a->out[i], names[i]);
  ga__strb_clear(&yes);
  ga__strb_clear(&no);
}

/* --- loops: numbers of rows --- */

typedef struct loop {
  gg_loop_view v;
  const gg_apply *a;
  gg_var **in, **out;  /* of the copied body */
  gg__name steps, top; /* scalars */
  gg__name turn;       /* in the body: the iteration, a scalar */
  gg__name *states;    /* in the body: rows of each state */
} loop;

static gg__name integer(gg__save *s, int64_t v) {
  return gg__scalar_name(s, GA_LONG, (double)v);
}

static gg__name row(gg__save *s, gg__name rows, gg__name index) {
  return gg__gather_name(s, rows, index, 0);
}

static gg__name join(gg__save *s, gg__name x, gg__name y) {
  return gg__node(s, "Concat", GG_IN(x, y), GG_ATTRS(GG_A_INT("axis", 0)));
}

/* x from row `from` on, or backwards from there. */
static gg__name rows_from(gg__save *s, gg__name x, int64_t from, int64_t step) {
  const int64_t stop = step > 0 ? INT64_MAX : INT64_MIN, axis = 0;

  return gg__node(s, "Slice",
                  GG_IN(x, gg__ints(s, 1, &from), gg__ints(s, 1, &stop),
                        gg__ints(s, 1, &axis), gg__ints(s, 1, &step)),
                  NULL);
}

/* Indices of inputs of the node. */
static unsigned int first_state(const loop *l) {
  return 1 + (unsigned int)l->v.is_limited + l->v.n_seqs;
}

static gg_var *sequence(const loop *l, unsigned int i) {
  return l->a->in[1 + (unsigned int)l->v.is_limited + i];
}

/* --- the body --- */

/* Give the inputs of the body their names. */
static void bind_inputs(gg__save *s, const loop *l) {
  const unsigned int n = l->v.n_seqs, fixed = n + l->v.n_taps;

  for (unsigned int i = 0; i < n; i++) {
    gg__name at = l->turn;

    if (l->v.reversed[i])
      at = gg__two(s, "Sub", gg__two(s, "Sub", l->top, integer(s, 1)), l->turn);
    gg__bind(s, l->in[i], row(s, gg__name_of(s, sequence(l, i)), at));
  }
  for (unsigned int i = 0; i < l->v.n_taps; i++) {
    const gg_loop_tap *t = &l->v.taps[i];
    gg__name at = integer(s, l->v.depth[t->state] - t->back);

    gg__bind(s, l->in[n + i], row(s, l->states[t->state], at));
  }
  for (unsigned int i = 0; i < l->v.n_fixed; i++)
    gg__bind(s, l->in[fixed + i],
             gg__name_of(s, l->a->in[first_state(l) + l->v.n_states + i]));
}

static int dtype_of(const gg_var *v) {
  return gg_var_type(v)->dtype;
}

/* The rows of state i after an iteration. */
static gg__name next_rows(gg__save *s, const loop *l, unsigned int i) {
  gg__name next = gg__as_vector(s, gg__name_of(s, l->out[i]));

  return l->v.depth[i] == 1 ? next
                            : join(s, rows_from(s, l->states[i], 1, 1), next);
}

static unsigned int rank_of(const gg_var *v) {
  return gg_var_type(v)->nd;
}

/* Nonzero if the node is to gather the values of output i of the body: of a
 * state, or another one. */
static int is_gathered(const gg__save *s, const loop *l, unsigned int i) {
  return gg__is_used(s, l->a->out[(size_t)2 * i]) ||
         (i >= l->v.n_states && gg__is_used(s, l->a->out[(size_t)2 * i + 1]));
}

static int is_counted(const gg__save *s, const loop *l) {
  return l->v.has_until &&
         gg__is_used(s, l->a->out[(size_t)2 * (l->v.n_states + l->v.n_outs)]);
}

/* Outputs of the body: the condition, states; then rows that the node gathers:
 * values of states, other outputs, iterations. */
static void write_outputs(gg__save *s, const loop *l, inner *x) {
  const unsigned int n = l->v.n_states, until = n + l->v.n_outs;
  gg__name go_on =
      l->v.has_until
          ? gg__node(s, "Not", GG_IN(gg__name_of(s, l->out[until])), NULL)
          : gg__scalar_name(s, GA_BOOL, 1);

  declare_output(s, x, go_on, GA_BOOL, 0);
  for (unsigned int i = 0; i < n; i++)
    declare_output(s, x, next_rows(s, l, i), dtype_of(l->out[i]),
                   rank_of(l->out[i]) + 1);
  for (unsigned int i = 0; i < until; i++)
    if (is_gathered(s, l, i))
      declare_output(s, x, gg__name_of(s, l->out[i]), dtype_of(l->out[i]),
                     rank_of(l->out[i]));
  if (is_counted(s, l))
    declare_output(s, x, l->turn, GA_LONG, 0);
}

static ga__strb body(gg__save *s, loop *l) {
  inner x;

  open_inner(s, &x);
  l->turn = declare_input(s, &x, "iteration", GA_LONG, 0);
  declare_input(s, &x, "go_on", GA_BOOL, 0);
  for (unsigned int i = 0; i < l->v.n_states; i++)
    l->states[i] = declare_input(s, &x, "state", dtype_of(l->out[i]),
                                 rank_of(l->out[i]) + 1);
  bind_inputs(s, l);
  if (s->err == GA_NO_ERROR)
    s->err = s->write_all(s, l->out, l->in);
  write_outputs(s, l, &x);
  return close_inner(s, &x, "body");
}

/* --- the results --- */

/* `rows`, and zeros behind them up to `want` rows, which is a vector. `like`
 * has the dtype of a row. */
static gg__name padded(gg__save *s, gg__name rows, gg__name want,
                       const gg_var *like) {
  const int64_t zero = 0, one = 1;
  gg__name shape = gg__node(s, "Shape", GG_IN(rows), NULL);
  gg__name have =
      gg__node(s, "Slice",
               GG_IN(shape, gg__ints(s, 1, &zero), gg__ints(s, 1, &one)), NULL);
  gg__name more = gg__two(s, "Sub", want, have);
  gg__name zeros = gg__two(s, "Expand", gg__scalar_name(s, dtype_of(like), 0),
                           join(s, more, rows_from(s, shape, 1, 1)));

  return join(s, rows, zeros);
}

/* Can the loop run fewer iterations than there are steps? */
static int is_open(const loop *l) {
  return l->v.is_limited || l->v.has_until || l->v.most != 0;
}

/* All values of state i, whose values after each iteration are `rows`. */
static void bind_state(gg__save *s, const loop *l, unsigned int i,
                       gg__name rows) {
  gg_var *init = l->a->in[first_state(l) + i];
  gg__name all = rows;

  if (is_open(l))
    all = padded(s, rows, gg__as_vector(s, l->steps), l->out[i]);
  gg__bind(s, l->a->out[(size_t)2 * i], join(s, gg__name_of(s, init), all));
}

static void bind_output(gg__save *s, const loop *l, unsigned int i,
                        gg__name rows) {
  const unsigned int at = 2 * (l->v.n_states + i);
  const int64_t like = l->v.outs[i].like;
  gg_var *value = l->out[l->v.n_states + i];
  gg__name all = rows, want = NULL;

  if (l->v.outs[i].reversed && l->v.most != 0)
    all = gg__save_problem(s, l->a, "rows of a shortened loop, backwards");
  else if (l->v.outs[i].reversed)
    all = rows_from(s, rows, -1, -1);
  if (like >= 0)
    want = gg__size_vector(s, sequence(l, (unsigned int)like), 0);
  else if (is_open(l))
    want = gg__as_vector(s, l->steps);
  if (want != NULL)
    all = padded(s, all, want, value);
  gg__bind(s, l->a->out[at], all);
  if (gg__is_used(s, l->a->out[at + 1])) /* there may be no row */
    gg__bind(s, l->a->out[at + 1], row(s, rows, integer(s, -1)));
}

/* names: the last rows of each state, then what is gathered. */
static void bind_results(gg__save *s, const loop *l, const gg__name *names) {
  const unsigned int n = l->v.n_states, all = n + l->v.n_outs;
  unsigned int next = n;

  for (unsigned int i = 0; i < n; i++)
    gg__bind(s, l->a->out[(size_t)2 * i + 1],
             row(s, names[i], integer(s, l->v.depth[i] - 1)));
  for (unsigned int i = 0; i < all; i++) {
    if (!is_gathered(s, l, i))
      continue;
    if (i < n)
      bind_state(s, l, i, names[next++]);
    else
      bind_output(s, l, i - n, names[next++]);
  }
  if (is_counted(s, l))
    gg__bind(s, l->a->out[(size_t)2 * all],
             gg__as_scalar(s, gg__node(s, "Shape", GG_IN(names[next]), NULL)));
}

/* How many outputs the node has. */
static size_t count_outputs(const gg__save *s, const loop *l) {
  size_t n = l->v.n_states + (size_t)is_counted(s, l);

  for (unsigned int i = 0; i < l->v.n_states + l->v.n_outs; i++)
    n += (size_t)is_gathered(s, l, i);
  return n;
}

/* --- the node --- */

/* The number of iterations at most, a scalar. */
static gg__name count_turns(gg__save *s, loop *l) {
  l->steps = l->top = gg__name_of(s, l->a->in[0]);
  if (l->v.is_limited)
    l->top = gg__two(s, "Min", l->steps, gg__name_of(s, l->a->in[1]));
  return l->v.most == 0 ? l->top
                        : gg__two(s, "Min", l->top, integer(s, l->v.most));
}

static void save_loop(gg__save *s, loop *l) {
  const unsigned int n = l->v.n_states;
  const size_t n_out = count_outputs(s, l);
  gg__name *in = ga__arena_alloc(&s->arena, (n + 2) * sizeof *in);
  gg__name *out = ga__arena_alloc(&s->arena, (n_out + 1) * sizeof *out);

  l->states = ga__arena_alloc(&s->arena, (n + 1) * sizeof *l->states);
  if (in == NULL || out == NULL || l->states == NULL) {
    s->err = ga__fail_nomem();
    return;
  }
  if (!copy(s, l->v.n_in, l->v.in, l->v.n_out, l->v.out, &l->in, &l->out))
    return;
  /* Before the body, which reads them as outer values. */
  for (unsigned int i = 0; i < l->a->n_in; i++)
    gg__name_of(s, l->a->in[i]);
  in[0] = count_turns(s, l);
  in[1] = gg__scalar_name(s, GA_BOOL, 1);
  for (unsigned int i = 0; i < n; i++)
    in[2 + i] = gg__name_of(s, l->a->in[first_state(l) + i]);
  ga__strb graph = body(s, l);
  gg__node_outs(s, "Loop", n + 2, in, GG_ATTRS(GG_A_GRAPH("body", &graph)),
                n_out, out);
  ga__strb_clear(&graph);
  bind_results(s, l, out);
}

/* Refuse a loop with a state whose sizes change. Returns whether it has one. */
static int refuse_resized(gg__save *s, const loop *l) {
  int any = 0;

  for (unsigned int i = 0; i < l->v.n_states; i++)
    any |= l->v.depth[i] == 0;
  if (!any)
    return 0;
  gg__name none = gg__save_problem(s, l->a, "a state whose sizes change");
  for (unsigned int i = 0; i < l->a->n_out; i++)
    gg__bind(s, l->a->out[i], none);
  return 1;
}

void gg__save_inner(gg__save *s, const gg_apply *a) {
  gg_choice_view c;
  loop l = {.a = a};

  if (gg_apply_choice(a, &c))
    save_choice(s, a, &c);
  else if (gg_apply_loop(a, &l.v) && !refuse_resized(s, &l))
    save_loop(s, &l);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to definitions, including loops.
 *
 * The block of a loop is a scope with a graph of its own, which becomes the
 * body. Labels from outside are not visible inside: only `row`, `state` and
 * `fixed` pass values in, and their operands are read in the outer scope. The
 * node is built as by gg_scan, so a text cannot give a loop that a program
 * could not build. */
#include <stddef.h>

#include "loop/loop.h"
#include "text/block.h"
#include "text/parser.h"

/* --- properties --- */

static const gg_op scan_word = {.name = "scan",
                                .props_bytes = sizeof(gg__scan_props)};
static const gg_op row_word = {.name = "row",
                               .props_bytes = sizeof(gg__row_props)};
static const gg_op state_word = {.name = "state",
                                 .props_bytes = sizeof(gg__state_props)};
static const gg_op fixed_word = {.name = "fixed"};

#define OPTIONAL(word, kind_of, type, member)                                  \
  .name = word, .kind = GG_FIELD_##kind_of, .at = offsetof(type, member),      \
  .optional = 1

static const gg_field scan_fields[] = {
    {OPTIONAL("exact", FLAG, gg__scan_props, is_exact)},
    {OPTIONAL("most", INT64, gg__scan_props, most)},
    {OPTIONAL("truncate", INT64, gg__scan_props, truncate)}};
static const gg_field row_fields[] = {
    {OPTIONAL("reversed", FLAG, gg__row_props, reversed)}};
static const gg_field state_fields[] = {
    {OPTIONAL("back", INT64, gg__state_props, back), .most = GG_MOST_TAPS,
     .count_at = offsetof(gg__state_props, n_back)},
    {OPTIONAL("depth", INT64, gg__state_props, depth)},
    {OPTIONAL("resized", FLAG, gg__state_props, is_resized)}};

const gg_op_form gg__scan_form = {&scan_word, "", 3, scan_fields, NULL};
const gg_op_form gg__row_form = {&row_word, "", 1, row_fields, NULL};
const gg_op_form gg__state_form = {&state_word, "", 3, state_fields, NULL};
const gg_op_form gg__fixed_form = {&fixed_word, "", 0, NULL, NULL};

/* --- a loop that is being read --- */

typedef struct reader {
  gg__parser *p;
  gg__scope block;
  gg__loop_spec spec;
  size_t n_next;
} reader;

static int no_memory(const reader *r, const gg__token *at) {
  return gg__parse_no_memory(r->p, at);
}

/* --- values passed in --- */

/* A value that a line of the block passes in: "row{...} type(operand)". */
typedef struct incoming {
  gg__token at;
  gg_var *outer;
  gg_type type; /* inside of the block */
} incoming;

/* "(" operand ")", read in the outer scope. */
static int parse_outer(reader *r, gg_var **out) {
  gg__parser *p = r->p;
  gg__arg arg = {0};
  int err;

  gg__parse_leave(p);
  GA_CHECK(gg__parse_need(p, "("));
  GA_CHECK(gg__parse_arg(p, &arg));
  if (arg.v == NULL)
    GA_CHECK(gg__parse_fail(p, &arg.number, GA_VALUE_ERROR,
                            "a number needs its dtype here"));
  GA_CHECK(gg__parse_need(p, ")"));
  GA_ASSERT(arg.v->graph == p->g);
  *out = arg.v;

done:
  gg__parse_enter(p, &r->block);
  return err;
}

/* Read properties, optionally a type, and the operand. Without a type, it is
 * the operand's or, if is_row is 1, that of a row of the operand. A resized
 * state has no rows. */
static int parse_incoming(reader *r, const gg_op_form *form, void *props,
                          unsigned int is_row, incoming *x) {
  gg__parser *p = r->p;

  x->at = p->token;
  gg__parse_next(p);
  GA_TRY(gg__parse_props(p, form, props));
  if (form == &gg__state_form && ((gg__state_props *)props)->is_resized)
    is_row = 0;
  int has_type = gg__parse_at_type(p);
  if (has_type)
    GA_TRY(gg__parse_type(p, &x->type));
  GA_TRY(parse_outer(r, &x->outer));
  const gg_type *t = &x->outer->type;
  if (t->nd < is_row)
    return gg__parse_fail(p, &x->at, GA_VALUE_ERROR, "a scalar has no rows");
  if (has_type) {
    x->type.ctx = t->ctx;
    return GA_NO_ERROR;
  }
  x->type = (gg_type){.dtype = t->dtype, .nd = t->nd - is_row, .ctx = t->ctx};
  for (unsigned int i = 0; i < x->type.nd; i++)
    x->type.dims[i] = t->dims[i + is_row];
  return GA_NO_ERROR;
}

/* Create an input of the body and define the target as it. */
static int define_input(reader *r, const gg__target *to, const incoming *x,
                        gg_var **out) {
  const gg_type *t = &x->type;

  *out = gg_input_sized(r->p->g, NULL, t->dtype, t->nd, t->dims);
  if (*out == NULL)
    return no_memory(r, &x->at);
  (*out)->type.ctx = t->ctx; /* NULL if it goes with any */
  (*out)->by_data = t->nd != 0 && x->outer->by_data;
  return gg__parse_define(r->p, to, *out);
}

static int check_targets(reader *r, const gg__targets *to, size_t n) {
  if (to->n == n)
    return GA_NO_ERROR;
  return gg__parse_fail(r->p, &to->v[0].label, GA_VALUE_ERROR,
                        "%zu labels for %zu results", to->n, n);
}

static int parse_row(reader *r, const gg__targets *to) {
  gg__row_props props;
  gg__loop_series s;
  incoming x;

  GA_TRY(check_targets(r, to, 1));
  GA_TRY(parse_incoming(r, &gg__row_form, &props, 1, &x));
  GA_TRY(define_input(r, &to->v[0], &x, &s.row));
  s.outer = x.outer;
  s.reversed = props.reversed;
  return gg__parse_kept(r->p, &x.at, ga__vec_push(&r->spec.seqs, s));
}

static int parse_fixed(reader *r, const gg__targets *to) {
  gg__loop_constant c;
  incoming x;

  GA_TRY(check_targets(r, to, 1));
  GA_TRY(parse_incoming(r, &gg__fixed_form, NULL, 0, &x));
  GA_TRY(define_input(r, &to->v[0], &x, &c.var));
  c.outer = x.outer;
  return gg__parse_kept(r->p, &x.at, ga__vec_push(&r->spec.fixed, c));
}

/* Add the taps of a state. Without `back`, a single target is one iteration
 * back. */
static int add_taps(reader *r, const gg__targets *to, gg__state_props *props,
                    const incoming *x) {
  gg__loop_earlier e = {.state = (int64_t)r->spec.states.n};

  if (props->n_back == 0) {
    props->back[0] = 1;
    props->n_back = !gg__token_is(&to->v[0].label, "_");
    GA_TRY(check_targets(r, to, 1));
  } else {
    GA_TRY(check_targets(r, to, (size_t)props->n_back));
  }
  for (int64_t i = 0; i < props->n_back; i++) {
    e.back = props->back[i];
    if (e.back < 1)
      return gg__parse_fail(r->p, &x->at, GA_VALUE_ERROR,
                            "back: %lld is not before the step",
                            (long long)e.back);
    if (props->depth < e.back)
      props->depth = e.back;
    GA_TRY(define_input(r, &to->v[i], x, &e.var));
    e.var->by_data |= props->is_resized != 0;
    GA_TRY(gg__parse_kept(r->p, &x->at, ga__vec_push(&r->spec.taps, e)));
  }
  return GA_NO_ERROR;
}

static int parse_state(reader *r, const gg__targets *to) {
  gg__state_props *props = ga__malloc(sizeof *props);
  gg__loop_state s = {0};
  incoming x;
  int err;

  if (props == NULL)
    return no_memory(r, &r->p->token);
  GA_CHECK(parse_incoming(r, &gg__state_form, props, 1, &x));
  if (props->depth < 0)
    GA_CHECK(gg__parse_fail(r->p, &x.at, GA_VALUE_ERROR,
                            "depth: %lld is not a number of rows",
                            (long long)props->depth));
  GA_CHECK(add_taps(r, to, props, &x));
  if (props->is_resized && props->depth > 1)
    GA_CHECK(gg__parse_fail(r->p, &x.at, GA_VALUE_ERROR,
                            "a resized state has no values before its last"));
  s.init = x.outer;
  s.depth = props->depth != 0 ? props->depth : 1;
  if (props->is_resized)
    s.depth = 0;
  GA_CHECK(gg__parse_kept(r->p, &x.at, ga__vec_push(&r->spec.states, s)));

done:
  ga__free(props);
  return err;
}

/* --- values passed out --- */

static int add_next(reader *r) {
  const gg__token at = r->p->token;
  gg_var *v;

  GA_TRY(gg__parse_var(r->p, &v));
  if (r->n_next == r->spec.states.n)
    return gg__parse_fail(r->p, &at, GA_VALUE_ERROR,
                          "expected %zu next values, one per state, got more",
                          r->spec.states.n);
  r->spec.states.v[r->n_next++].next = v;
  return GA_NO_ERROR;
}

/* Read a row; *outer is its sequence. The search is binary: rows are in the
 * order of their ids. */
static int parse_like(reader *r, gg_var **outer) {
  const gg__token at = r->p->token;
  const gg__loop_series *s = r->spec.seqs.v;
  size_t from = 0, to = r->spec.seqs.n;
  gg_var *row;

  GA_TRY(gg__parse_var(r->p, &row));
  while (from < to) {
    const size_t i = from + (to - from) / 2;
    GA_ASSERT(i == 0 || s[i - 1].row->id < s[i].row->id);
    if (s[i].row->id < row->id)
      from = i + 1;
    else
      to = i;
  }
  if (from < r->spec.seqs.n && s[from].row == row) {
    *outer = s[from].outer;
    return GA_NO_ERROR;
  }
  return gg__parse_fail(r->p, &at, GA_VALUE_ERROR, "this is not a row");
}

static int add_output(reader *r) {
  const gg__token at = r->p->token;
  gg__loop_result x = {0};

  GA_TRY(gg__parse_var(r->p, &x.value));
  x.reversed = gg__parse_skip(r->p, "reversed");
  if (gg__parse_skip(r->p, "like"))
    GA_TRY(parse_like(r, &x.like));
  return gg__parse_kept(r->p, &at, ga__vec_push(&r->spec.outs, x));
}

static int set_until(reader *r) {
  const gg__token at = r->p->token;

  if (r->spec.until != NULL)
    return gg__parse_fail(r->p, &at, GA_VALUE_ERROR,
                          "there is one condition to end");
  return gg__parse_var(r->p, &r->spec.until);
}

/* "(" item {"," item} ")" */
static int parse_items(reader *r, int (*item)(reader *r)) {
  GA_TRY(gg__parse_need(r->p, "("));
  do
    GA_TRY(item(r));
  while (gg__parse_skip(r->p, ","));
  if (gg__parse_skip(r->p, ")"))
    return GA_NO_ERROR;
  return gg__parse_expected(r->p, "',' or ')'");
}

/* --- lines --- */

/* Skip the keyword `word`: it is one if "(" follows, else a label. */
static int skip_clause(reader *r, const char *word) {
  if (!gg__token_is(&r->p->token, word))
    return 0;
  gg__token next = gg__parse_peek(r->p);
  if (!gg__token_is(&next, "("))
    return 0;
  gg__parse_next(r->p);
  return 1;
}

static int parse_definition(gg__parser *p, reader *r);

static int parse_line(reader *r) {
  if (skip_clause(r, "next"))
    return parse_items(r, add_next);
  if (skip_clause(r, "output"))
    return parse_items(r, add_output);
  if (skip_clause(r, "until"))
    return parse_items(r, set_until);
  return parse_definition(r->p, r);
}

static int parse_lines(reader *r) {
  gg__parser *p = r->p;

  while (!gg__token_is(&p->token, "}")) {
    unsigned int line = p->token.line;
    size_t first = p->g->vars.n;
    if (p->token.kind == GG_TOKEN_END)
      return gg__parse_expected(p, "'}' after the loop");
    if (p->token.kind == GG_TOKEN_LINE) {
      gg__parse_next(p);
      continue;
    }
    GA_TRY(parse_line(r));
    if (p->token.kind != GG_TOKEN_LINE && !gg__token_is(&p->token, "}"))
      return gg__parse_expected(p, "the end of the line");
    GA_TRY(gg__parse_keep_sites(p, first, line));
  }
  if (r->n_next != r->spec.states.n)
    return gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                          "expected next values of %zu states, got %zu",
                          r->spec.states.n, r->n_next);
  return GA_NO_ERROR;
}

/* Read the block. Inside of its braces line ends are tokens, as outside of all
 * brackets. */
static int parse_block(reader *r) {
  gg__parser *p = r->p;

  if (!gg__token_is(&p->token, "{"))
    return gg__parse_expected(p, "'{'");
  r->block.g = gg_graph_new(p->g->ctx);
  if (r->block.g == NULL)
    return no_memory(r, &p->token);
  r->block.outer = p->scope;
  gg__parse_enter(p, &r->block);
  p->lexer.open = 0;
  gg__parse_next(p);
  int err = parse_lines(r);
  gg__parse_leave(p);
  GA_TRY(err);
  p->lexer.open = 0;
  gg__parse_next(p);
  return GA_NO_ERROR;
}

/* --- the loop --- */

/* Read a number of steps: an integer, or a variable. */
static int parse_steps(reader *r, gg_var **out) {
  gg__arg arg;

  GA_TRY(gg__parse_arg(r->p, &arg));
  *out = arg.v;
  if (arg.v != NULL)
    return GA_NO_ERROR;
  return gg__apply_number(r->p, &arg.number, GA_LONG, out);
}

/* "(" [steps ["," limit]] ")" */
static int parse_head(reader *r) {
  gg__parser *p = r->p;
  const gg__token at = p->token;
  gg__scan_props props;

  GA_TRY(gg__parse_props(p, &gg__scan_form, &props));
  if (props.most < 0 || props.truncate < 0)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR,
                          "a number of steps is not negative");
  r->spec.is_exact = props.is_exact;
  r->spec.most = props.most;
  r->spec.truncate = props.truncate;
  GA_TRY(gg__parse_need(p, "("));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  GA_TRY(parse_steps(r, &r->spec.steps));
  if (gg__parse_skip(p, ","))
    GA_TRY(parse_steps(r, &r->spec.limit));
  return gg__parse_need(p, ")");
}

/* Without a number of steps, the loop has one for each row. */
static int find_steps(reader *r, const gg__token *at) {
  if (r->spec.steps != NULL)
    return GA_NO_ERROR;
  if (r->spec.seqs.n == 0)
    return gg__parse_fail(r->p, at, GA_VALUE_ERROR,
                          "a loop without rows needs a number of steps");
  r->spec.is_exact = 1;
  r->spec.steps = gg_shape(r->spec.seqs.v[0].outer, 0);
  return r->spec.steps != NULL ? GA_NO_ERROR : no_memory(r, at);
}

static int parse_all(reader *r, const gg__token *at, gg_var **out) {
  GA_TRY(parse_head(r));
  GA_TRY(parse_block(r));
  GA_TRY(find_steps(r, at));
  const gg_apply *a = gg__loop_make(&gg__op_scan, &r->spec);
  if (a == NULL)
    return no_memory(r, at);
  *out = a->out[0];
  return GA_NO_ERROR;
}

static int parse_loop(gg__parser *p, const gg__token *at, gg_var **out) {
  reader r = {.p = p, .spec = {.g = p->g}};

  if (p->loops == GG_MOST_LOOPS)
    return gg__parse_fail(p, at, GA_VALUE_ERROR,
                          "loops are nested more than %d deep", GG_MOST_LOOPS);
  p->loops++;
  int err = parse_all(&r, at, out);
  p->loops--;
  gg__loop_spec_clear(&r.spec);
  ga__map_clear(&r.block.labels);
  gg_graph_free(r.block.g);
  return err;
}

/* --- definitions --- */

/* Read what only a line of a loop may define. *is_done is 0 if it is another
 * definition. */
static int parse_incoming_line(reader *r, const gg__targets *to, int *is_done) {
  const gg__token *t = &r->p->token;

  *is_done = 1;
  if (gg__token_is(t, "row"))
    return parse_row(r, to);
  if (gg__token_is(t, "state"))
    return parse_state(r, to);
  if (gg__token_is(t, "fixed"))
    return parse_fixed(r, to);
  if (gg__token_is(t, "input") || gg__token_is(t, "shared"))
    return gg__parse_expected(r->p, "row, state, fixed, a dtype or an op");
  *is_done = 0;
  return GA_NO_ERROR;
}

static int parse_value(gg__parser *p, gg_var **out) {
  const gg__token at = p->token;

  if (!gg__token_is(&at, "scan") || !gg__parse_at_op(p))
    return gg__parse_value(p, out);
  gg__parse_next(p);
  return parse_loop(p, &at, out);
}

/* Read a definition in the loop `r`; NULL: outside of all loops. Recurses when
 * it defines a loop. */
static int parse_definition(gg__parser *p, reader *r) {
  gg__targets to = {0};
  int err, is_done = 0;
  gg_var *v;

  GA_CHECK(gg__parse_targets(p, &to));
  if (r != NULL)
    GA_CHECK(parse_incoming_line(r, &to, &is_done));
  if (!is_done) {
    GA_CHECK(parse_value(p, &v));
    GA_CHECK(gg__parse_define_all(p, &to, v));
  }

done:
  ga__vec_clear(&to);
  return err;
}

int gg__parse_definition(gg__parser *p) {
  return parse_definition(p, NULL);
}

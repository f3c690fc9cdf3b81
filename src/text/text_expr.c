/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to ops on operands. */
#include "text/parser.h"

typedef GA_VEC(gg__arg) args;

static int parse_op(gg__parser *p, const gg__token *name, gg_var **out);

int gg__parse_at_op(const gg__parser *p) {
  if (p->token.kind != GG_TOKEN_WORD)
    return 0;
  gg__token next = gg__parse_peek(p);
  return gg__token_is(&next, "(") || gg__token_is(&next, "{");
}

int gg__parse_arg(gg__parser *p, gg__arg *out) {
  const gg__token at = p->token;

  *out = (gg__arg){NULL, at};
  if (gg__parse_at_type(p))
    return gg__parse_constant(p, &out->v);
  if (gg__parse_at_op(p)) {
    gg__parse_next(p);
    return parse_op(p, &at, &out->v);
  }
  if (!gg__parse_at_number(p))
    return gg__parse_var(p, &out->v);
  gg__parse_next(p);
  return GA_NO_ERROR;
}

/* "(" [arg {"," arg}] ")" */
static int parse_args(gg__parser *p, args *out) {
  gg__arg arg;

  GA_TRY(gg__parse_need(p, "("));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  do {
    GA_TRY(gg__parse_arg(p, &arg));
    GA_TRY(gg__parse_kept(p, &p->token, ga__vec_push(out, arg)));
  } while (gg__parse_skip(p, ","));
  if (!gg__parse_skip(p, ")"))
    return gg__parse_expected(p, "',' or ')'");
  return GA_NO_ERROR;
}

static int parse_form(gg__parser *p, const gg__token *name,
                      const gg_op_form *form, gg_var **out) {
  void *props = ga__calloc(1, form->op->props_bytes);
  args a = {0};
  int err;

  if (props == NULL)
    return gg__parse_no_memory(p, name);
  GA_CHECK(gg__parse_props(p, form, props));
  GA_CHECK(parse_args(p, &a));
  GA_CHECK(gg__apply_form(p, name, form, props, (unsigned int)a.n, a.v, out));

done:
  ga__vec_clear(&a);
  ga__free(props);
  return err;
}

/* The properties of short forms are those of reductions, without the op. */
static int parse_short(gg__parser *p, const gg__token *name, const gg__short *s,
                       gg_var **out) {
  gg_reduce_props props = {s->reduction, 0, 0};
  args a = {0};
  int err;

  GA_CHECK(gg__parse_props(p, &gg__short_form, &props));
  GA_CHECK(parse_args(p, &a));
  GA_CHECK(gg__apply_short(p, name, s, &props, (unsigned int)a.n, a.v, out));

done:
  ga__vec_clear(&a);
  return err;
}

static int parse_choice(gg__parser *p, const gg__token *name, gg_var **out) {
  args a = {0};
  int err;

  GA_CHECK(parse_args(p, &a));
  GA_CHECK(gg__apply_choice(p, name, (unsigned int)a.n, a.v, out));

done:
  ga__vec_clear(&a);
  return err;
}

/* "transfer" "(" operand ")" ["in" name]. Without a name, the target is the
 * graph's own context. */
static int parse_transfer(gg__parser *p, const gg__token *name, gg_var **out) {
  gpucontext *ctx = p->g->ctx;
  gg__arg arg;

  GA_TRY(gg__parse_need(p, "("));
  GA_TRY(gg__parse_arg(p, &arg));
  if (arg.v == NULL)
    return gg__parse_fail(p, &arg.number, GA_VALUE_ERROR,
                          "a number needs its dtype here");
  GA_TRY(gg__parse_need(p, ")"));
  GA_TRY(gg__parse_place(p, &ctx));
  *out = gg__transfer_to(arg.v, ctx);
  return *out != NULL ? GA_NO_ERROR : gg__parse_no_memory(p, name);
}

static int parse_named(gg__parser *p, const gg__token *name, gg_var **out) {
  const gg_op_form *form = gg__form_named(name->text, name->n);
  const gg__short *s = gg__short_named(name->text, name->n);

  if (gg__token_is(name, "ifelse"))
    return parse_choice(p, name, out);
  if (gg__token_is(name, "transfer"))
    return parse_transfer(p, name, out);
  if (gg__token_is(name, "scan"))
    return gg__parse_fail(p, name, GA_VALUE_ERROR,
                          "a loop must be the whole value after '='");
  if (form != NULL)
    return parse_form(p, name, form, out);
  if (s != NULL)
    return parse_short(p, name, s, out);
  return gg__parse_fail(p, name, GA_UNSUPPORTED_ERROR,
                        "there is no op called %.*s",
                        name->n < 40 ? (int)name->n : 40, name->text);
}

/* Read what follows the op's name. Recurses with gg__parse_arg. */
static int parse_op(gg__parser *p, const gg__token *name, gg_var **out) {
  if (p->nested == GG_MOST_NESTED)
    return gg__parse_fail(p, name, GA_VALUE_ERROR,
                          "ops are nested more than %d deep", GG_MOST_NESTED);
  p->nested++;
  int err = parse_named(p, name, out);
  p->nested--;
  return err;
}

int gg__parse_value(gg__parser *p, gg_var **out) {
  const gg__token at = p->token;

  *out = NULL;
  if (gg__parse_skip(p, "input"))
    return gg__parse_input(p, out);
  if (gg__parse_skip(p, "shared"))
    return gg__parse_shared(p, out);
  if (gg__parse_at_type(p))
    return gg__parse_constant(p, out);
  if (!gg__parse_at_op(p))
    return gg__parse_expected(p, "input, shared, a dtype or an op");
  gg__parse_next(p);
  return parse_op(p, &at, out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: the statements of a text.
 *
 * The graph is private until all is read, so that a failure leaves no trace. A
 * statement may use only what is defined before it, so there are no cycles. */
#include "text/parser.h"

/* Skip the keyword "context": it is one if a name follows. */
static int skip_context(gg__parser *p) {
  const gg__token next = gg__parse_peek(p);

  return gg__parse_is_name(&next) && gg__parse_skip(p, "context");
}

static int parse_statement(gg__parser *p) {
  const unsigned int line = p->token.line;
  const size_t first = p->g->vars.n;

  if (gg__parse_skip(p, "function"))
    GA_TRY(gg__parse_function(p));
  else if (gg__parse_skip(p, "update"))
    GA_TRY(gg__parse_default_update(p));
  else if (skip_context(p))
    GA_TRY(gg__parse_context(p));
  else
    GA_TRY(gg__parse_definition(p));
  if (p->token.kind != GG_TOKEN_LINE && p->token.kind != GG_TOKEN_END)
    return gg__parse_expected(p, "the end of the line");
  return gg__parse_keep_sites(p, first, line);
}

static int parse_all(gg__parser *p) {
  gg__parse_next(p);
  while (p->token.kind != GG_TOKEN_END) {
    if (p->token.kind != GG_TOKEN_LINE)
      GA_TRY(parse_statement(p));
    else
      gg__parse_next(p);
  }
  return GA_NO_ERROR;
}

static int parse(gg__parser *p) {
  const gg__reading *r = p->reading;

  GA_TRY(gg__parse_check_contexts(p->g, r));
  GA_TRY(gg__parse_check_sizes(p));
  if (r->blocks != NULL)
    p->used = ga__calloc((size_t)r->blocks->n, 1);
  if (r->blocks != NULL && p->used == NULL)
    return gg__fail_nomem(p->g);
  gg__lexer_init(&p->lexer, r->text, r->bytes);
  GA_TRY(parse_all(p));
  return gg__parse_sizes_end(p);
}

int gg__text_parse(gg_graph *g, const gg__reading *r) {
  gg__scope scope = {.g = g};
  gg__parser p = {.scope = &scope,
                  .g = g,
                  .name = r->name,
                  .blocks = r->blocks,
                  .reading = r,
                  .labels = &g->labels};
  const int err = parse(&p);

  ga__map_clear(&scope.labels);
  ga__free(p.used);
  ga__free(p.has_size);
  return err;
}

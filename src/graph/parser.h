/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the text's reader, shared by its files. A failure is kept in the
 * graph, with file, line and column in front. */
#ifndef GRAPH_PARSER_H
#define GRAPH_PARSER_H

#include "graph/form.h"
#include "graph/lexer.h"
#include "graph/text.h"

/* Ops inside of ops, and the lists of one op: bounded, because reading them
 * recurses. */
#define GG_MOST_NESTED 64
/* Elements that one written number may stand for. */
#define GG_MOST_REPEATED 4096

typedef struct gg__parser {
  gg_graph *g; /* being built */
  const char *name;
  const char *file; /* the same, in the graph's memory; NULL: not yet */
  gg__lexer lexer;
  gg__token token; /* at hand */
  ga__map labels;  /* "w" or "%1" to its variable */
  gg__block_source *blocks;
  unsigned char *used; /* by block */
  unsigned int nested;
} gg__parser;

/* --- text_in.c --- */

/* Fail at a token; the graph's own error, if there is one, is put behind the
 * place instead of the text. */
int gg__parse_fail(gg__parser *p, const gg__token *at, int code,
                   const char *fmt, ...) GA_PRINTF(4, 5);
/* "expected `what`, got ..." at the token at hand. */
int gg__parse_expected(gg__parser *p, const char *what);
void gg__parse_next(gg__parser *p);
/* Go on if the token at hand is this one, else tell or fail. */
int gg__parse_skip(gg__parser *p, const char *text);
int gg__parse_need(gg__parser *p, const char *text);
/* A variable by its label. */
int gg__parse_var(gg__parser *p, gg_var **out);

/* --- text_expr.c --- */

/* A number that an operand is written as, whose dtype others decide. */
typedef struct gg__arg {
  gg_var *v; /* NULL: `number` */
  gg__token number;
} gg__arg;

/* What stands right of "=". */
int gg__parse_value(gg__parser *p, gg_var **out);
/* Is it one of nan, inf, true, false, or a number? */
int gg__parse_at_number(const gg__parser *p);
/* A whole number in the range of int64_t. */
int gg__parse_whole(gg__parser *p, int64_t *out);

/* --- text_props.c --- */

/* The properties of short forms, gg_reduce_props but for `op`. */
extern const gg_op_form gg__short_form;

/* "{axis=1, ...}", which may be missing where all is optional, to `props`. */
int gg__parse_props(gg__parser *p, const gg_op_form *form, void *props);

/* --- text_apply.c --- */

int gg__apply_form(gg__parser *p, const gg__token *at, const gg_op_form *form,
                   const void *props, unsigned int n, const gg__arg *args,
                   gg_var **out);
int gg__apply_short(gg__parser *p, const gg__token *at, const gg__short *s,
                    const gg_reduce_props *props, unsigned int n,
                    const gg__arg *args, gg_var **out);

#endif

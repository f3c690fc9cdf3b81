/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the text's reader, shared by its files. A failure is kept in the
 * graph, with file, line and column in front. */
#ifndef TEXT_PARSER_H
#define TEXT_PARSER_H

#include "graph/form.h"
#include "text/lexer.h"
#include "text/text.h"

/* Ops inside of ops, and the lists of one op: bounded, because reading them
 * recurses. */
#define GG_MOST_NESTED 64
/* Elements that one written number may stand for. */
#define GG_MOST_REPEATED 4096

/* Where labels mean something: the text, or the block of a loop. */
typedef struct gg__scope {
  gg_graph *g;             /* being built */
  const char *file;        /* the parser's name in its memory; NULL: not yet */
  ga__map labels;          /* "w" or "%1" to its variable */
  struct gg__scope *outer; /* NULL: this is the text */
} gg__scope;

typedef struct gg__parser {
  gg__scope *scope;
  gg_graph *g; /* of the scope */
  const char *name;
  gg__lexer lexer;
  gg__token token; /* at hand */
  gg__block_source *blocks;
  unsigned char *used; /* by block */
  const gg__reading *reading;
  gg__context_labels *labels; /* that were declared */
  unsigned int nested, loops;
} gg__parser;

/* Fail at a token, with its line and column. If the graph has an error, its
 * message replaces the text. */
int gg__parse_fail(gg__parser *p, const gg__token *at, int code,
                   const char *fmt, ...) GPUARRAY_PRINTF(4, 5);
int gg__parse_no_memory(gg__parser *p, const gg__token *at);
/* The same if `err` is an error of adding to a list. */
int gg__parse_kept(gg__parser *p, const gg__token *at, int err);
/* The same with the thread's message; `err` may be GA_NO_ERROR. */
int gg__parse_err(gg__parser *p, const gg__token *at, int err);
/* "expected `what`, got ..." at the token at hand. */
int gg__parse_expected(gg__parser *p, const char *what);
void gg__parse_next(gg__parser *p);
/* The token after the one at hand. */
gg__token gg__parse_peek(const gg__parser *p);
/* Skip the token at hand if it is this one; else return 0 or fail. */
int gg__parse_skip(gg__parser *p, const char *text);
int gg__parse_need(gg__parser *p, const char *text);
/* Nonzero for nan, inf, true, false and numbers. */
int gg__parse_at_number(const gg__parser *p);
/* The dtype that the token at hand names, or -1. */
int gg__parse_dtype_at(const gg__parser *p);
/* A whole number in the range of int64_t. */
int gg__parse_whole(gg__parser *p, int64_t *out);
/* A variable by its label. */
int gg__parse_var(gg__parser *p, gg_var **out);
int gg__parse_is_name(const gg__token *t);
/* What a name or label is known by. */
int gg__parse_label_key(gg__parser *p, const gg__token *t, ga__strb *key);

/* Left of "=": a label and, behind a %label, a name. */
typedef struct gg__target {
  gg__token label, name;
} gg__target;

typedef GA_VEC(gg__target) gg__targets;

/* Targets up to "=", which is skipped. */
int gg__parse_targets(gg__parser *p, gg__targets *out);
/* Let the target stand for `v`, unless it is "_". */
int gg__parse_define(gg__parser *p, const gg__target *to, gg_var *v);
/* The targets for the outputs of the node of `v`, or a single one for `v`. */
int gg__parse_define_all(gg__parser *p, const gg__targets *to, gg_var *v);
/* What a statement built since variable `first` was built at its line. */
int gg__parse_keep_sites(gg__parser *p, size_t first, unsigned int line);

/* Have what follows read into `to`, and back again. */
void gg__parse_enter(gg__parser *p, gg__scope *to);
void gg__parse_leave(gg__parser *p);

/* --- text_in_func.c --- */

int gg__parse_function(gg__parser *p);
int gg__parse_default_update(gg__parser *p);

/* --- text_in_block.c --- */

/* A line with a "=". */
int gg__parse_definition(gg__parser *p);

/* --- text_in_context.c --- */

/* Behind "context": the name of one, which the caller or the process knows. */
int gg__parse_context(gg__parser *p);
/* "in left", or nothing: *ctx stays as it is. */
int gg__parse_place(gg__parser *p, gpucontext **ctx);

/* --- text_leaf.c --- */

/* Nonzero if a type is at hand. */
int gg__parse_at_type(const gg__parser *p);
/* The type of an input. */
int gg__parse_type(gg__parser *p, gg_type *out);
int gg__parse_constant(gg__parser *p, gg_var **out);
/* Behind "input" and "shared". */
int gg__parse_input(gg__parser *p, gg_var **out);
int gg__parse_shared(gg__parser *p, gg_var **out);

/* --- text_expr.c --- */

/* A number that an operand is written as, whose dtype others decide. */
typedef struct gg__arg {
  gg_var *v; /* NULL: `number` */
  gg__token number;
} gg__arg;

/* What stands right of "=", but for loops. */
int gg__parse_value(gg__parser *p, gg_var **out);
/* An operand; a number has none of its own dtype yet. */
int gg__parse_arg(gg__parser *p, gg__arg *out);
/* Nonzero if an op is at hand, which the next token decides. */
int gg__parse_at_op(const gg__parser *p);

/* --- text_props.c --- */

/* The properties of short forms, gg_reduce_props but for `op`. */
extern const gg_op_form gg__short_form;

/* "{axis=1, ...}", which may be missing where all is optional, to `props`. */
int gg__parse_props(gg__parser *p, const gg_op_form *form, void *props);

/* --- text_apply.c --- */

int gg__apply_form(gg__parser *p, const gg__token *at, const gg_op_form *form,
                   const void *props, unsigned int n, const gg__arg *args,
                   gg_var **out);
/* "ifelse": a condition, the values if it holds, those if not. */
int gg__apply_choice(gg__parser *p, const gg__token *at, unsigned int n,
                     const gg__arg *args, gg_var **out);
/* The constant that a number is in this dtype. */
int gg__apply_number(gg__parser *p, const gg__token *number, int dtype,
                     gg_var **out);
int gg__apply_short(gg__parser *p, const gg__token *at, const gg__short *s,
                    const gg_reduce_props *props, unsigned int n,
                    const gg__arg *args, gg_var **out);

#endif

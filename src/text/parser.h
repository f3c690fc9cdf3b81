/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the text's reader, shared by its files. Errors are recorded in
 * the graph, with file, line and column in front. */
#ifndef TEXT_PARSER_H
#define TEXT_PARSER_H

#include "graph/form.h"
#include "text/lexer.h"
#include "text/text.h"

/* Depth of nested ops. It is bounded, because reading them recurses. */
#define GG_MOST_NESTED 64
/* Most elements that one number in the text may fill. */
#define GG_MOST_REPEATED 4096

/* The scope of labels: the whole text, or the block of a loop. */
typedef struct gg__scope {
  gg_graph *g;             /* being built */
  const char *file;        /* parser's name, in the arena, or NULL */
  ga__map labels;          /* variable by gg__parse_label_key */
  struct gg__scope *outer; /* NULL: this is the whole text */
} gg__scope;

typedef struct gg__parser {
  gg__scope *scope;
  gg_graph *g; /* of the scope */
  const char *name;
  gg__lexer lexer;
  gg__token token; /* the current token */
  gg__block_source *blocks;
  unsigned char *used;     /* by block */
  unsigned char *has_size; /* by size that the caller gives: an axis has it */
  const gg__reading *reading;
  gg__context_labels *labels; /* the contexts declared so far */
  unsigned int nested, loops;
} gg__parser;

/* Fail at a token, with its line and column. If the graph has an error, its
 * message replaces the text. */
int gg__parse_fail(gg__parser *p, const gg__token *at, int code,
                   const char *fmt, ...) GPUARRAY_PRINTF(4, 5);
int gg__parse_no_memory(gg__parser *p, const gg__token *at);
/* The same, unless the code of growing a list or map is GA_NO_ERROR. */
int gg__parse_kept(gg__parser *p, const gg__token *at, int err);
/* gg__parse_fail with the thread's message, unless `err` is GA_NO_ERROR. */
int gg__parse_err(gg__parser *p, const gg__token *at, int err);
/* Fail at the current token with "expected `what`, got ...". */
int gg__parse_expected(gg__parser *p, const char *what);
void gg__parse_next(gg__parser *p);
/* The token after the current one. */
gg__token gg__parse_peek(const gg__parser *p);
/* Skip the current token if it is `text`. Else skip returns 0, need fails. */
int gg__parse_skip(gg__parser *p, const char *text);
int gg__parse_need(gg__parser *p, const char *text);
/* Nonzero if the current token is a number, nan, inf, true or false. */
int gg__parse_at_number(const gg__parser *p);
/* The dtype that the current token names, or -1. */
int gg__parse_dtype_at(const gg__parser *p);
/* Read an integer in the range of int64_t. */
int gg__parse_whole(gg__parser *p, int64_t *out);
/* Read a label; *out is its variable. */
int gg__parse_var(gg__parser *p, gg_var **out);
int gg__parse_is_name(const gg__token *t);
/* Append the key of a name or label in gg__scope.labels. */
int gg__parse_label_key(gg__parser *p, const gg__token *t, ga__strb *key);

/* What is defined left of "=": a label and, after a %label, a name. */
typedef struct gg__target {
  gg__token label, name;
} gg__target;

typedef GA_VEC(gg__target) gg__targets;

/* Read targets up to "=", and skip that. */
int gg__parse_targets(gg__parser *p, gg__targets *out);
/* Define the label of the target as `v`, unless it is "_". */
int gg__parse_define(gg__parser *p, const gg__target *to, gg_var *v);
/* Define several targets as the outputs of the node of `v`, or one as `v`. */
int gg__parse_define_all(gg__parser *p, const gg__targets *to, gg_var *v);
/* Set the site of all variables since id `first` to this line of the text. */
int gg__parse_keep_sites(gg__parser *p, size_t first, unsigned int line);

/* Read what follows into scope `to`; leave returns to the outer scope. */
void gg__parse_enter(gg__parser *p, gg__scope *to);
void gg__parse_leave(gg__parser *p);

/* --- text_in_func.c --- */

int gg__parse_function(gg__parser *p);
int gg__parse_default_update(gg__parser *p);

/* --- text_in_block.c --- */

/* Read a line with "=". */
int gg__parse_definition(gg__parser *p);

/* --- text_in_context.c --- */

/* Check the list of contexts that the caller gives. */
int gg__parse_check_contexts(gg_graph *g, const gg__reading *r);
/* Read what follows "context": a name that the caller gave a context for, or
 * that is registered in the process. */
int gg__parse_context(gg__parser *p);
/* Read "in NAME" and set *ctx; if there is none, *ctx stays. */
int gg__parse_place(gg__parser *p, gpucontext **ctx);

/* --- text_in_sizes.c --- */

/* Check the list of sizes that the caller gives. */
int gg__parse_check_sizes(gg__parser *p);
/* Set *size to the one that the caller gives for the name at hand, or GG_ANY,
 * and skip the name. */
int gg__parse_named_size(gg__parser *p, int64_t *size);
/* Give an axis of an input the name at a token, unless its size is known. */
int gg__parse_name_size(gg__parser *p, const gg__token *at, gg_var *input,
                        unsigned int axis);
/* Fail if the caller gives a size for a name that no input has. */
int gg__parse_sizes_end(gg__parser *p);

/* --- text_leaf.c --- */

/* Nonzero if the current token begins a type. */
int gg__parse_at_type(const gg__parser *p);
/* Read the type of an input of a loop's body. */
int gg__parse_type(gg__parser *p, gg_type *out);
int gg__parse_constant(gg__parser *p, gg_var **out);
/* Read what follows "input" and "shared". */
int gg__parse_input(gg__parser *p, gg_var **out);
int gg__parse_shared(gg__parser *p, gg_var **out);

/* --- text_expr.c --- */

/* An operand: a variable, or a number whose dtype the other operands decide. */
typedef struct gg__arg {
  gg_var *v; /* NULL: the operand is `number` */
  gg__token number;
} gg__arg;

/* Read the right side of "=", except loops. */
int gg__parse_value(gg__parser *p, gg_var **out);
/* Read an operand. A number stays a token, since its dtype is not known yet. */
int gg__parse_arg(gg__parser *p, gg__arg *out);
/* Nonzero if the current token is an op's name: the next one is "(" or "{". */
int gg__parse_at_op(const gg__parser *p);

/* --- text_props.c --- */

/* The properties of short forms: gg_reduce_props without `op`. */
extern const gg_op_form gg__short_form;

/* Read "{axis=1, ...}" to `props`. It may be missing if all are optional. */
int gg__parse_props(gg__parser *p, const gg_op_form *form, void *props);

/* --- text_apply.c --- */

int gg__apply_form(gg__parser *p, const gg__token *at, const gg_op_form *form,
                   const void *props, unsigned int n, const gg__arg *args,
                   gg_var **out);
/* "ifelse": a condition, the values if it holds, then as many if not. */
int gg__apply_choice(gg__parser *p, const gg__token *at, unsigned int n,
                     const gg__arg *args, gg_var **out);
/* Make the constant for a number in this dtype. */
int gg__apply_number(gg__parser *p, const gg__token *number, int dtype,
                     gg_var **out);
int gg__apply_short(gg__parser *p, const gg__token *at, const gg__short *s,
                    const gg_reduce_props *props, unsigned int n,
                    const gg__arg *args, gg_var **out);

#endif

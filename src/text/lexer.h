/* SPDX-License-Identifier: BSD-2-Clause */
/* The tokens of a graph's text (docs/save.md). */
#ifndef TEXT_LEXER_H
#define TEXT_LEXER_H

#include <stddef.h>

#include "base/strb.h"

typedef enum gg__token_kind {
  GG_TOKEN_END,
  GG_TOKEN_LINE,   /* the end of a statement */
  GG_TOKEN_WORD,   /* letters, digits, _ and . */
  GG_TOKEN_NAME,   /* the same in quotes, which may hold anything */
  GG_TOKEN_LABEL,  /* %12 */
  GG_TOKEN_NUMBER, /* as in literal.h, except words such as true */
  GG_TOKEN_BLOCK,  /* @12 */
  GG_TOKEN_ARROW,  /* -> */
  GG_TOKEN_SIGN,   /* one punctuation character */
  GG_TOKEN_BAD     /* `text` says why */
} gg__token_kind;

typedef struct gg__token {
  gg__token_kind kind;
  const char *text; /* as in the source text, quotes included */
  size_t n;
  unsigned int line, column; /* from 1, in bytes */
} gg__token;

typedef struct gg__lexer {
  const char *at, *end;
  const char *line_start;
  unsigned int line;
  unsigned int open; /* open brackets; inside, line ends are blanks */
} gg__lexer;

void gg__lexer_init(gg__lexer *l, const char *text, size_t bytes);
void gg__lexer_next(gg__lexer *l, gg__token *out);

int gg__token_is(const gg__token *t, const char *text);
/* Describe a token for "expected ..., got ...". Returns `buf`. */
char *gg__token_text(const gg__token *t, char *buf, size_t bytes);
/* Append the name that a WORD or NAME denotes. 0 when an escape in it is
 * invalid or means NUL. */
int gg__token_name(const gg__token *t, ga__strb *out);

/* Append `name`, in quotes if it needs them. */
void gg__name_print(const char *name, ga__strb *out);

#endif

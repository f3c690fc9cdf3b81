/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to tokens. Tokens point into the text. Only names need memory. */
#include "text/lexer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "graph/literal.h"

static const char word_chars[] = "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_.";
static const char hex[] = "0123456789abcdef";

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int is_one_of(char c, const char *set) {
  return c != '\0' && strchr(set, c) != NULL;
}

static int is_word_char(char c) {
  return is_one_of(c, word_chars);
}

static int begins_word(char c) {
  return is_word_char(c) && !is_digit(c) && c != '.';
}

void gg__lexer_init(gg__lexer *l, const char *text, size_t bytes) {
  *l = (gg__lexer){
      .at = text, .end = text + bytes, .line_start = text, .line = 1};
}

static char peek(const gg__lexer *l, size_t ahead) {
  if ((size_t)(l->end - l->at) <= ahead)
    return '\0';
  return l->at[ahead];
}

static void skip_comment(gg__lexer *l) {
  while (l->at < l->end && *l->at != '\n')
    l->at++;
}

/* Skip to the next token. Outside of brackets, a line's end is a token. */
static void skip_blanks(gg__lexer *l) {
  for (; l->at < l->end; l->at++) {
    if (*l->at == '#')
      skip_comment(l);
    if (l->at == l->end || (*l->at == '\n' && l->open == 0))
      return;
    if (*l->at == '\n') {
      l->line++;
      l->line_start = l->at + 1;
    } else if (*l->at != ' ' && *l->at != '\t' && *l->at != '\r') {
      return;
    }
  }
}

static size_t word_length(const gg__lexer *l) {
  size_t n = 0;

  while (is_word_char(peek(l, n)))
    n++;
  return n;
}

/* Length of a quoted name with its quotes; 0 if the line has no second one. */
static size_t quoted_length(const gg__lexer *l) {
  const size_t left = (size_t)(l->end - l->at);

  for (size_t n = 1; n < left && l->at[n] != '\n'; n++) {
    if (l->at[n] == '"')
      return n + 1;
    if (l->at[n] == '\\')
      n++;
  }
  return 0;
}

static size_t digits_length(const gg__lexer *l) {
  size_t n = 1;

  while (is_digit(peek(l, n)))
    n++;
  return n;
}

/* Length of a number. A sign after the exponent's letter belongs to it. */
static size_t number_length(const gg__lexer *l) {
  size_t n = peek(l, 0) == '-' || peek(l, 0) == '+';
  const int is_hex = peek(l, n) == '0' && is_one_of(peek(l, n + 1), "xX");
  const char *exponent = is_hex ? "pP" : "eE";

  for (;; n++) {
    char c = peek(l, n);
    if (is_one_of(c, "+-") && n > 0 && is_one_of(l->at[n - 1], exponent))
      continue;
    if (!is_word_char(c))
      return n;
  }
}

/* Length of the imaginary part that follows a number, with the '+' before it
 * and the 'j' behind it; 0 if there is none. */
static size_t imaginary_length(const gg__lexer *l) {
  gg__lexer rest = *l;

  if (peek(l, 0) != '+')
    return 0;
  rest.at++;
  rest.at += number_length(&rest);
  if (peek(&rest, 0) == ':' && rest.at[-1] == 'n') {
    rest.at++;
    rest.at += word_length(&rest);
  }
  return rest.at[-1] == 'j' ? (size_t)(rest.at - l->at) : 0;
}

static int begins_number(const gg__lexer *l) {
  const char first = peek(l, 0);
  const int has_sign = first == '-' || first == '+';
  const char c = peek(l, has_sign ? 1 : 0);

  return is_digit(c) || (c == '.' && is_digit(peek(l, has_sign ? 2 : 1))) ||
         (has_sign && c == 'i');
}

static void take(gg__lexer *l, gg__token *out, gg__token_kind kind, size_t n) {
  out->kind = kind;
  out->n = n;
  l->at += n;
}

static void take_bad(gg__token *out, const char *why) {
  out->kind = GG_TOKEN_BAD;
  out->text = why;
  out->n = strlen(why);
}

static void take_word(gg__lexer *l, gg__token *out) {
  const size_t n = word_length(l);

  take(l, out, GG_TOKEN_WORD, n);
  if (n != 3 || memcmp(out->text, "nan", 3) != 0 || peek(l, 0) != ':')
    return;
  out->kind = GG_TOKEN_NUMBER;
  l->at++;
  l->at += word_length(l);
  out->n = (size_t)(l->at - out->text);
}

/* A number or the word "inf" or "nan" may have an imaginary part. */
static void take_imaginary(gg__lexer *l, gg__token *out) {
  const size_t n = imaginary_length(l);

  if (n == 0)
    return;
  out->kind = GG_TOKEN_NUMBER;
  out->n += n;
  l->at += n;
}

static void take_sign(gg__lexer *l, gg__token *out) {
  const char c = *l->at;

  if (is_one_of(c, "([{"))
    l->open++;
  else if (is_one_of(c, ")]}") && l->open > 0)
    l->open--;
  take(l, out, GG_TOKEN_SIGN, 1);
}

void gg__lexer_next(gg__lexer *l, gg__token *out) {
  skip_blanks(l);
  GA_ASSERT(l->at <= l->end);
  char c = peek(l, 0);
  *out = (gg__token){.text = l->at,
                     .line = l->line,
                     .column = (unsigned int)(l->at - l->line_start) + 1};
  if (l->at == l->end) {
    out->kind = GG_TOKEN_END;
  } else if (c == '\n') {
    take(l, out, GG_TOKEN_LINE, 1);
    l->line++;
    l->line_start = l->at;
  } else if (begins_word(c)) {
    take_word(l, out);
    take_imaginary(l, out);
  } else if (begins_number(l)) {
    take(l, out, GG_TOKEN_NUMBER, number_length(l));
    take_imaginary(l, out);
  } else if ((c == '%' || c == '@') && is_digit(peek(l, 1))) {
    take(l, out, c == '%' ? GG_TOKEN_LABEL : GG_TOKEN_BLOCK, digits_length(l));
  } else if (c == '-' && peek(l, 1) == '>') {
    take(l, out, GG_TOKEN_ARROW, 2);
  } else if (c == '"' && quoted_length(l) == 0) {
    take_bad(out, "a name without its second quote");
  } else if (c == '"') {
    take(l, out, GG_TOKEN_NAME, quoted_length(l));
  } else if (is_one_of(c, "()[]{}=,?")) {
    take_sign(l, out);
  } else {
    take_bad(out, "a character that has no meaning here");
  }
}

int gg__token_is(const gg__token *t, const char *text) {
  return (t->kind == GG_TOKEN_WORD || t->kind == GG_TOKEN_SIGN ||
          t->kind == GG_TOKEN_ARROW) &&
         strlen(text) == t->n && memcmp(t->text, text, t->n) == 0;
}

char *gg__token_text(const gg__token *t, char *buf, size_t bytes) {
  switch (t->kind) {
  case GG_TOKEN_END:
    snprintf(buf, bytes, "the end of the text");
    break;
  case GG_TOKEN_LINE:
    snprintf(buf, bytes, "the end of the line");
    break;
  case GG_TOKEN_BAD:
    snprintf(buf, bytes, "%s", t->text);
    break;
  default:
    snprintf(buf, bytes, "%s%.*s%s", t->kind == GG_TOKEN_NAME ? "" : "'",
             t->n < 40 ? (int)t->n : 40, t->text,
             t->kind == GG_TOKEN_NAME ? "" : "'");
    break;
  }
  return buf;
}

/* --- names --- */

static int hex_digit(char c) {
  const char *at = c != '\0' ? strchr(hex, c) : NULL;

  return at != NULL ? (int)(at - hex) : -1;
}

/* The character of "\xHH", whose digits are at `p`; 0 if these are invalid. */
static char hex_char(const char *p, const char *end) {
  const int high = end - p >= 2 ? hex_digit(p[0]) : -1;
  const int low = end - p >= 2 ? hex_digit(p[1]) : -1;

  if (high < 0 || low < 0)
    return '\0';
  return (char)(high * 16 + low);
}

int gg__token_name(const gg__token *t, ga__strb *out) {
  const char *p = t->text + 1, *end = t->text + t->n - 1;

  if (t->kind == GG_TOKEN_WORD) {
    ga__strb_append_n(out, t->text, t->n);
    return 1;
  }
  for (; p < end; p++) {
    char c = *p;
    if (c == '\\') {
      c = *++p;
      if (c == 'x') {
        c = hex_char(p + 1, end);
        p += 2;
      } else if (c != '"' && c != '\\') {
        return 0;
      }
    }
    if (c == '\0')
      return 0;
    ga__strb_append_n(out, &c, 1);
  }
  return 1;
}

/* Nonzero for words that have another meaning where a name is allowed. */
static int is_reserved(const char *name) {
  static const char *const words[] = {"input",   "shared", "function", "update",
                                      "context", "nan",    "inf",      "true",
                                      "false",   "_"};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0)
      return 1;
  return ga__dtype_from_name(name) >= 0;
}

void gg__name_print(const char *name, ga__strb *out) {
  if (begins_word(name[0]) && strspn(name, word_chars) == strlen(name) &&
      !is_reserved(name)) {
    ga__strb_append(out, name);
    return;
  }
  gg__quoted_print(name, SIZE_MAX, out);
}

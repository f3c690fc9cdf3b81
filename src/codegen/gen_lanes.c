/* SPDX-License-Identifier: BSD-2-Clause */
/* A parser of assignments whose operands all have one type of 4 or 8 bytes.
 * They are also valid OpenCL C for vectors, but with other results or errors in
 * these cases, which are refused:
 *
 *   - comparisons of vectors are -1 where those of scalars are 1, so they may
 *     only be conditions;
 *   - both sides of a condition are computed, so integers are divided by
 *     literals only, never by what may be 0;
 *   - a literal must not be wider than the operands;
 *   - functions take vectors in all places, with few exceptions.
 *
 * All else that the parser does not know is refused as well. */
#include "codegen/gen_lanes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

/* The kind of an expression: with operands, of literals alone, or a
 * condition. */
typedef enum kind { REFUSED, LANES, LITERAL, TRUTH } kind;

typedef struct parser {
  char *s; /* the rest of the text */
  unsigned int n, depth;
  const gpuelemwise_arg *args;
  int type;
  int is_float;
} parser;

enum { DEPTH_MAX = 200 };

static kind conditional(parser *p);

/* --- tokens --- */

static void skip_spaces(parser *p) {
  while (isspace((unsigned char)*p->s))
    p->s++;
}

static int take(parser *p, char c) {
  skip_spaces(p);
  if (*p->s != c)
    return 0;
  p->s++;
  return 1;
}

static int is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *s) {
  size_t n = 0;

  while (is_word_char(s[n]))
    n++;
  return n;
}

static int is_word(const char *s, size_t n, const char *word) {
  return strlen(word) == n && memcmp(s, word, n) == 0;
}

static int is_operand(const parser *p, const char *s, size_t n) {
  for (unsigned int k = 0; k < p->n; k++) {
    if (is_word(s, n, p->args[k].name))
      return 1;
  }
  return 0;
}

/* --- primary expressions --- */

/* Integers that fit an int, and floats that are no wider than the operands. */
static kind literal(parser *p) {
  const char *from = p->s;
  int is_float = 0;

  while (isdigit((unsigned char)*p->s) || *p->s == '.')
    is_float |= *p->s++ == '.';
  if (*p->s == 'e' || *p->s == 'E') {
    is_float = 1;
    p->s += p->s[1] == '-' || p->s[1] == '+' ? 2 : 1;
    while (isdigit((unsigned char)*p->s))
      p->s++;
  }
  if (is_float) {
    const int has_suffix = *p->s == 'f' || *p->s == 'F';

    p->s += has_suffix;
    if (!p->is_float || (!has_suffix && p->type != GA_DOUBLE))
      return REFUSED;
  } else if ((*from == '0' && p->s - from > 1) || p->s - from > 9) {
    return REFUSED;
  }
  return is_word_char(*p->s) ? REFUSED : LITERAL;
}

/* Functions that accept a literal as the second argument. */
static int takes_literal(const char *s, size_t n) {
  return is_word(s, n, "fmax") || is_word(s, n, "fmin") ||
         is_word(s, n, "max") || is_word(s, n, "min");
}

/* The count of arguments of a function that takes vectors; 0 for other
 * names. */
static unsigned int function_args(const parser *p, const char *s, size_t n) {
  static const char *const one[] = {
      "acos", "acosh", "asin",   "asinh", "atan",  "atanh", "cbrt",
      "ceil", "cos",   "cosh",   "erf",   "erfc",  "exp",   "exp10",
      "exp2", "expm1", "fabs",   "floor", "log",   "log10", "log1p",
      "log2", "rint",  "round",  "rsqrt", "sin",   "sinh",  "sqrt",
      "tan",  "tanh",  "tgamma", "trunc", "lgamma"};
  static const char *const two[] = {"atan2", "copysign", "fmax", "fmin",
                                    "fmod",  "hypot",    "pow"};
  static const char *const any_two[] = {"max", "min"};

  for (size_t i = 0; p->is_float && i < sizeof one / sizeof *one; i++) {
    if (is_word(s, n, one[i]))
      return 1;
  }
  for (size_t i = 0; p->is_float && i < sizeof two / sizeof *two; i++) {
    if (is_word(s, n, two[i]))
      return 2;
  }
  for (size_t i = 0; i < sizeof any_two / sizeof *any_two; i++) {
    if (is_word(s, n, any_two[i]))
      return 2;
  }
  return p->is_float && (is_word(s, n, "fma") || is_word(s, n, "mad")) ? 3 : 0;
}

static kind word(parser *p) {
  const char *s = p->s;
  const size_t n = word_length(s);

  p->s += n;
  if (is_operand(p, s, n))
    return LANES;
  const unsigned int wanted = function_args(p, s, n);
  for (unsigned int i = 0; i < wanted; i++) {
    if (!take(p, i == 0 ? '(' : ','))
      return REFUSED;
    const kind k = conditional(p);
    if (k != LANES && !(k == LITERAL && i == 1 && takes_literal(s, n)))
      return REFUSED;
  }
  return wanted > 0 && take(p, ')') ? LANES : REFUSED;
}

static kind unary(parser *p);

/* A cast to the type of the operands. Only literals need it. */
static kind cast(parser *p, char *open) {
  kind k;

  p->s += word_length(p->s);
  if (!take(p, ')'))
    return REFUSED;
  const size_t n = (size_t)(p->s - open);
  k = unary(p);
  if (k == LANES)
    memset(open, ' ', n);
  return k == TRUTH ? REFUSED : k;
}

static kind parenthesis(parser *p) {
  char *open = p->s++;

  skip_spaces(p);
  const size_t n = word_length(p->s);
  const char *type = ga__dtype_cl(p->type);
  if (is_word(p->s, n, type) ||
      (n > 3 && memcmp(p->s, "ga_", 3) == 0 && is_word(p->s + 3, n - 3, type)))
    return cast(p, open);
  const kind k = conditional(p);
  return take(p, ')') ? k : REFUSED;
}

static kind unary(parser *p) {
  kind k = REFUSED;

  skip_spaces(p);
  if (++p->depth > DEPTH_MAX)
    return REFUSED;
  const char c = *p->s;
  if (c == '(') {
    k = parenthesis(p);
  } else if (isdigit((unsigned char)c) || c == '.') {
    k = literal(p);
  } else if (is_word_char(c)) {
    k = word(p);
  } else if (c != '\0' && strchr("-+!~", c) != NULL && p->s[1] != c) {
    p->s++;
    k = unary(p);
    if ((c == '!') != (k == TRUTH) || (c == '~' && p->is_float))
      k = REFUSED;
  }
  p->depth--;
  return k;
}

/* --- binary operators --- */

static const struct {
  const char *text;
  int level; /* precedence */
} operators[] = {{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<=", 6},
                 {">=", 6}, {"<<", 7}, {">>", 7}, {"|", 2},  {"^", 3},
                 {"&", 4},  {"<", 6},  {">", 6},  {"+", 8},  {"-", 8},
                 {"*", 9},  {"/", 9},  {"%", 9}};

enum { LOGIC = 1, BITS = 4, COMPARE = 6, SHIFT = 7, MULTIPLY = 9 };

/* The next operator if it has this level, else NULL. */
static const char *operator_at(parser *p, int level) {
  skip_spaces(p);
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    const char *text = operators[i].text;

    if (strncmp(p->s, text, strlen(text)) == 0)
      return operators[i].level == level ? text : NULL;
  }
  return NULL;
}

static kind combine(const parser *p, const char *op, int level, kind a,
                    kind b) {
  const int has_truth = a == TRUTH || b == TRUTH;

  if (a == REFUSED || b == REFUSED)
    return REFUSED;
  if (level <= LOGIC || (level <= BITS && has_truth))
    return a == TRUTH && b == TRUTH ? TRUTH : REFUSED;
  if (has_truth)
    return REFUSED;
  if (level > BITS && level <= COMPARE)
    return a == LANES || b == LANES ? TRUTH : REFUSED;
  if (p->is_float && (level <= SHIFT || *op == '%'))
    return REFUSED;
  if (!p->is_float && level == MULTIPLY && *op != '*' && b != LITERAL)
    return REFUSED;
  if (level == SHIFT && a == LITERAL && b == LANES)
    return REFUSED;
  return a == LANES || b == LANES ? LANES : LITERAL;
}

static kind binary(parser *p, int level) {
  const char *op;

  if (level > MULTIPLY)
    return unary(p);
  kind k = binary(p, level + 1);
  while (k != REFUSED && (op = operator_at(p, level)) != NULL) {
    p->s += strlen(op);
    k = combine(p, op, level, k, binary(p, level + 1));
  }
  return k;
}

static kind conditional(parser *p) {
  if (++p->depth > DEPTH_MAX)
    return REFUSED;
  const kind k = binary(p, 0);
  if (k == REFUSED || !take(p, '?')) {
    p->depth--;
    return k;
  }
  const kind a = conditional(p);
  if (k != TRUTH || !take(p, ':'))
    return REFUSED;
  const kind b = conditional(p);
  p->depth--;
  if (a == REFUSED || a == TRUTH || b == REFUSED || b == TRUTH)
    return REFUSED;
  return a == LANES || b == LANES ? LANES : REFUSED;
}

/* --- statements --- */

/* "operand = expression", or with +=, -=, *=, and for floats /=. */
static int assignment(parser *p) {
  const size_t n = word_length(p->s);

  if (!is_operand(p, p->s, n))
    return 0;
  p->s += n;
  skip_spaces(p);
  if (*p->s != '\0' && strchr(p->is_float ? "+-*/" : "+-*", *p->s) != NULL)
    p->s++;
  if (*p->s != '=' || p->s[1] == '=')
    return 0;
  p->s++;
  const kind k = conditional(p);
  return k == LANES || k == LITERAL;
}

static int statements(parser *p) {
  for (;;) {
    skip_spaces(p);
    if (*p->s == '\0')
      return 1;
    if (*p->s != ';' && !assignment(p))
      return 0;
    skip_spaces(p);
    if (*p->s != '\0' && !take(p, ';'))
      return 0;
  }
}

/* The type in which all operands are computed, or -1 if there is not one. */
static int common_type(unsigned int n, const gpuelemwise_arg *args) {
  const int type = ga__dtype_work(ga__dtype_canon(args[0].typecode));
  const ga__kind class = ga__dtype_kind(type);

  for (unsigned int k = 1; k < n; k++) {
    if (ga__dtype_work(ga__dtype_canon(args[k].typecode)) != type)
      return -1;
  }
  return ga__dtype_size(type) >= 4 &&
                 (class == GA_KIND_FLOAT || class == GA_KIND_INT ||
                  class == GA_KIND_UINT)
             ? type
             : -1;
}

int ga__lanes_show(ga__expr *e, unsigned int n, const gpuelemwise_arg *args) {
  parser p = {.s = e->text, .n = n, .args = args};

  p.type = common_type(n, args);
  p.is_float = ga__dtype_kind(p.type) == GA_KIND_FLOAT;
  if (p.type < 0 || !statements(&p))
    return 0;
  e->is_vector = 1;
  e->widest = (unsigned int)ga__dtype_size(p.type);
  e->boolean = e->widest == 8 ? "long" : "int";
  return 1;
}

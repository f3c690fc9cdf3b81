/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of expressions: it knows tokens, not grammar. */
#include "codegen/gen_expr.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"

/* --- cleaning --- */

/* The end of the string or character literal that starts at `s`. */
static const char *skip_literal(const char *s) {
  char quote = *s++;

  while (*s != '\0' && *s != quote)
    s += s[0] == '\\' && s[1] != '\0' ? 2 : 1;
  return *s == quote ? s + 1 : s;
}

/* The end of the comment that starts at `s`, or `s`. */
static const char *skip_comment(const char *s) {
  if (s[0] != '/' || (s[1] != '/' && s[1] != '*'))
    return s;
  const char *end = s[1] == '/' ? strchr(s, '\n') : strstr(s + 2, "*/");
  if (end == NULL)
    return s + strlen(s);
  return s[1] == '/' ? end : end + 2;
}

/* Copy `s` to `to`, which has room for it, as one line. */
static int flatten(char *to, const char *s) {
  int at_start = 1;

  while (*s != '\0') {
    const char *end = skip_comment(s);

    if (end != s) {
      *to++ = ' ';
    } else if (*s == '"' || *s == '\'') {
      end = skip_literal(s);
      memcpy(to, s, (size_t)(end - s));
      to += end - s;
      at_start = 0;
    } else if (s[0] == '\\' && s[1] == '\n') {
      end = s + 2;
    } else if (*s == '#' && at_start) {
      return ga__fail(GA_VALUE_ERROR,
                      "expression: preprocessor lines belong in the preamble");
    } else {
      end = s + 1;
      at_start = *s == '\n' || (at_start && isspace((unsigned char)*s));
      *to++ = isspace((unsigned char)*s) ? ' ' : *s;
    }
    s = end;
  }
  *to = '\0';
  return GA_NO_ERROR;
}

/* --- reading --- */

/* Sizes of types are bits: 1, 2, 4 and 8 bytes. */
typedef struct facts {
  unsigned int sizes;
  int compares;
  unsigned int n_ops;
} facts;

static int starts_with(const char *s, size_t n, const char *prefix) {
  size_t len = strlen(prefix);

  return n >= len && memcmp(s, prefix, len) == 0;
}

static int is_word(const char *s, size_t n, const char *word) {
  return n == strlen(word) && memcmp(s, word, n) == 0;
}

static unsigned int size_of_name(const char *s, size_t n) {
  static const struct {
    const char *name;
    unsigned int bytes;
  } types[] = {{"char", 1},   {"uchar", 1}, {"short", 2}, {"ushort", 2},
               {"int", 4},    {"uint", 4},  {"half", 4},  {"float", 4},
               {"double", 8}, {"long", 8},  {"ulong", 8}};

  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (is_word(s, n, types[i].name))
      return types[i].bytes;
  }
  return 0;
}

static void read_w_name(facts *f, const char *s, size_t n) {
  s += 2;
  n -= 2;
  if (starts_with(s, n, "to_")) {
    s += 3;
    n -= 3;
  } else if (starts_with(s, n, "from_bool_")) {
    f->compares = 1;
    s += 10;
    n -= 10;
  }
  if (is_word(s, n, "bool"))
    f->compares = 1;
  else
    f->sizes |= size_of_name(s, n);
}

/* Built-ins whose results or arguments are as wide as their operands. */
static int is_relational(const char *s, size_t n) {
  static const char *const names[] = {"select", "bitselect", "any", "all",
                                      "signbit"};

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (is_word(s, n, names[i]))
      return 1;
  }
  return starts_with(s, n, "is");
}

static const char *read_word(facts *f, const char *s) {
  const char *end = s;

  while (isalnum((unsigned char)*end) || *end == '_')
    end++;
  if (starts_with(s, (size_t)(end - s), "w_"))
    read_w_name(f, s, (size_t)(end - s));
  else if (is_relational(s, (size_t)(end - s)))
    f->compares = 1;
  else if (*end == '(')
    f->n_ops++;
  return end;
}

static facts read_text(const char *s) {
  facts f = {0, 0, 0};

  while (*s != '\0') {
    if (isalpha((unsigned char)*s) || *s == '_') {
      s = read_word(&f, s);
      continue;
    }
    if (isdigit((unsigned char)*s)) { /* numbers end in letters, too */
      while (isalnum((unsigned char)*s) || *s == '.')
        s++;
      continue;
    }
    if (strchr("+-*/%", *s) != NULL)
      f.n_ops++;
    if (strchr("<>?!&|^", *s) != NULL || (s[0] == '=' && s[1] == '='))
      f.compares = 1;
    s++;
  }
  return f;
}

static int add_args(facts *f, unsigned int n, const gpuelemwise_arg *args) {
  for (unsigned int i = 0; i < n; i++) {
    ga__kind kind = ga__dtype_kind(args[i].typecode);

    if (kind == GA_KIND_COMPLEX)
      return 0;
    if (kind == GA_KIND_BOOL)
      f->compares = 1;
    else
      f->sizes |=
          (unsigned int)ga__dtype_size(ga__dtype_work(args[i].typecode));
  }
  return 1;
}

int ga__expr_init(ga__expr *e, const char *text, unsigned int n,
                  const gpuelemwise_arg *args, int vector) {
  memset(e, 0, sizeof *e);
  e->boolean = "int";
  e->text = ga__malloc(strlen(text) + 1);
  if (e->text == NULL)
    return ga__fail_nomem();
  GA_TRY(flatten(e->text, text));
  facts f = read_text(e->text);
  e->n_ops = f.n_ops;
  if (!vector || !add_args(&f, n, args))
    return GA_NO_ERROR;
  if (f.sizes == 0)
    f.sizes = 1;
  e->is_vector = (f.sizes & (f.sizes - 1)) == 0 || !f.compares;
  for (e->widest = 8; (f.sizes & e->widest) == 0;)
    e->widest /= 2;
  e->boolean = e->widest == 8   ? "long"
               : e->widest == 4 ? "int"
               : e->widest == 2 ? "short"
                                : "char";
  return GA_NO_ERROR;
}

void ga__expr_clear(ga__expr *e) {
  ga__free(e->text);
  memset(e, 0, sizeof *e);
}

const char *ga__expr_type(int typecode) {
  if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    return "int";
  return ga__dtype_cl(ga__dtype_work(typecode));
}

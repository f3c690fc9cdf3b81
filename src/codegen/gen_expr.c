/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the tokens of expressions, without their grammar. */
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

/* The end of the comment that starts at `s`, or `s` if none does. */
static const char *skip_comment(const char *s) {
  if (s[0] != '/' || (s[1] != '/' && s[1] != '*'))
    return s;
  const char *end = s[1] == '/' ? strchr(s, '\n') : strstr(s + 2, "*/");
  if (end == NULL)
    return s + strlen(s);
  return s[1] == '/' ? end : end + 2;
}

/* The "#" of the first preprocessor line, or the end of the text. `s` is the
 * start of a line. */
static const char *find_line(const char *s) {
  int at_start = 1;

  while (*s != '\0' && !(*s == '#' && at_start)) {
    const char *end = skip_comment(s);

    if (end == s && (*s == '"' || *s == '\'')) {
      end = skip_literal(s);
      at_start = 0;
    } else if (end == s) {
      at_start = *s == '\n' || (at_start && isspace((unsigned char)*s));
      end = s + (s[0] == '\\' && s[1] == '\n' ? 2 : 1);
    }
    s = end;
  }
  return s;
}

/* The end of the line at `s`, with its continuations after backslashes. */
static const char *line_end(const char *s) {
  while (*s != '\0' && *s != '\n')
    s += s[0] == '\\' && s[1] == '\n' ? 2 : 1;
  return s;
}

/* Copy the text from `s` to `stop` as one line, without comments. `to` has room
 * for all of it. */
static void flatten(char *to, const char *s, const char *stop) {
  while (s < stop) {
    const char *end = skip_comment(s);

    if (end != s) {
      *to++ = ' ';
    } else if (*s == '"' || *s == '\'') {
      end = skip_literal(s);
      memcpy(to, s, (size_t)(end - s));
      to += end - s;
    } else if (s[0] == '\\' && s[1] == '\n') {
      end = s + 2;
    } else {
      end = s + 1;
      *to++ = isspace((unsigned char)*s) ? ' ' : *s;
    }
    s = end;
  }
  *to = '\0';
}

/* Text between the preprocessor lines becomes macros GA_EXPR_<n>, which those
 * lines define or skip. The new expression is the list of these macros. */
int ga__expr_split(ga__strb *lines, ga__strb *text, const char *expr) {
  char *part = ga__malloc(strlen(expr) + 1);
  unsigned int n = 0;

  if (part == NULL)
    return ga__fail_nomem();
  for (const char *s = expr; *s != '\0'; n++) {
    s = find_line(s);
    s = *s == '#' ? line_end(s) : s;
    ga__strb_appendf(lines, "#define GA_EXPR_%u\n", n);
  }
  n = 0;
  for (const char *s = expr; *s != '\0'; n++) {
    const char *line = find_line(s), *end = line_end(line);

    flatten(part, s, line);
    ga__strb_appendf(lines, "#undef GA_EXPR_%u\n#define GA_EXPR_%u %s\n%.*s\n",
                     n, n, part, (int)(end - line), line);
    ga__strb_appendf(text, "GA_EXPR_%u ", n);
    s = *line == '#' ? end : line;
  }
  ga__free(part);
  return lines->err != GA_NO_ERROR ? lines->err : text->err;
}

int ga__expr_has_lines(const char *expr) {
  return *find_line(expr) == '#';
}

/* --- reading --- */

/* `sizes` joins the sizes of all types used, in bytes: 1, 2, 4 and 8. */
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
  } types[] = {{"char", 1},  {"uchar", 1},  {"short", 2}, {"ushort", 2},
               {"int", 4},   {"uint", 4},   {"half", 4},  {"bfloat", 4},
               {"float", 4}, {"double", 8}, {"long", 8},  {"ulong", 8}};

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

/* Built-ins with a result or an argument that is an integer as wide as their
 * operands. */
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
    if (isdigit((unsigned char)*s)) { /* numbers may end in letters */
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
  if (ga__expr_has_lines(text))
    return ga__fail(GA_VALUE_ERROR,
                    "expression: preprocessor lines belong in the preamble");
  e->text = ga__malloc(strlen(text) + 1);
  if (e->text == NULL)
    return ga__fail_nomem();
  flatten(e->text, text, text + strlen(text));
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

int ga__expr_names(const char *text, int typecode) {
  return text != NULL && strstr(text, ga__dtype_cl(typecode)) != NULL;
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

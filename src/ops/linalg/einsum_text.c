/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the equations of gg_einsum, such as "ij,jk->ik". */
#include <string.h>

#include "ops/compose.h"
#include "ops/linalg/einsum_text.h"

typedef struct reader {
  const gg_op *op; /* its name in messages */
  unsigned int n;
  gg_var *const *x;
  const char *text, *at;
} reader;

/* A term as it is written: its letters, and how many of them come before the
 * ellipsis; -1: no ellipsis. */
typedef struct written {
  unsigned int n;
  int dots;
  unsigned char letter[GG_MAX_ND];
} written;

/* Record an error; the value is 0. */
#define REFUSE(r, ...)                                                         \
  (gg__refuse((r)->op, (r)->n, (r)->x, GA_VALUE_ERROR, __VA_ARGS__), 0)

const char *gg__index_letter(unsigned int index, char text[4]) {
  if (index >= GG_LETTERS)
    return memcpy(text, "...", 4);
  text[0] = (char)(index < 26 ? 'A' + index : 'a' + (index - 26));
  text[1] = '\0';
  return text;
}

/* --- terms --- */

/* The index of a letter, or -1. */
static int index_of(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

static int add_dots(reader *r, written *w) {
  if (strncmp(r->at, "...", 3) != 0)
    return REFUSE(r, "a dot at %d of the equation is no ellipsis",
                  (int)(r->at - r->text));
  if (w->dots >= 0)
    return REFUSE(r, "a term has two ellipses");
  w->dots = (int)w->n;
  r->at += 2;
  return 1;
}

/* Refuse the next character. */
static int unexpected(reader *r) {
  const unsigned char c = (unsigned char)*r->at;
  const int at = (int)(r->at - r->text);

  if (c < ' ' || c > '~')
    return REFUSE(r, "byte 0x%02x at %d of the equation is not expected", c,
                  at);
  return REFUSE(r, "'%c' at %d of the equation is not expected", c, at);
}

static int ends_term(const char *at) {
  return *at == '\0' || *at == ',' || strncmp(at, "->", 2) == 0;
}

/* Read letters, the ellipsis and spaces, up to what ends the term. */
static int read_term(reader *r, written *w) {
  *w = (written){.dots = -1};
  for (;; r->at++) {
    const int letter = index_of(*r->at);

    if (*r->at == ' ')
      continue;
    if (*r->at == '.') {
      if (!add_dots(r, w))
        return 0;
      continue;
    }
    if (letter < 0)
      return ends_term(r->at) || unexpected(r);
    if (w->n == GG_MAX_ND)
      return REFUSE(r, "a term has more than %d letters", GG_MAX_ND);
    w->letter[w->n++] = (unsigned char)letter;
  }
}

/* Write the term with `width` axes instead of its ellipsis. */
static int spread(reader *r, const written *w, unsigned int width,
                  gg__term *t) {
  const unsigned int before = w->dots >= 0 ? (unsigned int)w->dots : w->n;

  if (w->n + width > GG_MAX_ND)
    return REFUSE(r, "the result has more than %d axes", GG_MAX_ND);
  t->n = 0;
  for (unsigned int i = 0; i < before; i++)
    t->index[t->n++] = w->letter[i];
  for (unsigned int i = width; i-- > 0;)
    t->index[t->n++] = (unsigned char)(GG_LETTERS + i);
  for (unsigned int i = before; i < w->n; i++)
    t->index[t->n++] = w->letter[i];
  return 1;
}

/* --- operands --- */

static int read_operand(reader *r, unsigned int i, gg__term *t,
                        unsigned int *widest) {
  written w;

  if (!read_term(r, &w))
    return 0;
  if (i >= r->n)
    return REFUSE(r, "the equation has more than %u terms", r->n);
  const unsigned int nd = gg__rank_of(r->x[i]);
  if (w.dots >= 0 ? w.n > nd : w.n != nd)
    return REFUSE(r, "operand %u has %u dimensions, its term %u letters", i, nd,
                  w.n);
  *widest = nd - w.n > *widest ? nd - w.n : *widest;
  return spread(r, &w, nd - w.n, t);
}

static int read_operands(reader *r, gg__equation *e, unsigned int *widest) {
  e->n = 0;
  do {
    r->at += e->n != 0; /* the comma */
    if (!read_operand(r, e->n, &e->in[e->n < r->n ? e->n : 0], widest))
      return 0;
    e->n++;
  } while (*r->at == ',');
  if (e->n != r->n)
    return REFUSE(r, "the equation has %u terms, there are %u operands", e->n,
                  r->n);
  return 1;
}

/* --- the result --- */

static gg__indices in_operands(const gg__equation *e) {
  gg__indices all = 0;

  for (unsigned int i = 0; i < e->n; i++)
    all |= gg__indices_of(&e->in[i]);
  return all;
}

static int read_result(reader *r, gg__equation *e, unsigned int widest) {
  const gg__indices known = in_operands(e);
  gg__indices seen = 0;
  char letter[4];
  written w;

  if (!read_term(r, &w))
    return 0;
  if (w.dots < 0 && widest > 0)
    return REFUSE(r, "the result has no ellipsis");
  for (unsigned int i = 0; i < w.n; i++) {
    if (!gg__has_index(known, w.letter[i]))
      return REFUSE(r, "letter %s of the result is in no operand",
                    gg__index_letter(w.letter[i], letter));
    if (gg__has_index(seen, w.letter[i]))
      return REFUSE(r, "letter %s is twice in the result",
                    gg__index_letter(w.letter[i], letter));
    seen |= (gg__indices)1 << w.letter[i];
  }
  return spread(r, &w, widest, &e->out);
}

/* Without an arrow the result has the axes of the ellipsis, then the letters
 * that occur once, in the order of ASCII. */
static int imply_result(reader *r, gg__equation *e, unsigned int widest) {
  unsigned int count[GG_INDICES] = {0}, n = 0;
  written w = {.dots = 0};

  for (unsigned int i = 0; i < e->n; i++)
    for (unsigned int k = 0; k < e->in[i].n; k++)
      count[e->in[i].index[k]]++;
  for (unsigned int i = 0; i < GG_LETTERS; i++)
    n += count[i] == 1;
  if (n > GG_MAX_ND)
    return REFUSE(r, "the result has more than %d axes", GG_MAX_ND);
  for (unsigned int i = 0; i < GG_LETTERS; i++)
    if (count[i] == 1)
      w.letter[w.n++] = (unsigned char)i;
  return spread(r, &w, widest, &e->out);
}

int gg__equation_read(gg__equation *e, const gg_op *op, const char *text,
                      unsigned int n, gg_var *const *x) {
  reader r = {op, n, x, text, text};
  unsigned int widest = 0;

  if (!read_operands(&r, e, &widest))
    return 0;
  if (strncmp(r.at, "->", 2) == 0) {
    r.at += 2;
    if (!read_result(&r, e, widest))
      return 0;
  } else if (!imply_result(&r, e, widest)) {
    return 0;
  }
  return *r.at == '\0' || unexpected(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What all parts of the reader share: errors, tokens, labels, scopes. */
#include "text/parser.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"

/* --- errors --- */

int gg__parse_fail(gg__parser *p, const gg__token *at, int code,
                   const char *fmt, ...) {
  ga__strb text = GA_STRB_INIT;

  if (gg_graph_status(p->g) != GA_NO_ERROR) {
    code = gg_graph_status(p->g);
    ga__strb_append(&text, gg_graph_error(p->g));
  } else {
    va_list ap;
    va_start(ap, fmt);
    ga__strb_vappendf(&text, fmt, ap);
    va_end(ap);
  }
  gg_graph_reset_error(p->g);
  gg__fail(p->g, code, "%s:%u:%u: %s", p->name, at->line, at->column,
           ga__strb_text(&text));
  ga__strb_clear(&text);
  return code;
}

int gg__parse_no_memory(gg__parser *p, const gg__token *at) {
  return gg__parse_fail(p, at, GA_MEMORY_ERROR, "out of host memory");
}

int gg__parse_kept(gg__parser *p, const gg__token *at, int err) {
  return err == GA_NO_ERROR ? err : gg__parse_no_memory(p, at);
}

int gg__parse_err(gg__parser *p, const gg__token *at, int err) {
  if (err == GA_NO_ERROR)
    return err;
  return gg__parse_fail(p, at, err, "%s", ga__err_text(err));
}

int gg__parse_expected(gg__parser *p, const char *what) {
  char got[64];

  return gg__parse_fail(p, &p->token, GA_VALUE_ERROR, "expected %s, got %s",
                        what, gg__token_text(&p->token, got, sizeof got));
}

/* --- tokens --- */

void gg__parse_next(gg__parser *p) {
  gg__lexer_next(&p->lexer, &p->token);
}

gg__token gg__parse_peek(const gg__parser *p) {
  gg__lexer ahead = p->lexer;
  gg__token next;

  gg__lexer_next(&ahead, &next);
  return next;
}

int gg__parse_skip(gg__parser *p, const char *text) {
  if (!gg__token_is(&p->token, text))
    return 0;
  gg__parse_next(p);
  return 1;
}

int gg__parse_need(gg__parser *p, const char *text) {
  char what[32];

  if (gg__parse_skip(p, text))
    return GA_NO_ERROR;
  snprintf(what, sizeof what, "'%s'", text);
  return gg__parse_expected(p, what);
}

/* --- numbers --- */

int gg__parse_at_number(const gg__parser *p) {
  const gg__token *t = &p->token;

  return t->kind == GG_TOKEN_NUMBER || gg__token_is(t, "nan") ||
         gg__token_is(t, "inf") || gg__token_is(t, "true") ||
         gg__token_is(t, "false");
}

int gg__parse_whole(gg__parser *p, int64_t *out) {
  if (p->token.kind != GG_TOKEN_NUMBER ||
      !gg__literal_parse(GA_LONG, p->token.text, p->token.n, out))
    return gg__parse_expected(p, "a whole number");
  gg__parse_next(p);
  return GA_NO_ERROR;
}

int gg__parse_dtype_at(const gg__parser *p) {
  const gg__token *t = &p->token;
  char name[16];

  if (t->kind != GG_TOKEN_WORD || t->n >= sizeof name)
    return -1;
  memcpy(name, t->text, t->n);
  name[t->n] = '\0';
  return ga__dtype_from_name(name);
}

/* --- labels --- */

int gg__parse_is_name(const gg__token *t) {
  return t->kind == GG_TOKEN_WORD || t->kind == GG_TOKEN_NAME;
}

/* The key of a label is its text. The key of a name is a quote and the name,
 * so that a name such as "%3" differs from the label %3. */
int gg__parse_label_key(gg__parser *p, const gg__token *t, ga__strb *key) {
  if (t->kind == GG_TOKEN_LABEL)
    ga__strb_append_n(key, t->text, t->n);
  else {
    ga__strb_append(key, "\"");
    if (!gg__token_name(t, key))
      return gg__parse_fail(p, t, GA_VALUE_ERROR,
                            "expected \\\", \\\\ or \\xHH in a name");
  }
  return key->err != GA_NO_ERROR ? gg__parse_no_memory(p, t) : GA_NO_ERROR;
}

/* Nonzero if the label is defined outside of the block. */
static int is_outside(const gg__parser *p, ga__strb *key) {
  const gg__scope *s = p->scope->outer;

  while (s != NULL &&
         ga__map_get(&s->labels, ga__strb_text(key), key->n) == NULL)
    s = s->outer;
  return s != NULL;
}

int gg__parse_var(gg__parser *p, gg_var **out) {
  ga__strb key = GA_STRB_INIT;
  char what[64];
  int err;

  if (!gg__parse_is_name(&p->token) && p->token.kind != GG_TOKEN_LABEL)
    return gg__parse_expected(p, "a variable");
  GA_CHECK(gg__parse_label_key(p, &p->token, &key));
  *out = ga__map_get(&p->scope->labels, ga__strb_text(&key), key.n);
  if (*out == NULL)
    GA_CHECK(gg__parse_fail(p, &p->token, GA_VALUE_ERROR, "%s is %s",
                            gg__token_text(&p->token, what, sizeof what),
                            is_outside(p, &key)
                                ? "defined outside of the loop, which fixed() "
                                  "brings in"
                                : "not defined above"));
  gg__parse_next(p);

done:
  ga__strb_clear(&key);
  return err;
}

/* Name a variable, unless it has a name: the first one stays. */
static int keep_name(gg__parser *p, const gg__token *name, gg_var *v) {
  ga__strb text = GA_STRB_INIT;
  int err;

  GA_CHECK(gg__parse_label_key(p, name, &text));
  if (gg_var_name(v)[0] == '\0' &&
      gg_named(v, ga__strb_text(&text) + 1) == NULL)
    GA_CHECK(gg__parse_no_memory(p, name));

done:
  ga__strb_clear(&text);
  return err;
}

int gg__parse_define(gg__parser *p, const gg__target *to, gg_var *v) {
  const gg__token *label = &to->label;
  ga__map *labels = &p->scope->labels;
  ga__strb key = GA_STRB_INIT;
  char what[64];
  int err;

  if (gg__token_is(label, "_"))
    return GA_NO_ERROR;
  GA_CHECK(gg__parse_label_key(p, label, &key));
  if (ga__map_get(labels, ga__strb_text(&key), key.n) != NULL)
    GA_CHECK(gg__parse_fail(p, label, GA_VALUE_ERROR, "%s is defined already",
                            gg__token_text(label, what, sizeof what)));
  if (gg__parse_is_name(&to->name))
    GA_CHECK(keep_name(p, &to->name, v));
  GA_CHECK(gg__parse_kept(p, label,
                          ga__map_put(labels, ga__strb_text(&key), key.n, v)));

done:
  ga__strb_clear(&key);
  return err;
}

/* --- targets --- */

static int parse_target(gg__parser *p, gg__targets *out) {
  gg__target t = {p->token, p->token};

  if (!gg__parse_is_name(&t.label) && t.label.kind != GG_TOKEN_LABEL)
    return gg__parse_expected(p, "a label");
  gg__parse_next(p);
  if (t.label.kind == GG_TOKEN_LABEL && gg__parse_is_name(&p->token)) {
    t.name = p->token;
    gg__parse_next(p);
  }
  return gg__parse_kept(p, &t.label, ga__vec_push(out, t));
}

int gg__parse_targets(gg__parser *p, gg__targets *out) {
  do
    GA_TRY(parse_target(p, out));
  while (gg__parse_skip(p, ","));
  return gg__parse_need(p, "=");
}

int gg__parse_define_all(gg__parser *p, const gg__targets *to, gg_var *v) {
  const gg_apply *a = gg_var_owner(v);
  const unsigned int n_out = a != NULL ? a->n_out : 1;

  if (to->n > 1 && to->n != n_out)
    return gg__parse_fail(p, &to->v[0].label, GA_VALUE_ERROR,
                          "%zu labels for %u results", to->n, n_out);
  for (size_t i = 0; i < to->n; i++)
    GA_TRY(gg__parse_define(p, &to->v[i], to->n > 1 ? a->out[i] : v));
  return GA_NO_ERROR;
}

/* --- scopes --- */

void gg__parse_enter(gg__parser *p, gg__scope *to) {
  p->scope = to;
  p->g = to->g;
}

/* Errors of the inner graph are reported in the outer one. */
void gg__parse_leave(gg__parser *p) {
  const gg_graph *inside = p->g;

  GA_ASSERT(p->scope->outer != NULL);
  gg__parse_enter(p, p->scope->outer);
  if (gg_graph_status(inside) != GA_NO_ERROR)
    gg__fail_text(p->g, gg_graph_status(inside), gg_graph_error(inside));
}

int gg__parse_keep_sites(gg__parser *p, size_t first, unsigned int line) {
  gg__scope *s = p->scope;
  gg_graph *g = p->g;

  if (s->file == NULL)
    s->file = ga__arena_strdup(&g->arena, p->name);
  if (s->file == NULL)
    return gg__fail_nomem(g);
  for (; first < g->vars.n; first++)
    g->vars.v[first]->site = (gg__site){.file = s->file, .line = (int)line};
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: statements, labels and functions.
 *
 * The graph is one that nobody else sees, so that a failure leaves no trace.
 * What a statement uses stands before it: there are no cycles by construction.
 */
#include <stdio.h>
#include <string.h>

#include "graph/parser.h"

#define ALL_FLAGS 63 /* of gg_func_spec */

/* --- failures --- */

int gg__parse_fail(gg__parser *p, const gg__token *at, int code,
                   const char *fmt, ...) {
  ga__strb text = GA_STRB_INIT;
  va_list ap;

  if (gg_graph_status(p->g) != GA_NO_ERROR) {
    code = gg_graph_status(p->g);
    ga__strb_append(&text, gg_graph_error(p->g));
  } else {
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

int gg__parse_expected(gg__parser *p, const char *what) {
  char got[64];

  return gg__parse_fail(p, &p->token, GA_VALUE_ERROR, "expected %s, got %s",
                        what, gg__token_text(&p->token, got, sizeof got));
}

/* --- tokens --- */

void gg__parse_next(gg__parser *p) {
  gg__lexer_next(&p->lexer, &p->token);
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

/* --- labels --- */

static int is_name(const gg__token *t) {
  return t->kind == GG_TOKEN_WORD || t->kind == GG_TOKEN_NAME;
}

/* What a label is known by: "%3" and "w" do not meet, since a name that begins
 * with a percent sign has a quote before it here. */
static int label_key(gg__parser *p, const gg__token *t, ga__strb *key) {
  if (t->kind == GG_TOKEN_LABEL)
    ga__strb_append_n(key, t->text, t->n);
  else {
    ga__strb_append(key, "\"");
    if (!gg__token_name(t, key))
      return gg__parse_fail(p, t, GA_VALUE_ERROR,
                            "expected \\\", \\\\ or \\xHH in a name");
  }
  if (key->err != GA_NO_ERROR)
    return gg__parse_fail(p, t, key->err, "out of host memory");
  return GA_NO_ERROR;
}

int gg__parse_var(gg__parser *p, gg_var **out) {
  ga__strb key = GA_STRB_INIT;
  char what[64];
  int err;

  if (!is_name(&p->token) && p->token.kind != GG_TOKEN_LABEL)
    return gg__parse_expected(p, "a variable");
  GA_CHECK(label_key(p, &p->token, &key));
  *out = ga__map_get(&p->labels, ga__strb_text(&key), key.n);
  if (*out == NULL)
    GA_CHECK(gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "%s is not defined above",
                            gg__token_text(&p->token, what, sizeof what)));
  gg__parse_next(p);

done:
  ga__strb_clear(&key);
  return err;
}

/* Let `label` stand for `v`, and name it by `name`, if that is a name. The
 * first name that a variable gets is the one that it keeps. */
static int define(gg__parser *p, const gg__token *label, const gg__token *name,
                  gg_var *v) {
  ga__strb key = GA_STRB_INIT, text = GA_STRB_INIT;
  char what[64];
  int err;

  GA_CHECK(label_key(p, label, &key));
  if (ga__map_get(&p->labels, ga__strb_text(&key), key.n) != NULL)
    GA_CHECK(gg__parse_fail(p, label, GA_VALUE_ERROR, "%s is defined already",
                            gg__token_text(label, what, sizeof what)));
  if (is_name(name)) {
    GA_CHECK(label_key(p, name, &text));
    if (gg_var_name(v)[0] == '\0' &&
        gg_named(v, ga__strb_text(&text) + 1) == NULL)
      GA_CHECK(gg__parse_fail(p, name, GA_MEMORY_ERROR, "out of host memory"));
  }
  if (ga__map_put(&p->labels, ga__strb_text(&key), key.n, v) != GA_NO_ERROR)
    GA_CHECK(gg__parse_fail(p, label, GA_MEMORY_ERROR, "out of host memory"));

done:
  ga__strb_clear(&key);
  ga__strb_clear(&text);
  return err;
}

/* --- definitions --- */

/* Left of "=": a label and, behind a %label, a name. */
typedef struct target {
  gg__token label, name;
} target;

typedef GA_VEC(target) targets;

static int parse_target(gg__parser *p, targets *out) {
  target t = {p->token, p->token};

  if (!is_name(&t.label) && t.label.kind != GG_TOKEN_LABEL)
    return gg__parse_expected(p, "a label");
  gg__parse_next(p);
  if (t.label.kind == GG_TOKEN_LABEL && is_name(&p->token)) {
    t.name = p->token;
    gg__parse_next(p);
  }
  if (ga__vec_push(out, t) != GA_NO_ERROR)
    return gg__parse_fail(p, &t.label, GA_MEMORY_ERROR, "out of host memory");
  return GA_NO_ERROR;
}

static int define_all(gg__parser *p, const targets *to, gg_var *v) {
  const gg_apply *a = gg_var_owner(v);
  const unsigned int n_out = a != NULL ? a->n_out : 1;

  if (to->n > 1 && to->n != n_out)
    return gg__parse_fail(p, &to->v[0].label, GA_VALUE_ERROR,
                          "%zu labels for %u results", to->n, n_out);
  for (size_t i = 0; i < to->n; i++)
    if (!gg__token_is(&to->v[i].label, "_"))
      GA_TRY(define(p, &to->v[i].label, &to->v[i].name,
                    to->n > 1 ? a->out[i] : v));
  return GA_NO_ERROR;
}

static int parse_definition(gg__parser *p) {
  targets to = {0};
  gg_var *v;
  int err;

  do
    GA_CHECK(parse_target(p, &to));
  while (gg__parse_skip(p, ","));
  GA_CHECK(gg__parse_need(p, "="));
  GA_CHECK(gg__parse_value(p, &v));
  GA_CHECK(define_all(p, &to, v));

done:
  ga__vec_clear(&to);
  return err;
}

/* --- functions --- */

/* The lists of a function while they grow; NULL at the end. */
typedef struct lists {
  GA_VEC(gg_var *) inputs, outputs, no_updates;
  GA_VEC(gg_update) updates;
  GA_VEC(gg_given) givens;
  GA_VEC(const char *) include, exclude; /* in the graph's memory */
  ga__strb name;
  gg_mode mode;
  int flags;
  unsigned int max_passes;
} lists;

static void clear_lists(lists *f) {
  ga__vec_clear(&f->inputs);
  ga__vec_clear(&f->outputs);
  ga__vec_clear(&f->no_updates);
  ga__vec_clear(&f->include);
  ga__vec_clear(&f->exclude);
  ga__vec_clear(&f->updates);
  ga__vec_clear(&f->givens);
  ga__strb_clear(&f->name);
}

/* "(" [item {"," item}] ")" */
static int parse_items(gg__parser *p, lists *f,
                       int (*item)(gg__parser *p, lists *f)) {
  GA_TRY(gg__parse_need(p, "("));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  do
    if (item(p, f) != GA_NO_ERROR) {
      gg__fail(p->g, GA_MEMORY_ERROR, "out of host memory"); /* if not told */
      return gg_graph_status(p->g);
    }
  while (gg__parse_skip(p, ","));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  return gg__parse_expected(p, "',' or ')'");
}

static int parse_pair(gg__parser *p, gg_var **a, gg_var **b) {
  GA_TRY(gg__parse_var(p, a));
  GA_TRY(gg__parse_need(p, "="));
  return gg__parse_var(p, b);
}

static int add_input(gg__parser *p, lists *f) {
  gg_var *v;

  GA_TRY(gg__parse_var(p, &v));
  return ga__vec_push(&f->inputs, v);
}

static int add_output(gg__parser *p, lists *f) {
  gg_var *v;

  GA_TRY(gg__parse_var(p, &v));
  return ga__vec_push(&f->outputs, v);
}

static int add_update(gg__parser *p, lists *f) {
  gg_update u;

  GA_TRY(parse_pair(p, &u.shared, &u.value));
  return ga__vec_push(&f->updates, u);
}

static int add_given(gg__parser *p, lists *f) {
  gg_given u;

  GA_TRY(parse_pair(p, &u.var, &u.by));
  return ga__vec_push(&f->givens, u);
}

static int add_no_update(gg__parser *p, lists *f) {
  gg_var *v;

  GA_TRY(gg__parse_var(p, &v));
  return ga__vec_push(&f->no_updates, v);
}

/* The name of a rewrite; NULL, told, when there is none. */
static const char *parse_name(gg__parser *p) {
  ga__strb key = GA_STRB_INIT;
  const char *kept = NULL;

  if (!is_name(&p->token)) {
    gg__parse_expected(p, "a name");
    return NULL;
  }
  if (label_key(p, &p->token, &key) == GA_NO_ERROR)
    kept = ga__arena_strdup(&p->g->arena, ga__strb_text(&key) + 1);
  ga__strb_clear(&key);
  gg__parse_next(p);
  return kept;
}

static int add_include(gg__parser *p, lists *f) {
  const char *name = parse_name(p);

  return name != NULL ? ga__vec_push(&f->include, name) : GA_MEMORY_ERROR;
}

static int add_exclude(gg__parser *p, lists *f) {
  const char *name = parse_name(p);

  return name != NULL ? ga__vec_push(&f->exclude, name) : GA_MEMORY_ERROR;
}

static int parse_mode(gg__parser *p, gg_mode *mode) {
  char name[16] = "";

  if (p->token.kind == GG_TOKEN_WORD && p->token.n < sizeof name)
    memcpy(name, p->token.text, p->token.n);
  if (gg_mode_from_name(name, mode) != GA_NO_ERROR)
    return gg__parse_expected(p, "fast_run, fast_compile, no_rewrite or debug");
  gg__parse_next(p);
  return GA_NO_ERROR;
}

/* A whole number from 0 to `most`. */
static int parse_count(gg__parser *p, int64_t most, const char *what,
                       int64_t *out) {
  const gg__token at = p->token;

  GA_TRY(gg__parse_whole(p, out));
  if (*out < 0 || *out > most)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "there are no %s %lld", what,
                          (long long)*out);
  return GA_NO_ERROR;
}

static int parse_flags(gg__parser *p, int *flags) {
  int64_t v = 0;

  GA_TRY(parse_count(p, ALL_FLAGS, "flags", &v));
  *flags = (int)v;
  return GA_NO_ERROR;
}

static int parse_max_passes(gg__parser *p, unsigned int *n) {
  int64_t v = 0;

  GA_TRY(parse_count(p, UINT32_MAX, "passes", &v));
  *n = (unsigned int)v;
  return GA_NO_ERROR;
}

static int parse_clauses(gg__parser *p, lists *f) {
  for (;;) {
    if (gg__parse_skip(p, "->"))
      GA_TRY(parse_items(p, f, add_output));
    else if (gg__parse_skip(p, "update"))
      GA_TRY(parse_items(p, f, add_update));
    else if (gg__parse_skip(p, "given"))
      GA_TRY(parse_items(p, f, add_given));
    else if (gg__parse_skip(p, "no_update"))
      GA_TRY(parse_items(p, f, add_no_update));
    else if (gg__parse_skip(p, "include"))
      GA_TRY(parse_items(p, f, add_include));
    else if (gg__parse_skip(p, "exclude"))
      GA_TRY(parse_items(p, f, add_exclude));
    else if (gg__parse_skip(p, "max_passes"))
      GA_TRY(parse_max_passes(p, &f->max_passes));
    else if (gg__parse_skip(p, "mode"))
      GA_TRY(parse_mode(p, &f->mode));
    else if (gg__parse_skip(p, "flags"))
      GA_TRY(parse_flags(p, &f->flags));
    else
      return GA_NO_ERROR;
  }
}

/* Lists of specs end with NULL. */
static int add_func(gg__parser *p, const gg__token *at, lists *f) {
  const gg_update no_update = {NULL, NULL};
  const gg_given no_given = {NULL, NULL};
  gg_func_spec spec = {
      .mode = f->mode, .flags = f->flags, .max_passes = f->max_passes};

  if (ga__vec_push(&f->inputs, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->outputs, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->no_updates, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->include, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->exclude, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->updates, no_update) != GA_NO_ERROR ||
      ga__vec_push(&f->givens, no_given) != GA_NO_ERROR)
    return gg__parse_fail(p, at, GA_MEMORY_ERROR, "out of host memory");
  spec.name = ga__strb_text(&f->name) + 1;
  spec.inputs = f->inputs.v;
  spec.outputs = f->outputs.v;
  spec.updates = f->updates.v;
  spec.givens = f->givens.v;
  spec.no_default_updates = f->no_updates.v;
  spec.include = f->include.v;
  spec.exclude = f->exclude.v;
  if (gg_graph_add_func(p->g, &spec) != GA_NO_ERROR)
    return gg__parse_fail(p, at, GA_MEMORY_ERROR, "out of host memory");
  return GA_NO_ERROR;
}

static int parse_function(gg__parser *p) {
  const gg__token at = p->token;
  lists f = {0};
  int err;

  if (!is_name(&at))
    return gg__parse_expected(p, "the function's name");
  GA_CHECK(label_key(p, &at, &f.name));
  gg__parse_next(p);
  GA_CHECK(parse_items(p, &f, add_input));
  GA_CHECK(parse_clauses(p, &f));
  GA_CHECK(add_func(p, &at, &f));

done:
  clear_lists(&f);
  return err;
}

/* name "=" name, behind "update". */
static int parse_default_update(gg__parser *p) {
  const gg__token at = p->token;
  gg_var *v, *value;

  GA_TRY(parse_pair(p, &v, &value));
  if (gg_shared_set_update(v, value) != GA_NO_ERROR)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "this is no update");
  return GA_NO_ERROR;
}

/* --- the whole --- */

/* What a statement builds was built at its line. */
static int keep_sites(gg__parser *p, size_t first, unsigned int line) {
  gg_graph *g = p->g;

  if (p->file == NULL)
    p->file = ga__arena_strdup(&g->arena, p->name);
  if (p->file == NULL)
    return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
  for (; first < g->vars.n; first++)
    g->vars.v[first]->site = (gg__site){p->file, (int)line};
  return GA_NO_ERROR;
}

static int parse_statement(gg__parser *p) {
  const unsigned int line = p->token.line;
  const size_t first = p->g->vars.n;

  if (gg__parse_skip(p, "function"))
    GA_TRY(parse_function(p));
  else if (gg__parse_skip(p, "update"))
    GA_TRY(parse_default_update(p));
  else
    GA_TRY(parse_definition(p));
  if (p->token.kind != GG_TOKEN_LINE && p->token.kind != GG_TOKEN_END)
    return gg__parse_expected(p, "the end of the line");
  return keep_sites(p, first, line);
}

static int parse_all(gg__parser *p) {
  gg__parse_next(p);
  while (p->token.kind != GG_TOKEN_END) {
    if (p->token.kind != GG_TOKEN_LINE)
      GA_TRY(parse_statement(p));
    else
      gg__parse_next(p);
  }
  return GA_NO_ERROR;
}

int gg__text_parse(gg_graph *g, const char *name, const char *text,
                   size_t bytes, gg__block_source *blocks) {
  gg__parser p = {.g = g, .name = name, .blocks = blocks};
  int err = GA_NO_ERROR;

  if (blocks != NULL) {
    p.used = ga__calloc((size_t)blocks->n, 1);
    if (p.used == NULL)
      err = gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
  }
  gg__lexer_init(&p.lexer, text, bytes);
  if (err == GA_NO_ERROR)
    err = parse_all(&p);
  ga__map_clear(&p.labels);
  ga__free(p.used);
  return err;
}

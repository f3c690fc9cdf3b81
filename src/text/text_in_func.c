/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: functions and default updates. */
#include <string.h>

#include "text/parser.h"
#include "text/spec.h"

/* All flags of gg_func_spec. Each is one bit, without gaps from bit 0 on. */
enum {
  ALL_FLAGS = GG_ALLOW_UNUSED_INPUT + GG_PROFILE + GG_NO_HOST + GG_NAN_GUARD +
              GG_INF_GUARD + GG_NO_DEFAULT_UPDATES + GG_FREE_TEMPS +
              GG_BOUNDS_GUARD + GG_WARN_HOST + GG_WARN_UNUSED_INPUT +
              GG_BIG_GUARD + GG_ALLOW_DOWNCAST + GG_STRICT +
              GG_KEEP_SUBNORMALS + GG_INDEX_GUARD + GG_NO_INDEX_GUARD
};
_Static_assert((ALL_FLAGS & (ALL_FLAGS + 1)) == 0,
               "two flags have one bit, or one is missing here");

/* A list that is being read. */
typedef union list {
  GA_VEC(gg_var *) vars;
  GA_VEC(const char *) names; /* in the graph's arena */
} list;

typedef struct function {
  list lists[GG_SPEC_LISTS];
  ga__strb name;
  gg_func_spec spec;
} function;

static void clear_function(function *f) {
  for (size_t k = 0; k < GG_SPEC_NAMES; k++)
    ga__vec_clear(&f->lists[k].vars);
  for (size_t k = GG_SPEC_NAMES; k < GG_SPEC_LISTS; k++)
    ga__vec_clear(&f->lists[k].names);
  ga__strb_clear(&f->name);
}

/* Append a variable; NULL ends a list. */
static int add_var(gg__parser *p, function *f, size_t k, gg_var *v) {
  return gg__parse_kept(p, &p->token, ga__vec_push(&f->lists[k].vars, v));
}

static int add_name(gg__parser *p, function *f, size_t k, const char *name) {
  return gg__parse_kept(p, &p->token, ga__vec_push(&f->lists[k].names, name));
}

/* Read the name of a rewrite. */
static int parse_name(gg__parser *p, function *f, size_t k) {
  const gg__token at = p->token;
  ga__strb key = GA_STRB_INIT;
  int err;

  if (!gg__parse_is_name(&at))
    return gg__parse_expected(p, "a name");
  GA_CHECK(gg__parse_label_key(p, &at, &key));
  gg__parse_next(p);
  const char *kept = ga__arena_strdup(&p->g->arena, ga__strb_text(&key) + 1);
  GA_CHECK(kept != NULL ? add_name(p, f, k, kept)
                        : gg__parse_no_memory(p, &at));

done:
  ga__strb_clear(&key);
  return err;
}

/* Read a member of list k. */
static int parse_member(gg__parser *p, function *f, size_t k) {
  gg_var *v;

  if (k >= GG_SPEC_NAMES)
    return parse_name(p, f, k);
  for (size_t i = 0; i < gg__spec_lists[k].width; i++) {
    if (i != 0)
      GA_TRY(gg__parse_need(p, "="));
    GA_TRY(gg__parse_var(p, &v));
    GA_TRY(add_var(p, f, k, v));
  }
  return GA_NO_ERROR;
}

/* "(" [member {"," member}] ")" */
static int parse_list(gg__parser *p, function *f, size_t k) {
  GA_TRY(gg__parse_need(p, "("));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  do
    GA_TRY(parse_member(p, f, k));
  while (gg__parse_skip(p, ","));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  return gg__parse_expected(p, "',' or ')'");
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

/* Read an integer from 0 to `most`. */
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

/* Read a clause. *is_one is 0 if the current token begins none. */
static int parse_clause(gg__parser *p, function *f, int *is_one) {
  *is_one = 1;
  for (size_t k = GG_SPEC_OUTPUTS; k < GG_SPEC_LISTS; k++)
    if (gg__parse_skip(p, gg__spec_lists[k].clause))
      return parse_list(p, f, k);
  if (gg__parse_skip(p, "max_passes"))
    return parse_max_passes(p, &f->spec.max_passes);
  if (gg__parse_skip(p, "mode"))
    return parse_mode(p, &f->spec.mode);
  if (gg__parse_skip(p, "flags"))
    return parse_flags(p, &f->spec.flags);
  *is_one = 0;
  return GA_NO_ERROR;
}

static int add_function(gg__parser *p, const gg__token *at, function *f) {
  for (size_t k = 0; k < GG_SPEC_LISTS; k++) {
    if (k >= GG_SPEC_NAMES)
      GA_TRY(add_name(p, f, k, NULL));
    else
      for (size_t i = 0; i < gg__spec_lists[k].width; i++)
        GA_TRY(add_var(p, f, k, NULL));
    gg__spec_set(&f->spec, k,
                 k >= GG_SPEC_NAMES ? (const void *)f->lists[k].names.v
                                    : (const void *)f->lists[k].vars.v);
  }
  f->spec.name = ga__strb_text(&f->name) + 1;
  if (gg_graph_add_func(p->g, &f->spec) != GA_NO_ERROR)
    return gg__parse_no_memory(p, at);
  return GA_NO_ERROR;
}

int gg__parse_function(gg__parser *p) {
  const gg__token at = p->token;
  function f = {.spec = {.mode = GG_FAST_RUN}};
  int err, is_clause = 1;

  if (!gg__parse_is_name(&at))
    return gg__parse_expected(p, "the function's name");
  GA_CHECK(gg__parse_label_key(p, &at, &f.name));
  gg__parse_next(p);
  GA_CHECK(parse_list(p, &f, GG_SPEC_INPUTS));
  while (is_clause)
    GA_CHECK(parse_clause(p, &f, &is_clause));
  GA_CHECK(add_function(p, &at, &f));

done:
  clear_function(&f);
  return err;
}

/* Read what follows "update": name "=" name. */
int gg__parse_default_update(gg__parser *p) {
  const gg__token at = p->token;
  gg_var *v, *value;

  GA_TRY(gg__parse_var(p, &v));
  GA_TRY(gg__parse_need(p, "="));
  GA_TRY(gg__parse_var(p, &value));
  if (gg_shared_set_update(v, value) != GA_NO_ERROR)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "this is not an update");
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: functions and default updates. */
#include <string.h>

#include "text/parser.h"

/* Of gg_func_spec; a bit each, from the first on. */
enum {
  ALL_FLAGS = GG_ALLOW_UNUSED_INPUT + GG_PROFILE + GG_NO_HOST + GG_NAN_GUARD +
              GG_INF_GUARD + GG_NO_DEFAULT_UPDATES + GG_FREE_TEMPS +
              GG_BOUNDS_GUARD + GG_WARN_HOST + GG_WARN_UNUSED_INPUT +
              GG_BIG_GUARD + GG_ALLOW_DOWNCAST + GG_STRICT
};
_Static_assert((ALL_FLAGS & (ALL_FLAGS + 1)) == 0,
               "two flags have one bit, or one is missing here");

typedef GA_VEC(gg_var *) var_list;
typedef GA_VEC(const char *) name_list; /* in the graph's memory */
typedef GA_VEC(gg_update) update_list;
typedef GA_VEC(gg_given) given_list;

/* The lists of a function while they grow; NULL at the end. */
typedef struct lists {
  var_list inputs, outputs, no_updates, mutables, borrowed, strict, downcast;
  update_list updates;
  given_list givens;
  name_list include, exclude;
  ga__strb name;
  gg_mode mode;
  int flags;
  unsigned int max_passes;
} lists;

static void clear_lists(lists *f) {
  ga__vec_clear(&f->inputs);
  ga__vec_clear(&f->outputs);
  ga__vec_clear(&f->no_updates);
  ga__vec_clear(&f->mutables);
  ga__vec_clear(&f->borrowed);
  ga__vec_clear(&f->strict);
  ga__vec_clear(&f->downcast);
  ga__vec_clear(&f->include);
  ga__vec_clear(&f->exclude);
  ga__vec_clear(&f->updates);
  ga__vec_clear(&f->givens);
  ga__strb_clear(&f->name);
}

/* "(" [item {"," item}] ")" */
static int parse_items(gg__parser *p, int (*item)(gg__parser *p, void *list),
                       void *list) {
  GA_TRY(gg__parse_need(p, "("));
  if (gg__parse_skip(p, ")"))
    return GA_NO_ERROR;
  do
    if (item(p, list) != GA_NO_ERROR) {
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

static int add_var(gg__parser *p, void *list) {
  var_list *out = list;
  gg_var *v;

  GA_TRY(gg__parse_var(p, &v));
  return ga__vec_push(out, v);
}

static int add_update(gg__parser *p, void *list) {
  update_list *out = list;
  gg_update u;

  GA_TRY(parse_pair(p, &u.shared, &u.value));
  return ga__vec_push(out, u);
}

static int add_given(gg__parser *p, void *list) {
  given_list *out = list;
  gg_given u;

  GA_TRY(parse_pair(p, &u.var, &u.by));
  return ga__vec_push(out, u);
}

/* The name of a rewrite; NULL, told, when there is none. */
static const char *parse_name(gg__parser *p) {
  ga__strb key = GA_STRB_INIT;
  const char *kept = NULL;

  if (!gg__parse_is_name(&p->token)) {
    gg__parse_expected(p, "a name");
    return NULL;
  }
  if (gg__parse_label_key(p, &p->token, &key) == GA_NO_ERROR)
    kept = ga__arena_strdup(&p->g->arena, ga__strb_text(&key) + 1);
  ga__strb_clear(&key);
  gg__parse_next(p);
  return kept;
}

static int add_name(gg__parser *p, void *list) {
  name_list *out = list;
  const char *name = parse_name(p);

  return name != NULL ? ga__vec_push(out, name) : GA_MEMORY_ERROR;
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
      GA_TRY(parse_items(p, add_var, &f->outputs));
    else if (gg__parse_skip(p, "update"))
      GA_TRY(parse_items(p, add_update, &f->updates));
    else if (gg__parse_skip(p, "given"))
      GA_TRY(parse_items(p, add_given, &f->givens));
    else if (gg__parse_skip(p, "no_update"))
      GA_TRY(parse_items(p, add_var, &f->no_updates));
    else if (gg__parse_skip(p, "mutable"))
      GA_TRY(parse_items(p, add_var, &f->mutables));
    else if (gg__parse_skip(p, "borrow"))
      GA_TRY(parse_items(p, add_var, &f->borrowed));
    else if (gg__parse_skip(p, "strict"))
      GA_TRY(parse_items(p, add_var, &f->strict));
    else if (gg__parse_skip(p, "downcast"))
      GA_TRY(parse_items(p, add_var, &f->downcast));
    else if (gg__parse_skip(p, "include"))
      GA_TRY(parse_items(p, add_name, &f->include));
    else if (gg__parse_skip(p, "exclude"))
      GA_TRY(parse_items(p, add_name, &f->exclude));
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
      ga__vec_push(&f->mutables, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->borrowed, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->strict, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->downcast, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->include, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->exclude, NULL) != GA_NO_ERROR ||
      ga__vec_push(&f->updates, no_update) != GA_NO_ERROR ||
      ga__vec_push(&f->givens, no_given) != GA_NO_ERROR)
    return gg__parse_no_memory(p, at);
  spec.name = ga__strb_text(&f->name) + 1;
  spec.inputs = f->inputs.v;
  spec.outputs = f->outputs.v;
  spec.updates = f->updates.v;
  spec.givens = f->givens.v;
  spec.no_default_updates = f->no_updates.v;
  spec.mutable_inputs = f->mutables.v;
  spec.borrowed_outputs = f->borrowed.v;
  spec.strict_inputs = f->strict.v;
  spec.downcast_inputs = f->downcast.v;
  spec.include = f->include.v;
  spec.exclude = f->exclude.v;
  if (gg_graph_add_func(p->g, &spec) != GA_NO_ERROR)
    return gg__parse_no_memory(p, at);
  return GA_NO_ERROR;
}

int gg__parse_function(gg__parser *p) {
  const gg__token at = p->token;
  lists f = {0};
  int err;

  if (!gg__parse_is_name(&at))
    return gg__parse_expected(p, "the function's name");
  GA_CHECK(gg__parse_label_key(p, &at, &f.name));
  gg__parse_next(p);
  GA_CHECK(parse_items(p, add_var, &f.inputs));
  GA_CHECK(parse_clauses(p, &f));
  GA_CHECK(add_func(p, &at, &f));

done:
  clear_lists(&f);
  return err;
}

/* name "=" name, behind "update". */
int gg__parse_default_update(gg__parser *p) {
  const gg__token at = p->token;
  gg_var *v, *value;

  GA_TRY(parse_pair(p, &v, &value));
  if (gg_shared_set_update(v, value) != GA_NO_ERROR)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "this is not an update");
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: contexts. The caller gives them by name, or they are
 * registered in the process.
 *
 * A graph without a context is for inspecting files. There every name gets a
 * placeholder: an address that is no context and is never used as one. So
 * contexts stay distinct, and the graph prints as it was written. */
#include <gpuarray/device.h>

#include <string.h>

#include "text/parser.h"

/* --- by name --- */

/* The placeholder lies in the arena of the caller's graph, which outlives the
 * graph that is read. */
static gpucontext *stand_in(gg__parser *p, const char *name) {
  gg_graph *into = p->reading->into;
  gpucontext *ctx = gg__label_named(&into->labels, name);

  return ctx != NULL ? ctx : ga__arena_alloc(&into->arena, 1);
}

static gpucontext *given(const gg__parser *p, const char *name) {
  const gg_context_name *x = p->reading->o.contexts;

  for (; x != NULL && x->name != NULL; x++)
    if (strcmp(x->name, name) == 0)
      return x->ctx;
  return gg_context_get(name);
}

static int find(gg__parser *p, const gg__token *at, const char *name,
                gpucontext **out) {
  if (p->g->ctx == NULL) {
    *out = stand_in(p, name);
    return *out != NULL ? GA_NO_ERROR : gg__parse_no_memory(p, at);
  }
  *out = given(p, name);
  if (*out == NULL)
    return gg__parse_fail(p, at, GA_VALUE_ERROR,
                          "no context is given for '%s' (gg_graph_load_with, "
                          "gg_context_register)",
                          name);
  if (!gpucontext_alive(*out))
    return gg__parse_fail(p, at, GA_VALUE_ERROR,
                          "the context that is given for '%s' is gone", name);
  return GA_NO_ERROR;
}

int gg__parse_check_contexts(gg_graph *g, const gg__reading *r) {
  const gg_context_name *x = r->o.contexts;

  for (size_t i = 0; x != NULL && x[i].name != NULL; i++)
    if (gg__is_missing(x[i].name))
      return gg__fail(g, GA_VALUE_ERROR, "%s: the name of context %zu is NULL",
                      r->name, i);
  return GA_NO_ERROR;
}

/* --- in the text --- */

int gg__parse_context(gg__parser *p) {
  const gg__token at = p->token;
  ga__strb key = GA_STRB_INIT;
  gpucontext *ctx = NULL;
  int err;

  if (!gg__parse_is_name(&at))
    return gg__parse_expected(p, "the context's name");
  GA_CHECK(gg__parse_label_key(p, &at, &key));
  const char *name =
      ga__arena_strdup(&p->reading->into->arena, ga__strb_text(&key) + 1);
  if (name == NULL)
    GA_CHECK(gg__parse_no_memory(p, &at));
  if (gg__label_named(p->labels, name) != NULL)
    GA_CHECK(gg__parse_fail(p, &at, GA_VALUE_ERROR,
                            "context '%s' is declared already", name));
  GA_CHECK(find(p, &at, name, &ctx));
  GA_CHECK(gg__parse_kept(p, &at, gg__label_add(p->labels, name, ctx)));
  gg__parse_next(p);

done:
  ga__strb_clear(&key);
  return err;
}

int gg__parse_place(gg__parser *p, gpucontext **ctx) {
  ga__strb key = GA_STRB_INIT;
  int err = GA_NO_ERROR;

  if (!gg__parse_skip(p, "in"))
    return GA_NO_ERROR;
  if (!gg__parse_is_name(&p->token))
    return gg__parse_expected(p, "the context's name");
  GA_CHECK(gg__parse_label_key(p, &p->token, &key));
  gpucontext *named = gg__label_named(p->labels, ga__strb_text(&key) + 1);
  if (named == NULL)
    GA_CHECK(gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "context '%s' is not declared above",
                            ga__strb_text(&key) + 1));
  *ctx = named;
  gg__parse_next(p);

done:
  ga__strb_clear(&key);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: one definition per line, in the order of creation. */
#include "base/file.h"
#include "text/printer.h"
#include "text/spec.h"

static void want_func(const gg__printer *p, const gg_func_spec *f) {
  for (size_t k = 0; k < GG_SPEC_NAMES; k++) {
    gg_var *const *list = gg__spec_get(f, k);
    for (size_t i = gg__spec_length(f, k); i-- > 0;)
      gg__print_want(p, list[i]);
  }
}

/* Mark rows and states of loops, and what is computed from them: these are
 * printed in the loop. */
static void mark_bodies(const gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    const gg_var *v = p->g->vars.v[id];
    const unsigned int n_in = v->owner != NULL ? v->owner->n_in : 0;
    p->told[id].is_body = v->is_body;
    if (v->index != 0)
      p->told[id].is_body = gg__told_of(p, v->owner->out[0])->is_body;
    for (unsigned int i = 0; v->index == 0 && i < n_in; i++)
      p->told[id].is_body |= gg__told_of(p, v->owner->in[i])->is_body;
  }
}

/* Give a line to what belongs in a file: the variables of functions, and those
 * with names or updates. */
static void want_graph(const gg__printer *p) {
  const gg_graph *g = p->g;

  mark_bodies(p);
  for (size_t i = 0; i < g->funcs.n; i++)
    want_func(p, g->funcs.v[i]);
  for (size_t id = 0; id < g->vars.n; id++) {
    const gg_var *v = g->vars.v[id];
    if ((v->name[0] != '\0' && !p->told[id].is_body) || v->update != NULL)
      gg__print_want(p, v);
    gg__print_want(p, v->update);
  }
}

static int print_all(gg__printer *p) {
  const gg_graph *g = p->g;

  want_graph(p);
  GA_TRY(gg__print_prepare(p));
  GA_TRY(gg__print_contexts(p));
  GA_TRY(gg__print_definitions(p));
  for (size_t id = 0; id < g->vars.n; id++)
    if (g->vars.v[id]->update != NULL)
      gg__print_default_update(p, g->vars.v[id]);
  for (size_t i = 0; i < g->funcs.n; i++)
    gg__print_func(p, g->funcs.v[i]);
  return p->out->err;
}

int gg__text_print(gg_graph *g, int flags, gg__blocks *blocks, ga__strb *out,
                   int *version) {
  gg__context_labels labels = {0};
  gg__printer p = {.root = g,
                   .labels = &labels,
                   .flags = flags,
                   .blocks = blocks,
                   .out = out,
                   .version = version};
  int err;

  *version = GG_VERSION_FIRST;
  GA_CHECK(gg__printer_init(&p, g));
  GA_CHECK(print_all(&p));

done:
  gg__printer_clear(&p);
  gg__labels_clear(&labels);
  /* Errors that are in the graph already stay. */
  return gg__fail_err(g, err);
}

int gg_graph_print(gg_graph *g, FILE *f, int flags) {
  ga__strb text = GA_STRB_INIT;
  int err, version;

  GA_TRY(gg_graph_status(g));
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_graph_print: the file is NULL");
  GA_CHECK(gg__text_print(g, flags, NULL, &text, &version));
  fwrite(ga__strb_text(&text), 1, text.n, f);
  err = ga__flushed(f, "the text");

done:
  ga__strb_clear(&text);
  return gg__fail_apart(g, err);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: contexts, each by a unique name. */
#include "text/lexer.h"
#include "text/printer.h"

#include <stdio.h>

/* The name of attempt `number`: first the registered one, if there is one,
 * then "context1", "context2", ... */
static void propose(gpucontext *ctx, unsigned int number, ga__strb *out) {
  ga__strb_reset(out);
  if (number != 0 || !gg__context_name(ctx, out))
    ga__strb_appendf(out, "context%u", number != 0 ? number : 1);
}

static const char *choose(const gg__printer *p, gpucontext *ctx) {
  const char *read = gg__label_of(&p->root->labels, ctx);
  ga__strb name = GA_STRB_INIT;
  const char *kept = NULL;
  unsigned int number = 0;

  if (read != NULL)
    return read;
  do
    propose(ctx, number++, &name);
  while (name.err == GA_NO_ERROR &&
         (gg__label_named(p->labels, ga__strb_text(&name)) != NULL ||
          gg__label_named(&p->root->labels, ga__strb_text(&name)) != NULL));
  if (name.err == GA_NO_ERROR)
    kept = ga__arena_strdup(&p->root->arena, ga__strb_text(&name));
  ga__strb_clear(&name);
  return kept;
}

static int declare(const gg__printer *p, gpucontext *ctx) {
  const char *name = choose(p, ctx);

  if (name == NULL || gg__label_add(p->labels, name, ctx) != GA_NO_ERROR)
    return ga__fail_nomem();
  ga__strb_append(p->out, "context ");
  gg__name_print(name, p->out);
  ga__strb_append(p->out, "\n");
  gg__print_needs(p, GG_VERSION_LOOPS);
  return GA_NO_ERROR;
}

int gg__print_contexts(const gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    gpucontext *ctx = p->g->vars.v[id]->type.ctx;
    if (p->told[id].needed && ctx != NULL && ctx != p->g->ctx &&
        gg__label_of(p->labels, ctx) == NULL)
      GA_TRY(declare(p, ctx));
  }
  return GA_NO_ERROR;
}

void gg__print_context(const gg__printer *p, const gpucontext *ctx) {
  const char *name =
      ctx != NULL && ctx != p->g->ctx ? gg__label_of(p->labels, ctx) : NULL;

  if (name == NULL)
    return;
  ga__strb_append(p->out, " in ");
  gg__name_print(name, p->out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Where variables were built.
 *
 * Each thread has a stack of sites. New nodes get the innermost one, or the
 * site of the node that they are made from. */
#include <gpugraph/site.h>
#include <string.h>

#include "graph/graph.h"

enum { MAX_DEPTH = 32 }; /* deeper sites are not stored */

static _Thread_local struct {
  gg__site at[MAX_DEPTH];
  unsigned int depth;
  unsigned int caller; /* depth of the outermost caller's site, 0: none */
} here;

void gg_site_enter(const char *file, int line) {
  if (here.depth < MAX_DEPTH)
    here.at[here.depth] = (gg__site){.file = file, .line = line};
  here.depth++;
}

void gg_site_enter_caller(const char *file, int line) {
  gg_site_enter(file, line);
  if (here.caller == 0 && here.depth <= MAX_DEPTH)
    here.caller = here.depth;
}

static void leave(void) {
  here.depth -= here.depth != 0;
  if (here.caller > here.depth)
    here.caller = 0;
}

gg_var *gg_site_leave(gg_var *v) {
  leave();
  return v;
}

int gg_site_leave_code(int code) {
  leave();
  return code;
}

static const gg__site *innermost(void) {
  static const gg__site nowhere;

  if (here.depth == 0)
    return &nowhere;
  if (here.caller != 0)
    return &here.at[here.caller - 1];
  return &here.at[here.depth < MAX_DEPTH ? here.depth - 1 : MAX_DEPTH - 1];
}

const gg__site *gg__site_now(const gg_graph *g) {
  return g->from.file != NULL ? &g->from : innermost();
}

gg__site gg__site_from(gg_graph *g, const gg_var *v) {
  const gg__site old = g->from;

  g->from = v->site;
  if (v->graph != g)
    g->from.parts = NULL;
  if (v->site.op == NULL && v->owner != NULL)
    g->from.op = v->owner->op;
  return old;
}

const gg_op *gg__made_from(const gg_var *v) {
  return v->owner != NULL && v->site.op != v->owner->op ? v->site.op : NULL;
}

/* The file name is copied only if it differs from the last one: most variables
 * are built in the same file as the one before them. */
int gg__site_keep(gg_graph *g, gg__site *out) {
  const gg__site *s = gg__site_now(g);

  out->line = s->line;
  if (g->from.op != NULL) {
    out->op = g->from.op;
    out->parts = g->from.parts;
  } else if (g->builder != NULL) {
    out->op = g->builder->op;
    out->parts = g->builder;
  }
  if (s->file == NULL)
    return 1;
  if (g->file == NULL || strcmp(g->file, s->file) != 0) {
    out->file = ga__arena_strdup(&g->arena, s->file);
    if (out->file == NULL)
      return 0;
    g->file = out->file;
  }
  out->file = g->file;
  return 1;
}

const char *gg_var_site(const gg_var *v, int *line) {
  if (line != NULL)
    *line = v != NULL ? v->site.line : 0;
  return v != NULL ? v->site.file : NULL;
}

void gg__site_append(ga__strb *b, const gg__site *s) {
  if (s->file != NULL)
    ga__strb_appendf(b, " (%s:%d)", s->file, s->line);
}

int gg__blame(int err, const gg_var *v) {
  ga__strb b = GA_STRB_INIT;

  if (err == GA_NO_ERROR || v->site.file == NULL)
    return err;
  ga__strb_append(&b, ga__err_text(err));
  gg__site_append(&b, &v->site);
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  return err;
}

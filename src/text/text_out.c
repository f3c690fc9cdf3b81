/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: one definition a line, in the order of creation.
 *
 * An unnamed variable that is used once stands where it is used, up to some
 * depth; constants of a few elements always do. The others have labels: their
 * name, or %1, %2, ... where there is none or another variable has it. */
#include <string.h>

#include "loop/ifelse.h"
#include "text/lexer.h"
#include "text/printer.h"

#define MOST_DEPTH 4  /* ops inside of ops */
#define MOST_INLINE 8 /* elements of a constant inside of an op */

/* --- what is needed --- */

void gg__print_want(const gg__printer *p, const gg_var *v) {
  if (v == NULL)
    return;
  gg__told_of(p, v)->needed = 1;
  gg__told_of(p, v)->is_own = 1;
}

static void want_list(const gg__printer *p, gg_var *const *list) {
  for (; list != NULL && *list != NULL; list++)
    gg__print_want(p, *list);
}

static void want_func(const gg__printer *p, const gg_func_spec *f) {
  want_list(p, f->inputs);
  want_list(p, f->outputs);
  want_list(p, f->no_default_updates);
  want_list(p, f->mutable_inputs);
  want_list(p, f->borrowed_outputs);
  want_list(p, f->strict_inputs);
  want_list(p, f->downcast_inputs);
  for (size_t i = 0; f->updates != NULL && f->updates[i].shared != NULL; i++) {
    gg__print_want(p, f->updates[i].shared);
    gg__print_want(p, f->updates[i].value);
  }
  for (size_t i = 0; f->givens != NULL && f->givens[i].var != NULL; i++) {
    gg__print_want(p, f->givens[i].var);
    gg__print_want(p, f->givens[i].by);
  }
}

/* Rows and states of loops, and what is computed from them, are in the text of
 * the loop. */
static void mark_bodies(const gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    const gg_var *v = p->g->vars.v[id];
    p->told[id].is_body = v->is_body;
    for (unsigned int i = 0; v->owner != NULL && i < v->owner->n_in; i++)
      p->told[id].is_body |= gg__told_of(p, v->owner->in[i])->is_body;
  }
}

/* What belongs in a file: functions, and variables with names or updates. */
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

static void use(const gg__printer *p, const gg_var *v) {
  gg__told_of(p, v)->needed = 1;
  gg__told_of(p, v)->uses++;
}

/* What stands between the brackets of a node. */
static void use_operands(const gg__printer *p, const gg_apply *a) {
  const unsigned int n = a->op == &gg__op_ifelse ? gg__inner_of(a)->n_out : 0;

  for (unsigned int i = 0; i < a->n_in; i++)
    use(p, a->in[i]);
  /* A value of both branches is written twice. */
  for (unsigned int i = 0; i < n; i++) {
    const gg_var *v = gg__ifelse_value(a, i);
    if (v->graph == p->g && gg__told_of(p, v)->uses == 1)
      for (unsigned int k = 0; k < i; k++)
        gg__told_of(p, v)->uses += gg__ifelse_value(a, k) == v;
  }
}

/* Ids are a topological order: users are seen before what they use. */
static void mark_needed(const gg__printer *p) {
  for (size_t id = p->g->vars.n; id-- > 0;) {
    const gg_apply *a = p->g->vars.v[id]->owner;
    if (!p->told[id].needed || a == NULL)
      continue;
    /* The first output stands for the node: count its operands once. */
    gg__told_of(p, a->out[0])->needed = 1;
    if (a->out[0]->id == id)
      use_operands(p, a);
  }
}

/* --- labels --- */

static unsigned int inner_depth(const gg__printer *p, const gg_apply *a) {
  unsigned int depth = 0;

  for (unsigned int i = 0; i < a->n_in; i++) {
    const gg__told *x = gg__told_of(p, a->in[i]);
    if (x->is_inner && x->depth > depth)
      depth = x->depth;
  }
  return depth + 1;
}

static int is_inner(const gg__printer *p, const gg_var *v) {
  const gg__told *x = gg__told_of(p, v);

  if (x->is_own)
    return 0;
  if (v->kind == GG_VAR_CONST)
    return gg__type_size(&v->type) <= MOST_INLINE;
  return v->kind == GG_VAR_COMPUTED && x->uses == 1 && v->owner->n_out == 1 &&
         x->depth <= MOST_DEPTH;
}

static int choose_label(gg__printer *p, gg_var *v) {
  const size_t n = strlen(v->name);
  gg__told *x = gg__told_of(p, v);

  if (n != 0 && ga__map_get(&p->names, v->name, n) == NULL) {
    x->by_name = 1;
    return ga__map_put(&p->names, v->name, n, v);
  }
  x->label = ++p->n_labels;
  return GA_NO_ERROR;
}

static int choose_labels(gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    gg_var *v = p->g->vars.v[id];
    gg__told *x = &p->told[id];
    if (!x->needed)
      continue;
    if (v->owner != NULL)
      x->depth = inner_depth(p, v->owner);
    x->is_inner = (unsigned char)is_inner(p, v);
    /* Outputs that nothing needs are "_". */
    if (!x->is_inner && (x->is_own || x->uses != 0))
      GA_TRY(choose_label(p, v));
  }
  return GA_NO_ERROR;
}

/* --- lines --- */

void gg__print_label(const gg__printer *p, const gg_var *v) {
  if (gg__told_of(p, v)->by_name)
    gg__name_print(v->name, p->out);
  else
    ga__strb_appendf(p->out, "%%%u", gg__told_of(p, v)->label);
}

void gg__print_labels(const gg__printer *p, size_t n, gg_var *const *list) {
  ga__strb_append(p->out, "(");
  for (size_t i = 0; i < n; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    gg__print_label(p, list[i]);
  }
  ga__strb_append(p->out, ")");
}

void gg__print_target(const gg__printer *p, const gg_var *v) {
  const gg__told *x = gg__told_of(p, v);

  if (!x->by_name && x->label == 0) {
    ga__strb_append(p->out, "_");
    return;
  }
  gg__print_label(p, v);
  if (x->by_name || v->name[0] == '\0')
    return;
  ga__strb_append(p->out, " ");
  gg__name_print(v->name, p->out);
}

void gg__print_indent(const gg__printer *p) {
  for (unsigned int i = 0; i < p->depth; i++)
    ga__strb_append(p->out, "  ");
}

static int print_definition(const gg__printer *p, const gg_var *v) {
  const unsigned int n_out = v->owner != NULL ? v->owner->n_out : 1;

  gg__print_indent(p);
  gg__print_target(p, v);
  for (unsigned int i = 1; i < n_out; i++) {
    ga__strb_append(p->out, ", ");
    gg__print_target(p, v->owner->out[i]);
  }
  ga__strb_append(p->out, " = ");
  GA_TRY(gg__print_value(p, v));
  ga__strb_append(p->out, "\n");
  return GA_NO_ERROR;
}

int gg__print_prepare(gg__printer *p) {
  mark_needed(p);
  return choose_labels(p);
}

int gg__print_definitions(const gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    const gg_var *v = p->g->vars.v[id];
    if (p->told[id].needed && !p->told[id].is_inner && v->index == 0 &&
        (p->depth == 0 || v->kind != GG_VAR_INPUT))
      GA_TRY(print_definition(p, v));
  }
  return GA_NO_ERROR;
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

int gg__printer_init(gg__printer *p, gg_graph *g) {
  p->g = g;
  p->told = ga__calloc(g->vars.n, sizeof *p->told);
  return p->told != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void gg__printer_clear(gg__printer *p) {
  ga__map_clear(&p->names);
  ga__free(p->told);
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

  *version = 1;
  GA_CHECK(gg__printer_init(&p, g));
  GA_CHECK(print_all(&p));

done:
  gg__printer_clear(&p);
  ga__vec_clear(&labels);
  /* What failed before kept its own message. */
  return err == GA_NO_ERROR ? err : gg__fail(g, err, "%s", ga__err_text(err));
}

int gg_graph_print(gg_graph *g, FILE *f, int flags) {
  ga__strb text = GA_STRB_INIT;
  int err, version;

  GA_CHECK(gg_graph_status(g));
  GA_CHECK(gg__text_print(g, flags, NULL, &text, &version));
  if (fwrite(ga__strb_text(&text), 1, text.n, f) != text.n || fflush(f) != 0)
    err = gg__fail(g, GA_SYS_ERROR, "the text cannot be written");

done:
  ga__strb_clear(&text);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which variables a text defines, and their labels.
 *
 * An unnamed variable that is used once is printed where it is used, up to some
 * depth; so are constants of a few elements, however often they are used. All
 * others have labels: their name, or %1, %2, ... if they have none or another
 * variable has it. */
#include "text/printer.h"

#include <string.h>

#include "loop/ifelse.h"
#include "loop/loop.h"
#include "text/lexer.h"

#define MOST_DEPTH 4  /* of nested ops */
#define MOST_INLINE 8 /* elements of a constant that is printed as an operand */

int gg__printer_init(gg__printer *p, gg_graph *g) {
  p->g = g;
  p->told = ga__calloc(g->vars.n, sizeof *p->told);
  return p->told != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void gg__printer_clear(gg__printer *p) {
  ga__map_clear(&p->names);
  ga__free(p->told);
}

/* --- needed variables --- */

void gg__print_want(const gg__printer *p, const gg_var *v) {
  if (v == NULL)
    return;
  gg__told_of(p, v)->needed = 1;
  gg__told_of(p, v)->is_own = 1;
}

static void use(const gg__printer *p, const gg_var *v) {
  gg__told_of(p, v)->needed = 1;
  gg__told_of(p, v)->uses++;
}

/* Count the operands of a node that are printed. A value of both branches of a
 * choice is printed twice. */
static void use_operands(const gg__printer *p, const gg_apply *a) {
  const int is_choice = a->op == &gg__op_ifelse;
  const unsigned int n = is_choice ? gg__inner_of(a)->n_out : 0;

  for (unsigned int i = 0; i < (is_choice ? 1 : a->n_in); i++)
    use(p, a->in[i]);
  for (unsigned int i = 0; i < n; i++) {
    const gg_var *v = gg__ifelse_value(a, i);
    if (v->graph == p->g)
      use(p, v);
  }
}

/* Ids are a topological order: users are seen before what they use. */
static void mark_needed(const gg__printer *p) {
  for (size_t id = p->g->vars.n; id-- > 0;) {
    const gg_apply *a = p->g->vars.v[id]->owner;
    if (!p->told[id].needed || a == NULL)
      continue;
    /* The operands of a node are counted once, at its first output. */
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
         v->owner->op != &gg__op_scan && x->depth <= MOST_DEPTH;
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
    if (v->owner != NULL && v->owner->n_out == 1)
      x->depth = inner_depth(p, v->owner);
    x->is_inner = (unsigned char)is_inner(p, v);
    /* Outputs that nothing needs are "_". */
    if (!x->is_inner && (x->is_own || x->uses != 0))
      GA_TRY(choose_label(p, v));
  }
  return GA_NO_ERROR;
}

int gg__print_prepare(gg__printer *p) {
  mark_needed(p);
  return choose_labels(p);
}

/* --- lines --- */

void gg__print_label(const gg__printer *p, const gg_var *v) {
  GA_ASSERT(gg__told_of(p, v)->by_name || gg__told_of(p, v)->label != 0);
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

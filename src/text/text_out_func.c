/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: functions and default updates. */
#include "text/lexer.h"
#include "text/printer.h"

static void print_list(const gg__printer *p, gg_var *const *list) {
  gg__print_labels(p, gg__list_length(list), list);
}

static void print_pair(const gg__printer *p, const gg_var *a, const gg_var *b) {
  gg__print_label(p, a);
  ga__strb_append(p->out, " = ");
  gg__print_label(p, b);
}

static void print_updates(const gg__printer *p, const gg_update *u) {
  for (size_t i = 0; u[i].shared != NULL; i++) {
    ga__strb_append(p->out, i == 0 ? " update (" : ", ");
    print_pair(p, u[i].shared, u[i].value);
  }
  ga__strb_append(p->out, u[0].shared != NULL ? ")" : "");
}

static void print_givens(const gg__printer *p, const gg_given *u) {
  for (size_t i = 0; u[i].var != NULL; i++) {
    ga__strb_append(p->out, i == 0 ? " given (" : ", ");
    print_pair(p, u[i].var, u[i].by);
  }
  ga__strb_append(p->out, u[0].var != NULL ? ")" : "");
}

static void print_clause(const gg__printer *p, const char *clause,
                         gg_var *const *list) {
  if (list[0] == NULL)
    return;
  ga__strb_append(p->out, clause);
  print_list(p, list);
}

static void print_names(const gg__printer *p, const char *clause,
                        const char *const *names) {
  for (size_t i = 0; names[i] != NULL; i++) {
    ga__strb_appendf(p->out, i == 0 ? " %s (" : ", ", clause);
    gg__name_print(names[i], p->out);
  }
  ga__strb_append(p->out, names[0] != NULL ? ")" : "");
}

static const char *mode_name(gg_mode mode) {
  switch (mode) {
  case GG_FAST_COMPILE:
    return "fast_compile";
  case GG_NO_REWRITE:
    return "no_rewrite";
  case GG_DEBUG:
    return "debug";
  default:
    return "fast_run";
  }
}

/* The lists of a kept spec all exist. */
void gg__print_func(const gg__printer *p, const gg_func_spec *f) {
  ga__strb_append(p->out, "function ");
  gg__name_print(f->name, p->out);
  print_list(p, f->inputs);
  ga__strb_append(p->out, " -> ");
  print_list(p, f->outputs);
  print_updates(p, f->updates);
  print_givens(p, f->givens);
  print_clause(p, " no_update ", f->no_default_updates);
  print_clause(p, " mutable ", f->mutable_inputs);
  print_clause(p, " borrow ", f->borrowed_outputs);
  print_clause(p, " strict ", f->strict_inputs);
  print_clause(p, " downcast ", f->downcast_inputs);
  if (f->mode != GG_FAST_RUN)
    ga__strb_appendf(p->out, " mode %s", mode_name(f->mode));
  print_names(p, "include", f->include);
  print_names(p, "exclude", f->exclude);
  if (f->max_passes != 0)
    ga__strb_appendf(p->out, " max_passes %u", f->max_passes);
  if (f->flags != 0)
    ga__strb_appendf(p->out, " flags %d", f->flags);
  ga__strb_append(p->out, "\n");
}

void gg__print_default_update(const gg__printer *p, const gg_var *v) {
  ga__strb_append(p->out, "update ");
  print_pair(p, v, v->update);
  ga__strb_append(p->out, "\n");
}

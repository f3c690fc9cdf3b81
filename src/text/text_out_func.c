/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: functions and default updates. */
#include "text/lexer.h"
#include "text/printer.h"
#include "text/spec.h"

static void print_pair(const gg__printer *p, gg_var *const *pair) {
  gg__print_label(p, pair[0]);
  ga__strb_append(p->out, " = ");
  gg__print_label(p, pair[1]);
}

/* "(" member {"," member} ")" of list k. */
static void print_list(const gg__printer *p, const gg_func_spec *f, size_t k) {
  const size_t n = gg__spec_length(f, k), width = gg__spec_lists[k].width;
  const char *const *names = gg__spec_get(f, k);
  gg_var *const *vars = gg__spec_get(f, k);

  ga__strb_append(p->out, "(");
  for (size_t i = 0; i < n; i += width) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    if (k >= GG_SPEC_NAMES)
      gg__name_print(names[i], p->out);
    else if (width == 2)
      print_pair(p, vars + i);
    else
      gg__print_label(p, vars[i]);
  }
  ga__strb_append(p->out, ")");
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

/* Inputs and outputs are printed even if empty, other lists are not. */
void gg__print_func(const gg__printer *p, const gg_func_spec *f) {
  ga__strb_append(p->out, "function ");
  gg__name_print(f->name, p->out);
  for (size_t k = 0; k < GG_SPEC_LISTS; k++) {
    if (k == GG_SPEC_NAMES && f->mode != GG_FAST_RUN)
      ga__strb_appendf(p->out, " mode %s", mode_name(f->mode));
    if (k > GG_SPEC_OUTPUTS && gg__spec_length(f, k) == 0)
      continue;
    if (k != GG_SPEC_INPUTS)
      ga__strb_appendf(p->out, " %s ", gg__spec_lists[k].clause);
    print_list(p, f, k);
  }
  if (f->max_passes != 0)
    ga__strb_appendf(p->out, " max_passes %u", f->max_passes);
  if (f->flags != 0)
    ga__strb_appendf(p->out, " flags %d", f->flags);
  ga__strb_append(p->out, "\n");
}

void gg__print_default_update(const gg__printer *p, const gg_var *v) {
  ga__strb_append(p->out, "update ");
  print_pair(p, (gg_var *[]){(gg_var *)v, v->update});
  ga__strb_append(p->out, "\n");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions as text: the list of their steps.
 *
 *   1  dot            x, w         -> v9 float32[?]
 *   2  map{add, ...}  v9, y        -> v12 float32[?] = output 0, v14 float32[?]
 *   3  gemv           w, v12, v14  -> v15 float32[?] = new w (in place) */
#include <gpugraph/report.h>
#include <string.h>

#include "base/file.h"
#include "func/func.h"
#include "report/write.h"

enum { TYPE_TEXT = 160 };

static void put_value(FILE *out, const gg__program *p, unsigned int v) {
  const gg_var *var = p->values.v[v].var;

  if (var->name[0] != '\0')
    fputs(var->name, out);
  else
    fprintf(out, "v%u", v);
}

static void put_typed(FILE *out, const gg__program *p, unsigned int v) {
  char text[TYPE_TEXT];

  put_value(out, p, v);
  fprintf(out, " %s",
          gg_type_text(&p->values.v[v].var->type, text, sizeof text));
}

static void put_inputs(FILE *out, const gg__program *p, const gg__step *s) {
  for (unsigned int i = 0; i < s->n_reads; i++) {
    fputs(i != 0 ? ", " : "  ", out);
    put_value(out, p, s->reads[i]);
  }
}

/* Write an output of a step. If the step writes a result to its final memory,
 * name the result. */
static void put_output(FILE *out, const gg__program *p, unsigned int v) {
  put_typed(out, p, v);
  for (size_t k = 0; k < p->results.n; k++) {
    const gg__result *r = &p->results.v[k];
    if (r->value != v || !r->direct)
      continue;
    if (r->shared == GG_NONE)
      fprintf(out, " = output %zu", k);
    else
      fprintf(out, " = new %s%s", p->shared.v[r->shared].var->name,
              r->in_place ? " (in place)" : "");
  }
}

static void put_outputs(FILE *out, const gg__program *p, const gg__step *s) {
  if (s->n_writes != 0 || s->result != GG_NONE)
    fputs(" -> ", out);
  for (unsigned int i = 0; i < s->n_writes; i++) {
    fputs(i != 0 ? ", " : "", out);
    put_output(out, p, s->writes[i]);
  }
  if (s->result == GG_NONE)
    return;
  const gg__result *r = &p->results.v[s->result];
  if (r->shared == GG_NONE)
    fprintf(out, "output %u", s->result);
  else
    fprintf(out, "new %s", p->shared.v[r->shared].var->name);
}

int gg_func_print(const gg_func *f, FILE *out) {
  if (f == NULL || out == NULL)
    return gg__nothing_to_write("gg_func_print", f);
  const gg__program *p = &f->unit.program;
  size_t width = 0;

  for (size_t k = 0; k < f->stages.n; k++)
    GA_TRY(gg_func_print(f->stages.v[k].f, out));
  for (size_t k = 0; k < p->steps.n; k++)
    if (strlen(p->steps.v[k]->label) > width)
      width = strlen(p->steps.v[k]->label);
  width = width < 40 ? width : 40;
  fprintf(out, "%s: %zu inputs, %zu outputs, %zu updates\n", f->options.name,
          p->arguments.n, p->n_outputs, p->results.n - p->n_outputs);
  for (size_t k = 0; k < p->steps.n; k++) {
    const gg__step *s = p->steps.v[k];
    if (s->shown == 0)
      fputs("  -", out);
    else
      fprintf(out, "%3u", s->shown);
    fprintf(out, "  %-*s", (int)width, s->label);
    put_inputs(out, p, s);
    put_outputs(out, p, s);
    if (p->contexts.n > 1)
      fprintf(out, "  on %s", p->contexts.v[s->context].name);
    fputc('\n', out);
  }
  return ga__flushed(out, "the steps");
}

int gg_func_print_rewrites(const gg_func *f, FILE *out) {
  if (f == NULL || out == NULL)
    return gg__nothing_to_write("gg_func_print_rewrites", f);
  for (size_t k = 0; k < f->fired.n; k++)
    if (f->fired.v[k].count != 0)
      fprintf(out, "%6u  %s\n", f->fired.v[k].count, f->fired.v[k].rule);
  return ga__flushed(out, "the rewrites");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in the maps and posts of a row program's phases. */
#include "codegen/gen_rows_uses.h"

#include <ctype.h>
#include <string.h>

static int is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

int ga__rows_mentions(const char *text, const char *name) {
  const size_t n = strlen(name);
  const char *at = text;

  while (at != NULL && (at = strstr(at, name)) != NULL) {
    if ((at == text || !is_name_char(at[-1])) && !is_name_char(at[n]))
      return 1;
    at += n;
  }
  return 0;
}

unsigned int ga__rows_map_phase(const GpuRowsSpec *s, const char *name) {
  unsigned int p = 0;

  while (p < s->n_phases && !ga__rows_mentions(s->phases[p].map, name))
    p++;
  return p;
}

unsigned int ga__rows_post_phase(const GpuRowsSpec *s, const char *name) {
  unsigned int p = 0;

  while (p < s->n_phases && !ga__rows_mentions(s->phases[p].post, name))
    p++;
  return p;
}

int ga__rows_is_held(const GpuRowsSpec *s, unsigned int arg) {
  unsigned int users = 0;

  if (ga__arg_is_value(&s->args[arg]) || (s->args[arg].flags & GE_WRITE))
    return 0;
  for (unsigned int p = 0; p < s->n_phases; p++)
    users +=
        (unsigned int)ga__rows_mentions(s->phases[p].map, s->args[arg].name);
  return users > 1;
}

int ga__rows_state(const ga__gen_rows *g, unsigned int k) {
  const GpuRowsSpec *s = g->spec;
  const gpuelemwise_arg *a =
      k < s->n_args ? &s->args[k] : &s->row_args[k - s->n_args];

  return g->moves == NULL || (a->flags & (GE_WRITE | GE_SCALAR)) != 0
             ? -1
             : g->moves[k].state;
}

int ga__rows_hears(const ga__gen_rows *g, unsigned int k) {
  return ga__rows_state(g, k) >= 0 && g->shape.team > 1;
}

int ga__rows_unites(const ga__gen_rows *g) {
  return g->shape.along && g->shape.unit > 1;
}

int ga__rows_is_value(const ga__gen_rows *g, unsigned int i) {
  return ga__arg_is_value(&g->spec->args[i]) ||
         (g->shape.along && g->fixed[i] &&
          !(g->spec->args[i].flags & GE_WRITE));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps by layer. */
#include "report/step_layers.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

/* Bytes of the group's name within a parameter's; 0 for other variables. */
static size_t group_bytes(const gg_var *v) {
  const char *dot = v->kind == GG_VAR_SHARED ? strrchr(v->name, '.') : NULL;

  return dot != NULL ? (size_t)(dot - v->name) : 0;
}

/* Of several layers, it is the one with the shortest name: what optimisers
 * remember is named after the parameter. */
void gg__find_layer(const gg__program *p, const gg__step *s, char *text) {
  size_t least = GG_LAYER_TEXT;

  text[0] = '\0';
  for (unsigned int i = 0; i < s->n_reads && s->shown != 0; i++) {
    const gg_var *v = p->values.v[gg__source_value(p, s->reads[i])].var;
    const size_t n = group_bytes(v);
    if (n == 0 || n >= least)
      continue;
    memcpy(text, v->name, n);
    text[n] = '\0';
    least = n;
  }
}

/* The start before step k whose layer has this name; k if there is none. */
static size_t find_start(const gg__program *p, const size_t *starts, size_t k,
                         const char *layer) {
  char other[GG_LAYER_TEXT];

  for (size_t i = 0; i < k; i++) {
    if (starts[i] != i)
      continue;
    gg__find_layer(p, p->steps.v[i], other);
    if (strcmp(layer, other) == 0)
      return i;
  }
  return k;
}

int gg__layer_starts(const gg__program *p, size_t **starts) {
  size_t *v = ga__calloc(p->steps.n, sizeof *v);
  char layer[GG_LAYER_TEXT];

  *starts = v;
  if (v == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->steps.n; k++) {
    gg__find_layer(p, p->steps.v[k], layer);
    if (layer[0] != '\0')
      v[k] = find_start(p, v, k, layer);
    else
      v[k] = k != 0 ? v[k - 1] : GG_NO_LAYER;
  }
  return GA_NO_ERROR;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph/context_label.h"

#include <string.h>

const gg__context_label *gg__label_named(const gg__context_labels *l,
                                         const char *name) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->v[i].name, name) == 0)
      return &l->v[i];
  return NULL;
}

const gg__context_label *gg__label_of(const gg__context_labels *l,
                                      const gpucontext *ctx) {
  for (size_t i = 0; i < l->n; i++)
    if (l->v[i].ctx == ctx)
      return &l->v[i];
  return NULL;
}

int gg__label_add(gg__context_labels *l, const char *name, gpucontext *ctx) {
  const gg__context_label x = {name, ctx};

  return ga__vec_push(l, x);
}

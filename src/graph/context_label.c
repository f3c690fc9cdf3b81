/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph/context_label.h"

#include <string.h>

gpucontext *gg__label_named(const gg__context_labels *l, const char *name) {
  return ga__map_get(&l->contexts, name, strlen(name));
}

const char *gg__label_of(const gg__context_labels *l, const gpucontext *ctx) {
  return ga__map_get(&l->first, &ctx, sizeof ctx);
}

int gg__label_add(gg__context_labels *l, const char *name, gpucontext *ctx) {
  if (gg__label_of(l, ctx) == NULL)
    GA_TRY(ga__map_put(&l->first, &ctx, sizeof ctx, (void *)name));
  GA_TRY(ga__map_put(&l->contexts, name, strlen(name), ctx));
  return ga__vec_push(&l->names, name);
}

void gg__labels_clear(gg__context_labels *l) {
  ga__vec_clear(&l->names);
  ga__map_clear(&l->contexts);
  ga__map_clear(&l->first);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of contexts in files and texts. */
#ifndef GRAPH_CONTEXT_LABEL_H
#define GRAPH_CONTEXT_LABEL_H

#include "base/map.h"
#include "base/strb.h"
#include "base/vec.h"

#include <gpuarray/buffer.h>

/* Each name has one context; a context may have several names, of which the
 * first is printed. */
typedef struct gg__context_labels {
  GA_VEC(const char *) names; /* in the order of adding; borrowed */
  ga__map contexts;           /* by name */
  ga__map first;              /* name by context */
} gg__context_labels;

/* The context of this name, or NULL. */
gpucontext *gg__label_named(const gg__context_labels *l, const char *name);
/* The name of this context, or NULL. */
const char *gg__label_of(const gg__context_labels *l, const gpucontext *ctx);
/* Add a name that is not in the list yet. `name` is borrowed. */
int gg__label_add(gg__context_labels *l, const char *name, gpucontext *ctx);
void gg__labels_clear(gg__context_labels *l);
/* Append the registered name of a context (gg_context_register); 0 if it has
 * none. */
int gg__context_name(gpucontext *ctx, ga__strb *out);

#endif

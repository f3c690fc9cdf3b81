/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of contexts in files and texts. */
#ifndef GRAPH_CONTEXT_LABEL_H
#define GRAPH_CONTEXT_LABEL_H

#include "base/strb.h"
#include "base/vec.h"

#include <gpuarray/buffer.h>

typedef struct gg__context_label {
  const char *name;
  gpucontext *ctx;
} gg__context_label;

/* All names are different. */
typedef GA_VEC(gg__context_label) gg__context_labels;

/* The first one with this name, or for this context; NULL if there is none. */
const gg__context_label *gg__label_named(const gg__context_labels *l,
                                         const char *name);
const gg__context_label *gg__label_of(const gg__context_labels *l,
                                      const gpucontext *ctx);
/* Borrows the name. */
int gg__label_add(gg__context_labels *l, const char *name, gpucontext *ctx);
/* Append the name that the process has for a context; 0 if it has none. */
int gg__context_name(gpucontext *ctx, ga__strb *out);

#endif

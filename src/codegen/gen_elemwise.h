/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of elementwise kernels: macros in front of cl/elemwise*.cl. */
#ifndef CODEGEN_GEN_ELEMWISE_H
#define CODEGEN_GEN_ELEMWISE_H

#include "base/strb.h"
#include "codegen/gen_expr.h"
#include "layout/elemwise.h"

/* The parts of a kernel's source, in order. Templates and the preamble are
 * borrowed. */
typedef struct ga__ew_text {
  const char *parts[32];
  unsigned int n;
  const char *entry;
  ga__strb macros; /* owned */
} ga__ew_text;

/* Write the source for layout `p`. The kernel's arguments are, in this order:
 * for each argument, an array's buffer and offset in bytes (ulong), or a
 * scalar's value as it is stored; then p->sizes, unless they are baked, as long
 * if p->is_wide, else int. `preamble` may be NULL. The caller clears `t`, also
 * after a failure. */
int ga__gen_elemwise(ga__ew_text *t, const ga__elemwise_layout *p,
                     const gpuelemwise_arg *args, const ga__expr *e,
                     const char *preamble);
void ga__ew_text_clear(ga__ew_text *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the layout of an elementwise kernel. */
#ifndef LAYOUT_ELEMWISE_LAYOUT_H
#define LAYOUT_ELEMWISE_LAYOUT_H

#include "layout/elemwise.h"

/* Lay out the space `it`, which has at least one element, and sort its
 * dimensions. `offsets` are those of the arrays, in bytes, and 0 for other
 * arguments. With `merge` dimensions may be joined. Clear in any case, also
 * after a failure. */
int ga__elemwise_layout_make(ga__elemwise_layout *p, ga__iter *it,
                             const gpuelemwise_arg *args, const size_t *offsets,
                             const ga__expr *e, const ga__target *t, int merge);
void ga__elemwise_layout_clear(ga__elemwise_layout *p);

#endif

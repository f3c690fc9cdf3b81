/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the layout of an elementwise kernel. */
#ifndef LAYOUT_ELEMWISE_LAYOUT_H
#define LAYOUT_ELEMWISE_LAYOUT_H

#include "layout/elemwise.h"

/* Lay the space `it`, with at least one element, over the device. `it` is put
 * in order; `offsets` are where the arrays start, in bytes; `merge` allows to
 * join dimensions. Clear in any case. */
int ga__elemwise_layout_make(ga__elemwise_layout *p, ga__iter *it,
                             const gpuelemwise_arg *args, const size_t *offsets,
                             const ga__expr *e, const ga__target *t, int merge);
void ga__elemwise_layout_clear(ga__elemwise_layout *p);

#endif

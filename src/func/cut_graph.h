/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program is cut because sizes follow from data. */
#ifndef FUNC_CUT_GRAPH_H
#define FUNC_CUT_GRAPH_H

#include "rewrite/compiling.h"

/* Variables of b->g that a stage before the rest must compute: the scalars that
 * the host needs to know before it plans the rest, and the arrays that both
 * need. Empty if the host knows all sizes, or finds an error in them later. The
 * caller clears the list. */
typedef GA_VEC(gg_var *) gg__cut;
int gg__cut_find(gg__cut *out, gg__build *b);

#endif

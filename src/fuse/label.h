/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of the labels of steps. */
#ifndef FUSE_LABEL_H
#define FUSE_LABEL_H

#include "fuse/step.h"

/* "{add, mul}": the ops of a body, each once, in the order of first use. */
void gg__label_body(ga__strb *b, const gg__body *body);
/* "dot", "sum axis 0": a single node. */
void gg__label_node(ga__strb *b, const gg_apply *a);
/* " then {add}", or nothing. */
void gg__label_then(ga__strb *b, const gg__body *body);
/* "rows{max, sub, exp, sum, div}": maps by their ops, each once; every
 * reduction by its name. */
void gg__label_rows(ga__strb *b, const gg__rows_step *r);

#endif

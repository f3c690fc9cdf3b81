/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of elementwise nodes as a part of a source. */
#ifndef OPS_CODE_TEXT_H
#define OPS_CODE_TEXT_H

#include <gpugraph/op.h>

#include "base/strb.h"

/* Append an element of a constant of this dtype, cast to its work type. */
void gg__literal_append(ga__strb *b, int dtype, const void *data);

/* Append the node's code. `operand` appends the name of an operand. */
void gg__code_append(ga__strb *b, const gg_apply *a,
                     void (*operand)(void *arg, const gg_apply *a,
                                     unsigned int i),
                     void *arg);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Source that converts a value from one dtype to another, in the types that
 * expressions compute with. */
#ifndef CODEGEN_GEN_CAST_H
#define CODEGEN_GEN_CAST_H

#include "base/strb.h"

/* Append "to = from" with a conversion between two dtypes. A complex number
 * that becomes real loses its imaginary part; as a bool it is true if either
 * part is not 0. Bools are 0 or 1 in scalar source. Numbers are rounded only
 * once to become narrow floats. */
void ga__gen_cast(ga__strb *b, const char *to, int to_type, const char *from,
                  int from_type);

/* Nonzero if that source is right for vectors, too. */
int ga__gen_cast_is_vector(int to_type, int from_type);

#endif

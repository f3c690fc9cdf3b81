/* SPDX-License-Identifier: BSD-2-Clause */
/* The text that turns a value of one dtype into one of another, in the types
 * that expressions work with. */
#ifndef CODEGEN_GEN_CAST_H
#define CODEGEN_GEN_CAST_H

#include "base/strb.h"

/* Append "to = from", converted between two dtypes. A complex number that
 * becomes real loses its imaginary part, but is true if it has any part. Bools
 * are 0 or 1 in scalar text. Doubles become halfs with one rounding. */
void ga__gen_cast(ga__strb *b, const char *to, int to_type, const char *from,
                  int from_type);

/* Whether that text serves vectors as well. */
int ga__gen_cast_is_vector(int to_type, int from_type);

#endif

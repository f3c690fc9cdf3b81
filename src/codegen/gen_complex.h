/* SPDX-License-Identifier: BSD-2-Clause */
/* The text in front of the templates of complex products: the *_complex*.cl of
 * cl/. Each template's head says what its macros mean. */
#ifndef CODEGEN_GEN_COMPLEX_H
#define CODEGEN_GEN_COMPLEX_H

#include <stddef.h>

#include "base/strb.h"

typedef struct ga__macro {
  const char *name;
  unsigned int value;
} ga__macro;

/* What cl/complex_pairs.cl asks for, with numbers of a complex dtype in pairs
 * of `lanes` lanes, which are 4, 8 or 16; and the n macros. */
void ga__gen_complex(ga__strb *b, int typecode, unsigned int lanes, size_t n,
                     const ga__macro *macros);

#endif

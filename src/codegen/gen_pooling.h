/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/pooling.cl and cl/pooling_row.cl. */
#ifndef CODEGEN_GEN_POOLING_H
#define CODEGEN_GEN_POOLING_H

#include "base/strb.h"
#include "codegen/gen_pooling_form.h"

/* What a unit consists of, the fastest digit first. */
typedef enum ga__pool_digit {
  GA_DIGIT_VECTOR, /* a vector of channels */
  GA_DIGIT_STRIP,  /* a strip of the last axis */
  GA_DIGIT_BLOCK0, /* a block of axis d */
  GA_DIGIT_BLOCK1,
  GA_DIGIT_AXIS0, /* an element of axis d */
  GA_DIGIT_AXIS1,
  GA_DIGIT_AXIS2,
  GA_DIGIT_BATCH0 /* an element of dimension d of the batch */
} ga__pool_digit;

enum { GA_POOLING_DIGITS = 2 + GA_POOLING_ND + GA_ITER_ND };

/* Set the digits, and return their count. */
int ga__gen_pooling_digits(const ga__gen_pooling *g, int *digits);

void ga__gen_pooling_write(ga__strb *b, const ga__gen_pooling *g,
                           const ga__gen_pooling_maps *m);

#endif

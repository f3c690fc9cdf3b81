/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/random_mrg.cl and of the kernels that make other
 * numbers out of random ones. Draws from Philox are arguments of elementwise
 * kernels (gen_elemwise.c). */
#ifndef CODEGEN_GEN_RANDOM_H
#define CODEGEN_GEN_RANDOM_H

#include <gpuarray/random.h>

#include "base/strb.h"

/* Append the macros for numbers of `typecode`, which must fit `what`, by
 * `lanes` substreams at a time. */
void ga__gen_random_mrg(ga__strb *b, ga_random what, int typecode,
                        unsigned int lanes);

/* Append the macros in front of cl/random_binomial.cl and the others that make
 * numbers of type `stored` out of uniform ones of type `real`. */
void ga__gen_random_sample(ga__strb *b, int real, int stored);

#endif

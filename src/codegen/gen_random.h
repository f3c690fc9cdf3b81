/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/random_mrg.cl, and of the kernels that compute
 * samples of other distributions from uniform ones. Random numbers of Philox
 * are arguments of elementwise kernels (gen_elemwise.c). */
#ifndef CODEGEN_GEN_RANDOM_H
#define CODEGEN_GEN_RANDOM_H

#include <gpuarray/random.h>

#include "base/strb.h"

/* Append the macros for random numbers of `typecode`, which must be a dtype for
 * `what`, from `lanes` substreams at a time. */
void ga__gen_random_mrg(ga__strb *b, ga_random what, int typecode,
                        unsigned int lanes);

/* Append the macros in front of cl/random_binomial.cl and its like, which
 * compute samples of dtype `stored` from uniform ones of dtype `real`. */
void ga__gen_random_sample(ga__strb *b, int real, int stored);

#endif

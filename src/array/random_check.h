/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of random numbers: of the calls that draw them, and of elementwise
 * kernels, which have them as arguments. */
#ifndef ARRAY_RANDOM_CHECK_H
#define ARRAY_RANDOM_CHECK_H

#include <gpuarray/random.h>

#include "base/err.h"

enum {
  GA_PHILOX_STATE = 2, /* seed, number of the next draw */
  GA_MRG_STATE = 6     /* numbers of a substream */
};

/* GA_VALUE_ERROR unless `state` is one of Philox; `name` is what messages call
 * it. */
int ga__random_check(const GpuArray *state, const char *name);
/* The same for MRG31k3p. */
int ga__random_check_mrg(const GpuArray *state, const char *name);
/* Whether a state looks like one of MRG31k3p. */
int ga__random_is_mrg(const GpuArray *state);

/* GA_VALUE_ERROR unless such numbers are drawn in this dtype. */
int ga__random_check_type(ga_random what, int typecode);
/* The same for an argument of an expression, with its name. */
int ga__random_check_arg(const gpuelemwise_arg *a);

#endif

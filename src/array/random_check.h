/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of random numbers, for calls that draw them and for elementwise
 * kernels that take them as arguments. */
#ifndef ARRAY_RANDOM_CHECK_H
#define ARRAY_RANDOM_CHECK_H

#include <gpuarray/random.h>

#include "base/err.h"

enum {
  GA_PHILOX_STATE = 2, /* seed, index of the next draw */
  GA_MRG_STATE = 6     /* integers of a substream */
};

/* Check that `state` is a Philox state: GA_VALUE_ERROR, or GA_UNALIGNED_ERROR.
 * `name` is what messages call it. */
int ga__random_check(const GpuArray *state, const char *name);
/* The same for MRG31k3p. */
int ga__random_check_mrg(const GpuArray *state, const char *name);
/* Whether a state has the dtype of MRG31k3p. */
int ga__random_is_mrg(const GpuArray *state);

/* GA_VALUE_ERROR unless these numbers can be drawn in this dtype. */
int ga__random_check_type(ga_random what, int typecode);
/* The same for a random argument of an expression. The message has its name. */
int ga__random_check_arg(const gpuelemwise_arg *a);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* An output of the step, a scalar, of each batch of an epoch: it stays on the
 * device until it is read. */
#ifndef NN_SCALARS_H
#define NN_SCALARS_H

#include <gpuarray/array.h>

#include "base/err.h"

typedef struct gg__scalars {
  size_t count;     /* batches */
  unsigned int out; /* which output of the step, for messages */
  GpuArray all, *each;
} gg__scalars;

/* Room for `count`, which the first batch gives a dtype. */
int gg__scalars_init(gg__scalars *s, size_t count, unsigned int out);
void gg__scalars_clear(gg__scalars *s); /* accepts a zeroed one */
/* The first call of the step has written number i: the others lie beside it.
 * GA_VALUE_ERROR if it is no real scalar. */
int gg__scalars_spread(gg__scalars *s, size_t i, int must_be_float);
/* Blocks until the value is there. */
int gg__scalars_read(const gg__scalars *s, size_t i, double *out);

#endif

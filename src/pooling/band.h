/* SPDX-License-Identifier: BSD-2-Clause */
/* Help for making bands. */
#ifndef POOLING_BAND_H
#define POOLING_BAND_H

#include <gpuarray/pooling.h>

#include "codegen/gen_pooling_form.h"

/* Sums of a few such sizes fit an int. */
#define GA_BAND_SIZE_MAX (INT_MAX / 4)

/* GA_VALUE_ERROR, with the name `what`, if `n` exceeds GA_BAND_SIZE_MAX. */
int ga__band_check_size(const char *what, size_t n);

/* GA_VALUE_ERROR unless all windows of a band lie in its source. */
int ga__band_check(const GpuBand *b);

/* Allocate the lists of `n` windows, all empty. Clear `b` in any case, also
 * after a failure. */
int ga__band_init(GpuBand *b, size_t from, size_t n);
/* Allocate weights, all 0, for the largest count, `most`. */
int ga__band_init_weights(GpuBand *b);

/* Set *block to blocks of about `size` windows, and return nonzero, if such
 * blocks are alike. */
int ga__band_block(ga__pool_block *block, const GpuBand *b, size_t size);

#endif

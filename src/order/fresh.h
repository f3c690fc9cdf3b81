/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that a call makes: they are written to before anything else, so their
 * structures must be those of no operand. */
#ifndef ORDER_FRESH_H
#define ORDER_FRESH_H

#include <gpuarray/array.h>

/* Check that the results, of which some may be NULL, are neither the structures
 * of operands nor of each other (GA_VALUE_ERROR), and make them empty. Before
 * that nothing is changed. */
int ga__fresh(unsigned int n, GpuArray *const *results, unsigned int n_operands,
              const GpuArray *const *operands);
/* The same for one result, which must not be NULL (GA_INVALID_ERROR). */
int ga__fresh_one(GpuArray *result, unsigned int n_operands,
                  const GpuArray *const *operands);

#endif

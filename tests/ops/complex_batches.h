/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of complex matrices for tests of ops. */
#ifndef OPS_COMPLEX_BATCHES_H
#define OPS_COMPLEX_BATCHES_H

#include "base/dtype.h"
#include "support/graph_case.h"

/* An input of three axes with these sizes. */
static inline gg_var *input(const char *name, int dtype, const size_t *sizes) {
  return gg_input_sized(
      g, name, dtype, 3,
      (int64_t[]){(int64_t)sizes[0], (int64_t)sizes[1], (int64_t)sizes[2]});
}

/* An array for it, with elements from -1 to 1. */
static inline void fill(GpuArray *to, int dtype, const size_t *sizes,
                        uint32_t seed) {
  double v[80];

  test_fill(v, ga__dtype_real(dtype), 2 * sizes[0] * sizes[1] * sizes[2], -1, 1,
            seed);
  test_array(to, dtype, 3, sizes, v);
}

/* The conjugate transpose of each matrix. */
static inline gg_var *adjoint(gg_var *x) {
  return gg_conj(gg_swapaxes(x, -1, -2));
}

#endif

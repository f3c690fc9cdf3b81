/* SPDX-License-Identifier: BSD-2-Clause */
/* What ops have in common whose elements are made of windows along the last
 * axes (gpuarray/pooling.h). */
#ifndef OPS_IMAGE_BANDED_H
#define OPS_IMAGE_BANDED_H

#include <gpuarray/pooling.h>
#include <gpugraph/op.h>

/* The windows of a node, one band for each of the last n axes. */
typedef struct gg__bands {
  unsigned int n;
  GpuBand band[GA_POOLING_ND];
} gg__bands;

void gg__bands_clear(gg__bands *b);
/* Replace band `d` by its transposed one. */
int gg__bands_turn(gg__bands *b, unsigned int d);

/* Compute in plain C, in double, from arrays in C order. `x` are the sizes of
 * the source, which has `nd` axes. `index` is read by GA_POOLING_PICK; `value`
 * and `place` are results, one of them NULL. */
typedef struct gg__bands_host {
  ga_pool_op op;
  int dtype;
  unsigned int nd;
  const size_t *x;
  const void *from;
  const int64_t *index;
  void *value;
  int64_t *place;
} gg__bands_host;

int gg__bands_compute(const gg__bands *b, const gg__bands_host *h);

#endif

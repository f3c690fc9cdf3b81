/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of products that are read through a window, as convolutions need.
 *
 * An index of a product's sum, and one of its columns, has four digits: a
 * channel (or an image) and three spatial ones. Element (p, j) of B lies at
 *
 *   channel of p * ps + channel of j * js + sum over d of position d * s[d],
 *   position d = digit d of j * jt[d] + digit d of p * pt[d] - pad[d]
 *
 * elements after the operand's start, or is 0 if a position d is not in
 * [0, x[d]). So products need no copy of B with its overlapping windows. */
#ifndef BLAS_WINDOW_H
#define BLAS_WINDOW_H

#include "ocl/ocl.h"

typedef struct ga__window {
  size_t p[4], j[4]; /* sizes of the digits of sums and columns, the first digit
                        outermost */
  int p_last, j_last; /* the channel is the last digit; 0: the first */
  ptrdiff_t ps, js;
  size_t x[3];
  ptrdiff_t s[3], pt[3], jt[3], pad[3];
  ptrdiff_t low, high; /* elements [low, high) may be read */
  ptrdiff_t c[4];      /* elements of C for each digit of a column */
} ga__window;

/* What lies next to each other in memory: LINE of cl/conv_cpu.cl. */
unsigned int ga__window_line(const ga__window *w);
/* Nonzero if its indices fit in 31 bits. */
int ga__window_is_small(const ga__window *w);
/* Add its arguments, the last ones before an epilogue's. */
void ga__window_args(GpuLaunch *l, const ga__window *w);

#endif

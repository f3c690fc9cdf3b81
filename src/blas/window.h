/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors B of products that are read through a window, as in convolutions.
 *
 * The index p of the sum and the index j of the column have four digits each: a
 * channel (or an image, or a filter) and three spatial ones. Element (p, j) of
 * B lies
 *
 *   channel of p * ps + channel of j * js + sum over d of position d * s[d]
 *
 * elements after the operand's start, where
 *
 *   position d = digit d of j * jt[d] + digit d of p * pt[d] - pad[d]
 *
 * It is 0 if a position d is not in [0, x[d]). So windows may overlap without a
 * copy of B. */
#ifndef BLAS_WINDOW_H
#define BLAS_WINDOW_H

#include "ocl/ocl.h"

typedef struct ga__window {
  size_t p[4], j[4]; /* sizes of the digits of sums and columns, the first digit
                        outermost; p may have zeros */
  int p_last, j_last; /* the channel is the last digit; 0: the first */
  ptrdiff_t ps, js;   /* elements of B for each channel digit */
  size_t x[3];        /* positions of B */
  /* Elements of B for each position; positions for each digit of p and of j,
   * and positions in front of B. */
  ptrdiff_t s[3], pt[3], jt[3], pad[3];
  ptrdiff_t low, high; /* elements [low, high) after the operand's start may be
                          read */
  ptrdiff_t c[4];      /* elements of C for each digit of columns */
  int is_even; /* columns are equally far apart in C and in the epilogue's
                  arguments: cs of each */
} ga__window;

/* What lies next to each other in memory: LINE and ALONG of cl/conv_cpu.cl. */
typedef struct ga__window_line {
  unsigned int step;
  int goes_along;
} ga__window_line;

/* The longer one of a line along the columns and one along the sum. The step is
 * 0 if that is too short. */
ga__window_line ga__window_find_line(const ga__window *w);
/* Nonzero if the indices of sums and columns fit in 31 bits. */
int ga__window_is_small(const ga__window *w);
/* Add the kernel arguments of a window. They follow all others except those of
 * an epilogue. */
void ga__window_args(GpuLaunch *l, const ga__window *w);

#endif

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
  /* If c_size[1] is not 0, the last two digits of columns have these sizes in
   * C, and only those below c_has exist there; j may have them as one digit.
   * Only for sums in parts on tensor cores. */
  size_t c_size[2], c_has[2];
  int is_even; /* columns are equally far apart in C and in the epilogue's
                  arguments: cs of each */
} ga__window;

/* Products in one launch that share everything except sums and columns. They
 * have only one window, whose sizes of digits and padding are the largest ones;
 * that of product `i` has those of v[i]. Columns are blocks of positions of C:
 * C has strides for single positions, and digit d of a column is at position
 * d * step + first. If `block` is more than 1, a column is that many positions
 * from d * step on, `first` is the same in all products, and all others of
 * these positions become zeros. Values are as wide as in kernels
 * (cl/conv_phases.cl). */
typedef struct ga__phase {
  int64_t a; /* elements of A before the first one */
  int64_t k, n, p[3], j[3], pad[3], first[3];
} ga__phase;

typedef struct ga__phases {
  struct {
    int64_t batch; /* of each product */
    int64_t step[3], block[3], size[3];
  } all;
  size_t n;
  size_t mean;  /* terms of a sum */
  ga__phase *v; /* of n, the longest sum first */
} ga__phases;

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

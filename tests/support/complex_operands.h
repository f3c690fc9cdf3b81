/* SPDX-License-Identifier: BSD-2-Clause */
/* C's complex numbers, and arrays of them: the operands of tests. */
#ifndef SUPPORT_COMPLEX_OPERANDS_H
#define SUPPORT_COMPLEX_OPERANDS_H

#include <complex.h>
#undef complex

#include <gpugraph/gpugraph.h>

#include "support/device.h"

#ifndef CMPLX /* some compilers lack it */
#define CMPLX(re, im) complex_of(re, im)
#endif

typedef double _Complex number;

enum { ROWS = 2, COLS = 3 };

/* Complex z [ROWS, COLS] and w [1, COLS], real r [ROWS, 1]: inputs of the graph
 * of graph_case.h, and their values. */
typedef struct operands {
  int dtype, part;
  gg_var *z, *w, *r;
  number z_at[ROWS * COLS], w_at[COLS];
  double r_at[ROWS];
  GpuArray arrays[3];
} operands;

void operands_init(operands *o, int dtype);
void operands_clear(operands *o);
/* The arrays, as arguments of a call. Valid until the next call. */
GpuArray *const *arguments(operands *o);

number complex_of(double re, double im);
/* The first n elements, at most 16 * ROWS * COLS bytes, of any dtype. */
void complex_read(const GpuArray *from, number *v, size_t n);
void assert_complex(const char *name, number got, number want,
                    double tolerance);

#endif

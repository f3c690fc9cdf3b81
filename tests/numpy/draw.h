/* SPDX-License-Identifier: BSD-2-Clause */
/* Random uses of builders, each with the NumPy expression that says what it
 * should give. A case draws its operands and builds a variable. */
#ifndef NUMPY_DRAW_H
#define NUMPY_DRAW_H

#include <gpugraph/gpugraph.h>

enum { MOST_OPERANDS = 4, MOST_ELEMENTS = 4096 };

/* Sets of dtypes. */
#define REALS 1u
#define INTEGERS 2u
#define BOOLS 4u
#define ANY (REALS | INTEGERS | BOOLS)
#define EMPTY 8u /* at times without elements */

typedef struct draw {
  uint64_t state;
  gpucontext *ctx;
  gg_graph *g;
  unsigned int n_in;
  gg_var *in[MOST_OPERANDS + 1]; /* up to NULL */
  GpuArray array[MOST_OPERANDS];
  size_t dims[MOST_OPERANDS][GG_MAX_ND];
  char expr[512]; /* x0, x1 ... are the operands; np is NumPy */
} draw;

typedef struct numpy_case {
  const char *name;
  gg_var *(*build)(draw *d); /* NULL: `map` of an operand of float32 or bool */
  gg_var *(*map)(gg_var *x);
  int is_exact;        /* floats, too, are to be the same */
  const char *formula; /* of the operand x as float64; the result is float32 */
} numpy_case;

typedef struct numpy_table {
  const numpy_case *cases;
  size_t n;
} numpy_table;

extern const numpy_table numpy_arrangements, numpy_complexes, numpy_dtypes,
    numpy_elements, numpy_gathers, numpy_indices, numpy_orders, numpy_products,
    numpy_reductions, numpy_selections, numpy_spectra, numpy_statistics;

/* A whole number in [lo, hi]. */
int64_t draw_int(draw *d, int64_t lo, int64_t hi);
/* An operand with values in [lo, hi): of any sizes, with lo to hi axes, strides
 * and a dtype of the set, at times without elements if the set has EMPTY; the
 * graph knows its sizes or not. */
gg_var *draw_operand(draw *d, unsigned int dtypes, unsigned int least_nd,
                     unsigned int most_nd, double lo, double hi);
/* One of these sizes and of this dtype. */
gg_var *draw_sized(draw *d, int dtype, unsigned int nd, const size_t *dims,
                   double lo, double hi);
/* One with these values, as the dtype has them. */
gg_var *draw_given(draw *d, int dtype, unsigned int nd, const size_t *dims,
                   const double *values);
/* One of few different values; of floats some are NaN. */
gg_var *draw_few(draw *d, int dtype, unsigned int nd, const size_t *dims);
/* The same of any sizes, at times without elements, and of a dtype of the
 * set. */
gg_var *draw_few_any(draw *d, unsigned int dtypes, unsigned int most_nd);
/* An axis of operand i, at times from the end. */
int draw_axis(draw *d, unsigned int i);
/* Axes of operand 0, none for all, as NumPy's tuple in `text`; how many. */
unsigned int draw_axes(draw *d, int axes[3], char text[64]);
/* What NumPy computes. */
void draw_say(draw *d, const char *fmt, ...);

#endif

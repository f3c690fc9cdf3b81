/* SPDX-License-Identifier: BSD-2-Clause */
/* A slow, plain interpreter of graphs on the host, in double precision: the
 * reference for values, gradients and rewrites. It goes by the names and
 * properties of ops and shares no arithmetic with the library. */
#ifndef SUPPORT_INTERP_H
#define SUPPORT_INTERP_H

#include "support/device.h"

#include <gpugraph/gpugraph.h>

/* A value in C order. Integers are whole and wrapped to their dtype's range;
 * bools are 0 or 1; floats are not rounded. */
typedef struct tensor {
  unsigned int nd;
  size_t dim[GG_MAX_ND];
  size_t n; /* elements */
  double *v;
} tensor;

typedef struct interp interp;

/* An interpreter for variables of one graph. Constants and shared variables
 * have their own values; inputs are to be bound. */
interp *interp_new(void);
void interp_free(interp *it); /* accepts NULL */

/* Give `v`, which may be any variable, a value of the given sizes; `data` is
 * copied. Forgets what was computed. */
void interp_bind(interp *it, const gg_var *v, unsigned int nd,
                 const size_t *dims, const double *data);

/* The value of `v`, borrowed until the next bind. Fails the running test when
 * shapes clash, an input is not bound or an op is unknown. */
const tensor *interp_eval(interp *it, gg_var *v);
/* The value of a variable with one element. */
double interp_number(interp *it, gg_var *v);

/* The elementwise functions that the reference has of its own: the value of op
 * `name` for operands x; *known is 0 when it has none. */
double interp_scalar(const char *name, const double *x, int *known);

#endif

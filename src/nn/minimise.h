/* SPDX-License-Identifier: BSD-2-Clause */
/* L-BFGS in host memory, for a function of a vector. */
#ifndef NN_MINIMISE_H
#define NN_MINIMISE_H

#include <gpugraph/lbfgs.h>

typedef struct gg__objective {
  size_t n;
  /* Round x to what can be represented, and compute the cost there with its
   * gradient. */
  int (*at)(void *arg, double *x, double *cost, double *grad);
  void *arg;
} gg__objective;

/* Minimise from x, which becomes the last point; also on error. The numbers of
 * `how` are not 0. */
int gg__minimise(const gg__objective *f, double *x, const gg_lbfgs_spec *how,
                 gg_lbfgs_done *done);

#endif

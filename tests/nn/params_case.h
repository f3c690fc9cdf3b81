/* SPDX-License-Identifier: BSD-2-Clause */
/* A group of float64 parameters in the graph of graph_case.h, new for each
 * test. */
#ifndef NN_PARAMS_CASE_H
#define NN_PARAMS_CASE_H

#include "support/graph_case.h"

#include <gpugraph/nn.h>

static gg_params *p;

static inline int params_setup(void **state) {
  const int err = graph_setup(state);

  p = gg_params_new(g, GA_DOUBLE, 7);
  return err;
}

static inline int params_teardown(void **state) {
  gg_params_free(p);
  return graph_teardown(state);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights of the model that gpugraph train trains. */
#ifndef CLI_TRAIN_WEIGHTS_H
#define CLI_TRAIN_WEIGHTS_H

#include <gpugraph/func.h>
#include <gpugraph/params.h>

#include "base/vec.h"
#include "cli/train_arguments.h"

typedef GA_VEC(gg_given) train_givens;

/* Give random values to the weights that --draw names, of those that the
 * variables depend on. */
int train_weights_draw(const train_arguments *a, gg_var *const *vars);
/* Make parameters in `g` with names and values of the weights that `out`
 * depends on through floats, and list which stands for which; the list ends
 * with NULL. The caller frees *params and clears the list, also after an error.
 */
int train_weights_add(gg_params **params, train_givens *givens,
                      const train_arguments *a, gg_graph *g, gg_var *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers that gradients compute again. A loop of one iteration keeps what it
 * reads, and its gradient computes the rest of its body once more. */
#include <gpugraph/layers.h>
#include <gpugraph/scan.h>

#include "nn/nn.h"

gg_var *gg_checkpoint(gg_var *(*layers)(void *arg, gg_var *x), void *arg,
                      gg_var *x) {
  if (x == NULL || layers == NULL) {
    if (x != NULL)
      gg__nn_fail(gg_var_graph(x), "checkpoint", x, GA_VALUE_ERROR,
                  "the function is NULL");
    return NULL;
  }
  gg_scan *s = gg_scan_open(gg_var_graph(x));
  gg_var *row = gg_scan_sequence(s, gg_expand_dims(x, 0), 0);
  gg_var *y = row != NULL ? gg_scan_output(s, layers(arg, row)) : NULL;

  gg_scan_steps(s, gg_i64(gg_var_graph(x), 1));
  if (y != NULL && gg_scan_close(s) == GA_NO_ERROR)
    y = gg_scan_last(s, y);
  else
    y = NULL;
  gg_scan_free(s);
  return y;
}

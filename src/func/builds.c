/* SPDX-License-Identifier: BSD-2-Clause */
#include "func/builds.h"

void gg__build_clear(gg__build *b) {
  ga__vec_clear(&b->inputs);
  ga__vec_clear(&b->targets);
  ga__vec_clear(&b->results);
  ga__vec_clear(&b->homes);
  ga__vec_clear(&b->fired);
  gg_graph_free(b->g);
}

gg__build gg__inside_of(const gg__build *outer) {
  return (gg__build){.mode = outer->mode,
                     .include = outer->include,
                     .exclude = outer->exclude,
                     .checks_bounds = outer->checks_bounds,
                     .max_passes = outer->max_passes,
                     .no_fusion = outer->no_fusion,
                     .no_inplace = outer->no_inplace,
                     .frees_temps = outer->frees_temps,
                     .keeps_subnormals = outer->keeps_subnormals};
}

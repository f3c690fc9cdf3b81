/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that count by bin. */
#include "codegen/gen_bincount.h"

#include "base/dtype.h"

void ga__gen_bincount_write(ga__strb *b, const ga__gen_bincount *g,
                            const ga__gen_sort *rows) {
  const int has_weights = g->weights >= 0;
  const char *sum = has_weights ? ga__dtype_cl(g->weights) : "long";

  ga__gen_sort_write(b, rows);
  ga__strb_appendf(b,
                   "#define B_INDEX %s\n"
                   "#define B_BIN %s\n"
                   "#define B_PART %s\n"
                   "#define B_SUM %s\n"
                   "#define B_WEIGHTS %d\n"
                   "#define B_EDGES %d\n"
                   "#define B_TEAM %d\n"
                   "#define B_PLACES %u\n"
                   "#define B_SHARED %d\n",
                   ga__dtype_cl(rows->dtype), g->wide_bins ? "ulong" : "uint",
                   has_weights        ? sum
                   : rows->wide_index ? "ulong"
                                      : "uint",
                   sum, has_weights, g->has_edges, g->is_team, g->places,
                   g->is_shared);
}

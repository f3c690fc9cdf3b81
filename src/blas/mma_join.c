/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel is cl/mma_join.cl. */
#include "blas/mma_join.h"

#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"

enum { COLUMNS = 4, /* that a work-item adds up */ ROWS = 32, TEAMS = 4 };

size_t ga__mma_sum_bytes(const ga__product *p, size_t parts) {
  return ga__times(ga__times(p->m, p->n),
                   ga__times(p->batch, parts * sizeof(float)));
}

void ga__mma_join(GpuLaunch *l, const ga__product *p,
                  const ga__product_operand *parts, size_t n) {
  const int is_part = p->window->c_size[1] > 0; /* some columns are not in C */
  const int is_line = !is_part && ga__product_has_lines(p, COLUMNS);
  const int is_aligned =
      is_line && p->epilogue == NULL && ga__product_lines_aligned(p, COLUMNS);
  const ga__gen_macros gen = {.typecode = p->typecode,
                              .lanes = COLUMNS,
                              .n = 1,
                              .is_aligned = is_aligned,
                              .v = {{"C_UNIT", (size_t)is_line}}};
  ga__window w = *p->window;
  const ga__ending end = ga__product_ending(p, is_line ? COLUMNS : 1);
  const size_t ls[3] = {ROWS, TEAMS, 1};
  const size_t gs[3] = {
      ga__round_up(p->m, ROWS),
      ga__round_up(ga__ceil_div(p->n, COLUMNS), TEAMS),
      p->batch,
  };

  if (is_part)
    memcpy(w.j + 2, w.c_size, sizeof w.c_size);
  if (is_aligned)
    ga__launch_require_align(l, p->c.slot,
                             COLUMNS * ga__dtype_size(p->typecode));
  ga__ending_kernel(l, "mma_join", "mma_join",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 3, gs, ls);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, n);
  ga__launch_slot(l, parts->slot);
  ga__launch_ssize(l, parts->rs);
  for (int t = 0; t < 2; t++)
    ga__launch_size(l, is_part ? w.c_has[t] : w.j[2 + t]);
  ga__window_args(l, &w);
  ga__ending_args(l, &end);
}

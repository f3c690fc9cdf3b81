/* SPDX-License-Identifier: BSD-2-Clause */
/* The keywords of loops in texts (scan, row, state, fixed) and their
 * properties (docs/save.md). */
#ifndef TEXT_BLOCK_H
#define TEXT_BLOCK_H

#include "graph/form.h"

enum {
  /* Depth of nested loops. It is bounded, because reading and printing
   * recurse. */
  GG_MOST_LOOPS = 16,
  GG_MOST_TAPS = 1024 /* taps of one state */
};

typedef struct gg__scan_props {
  int64_t most, truncate; /* as in gg__loop_head */
  int is_exact;
} gg__scan_props;

typedef struct gg__row_props {
  int reversed;
} gg__row_props;

typedef struct gg__state_props {
  int64_t depth; /* rows of the state; 0: as many as the taps reach back */
  int64_t n_back;
  int64_t back[GG_MOST_TAPS]; /* none: a single tap, 1 back */
  int is_resized;             /* its depth is 0 */
} gg__state_props;

/* Forms for these keywords, which are no ops but are written like ops. */
extern const gg_op_form gg__scan_form, gg__row_form, gg__state_form,
    gg__fixed_form;

#endif

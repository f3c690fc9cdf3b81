/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a loop's text, and their properties (docs/save.md). */
#ifndef TEXT_BLOCK_H
#define TEXT_BLOCK_H

#include "graph/form.h"

enum {
  /* Loops inside of loops: bounded, because reading and printing recurse. */
  GG_MOST_LOOPS = 16,
  GG_MOST_TAPS = 1024 /* of one state */
};

typedef struct gg__scan_props {
  int64_t most, truncate; /* as in gg__loop_head */
  int is_exact;
} gg__scan_props;

typedef struct gg__row_props {
  int reversed;
} gg__row_props;

typedef struct gg__state_props {
  int64_t depth; /* 0: as far as the taps look back */
  int64_t n_back;
  int64_t back[GG_MOST_TAPS]; /* none: 1, with one target */
} gg__state_props;

/* They are no ops, but are written like such. */
extern const gg_op_form gg__scan_form, gg__row_form, gg__state_form,
    gg__fixed_form;

#endif

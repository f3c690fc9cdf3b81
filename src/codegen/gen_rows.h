/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of row programs: functions and macros around cl/rows*.cl.
 *
 *   gen_rows_uses.c  which phase uses what
 *   gen_rows_map.c   the texts of the phases as functions
 *   gen_rows.c       operations, the row and its arguments, the whole */
#ifndef CODEGEN_GEN_ROWS_H
#define CODEGEN_GEN_ROWS_H

#include "base/strb.h"
#include "codegen/gen_rows_uses.h"

/* The parts of a kernel's source, in order. Templates are borrowed, the others
 * owned. */
typedef struct ga__rows_text {
  const char *parts[2 * GPUROWS_MAX_PHASES + 4];
  unsigned int n;
  ga__strb head, phases[GPUROWS_MAX_PHASES], tail;
} ga__rows_text;

/* Write the source of `g`. Dimension 0 is the innermost one. The arguments of
 * the kernel "rows" are, in this order:
 *
 *   per argument, an array's buffer, offset, nk kept and nr reduced strides; a
 *   scalar's value. Per row argument, an array's buffer, offset and nk strides;
 *   a scalar's value. nk kept and nr reduced sizes. Split: per reduction of
 *   phases up to `now` a workspace of the accumulator's type. Then rows, their
 *   elements, rows (across: units of rows) per work-item, elements per part and
 *   parts.
 *
 * In a loop, arrays have a step more, and those that read a state have no
 * buffer; the words of the states follow the sizes, and the iterations come
 * last. Sizes are ulong, strides and steps long. The caller clears `t`, also
 * after a failure. */
int ga__gen_rows_write(ga__rows_text *t, const ga__gen_rows *g);
/* Write what stands in front of cl/rows_begin.cl for so many states. */
void ga__gen_rows_begin(ga__strb *b, unsigned int n_states);
void ga__rows_text_clear(ga__rows_text *t);

#endif

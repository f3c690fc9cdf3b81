/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of row programs: functions and macros around cl/rows*.cl.
 *
 *   gen_rows.c      operations, the row and its arguments, the whole
 *   gen_rows_map.c  the texts of the phases as functions */
#ifndef CODEGEN_GEN_ROWS_H
#define CODEGEN_GEN_ROWS_H

#include <gpuarray/rows.h>

#include "base/strb.h"
#include "codegen/gen_arg.h"
#include "layout/rows_plan.h"

/* A program to write. With `split`, launch number `now` walks only its phase:
 * see cl/rows.cl. */
typedef struct ga__gen_rows {
  const GpuRowsSpec *spec;
  const char *boolean; /* W_BOOL of vector text */
  ga__rows_shape shape;
  unsigned int nk, nr;          /* kept and reduced dimensions, at least 1 */
  const ga__lane_step *steps;   /* per argument, along the lanes */
  const unsigned char *fixed;   /* per argument: one element for a whole row */
  const unsigned char *streams; /* per argument: stored around the caches */
  int wide_index;               /* counts do not fit 31 bits */
  int split;
  unsigned int now;
} ga__gen_rows;

/* Texts of a program, in order. Templates are borrowed, the others owned. */
typedef struct ga__rows_text {
  const char *parts[2 * GPUROWS_MAX_PHASES + 4];
  unsigned int n;
  ga__strb head, phases[GPUROWS_MAX_PHASES], tail;
} ga__rows_text;

/* Write the texts of `g`. Dimension 0 is the innermost one. The arguments of
 * the kernel "rows" are, in this order:
 *
 *   per argument, an array's buffer, offset, nk kept and nr reduced strides; a
 *   scalar's value. Per row argument, an array's buffer, offset and nk strides;
 *   a scalar's value. nk kept and nr reduced sizes. Split: per reduction of
 *   phases up to `now` a workspace of the accumulator's type. Then rows, their
 *   elements, rows (across: units of rows) per work-item, elements per part and
 *   parts.
 *
 * Sizes are ulong, strides long. The caller clears `t` in any case. */
int ga__gen_rows_write(ga__rows_text *t, const ga__gen_rows *g);
void ga__rows_text_clear(ga__rows_text *t);

/* Does `text` (or NULL) use this word? */
int ga__rows_mentions(const char *text, const char *name);

/* The first phase whose map (post) mentions a name; n_phases if none does. */
unsigned int ga__rows_map_phase(const GpuRowsSpec *s, const char *name);
unsigned int ga__rows_post_phase(const GpuRowsSpec *s, const char *name);

/* Is it an array that several phases read: what `hold` keeps? */
int ga__rows_is_held(const GpuRowsSpec *s, unsigned int arg);

#endif

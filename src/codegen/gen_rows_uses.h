/* SPDX-License-Identifier: BSD-2-Clause */
/* A row program to write, and which of its phases uses what. */
#ifndef CODEGEN_GEN_ROWS_USES_H
#define CODEGEN_GEN_ROWS_USES_H

#include <gpuarray/rows.h>

#include "codegen/gen_arg.h"
#include "layout/rows_layout.h"

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

/* Does `text` (or NULL) use this word? */
int ga__rows_mentions(const char *text, const char *name);

/* The first phase whose map (post) mentions a name; n_phases if none does. */
unsigned int ga__rows_map_phase(const GpuRowsSpec *s, const char *name);
unsigned int ga__rows_post_phase(const GpuRowsSpec *s, const char *name);

/* Is it an array that several phases read: what `hold` keeps? */
int ga__rows_is_held(const GpuRowsSpec *s, unsigned int arg);

/* Is an argument a value in the row, not an array to walk? */
int ga__rows_is_value(const ga__gen_rows *g, unsigned int i);

#endif

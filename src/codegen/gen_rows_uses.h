/* SPDX-License-Identifier: BSD-2-Clause */
/* A row program to write, and which of its phases uses which names. */
#ifndef CODEGEN_GEN_ROWS_USES_H
#define CODEGEN_GEN_ROWS_USES_H

#include <gpuarray/rows.h>

#include "codegen/gen_arg.h"
#include "layout/rows_layout.h"

/* A row program to write. With `split`, each phase has a kernel of its own, and
 * this one walks the rows for phase `now` only: see cl/rows.cl. */
typedef struct ga__gen_rows {
  const GpuRowsSpec *spec;
  const char *boolean; /* W_BOOL of vector text */
  ga__rows_shape shape;
  unsigned int nk, nr;          /* kept and reduced dimensions, at least 1 */
  const ga__lane_step *steps;   /* per argument, along the lanes */
  const unsigned char *fixed;   /* per argument: a whole row has one element */
  const unsigned char *streams; /* per argument: stores bypass the caches */
  int wide_index;               /* counts do not fit 31 bits */
  int split;
  unsigned int now;
  const GpuRowsMove *moves; /* of a loop, per operand; else NULL */
  unsigned int n_states;    /* of a loop */
} ga__gen_rows;

/* Nonzero if `text`, which may be NULL, has this word. */
int ga__rows_mentions(const char *text, const char *name);

/* The first phase whose map (post) mentions a name; n_phases if none does. */
unsigned int ga__rows_map_phase(const GpuRowsSpec *s, const char *name);
unsigned int ga__rows_post_phase(const GpuRowsSpec *s, const char *name);

/* Nonzero for an input array that several phases read, which shape.hold keeps
 * in private memory. */
int ga__rows_is_held(const GpuRowsSpec *s, unsigned int arg);

/* The state that operand k reads, or -1. Row arguments follow the others. */
int ga__rows_state(const ga__gen_rows *g, unsigned int k);

/* Nonzero if operand k reads a state element by element from the words. On CPUs
 * a group copies all states at the start of an iteration. */
int ga__rows_hears(const ga__gen_rows *g, unsigned int k);

/* Nonzero if a work-item walks along each row of a unit, and ends them side by
 * side. */
int ga__rows_unites(const ga__gen_rows *g);

/* Nonzero if an argument has one value for the whole row. */
int ga__rows_is_value(const ga__gen_rows *g, unsigned int i);

#endif

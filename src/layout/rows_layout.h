/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of a row program. Computed without calls of the device. */
#ifndef LAYOUT_ROWS_LAYOUT_H
#define LAYOUT_ROWS_LAYOUT_H

#include <gpuarray/device.h>

#include "base/assert.h"
#include "layout/cut.h"
#include "layout/space.h"

/* The constants in a kernel's source; see cl/rows.cl. */
typedef struct ga__rows_shape {
  int along; /* 1: lanes are elements of a row; 0: one element of many rows */
  unsigned int lanes, team, group;
  unsigned int unit;  /* rows that end side by side: `lanes` or 1 */
  unsigned int items; /* vectors per work-item in private memory; 0: none */
  int hold;  /* private memory has the inputs too; `items` are unrolled */
  int exact; /* hold: rows fill `items`, and every team has a row */
  unsigned int block; /* vectors between merges */
  int compensate;     /* sums of floats: compensated summation */
} ga__rows_shape;

GA_NO_PADDING(ga__rows_shape, 10 * sizeof(int)); /* a part of keys */

/* What the layout depends on besides the space and the device. */
typedef struct ga__rows_needs {
  int is_loop;       /* groups wait for each other */
  int lanes_ok;      /* the code is in GE_VECTOR form */
  int may_unite;     /* a row's only phase has a post, for lanes of rows, too */
  size_t widest;     /* bytes of the widest value in the code */
  size_t kept_bytes; /* bytes of the kept values of an element */
  size_t held_bytes; /* the same and inputs that several phases read */
} ga__rows_needs;

/* One launch, or one per phase (shape.split of gen_rows) when there are
 * several parts. */
typedef struct ga__rows_layout {
  ga__rows_shape shape;
  size_t per_item; /* units of `unit` rows of a work-item */
  ga__cut cut;     /* parts of a row */
  size_t gs[2], ls[2];
} ga__rows_layout;

/* Choose the layout for a space with at least one row. */
void ga__rows_layout_make(ga__rows_layout *p, const ga__space *s,
                          const gpudevice_caps *caps,
                          const ga__rows_needs *needs);

/* The iterations of all loops of a work-item in a launch of `n_phases`
 * phases. */
size_t ga__rows_layout_rounds(const ga__rows_layout *p, unsigned int n_phases);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How a row program is laid over a device: plain arithmetic, no device calls.
 */
#ifndef LAYOUT_ROWS_LAYOUT_H
#define LAYOUT_ROWS_LAYOUT_H

#include <gpuarray/device.h>

#include "layout/cut.h"
#include "layout/space.h"

/* The numbers that are text in a kernel; see cl/rows.cl. */
typedef struct ga__rows_shape {
  int along; /* lanes are elements of one row; 0: one element of many rows */
  unsigned int lanes, team, group;
  unsigned int items; /* vectors per work-item in private memory; 0: none */
  int hold;           /* inputs are there, too, and all `items` are unrolled */
  int exact;          /* hold: rows fill them, and no team is without a row */
  unsigned int block; /* vectors between merges */
  int compensate;     /* sums of floats: carry the rounding error */
} ga__rows_shape;

/* What of a program matters. */
typedef struct ga__rows_needs {
  int lanes_ok;      /* texts are in GE_VECTOR form */
  size_t widest;     /* bytes of the widest value that texts work with */
  size_t kept_bytes; /* of the kept values of one element */
  size_t held_bytes; /* of these and of inputs that several phases read */
} ga__rows_needs;

/* One launch, or one per phase (shape.split of gen_rows) when there are
 * several parts. */
typedef struct ga__rows_layout {
  ga__rows_shape shape;
  size_t per_item; /* rows of a work-item; units of lanes rows if across */
  ga__cut cut;     /* of a row */
  size_t gs[2], ls[2];
} ga__rows_layout;

/* Choose for a space with at least one row. */
void ga__rows_layout_make(ga__rows_layout *p, const ga__space *s,
                          const gpudevice_caps *caps,
                          const ga__rows_needs *needs);

/* Rounds of all loops of a work-item in a launch of `n_phases` phases. */
size_t ga__rows_layout_rounds(const ga__rows_layout *p, unsigned int n_phases);

#endif

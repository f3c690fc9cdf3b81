/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of a reduction: its axes in two groups, kept and reduced, and the
 * sizes of its launches. Computed without calls of the device. */
#ifndef LAYOUT_REDUCE_LAYOUT_H
#define LAYOUT_REDUCE_LAYOUT_H

#include <gpuarray/device.h>

#include "base/assert.h"
#include "layout/cut.h"
#include "layout/space.h"

/* The templates. ROW has lanes along the inner reduced axis. So has TURN, which
 * computes several short rows at a time. COL has lanes along the inner kept
 * axis. FINAL combines the parts of ROW and COL. */
typedef enum ga__reduce_kernel {
  GA_REDUCE_ROW,
  GA_REDUCE_TURN,
  GA_REDUCE_COL,
  GA_REDUCE_FINAL
} ga__reduce_kernel;

/* The constants in a kernel's source; the templates explain them. */
typedef struct ga__reduce_shape {
  ga__reduce_kernel kernel;
  unsigned int lanes, block;
  unsigned int unroll;     /* ROW */
  unsigned int length;     /* TURN */
  unsigned int vecs, wide; /* COL */
  unsigned int team, group;
  int compensate; /* sums of floats: compensated summation */
} ga__reduce_shape;

GA_NO_PADDING(ga__reduce_shape, 10 * sizeof(int)); /* a part of keys */

/* The launches. The reduced space is cut into parts; with more than one part a
 * final launch combines them. */
typedef struct ga__reduce_layout {
  ga__reduce_shape main, final;
  ga__cut cut;
  size_t rows, final_rows; /* outputs or units per work-item */
  size_t gs[2], ls[2];     /* work-items of the main launch */
  size_t final_gs, final_ls;
} ga__reduce_layout;

/* What the layout depends on besides the space and the device. */
typedef struct ga__reduce_work {
  size_t acc_bytes;
  unsigned int n_acc;
  int lanes_ok; /* map is in GE_VECTOR form, or see is_pairs */
  int is_pairs; /* sums complex numbers as pairs: no lanes across rows */
  int is_arg, is_moments;
  int is_heavy; /* map costs more than loading its inputs */
} ga__reduce_work;

/* Choose the layout for a space with at least one output. */
void ga__reduce_layout_make(ga__reduce_layout *p, const ga__space *s,
                            const gpudevice_caps *caps,
                            const ga__reduce_work *work);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of a cumulation: which kernel walks its axis, in how many parts,
 * and the sizes of its launches. Computed without calls of the device. */
#ifndef LAYOUT_CUMULATE_LAYOUT_H
#define LAYOUT_CUMULATE_LAYOUT_H

#include <gpuarray/device.h>

#include "layout/cut.h"
#include "layout/space.h"

typedef enum ga__cumulate_kernel {
  GA_CUMULATE_ROW,  /* a work-item per row, lanes along it */
  GA_CUMULATE_TEAM, /* a team of work-items per row, through local memory */
  GA_CUMULATE_COL   /* a work-item per strip of columns, lanes across them */
} ga__cumulate_kernel;

typedef struct ga__cumulate_shape {
  ga__cumulate_kernel kernel;
  unsigned int lanes;            /* 1: scalar code */
  unsigned int vecs;             /* COL: vectors of a strip */
  unsigned int group, team, run; /* TEAM: work-items, elements of each */
} ga__cumulate_shape;

typedef struct ga__cumulate_layout {
  ga__cumulate_shape shape;
  ga__cut cut;  /* of the axis */
  size_t per;   /* ROW, COL: rows or strips of a work-item */
  size_t units; /* rows, or strips */
  size_t gs[2], ls[2];
} ga__cumulate_layout;

/* What decides beside the space, whose reduced dimension is the axis. */
typedef struct ga__cumulate_work {
  size_t value_bytes; /* of all values of an element */
  size_t widest;      /* bytes of the widest type in vectors */
  int lanes_ok;       /* all text suits vectors */
} ga__cumulate_work;

void ga__cumulate_layout_make(ga__cumulate_layout *p, const ga__space *s,
                              const gpudevice_caps *caps,
                              const ga__cumulate_work *work);

/* The most iterations of loops that a work-item makes. */
size_t ga__cumulate_layout_rounds(const ga__cumulate_layout *p);

#endif

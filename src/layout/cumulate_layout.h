/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of a cumulation: which kernel walks its axis, in how many parts,
 * and the sizes of its launches. Computed without calls to the device. */
#ifndef LAYOUT_CUMULATE_LAYOUT_H
#define LAYOUT_CUMULATE_LAYOUT_H

#include <gpuarray/device.h>

#include "layout/cut.h"
#include "layout/space.h"

typedef enum ga__cumulate_kernel {
  GA_CUMULATE_ROW,  /* a work-item per row, lanes along it */
  GA_CUMULATE_COL,  /* a work-item per strip of columns, lanes across them */
  GA_CUMULATE_TEAM, /* GPUs: a team of work-items per row */
  GA_CUMULATE_TILE  /* GPUs: a group per strip of columns */
} ga__cumulate_kernel;

typedef struct ga__cumulate_shape {
  ga__cumulate_kernel kernel;
  unsigned int lanes;      /* 1: scalar code */
  unsigned int vecs;       /* COL: vectors of a strip */
  unsigned int group, run; /* GPUs: work-items of a group, and elements of a
                              work-item in a tile */
  unsigned int team;       /* TEAM: work-items of a row */
  unsigned int cols;       /* TILE: columns of a group */
  int is_chain;            /* groups hand sums on (cl/chain.cl) */
  int has_adders;          /* a group per chain adds up totals */
} ga__cumulate_shape;

typedef struct ga__cumulate_layout {
  ga__cumulate_shape shape;
  ga__cut cut; /* of the axis */
  size_t head; /* ROW, COL: elements of the first part; the others are chunks */
  size_t per;  /* ROW, COL: rows or strips of a work-item */
  size_t units; /* rows, or strips */
  size_t gs[2], ls[2];
} ga__cumulate_layout;

/* What the layout depends on besides device and space. */
typedef struct ga__cumulate_work {
  size_t value_bytes;      /* of all values of an element */
  size_t widest;           /* bytes of the widest type in vectors */
  int lanes_ok;            /* vector code is possible */
  unsigned int total_time; /* of a part, in hundredths of that of its results */
} ga__cumulate_work;

/* Whether a kernel stores the results of the first part while others add up the
 * totals of their parts: ROW and COL. */
static inline int ga__cumulate_is_headed(const ga__cumulate_shape *m) {
  return m->kernel == GA_CUMULATE_ROW || m->kernel == GA_CUMULATE_COL;
}

/* The axis is the only reduced dimension of `s`, which is not empty. */
void ga__cumulate_layout_make(ga__cumulate_layout *p, const ga__space *s,
                              const gpudevice_caps *caps,
                              const ga__cumulate_work *work);

/* An upper bound for the loop iterations of a work-item (ga__launch_rounds). */
size_t ga__cumulate_layout_rounds(const ga__cumulate_layout *p);

#endif

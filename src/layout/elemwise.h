/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of an elementwise kernel: its template, how it accesses each
 * argument, and the sizes that it is launched with. */
#ifndef LAYOUT_ELEMWISE_H
#define LAYOUT_ELEMWISE_H

#include <gpuarray/elemwise.h>
#include <gpuarray/index.h>
#include <gpuarray/random.h>

#include "base/vec.h"
#include "layout/expr.h"
#include "layout/space.h"

/* The properties of a device that layouts depend on. */
typedef struct ga__target {
  int is_cpu;
  unsigned int lanes; /* floats in a register */
  unsigned int units; /* cores */
  size_t group;       /* most work-items in a group */
  size_t local_bytes;
  size_t param_bytes; /* limit for all kernel arguments */
} ga__target;

typedef enum ga__ew_kernel {
  GA_EW_FLAT,  /* elements in one row (elemwise.cl) */
  GA_EW_ROWS,  /* rows of the inner dimension (elemwise_rows.cl) */
  GA_EW_BLOCK, /* CPU: blocks of the two inner ones (elemwise_block.cl) */
  GA_EW_TILE   /* GPU: tiles of the two inner ones (elemwise_tile.cl) */
} ga__ew_kernel;

/* How a kernel accesses an argument while lanes run along a row. */
typedef enum ga__access {
  GA_AT_VALUE,  /* a scalar, passed by value */
  GA_AT_FIXED,  /* one element for the whole space */
  GA_AT_ROW,    /* one element per row */
  GA_AT_NEXT,   /* lanes are neighbours in memory */
  GA_AT_SECOND, /* CPU: every second element, as halves of two vectors; inputs
                   only */
  GA_AT_APART,  /* lanes are a stride apart */
  GA_AT_PACK,   /* transposed in local memory first; inputs only */
  GA_AT_ANY     /* each lane computes its index (FLAT with digits) */
} ga__access;

/* Whether an argument is random numbers. It has strides like an array, but its
 * element i is a function of i and of a state (random.cl). */
static inline int ga__is_random(const gpuelemwise_arg *a) {
  return (a->flags & GE_RANDOM) != 0;
}

/* Whether an argument is an array that the expression reads by index, and the
 * axis that the index runs along, where the array's stride in the space is
 * 0. */
static inline int ga__is_taken(const gpuelemwise_arg *a) {
  return (a->flags & GE_TAKEN) != 0;
}
static inline unsigned int ga__taken_axis(const gpuelemwise_arg *a) {
  return (unsigned int)a->flags >> 16;
}

typedef struct ga__layout_arg {
  ga__access access;
  int is_aligned; /* GPU, and random numbers: vectors begin at multiples of
                     their size */
  int is_stream;  /* CPU: stores bypass the caches */
  size_t bytes;   /* of one element */
} ga__layout_arg;

/* A size or stride in elements: an argument of the kernel, or a constant in its
 * source if `is_baked`. Its name is a stem, followed by up to two numbers:
 * "ga_len", "ga_n1", "ga_s0_1". */
typedef struct ga__layout_size {
  const char *stem;
  int first, second; /* GA_NO_NUMBER: none */
  long long value;
} ga__layout_size;

#define GA_NO_NUMBER (-1)

typedef struct ga__elemwise_layout {
  ga__ew_kernel kernel;
  unsigned int n;
  ga__layout_arg *args;          /* owned */
  unsigned int nd;               /* dimensions after merging */
  unsigned int lanes;            /* elements computed at once */
  int is_cpu;                    /* work-items loop over chunks */
  int is_wide;                   /* indices need 64 bits */
  int has_digits;                /* FLAT: lanes compute their coordinates */
  int is_baked;                  /* sizes are constants in the source */
  int is_far;                    /* places in arrays that are read by index need
                                    64 bits */
  unsigned int block;            /* BLOCK: elements of a packed block */
  unsigned int tile_i, tile_j;   /* TILE: rows, columns */
  unsigned int strip;            /* ROWS on a GPU: segments of a strip of rows;
                                    0: rows are whole */
  unsigned int group;            /* work-items of a group that the source
                                    fixes; 0: any */
  GA_VEC(ga__layout_size) sizes; /* owned */
  size_t gs, ls;                 /* work-items */
} ga__elemwise_layout;

#endif

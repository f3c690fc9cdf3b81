/* SPDX-License-Identifier: BSD-2-Clause */
/* How calls around indices are laid over a device. */
#ifndef LAYOUT_PUT_LAYOUT_H
#define LAYOUT_PUT_LAYOUT_H

#include <gpuarray/array.h>
#include <gpuarray/device.h>

#include "layout/space.h"

/* The arrays of an iteration space here. */
enum { GA_PUT_ROWS, GA_PUT_VALUES, GA_PUT_INDICES, GA_PUT_ARRAYS };

enum {
  GA_PUT_BLOCK = 64,    /* elements of a block on a CPU */
  GA_PUT_MANY = 1 << 14 /* LONG is for rows with more indices than that */
};

typedef enum ga__put_kernel {
  GA_PUT_EACH,
  GA_PUT_ORDER,
  GA_PUT_COLUMN,
  GA_PUT_LIST, /* the four of moves in order by sorted indices */
  GA_PUT_RANK,
  GA_PUT_LONG,
  GA_PUT_SORTED,
  GA_PUT_CHECK
} ga__put_kernel;

typedef enum ga__put_move {
  GA_MOVE_TAKE,      /* v = a */
  GA_MOVE_CAST,      /* v = a, converted */
  GA_MOVE_SET,       /* a = v */
  GA_MOVE_ADD,       /* a += v */
  GA_MOVE_ADD_ATOMIC /* the same, with others at it */
} ga__put_move;

typedef struct ga__gen_put {
  ga__put_kernel kernel;
  ga__put_move move;
  int typecode;          /* of the elements; ADD: of their real parts */
  int value_type;        /* CAST: of the values */
  size_t word;           /* bytes moved at once; ADD, CAST: of an element */
  size_t value_word;     /* the same of values */
  int index_type;        /* dtype of the indices */
  int is_wide;           /* counts do not fit 31 bits */
  int many_rows;         /* nor do row indices */
  unsigned int part;     /* EACH, SORTED: moves of a work-item, 0 on a CPU */
  unsigned int group;    /* LIST, LONG: work-items */
  int along;             /* SORTED: neighbours are along the line */
  int is_ahead;          /* ORDER: what comes later is asked for */
  const ga__iter *lines; /* dimension 0 is the line; at least 1 */
  const ga__iter *steps; /* the indices in order, by which rows do not move */
} ga__gen_put;

/* The space has a point for every value, outermost dimension first and without
 * dimensions of size 1. Along steps the index changes and the row of `a` with
 * it; a complex number is two reals along a dimension of its own. */
typedef struct ga__put_job {
  gpucontext *ctx;
  const GpuArray *a, *v, *index; /* borrowed; `v` is the result of takes */
  unsigned int axis;
  ga__put_move move; /* CAST: `a` and `v` differ in dtype */
  int in_order;
  size_t rows;      /* of `a` along the axis, */
  ptrdiff_t stride; /* and the bytes between them */
  unsigned int nd;
  size_t dims[2 * GA_ITER_ND];
  ptrdiff_t strides[GA_PUT_ARRAYS][2 * GA_ITER_ND]; /* bytes */
  unsigned char is_step[2 * GA_ITER_ND];
} ga__put_job;

/* The spaces and shape of a launch. */
typedef struct ga__put_layout {
  ga__gen_put gen;
  ga__iter lines, steps;
  size_t offsets[GA_PUT_ARRAYS]; /* of the first element, without the slot's */
  size_t aligns[GA_PUT_ARRAYS];  /* bytes */
  int has_gaps;                  /* places of indices are not positions */
  size_t n_lines, len, n_steps;  /* one of them 0: nothing to do */
  size_t pieces, piece;          /* of a line, and words of one */
  size_t per;                    /* lines (ORDER: pieces) of a work-item */
  size_t ahead;                  /* bytes of the next unit a block asks for;
                                    ORDER: indices between it and that one */
  size_t ranges, span;           /* ORDER: of rows */
  size_t gs[2], ls[2];
  size_t rank_gs, long_gs; /* SORTED: of kernels before it */
} ga__put_layout;

/* Clear it afterwards, failed or not; all zeros before. */
int ga__put_layout_make(ga__put_layout *p, const ga__put_job *j);
void ga__put_layout_clear(ga__put_layout *p);

/* The bytes of an element that move together: complex elements count as
 * two, which need not be aligned as one. */
size_t ga__put_word(const GpuArray *a);

/* Whether values are what is written. */
int ga__put_is_take(ga__put_move move);

/* Whether a dtype can be added to by atomic operations. */
int ga__put_has_atomic(int typecode, int int64_atomics);

/* Whether additions of floats in any order are best done in order. */
int ga__put_prefers_order(const ga__put_job *j);

#endif

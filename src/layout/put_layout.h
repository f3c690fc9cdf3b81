/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of take, gather, put and scatter. */
#ifndef LAYOUT_PUT_LAYOUT_H
#define LAYOUT_PUT_LAYOUT_H

#include <gpuarray/array.h>
#include <gpuarray/device.h>

#include "layout/space.h"

/* The arrays of the iteration spaces, in this order. */
enum { GA_PUT_ROWS, GA_PUT_VALUES, GA_PUT_INDICES, GA_PUT_ARRAYS };

enum {
  GA_PUT_BLOCK = 64,    /* elements of a block on a CPU */
  GA_PUT_GROUP = 512,   /* work-items that share local memory */
  GA_PUT_PLACING = 256, /* those of PLACE, */
  GA_PUT_PLACED = 32,   /* and what they place */
  GA_PUT_MANY = 1 << 14 /* more indices are sorted by src/order */
};

typedef enum ga__put_kernel {
  GA_PUT_EACH,
  GA_PUT_ROW,
  GA_PUT_JOIN, /* adds what ROW made of parts */
  GA_PUT_ORDER,
  GA_PUT_COLUMN,
  GA_PUT_LIST, /* LIST to CROWD: moves in order by sorted indices */
  GA_PUT_RANK,
  GA_PUT_PLACE, /* LIST and RANK at once */
  GA_PUT_KEYS,
  GA_PUT_ENDS,
  GA_PUT_SORTED,
  GA_PUT_LINE,
  GA_PUT_CROWD,
  GA_PUT_CHECK
} ga__put_kernel;

typedef enum ga__put_move {
  GA_MOVE_TAKE, /* v = a */
  GA_MOVE_CAST, /* v = a, converted */
  GA_MOVE_SET,  /* a = v */
  GA_MOVE_ADD,  /* a += v */
  GA_MOVE_MUL,
  GA_MOVE_MAX,
  GA_MOVE_MIN,
  GA_MOVE_ADD_ATOMIC, /* a += v by atomic additions */
  GA_MOVE_MAX_ATOMIC, /* MAX and MIN by atomics of 32 bits */
  GA_MOVE_MIN_ATOMIC
} ga__put_move;

typedef struct ga__gen_put {
  ga__put_kernel kernel;
  ga__put_move move;
  int typecode;          /* of the elements; ADD: of their real parts */
  int value_type;        /* CAST: of the values */
  size_t word;           /* bytes moved at once; ADD, CAST: of an element */
  size_t value_word;     /* the same of values */
  int index_type;        /* dtype of the indices */
  int is_wide;           /* counts need 64-bit indices */
  int many_rows;         /* row indices need 64 bits */
  unsigned int part;     /* EACH, ROW, SORTED, LINE, CROWD: moves of a work-item
                            at a time, 0 on a CPU */
  unsigned int group;    /* ROW, LIST, PLACE, LINE, CROWD: work-items */
  int has_parts;         /* ROW: lines are parts of one vector */
  int along;             /* SORTED: neighbours move along the line */
  size_t key;            /* KEYS to CROWD: bytes of keys, 0 without them */
  int all_rows;          /* SORTED: work-items for rows, not for indices */
  unsigned int turns;    /* SORTED: values read before they are moved */
  int is_ahead;          /* ORDER: later strips are prefetched */
  const ga__iter *lines; /* at least 1 dimension; 0 is the line */
  const ga__iter *steps; /* loop over the indices; NULL unless in order */
} ga__gen_put;

/* A call. Its space has an element for every value, outermost dimension first
 * and without dimensions of size 1. Along dimensions that are steps the index
 * changes, and with it the row of `a`. A complex number is two reals along a
 * dimension of its own. */
typedef struct ga__put_job {
  gpucontext *ctx;
  const GpuArray *a, *v, *index; /* borrowed; `v` is the result of takes */
  unsigned int axis;
  ga__put_move move; /* CAST: `a` and `v` differ in dtype */
  int in_order;
  size_t rows;      /* of `a` along the axis */
  ptrdiff_t stride; /* bytes between rows */
  unsigned int nd;
  size_t dims[2 * GA_ITER_ND];
  ptrdiff_t strides[GA_PUT_ARRAYS][2 * GA_ITER_ND]; /* bytes */
  unsigned char is_step[2 * GA_ITER_ND];
  /* If not 0, the first dimension is `parts` parts of the indices, of which the
   * last one has `last`. Each adds to rows of its own. */
  size_t parts, last;
} ga__put_job;

/* The spaces and sizes of a launch. */
typedef struct ga__put_layout {
  ga__gen_put gen;
  ga__iter lines, steps;
  size_t offsets[GA_PUT_ARRAYS]; /* bytes, besides the slot's */
  size_t aligns[GA_PUT_ARRAYS];  /* bytes */
  int has_gaps;                  /* indices are not in C order in memory */
  size_t n_lines, len, n_steps;  /* nothing to do if one is 0 */
  size_t pieces, piece;          /* pieces of a line, words of a piece */
  size_t per;                    /* lines (ORDER: pieces) of a work-item */
  size_t ahead;                  /* bytes that a block of indices prefetches;
                                    ORDER: how many indices ahead */
  size_t ranges, span;           /* ORDER: ranges of rows, rows of a range */
  size_t gs[2], ls[2];
  /* SORTED, LINE, CROWD: work-items of RANK, or KEYS, and of LIST, which has
   * one group, or ENDS; or those of PLACE alone. */
  size_t rank_gs, rank_ls, list_gs, place_gs;
  size_t local_bytes; /* ROW, LINE: local memory */
} ga__put_layout;

/* `p` is all zeros before. Clear it in any case, also after a failure. */
int ga__put_layout_make(ga__put_layout *p, const ga__put_job *j);
void ga__put_layout_clear(ga__put_layout *p);

/* The element size, or for complex dtypes the size of a part. Elements are
 * aligned to it. */
size_t ga__put_word(const GpuArray *a);

/* Whether the move writes the values, as take and gather do. */
int ga__put_is_take(ga__put_move move);

/* Whether there are atomic additions to a dtype. */
int ga__put_has_atomic(int typecode, int int64_atomics);

/* Divide a vector of indices whose values are added, in any order, to a vector
 * of few elements, so that groups keep those in local memory; or leave it. */
void ga__put_split(ga__put_job *j);

/* Whether moves that are allowed in any order are faster in order. */
int ga__put_prefers_order(const ga__put_job *j);

#endif

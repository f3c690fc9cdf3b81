/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of the kernels around indices: the macros in front of
 * cl/put_index.cl and of the template that has the kernel's name. */
#ifndef CODEGEN_GEN_PUT_H
#define CODEGEN_GEN_PUT_H

#include "base/strb.h"
#include "codegen/gen_index.h"

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
  int many_rows;         /* nor do the numbers of rows */
  unsigned int part;     /* EACH, SORTED: moves of a work-item, 0 on a CPU */
  unsigned int group;    /* LIST, LONG: work-items */
  int along;             /* SORTED: neighbours are along the line */
  int is_ahead;          /* ORDER: what comes later is asked for */
  const ga__iter *lines; /* dimension 0 is the line; at least 1 */
  const ga__iter *steps; /* the indices in order, by which rows do not move */
} ga__gen_put;

/* Whether the indices are taken in their order, as steps. */
int ga__put_has_steps(ga__put_kernel kernel);

/* Whether values are what is written. */
int ga__put_is_take(ga__put_move move);

/* Whether a dtype can be added to by atomic operations. */
int ga__put_has_atomic(int typecode, int int64_atomics);

/* The entry point, which is the template's name as well. */
const char *ga__put_entry(ga__put_kernel kernel);

/* Append the macros. The kernel's arguments are those in the templates; P_SIZES
 * are the strides of the lines in rows, values and indices (CHECK: indices
 * only), long, the sizes of the lines, ulong, and where there are steps their
 * strides in values and indices and their sizes. LIST, RANK and LONG have the
 * steps in indices alone. */
void ga__gen_put_write(ga__strb *b, const ga__gen_put *g);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves whose rows, or lines of values, groups keep in local memory. */
#include "base/arith.h"
#include "layout/cut.h"
#include "layout/put_gpu.h"

/* Moves along rows in local memory: the least words of a row, and the most of
 * them for an index; work-items, and moves of each at a time. Combinations also
 * keep values in registers; with more of them, fewer groups run at once.
 * Measured on one H200 with rows of 8192 floats, as shares of the rate of a
 * copy, with 4 and 8 moves: take 0.84 and 0.93, add 0.65 and 0.62. */
#define ROW_MIN 1024
#define ROW_WORDS 4
#define ROW_MOVES 8
#define ROW_COMBINED 4
#define ROW_GROUPS 4096 /* at most, which take the lines in turns */

/* The local memory that a row takes: its words, or positions of moves. */
size_t ga__put_row_bytes(const ga__put_job *j) {
  return j->rows *
         (j->move == GA_MOVE_SET ? sizeof(uint32_t) : ga__put_word(j->a));
}

/* Whether the result does not depend on the order, or only on the last move. */
static int can_keep_rows(ga__put_move move) {
  return move == GA_MOVE_TAKE || move == GA_MOVE_SET ||
         move >= GA_MOVE_ADD_ATOMIC;
}

/* Whether groups can keep rows in local memory, and whether that pays: rows and
 * lines of values have no gaps, enough of a row is moved, and there are groups
 * enough. */
int ga__put_keeps_rows(const ga__put_job *j, const gpudevice_caps *caps) {
  const ptrdiff_t word = (ptrdiff_t)ga__put_word(j->a);
  size_t n_lines = 1, len = 0;

  if (caps->is_cpu || !caps->local_memory || !can_keep_rows(j->move) ||
      j->stride != word || caps->max_group < GA_PUT_GROUP)
    return 0;
  for (unsigned int d = 0; d < j->nd; d++) {
    const ptrdiff_t v = j->strides[GA_PUT_VALUES][d];

    if (!j->is_step[d])
      n_lines *= j->dims[d];
    if (j->is_step[d] ? len > 0 || v != word : ga__put_distance(v) <= word)
      return 0;
    if (j->is_step[d])
      len = j->dims[d];
  }
  return j->rows >= ROW_MIN && ga__put_row_bytes(j) <= caps->local_bytes &&
         j->rows / ROW_WORDS <= len && ga__fits_int(len) &&
         n_lines >= caps->compute_units;
}

void ga__put_lay_local(ga__put_layout *p, ga__put_kernel kernel, size_t n_lines,
                       size_t bytes) {
  p->gen.kernel = kernel;
  p->gen.part = p->gen.move == GA_MOVE_TAKE || p->gen.move == GA_MOVE_SET
                    ? ROW_MOVES
                    : ROW_COMBINED;
  p->gen.group = GA_PUT_GROUP;
  p->gen.is_wide = !ga__fits_int(n_lines);
  p->local_bytes = bytes;
  p->piece = p->per = 1;
  p->pieces = p->len;
  p->ls[0] = GA_PUT_GROUP;
  p->gs[0] = GA_PUT_GROUP * ga__at_most(n_lines, ROW_GROUPS);
}

/* Whether groups can keep lines of values in local memory, and whether that
 * pays, as for rows. */
int ga__put_keeps_lines(const ga__put_layout *p, const ga__put_job *j,
                        const gpudevice_caps *caps) {
  const ptrdiff_t word = (ptrdiff_t)p->gen.word;

  return caps->local_memory && caps->max_group >= GA_PUT_GROUP &&
         p->gen.word == p->gen.value_word && j->stride == word &&
         p->steps.nd == 1 && p->steps.strides[GA_PUT_VALUES][0] == word &&
         j->rows >= ROW_MIN && p->n_steps * p->gen.word <= caps->local_bytes &&
         j->rows / ROW_WORDS <= p->n_steps &&
         p->n_lines * p->len >= caps->compute_units;
}

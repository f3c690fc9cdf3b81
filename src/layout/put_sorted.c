/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in order by sorted indices. */
#include <stdint.h>

#include "base/arith.h"
#include "layout/cut.h"
#include "layout/put_gpu.h"

/* Moves in order by sorted indices, which need one or two more kernels: the
 * least work-items of a group and indices, the most rows per index, and the
 * work-items that make the lists, or keys. */
#define SORT_MIN 64
#define SORT_ROWS 64
#define SORT_GROUP 1024
#define KEYS_GROUP 256
/* The most comparisons by which indices are placed at once. Measured on one
 * H200: 4096 indices of 4096 rows take 11 us, lists of them 24. */
#define PLACE_MOST ((size_t)1 << 27)
/* Rows of at least this many words are added in order by sorted indices, which
 * is then faster than atomic additions by compare and exchange. Measured on one
 * H200: with 8192 words 0.90 (sorted) and 0.64 (atomic) of the rate of a copy;
 * with one word and 67 million indices 300 and 18 ms. Sorting costs about 3 ns
 * for an index and saves 1.5 ps for a word, which breaks even at about 2700
 * words. */
#define SORT_WORDS 4096
/* So are additions of this many indices, or more, to one row on average, if
 * there are more than GA_PUT_MANY, to this many words: atomic additions of so
 * many indices wait for each other. Not measured. */
#define SORT_CROWD 64
#define CROWD_WORDS 1024
#define LONG_COLUMN 64 /* words; from here a work-item moves COLUMN_MOVES */
#define COLUMN_MOVES 8
/* Values that a work-item of SORTED reads before it moves them: of rows with
 * fewer indices and of others, which have one word only. */
#define TURNS 4
#define MANY_TURNS 16
/* Rows of few words for which many indices are added in order have groups: the
 * least indices of a row, on average, the most words; work-items, and values
 * that each reads at a time. Measured on one H200, 2^24 additions to 4096
 * floats: 169 us, and 764 with a work-item for each row; with groups of 64 and
 * 128 and 8 values 214 and 191. */
#define CROWD 128
#define CROWD_MOST 8
#define CROWD_GROUP 32
#define CROWD_PART 16

/* Whether the device can sort `n_steps` indices of `rows` rows, and whether
 * that pays. */
static int can_sort(size_t n_steps, size_t rows, const gpudevice_caps *caps) {
  return !caps->is_cpu && caps->max_group >= SORT_MIN && n_steps >= SORT_MIN &&
         n_steps <= INT32_MAX && rows <= INT32_MAX &&
         rows / SORT_ROWS <= n_steps;
}

/* Whether to sort the indices. They must be the same for all lines. */
static int is_sorted(const ga__put_layout *p, const ga__put_job *j,
                     const gpudevice_caps *caps) {
  for (unsigned int d = 0; d < p->lines.nd; d++) {
    if (p->lines.strides[GA_PUT_INDICES][d] != 0)
      return 0;
  }
  return can_sort(p->n_steps, j->rows, caps);
}

int ga__put_prefers_order(const ga__put_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  size_t words = 1, n_lines = 1, n_steps = 1;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (j->is_step[d])
      n_steps *= j->dims[d];
    else if (j->strides[GA_PUT_INDICES][d] != 0)
      return 0;
    else if (ga__put_distance(j->strides[GA_PUT_ROWS][d]) <
             ga__put_distance(j->stride))
      words *= j->dims[d];
    else
      n_lines *= j->dims[d];
  }
  const int is_crowded = j->move == GA_MOVE_ADD && n_steps > GA_PUT_MANY &&
                         words * j->rows >= CROWD_WORDS &&
                         n_steps / SORT_CROWD >= j->rows &&
                         n_lines < caps->compute_units;
  return (words >= SORT_WORDS || is_crowded) &&
         can_sort(n_steps, j->rows, caps);
}

/* The words that a work-item of SORTED moves. It finds its indices once for all
 * of them. `n` rows or indices that have work-items of their own. */
static unsigned int sorted_part(const ga__put_layout *p, size_t n,
                                const gpudevice_caps *caps) {
  const size_t units = ga__at_least(1, caps->compute_units);

  if (!caps->long_loops ||
      n * p->n_lines * p->len < units * GA_PUT_ITEMS_PER_UNIT * GA_PUT_MOVES)
    return 1;
  if (p->gen.along)
    return p->len >= GA_PUT_LONG_LINE ? GA_PUT_MOVES : 1;
  return p->len >= LONG_COLUMN ? COLUMN_MOVES : 1;
}

/* The kernels that sort the indices. Of many indices, keys are sorted, which
 * can be the number of rows, too. */
static void lay_lists(ga__put_layout *p, const ga__put_job *j,
                      const gpudevice_caps *caps) {
  const size_t placed = p->n_steps + j->rows;

  p->rank_ls = ga__at_most(p->n_steps > GA_PUT_MANY ? KEYS_GROUP : GA_PUT_ITEMS,
                           caps->max_group);
  p->rank_gs = ga__round_up(p->n_steps, p->rank_ls);
  if (p->n_steps > GA_PUT_MANY) {
    p->gen.key = j->rows <= UINT8_MAX ? 1 : j->rows <= UINT16_MAX ? 2 : 4;
    p->list_gs = ga__round_up(j->rows, p->ls[0]);
  } else if (caps->local_memory && caps->max_group >= GA_PUT_PLACING &&
             placed <= PLACE_MOST / p->n_steps) {
    p->place_gs = ga__ceil_div(placed, GA_PUT_PLACED) * GA_PUT_PLACING;
  } else {
    p->list_gs = ga__at_most(SORT_GROUP, ga__floor_pow2(caps->max_group));
  }
}

/* Neighbouring work-items move the words that are nearest to each other in the
 * rows. */
static void lay_rows(ga__put_layout *p, const ga__put_job *j,
                     const gpudevice_caps *caps) {
  const ptrdiff_t along = p->lines.strides[GA_PUT_ROWS][0];
  const size_t group = ga__at_most(GA_PUT_ITEMS, caps->max_group);

  p->gen.kernel = GA_PUT_SORTED;
  p->gen.along =
      p->len > 1 && ga__put_distance(along) <= ga__put_distance(j->stride);
  p->gen.all_rows = j->rows <= p->n_steps;
  const size_t n = p->gen.all_rows ? j->rows : p->n_steps;
  p->gen.part = sorted_part(p, n, caps);
  p->gen.turns = p->gen.part == 1 && p->n_steps / MANY_TURNS >= j->rows
                     ? MANY_TURNS
                     : TURNS;
  p->piece = p->gen.part;
  p->per = 1;
  p->pieces = ga__ceil_div(p->len, p->piece);
  p->ls[0] = group;
  p->gs[0] = ga__round_up(p->pieces * p->n_lines * n, group);
  p->gen.is_wide = !ga__fits_int(p->gs[0]);
}

/* Whether so many indices mean a row that a group has each word. */
static int is_crowded(const ga__put_layout *p, const ga__put_job *j,
                      const gpudevice_caps *caps) {
  return caps->local_memory && p->gen.move != GA_MOVE_SET &&
         p->n_lines * p->len <= CROWD_MOST && p->n_steps / CROWD >= j->rows &&
         caps->max_group >= CROWD_GROUP;
}

static void lay_crowd(ga__put_layout *p, const ga__put_job *j) {
  p->gen.kernel = GA_PUT_CROWD;
  p->gen.part = CROWD_PART;
  p->gen.group = CROWD_GROUP;
  p->piece = p->per = 1;
  p->pieces = p->len;
  p->ls[0] = CROWD_GROUP;
  p->gs[0] = p->n_lines * p->len * j->rows * CROWD_GROUP;
  p->gen.is_wide = !ga__fits_int(p->gs[0]);
}

int ga__put_lay_sorted(ga__put_layout *p, const ga__put_job *j,
                       const gpudevice_caps *caps) {
  if (!is_sorted(p, j, caps))
    return 0;
  if (ga__put_keeps_lines(p, j, caps))
    ga__put_lay_local(p, GA_PUT_LINE, p->n_lines * p->len,
                      p->n_steps * p->gen.word);
  else if (is_crowded(p, j, caps))
    lay_crowd(p, j);
  else
    lay_rows(p, j, caps);
  lay_lists(p, j, caps);
  return 1;
}

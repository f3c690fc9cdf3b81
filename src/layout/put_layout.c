/* SPDX-License-Identifier: BSD-2-Clause */
/* Iteration spaces and launches of take, gather, put and scatter. */
#include "layout/put_layout.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "layout/cut.h"

#define CHUNK_MIN 1024 /* words of a work-item on a CPU */
#define CHUNK_MAX 16384
#define CHUNKS_PER_UNIT 16
#define NEAR_MAX 65536  /* prefetch rows of at most this many bytes, */
#define NEAR_ROWS 4     /* and of at most this many rows per index */
#define STRIP_MIN 256   /* least words of a strip, which reads all indices */
#define ORDER_MIN 32768 /* least words for a second work-item */
/* Strips that are prefetched: their least bytes, about a cache line, and the
 * bytes between a strip and the one that is prefetched with it. */
#define AHEAD_MIN 64
#define AHEAD_BYTES 4096
#define RANGE_WORDS 16 /* ranges of rows need this many words per index */
#define RANGE_UNITS 8  /* or this many cores */
#define WORD_MAX 16    /* bytes, on a GPU */
#define WORD_MAX_CPU 8 /* the compiler makes vectors of these */
#define GROUP 128      /* work-items of a group on a GPU */
#define LONG_LINE 512  /* words; from here a work-item moves MOVES */
#define MOVES 4
/* The same for lines whose words have an index each, and move along the line. A
 * large group moves a large part of such a line, so the rows that it gathers
 * from stay in its cache. */
#define LOOSE_LINE 4096
#define LOOSE_MOVES 16
#define LOOSE_GROUP 512
/* Work-items of a strip, where words move across lines. Measured on one H200
 * with 4096 x 4096 floats, as a share of the rate of a copy: 0.42, and 0.23
 * with whole lines. */
#define STRIP 64
#define ITEMS_PER_UNIT 1024 /* work-items that keep a GPU busy */
#define RANGES_MAX 64       /* how often a GPU reads the indices */
#define ROUNDS_MAX 65535    /* iterations on devices that end long loops */
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
#define LONG_COLUMN 64  /* words; from here a work-item moves COLUMN_MOVES */
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

/* --- moves --- */

int ga__put_has_atomic(int typecode, int int64_atomics) {
  const int type = ga__dtype_canon(typecode);

  if (type == GA_INT || type == GA_UINT || type == GA_FLOAT)
    return 1;
  return int64_atomics &&
         (type == GA_LONG || type == GA_ULONG || type == GA_DOUBLE);
}

int ga__put_is_take(ga__put_move move) {
  return move == GA_MOVE_TAKE || move == GA_MOVE_CAST;
}

/* --- spaces --- */

static int fill_iter(ga__iter *it, const ga__put_job *j, int with_steps,
                     int with_others) {
  ptrdiff_t strides[GA_PUT_ARRAYS][2 * GA_ITER_ND];
  size_t dims[2 * GA_ITER_ND];
  unsigned int nd = 0;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (j->is_step[d] ? !with_steps : !with_others)
      continue;
    for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
      strides[k][nd] = j->strides[k][d];
    dims[nd++] = j->dims[d];
  }
  GA_TRY(ga__iter_init(it, nd, dims, GA_PUT_ARRAYS));
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
    ga__iter_set(it, k, strides[k]);
  return GA_NO_ERROR;
}

/* Make a space of rank 0 a line of one element. */
static void need_dim(ga__iter *it) {
  if (it->nd > 0)
    return;
  it->nd = 1;
  it->dims[0] = 1;
}

/* Steps keep their order: it is the order of the moves. */
static int make_spaces(ga__put_layout *p, const ga__put_job *j,
                       int with_steps) {
  if (with_steps) {
    GA_TRY(fill_iter(&p->steps, j, 1, 0));
    ga__iter_merge(&p->steps);
    need_dim(&p->steps);
    p->gen.steps = &p->steps;
  }
  GA_TRY(fill_iter(&p->lines, j, !with_steps, 1));
  ga__iter_order(&p->lines, with_steps ? GA_PUT_ROWS : GA_PUT_VALUES);
  ga__iter_merge(&p->lines);
  need_dim(&p->lines);
  p->gen.lines = &p->lines;
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
    p->offsets[k] = (size_t)p->lines.first[k];
  return GA_NO_ERROR;
}

/* A number whose lowest set bit divides all byte offsets of rows or values,
 * except those along the line. */
static size_t places_of(const ga__put_layout *p, const ga__put_job *j,
                        unsigned int k) {
  size_t bits = p->offsets[k];

  bits |= k == GA_PUT_ROWS ? j->a->offset | (size_t)j->stride : j->v->offset;
  for (unsigned int d = 1; d < p->lines.nd; d++)
    bits |= (size_t)p->lines.strides[k][d];
  for (unsigned int d = 0; d < p->steps.nd; d++)
    bits |= (size_t)p->steps.strides[k][d];
  return bits;
}

/* Move neighbouring words as one wider word, of at most `most` bytes. */
static void widen_words(ga__put_layout *p, const ga__put_job *j, size_t most) {
  const size_t places =
      places_of(p, j, GA_PUT_ROWS) | places_of(p, j, GA_PUT_VALUES);
  ga__iter *it = &p->lines;

  while (p->gen.word < most && it->dims[0] % 2 == 0 &&
         it->strides[GA_PUT_ROWS][0] == (ptrdiff_t)p->gen.word &&
         it->strides[GA_PUT_VALUES][0] == (ptrdiff_t)p->gen.word &&
         it->strides[GA_PUT_INDICES][0] == 0 &&
         places % (2 * p->gen.word) == 0) {
    p->gen.word = p->gen.value_word *= 2;
    it->dims[0] /= 2;
    it->strides[GA_PUT_ROWS][0] *= 2;
    it->strides[GA_PUT_VALUES][0] *= 2;
  }
}

/* --- launches --- */

static ptrdiff_t size_of_stride(ptrdiff_t stride) {
  return stride < 0 ? -stride : stride;
}

/* The bytes that each block of indices prefetches, so that the rows of the next
 * line or column are in the cache in time. `n` is the number of indices of a
 * line or column. 0: no prefetch. */
static size_t count_ahead(const ga__put_layout *p, const ga__put_job *j,
                          size_t n) {
  const size_t bytes = j->rows * p->gen.word;

  if (j->stride != (ptrdiff_t)p->gen.word || bytes > NEAR_MAX ||
      j->rows > NEAR_ROWS * n)
    return 0;
  return ga__ceil_div(bytes, ga__ceil_div(n, GA_PUT_BLOCK));
}

/* On a GPU neighbouring work-items move neighbouring words. The words of one
 * work-item are far apart. If each word has its own index, a line is cut into
 * strips. */
static void lay_each_gpu(ga__put_layout *p, const gpudevice_caps *caps) {
  const int is_loose = p->lines.strides[GA_PUT_INDICES][0] != 0;
  const int has_strips = is_loose && p->lines.strides[GA_PUT_ROWS][0] != 0;
  const int is_long = is_loose && !has_strips && p->len >= LOOSE_LINE &&
                      caps->max_group >= LOOSE_GROUP;

  p->gen.part = is_long ? LOOSE_MOVES : p->len >= LONG_LINE ? MOVES : 1;
  p->piece = p->gen.part;
  p->per = 1;
  p->pieces = ga__ceil_div(p->len, p->piece);
  if (has_strips)
    p->pieces = ga__at_most(p->pieces, STRIP);
  p->ls[0] = ga__at_most(is_long ? LOOSE_GROUP : GROUP, caps->max_group);
}

static void lay_each_cpu(ga__put_layout *p, const ga__put_job *j,
                         const gpudevice_caps *caps) {
  const size_t units = ga__at_least(1, caps->compute_units);
  const ga__row_cut cut = ga__cut_rows(
      p->len, ga__cut_even(p->n_lines * p->len, units * CHUNKS_PER_UNIT,
                           CHUNK_MIN, CHUNK_MAX));

  p->piece = cut.segment;
  p->per = cut.rows;
  p->pieces = ga__ceil_div(p->len, p->piece);
  p->ahead = p->pieces == 1 ? count_ahead(p, j, p->len) : 0;
  p->ls[0] = 1;
}

static void lay_each(ga__put_layout *p, const ga__put_job *j,
                     const gpudevice_caps *caps) {
  if (caps->is_cpu)
    lay_each_cpu(p, j, caps);
  else
    lay_each_gpu(p, caps);
  const size_t strips = ga__ceil_div(p->len, p->pieces * p->piece);

  p->gs[0] = ga__round_up(strips * p->pieces * ga__ceil_div(p->n_lines, p->per),
                          p->ls[0]);
}

/* The local memory that a row takes: its words, or positions of moves. */
static size_t row_bytes(const ga__put_job *j) {
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
static int keeps_rows(const ga__put_job *j, const gpudevice_caps *caps) {
  const ptrdiff_t word = (ptrdiff_t)ga__put_word(j->a);
  size_t n_lines = 1, len = 0;

  if (caps->is_cpu || !caps->local_memory || !can_keep_rows(j->move) ||
      j->stride != word || caps->max_group < GA_PUT_GROUP)
    return 0;
  for (unsigned int d = 0; d < j->nd; d++) {
    const ptrdiff_t v = j->strides[GA_PUT_VALUES][d];

    if (!j->is_step[d])
      n_lines *= j->dims[d];
    if (j->is_step[d] ? len > 0 || v != word : size_of_stride(v) <= word)
      return 0;
    if (j->is_step[d])
      len = j->dims[d];
  }
  return j->rows >= ROW_MIN && row_bytes(j) <= caps->local_bytes &&
         j->rows / ROW_WORDS <= len && ga__fits_int(len) &&
         n_lines >= caps->compute_units;
}

static void lay_local(ga__put_layout *p, ga__put_kernel kernel, size_t n_lines,
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

/* Whether the values of the next index are nearer in memory than those of the
 * next column. */
static int is_steps_inner(const ga__put_layout *p) {
  const ptrdiff_t along = p->lines.strides[GA_PUT_VALUES][0];
  const ptrdiff_t step = p->steps.strides[GA_PUT_VALUES][0];

  return along != 0 && step != 0 && p->n_steps > 1 &&
         size_of_stride(step) < size_of_stride(along);
}

/* The number of ranges into which rows are divided, if work-items that own
 * `columns` columns are fewer than `cores`. Each range reads all indices. That
 * pays if an index moves many words, or if there are many cores. */
static size_t count_ranges(const ga__put_layout *p, size_t rows, size_t columns,
                           size_t cores, size_t units) {
  if (columns >= cores || (p->piece < RANGE_WORDS && units < RANGE_UNITS))
    return 1;
  return ga__at_most(rows, ga__ceil_div(2 * cores, columns));
}

/* How many indices ahead a strip is prefetched. 0: not at all, because strips
 * are short or not contiguous. */
static size_t strips_ahead(const ga__put_layout *p) {
  const size_t bytes = p->piece * p->gen.word;

  if (bytes < AHEAD_MIN || p->lines.strides[GA_PUT_INDICES][0] != 0 ||
      p->lines.strides[GA_PUT_ROWS][0] != (ptrdiff_t)p->gen.word ||
      p->lines.strides[GA_PUT_VALUES][0] != (ptrdiff_t)p->gen.value_word)
    return 0;
  return ga__ceil_div(AHEAD_BYTES, bytes);
}

/* Work-items own columns, which are strips of lines. Rows are divided into
 * ranges only if there are fewer columns than cores. Strips are as long as
 * possible while each core gets one, because memory is fastest with long
 * runs. */
static void lay_order_cpu(ga__put_layout *p, const ga__put_job *j,
                          size_t units) {
  const size_t total = p->n_lines * p->len * p->n_steps;
  const size_t cores = total < ORDER_MIN ? 1 : units;

  p->piece = is_steps_inner(p) ? 1 : p->len;
  while (p->n_lines * ga__ceil_div(p->len, p->piece) < cores &&
         p->piece / 2 >= STRIP_MIN)
    p->piece = ga__ceil_div(p->piece, 32) * 16;
  p->pieces = ga__ceil_div(p->len, p->piece);
  size_t columns = p->n_lines * p->pieces;
  p->per = ga__at_least(1, ga__at_most(columns / (cores * 8),
                                       ORDER_MIN / (p->piece * p->n_steps)));
  p->ranges = count_ranges(p, j->rows, columns, cores, units);
  if (p->piece == 1) {
    p->gen.kernel = GA_PUT_COLUMN;
    p->ahead = count_ahead(p, j, p->n_steps);
  } else {
    p->ahead = strips_ahead(p);
    p->gen.is_ahead = p->ahead > 0;
  }
}

static void lay_order(ga__put_layout *p, const ga__put_job *j,
                      const gpudevice_caps *caps) {
  const size_t units = ga__at_least(1, caps->compute_units);

  p->ls[0] = 1;
  if (caps->is_cpu) {
    lay_order_cpu(p, j, units);
  } else {
    p->piece = p->per = 1;
    p->pieces = p->len;
    p->ranges =
        ga__at_most(ga__at_most(j->rows, RANGES_MAX),
                    ga__ceil_div(units * ITEMS_PER_UNIT, p->n_lines * p->len));
    p->ls[0] = ga__at_most(GROUP, caps->max_group);
  }
  p->span = ga__ceil_div(j->rows, p->ranges);
  p->gs[0] =
      ga__ceil_div(ga__ceil_div(p->n_lines * p->pieces, p->per), p->ls[0]) *
      p->ls[0];
  p->gs[1] = ga__ceil_div(j->rows, p->span);
  p->ls[1] = 1;
}

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
    else if (size_of_stride(j->strides[GA_PUT_ROWS][d]) <
             size_of_stride(j->stride))
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
      n * p->n_lines * p->len < units * ITEMS_PER_UNIT * MOVES)
    return 1;
  if (p->gen.along)
    return p->len >= LONG_LINE ? MOVES : 1;
  return p->len >= LONG_COLUMN ? COLUMN_MOVES : 1;
}

/* Whether groups can keep lines of values in local memory, and whether that
 * pays, as for rows. */
static int keeps_lines(const ga__put_layout *p, const ga__put_job *j,
                       const gpudevice_caps *caps) {
  const ptrdiff_t word = (ptrdiff_t)p->gen.word;

  return caps->local_memory && caps->max_group >= GA_PUT_GROUP &&
         p->gen.word == p->gen.value_word && j->stride == word &&
         p->steps.nd == 1 && p->steps.strides[GA_PUT_VALUES][0] == word &&
         j->rows >= ROW_MIN && p->n_steps * p->gen.word <= caps->local_bytes &&
         j->rows / ROW_WORDS <= p->n_steps &&
         p->n_lines * p->len >= caps->compute_units;
}

/* The kernels that sort the indices. Of many indices, keys are sorted, which
 * can be the number of rows, too. */
static void lay_lists(ga__put_layout *p, const ga__put_job *j,
                      const gpudevice_caps *caps) {
  const size_t placed = p->n_steps + j->rows;

  p->rank_ls = ga__at_most(p->n_steps > GA_PUT_MANY ? KEYS_GROUP : GROUP,
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
static void lay_sorted(ga__put_layout *p, const ga__put_job *j,
                       const gpudevice_caps *caps) {
  const ptrdiff_t along = p->lines.strides[GA_PUT_ROWS][0];
  const size_t group = ga__at_most(GROUP, caps->max_group);

  p->gen.kernel = GA_PUT_SORTED;
  p->gen.along =
      p->len > 1 && size_of_stride(along) <= size_of_stride(j->stride);
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

static void lay_in_order(ga__put_layout *p, const ga__put_job *j,
                         const gpudevice_caps *caps) {
  if (!is_sorted(p, j, caps)) {
    lay_order(p, j, caps);
    return;
  }
  if (keeps_lines(p, j, caps))
    lay_local(p, GA_PUT_LINE, p->n_lines * p->len, p->n_steps * p->gen.word);
  else if (is_crowded(p, j, caps))
    lay_crowd(p, j);
  else
    lay_sorted(p, j, caps);
  lay_lists(p, j, caps);
}

static int check_params(const ga__put_layout *p, const gpudevice_caps *caps) {
  const size_t bytes = (size_t)8 * (16 + 4 * p->lines.nd + 3 * p->steps.nd);

  if (bytes > caps->param_bytes)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    bytes, caps->param_bytes);
  return GA_NO_ERROR;
}

/* Moves in order loop over the indices. Some devices end long loops early. */
static int check_rounds(const ga__put_layout *p, const gpudevice_caps *caps) {
  if (caps->long_loops || p->gen.steps == NULL ||
      p->per * p->n_steps <= ROUNDS_MAX / (1 + p->piece))
    return GA_NO_ERROR;
  return ga__fail(
      GA_DEVSUP_ERROR,
      "%zu indices in order, the device ends loops after %d iterations",
      p->n_steps, ROUNDS_MAX);
}

size_t ga__put_word(const GpuArray *a) {
  const size_t bytes = GpuArray_ITEMSIZE(a);

  return ga__dtype_is_complex(a->typecode) ? bytes / 2 : bytes;
}

/* A complex number is two reals, except in casts. */
static void set_gen(ga__gen_put *gen, const ga__put_job *j) {
  const int type = ga__dtype_canon(j->a->typecode);

  gen->kernel = j->in_order ? GA_PUT_ORDER : GA_PUT_EACH;
  gen->move = j->move;
  gen->index_type = j->index->typecode;
  gen->many_rows = !ga__fits_int(j->rows);
  if (j->move == GA_MOVE_CAST) {
    gen->typecode = type;
    gen->value_type = ga__dtype_canon(j->v->typecode);
    gen->word = GpuArray_ITEMSIZE(j->a);
    gen->value_word = GpuArray_ITEMSIZE(j->v);
    return;
  }
  gen->typecode = ga__dtype_real(type);
  gen->word = gen->value_word = ga__put_word(j->a);
}

static void set_aligns(ga__put_layout *p, const ga__put_job *j) {
  const int is_cast = j->move == GA_MOVE_CAST;

  p->aligns[GA_PUT_ROWS] = is_cast ? ga__put_word(j->a) : p->gen.word;
  p->aligns[GA_PUT_VALUES] = is_cast ? ga__put_word(j->v) : p->gen.value_word;
  p->aligns[GA_PUT_INDICES] = GpuArray_ITEMSIZE(j->index);
}

int ga__put_layout_make(ga__put_layout *p, const ga__put_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const int with_rows = j->parts > 0 || keeps_rows(j, caps);

  set_gen(&p->gen, j);
  p->gen.has_parts = j->parts > 0;
  GA_TRY(make_spaces(p, j, j->in_order && !with_rows));
  if (j->move == GA_MOVE_TAKE || j->move == GA_MOVE_SET)
    widen_words(p, j, caps->is_cpu ? WORD_MAX_CPU : WORD_MAX);
  set_aligns(p, j);
  p->has_gaps = (j->index->flags & GA_C_CONTIGUOUS) == 0 ||
                p->offsets[GA_PUT_INDICES] != 0;
  p->len = p->lines.dims[0];
  p->n_lines = p->len > 0 ? ga__iter_total(&p->lines) / p->len : 0;
  p->n_steps = p->gen.steps != NULL ? ga__iter_total(&p->steps) : 1;
  if (p->len * p->n_lines * p->n_steps == 0)
    return GA_NO_ERROR;
  /* There may be slightly more work-items than elements. */
  p->gen.is_wide =
      !ga__fits_int(p->len * p->n_lines) || !ga__fits_int(p->n_steps);
  if (with_rows)
    lay_local(p, GA_PUT_ROW, p->n_lines, row_bytes(j));
  else if (j->in_order)
    lay_in_order(p, j, caps);
  else
    lay_each(p, j, caps);
  GA_ASSERT(p->gs[0] % p->ls[0] == 0);
  GA_ASSERT(p->gen.lines->nd > 0 &&
            (p->gen.steps == NULL || p->gen.steps->nd > 0));
  GA_TRY(check_rounds(p, caps));
  return check_params(p, caps);
}

void ga__put_layout_clear(ga__put_layout *p) {
  ga__iter_clear(&p->lines);
  ga__iter_clear(&p->steps);
}

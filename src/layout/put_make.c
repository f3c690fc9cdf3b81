/* SPDX-License-Identifier: BSD-2-Clause */
/* Iteration spaces and launches of take, gather, put and scatter. */
#include "layout/put_layout.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "layout/cut.h"
#include "layout/put_gpu.h"

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
/* GA_PUT_LONG_LINE, GA_PUT_MOVES and GA_PUT_ITEMS for lines whose words have an
 * index each, and move along the line. A large group moves a large part of such
 * a line, so the rows that it gathers from stay in its cache. */
#define LOOSE_LINE 4096
#define LOOSE_MOVES 16
#define LOOSE_GROUP 512
/* Work-items of a strip, where words move across lines. Measured on one H200
 * with 4096 x 4096 floats, as a share of the rate of a copy: 0.42, and 0.23
 * with whole lines. */
#define STRIP 64
#define RANGES_MAX 64    /* how often a GPU reads the indices */
#define ROUNDS_MAX 65535 /* iterations on devices that end long loops */
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

  p->gen.part = is_long                      ? LOOSE_MOVES
                : p->len >= GA_PUT_LONG_LINE ? GA_PUT_MOVES
                                             : 1;
  p->piece = p->gen.part;
  p->per = 1;
  p->pieces = ga__ceil_div(p->len, p->piece);
  if (has_strips)
    p->pieces = ga__at_most(p->pieces, STRIP);
  p->ls[0] = ga__at_most(is_long ? LOOSE_GROUP : GA_PUT_ITEMS, caps->max_group);
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

/* Whether the values of the next index are nearer in memory than those of the
 * next column. */
static int is_steps_inner(const ga__put_layout *p) {
  const ptrdiff_t along = p->lines.strides[GA_PUT_VALUES][0];
  const ptrdiff_t step = p->steps.strides[GA_PUT_VALUES][0];

  return along != 0 && step != 0 && p->n_steps > 1 &&
         ga__put_distance(step) < ga__put_distance(along);
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
    p->ranges = ga__at_most(
        ga__at_most(j->rows, RANGES_MAX),
        ga__ceil_div(units * GA_PUT_ITEMS_PER_UNIT, p->n_lines * p->len));
    p->ls[0] = ga__at_most(GA_PUT_ITEMS, caps->max_group);
  }
  p->span = ga__ceil_div(j->rows, p->ranges);
  p->gs[0] =
      ga__ceil_div(ga__ceil_div(p->n_lines * p->pieces, p->per), p->ls[0]) *
      p->ls[0];
  p->gs[1] = ga__ceil_div(j->rows, p->span);
  p->ls[1] = 1;
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
  const int with_rows = j->parts > 0 || ga__put_keeps_rows(j, caps);

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
    ga__put_lay_local(p, GA_PUT_ROW, p->n_lines, ga__put_row_bytes(j));
  else if (!j->in_order)
    lay_each(p, j, caps);
  else if (!ga__put_lay_sorted(p, j, caps))
    lay_order(p, j, caps);
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

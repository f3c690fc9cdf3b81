/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the layout of take along one axis. */
#include "layout/take_layout.h"

#include <stdint.h>

#include "base/arith.h"
#include "base/assert.h"
#include "layout/cut.h"

#define GROUP 256      /* work-items of a group on a GPU */
#define WORD_MAX 16    /* bytes, on a GPU */
#define WORD_MAX_CPU 8 /* the compiler makes vectors of these */
#define MOVES 4        /* words of a work-item on a GPU, */
#define LONG_ROW 128   /* in one row if it has this many words */
#define CHUNK_MIN 1024 /* words of a work-item on a CPU */
#define CHUNK_MAX 16384
#define CHUNKS_PER_UNIT 16

static void lay_cpu(ga__take_layout *p, const ga__target *t) {
  const size_t units = (size_t)t->units * CHUNKS_PER_UNIT;
  const ga__row_cut cut = ga__cut_rows(
      p->len, ga__cut_even(p->n * p->len, units, CHUNK_MIN, CHUNK_MAX));

  p->part = cut.segment;
  p->rows = cut.rows;
  p->is_wide = 1;
  p->ls = 1;
}

/* Several words per work-item hide the latency of loading the index. */
static void lay_gpu(ga__take_layout *p, const ga__target *t) {
  p->part = p->len >= LONG_ROW ? MOVES : 1;
  p->rows = p->len >= LONG_ROW ? 1 : MOVES;
  p->is_wide = !ga__fits_int(p->n * p->len);
  p->ls = t->group < GROUP ? t->group : GROUP;
}

void ga__take_layout_make(ga__take_layout *p, const ga__iter *row, size_t n,
                          size_t bytes, size_t places, const ga__target *t) {
  size_t total = ga__iter_total(row) * bytes;

  GA_ASSERT(n > 0 && total > 0);

  p->word = bytes;
  p->nd = row->nd;
  if (ga__iter_is_flat(row, 1, bytes)) {
    p->nd = 0;
    for (p->word = t->is_cpu ? WORD_MAX_CPU : WORD_MAX;
         (places | total) % p->word != 0;)
      p->word /= 2;
  }
  p->n = n;
  p->len = total / p->word;
  p->is_cpu = t->is_cpu;
  if (t->is_cpu)
    lay_cpu(p, t);
  else
    lay_gpu(p, t);
  p->segs = ga__ceil_div(p->len, p->part);
  GA_ASSERT(p->segs * p->part >= p->len);
  p->gs = ga__round_up(p->segs * ga__ceil_div(n, p->rows), p->ls);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of windows that are alike. */
#include "base/arith.h"
#include "pooling/band.h"

/* More elements of the source than a block may span. */
#define MOST_SPAN 20

/* Windows o to o + period - 1 repeat from `from` on, `lead` elements of the
 * source further for each period. */
typedef struct repeat {
  size_t from, period;
  int64_t lead;
} repeat;

/* Nonzero if window o is the one that the repetition has there, as far as the
 * source has its elements. */
static int repeats(const GpuBand *b, const repeat *r, size_t o) {
  const int64_t away = (int64_t)o - (int64_t)r->from;
  const int64_t period = (int64_t)r->period, step = (int64_t)b->step;
  const int64_t turn =
      away >= 0 ? away / period : -((period - 1 - away) / period);
  const size_t like = r->from + (size_t)(away - turn * period);
  const int64_t begin = b->first[like] + turn * r->lead;
  const int64_t room = (int64_t)b->from - begin;
  const int64_t skip = begin < 0 ? (step - 1 - begin) / step : 0;
  const int64_t most = room > 0 ? (room - 1) / step + 1 : 0;
  const int64_t end = b->count[like] < most ? b->count[like] : most;
  const int64_t count = end > skip ? end - skip : 0;

  return b->count[o] == count &&
         (count == 0 || b->first[o] == begin + skip * step);
}

/* Look for the shortest period, from the middle of the band on, where no window
 * is at a border. */
static int find_repeat(repeat *r, const GpuBand *b) {
  for (size_t p = 1; p <= GA_POOLING_MOST_BLOCK && 2 * p <= b->n; p++) {
    const size_t from = (b->n - 2 * p) / (2 * p) * p;
    size_t o = 0;

    *r = (repeat){.from = from, .period = p};
    while (o < p && (b->count[from + o] == 0 || b->count[from + p + o] == 0))
      o++;
    if (o == p)
      continue;
    r->lead = (int64_t)b->first[from + p + o] - b->first[from + o];
    for (o = 0; o < b->n && repeats(b, r, o);)
      o++;
    if (o == b->n)
      return 1;
  }
  return 0;
}

/* Where window o of a block begins, if the block begins as the repetition. */
static int64_t find_first(const GpuBand *b, const repeat *r, size_t o) {
  return b->first[r->from + o % r->period] + (int64_t)(o / r->period) * r->lead;
}

int ga__band_block(ga__pool_block *block, const GpuBand *b, size_t size) {
  int64_t low = INT64_MAX, high = 0;
  repeat r;

  *block = (ga__pool_block){0};
  if (b->most > MOST_SPAN || !find_repeat(&r, b))
    return 0;
  const size_t turns = ga__at_least(size / r.period, 1);
  const size_t n = turns * r.period;
  for (size_t o = 0; o < n; o++) {
    const int32_t count = b->count[r.from + o % r.period];
    const int64_t first = find_first(b, &r, o);
    if (count == 0)
      continue;
    low = first < low ? first : low;
    const int64_t last = first + (count - 1) * (int64_t)b->step;
    high = last > high ? last : high;
  }
  if (high - low >= MOST_SPAN)
    return 0;
  block->size = (int)n;
  block->lead = (int)((int64_t)turns * r.lead);
  block->begin = (int)(low - (int64_t)(r.from / r.period) * r.lead);
  block->step = (int)b->step;
  block->span = (int)(high - low + 1);
  for (size_t o = 0; o < n; o++) {
    block->count[o] = b->count[r.from + o % r.period];
    if (block->count[o] > 0)
      block->first[o] = (int)(find_first(b, &r, o) - low);
  }
  return 1;
}

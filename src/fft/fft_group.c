/* SPDX-License-Identifier: BSD-2-Clause */
/* Work-groups of GPUs. cl/fft_gpu.cl says how they work. */
#include "fft/fft_group.h"

#include "base/arith.h"
#include "base/err.h"

enum {
  LEAST_GROUP = 128, /* work-items that a group should have */
  MOST_GROUP = 512,  /* and that it should not exceed */
  BANKS_BYTES = 128, /* that local memory moves at once */
  LEAST_EACH = 8,    /* numbers that a work-item can hold in any case */
  FEW_ROWS = 128     /* of which work-items should hold fewer numbers */
};

/* A work-item can hold at least LEAST_EACH numbers of its lane, and pads are at
 * most a third. One work-item is enough for GA_FFT_EACH rows. */
size_t ga__fft_group_rows(const ga__fft_limits *d, size_t lanes) {
  const size_t words = d->local / (d->size / 2) * 3 / 4;
  const size_t rows = ga__at_most(LEAST_EACH * d->items, words) / lanes;

  return ga__at_least(rows, GA_FFT_EACH);
}

/* --- work-items --- */

/* Numbers that one of `items` work-items holds in a pass. */
static size_t held(const ga__fft_passes *p, unsigned int i, size_t items) {
  return ga__ceil_div(p->rows / p->radix[i], items) * p->radix[i];
}

static size_t largest_radix(const ga__fft_passes *p) {
  size_t most = 0;

  for (unsigned int i = 0; i < p->n; i++)
    most = ga__at_least(most, p->radix[i]);
  return most;
}

/* The number of work-items, at most `most_items`, of which the fewest wait for
 * others, if each holds up to `limit` numbers. Returns 0 if there is none. */
static int find_items(ga__fft_group *g, const ga__fft_passes *p,
                      size_t most_items, size_t limit) {
  size_t best = SIZE_MAX;

  for (size_t items = ga__ceil_div(p->rows, limit); items <= most_items;
       items++) {
    size_t most = 0, sum = 0;

    for (unsigned int i = 0; i < p->n; i++) {
      const size_t now = held(p, i, items);

      most = ga__at_least(most, now);
      sum += now;
    }
    if (most <= limit && sum * items < best) {
      best = sum * items;
      g->items = items;
      g->each = (unsigned int)ga__at_least(most, 1);
    }
    if (best == p->n * p->rows) /* none waits */
      break;
  }
  return best < SIZE_MAX;
}

/* If few rows are neighbours in memory, small radices and few numbers for each
 * work-item let more of them be read at once. */
static void choose_passes(ga__fft_passes *p, size_t rows, int by_line) {
  const unsigned int most_twos = !by_line || rows >= FEW_ROWS ? 4
                                 : rows >= FEW_ROWS / 4       ? 3
                                                              : 2;

  ga__fft_find_passes(p, rows, most_twos, 1);
}

static void choose_items(ga__fft_group *g, const ga__fft_passes *p,
                         size_t most_items, int by_line) {
  const size_t least = ga__at_least(largest_radix(p), 1);

  if (by_line && p->rows < FEW_ROWS && find_items(g, p, most_items, least))
    return;
  const int ok = find_items(g, p, most_items, GA_FFT_EACH);
  GA_ASSERT(ok);
  (void)ok;
}

/* --- local memory --- */

/* Results of a pass are stored in blocks with a pad behind each, so that
 * work-items whose results are radix * s words apart use different banks. */
typedef struct pads {
  size_t block, pad;
} pads;

static size_t banks(const ga__fft_group *g, const ga__fft_limits *d) {
  return BANKS_BYTES / (g->is_split ? d->size / 2 : d->size);
}

static pads pads_of(const ga__fft_group *g, const ga__fft_limits *d,
                    size_t radix, size_t s) {
  const size_t row_by = g->line > 0 ? 1 : g->width, n = banks(g, d);

  return (pads){.block = ga__at_least(radix * s, n / ga__at_most(row_by, n)),
                .pad = s * row_by < n ? s * row_by : 0};
}

/* Words of a lane, or, where lanes are the inner ones, of all. */
static size_t line_words(const ga__fft_group *g, const ga__fft_limits *d,
                         const ga__fft_passes *p) {
  const size_t row_by = g->line > 0 ? 1 : g->width, last = p->rows - 1;
  size_t s = 1, most = 0;

  for (unsigned int i = 0; i + 1 < p->n; i++) {
    const pads e = pads_of(g, d, p->radix[i], s);

    most = ga__at_least(most, (last + 1) * row_by + last / e.block * e.pad);
    s *= p->radix[i];
  }
  return ga__at_least(most, 1);
}

/* Lines have an odd number of words, for the banks. */
static void find_local(ga__fft_group *g, const ga__fft_limits *d,
                       const ga__fft_passes *p, int by_line) {
  g->line = by_line != 0;
  const size_t words = line_words(g, d, p);

  g->line = by_line ? words | 1 : 0;
  g->bytes = (by_line ? g->line * g->width : words) *
             (g->is_split ? d->size / 2 : d->size);
}

/* Can the group be `width` lanes wide? */
static int fits(ga__fft_group *g, const ga__fft_limits *d,
                const ga__fft_passes *p, size_t width, int by_line) {
  g->width = width;
  g->is_split = 0;
  find_local(g, d, p, by_line);
  if (g->bytes > d->local) {
    g->is_split = 1;
    find_local(g, d, p, by_line);
  }
  return g->bytes <= d->local && g->items * width <= d->items;
}

void ga__fft_find_group(ga__fft_group *g, ga__fft_passes *p,
                        const ga__fft_limits *d, size_t rows, size_t lanes,
                        size_t inner, int by_line) {
  const size_t beside = ga__ceil_pow2(inner);
  const size_t least = ga__at_most(beside, GA_FFT_SECTOR / d->size);

  *g = (ga__fft_group){.items = 1};
  choose_passes(p, rows, by_line);
  choose_items(g, p, ga__at_least(d->items / least, 1), by_line);
  const size_t full = ga__floor_pow2(ga__ceil_div(LEAST_GROUP, g->items));
  size_t width = ga__at_least(full, ga__at_most(beside, BANKS_BYTES / d->size));

  width = ga__at_most(width, ga__ceil_pow2(lanes));
  while (width > least && g->items * width > MOST_GROUP)
    width /= 2;
  while (width > 1 && !fits(g, d, p, width, by_line))
    width /= 2;
  const int ok = fits(g, d, p, width, by_line);
  GA_ASSERT(ok);
  (void)ok;
}

/* --- the kernel's macros --- */

static void append_pass(ga__strb *b, const ga__fft_passes *p, unsigned int i,
                        size_t s, const pads *e) {
  const unsigned int radix = p->radix[i];

  ga__strb_appendf(b, " PASS(%u, %zu, %zu)", radix, s, p->first[i]);
  if (i + 1 < p->n)
    ga__strb_appendf(b, " MOVE(%u, %zu, %u, %zu, %zu)", radix, s,
                     p->radix[i + 1], e->block, e->pad);
  else
    ga__strb_appendf(b, " STORE(%u)\n", radix);
}

void ga__fft_group_text(ga__strb *b, const ga__fft_group *g,
                        const ga__fft_limits *d, const ga__fft_passes *p) {
  size_t s = 1;

  ga__strb_appendf(b,
                   "#define ROWS %zu\n#define ITEMS %zu\n#define EACH %u\n"
                   "#define WIDTH %zu\n#define SPLIT %u\n#define LINE %zu\n",
                   p->rows, g->items, g->each, g->width, g->is_split, g->line);
  if (p->n == 0) {
    ga__strb_append(b, "#define PASSES LOAD(1) STORE(1)\n");
    return;
  }
  ga__strb_appendf(b, "#define PASSES LOAD(%u)", p->radix[0]);
  for (unsigned int i = 0; i < p->n; i++) {
    const pads e = pads_of(g, d, p->radix[i], s);

    append_pass(b, p, i, s, &e);
    s *= p->radix[i];
  }
}

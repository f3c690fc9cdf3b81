/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's gemm on GPUs: tile sizes, and cuts along k. The kernels are in
 * cl/gemm_gpu.cl. */
#include "blas/product_provider.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"

/* A group computes bm x bn elements of C in steps of bk along k, a work-item tm
 * x tn of them. Largest first; the last tile fits every device. `speed` is what
 * a compute unit reaches with `busy` work-items or more, in multiplications
 * with their additions per nanosecond. It and the times below were measured on
 * an H200 with floats; elsewhere only their ratios matter. */
typedef struct tile {
  unsigned int bm, bn, bk, tm, tn, busy, speed;
} tile;

static const tile tiles[] = {
    {128, 256, 16, 16, 8, 256, 195}, {192, 128, 16, 12, 8, 256, 190},
    {128, 128, 16, 16, 8, 256, 172}, {128, 128, 16, 8, 8, 128, 184},
    {64, 128, 16, 8, 8, 128, 145},   {64, 64, 16, 8, 4, 128, 150},
    {64, 32, 16, 8, 4, 128, 140},    {32, 32, 16, 4, 4, 128, 100},
    {64, 16, 16, 4, 4, 128, 95},     {16, 16, 16, 4, 4, 128, 60},
};
enum {
  N_TILES = sizeof tiles / sizeof tiles[0],
  SUM_BYTES = 512, /* of a work-item's sums, that registers hold */
  BAND = 8,
  STEP_NS = 20,       /* that a group waits in each step along k */
  JOIN_NS = 3500,     /* of another round trip to memory */
  JOIN_BYTES = 1900,  /* written to or read from memory in a nanosecond, */
  GROUP_BYTES = 50,   /* and by one group alone */
  MIN_STEPS = 2,      /* minimum of blocks along k for a part */
  MOST_PARTS = 128,   /* a short product with a long sum keeps a GPU busy */
  MOST_EACH = 8,      /* groups of a unit: more parts gain nothing */
  MOST_SUMS = 1 << 24 /* elements of all parts: they need memory */
};

static size_t groups(const tile *t, const ga__product *p) {
  return ga__ceil_div(p->m, t->bm) * ga__ceil_div(p->n, t->bn) * p->batch;
}

static size_t phases(const ga__product *p) {
  return p->phases != NULL ? p->phases->n : 1;
}

/* Terms of the sum in whole blocks, which do not cross the ends of lines. */
static size_t terms(const tile *t, const ga__product *p) {
  if (p->phases != NULL)
    return p->phases->mean;
  return p->lines > 0 ? p->sheets * p->lines * ga__round_up(p->k, t->bk) : p->k;
}

static unsigned int items(const tile *t) {
  return t->bm / t->tm * (t->bn / t->tn);
}

/* The 8 is for the padding of blocks in local memory. */
static int fits(const tile *t, const ga__product *p) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const size_t size = ga__dtype_size(ga__dtype_work(p->typecode));
  const size_t local = 2 * ((size_t)t->bm + t->bn + 8) * t->bk * size;

  return items(t) <= caps->max_group && local <= caps->declared_local_bytes &&
         (size_t)t->tm * t->tn * size <= SUM_BYTES;
}

/* Nanoseconds that the product takes on an H200 with this tile and `parts`
 * parts along k, of which each has `busy` groups. */
static double time_of(const tile *t, const ga__product *p, size_t busy,
                      size_t parts) {
  const size_t units = gpucontext_caps(p->ctx)->compute_units;
  const double each = (double)ga__ceil_div(busy * parts, units);
  const double alone = (double)t->busy / items(t);
  const double run =
      (double)ga__ceil_div(ga__ceil_div(terms(t, p), parts), t->bk) * t->bk;
  const double products = ga__dtype_is_complex(p->typecode) ? 4 : 1;
  const double step = STEP_NS + (each > alone ? each : alone) * t->bm * t->bn *
                                    products / (double)t->speed;
  const double sums = (double)parts * t->bm * t->bn *
                      (double)ga__dtype_size(ga__dtype_work(p->typecode));
  const double join =
      fmax(2 * (double)busy * sums / JOIN_BYTES, sums / GROUP_BYTES);

  return run * step + (parts > 1 ? JOIN_NS + join : 0);
}

/* The layout of a product: its tile, and the cut along k. */
typedef struct layout {
  const tile *t;
  ga__gen_gemm_gpu gen;
  ga__ending end;
  ga__cut cut;
} layout;

/* Choose the tile and the parts with the least time. */
static void choose(layout *lay, const ga__product *p) {
  const size_t units = gpucontext_caps(p->ctx)->compute_units;
  double least = HUGE_VAL;
  size_t best = 1;

  for (const tile *t = tiles; t < tiles + N_TILES; t++) {
    if (!fits(t, p) && t < &tiles[N_TILES - 1])
      continue;
    const size_t busy = ga__product_busy_groups(p, t->bm, t->bn) * phases(p);
    for (size_t parts = 1; parts <= MOST_PARTS; parts++) {
      const double time = time_of(t, p, busy, parts);

      if (parts > 1 &&
          (p->phases != NULL || terms(t, p) < parts * t->bk * MIN_STEPS ||
           busy * parts > MOST_EACH * units ||
           ga__times(parts * busy, (size_t)t->bm * t->bn) > MOST_SUMS))
        break;
      if (time < least) {
        least = time;
        lay->t = t;
        best = parts;
      }
    }
  }
  lay->cut = ga__product_cut(terms(lay->t, p), best, lay->t->bk);
}

/* Nonzero if all vectors of 4 elements along the unit stride are aligned. */
static int is_aligned(const ga__product *p, const ga__product_operand *o,
                      int unit) {
  const size_t bytes = 4 * ga__dtype_size(p->typecode);
  const ptrdiff_t other = unit == 1 ? o->rs : o->cs;

  return unit != 0 && o->off % bytes == 0 && o->rel % (ptrdiff_t)bytes == 0 &&
         other % 4 == 0 && (p->batch <= 1 || o->bs % 4 == 0) &&
         o->ss % 4 == 0 && o->ls % 4 == 0;
}

/* Nonzero if the first spatial dimension has one position, which is inside. */
static int is_flat(const ga__window *w) {
  return w->x[0] == 1 && w->p[w->p_last ? 0 : 1] == 1 &&
         w->j[w->j_last ? 0 : 1] == 1 && w->pad[0] == 0;
}

/* Nonzero if all sums have whole vectors of 4 elements of A. */
static int are_fours(const ga__phases *f) {
  for (size_t i = 0; i < f->n; i++)
    if (f->v[i].a % 4 != 0 || f->v[i].k % 4 != 0)
      return 0;
  return 1;
}

static void describe(layout *lay, const ga__product *p) {
  const tile *t = lay->t;
  /* The template divides by these. */
  GA_ASSERT(t->tm % 4 == 0 && t->tn % 4 == 0 && t->bm % t->tm == 0 &&
            t->bn % t->tn == 0);
  GA_ASSERT(t->bm * t->bk % (4 * items(t)) == 0 &&
            t->bn * t->bk % (4 * items(t)) == 0);
  const int a_along = ga__product_unit(&p->a, p->m, p->k);
  const int b_along = ga__product_unit(&p->b, p->k, p->n);

  lay->gen = (ga__gen_gemm_gpu){.typecode = p->typecode,
                                .bm = t->bm,
                                .bn = t->bn,
                                .bk = t->bk,
                                .tm = t->tm,
                                .tn = t->tn,
                                .band = BAND,
                                .lines = p->lines > 0,
                                .phases = p->phases != NULL,
                                .triangle = (int)p->part,
                                .parts = lay->cut.parts > 1,
                                .tickets = ga__product_tickets(p->ctx)};
  lay->gen.a_unit = a_along;
  lay->gen.b_unit = b_along == 0 ? 0 : 3 - b_along;
  lay->gen.c_unit = ga__product_unit(&p->c, p->m, p->n) == 1;
  lay->gen.a_aligned = is_aligned(p, &p->a, a_along);
  lay->gen.b_aligned = is_aligned(p, &p->b, b_along);
  lay->gen.c_aligned =
      p->epilogue == NULL && is_aligned(p, &p->c, lay->gen.c_unit);
  lay->gen.a_whole =
      lay->gen.a_aligned && (a_along == 1 ? p->k : p->m) % 4 == 0;
  lay->gen.b_whole =
      lay->gen.b_aligned && (b_along == 1 ? p->n : p->k) % 4 == 0;
  if (p->window != NULL) {
    /* One work-item always reads the same columns. */
    GA_ASSERT(items(t) % (t->bn / 4) == 0);
    lay->gen.b_unit = 2;
    lay->gen.b_aligned = lay->gen.b_whole = 0;
    lay->gen.c_unit = ga__product_has_lines(p, 4);
    lay->gen.c_aligned = lay->gen.c_unit && p->epilogue == NULL &&
                         ga__product_lines_aligned(p, 4);
    lay->gen.flat = is_flat(p->window);
  }
  if (p->phases != NULL) {
    lay->gen.a_aligned = lay->gen.a_aligned && are_fours(p->phases);
    lay->gen.a_whole = lay->gen.a_whole && lay->gen.a_aligned;
    lay->gen.c_unit = lay->gen.c_aligned = 0;
  }
  lay->end =
      ga__product_ending(p, p->window == NULL || lay->gen.c_unit ? 4 : 1);
}

/* Add a kernel of the template, with `copies` groups for each tile of C. */
static void add_kernel(GpuLaunch *l, const ga__product *p, const layout *lay,
                       const char *entry, const ga__ending *end,
                       size_t copies) {
  const size_t ls[3] = {items(lay->t), 1, 1};
  const size_t gs[3] = {ga__ceil_div(p->n, lay->t->bn) * ls[0],
                        ga__ceil_div(p->m, lay->t->bm),
                        p->batch * phases(p) * copies};

  ga__ending_kernel(l, "gemm_gpu", entry,
                    GA_GEN_TEXT(ga__gen_gemm_gpu_text, lay->gen), end, 3, gs,
                    ls);
}

/* Add a kernel that adds up the parts, where groups of the first one cannot. */
static void join(GpuLaunch *l, const ga__product *p, const layout *lay,
                 unsigned int work) {
  add_kernel(l, p, lay, "gemm_join", &lay->end, 1);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, lay->cut.parts);
  ga__launch_work_arg(l, work);
  if (p->window != NULL)
    ga__window_args(l, p->window);
  ga__ending_args(l, &lay->end);
}

static void require_alignment(GpuLaunch *l, const ga__product *p,
                              const ga__gen_gemm_gpu *gen) {
  const size_t bytes = 4 * ga__dtype_size(p->typecode);

  if (gen->a_aligned)
    ga__launch_require_align(l, p->a.slot, bytes);
  if (gen->b_aligned)
    ga__launch_require_align(l, p->b.slot, bytes);
  if (gen->c_aligned)
    ga__launch_require_align(l, p->c.slot, bytes);
}

static void lines_args(GpuLaunch *l, const ga__product *p) {
  const ga__product_operand *const o[2] = {&p->a, &p->b};

  ga__launch_size(l, p->k);
  ga__launch_size(l, p->lines);
  for (int i = 0; i < 2; i++) {
    ga__launch_ssize(l, o[i]->ls);
    ga__launch_ssize(l, o[i]->ss);
  }
}

/* A table of what the products share, and of what each one has. */
static void phases_arg(GpuLaunch *l, const ga__phases *f) {
  const size_t bytes = sizeof f->all + f->n * sizeof *f->v;
  char *table = ga__malloc(bytes);

  if (table == NULL) {
    ga__launch_error(l, ga__fail_nomem());
    return;
  }
  memcpy(table, &f->all, sizeof f->all);
  memcpy(table + sizeof f->all, f->v, f->n * sizeof *f->v);
  ga__launch_table(l, table, bytes);
  ga__free(table);
}

static void multiply(GpuLaunch *l, const ga__product *p, const layout *lay) {
  ga__product whole = *p;
  const size_t places = groups(lay->t, p);
  const size_t size = ga__dtype_size(ga__dtype_work(p->typecode));
  const size_t sums = places * lay->t->bm * lay->t->bn * size;
  const int apart = lay->gen.parts && lay->gen.tickets == GA_TICKETS_NONE;

  whole.k = terms(lay->t, p);
  require_alignment(l, p, &lay->gen);
  ga__launch_rounds(l, lay->cut.run / lay->t->bk);
  add_kernel(l, p, lay, "gemm", &lay->end, lay->cut.parts);
  ga__product_matrix(l, &p->a, 1);
  ga__product_matrix(l, &p->b, 1);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, &whole);
  const unsigned int work =
      ga__product_cut_args(l, &lay->cut, sums, apart ? 0 : places);
  if (p->lines > 0)
    lines_args(l, p);
  if (p->window != NULL)
    ga__window_args(l, p->window);
  if (p->phases != NULL)
    phases_arg(l, p->phases);
  ga__ending_args(l, &lay->end);
  if (apart)
    join(l, p, lay, work);
}

/* The kernels store C by rows if one of its strides is 1. */
static void add(GpuLaunch *l, const ga__product *given) {
  ga__product p = *given;
  layout lay = {.t = &tiles[N_TILES - 1]};

  if (p.window == NULL)
    ga__product_turn(&p);
  choose(&lay, &p);
  describe(&lay, &p);
  multiply(l, &p, &lay);
}

const ga__provider ga__gemm_gpu = {.add = add};

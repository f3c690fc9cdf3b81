/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on CPUs: how a product is cut into tiles and work-items. The kernels
 * are cl/gemm_cpu.cl and cl/gemm_pack.cl. */
#include "blas/product_provider.h"

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"

enum {
  CACHED_BLOCK = 1 << 18, /* bytes of A that stay in the second level */
  SHARED_BLOCK = 1 << 20, /* and in the last one, beside other cores' */
  BLOCK_DEPTH = 256,      /* of B, whose panels are 16 KiB with 16 lanes */
  MOST_PANELS = 4,        /* of B that a work-item copies at once */
  ITEMS_PER_CORE = 4,     /* so that a late core does not hold up the rest */
  PACK_RUN = 128,         /* columns that are copied in a row */
  PACK_COLS = 128,        /* lanes of C from which packing A may pay, */
  PACK_WORK = 1 << 28,    /* and multiplications of a core from which it does */
  PACK_COLLIDING = 1 << 24, /* the same if columns of A collide */
  COLLISION = 2048,         /* bytes between them, or a multiple */
  PACK_ROWS = 192           /* of C from which packing B does too */
};

/* How a product is computed: tiles of `mr` rows and `width` columns, which are
 * `nv` vectors of `lanes`, and how many of them a work-item has. */
typedef struct layout {
  unsigned int lanes, mr, nv;
  size_t width;
  size_t tiles, panels;           /* of C */
  size_t item_tiles, item_panels; /* of a work-item, at most MOST_PANELS */
  unsigned int a_packed, b_packed;
  unsigned int wide; /* sums of several blocks are kept, see gemm_cpu.cl */
} layout;

/* --- which tiles --- */

/* Rows of a tile: as many as registers hold, or `few` when that wastes less.
 * Two sizes, because each is a program of its own. */
static unsigned int tile_rows(size_t m, unsigned int few, unsigned int most) {
  const size_t large = ga__ceil_div(m, most) * most;

  return ga__ceil_div(m, few) * few * 4 <= large * 3 ? few : most;
}

/* B may be read beyond its last column only where its rows follow each other.
 * Complex numbers are copied one by one along k. */
static unsigned int b_unit(const ga__product *p) {
  const int unit = ga__product_unit(&p->b, p->k, p->n);

  if (unit == 2)
    return !ga__dtype_is_complex(p->typecode);
  return unit == 1 && (p->b.rs >= 1 || p->k <= 1) ? 2 : 0;
}

/* Is A stored in columns that meet in few places of the first cache level? */
static int columns_collide(const ga__product *p) {
  const size_t step = (size_t)p->a.cs * ga__dtype_size(p->typecode);

  return ga__product_unit(&p->a, p->m, p->k) == 2 && step % COLLISION == 0;
}

/* Factors in panels are multiplied about a tenth faster. But packing them is a
 * launch of its own: other cores wake up late for it, and all wait for the last
 * of them. */
static int pays_to_pack(const ga__product *p) {
  const double each = ga__dtype_is_complex(p->typecode) ? 4 : 1;
  const double work =
      each * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
  const double least = columns_collide(p) ? PACK_COLLIDING : PACK_WORK;

  return p->n * ga__product_parts(p->typecode) >= PACK_COLS &&
         work >= least * gpucontext_caps(p->ctx)->compute_units;
}

/* Work-items that keep all cores busy. */
static size_t enough_items(const ga__product *p) {
  return gpucontext_caps(p->ctx)->compute_units * (size_t)ITEMS_PER_CORE;
}

/* Panels that the busiest core walks if each work-item has `wide` of them. */
static size_t most_walked(const ga__product *p, size_t panels, size_t wide,
                          size_t across) {
  const size_t items = ga__ceil_div(panels, wide) * across * p->batch;

  return ga__ceil_div(items, gpucontext_caps(p->ctx)->compute_units) * wide;
}

/* As many panels for a work-item as leave enough work-items for all cores, or
 * fewer if that evens out what the cores have to do by more than 1/16. */
static size_t wide_items(const ga__product *p, size_t panels, size_t across) {
  const size_t most = across * panels * p->batch / enough_items(p);
  size_t wide = ga__between(1, most, MOST_PANELS);

  for (size_t w = wide - 1; w > 0; w--) {
    if (most_walked(p, panels, w, across) * 16 <
        most_walked(p, panels, wide, across) * 15)
      wide = w;
  }
  return wide;
}

/* A block of A is used several times while it is in the second cache level.
 * Work-items that copy their panels of B rather have tall blocks: each of them
 * over the same columns copies the same panels. */
static void cut_result(layout *t, const ga__product *p) {
  const size_t block = t->b_packed ? CACHED_BLOCK : SHARED_BLOCK;
  const size_t column = t->tiles * t->mr * BLOCK_DEPTH *
                        ga__dtype_size(ga__dtype_work(p->typecode));
  size_t across = ga__ceil_div(column, block);

  t->item_panels = wide_items(p, t->panels, across);
  across = ga__at_least(
      across, ga__ceil_div(enough_items(p),
                           ga__ceil_div(t->panels, t->item_panels) * p->batch));
  t->item_tiles = ga__ceil_div(t->tiles, ga__at_most(across, t->tiles));
}

static layout choose(const ga__product *p, int packed) {
  const unsigned int parts = ga__product_parts(p->typecode);
  /* AVX-512 has 32 vector registers; take 16 for granted elsewhere. A complex
   * tile has two sums for each element. */
  const int many = gpucontext_caps(p->ctx)->vector_float >= 16;
  layout t = {.lanes = ga__product_lanes(p->ctx, p->typecode)};

  t.mr = parts > 1 ? tile_rows(p->m, 2, many ? 6 : 3)
                   : tile_rows(p->m, 4, many ? 8 : 6);
  t.nv = p->n <= t.lanes / parts ? 1 : 2;
  t.width = (size_t)t.lanes * t.nv / parts;
  t.tiles = ga__ceil_div(p->m, t.mr);
  t.panels = ga__ceil_div(p->n, t.width);
  /* Halfs are converted once in panels, and many at a time. */
  t.a_packed =
      p->k > 0 && (packed || p->typecode == GA_HALF || pays_to_pack(p));
  t.b_packed = t.a_packed && (packed || p->m >= PACK_ROWS);
  t.wide =
      (p->typecode == GA_HALF || p->epilogue != NULL) && p->k > BLOCK_DEPTH;
  cut_result(&t, p);
  GA_ASSERT(t.item_panels >= 1 && t.item_panels <= MOST_PANELS);
  GA_ASSERT(t.item_tiles >= 1 && (t.a_packed || !t.b_packed));
  return t;
}

/* --- factors in panels --- */

/* A factor in panels of `width` rows: a workspace and the batch stride in it.
 */
typedef struct factor {
  ga__operand from; /* A, or B transposed: panels are rows */
  size_t rows, width, batch;
  size_t each, pieces; /* panels that are copied in a row, and such pieces */
  size_t bytes;
  unsigned int work;
  ptrdiff_t bs;
} factor;

/* Columns that are copied in a row. Long runs of memory's rows make the best of
 * its pages. */
static size_t pack_run(const ga__product *p) {
  return ga__at_least(ga__ceil_div(p->k, enough_items(p)), PACK_RUN);
}

/* Panels for a factor, once if a batch shares it. */
static factor factor_of(const ga__product *p, const ga__operand *o, size_t rows,
                        size_t width) {
  const size_t along = ga__ceil_div(p->k, pack_run(p));
  const size_t n = ga__ceil_div(rows, width), one = ga__times(n * width, p->k);
  factor f = {.from = *o,
              .rows = rows,
              .width = width,
              .batch = o->bs == 0 ? 1 : p->batch,
              .bs = o->bs == 0 ? 0 : (ptrdiff_t)one};

  f.each = ga__ceil_div(n, ga__ceil_div(enough_items(p), along));
  f.pieces = ga__ceil_div(n, f.each);
  f.bytes = ga__times(ga__times(f.batch, one),
                      ga__dtype_size(ga__dtype_work(p->typecode)));
  return f;
}

static void pack_args(GpuLaunch *l, const factor *f) {
  ga__product_matrix(l, &f->from, 1);
  ga__launch_size(l, f->batch);
  ga__launch_size(l, f->rows);
  ga__launch_size(l, f->width);
  ga__launch_size(l, f->each);
}

/* Copy A into its panels, and B if it has some. */
static void pack(GpuLaunch *l, const ga__product *p, const layout *t, factor *a,
                 factor *b) {
  const size_t run = pack_run(p);
  const size_t gs[3] = {a->pieces + b->pieces, ga__ceil_div(p->k, run),
                        ga__at_least(a->batch, b->batch)};
  const size_t ls[3] = {1, 1, 1};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_numbers(&defines, p->typecode, t->lanes, 0, NULL);
  ga__product_kernel(l, p->typecode, "gemm_pack", "gemm_pack", &defines, 3, gs,
                     ls);
  pack_args(l, a);
  a->work = ga__launch_work(l, a->bytes);
  pack_args(l, b->pieces > 0 ? b : a);
  if (b->pieces > 0)
    b->work = ga__launch_work(l, b->bytes);
  else
    ga__launch_work_arg(l, a->work); /* in its place */
  ga__launch_size(l, a->pieces);
  ga__launch_size(l, p->k);
  ga__launch_size(l, run);
}

/* --- the product --- */

/* The arguments that stand for a factor, which may be in panels. */
static void factor_args(GpuLaunch *l, const ga__operand *o, const factor *f) {
  if (f->pieces == 0) {
    ga__product_matrix(l, o, 1);
    return;
  }
  ga__launch_work_arg(l, f->work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, f->bs);
}

static void multiply(GpuLaunch *l, const ga__product *p, const layout *t,
                     const factor *a, const factor *b) {
  const size_t gs[3] = {ga__ceil_div(t->panels, t->item_panels),
                        ga__ceil_div(t->tiles, t->item_tiles), p->batch};
  const size_t ls[3] = {1, 1, 1};
  const size_t sums = p->batch * t->panels * t->width * t->tiles * t->mr *
                      ga__dtype_size(ga__dtype_work(p->typecode));
  const ga__macro macros[] = {
      {"MR", t->mr},
      {"NV", t->nv},
      {"KC", BLOCK_DEPTH},
      {"PANELS", MOST_PANELS},
      {"A_PACKED", t->a_packed},
      {"B_PACKED", t->b_packed},
      {"B_UNIT", t->b_packed ? 0 : b_unit(p)},
      {"C_UNIT", ga__product_unit(&p->c, p->m, p->n) == 1},
      {"WIDE", t->wide}};
  const ga__ending end = ga__product_ending(p, t->lanes);
  ga__strb defines = GA_STRB_INIT;

  ga__gen_numbers(&defines, p->typecode, t->lanes,
                  sizeof macros / sizeof macros[0], macros);
  ga__ending_kernel(l, "gemm_cpu", "gemm", &defines, &end, 3, gs, ls);
  factor_args(l, &p->a, a);
  factor_args(l, &p->b, b);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, t->item_tiles * t->mr);
  ga__launch_size(l, t->item_panels * t->width);
  ga__launch_work(l, t->wide ? sums : 1);
  ga__ending_args(l, &end);
}

static void add_steps(GpuLaunch *l, const ga__product *given, int packed) {
  ga__product p = *given;
  factor a = {.pieces = 0}, b = {.pieces = 0};

  ga__product_turn(&p);
  const layout t = choose(&p, packed);
  ga__operand bt = p.b;
  bt.rs = p.b.cs;
  bt.cs = p.b.rs;
  if (t.a_packed)
    a = factor_of(&p, &p.a, p.m, t.mr);
  if (t.b_packed)
    b = factor_of(&p, &bt, p.n, t.width);
  if (t.a_packed)
    pack(l, &p, &t, &a, &b);
  multiply(l, &p, &t, &a, &b);
}

static int wants(const ga__product *p) {
  return gpucontext_caps(p->ctx)->is_cpu;
}

static void add(GpuLaunch *l, const ga__product *p) {
  add_steps(l, p, 0);
}

static void add_packed(GpuLaunch *l, const ga__product *p) {
  add_steps(l, p, 1);
}

const ga__provider ga__gemm_cpu = {.wants = wants, .add = add};
const ga__provider ga__gemm_cpu_packed = {.wants = wants, .add = add_packed};

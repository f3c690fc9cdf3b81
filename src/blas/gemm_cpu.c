/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's gemm on CPUs: how a product is divided into tiles and
 * work-items. The kernels are cl/gemm_cpu.cl and cl/gemm_pack.cl. */
#include "blas/product_provider.h"

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"

enum {
  CACHED_BLOCK = 1 << 18, /* bytes of A that stay in the second cache level */
  SHARED_BLOCK = 1 << 20, /* and in the last level, beside those of other
                             cores */
  BLOCK_DEPTH = 256,      /* rows of B; with 16 lanes, a panel of them has 16
                             KiB */
  MOST_PANELS = 4,        /* of B that a work-item copies at once */
  ITEMS_PER_CORE = 4,     /* so that the others need not wait for a slow core */
  WINDOW_ITEMS = 2,       /* the same, where each one copies windows */
  PACK_RUN = 128,         /* minimum of columns that are copied in one run */
  PACK_COLS = 128,        /* lanes of C from which packing A may pay */
  PACK_WORK = 1 << 28,    /* multiplications of a core from which it pays */
  PACK_COLLIDING = 1 << 24, /* the same, if columns of A collide */
  COLLISION = 2048,         /* columns a multiple of these bytes apart
                               collide */
  PACK_ROWS = 192           /* rows of C from which packing B pays, too */
};

/* The layout of a product: tiles of `mr` rows and `width` columns, which are
 * `nv` vectors of `lanes` lanes, and the count of tiles and panels for a
 * work-item. */
typedef struct layout {
  unsigned int lanes, mr, nv;
  size_t width;
  size_t tiles, panels;           /* of C */
  size_t item_tiles, item_panels; /* of a work-item; item_panels is at most
                                     MOST_PANELS */
  unsigned int a_packed, b_packed;
  unsigned int wide; /* sums over several blocks are stored in the work type */
} layout;

/* --- tiles --- */

/* Rows of a tile: `most`, which registers can hold, or `few` if that wastes
 * less. There are only two sizes, because each needs a program of its own. */
static unsigned int tile_rows(size_t m, unsigned int few, unsigned int most) {
  const size_t large = ga__ceil_div(m, most) * most;

  return ga__ceil_div(m, few) * few * 4 <= large * 3 ? few : most;
}

/* B_UNIT of cl/gemm_cpu.cl. B may be read beyond its last column only if its
 * rows follow each other in memory. Complex numbers are copied one by one along
 * k. */
static unsigned int b_unit(const ga__product *p) {
  const int unit = ga__product_unit(&p->b, p->k, p->n);

  if (unit == 2)
    return !ga__dtype_is_complex(p->typecode);
  return unit == 1 && (p->b.rs >= 1 || p->k <= 1) ? 2 : 0;
}

/* Nonzero if columns of A collide: their elements share few sets of the first
 * cache level. */
static int columns_collide(const ga__product *p) {
  const size_t step = (size_t)p->a.cs * ga__dtype_size(p->typecode);

  return ga__product_unit(&p->a, p->m, p->k) == 2 && step % COLLISION == 0;
}

/* With panels, a product is about a tenth faster. But packing needs a kernel of
 * its own, for which other cores wake up late, and whose end all cores wait
 * for. */
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
  return gpucontext_caps(p->ctx)->compute_units *
         (size_t)(p->window != NULL ? WINDOW_ITEMS : ITEMS_PER_CORE);
}

/* Panels that the busiest core computes if each work-item has `wide` panels.
 * `across` is the count of work-items along a column of C. */
static size_t most_walked(const ga__product *p, size_t panels, size_t wide,
                          size_t across) {
  const size_t items = ga__ceil_div(panels, wide) * across * p->batch;

  return ga__ceil_div(items, gpucontext_caps(p->ctx)->compute_units) * wide;
}

/* Panels for a work-item: as many as leave enough work-items for all cores, or
 * fewer if that reduces the work of the busiest core by more than 1/16. */
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

/* Choose the tiles and panels of a work-item. A block of A is used several
 * times while it is in the second cache level. Work-items that copy panels of B
 * have taller blocks, because each one over the same columns copies the same
 * panels. */
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
  /* AVX-512 has 32 vector registers; elsewhere, assume 16. A complex tile has
   * two sums for each element. */
  const int many = gpucontext_caps(p->ctx)->vector_float >= 16;
  const int is_narrow = ga__dtype_is_narrow(p->typecode);
  layout t = {.lanes = ga__product_lanes(p->ctx, p->typecode)};

  t.mr = parts > 1 ? tile_rows(p->m, 2, many ? 6 : 3)
                   : tile_rows(p->m, 4, many ? 8 : 6);
  t.nv = p->n <= t.lanes / parts ? 1 : 2;
  t.width = (size_t)t.lanes * t.nv / parts;
  t.tiles = ga__ceil_div(p->m, t.mr);
  t.panels = ga__ceil_div(p->n, t.width);
  /* Packing converts narrow floats once, and many at a time. */
  t.a_packed = p->k > 0 && (packed || is_narrow || pays_to_pack(p));
  t.b_packed = t.a_packed && p->window == NULL && (packed || p->m >= PACK_ROWS);
  t.wide = (is_narrow || p->epilogue != NULL) && p->k > BLOCK_DEPTH;
  cut_result(&t, p);
  GA_ASSERT(t.item_panels >= 1 && t.item_panels <= MOST_PANELS);
  GA_ASSERT(t.item_tiles >= 1 && (t.a_packed || !t.b_packed));
  return t;
}

/* --- packing matrices into panels --- */

/* A matrix in panels of `width` rows, which lie in a workspace. */
typedef struct factor {
  ga__product_operand from; /* A, or B transposed */
  size_t rows, width, batch;
  size_t each, pieces; /* panels that a work-item copies, and such pieces */
  size_t bytes;
  unsigned int work;
  ptrdiff_t bs;
} factor;

/* Columns that a work-item copies in one run. Long runs make good use of memory
 * pages. */
static size_t pack_run(const ga__product *p) {
  return ga__at_least(ga__ceil_div(p->k, enough_items(p)), PACK_RUN);
}

/* Describe the panels of a matrix. If a batch shares the matrix, there is one
 * set of panels. */
static factor factor_of(const ga__product *p, const ga__product_operand *o,
                        size_t rows, size_t width) {
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

/* Add the kernel that copies A into panels, and B, too, if b->pieces is not
 * 0. */
static void pack(GpuLaunch *l, const ga__product *p, const layout *t, factor *a,
                 factor *b) {
  const size_t run = pack_run(p);
  const size_t gs[3] = {a->pieces + b->pieces, ga__ceil_div(p->k, run),
                        ga__at_least(a->batch, b->batch)};
  const size_t ls[3] = {1, 1, 1};
  const ga__gen_macros gen = {.typecode = p->typecode, .lanes = t->lanes};

  ga__product_kernel(p->ctx, l, p->typecode, "gemm_pack", "gemm_pack",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 3, gs, ls);
  pack_args(l, a);
  a->work = ga__launch_work(l, a->bytes);
  pack_args(l, b->pieces > 0 ? b : a);
  if (b->pieces > 0)
    b->work = ga__launch_work(l, b->bytes);
  else
    ga__launch_work_arg(l, a->work); /* in place of B's */
  ga__launch_size(l, a->pieces);
  ga__launch_size(l, p->k);
  ga__launch_size(l, run);
}

/* --- the product --- */

/* Add the arguments of a matrix, or of its panels if it has some. */
static void factor_args(GpuLaunch *l, const ga__product_operand *o,
                        const factor *f) {
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
  const int has_window = p->window != NULL;
  const ga__window_line line =
      has_window ? ga__window_find_line(p->window) : (ga__window_line){0};
  const ga__gen_macros gen = {
      .typecode = p->typecode,
      .lanes = t->lanes,
      .names_lanes = has_window,
      .n = has_window ? 11 : 9,
      .v = {{"MR", t->mr},
            {"NV", t->nv},
            {"KC", BLOCK_DEPTH},
            {"PANELS", MOST_PANELS},
            {"A_PACKED", t->a_packed},
            {"B_PACKED", t->b_packed},
            {"B_UNIT", t->b_packed || has_window ? 0 : b_unit(p)},
            {"C_UNIT", !has_window && ga__product_unit(&p->c, p->m, p->n) == 1},
            {"WIDE", t->wide},
            {"LINE", line.step},
            {"ALONG", (size_t)line.goes_along}}};
  const ga__ending end = ga__product_ending(p, t->lanes);

  ga__ending_kernel(l, "gemm_cpu", "gemm",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 3, gs, ls);
  factor_args(l, &p->a, a);
  factor_args(l, &p->b, b);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, t->item_tiles * t->mr);
  ga__launch_size(l, t->item_panels * t->width);
  if (t->wide)
    ga__launch_work(l, sums);
  else
    ga__launch_none(l);
  if (p->window != NULL)
    ga__window_args(l, p->window);
  ga__ending_args(l, &end);
}

static void add_steps(GpuLaunch *l, const ga__product *given, int packed) {
  ga__product p = *given;
  factor a = {.pieces = 0}, b = {.pieces = 0};

  if (p.window == NULL)
    ga__product_turn(&p);
  const layout t = choose(&p, packed);
  ga__product_operand bt = p.b;
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

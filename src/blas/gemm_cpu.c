/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on CPUs: how a product is cut into tiles and work-items. The
 * kernels are cl/gemm_cpu.cl and cl/gemm_pack.cl. */
#include "blas/product.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  CACHED_BLOCK = 1 << 18, /* bytes of A that stay in the second level */
  SHARED_BLOCK = 1 << 20, /* and in the last one, beside other cores' */
  BLOCK_DEPTH = 256,      /* of B, whose panels are 16 KiB with 16 lanes */
  ITEMS_PER_CORE = 4,     /* so that a late core does not hold up the rest */
  PACK_RUN = 128,         /* columns that are copied in a row */
  PACK_COLS = 128,        /* of C from which packing A may pay, */
  PACK_WORK = 1 << 28,    /* and multiplications of a core from which it does */
  PACK_COLLIDING = 1 << 24, /* the same if columns of A collide */
  COLLISION = 2048,         /* bytes between them, or a multiple */
  PACK_ROWS = 192           /* of C from which packing B does too */
};

/* Rows of a tile: as many as registers hold, or 4 when that wastes less. Few
 * sizes, because each is a program of its own. */
static unsigned int tile_rows(size_t m, unsigned int most) {
  const size_t large = ga__ceil_div(m, most) * most;

  return ga__ceil_div(m, 4) * 4 * 4 <= large * 3 ? 4 : most;
}

/* B may be read beyond its last column only where its rows follow each other.
 */
static int b_unit(const ga__gemm *g) {
  int unit = ga__product_unit(&g->b, g->k, g->n);

  if (unit == 2)
    return 1;
  if (unit == 1 && (g->b.rs >= 1 || g->k <= 1))
    return 2;
  return 0;
}

/* Is A stored in columns that meet in few places of the first cache level? */
static int columns_collide(const ga__gemm *g) {
  const size_t step = (size_t)g->a.cs * ga__dtype_size(g->typecode);

  return ga__product_unit(&g->a, g->m, g->k) == 2 && step % COLLISION == 0;
}

/* Factors in panels are multiplied about a tenth faster. But packing them is a
 * launch of its own: other cores wake up late for it, and all wait for the last
 * of them. */
int ga__gemm_pays_to_pack(const ga__gemm *g) {
  const double each = ga__dtype_is_complex(g->typecode) ? 4 : 1;
  const double work =
      each * (double)g->batch * (double)g->m * (double)g->n * (double)g->k;
  const double least = columns_collide(g) ? PACK_COLLIDING : PACK_WORK;

  return work >= least * gpucontext_caps(g->ctx)->compute_units;
}

/* Elements of half precision are converted once then, and many at a time. */
static int is_packed(const ga__gemm *g) {
  return g->typecode == GA_HALF ||
         (g->n >= PACK_COLS && ga__gemm_pays_to_pack(g));
}

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

/* Pieces that keep all cores busy. */
static size_t enough_items(const ga__gemm *g) {
  return gpucontext_caps(g->ctx)->compute_units * (size_t)ITEMS_PER_CORE;
}

/* Columns that are copied in a row. Long runs of memory's rows make the best of
 * its pages. */
static size_t pack_run(const ga__gemm *g) {
  return ga__at_least(ga__ceil_div(g->k, enough_items(g)), PACK_RUN);
}

/* Panels for a factor, once if a batch shares it. */
static factor factor_of(const ga__gemm *g, const ga__operand *o, size_t rows,
                        size_t width) {
  const size_t along = ga__ceil_div(g->k, pack_run(g));
  const size_t n = ga__ceil_div(rows, width), one = ga__times(n * width, g->k);
  factor f = {.from = *o,
              .rows = rows,
              .width = width,
              .batch = o->bs == 0 ? 1 : g->batch,
              .bs = o->bs == 0 ? 0 : (ptrdiff_t)one};

  f.each = ga__ceil_div(n, ga__ceil_div(enough_items(g), along));
  f.pieces = ga__ceil_div(n, f.each);
  f.bytes = ga__times(ga__times(f.batch, one),
                      ga__dtype_size(ga__dtype_work(g->typecode)));
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
static void pack(GpuLaunch *l, const ga__gemm *g, factor *a, factor *b) {
  const size_t run = pack_run(g);
  const size_t gs[3] = {a->pieces + b->pieces, ga__ceil_div(g->k, run),
                        ga__at_least(a->batch, b->batch)};
  const size_t ls[3] = {1, 1, 1};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_real(&defines, g->typecode, ga__product_lanes(g->ctx, g->typecode));
  ga__product_kernel(l, "gemm_pack", "gemm_pack", &defines, 3, gs, ls);
  ga__strb_clear(&defines);
  pack_args(l, a);
  a->work = ga__launch_work(l, a->bytes);
  pack_args(l, b->pieces > 0 ? b : a);
  if (b->pieces > 0)
    b->work = ga__launch_work(l, b->bytes);
  else
    ga__launch_work_arg(l, a->work); /* in its place */
  ga__launch_size(l, a->pieces);
  ga__launch_size(l, g->k);
  ga__launch_size(l, run);
}

/* Arguments that stand for a factor in panels. */
static void packed_args(GpuLaunch *l, const factor *f) {
  ga__launch_work_arg(l, f->work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, f->bs);
}

/* Panels that the busiest core walks if each work-item has `wide` of them. */
static size_t most_walked(const ga__gemm *g, size_t panels, size_t wide,
                          size_t across) {
  const size_t items = ga__ceil_div(panels, wide) * across * g->batch;

  return ga__ceil_div(items, gpucontext_caps(g->ctx)->compute_units) * wide;
}

/* As many panels for a work-item as leave enough work-items for all cores, or
 * fewer if that evens out what the cores have to do by more than 1/16. */
static size_t wide_items(const ga__gemm *g, size_t panels, size_t across) {
  const size_t most = across * panels * g->batch / enough_items(g);
  size_t wide = ga__between(1, most, GA_MOST_PANELS);

  for (size_t w = wide - 1; w > 0; w--) {
    if (most_walked(g, panels, w, across) * 16 <
        most_walked(g, panels, wide, across) * 15)
      wide = w;
  }
  return wide;
}

ga__cut ga__gemm_cut(const ga__gemm *g, size_t tiles, size_t panels,
                     size_t across) {
  const size_t wide = wide_items(g, panels, across);
  const size_t others = ga__ceil_div(panels, wide) * g->batch;

  across = ga__at_least(across, ga__ceil_div(enough_items(g), others));
  across = ga__at_most(across, tiles);
  return (ga__cut){.tiles = ga__ceil_div(tiles, across), .panels = wide};
}

/* A block of A is used several times while it is in the second cache level.
 * Work-items that copy their panels of B rather have tall blocks: each of them
 * over the same columns copies the same panels. */
static ga__cut cut_result(const ga__gemm *g, const ga__gen_gemm_cpu *gen) {
  const size_t block = gen->b_packed ? CACHED_BLOCK : SHARED_BLOCK;
  const size_t tiles = ga__ceil_div(g->m, gen->mr);
  const size_t column =
      tiles * gen->mr * gen->kc * ga__dtype_size(ga__dtype_work(g->typecode));

  return ga__gemm_cut(g, tiles,
                      ga__ceil_div(g->n, (size_t)gen->lanes * gen->nv),
                      ga__ceil_div(column, block));
}

static void multiply(GpuLaunch *l, const ga__gemm *g,
                     const ga__gen_gemm_cpu *gen, const factor *a,
                     const factor *b) {
  const ga__cut part = cut_result(g, gen);
  const size_t panels = ga__ceil_div(g->n, (size_t)gen->lanes * gen->nv);
  const size_t tiles = ga__ceil_div(g->m, gen->mr);
  const size_t gs[3] = {ga__ceil_div(panels, part.panels),
                        ga__ceil_div(tiles, part.tiles), g->batch};
  const size_t ls[3] = {1, 1, 1};
  const size_t sums =
      gen->wide ? g->batch * panels * gen->lanes * gen->nv * tiles * gen->mr *
                      ga__dtype_size(ga__dtype_work(g->typecode))
                : 1;
  const ga__ending end = {.ctx = g->ctx,
                          .epilogue = g->epilogue,
                          .turned = g->turned,
                          .typecode = g->typecode,
                          .lanes = gen->lanes};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_gemm_cpu_text(&defines, gen);
  ga__ending_kernel(l, "gemm_cpu", "gemm", &defines, &end, 3, gs, ls);
  ga__strb_clear(&defines);
  if (gen->a_packed)
    packed_args(l, a);
  else
    ga__product_matrix(l, &g->a, 1);
  if (gen->b_packed)
    packed_args(l, b);
  else
    ga__product_matrix(l, &g->b, 1);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__launch_size(l, g->k);
  ga__product_scalar(l, g->typecode, g->alpha.re);
  ga__product_factor(l, g->typecode, g->beta.re);
  ga__launch_size(l, part.tiles * gen->mr);
  ga__launch_size(l, part.panels * gen->lanes * gen->nv);
  ga__launch_work(l, sums);
  ga__ending_args(l, &end);
}

static void choose(ga__gen_gemm_cpu *gen, const ga__gemm *g, int packed) {
  gen->lanes = ga__product_lanes(g->ctx, g->typecode);
  /* AVX-512 has 32 vector registers; take 16 for granted elsewhere. */
  gen->mr =
      tile_rows(g->m, gpucontext_caps(g->ctx)->vector_float >= 16 ? 8 : 6);
  gen->nv = g->n <= gen->lanes ? 1 : 2;
  gen->c_unit = ga__product_unit(&g->c, g->m, g->n) == 1;
  gen->a_packed = g->k > 0 && (packed || is_packed(g));
  gen->b_packed = gen->a_packed && (packed || g->m >= PACK_ROWS);
  gen->b_unit = gen->b_packed ? 0 : b_unit(g);
  gen->wide = (g->typecode == GA_HALF || g->epilogue != NULL) && g->k > gen->kc;
}

void ga__gemm_cpu(GpuLaunch *l, const ga__gemm *given, int packed) {
  ga__gemm g = *given;
  ga__gen_gemm_cpu gen = {
      .typecode = given->typecode, .kc = BLOCK_DEPTH, .panels = GA_MOST_PANELS};
  factor a = {.pieces = 0}, b = {.pieces = 0};

  ga__gemm_turn(&g);
  choose(&gen, &g, packed);
  ga__operand bt = g.b;
  bt.rs = g.b.cs;
  bt.cs = g.b.rs;
  if (gen.a_packed)
    a = factor_of(&g, &g.a, g.m, gen.mr);
  if (gen.b_packed)
    b = factor_of(&g, &bt, g.n, (size_t)gen.lanes * gen.nv);
  if (gen.a_packed)
    pack(l, &g, &a, &b);
  multiply(l, &g, &gen, &a, &b);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on CPUs: how a product is cut into tiles and work-items. The
 * kernels are cl/gemm_cpu.cl and cl/gemm_pack.cl. */
#include "blas/product.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  CACHED_BLOCK = 1 << 18, /* bytes of A that stay in the second level */
  MOST_PANELS = 4,        /* of B that one work-item walks */
  BLOCK_DEPTH = 256,      /* of B, whose panels are 16 KiB with 16 lanes */
  ITEMS_PER_CORE = 4,     /* so that a late core does not hold up the rest */
  PACK_RUN = 128,         /* columns that are copied in a row */
  PACK_COLS = 128,        /* of C from which packing A may pay, */
  PACK_SIZE = 1 << 16,    /* and elements of A from which it does */
  PACK_ROWS = 192         /* of C from which packing B does too */
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

static int pays_to_pack(const ga__gemm *g) {
  size_t size = g->m * g->k;

  if (size == 0)
    return 0;
  if (g->typecode == GA_HALF)
    return 1; /* elements are converted once, and many at a time */
  if (g->n < PACK_COLS)
    return 0;
  return size >= PACK_SIZE;
}

/* A factor in panels: a workspace and the batch stride in it. */
typedef struct factor {
  unsigned int work;
  ptrdiff_t bs;
} factor;

/* Copy a factor into panels of `width` rows, once if a batch shares it. It is A
 * or B transposed. Long runs of memory's rows make the best of its pages. */
static factor pack(GpuLaunch *l, const ga__gemm *g, const ga__operand *o,
                   size_t rows, size_t width) {
  const size_t batch = o->bs == 0 ? 1 : g->batch;
  const size_t n = ga__ceil_div(rows, width), one = n * width * g->k;
  const size_t want =
      gpucontext_caps(g->ctx)->compute_units * (size_t)ITEMS_PER_CORE;
  const size_t even = ga__ceil_div(g->k, want);
  const size_t run = even > PACK_RUN ? even : PACK_RUN;
  const size_t along = ga__ceil_div(g->k, run);
  const size_t each = ga__ceil_div(n, ga__ceil_div(want, along));
  const size_t gs[3] = {ga__ceil_div(n, each), along, batch};
  const size_t ls[3] = {1, 1, 1};
  ga__strb defines = GA_STRB_INIT;
  factor p = {.bs = o->bs == 0 ? 0 : (ptrdiff_t)one};

  ga__gen_real(&defines, g->typecode, ga__product_lanes(g->ctx, g->typecode));
  ga__product_kernel(l, "gemm_pack", "gemm_pack", &defines, 3, gs, ls);
  ga__strb_clear(&defines);
  ga__product_matrix(l, o, 1);
  ga__launch_size(l, rows);
  ga__launch_size(l, g->k);
  ga__launch_size(l, width);
  ga__launch_size(l, each);
  ga__launch_size(l, run);
  p.work = ga__launch_work(l, batch * one *
                                  ga__dtype_size(ga__dtype_work(g->typecode)));
  return p;
}

/* Arguments that stand for a factor in panels. */
static void packed_args(GpuLaunch *l, factor p) {
  ga__launch_work_arg(l, p.work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, p.bs);
}

/* How C is cut: every work-item computes rows x cols of it. */
typedef struct cut {
  size_t rows, cols;
} cut;

/* Enough work-items for all cores; with more than that, wider ones, so that a
 * block of A is used several times while it is in the second cache level. */
static cut cut_result(const ga__gemm *g, const ga__gen_gemm_cpu *gen) {
  const size_t want =
      gpucontext_caps(g->ctx)->compute_units * (size_t)ITEMS_PER_CORE;
  const size_t width = (size_t)gen->lanes * gen->nv;
  const size_t size = ga__dtype_size(ga__dtype_work(g->typecode));
  const size_t tiles = ga__ceil_div(g->m, gen->mr);
  const size_t panels = ga__ceil_div(g->n, width);
  const size_t column = tiles * gen->mr * gen->kc * size; /* of blocks */
  size_t across = ga__ceil_div(column, CACHED_BLOCK);
  size_t wide = across * panels * g->batch / want;

  wide = wide > MOST_PANELS ? MOST_PANELS : wide < 1 ? 1 : wide;
  if (across * ga__ceil_div(panels, wide) * g->batch < want)
    across = ga__ceil_div(want, ga__ceil_div(panels, wide) * g->batch);
  if (across > tiles)
    across = tiles;
  return (cut){.rows = ga__ceil_div(tiles, across) * gen->mr,
               .cols = wide * width};
}

static void multiply(GpuLaunch *l, const ga__gemm *g,
                     const ga__gen_gemm_cpu *gen, factor a, factor b) {
  const cut part = cut_result(g, gen);
  const size_t panels = ga__ceil_div(g->n, (size_t)gen->lanes * gen->nv);
  const size_t tiles = ga__ceil_div(g->m, gen->mr);
  const size_t gs[3] = {ga__ceil_div(g->n, part.cols),
                        ga__ceil_div(g->m, part.rows), g->batch};
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
  ga__launch_size(l, part.rows);
  ga__launch_size(l, part.cols);
  ga__launch_work(l, sums);
  ga__ending_args(l, &end);
}

void ga__gemm_cpu(GpuLaunch *l, const ga__gemm *given) {
  ga__gemm g = *given;
  ga__gen_gemm_cpu gen = {
      .typecode = given->typecode, .kc = BLOCK_DEPTH, .panels = MOST_PANELS};
  factor a = {0, 0}, b = {0, 0};
  ga__operand bt;

  ga__gemm_turn(&g);
  gen.lanes = ga__product_lanes(g.ctx, g.typecode);
  /* AVX-512 has 32 vector registers; take 16 for granted elsewhere. */
  gen.mr = tile_rows(g.m, gpucontext_caps(g.ctx)->vector_float >= 16 ? 8 : 6);
  gen.nv = g.n <= gen.lanes ? 1 : 2;
  gen.c_unit = ga__product_unit(&g.c, g.m, g.n) == 1;
  gen.a_packed = pays_to_pack(&g);
  gen.b_packed = gen.a_packed && g.m >= PACK_ROWS;
  gen.b_unit = gen.b_packed ? 0 : b_unit(&g);
  gen.wide = (g.typecode == GA_HALF || g.epilogue != NULL) && g.k > gen.kc;
  bt = g.b;
  bt.rs = g.b.cs;
  bt.cs = g.b.rs;
  if (gen.a_packed)
    a = pack(l, &g, &g.a, g.m, gen.mr);
  if (gen.b_packed)
    b = pack(l, &g, &bt, g.n, (size_t)gen.lanes * gen.nv);
  multiply(l, &g, &gen, a, b);
}

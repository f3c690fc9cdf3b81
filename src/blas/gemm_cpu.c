/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on CPUs: how a product is cut into tiles and work-items. The
 * kernels are cl/gemm_cpu.cl and cl/gemm_pack.cl. */
#include "blas/product.h"

#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  CACHED_BLOCK = 1 << 19,  /* bytes of A that stay in the second level */
  MOST_PANELS = 4,         /* of B that one work-item walks */
  BLOCK_DEPTH = 256,       /* of B, copied: 32 KiB with 16 lanes */
  ITEMS_PER_CORE = 4,      /* so that a late core does not hold up the rest */
  PACK_COLS = 128,         /* columns of C from which packing A may pay */
  PACK_SIZE = 1 << 19,     /* elements of A from which it does, rows in order */
  PACK_SIZE_COLS = 1 << 17 /* columns in order: each element on another page */
};

/* Rows of a tile: as many as registers hold, or 4 when that wastes less. Few
 * sizes, because each is a program of its own. */
static unsigned int tile_rows(size_t m, unsigned int most) {
  const size_t large = ga__div_up(m, most) * most;

  return ga__div_up(m, 4) * 4 * 4 <= large * 3 ? 4 : most;
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

static int pays_to_pack(const ga__gemm *g, int a_unit) {
  size_t size = g->m * g->k;

  if (size == 0)
    return 0;
  if (g->typecode == GA_HALF)
    return 1; /* elements are converted once, and many at a time */
  if (g->n < PACK_COLS)
    return 0;
  return size >= (a_unit == 1 ? PACK_SIZE : PACK_SIZE_COLS);
}

/* Copy A into panels; returns the number of the workspace. */
static unsigned int pack(GpuLaunch *l, const ga__gemm *g,
                         const ga__gen_gemm_cpu *gen, size_t batch) {
  const size_t panels = ga__div_up(g->m, gen->mr);
  const size_t cores = gpucontext_caps(g->ctx)->compute_units;
  const size_t cuts = ga__div_up(cores * ITEMS_PER_CORE, panels);
  const size_t run = ga__div_up(g->k, cuts);
  const size_t gs[3] = {panels, ga__div_up(g->k, run), batch};
  const size_t ls[3] = {1, 1, 1};
  const size_t bytes = batch * panels * gen->mr * g->k *
                       ga__dtype_size(ga__dtype_work(g->typecode));
  ga__strb defines = GA_STRB_INIT;
  unsigned int work;

  ga__gen_gemm_cpu_text(&defines, gen);
  ga__product_kernel(l, "gemm_pack", "gemm_pack", &defines, 3, gs, ls);
  ga__strb_clear(&defines);
  ga__product_matrix(l, &g->a, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->k);
  ga__launch_size(l, run);
  work = ga__launch_work(l, bytes);
  return work;
}

/* Arguments that stand for A: the workspace with its batch stride. */
static void packed_args(GpuLaunch *l, const ga__gemm *g,
                        const ga__gen_gemm_cpu *gen, unsigned int work,
                        int shared) {
  const size_t one = ga__div_up(g->m, gen->mr) * gen->mr * g->k;

  ga__launch_work_arg(l, work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, shared ? 0 : (ptrdiff_t)one);
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
  const size_t tiles = ga__div_up(g->m, gen->mr);
  const size_t panels = ga__div_up(g->n, width);
  const size_t column = tiles * gen->mr * gen->kc * size; /* of blocks */
  size_t across = ga__div_up(column, CACHED_BLOCK);
  size_t wide = across * panels * g->batch / want;

  wide = wide > MOST_PANELS ? MOST_PANELS : wide < 1 ? 1 : wide;
  if (across * ga__div_up(panels, wide) * g->batch < want)
    across = ga__div_up(want, ga__div_up(panels, wide) * g->batch);
  if (across > tiles)
    across = tiles;
  return (cut){.rows = ga__div_up(tiles, across) * gen->mr,
               .cols = wide * width};
}

static void multiply(GpuLaunch *l, const ga__gemm *g,
                     const ga__gen_gemm_cpu *gen, unsigned int work,
                     int shared) {
  const cut part = cut_result(g, gen);
  const size_t panels = ga__div_up(g->n, (size_t)gen->lanes * gen->nv);
  const size_t tiles = ga__div_up(g->m, gen->mr);
  const size_t gs[3] = {ga__div_up(g->n, part.cols),
                        ga__div_up(g->m, part.rows), g->batch};
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
    packed_args(l, g, gen, work, shared);
  else
    ga__product_matrix(l, &g->a, 1);
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
  ga__gen_gemm_cpu gen = {.typecode = given->typecode, .kc = BLOCK_DEPTH};
  unsigned int work = 0;
  int shared;

  ga__gemm_turn(&g);
  gen.lanes = ga__product_lanes(g.ctx, g.typecode);
  /* AVX-512 has 32 vector registers; take 16 for granted elsewhere. */
  gen.mr = tile_rows(g.m, gpucontext_caps(g.ctx)->vector_float >= 16 ? 8 : 6);
  gen.nv = g.n <= gen.lanes ? 1 : 2;
  gen.a_unit = ga__product_unit(&g.a, g.m, g.k);
  gen.b_unit = b_unit(&g);
  gen.c_unit = ga__product_unit(&g.c, g.m, g.n) == 1;
  gen.wide = (g.typecode == GA_HALF || g.epilogue != NULL) && g.k > gen.kc;
  gen.a_packed = pays_to_pack(&g, gen.a_unit);
  shared = g.a.bs == 0;
  if (gen.a_packed)
    work = pack(l, &g, &gen, shared ? 1 : g.batch);
  else
    gen.a_unit = 0; /* one text for all */
  multiply(l, &g, &gen, work, shared);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Our complex gemm on CPUs: how a product is cut into tiles and work-items. The
 * kernels are cl/gemm_complex_cpu.cl and cl/gemm_complex_pack.cl. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  SHARED_BLOCK = 1 << 20, /* bytes of A beside other cores' in the last level */
  BLOCK_DEPTH = 256,      /* of B, copied: 32 KiB with 2 vectors of 16 lanes */
  ITEMS_PER_CORE = 4,     /* so that a late core does not hold up the rest */
  PACK_COLS = 64          /* columns of C from which packing A may pay */
};

typedef struct plan {
  unsigned int lanes, mr, nv;
  int packed;
  size_t tiles, panels; /* of MR rows, of the columns of a tile */
  ga__cut part;         /* of a work-item */
} plan;

/* Rows of a tile: as many as registers hold, two sums each, or 2 when that
 * wastes less. Few sizes, because each is a program of its own. */
static unsigned int tile_rows(size_t m, unsigned int most) {
  const size_t large = ga__ceil_div(m, most) * most;

  return ga__ceil_div(m, 2) * 2 * 4 <= large * 3 ? 2 : most;
}

static void make_plan(plan *p, const ga__gemm *g, int packed) {
  const unsigned int vector = gpucontext_caps(g->ctx)->vector_float;
  /* bytes of a block of A */

  p->lanes = ga__complex_lanes(g->ctx, g->typecode);
  /* AVX-512 has 32 vector registers; take 16 for granted elsewhere. */
  p->mr = tile_rows(g->m, vector >= 16 ? 6 : 3);
  p->nv = g->n <= p->lanes / 2 ? 1 : 2;
  p->packed =
      g->k > 0 && (packed || (g->n >= PACK_COLS && ga__gemm_pays_to_pack(g)));
  p->tiles = ga__ceil_div(g->m, p->mr);
  p->panels = ga__ceil_div(g->n, (size_t)p->nv * p->lanes / 2);
  size_t column = p->tiles * p->mr * BLOCK_DEPTH * ga__dtype_size(g->typecode);
  p->part =
      ga__gemm_cut(g, p->tiles, p->panels, ga__ceil_div(column, SHARED_BLOCK));
}

/* Copy A into panels, once if it is shared; returns the workspace's number. */
static unsigned int pack(GpuLaunch *l, const ga__gemm *g, const plan *p) {
  const size_t batch = g->a.bs == 0 ? 1 : g->batch;
  const size_t cores = gpucontext_caps(g->ctx)->compute_units;
  const size_t cuts = ga__ceil_div(cores * ITEMS_PER_CORE, p->tiles);
  const size_t run = ga__ceil_div(g->k, cuts);
  const size_t gs[3] = {p->tiles, ga__ceil_div(g->k, run), batch};
  const size_t ls[3] = {1, 1, 1};
  const size_t size = ga__dtype_size(g->typecode);
  const ga__macro macros[] = {{"MR", p->mr}};

  ga__complex_kernel(l, "gemm_complex_pack", "gemm_pack", g->typecode, p->lanes,
                     1, macros, 3, gs, ls);
  ga__product_matrix(l, &g->a, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->k);
  ga__launch_size(l, run);
  return ga__launch_work(
      l, ga__times(ga__times(batch * p->tiles, p->mr * size), g->k));
}

/* Arguments that stand for A: the workspace with its batch stride. */
static void packed_args(GpuLaunch *l, const ga__gemm *g, const plan *p,
                        unsigned int work) {
  const size_t one = p->tiles * p->mr * g->k;

  ga__launch_work_arg(l, work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, 0);
  ga__launch_ssize(l, g->a.bs == 0 ? 0 : (ptrdiff_t)one);
}

static void multiply(GpuLaunch *l, const ga__gemm *g, const plan *p,
                     unsigned int work) {
  const size_t gs[3] = {ga__ceil_div(p->panels, p->part.panels),
                        ga__ceil_div(p->tiles, p->part.tiles), g->batch};
  const size_t ls[3] = {1, 1, 1};
  const ga__macro macros[] = {{"MR", p->mr},
                              {"NV", p->nv},
                              {"KC", BLOCK_DEPTH},
                              {"PANELS", GA_MOST_PANELS},
                              {"A_PACKED", (unsigned int)p->packed}};

  ga__complex_kernel(l, "gemm_complex_cpu", "gemm", g->typecode, p->lanes, 5,
                     macros, 3, gs, ls);
  if (p->packed)
    packed_args(l, g, p, work);
  else
    ga__product_matrix(l, &g->a, 1);
  ga__product_matrix(l, &g->b, 1);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__launch_size(l, g->k);
  ga__complex_factor(l, g->typecode, g->alpha);
  ga__complex_factor(l, g->typecode, g->beta);
  ga__complex_sign(l, g->typecode, g->conj_a);
  ga__complex_sign(l, g->typecode, g->conj_b);
  ga__launch_size(l, p->part.tiles * p->mr);
  ga__launch_size(l, p->part.panels * p->nv * p->lanes / 2);
}

void ga__cgemm_cpu(GpuLaunch *l, const ga__gemm *g, int packed) {
  unsigned int work = 0;
  plan p;

  make_plan(&p, g, packed);
  if (p.packed)
    work = pack(l, g, &p);
  multiply(l, g, &p, work);
}

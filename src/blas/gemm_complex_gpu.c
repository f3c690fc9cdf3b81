/* SPDX-License-Identifier: BSD-2-Clause */
/* Our complex gemm on GPUs: the tile that a product is cut into. The kernel is
 * cl/gemm_complex_gpu.cl. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"

/* Largest first: what a group computes, and a work-item of it. */
typedef struct tile {
  unsigned int bm, bn, bk, tm, tn;
} tile;

static const tile tiles[] = {
    {64, 64, 8, 4, 4}, {32, 32, 8, 2, 2}, {16, 16, 8, 2, 2}};
enum { N_TILES = sizeof tiles / sizeof tiles[0], BAND = 8, LANES = 4 };

static size_t groups(const tile *t, const ga__gemm *g) {
  return ga__ceil_div(g->m, t->bm) * ga__ceil_div(g->n, t->bn) * g->batch;
}

static unsigned int items(const tile *t) {
  return t->bm / t->tm * (t->bn / t->tn);
}

static int fits(const tile *t, const ga__gemm *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const size_t row = (size_t)t->bm + t->bn + 2;

  return items(t) <= caps->max_group &&
         2 * row * t->bk * ga__dtype_size(g->typecode) <= caps->local_bytes;
}

/* The largest that keeps all compute units busy; the last one always fits. */
static const tile *choose(const ga__gemm *g) {
  const size_t units = gpucontext_caps(g->ctx)->compute_units;
  const tile *t = tiles;

  while (t < &tiles[N_TILES - 1] && (!fits(t, g) || groups(t, g) < units))
    t++;
  return t;
}

void ga__cgemm_gpu(GpuLaunch *l, const ga__gemm *g) {
  const tile *t = choose(g);
  const size_t ls[3] = {items(t), 1, 1};
  const size_t gs[3] = {ga__ceil_div(g->n, t->bn) * ls[0],
                        ga__ceil_div(g->m, t->bm), g->batch};
  const int a_along = ga__product_unit(&g->a, g->m, g->k);
  const int b_along = ga__product_unit(&g->b, g->k, g->n);
  const ga__macro macros[] = {
      {"BM", t->bm},
      {"BN", t->bn},
      {"BK", t->bk},
      {"TM", t->tm},
      {"TN", t->tn},
      {"A_UNIT", (unsigned int)a_along},
      {"B_UNIT", (unsigned int)(b_along == 0 ? 0 : 3 - b_along)},
      {"BAND", BAND}};

  ga__launch_rounds(l, g->k / t->bk);
  ga__complex_kernel(l, "gemm_complex_gpu", "gemm", g->typecode, LANES,
                     sizeof macros / sizeof macros[0], macros, 3, gs, ls);
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
}

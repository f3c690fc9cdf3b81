/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with a triangle for few columns on GPUs, with the inverses of its
 * diagonal blocks. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define NB 128           rows of a block, at least 32
 *   #define G 512            work-items of a group, a multiple of NB
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"

#define LANES 32         /* columns that are read side by side */
#define PARTS (G / NB)   /* of a sum, at most LANES */
#define EACH (NB / PARTS) /* elements of a block, of a work-item */
#define EACH_OWN(e) _Pragma("unroll") for (int e = 0; e < EACH; ++e)
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)

/* What a group shares. */
typedef struct few {
  W x[NB], sums[PARTS][NB], lanes[NB][LANES + 1];
} few;

/* Element e of a block, of this work-item, which reads neighbours in rows if
 * `by_rows`, else in columns. */
GA_INLINE int few_row(const int e, const int by_rows) {
  const int me = (int)get_local_id(0);

  return by_rows ? e / (NB / LANES) * (G / LANES) + me / LANES : me % NB;
}

GA_INLINE int few_column(const int e, const int by_rows) {
  const int me = (int)get_local_id(0);

  return by_rows ? e % (NB / LANES) * LANES + me % LANES : me / NB * EACH + e;
}

/* Read a block of `rows` rows and `cols` columns. */
GA_INLINE void few_fetch(W v[EACH], global const T *a, const long rs,
                         const long cs, const int rows, const int cols,
                         const int by_rows) {
  EACH_OWN(e) {
    const int i = few_row(e, by_rows), j = few_column(e, by_rows);

    v[e] = i < rows && j < cols ? LD(a + i * rs + j * cs) : 0;
  }
}

/* Row me % NB of its product with s->x. */
GA_INLINE W few_product(const W v[EACH], const int by_rows, local few *s) {
  const int me = (int)get_local_id(0), i = me % NB, part = me / NB;
  W sum = 0;

  EACH_OWN(e) {
    sum = fma(v[e], s->x[few_column(e, by_rows)], sum);
    if (by_rows && (e + 1) % (NB / LANES) == 0) {
      s->lanes[few_row(e, by_rows)][me % LANES] = sum;
      sum = 0;
    }
  }
  WAIT;
  for (int q = 0; by_rows && q < LANES / PARTS; ++q)
    sum += s->lanes[i][part * (LANES / PARTS) + q];
  s->sums[part][i] = sum;
  WAIT;
  sum = 0;
  for (int q = 0; q < PARTS; ++q)
    sum += s->sums[q][i];
  return sum;
}

/* The rows of block k of x are known, but for k = -1. Subtract what follows from
 * those below, and finish block k + 1 with its inverse: `v` has those of all
 * blocks, side by side. `blocks` are left, and x has a group for each of these
 * and each column. Global size: G for each of them, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_few(MATRIX(a), MATRIX(x), MATRIX(v), const ulong n, const int k,
           const int blocks) {
  const ulong z = get_group_id(1);
  const int me = (int)get_local_id(0), i = me % NB;
  const int at = (int)get_group_id(0) % blocks, by_rows = a_cs * a_cs == 1;
  const long top = (long)(k + 1 + at) * NB, known = (long)k * NB;
  const int rows = (int)min((long)NB, (long)n - top);
  global const T *a = MATRIX_AT(a, z), *v = MATRIX_AT(v, z);
  global T *x = MATRIX_AT(x, z) + (long)(get_group_id(0) / blocks) * x_cs;
  local few s;
  W block[EACH], inverse[EACH];

  if (k >= 0)
    few_fetch(block, a + top * a_rs + known * a_cs, a_rs, a_cs, rows, NB,
              by_rows);
  if (at == 0)
    few_fetch(inverse, v + top * v_cs, v_rs, v_cs, rows, rows, 0);
  W y = i < rows ? LD(x + (top + i) * x_rs) : 0;
  if (k >= 0) {
    if (me < NB)
      s.x[me] = LD(x + (known + me) * x_rs);
    WAIT;
    y -= few_product(block, by_rows, &s);
  }
  if (at == 0) {
    if (me < NB)
      s.x[me] = y;
    WAIT;
    y = few_product(inverse, 0, &s);
  }
  if (me < rows)
    ST(y, x + (top + i) * x_rs);
}

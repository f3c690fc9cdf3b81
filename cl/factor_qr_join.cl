/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins strips of QR factors to blocks on GPUs: one group for each matrix of a
 * batch. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2
 *   #define B 64             most columns of a block, a power of 2
 *   #define C 16             columns of a strip; it divides B
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#define FENCE CLK_LOCAL_MEM_FENCE
#include "factor_matrix.cl"
#include "factor_group.cl"

/* The product of rows of a and columns of b, `steps` of each. */
GA_INLINE W join_dot(SHARED const W *a, SHARED const W *b, const int b_rs,
                     const int steps) {
  W sum = 0;

  for (int k = 0; k < steps; k += C) {
#pragma unroll
    for (int i = 0; i < C; ++i)
      sum = fma(a[k + i], b[(k + i) * b_rs], sum);
  }
  return sum;
}

/* Make t, n x n, whose diagonal has T of each strip, T of all of them, with
 * zeros below its diagonal. `v`, n x n, has the products of reflectors. What T
 * has above a strip is what it has before the strip, times the products of
 * reflectors before the strip with its own, times the strip's T, negated.
 * Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_qr_join(MATRIX(t), MATRIX(v), const ulong n_) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  global T *t = MATRIX_AT(t, z);
  global const T *v = MATRIX_AT(v, z);
  SHARED W s[B][B + 1], w[B][C];

#pragma unroll 16
  for (int e = me; e < B * B; e += G) {
    const int i = e / B, j = e % B, is_set = i / C == j / C && i <= j && j < n;

    s[i][j] = is_set ? LD(t + i * t_rs + j * t_cs) : 0;
  }
  for (int first = C; first < n; first += C) {
    for (int e = me; e < first * C; e += G) {
      const int i = e / C, j = first + e % C;

      w[i][e % C] = j < n ? LD(v + i * v_rs + j * v_cs) : 0;
    }
    SYNC;
    for (int e = me; e < first * C; e += G) {
      const int i = e / C, j = e % C, from = i - i % C;

      s[i][first + j] = -join_dot(s[i] + from, w[from] + j, C, first - from);
    }
    SYNC;
    for (int e = me; e < first * C; e += G) {
      const int i = e / C, j = e % C;

      w[i][j] = join_dot(s[i] + first, s[first] + first + j, B + 1, C);
    }
    SYNC;
    for (int e = me; e < first * C; e += G)
      s[e / C][first + e % C] = w[e / C][e % C];
    SYNC;
  }
  for (int e = me; e < B * B; e += G) {
    if (e / B < n && e % B < n)
      ST(s[e / B][e % B], t + e / B * t_rs + e % B * t_cs);
  }
}

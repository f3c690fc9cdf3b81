/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of QR factors on GPUs with more rows than cl/factor_qr_gpu.cl has
 * registers for: one group for each matrix of a batch, in global memory. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define QB 32            most columns of a panel
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"

/* Make column x the reflector that clears it below row k, where it keeps R.
 * Returns its factor tau. */
GA_INLINE W qr_reflector(global T *x, const long rs, const long k, const long m,
                      SHARED W *sums) {
  const int me = (int)get_local_id(0);
  W most = 0, sum = 0;

  for (long i = k + 1 + me; i < m; i += G) {
    const W v = fabs(LD(x + i * rs));
    most = v > most || v != v ? v : most;
  }
  most = group_most(most, sums);
  if (most == 0)
    return 0;
  const W top = LD(x + k * rs), largest = fmax(most, fabs(top));
  for (long i = k + 1 + me; i < m; i += G) {
    const W v = LD(x + i * rs) / largest;
    sum = fma(v, v, sum);
  }
  sum = group_sum(sum, sums);
  const W a = top / largest, norm = sqrt(fma(a, a, sum));
  const W beta = -copysign(norm, a), d = a - beta;
  for (long i = k + 1 + me; i < m; i += G)
    ST(LD(x + i * rs) / largest / d, x + i * rs);
  if (me == 0)
    ST(most == most ? beta * largest : most, x + k * rs);
  barrier(CLK_GLOBAL_MEM_FENCE);
  return (beta - a) / beta;
}

/* The product of reflector v, of row k, with column y. */
GA_INLINE W qr_dot(global const T *v, global const T *y, const long rs,
                const long k, const long m, SHARED W *sums) {
  const int me = (int)get_local_id(0);
  W sum = me == 0 ? LD(y + k * rs) : 0;

  for (long i = k + 1 + me; i < m; i += G)
    sum = fma(LD(v + i * rs), LD(y + i * rs), sum);
  return group_sum(sum, sums);
}

/* Set t, n x n, to T for `steps` reflectors, which are columns of a. */
GA_INLINE void qr_triangle(global T *t, const long t_rs, const long t_cs,
                const int n, const int steps, global const T *a,
                const long a_rs, const long a_cs, const long m, const W *tau,
                SHARED W *sums, local W *above) {
  const int me = (int)get_local_id(0);

  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k && k < steps; ++i) {
      const W dot = qr_dot(a + k * a_cs, a + i * a_cs, a_rs, k, m, sums);
      if (me == 0)
        above[i] = -tau[k] * dot;
    }
    SYNC;
    for (int i = me; i < n; i += G) {
      W sum = 0;

      for (int j = i; j < k && k < steps; ++j)
        sum = fma(LD(t + i * t_rs + j * t_cs), above[j], sum);
      ST(i == k && k < steps ? tau[k] : sum, t + i * t_rs + k * t_cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

/* Factor a panel of m x n, n <= QB, in place: R in its upper triangle,
 * reflectors v below it, whose first element 1 is not stored. `t`, n x n,
 * becomes T with H1 ... Hn = I - V T V^T. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_qr(MATRIX(a), const ulong m_, const ulong n_, MATRIX(t)) {
  const ulong z = get_group_id(1);
  const long m = (long)m_;
  const int n = (int)n_, steps = (int)min(m, (long)n);
  const int me = (int)get_local_id(0);
  global T *a = MATRIX_AT(a, z);
  global T *t = MATRIX_AT(t, z);
  SHARED W sums[G];
  local W above[QB];
  W tau[QB];

  for (int k = 0; k < steps; ++k) {
    global T *v = a + k * a_cs;

    tau[k] = qr_reflector(v, a_rs, k, m, sums);
    for (int j = k + 1; j < n; ++j) {
      global T *y = a + j * a_cs;
      const W f = -tau[k] * qr_dot(v, y, a_rs, k, m, sums);

      for (long i = k + me; i < m; i += G)
        ST(fma(f, i == k ? 1 : LD(v + i * a_rs), LD(y + i * a_rs)),
           y + i * a_rs);
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
  }
  qr_triangle(t, t_rs, t_cs, n, steps, a, a_rs, a_cs, m, tau, sums, above);
}

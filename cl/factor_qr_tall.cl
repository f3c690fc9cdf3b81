/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of QR factors in global memory, one group for each matrix of a batch:
 * of complex numbers, and on GPUs of matrices with more rows than
 * cl/factor_qr_gpu.cl has registers for. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define QB 32            most columns of a panel
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_reflector.cl"

/* The product v^H y of reflector v, of row k, and column y. */
GA_INLINE N qr_dot(global const T *v, global const T *y, const long rs,
                const long k, const long m, SHARED W *sums) {
  const int me = (int)get_local_id(0);
  N sum = REAL(0);

  if (me == 0)
    sum = LDN(AFTER(y, k * rs));
  for (long i = k + 1 + me; i < m; i += G)
    sum = plus_product(sum, CONJ(LDN(AFTER(v, i * rs))),
                       LDN(AFTER(y, i * rs)));
  return group_total(sum, sums);
}

/* Set t, n x n, to T for `steps` reflectors, which are columns of a. */
GA_INLINE void qr_triangle(global T *t, const long t_rs, const long t_cs,
                const int n, const int steps, global const T *a,
                const long a_rs, const long a_cs, const long m, const N *tau,
                SHARED W *sums, SHARED N *above) {
  const int me = (int)get_local_id(0);

  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k && k < steps; ++i) {
      const N dot = qr_dot(AFTER(a, k * a_cs), AFTER(a, i * a_cs), a_rs, k, m,
                           sums);
      if (me == 0)
        above[i] = plus_product(REAL(0), -tau[k], CONJ(dot));
    }
    SYNC;
    for (int i = me; i < n; i += G) {
      N sum = REAL(0);

      for (int j = i; j < k && k < steps; ++j)
        sum = plus_product(sum, LDN(AFTER(t, i * t_rs + j * t_cs)), above[j]);
      STN(i == k && k < steps ? tau[k] : sum, AFTER(t, i * t_rs + k * t_cs));
    }
    SYNC;
  }
}

/* Factor a panel of m x n, n <= QB, in place: R in its upper triangle,
 * reflectors v below it, whose first element 1 is not stored. `t`, n x n,
 * becomes T with H1 ... Hn = I - V T V^H. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_qr(MATRIX(a), const ulong m_, const ulong n_, MATRIX(t)) {
  const ulong z = get_group_id(1);
  const long m = (long)m_;
  const int n = (int)n_, steps = (int)min(m, (long)n);
  const int me = (int)get_local_id(0);
  global T *a = NUMBERS_AT(a, z);
  global T *t = NUMBERS_AT(t, z);
  SHARED W sums[G];
  SHARED N above[QB];
  N tau[QB];

  for (int k = 0; k < steps; ++k) {
    global T *v = AFTER(a, k * a_cs);

    tau[k] = qr_reflector(v, a_rs, k, m, sums);
    for (int j = k + 1; j < n; ++j) {
      global T *y = AFTER(a, j * a_cs);
      const N dot = qr_dot(v, y, a_rs, k, m, sums);
      const N f = plus_product(REAL(0), -CONJ(tau[k]), dot);

      for (long i = k + me; i < m; i += G) {
        const N by = i == k ? REAL(1) : LDN(AFTER(v, i * a_rs));

        STN(plus_product(LDN(AFTER(y, i * a_rs)), f, by), AFTER(y, i * a_rs));
      }
      SYNC;
    }
  }
  qr_triangle(t, t_rs, t_cs, n, steps, a, a_rs, a_cs, m, tau, sums, above);
}

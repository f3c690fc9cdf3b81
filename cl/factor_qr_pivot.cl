/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors with column pivots: one group for each matrix of a batch, in
 * global memory. Each step moves the column with the largest norm, below the
 * rows that are done, to the front. Macros, here for floats:
 *
 *   #define T float          as stored, of complex numbers a part; LD, ST: as in
 *                            gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2; 1 on CPUs
 *
 * A work-item has whole columns: on GPUs rows of matrices have no gaps, on CPUs
 * columns have none. Strides are in numbers, of either sign; offsets in
 * bytes. Norms are real. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_reflector.cl"

#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))

/* The larger of `most` and the parts of v without their signs; NaN if there is
 * one. */
GA_INLINE W larger_part(const W most, const N v) {
  const W part = largest_part(v);

  return part > most || part != part ? part : most;
}

GA_INLINE W most_below(global const T *x, const long rs, const long first,
                       const long m) {
  W most = 0;

  for (long i = first; i < m; ++i)
    most = larger_part(most, LDN(AFTER(x, i * rs)));
  return most;
}

/* The norm of x from row `first` on, whose largest part is `most`; of a column
 * that is not finite, infinity. */
GA_INLINE W norm_below(global const T *x, const long rs, const long first,
                       const long m, const W most) {
  W sum = 0;

  for (long i = first; i < m; ++i) {
    const N v = LDN(AFTER(x, i * rs)) / most;
    sum = plus_dot(sum, v, v);
  }
  const W norm = most * sqrt(sum);
  return most == 0 ? 0 : norm == norm ? norm : (W)INFINITY;
}

/* The first of the columns from k on with the largest norm. */
GA_INLINE long choose_column(global const T *norms, const long cs, const long k,
                             const long n, SHARED W *all) {
  W most = 0;
  long first = n;

  for (long j = k + (long)get_local_id(0); j < n; j += G)
    most = fmax(most, LD(norms + j * cs));
  most = group_most(most, all);
  for (long j = k + (long)get_local_id(0); j < n && first == n; j += G)
    first = LD(norms + j * cs) == most ? j : n;
  /* Indices are exact in W below 2^24. */
  const long found = (long)-group_most(-(W)first, all);
  return found < n ? found : k;
}

/* y = y - tau v (v^H y), from row k on; element k of v is 1. Returns the largest
 * part below row k. */
GA_INLINE W reflect_column(global const T *v, global T *y, const long rs,
                           const long y_rs, const long k, const long m,
                           const N tau) {
  N dot = LDN(AFTER(y, k * y_rs));
  W most = 0;

  for (long i = k + 1; i < m; ++i)
    dot = plus_product(dot, CONJ(LDN(AFTER(v, i * rs))),
                       LDN(AFTER(y, i * y_rs)));
  const N f = plus_product(REAL(0), -tau, dot);
  STN(LDN(AFTER(y, k * y_rs)) + f, AFTER(y, k * y_rs));
  for (long i = k + 1; i < m; ++i) {
    const N x = plus_product(LDN(AFTER(y, i * y_rs)), f,
                             LDN(AFTER(v, i * rs)));

    STN(x, AFTER(y, i * y_rs));
    most = larger_part(most, x);
  }
  return most;
}

/* Factor a, m x n: R in its upper triangle, reflectors below it, factors in
 * `tau`. `order` gets the columns of the matrix in the order of R. Global size:
 * G, batch. */
kernel GROUP void qr_pivot(MATRIX(a), const ulong m_, const ulong n_,
                           MATRIX(tau), MATRIX(norms), global int *order) {
  const long z = (long)get_group_id(1), m = (long)m_, n = (long)n_;
  const int me = (int)get_local_id(0);
  global T *a = NUMBERS_AT(a, z), *tau = NUMBERS_AT(tau, z);
  global T *norms = MATRIX_AT(norms, z);
  SHARED W all[G];

  order += z * n;
  for (long j = me; j < n; j += G) {
    global T *x = AFTER(a, j * a_cs);

    order[j] = (int)j;
    ST(norm_below(x, a_rs, 0, m, most_below(x, a_rs, 0, m)),
       norms + j * norms_cs);
  }
  SYNC;
  for (long k = 0; k < min(m, n); ++k) {
    const long p = choose_column(norms, norms_cs, k, n, all);
    global T *v = AFTER(a, k * a_cs), *other = AFTER(a, p * a_cs);

    for (long i = me; i < m && p != k; i += G) {
      const N x = LDN(AFTER(v, i * a_rs));
      STN(LDN(AFTER(other, i * a_rs)), AFTER(v, i * a_rs));
      STN(x, AFTER(other, i * a_rs));
    }
    if (me == 0 && p != k) {
      const int at = order[k];
      order[k] = order[p];
      order[p] = at;
      norms[p * norms_cs] = norms[k * norms_cs];
    }
    SYNC;
    const N t = qr_reflector(v, a_rs, k, m, all);
    if (me == 0)
      STN(t, AFTER(tau, k * tau_cs));
    for (long j = k + 1 + me; j < n; j += G) {
      global T *y = AFTER(a, j * a_cs);
      const W most = reflect_column(v, y, a_rs, a_rs, k, m, CONJ(t));

      ST(norm_below(y, a_rs, k + 1, m, most), norms + j * norms_cs);
    }
    SYNC;
  }
}

/* q = H1 H2 ... q, for `steps` reflectors. A work-item has a column. Global
 * size: `cols` at least, batch. */
kernel GROUP void qr_pivot_q(MATRIX(a), const ulong m, const ulong steps,
                             MATRIX(tau), MATRIX(q), const ulong cols) {
  const long z = (long)get_group_id(1);
  const ulong j = get_global_id(0);
  global const T *a = NUMBERS_AT(a, z), *tau = NUMBERS_AT(tau, z);
  global T *q = AFTER(NUMBERS_AT(q, z), (long)j * q_cs);

  if (j >= cols)
    return;
  for (long k = (long)steps - 1; k >= 0; --k)
    reflect_column(AFTER(a, k * a_cs), q, a_rs, q_rs, k, (long)m,
                   LDN(AFTER(tau, k * tau_cs)));
}

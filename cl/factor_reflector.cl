/* SPDX-License-Identifier: BSD-2-Clause */
/* Reflectors of columns in global memory, made by a group. Behind
 * factor_number.cl and factor_group.cl. */
GA_INLINE N group_total(const N v, SHARED W *sums) {
#ifdef W2
  const W re = group_sum(v.x, sums);

  return (W2)(re, group_sum(v.y, sums));
#else
  return group_sum(v, sums);
#endif
}

/* Make column x the reflector that clears it below row k, where it keeps R,
 * which is real. Returns its factor tau: I - conj(tau) v v^H clears x. */
GA_INLINE N qr_reflector(global T *x, const long rs, const long k, const long m,
                      SHARED W *sums) {
  const int me = (int)get_local_id(0);
  W most = 0, sum = 0;

  for (long i = k + 1 + me; i < m; i += G) {
    const W v = largest_part(LDN(AFTER(x, i * rs)));
    most = v > most || v != v ? v : most;
  }
  most = group_most(most, sums);
  const N top = LDN(AFTER(x, k * rs));
  if (most == 0 && IM(top) == 0)
    return REAL(0);
  const W largest = fmax(most, largest_part(top));
  for (long i = k + 1 + me; i < m; i += G) {
    const N v = LDN(AFTER(x, i * rs)) / largest;
    sum = plus_dot(sum, v, v);
  }
  sum = group_sum(sum, sums);
  const N a = top / largest;
  const W norm = sqrt(plus_dot(sum, a, a));
  const W beta = -copysign(norm, RE(a));
  const N d = a - REAL(beta);
  for (long i = k + 1 + me; i < m; i += G)
    STN(divided(LDN(AFTER(x, i * rs)) / largest, d), AFTER(x, i * rs));
  if (me == 0)
    STN(REAL(most == most ? beta * largest : most), AFTER(x, k * rs));
  SYNC;
  return (REAL(beta) - a) / beta;
}

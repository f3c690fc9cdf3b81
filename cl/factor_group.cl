/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and largest values of a group of G work-items, for factor_gpu.cl and
 * factor_jacobi.cl. A group of one needs no local memory. Between two SYNCs,
 * work-items also read elements of matrices that others write afterwards. */
#if G > 1
#define SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SHARED local
#else
#define SYNC
#define SHARED
#endif

/* The sum of the group's values, in the same order each time. */
GA_INLINE W group_sum(const W v, SHARED W *all) {
  const int me = (int)get_local_id(0);

  SYNC;
  all[me] = v;
  for (int span = G / 2; span > 0; span /= 2) {
    SYNC;
    if (me < span)
      all[me] += all[me + span];
  }
  SYNC;
  return all[0];
}

/* The largest of the group's values, NaN if there is one. */
GA_INLINE W group_most(const W v, SHARED W *all) {
  const int me = (int)get_local_id(0);

  SYNC;
  all[me] = v;
  for (int span = G / 2; span > 0; span /= 2) {
    SYNC;
    if (me < span &&
        (all[me + span] > all[me] || all[me + span] != all[me + span]))
      all[me] = all[me + span];
  }
  SYNC;
  return all[0];
}

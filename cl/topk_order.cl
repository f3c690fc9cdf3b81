/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of elements with positions, and how a group of a GPU sorts a few of
 * them in local memory. Macros: those of sort_word.cl. */
#define T_LAST ((S_WORD)~(S_WORD)0)
#define T_NOWHERE ((R_IDX)~(R_IDX)0)

/* Whether an element comes before another one. Equal ones have the order of
 * their row. */
GA_INLINE int t_before(S_WORD o, R_IDX j, S_WORD than, R_IDX place) {
  return o < than || (o == than && j < place);
}

/* Sort the `have` elements of a list, which has room for a power of two of
 * them. All come here, with these stored. */
GA_INLINE void t_sort(local S_WORD *order, local R_IDX *place, const uint me,
                      const uint have) {
  uint n = have > 0;

  while (n < have)
    n *= 2;
  for (uint i = have + me; i < n; i += S_GROUP) {
    order[i] = T_LAST;
    place[i] = T_NOWHERE;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint size = 2, apart = 1; size <= n;) {
    for (uint i = me; i < n / 2; i += S_GROUP) {
      const uint a = 2 * i - (i & (apart - 1)), b = a + apart;
      const S_WORD o = order[a], p = order[b];
      const R_IDX j = place[a], k = place[b];

      if (t_before(p, k, o, j) == ((a & size) == 0)) {
        order[a] = p;
        order[b] = o;
        place[a] = k;
        place[b] = j;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    size *= apart == 1 ? 2 : 1;
    apart = apart == 1 ? size / 2 : apart / 2;
  }
}

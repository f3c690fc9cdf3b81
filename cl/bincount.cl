/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts elements by bin, or sums their weights. `bincount_part` has the sums
 * of one part of the elements, `bincount_sum` adds them up, in the same order each
 * time. Rows are elements here. Macros: those of sort_word.cl and edges.cl, and
 *
 *   #define B_INDEX long   the type of elements that are bins
 *   #define B_BIN uint     unsigned, can hold any bin; all others are larger
 *   #define B_PART uint    the type of sums of a part, and of all
 *   #define B_SUM long
 *   #define B_WEIGHTS 0    1: weights are summed, of type B_SUM
 *   #define B_EDGES 0      1: edges separate the bins
 *   #define B_SHARED 0     1: all parts add to the same sums
 *   #define B_TEAM 0       1: a group of S_GROUP sums up a part in local memory
 *   #define B_PLACES 4096  sums that a team's local memory holds
 *
 * Sums are [parts][bins], or [bins] if they are shared. A team has several
 * copies of its sums, so that few work-items add to the same place at the same
 * time. With weights each work-item has a copy: then there is one order of
 * addition. */
#define S_LANES (S_GROUP == 1 || (B_TEAM && B_WEIGHTS) ? 16 : B_TEAM ? 8 : 1)
#include "edges.cl"

/* NaN is in no bin, also if the last edge is NaN. */
#ifdef S_INFINITE
#define B_HAS_LAST(last) ((last) != nan)
#else
#define B_HAS_LAST(last) 1
#endif

/* Set bins[i] for the rows of n lanes from `row` on: beyond all bins for what is
 * in none. What equals the last edge is in the last bin. */
#if B_EDGES
#define B_FIND(row, n)                                                         \
  S_WORD w[S_LANES], o[S_LANES];                                               \
  R_IDX pos[S_LANES];                                                          \
  E_LOAD_LANES(S_WORD, w, src, row, n)                                         \
  if (E_BETWEEN(n_edges, 0, w, pos)) {                                         \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      bins[i] = (B_BIN)pos[i] - 1;                                             \
  } else {                                                                     \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      o[i] = s_order(w[i], flip, nan);                                         \
    E_FIND(row, n, n_edges, w, o, 1, pos)                                      \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      bins[i] = (B_BIN)pos[i] - 1 - (o[i] == last);                            \
  }
#else
#define B_FIND(row, n)                                                         \
  B_INDEX index[S_LANES];                                                      \
  E_LOAD_LANES(B_INDEX, index, src, row, n)                                    \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    bins[i] = (B_BIN)(long)index[i];
#endif

/* Count lane i, or add its weight. */
#if B_WEIGHTS
#define B_ADD(sum, bin) sum[bin] += v[i]
#elif B_SHARED || B_TEAM
#define B_ADD(sum, bin) atomic_inc(sum + (bin))
#else
#define B_ADD(sum, bin) ++sum[bin]
#endif

/* Copies of a team's sums, at most. */
#define B_COPIES (B_WEIGHTS || S_GROUP < 32 ? S_GROUP : 32)

/* Before shared sums. Global size: bins, or more. */
kernel void bincount_clear(global B_PART *sums, const ulong n_bins) {
  const ulong bin = get_global_id(0);

  if (bin < n_bins)
    sums[bin] = 0;
}

/* Global size: parts, or more, or parts x S_GROUP for teams. */
kernel void bincount_part(S_OPERAND(src), S_OPERAND(weight), S_OPERAND(edge),
                          S_SIZES, global B_PART *sums, const ulong n_rows,
                          const ulong n_bins, const ulong n_edges,
                          const ulong parts, const ulong chunk) {
  const R_IDX part = (R_IDX)(B_TEAM ? get_group_id(0) : get_global_id(0));
  const R_IDX rows = (R_IDX)n_rows;
  const R_IDX from = min(rows, part * (R_IDX)chunk);
  const R_IDX to = from + min(rows - from, (R_IDX)chunk);
  global B_PART *const all = sums + (B_SHARED ? 0 : (size_t)part * n_bins);
#if B_EDGES
  S_HOW(0)
  E_BEGIN(n_edges)
  S_WORD last;
  {
    S_BASE(edge, 0)
    last = s_order(*(global const S_WORD *)S_AT(edge, n_edges - 1), flip, nan);
  }
  if (!B_HAS_LAST(last))
    last = 0; /* as no element is ordered */
#endif
#if B_TEAM
  const uint me = (uint)get_local_id(0), step = S_GROUP;
  const uint copies = min(B_PLACES / (uint)n_bins, (uint)B_COPIES);
  local B_PART place[B_PLACES];
  local B_PART *const sum = place + me % copies;

  for (uint i = me; i < n_bins * copies; i += S_GROUP)
    place[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#else
  const uint me = 0, step = 1, copies = 1;
  global B_PART *const sum = all;

  if (part >= parts)
    return;
#if !B_SHARED
  for (ulong b = 0; b < n_bins; ++b)
    sum[b] = 0;
#endif
#endif
  for (R_IDX row = from + me; row < to; row += step * S_LANES) {
    const R_IDX lanes = E_LANES(row, to);
    B_BIN bins[S_LANES];
    B_FIND(row, lanes)
    if (lanes < S_LANES)
      for (uint i = 0; i < S_LANES; ++i)
        bins[i] = i < lanes ? bins[i] : (B_BIN)n_bins;
#if B_WEIGHTS
    B_SUM v[S_LANES];
    E_LOAD_LANES(B_SUM, v, weight, row, lanes)
#endif
#pragma unroll
    for (uint i = 0; i < S_LANES; ++i)
      if (bins[i] < (B_BIN)n_bins)
        B_ADD(sum, bins[i] * copies);
  }
#if B_TEAM
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = me; b < n_bins; b += S_GROUP) {
    B_PART total = 0;
    /* Neighbours begin at different copies, in different banks. */
    for (uint k = 0; k < copies; ++k)
      total += place[b * copies + (b + k) % copies];
#if B_SHARED
    if (total != 0)
      atomic_add(all + b, total);
#else
    all[b] = total;
#endif
  }
#endif
}

/* Global size: bins, or more, or bins x S_GROUP if groups add up parts. */
kernel void bincount_sum(global char *dst, const ulong dst_o, const long dst_a,
                         global const B_PART *sums, const ulong n_bins,
                         const ulong parts) {
#if B_SHARED || S_GROUP == 1
  const uint me = 0, step = 1;
  const ulong bin = get_global_id(0);

  if (bin >= n_bins)
    return;
#else
  const uint me = (uint)get_local_id(0), step = S_GROUP;
  const ulong bin = get_group_id(0);
  local B_SUM some[S_GROUP];
#endif
  B_SUM sum = 0;

  for (ulong p = me; p < parts; p += step)
    sum += (B_SUM)sums[p * n_bins + bin];
#if !B_SHARED && S_GROUP > 1
  some[me] = sum;
  for (uint k = 1; k < S_GROUP; k *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me % (2 * k) == 0 && me + k < S_GROUP)
      some[me] += some[me + k];
  }
  sum = me == 0 ? some[0] : 0;
#endif
  if (me == 0)
    *(global B_SUM *)(dst + dst_o + (long)bin * dst_a) = sum;
}

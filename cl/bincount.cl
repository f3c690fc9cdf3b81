/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts elements by bin, or sums their weights. `bincount_part` has the sums
 * of one part of the elements, `bincount_sum` adds them up in order. Rows are
 * elements here. Macros: those of sort_word.cl and edges.cl, and
 *
 *   #define B_INDEX long   the type of elements that are bins
 *   #define B_BIN uint     unsigned, can hold any bin; all others are larger
 *   #define B_PART uint    the type of sums of a part, and of all
 *   #define B_SUM long
 *   #define B_WEIGHTS 0    1: weights are summed, of type B_SUM
 *   #define B_EDGES 0      1: edges separate the bins
 *   #define B_TEAM 0       1: a group of S_GROUP counts a part in local memory
 *   #define B_LOCAL 4096   most bins of a team
 *   #define B_SHARED 0     1: all parts count in the same sums
 *
 * Sums are [parts][bins], or [bins] if they are shared. */
#include "edges.cl"

/* The bin of an element that is `pos` edges from the start of n; beyond all
 * bins if it has none. `is_last`: it equals the last edge, which the last bin
 * has. */
static B_BIN b_between(R_IDX pos, R_IDX n, int is_last) {
  return (B_BIN)pos - (pos == n && is_last ? 2 : 1);
}

/* NaN is in no bin, also if the last edge is NaN. */
#ifdef S_INFINITE
#define B_HAS_LAST(last) ((last) != nan)
#else
#define B_HAS_LAST(last) 1
#endif

/* Set bins[i] to the bin of row + i for each lane; the last one of n is
 * repeated in lanes beyond it. */
#if B_EDGES
#define B_FIND(row, n)                                                         \
  S_WORD w[S_LANES], o[S_LANES];                                               \
  R_IDX pos[S_LANES];                                                          \
  E_LOAD_LANES(S_WORD, w, src, row, n)                                         \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    o[i] = s_order(w[i], flip, nan);                                           \
  E_FIND(row, n, n_edges, w, o, 1, pos)                                        \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    bins[i] = b_between(pos[i], (R_IDX)n_edges, has_last & (o[i] == last));
#else
#define B_FIND(row, n)                                                         \
  B_INDEX index[S_LANES];                                                      \
  E_LOAD_LANES(B_INDEX, index, src, row, n)                                    \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    bins[i] = (B_BIN)(long)index[i];
#endif

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
  global B_PART *const sum = sums + (B_SHARED ? 0 : (size_t)part * n_bins);
#if B_EDGES
  S_HOW(0)
  E_BEGIN(n_edges)
  S_WORD last;
  {
    S_BASE(edge, 0)
    last = s_order(*(global const S_WORD *)S_AT(edge, n_edges - 1), flip, nan);
  }
  const int has_last = B_HAS_LAST(last);
#endif
#if B_TEAM
  local uint count[B_LOCAL];
  const uint me = (uint)get_local_id(0);

  for (uint b = me; b < n_bins; b += S_GROUP)
    count[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (R_IDX row = from + me; row < to; row += S_GROUP) {
    B_BIN bins[S_LANES];
    B_FIND(row, (R_IDX)1)
    if (bins[0] < (B_BIN)n_bins)
      atomic_inc(count + bins[0]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = me; b < n_bins; b += S_GROUP)
    sum[b] = count[b];
#else
  if (part >= parts)
    return;
#if !B_SHARED
  for (ulong b = 0; b < n_bins; ++b)
    sum[b] = 0;
#endif
  for (R_IDX row = from; row < to; row += S_LANES) {
    const R_IDX lanes = min(to - row, (R_IDX)S_LANES);
    B_BIN bins[S_LANES];
    B_FIND(row, lanes)
    for (R_IDX i = 0; i < lanes; ++i) {
      if (bins[i] < (B_BIN)n_bins) {
#if B_WEIGHTS
        B_SUM v;
        E_LOAD(B_SUM, v, weight, row + i)
        sum[bins[i]] += v;
#elif B_SHARED
        atomic_inc(sum + bins[i]);
#else
        ++sum[bins[i]];
#endif
      }
    }
  }
#endif
}

/* Global size: bins, or more. */
kernel void bincount_sum(global char *dst, const ulong dst_o, const long dst_a,
                         global const B_PART *sums, const ulong n_bins,
                         const ulong parts) {
  const ulong bin = get_global_id(0);
  B_SUM sum = 0;

  if (bin >= n_bins)
    return;
  for (ulong p = 0; p < parts; ++p)
    sum += (B_SUM)sums[p * n_bins + bin];
  *(global B_SUM *)(dst + dst_o + (long)bin * dst_a) = sum;
}

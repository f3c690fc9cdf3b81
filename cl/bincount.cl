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
 * time. With weights those that share a copy add in turns: then there is one
 * order of addition. */
#define S_LANES (S_GROUP == 1 || (B_TEAM && B_WEIGHTS) ? 16 : B_TEAM ? 8 : 1)
#include "edges.cl"

/* NaN is in no bin, also if the last edge is NaN. */
#ifdef S_INFINITE
#define B_HAS_LAST(last) ((last) != nan)
#else
#define B_HAS_LAST(last) 1
#endif

/* Set bins[i] for the elements x of n lanes from `row` on: beyond all bins for
 * what is in none. What equals the last edge is in the last bin. */
#if B_EDGES
#define B_ELEMENT S_WORD
#define B_FIND(x, row, n)                                                      \
  S_WORD o[S_LANES];                                                           \
  R_IDX pos[S_LANES];                                                          \
  if (E_BETWEEN(n_edges, 0, x, pos)) {                                         \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      bins[i] = (B_BIN)pos[i] - 1;                                             \
  } else {                                                                     \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      o[i] = s_order(x[i], flip, nan);                                         \
    E_FIND(row, n, n_edges, x, o, 1, pos)                                      \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      bins[i] = (B_BIN)pos[i] - 1 - (o[i] == last);                            \
  }
#else
#define B_ELEMENT B_INDEX
#define B_FIND(x, row, n)                                                      \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    bins[i] = (B_BIN)(long)x[i];
#endif

/* Count lane i, or add its weight. */
#if B_WEIGHTS
#define B_ADD(sum, bin) sum[bin] += v[i]
#elif B_SHARED || B_TEAM
#define B_ADD(sum, bin) atomic_inc(sum + (bin))
#else
#define B_ADD(sum, bin) ++sum[bin]
#endif

/* Copies of a team's sums, at most. With weights, more would leave local memory
 * for fewer teams (WEIGHING_COPIES of bincount.c). */
#define B_MOST (B_WEIGHTS ? 16 : 32)
#define B_COPIES (S_GROUP < B_MOST ? S_GROUP : B_MOST)

/* Weights of a work-item whose sums are read before any of them is stored. */
#define B_WIDE 4

/* Load the elements and weights of a work-item from `row` on, or those before
 * `to` instead. */
#define B_LOAD_NEXT(row)                                                       \
  if ((row) + (S_LANES - 1) * S_GROUP < to) {                                  \
    _Pragma("unroll") for (uint i = 0; i < S_LANES; ++i) {                     \
      E_LOAD(B_ELEMENT, next[i], src, (row) + i * S_GROUP)                     \
      E_LOAD(B_SUM, next_v[i], weight, (row) + i * S_GROUP)                    \
    }                                                                          \
  } else {                                                                     \
    _Pragma("unroll") for (uint i = 0; i < S_LANES; ++i) {                     \
      E_LOAD(B_ELEMENT, next[i], src, min((row) + i * S_GROUP, to - 1))        \
      E_LOAD(B_SUM, next_v[i], weight, min((row) + i * S_GROUP, to - 1))       \
    }                                                                          \
  }

/* Add v[i] to sum[bins[i] * copies], one lane after the other; what is in
 * none adds 0 to the first one. Sums never are -0, so that 0 can be added. */
#define B_WEIGH                                                                \
  _Pragma("unroll") for (uint i = 0; i < S_LANES; i += B_WIDE) {               \
    uint at[B_WIDE];                                                           \
    B_SUM total[B_WIDE];                                                       \
    _Pragma("unroll") for (uint k = 0; k < B_WIDE; ++k) {                      \
      const int is_in = bins[i + k] < (B_BIN)n_bins && i + k < lanes;          \
      at[k] = is_in ? (uint)bins[i + k] * copies : 0;                          \
      v[i + k] = is_in ? v[i + k] : 0;                                         \
      total[k] = sum[at[k]];                                                   \
    }                                                                          \
    _Pragma("unroll") for (uint k = 0; k < B_WIDE; ++k) {                      \
      _Pragma("unroll") for (uint e = 0; e < k; ++e) total[k] =                \
          at[e] == at[k] ? total[e] : total[k];                                \
      total[k] += v[i + k];                                                    \
    }                                                                          \
    _Pragma("unroll") for (uint k = 0; k < B_WIDE; ++k) sum[at[k]] = total[k]; \
  }

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
#if B_TEAM && B_WEIGHTS
  const uint turns = (S_GROUP + copies - 1) / copies;
  B_ELEMENT next[S_LANES];
  B_SUM next_v[S_LANES];

  if (from < to)
    B_LOAD_NEXT(from + me)
  for (R_IDX begin = from; begin < to; begin += S_GROUP * S_LANES) {
    const R_IDX row = begin + me, lanes = row < to ? E_LANES(row, to) : 0;
    B_ELEMENT x[S_LANES];
    B_SUM v[S_LANES];
    B_BIN bins[S_LANES];

#pragma unroll
    for (uint i = 0; i < S_LANES; ++i) {
      x[i] = next[i];
      v[i] = next_v[i];
    }
    if (to - begin > S_GROUP * S_LANES)
      B_LOAD_NEXT(row + S_GROUP * S_LANES)
    B_FIND(x, row, lanes)
    for (uint turn = 0; turn < turns; ++turn) {
      if (me / copies == turn)
        B_WEIGH
      if (turns > 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
#else
  for (R_IDX row = from + me; row < to; row += step * S_LANES) {
    const R_IDX lanes = E_LANES(row, to);
    B_ELEMENT x[S_LANES];
    B_BIN bins[S_LANES];
    E_LOAD_LANES(B_ELEMENT, x, src, row, lanes)
    B_FIND(x, row, lanes)
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
#endif
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

/* Sums that a work-item reads before it adds them, on a GPU. */
#define B_TURNS (S_GROUP > 1 && !B_SHARED ? 8 : 1)

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

  for (ulong p = me; p < parts; p += B_TURNS * step) {
    B_SUM word[B_TURNS];
#pragma unroll
    for (uint t = 0; t < B_TURNS; ++t)
      word[t] = (B_SUM)sums[min(p + t * step, parts - 1) * n_bins + bin];
#pragma unroll
    for (uint t = 0; t < B_TURNS; ++t)
      sum += p + t * step < parts ? word[t] : 0;
  }
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

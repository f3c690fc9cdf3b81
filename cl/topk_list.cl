/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of each row in order, few of a long row, on a GPU.
 * A group goes once through its part of a row, tile by tile, and appends the
 * elements that may be wanted to a list in local memory: those before its bound.
 * When the list is long, it is sorted and cut, and its last element becomes the
 * bound. A tile that does not fit then has a bound of its own first: of the
 * elements that are the first of their work-item, `wanted` come before it.
 * Parts store lists in order, and the same kernel finds the first ones of a
 * row's lists. Macros: those of sort_word.cl, and
 *
 *   #define S_ITEMS 8   elements of a tile for each work-item
 *
 * `wanted` is at most S_GROUP. */
#include "topk_part.cl"

#define T_TILE (S_GROUP * S_ITEMS)
#define T_MOST (4 * S_GROUP)
/* A list that is so long is sorted: the bound of a longer one is looser. */
#define T_LONG(wanted) max(64u, 4 * (wanted))
#define T_LAST ((S_WORD)~(S_WORD)0)
#define T_NOWHERE ((R_IDX)~(R_IDX)0)

/* Whether an element comes before another one. Equal ones have the order of
 * their row. */
GA_INLINE int t_before(S_WORD o, R_IDX j, S_WORD than, R_IDX place) {
  return o < than || (o == than && j < place);
}

/* Sort the `have` elements of the list. All come here, with these stored. */
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

/* An element that at least `wanted` elements of the tile come before, or equal:
 * of those that come first of their work-item. Nothing is found if `wanted` is
 * 0. All come here. */
GA_INLINE S_WORD t_bound(local S_WORD *best, local S_WORD *bound,
                         const S_WORD *o, const uint me, const uint wanted) {
  S_WORD mine = T_LAST;
  uint before = 0;

#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e)
    mine = o[e] < mine ? o[e] : mine;
  best[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; wanted > 0 && i < S_GROUP; ++i)
    before += best[i] < mine || (best[i] == mine && i < me);
  if (before + 1 == wanted)
    *bound = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  return *bound;
}

/* Add `mine` to the number of elements that the group appends in this turn, and
 * return how many others have added. All come here, and then to t_added. */
GA_INLINE uint t_add(local uint *added, const uint turn, const uint me,
                     const uint mine) {
  if (me == 0)
    added[(turn + 1) % 3] = 0; /* all are done with that turn */
  return mine > 0 ? atomic_add(&added[turn], mine) : 0;
}

/* How many the group appends in this turn; begins the next one. */
GA_INLINE uint t_added(local const uint *added, uint *turn) {
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint all = added[*turn];
  *turn = (*turn + 1) % 3;
  return all;
}

/* Append the elements of the tile before the bound from element e on, up to
 * `end`. 0 if they do not fit: then nothing is appended. All come here. */
GA_INLINE int t_append(local S_WORD *order, local R_IDX *place,
                       local uint *added, uint *turn, uint *have,
                       const S_WORD *o, const R_IDX j, const R_IDX to,
                       const uint e, const uint end, const uint me,
                       const S_WORD bound, const R_IDX bound_at) {
  int may = 0; /* most tiles have none */
  uint mine = 0;

#pragma unroll
  for (uint i = 0; i < S_ITEMS; ++i)
    may |= o[i] <= bound;
  if (may) {
#pragma unroll
    for (uint i = 0; i < S_ITEMS; ++i) {
      const R_IDX k = j + i * S_GROUP;
      mine += i >= e && i < end && k < to && t_before(o[i], k, bound, bound_at);
    }
  }
  uint put = *have + t_add(added, *turn, me, mine);
  if (mine > 0 && put + mine <= T_MOST) {
#pragma unroll
    for (uint i = 0; i < S_ITEMS; ++i) {
      const R_IDX k = j + i * S_GROUP;

      if (i >= e && i < end && k < to && t_before(o[i], k, bound, bound_at)) {
        order[put] = o[i];
        place[put++] = k;
      }
    }
  }
  const uint all = t_added(added, turn);
  if (all > T_MOST - *have)
    return 0;
  *have += all;
  return 1;
}

/* Global size: rows x parts x S_GROUP. */
kernel void topk_list(T_PARAMS) {
  S_HOW(how)
  const uint me = (uint)get_local_id(0);
  T_PART((R_IDX)get_group_id(0))
  local S_WORD order[T_MOST], best[S_GROUP], tile_bound;
  local R_IDX place[T_MOST];
  local uint added[3];
  S_WORD ahead[S_ITEMS]; /* of the next tile, if it is whole */
  S_WORD o[S_ITEMS], bound = T_LAST;
  R_IDX bound_at = T_NOWHERE;
  uint have = 0, turn = 0;

  if (me == 0)
    added[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  S_BASE(src, row)
  /* A tile is tried at first as a whole. Then with room, and with its own bound.
   * Then one element of each work-item after another, as many are equal.
   * Sorting is a loop of no pass or one: PoCL's compiler would copy what follows
   * a barrier under a condition. */
  const uint longest = T_LONG(wanted);
  R_IDX tile = from;
  if (to - from >= T_TILE) {
#pragma unroll
    for (uint i = 0; i < S_ITEMS; ++i)
      ahead[i] = S_LOAD(src, from + me + i * S_GROUP);
  }
  for (uint tries = 0, e = 0;;) {
    const R_IDX j = tile + me;

    if (tries == 0 && to - tile >= T_TILE) {
#pragma unroll
      for (uint i = 0; i < S_ITEMS; ++i)
        o[i] = s_order(ahead[i], flip, nan);
      if (to - tile >= 2 * T_TILE) {
#pragma unroll
        for (uint i = 0; i < S_ITEMS; ++i)
          ahead[i] = S_LOAD(src, j + T_TILE + i * S_GROUP);
      }
    } else if (tries == 0 && tile < to) {
#pragma unroll
      for (uint i = 0; i < S_ITEMS; ++i) {
        const R_IDX k = j + i * S_GROUP;
        o[i] = k < to ? s_order(S_LOAD(src, k), flip, nan) : T_LAST;
      }
    }
    const int sorts = tile >= to || tries == 1 || have >= longest ||
                      (tries == 2 && have > T_MOST - S_GROUP);

    for (int pass = 0; pass < sorts; ++pass) {
      t_sort(order, place, me, have);
      if (have >= wanted) {
        have = wanted;
        bound = order[wanted - 1];
        bound_at = place[wanted - 1];
      }
      const S_WORD least =
          t_bound(best, &tile_bound, o, me, tries == 1 ? wanted : 0);
      if (tries == 1 && least < bound) {
        bound = least;
        bound_at = T_NOWHERE;
      }
    }
    if (tile >= to)
      break;
    const uint end = tries == 2 ? e + 1 : S_ITEMS;
    if (!t_append(order, place, added, &turn, &have, o, j, to, e, end, me,
                  bound, bound_at)) {
      ++tries;
    } else if (end < S_ITEMS) {
      e = end;
    } else {
      tile += min(to - tile, (R_IDX)T_TILE);
      tries = e = 0;
    }
  }
  T_STORE(me, S_GROUP)
}

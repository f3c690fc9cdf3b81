/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of each row in order, few of a long row, on a GPU.
 * A group goes once through its row, tile by tile, and appends the elements that
 * may be wanted to a list in local memory. The first tile has a bound: of the
 * elements that are the first of their work-item, `wanted` come before it or are
 * it. When the list is long, it is sorted and cut, and its last element becomes
 * the bound. Work-items keep a bit for each element that may be wanted, and load
 * those few again. Macros: those of sort_word.cl, and
 *
 *   #define S_ITEMS 32   elements of a tile for each work-item, at most 32
 *
 * `wanted` is at most S_GROUP. */
#include "topk_order.cl"
#include "topk_part.cl"

#define T_TILE (S_GROUP * S_ITEMS)
#define T_MOST (S_GROUP < 64 ? 256 : 4 * S_GROUP)
/* A list that is so long is sorted: the bound of a longer one is looser. */
#define T_LONG(wanted) max(64u, 4 * (wanted))
/* Elements of a row, of which this work-item has j, j + S_GROUP and so on. */
#define T_READ                                                                 \
  global const char *src, const long src_a, const R_IDX j, const R_IDX to,     \
      const S_WORD flip, const S_WORD nan
#define T_READ_PASS src, src_a, j, to, flip, nan

/* The first element of the work-item in a tile. */
GA_INLINE S_WORD t_least(T_READ) {
  S_WORD least = T_LAST;

#pragma unroll
  for (uint i = 0; i < S_ITEMS; ++i) {
    const R_IDX k = j + i * S_GROUP;
    const S_WORD o = k < to ? s_order(S_LOAD(src, k), flip, nan) : T_LAST;
    least = min(least, o);
  }
  return least;
}

/* A bit for each element of the work-item in a tile that is at most `last`. */
GA_INLINE uint t_find(T_READ, const S_WORD last) {
  uint found = 0;

  if (to - j > (S_ITEMS - 1) * S_GROUP && j < to) {
    S_WORD o[S_ITEMS];

#pragma unroll
    for (uint i = 0; i < S_ITEMS; ++i)
      o[i] = S_LOAD(src, j + i * S_GROUP);
#pragma unroll
    for (uint i = 0; i < S_ITEMS; ++i)
      found |= (uint)(s_order(o[i], flip, nan) <= last) << i;
    return found;
  }
#pragma unroll
  for (uint i = 0; i < S_ITEMS; ++i) {
    const R_IDX k = j + i * S_GROUP;

    if (k < to && s_order(S_LOAD(src, k), flip, nan) <= last)
      found |= 1u << i;
  }
  return found;
}

/* An element that at least `wanted` elements of the tile come before, or equal:
 * of those that come first of their work-item, here `least`. All come here. */
GA_INLINE S_WORD t_bound(local S_WORD *best, local S_WORD *bound,
                         const S_WORD least, const uint me,
                         const uint wanted) {
  uint before = 0;

  best[me] = least;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
  for (uint i = 0; i < S_GROUP; ++i)
    before += best[i] < least || (best[i] == least && i < me);
  if (before + 1 == wanted)
    *bound = least;
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

/* Append the elements whose bits are set. 0 if they do not fit: then nothing is
 * appended. All come here. */
GA_INLINE int t_append(T_READ, local S_WORD *order, local R_IDX *place,
                       local uint *added, uint *turn, uint *have, uint found,
                       const uint me) {
  const uint mine = popcount(found);
  uint put = *have + t_add(added, *turn, me, mine);

  if (put + mine > T_MOST)
    found = 0;
  for (; found != 0; found &= found - 1, ++put) {
    const R_IDX k = j + (31 - clz(found & -found)) * S_GROUP;

    order[put] = s_order(S_LOAD(src, k), flip, nan);
    place[put] = k;
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
  S_WORD last = T_LAST; /* elements up to it may be wanted, */
  int is_open = 1;      /* or none */
  uint have = 0, turn = 0;

  if (me == 0)
    added[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  S_BASE(src, row)
  /* A tile is tried at first as a whole. Then with room, and with its own bound,
   * which the first tile has at once. Then one element of each work-item after
   * another, as many are equal. Sorting is a loop of no pass or one: PoCL's
   * compiler would copy what follows a barrier under a condition. */
  const uint longest = T_LONG(wanted);
  R_IDX tile = from;
  for (uint tries = 1, e = 0;;) {
    const R_IDX j = tile + me;
    const int sorts = tile >= to || (tries == 1 && have > 0) ||
                      have >= longest ||
                      (tries == 2 && have > T_MOST - S_GROUP);

    for (int pass = 0; pass < sorts; ++pass) {
      t_sort(order, place, me, have);
      if (have >= wanted) {
        /* Elements that equal the bound come behind it in the row. */
        have = wanted;
        is_open = order[wanted - 1] > 0;
        last = order[wanted - 1] - (S_WORD)is_open;
      }
    }
    if (tile >= to)
      break;
    for (int pass = 0; pass < (tries == 1); ++pass)
      last = min(last, t_bound(best, &tile_bound, t_least(T_READ_PASS), me,
                               wanted));
    uint found = is_open ? t_find(T_READ_PASS, last) : 0;
    if (tries == 2)
      found &= 1u << e;
    if (!t_append(T_READ_PASS, order, place, added, &turn, &have, found, me)) {
      ++tries;
    } else if (tries == 2 && e + 1 < S_ITEMS) {
      ++e;
    } else {
      tile += min(to - tile, (R_IDX)T_TILE);
      tries = e = 0;
    }
  }
  T_STORE(me, S_GROUP)
}

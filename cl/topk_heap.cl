/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of each row in order, few of a long row, on a CPU.
 * A work-item goes once through its part of a row and keeps the first ones that
 * it has seen in a heap, whose root is the last of them: most elements come
 * behind that one, and vectors find out that a block has no other. Parts store
 * lists in order, and the same kernel finds the first ones of a row's lists.
 * Macros: those of sort_word.cl. */
#include "topk_part.cl"

#define T_MOST 1024 /* elements of a heap */
#define T_BLOCK 64

/* Whether an element comes behind another one. Equal ones have the order of
 * their row. */
static int t_behind(S_WORD o, R_IDX j, S_WORD than, R_IDX place) {
  return o > than || (o == than && j > place);
}

/* Put an element into the heap of n others at i, or below it, where children
 * come before. */
static void t_sink(S_WORD *order, R_IDX *place, uint n, uint i, S_WORD o,
                   R_IDX j) {
  for (uint c = 2 * i + 1; c < n; c = 2 * i + 1) {
    if (c + 1 < n && t_behind(order[c + 1], place[c + 1], order[c], place[c]))
      ++c;
    if (!t_behind(order[c], place[c], o, j))
      break;
    order[i] = order[c];
    place[i] = place[c];
    i = c;
  }
  order[i] = o;
  place[i] = j;
}

/* Whether one of T_BLOCK elements that lie one after another comes before the
 * root. */
static int t_any(global const char *p, S_WORD root, S_WORD flip, S_WORD nan) {
  S_WORD any = 0;

  for (uint i = 0; i < T_BLOCK; ++i)
    any |= (S_WORD)(s_order(((global const S_WORD *)p)[i], flip, nan) < root);
  return any != 0;
}

/* Global size: rows x parts, or more. */
kernel void topk_list(T_PARAMS) {
  S_HOW(how)
  T_PART((R_IDX)get_global_id(0))
  S_WORD order[T_MOST];
  R_IDX place[T_MOST];

  if (row >= n_rows)
    return;
  S_BASE(src, row)
  for (uint i = 0; i < wanted; ++i) {
    order[i] = s_order(S_LOAD(src, from + i), flip, nan);
    place[i] = from + i;
  }
  for (uint i = wanted / 2; i-- > 0;)
    t_sink(order, place, wanted, i, order[i], place[i]);
  R_IDX j = from + wanted;
#if S_FLAT
  for (; to - j >= T_BLOCK; j += T_BLOCK) {
    S_WORD o[T_BLOCK];

    if (!t_any(S_AT(src, j), order[0], flip, nan))
      continue;
    for (uint i = 0; i < T_BLOCK; ++i)
      o[i] = s_order(S_LOAD(src, j + i), flip, nan);
    for (uint i = 0; i < T_BLOCK; ++i)
      if (o[i] < order[0])
        t_sink(order, place, wanted, 0, o[i], j + i);
  }
#endif
  for (; j < to; ++j) {
    const S_WORD o = s_order(S_LOAD(src, j), flip, nan);

    if (o < order[0])
      t_sink(order, place, wanted, 0, o, j);
  }
  for (uint i = wanted; i-- > 1;) {
    const S_WORD o = order[i];
    const R_IDX p = place[i];

    order[i] = order[0];
    place[i] = place[0];
    t_sink(order, place, i, 0, o, p);
  }
  T_STORE(0, 1)
}

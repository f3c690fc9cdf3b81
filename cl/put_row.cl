/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves along rows without gaps, each of which a group keeps in local memory:
 * where the indices lead to no longer matters. Takes read the row and nothing
 * else; puts move into it, by atomics, and write it back. Macros beside those of
 * put_index.cl:
 *
 *   #define P_GROUP 512        work-items of a group
 *   #define P_PART 8           indices that a work-item reads before it moves
 *   #define P_TAKES 1          1: the values are written, 0: the row
 *   #define P_LAST 1           1: of the moves to an element the last one stays:
 *                              the group keeps the position of that move, from
 *                              1 on, instead of the element
 *
 *   #define P_PARTS 1          1: lines are parts of one vector of indices, the
 *                              last of `last`, and have rows of their own, which
 *                              begin with 0 (put_join.cl)
 *
 * There are n_lines lines of `len` indices and, without P_PARTS, at least
 * P_GROUP rows. Groups take the lines in turns. */
#if P_LAST
#define P_KEPT uint
#else
#define P_KEPT P_WORD
#endif
#define P_BATCH (P_PART * P_GROUP)

/* Behind the row: the last element or, as that is written by another work-item,
 * the first one of its own. */
#define P_INSIDE(j) (P_TAKES ? min(j, n - 1) : (j) < n ? (j) : me)

/* What combinations keep beside the rows that indices mean. */
#if P_TAKES || P_LAST
#define P_VALUES(s)
#else
#define P_VALUES(s) s;
#endif

/* Reads P_PART indices from number `from` on. */
#define P_READ(from)                                                           \
  _Pragma("unroll") for (uint u = 0; u < P_PART; ++u) {                        \
    const uint j_ = min((from) + u * P_GROUP, len - 1);                        \
    at[u] = P_ROW(pi + P_I(j_));                                               \
    P_VALUES(value[u] = *(global P_VALUE *)(pv + P_V(j_)))                     \
  }

kernel void put_row(P_PARAMS, const ulong n_lines, const ulong len_,
                    const ulong last, local P_KEPT *row) {
  const uint me = get_local_id(0), n = (uint)rows;

  for (P_IDX line = get_group_id(0); line < (P_IDX)n_lines;
       line += get_num_groups(0)) {
    P_BASES(line)
    const uint len = (uint)(P_PARTS && line + 1 == n_lines ? last : len_);
    global P_WORD *const a = (global P_WORD *)pa;
    P_NUMBER at[P_PART];
    P_VALUES(P_VALUE value[P_PART])

    P_READ(me)
    barrier(CLK_LOCAL_MEM_FENCE); /* the line before has been read */
#if P_LAST || P_PARTS
    for (uint j = me; j < n; j += P_GROUP)
      row[j] = 0;
#else
    for (uint from = me; from < n; from += P_BATCH) {
      P_WORD word[P_PART];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        word[u] = a[P_INSIDE(from + u * P_GROUP)];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        if (from + u * P_GROUP < n)
          row[from + u * P_GROUP] = word[u];
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint from = me; from < len; from += P_BATCH) {
      if (from != me)
        P_READ(from)
      for (uint u = 0; ga_guard != 0 && u < P_PART; ++u) {
        const uint j = from + u * P_GROUP;
        if (j < len)
          P_CHECK(pi + P_I(j))
      }
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        const uint j = from + u * P_GROUP;
        if (j < len && (P_CLAMP || at[u] >= 0)) {
#if P_LAST
          (void)atomic_max(row + at[u], j + 1);
#elif P_TAKES
          P_MOVE(row[at[u]], (*(global P_VALUE *)(pv + P_V(j))))
#else
          P_MOVE(row[at[u]], value[u])
#endif
        }
      }
    }

#if !P_TAKES
    barrier(CLK_LOCAL_MEM_FENCE);
#if P_LAST
    for (uint from = me; from < n; from += P_BATCH) {
      P_WORD word[P_PART];
      uint last[P_PART];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        last[u] = row[min(from + u * P_GROUP, n - 1)];
        word[u] = *(global P_VALUE *)(pv + P_V(max(last[u], 1u) - 1));
      }
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        if (from + u * P_GROUP < n && last[u] > 0)
          a[from + u * P_GROUP] = word[u];
    }
#else
    for (uint j = me; j < n; j += P_GROUP)
      a[j] = row[j];
#endif
#endif
  }
}

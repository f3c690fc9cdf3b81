/* SPDX-License-Identifier: BSD-2-Clause */
/* The sum of `c` over the work-items of a group before this one; *all: over all
 * of them. Every work-item of the group comes here. Each adds up the sums of
 * rows of S_ROW_ITEMS before its own, and those before it in its row. Macro:
 * S_GROUP, which is a multiple of S_ROW_ITEMS. */
#define S_ROW_ITEMS (S_GROUP < 16 ? S_GROUP : 16)
#define S_SUMS (S_GROUP + S_GROUP / S_ROW_ITEMS)

GA_INLINE ulong s_before(local ulong *sums, const ulong c, ulong *all) {
  const uint me = get_local_id(0), row = me / S_ROW_ITEMS;
  ulong sum = 0, total = 0;

  sums[me] = c;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < S_GROUP / S_ROW_ITEMS) {
    for (uint k = 0; k < S_ROW_ITEMS; ++k)
      sum += sums[me * S_ROW_ITEMS + k];
    sums[S_GROUP + me] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint k = 0; k < S_GROUP / S_ROW_ITEMS; ++k) {
    sum += k < row ? sums[S_GROUP + k] : 0;
    total += sums[S_GROUP + k];
  }
  for (uint k = row * S_ROW_ITEMS; k < me; ++k)
    sum += sums[k];
  *all = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

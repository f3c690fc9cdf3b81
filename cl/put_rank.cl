/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of put_list.cl with each row's indices in their order: a work-item
 * finds the place of one index by counting those before it. Macros are the
 * same. Global size: that of the indices, or more. */
kernel void put_rank(global const char *gi, const ulong oi,
                     const ulong rows P_SIZES, global const uint *ends,
                     global const uint *list, global uint *order) {
  const uint i = (uint)get_global_id(0);

  if (i < ends[rows - 1]) {
    const uint k = list[i];
    global const char *const pi = gi + oi;
    P_STEP(k)
    const P_NUMBER r = P_ROW(qi);
    const uint begin = r > 0 ? ends[r - 1] : 0, end = ends[r];
    uint at = begin;

    for (uint other = begin; other < end; ++other)
      at += list[other] < k;
    order[at] = k;
  }
}

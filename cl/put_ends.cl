/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each row's indices end, when the numbers of put_keys.cl are sorted.
 * Macros are the same. Global size: rows, or more. */
kernel void put_ends(const ulong rows, const ulong n_k,
                     global const P_KEY *keys, global uint *ends) {
  const uint r = (uint)get_global_id(0);
  uint low = 0, high = (uint)n_k;

  if (r >= rows)
    return;
  while (low < high) {
    const uint mid = low + (high - low) / 2;

    if (keys[mid] <= r)
      low = mid + 1;
    else
      high = mid;
  }
  ends[r] = low;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows that indices mean, as numbers to be sorted (src/order); that of bad
 * indices is behind all rows. Macros are those of put_list.cl, and
 *
 *   #define P_KEY ushort       unsigned, can hold the number of rows
 *
 * Global size: that of the indices, or more. */
kernel void put_keys(global const char *gi, const ulong oi, const ulong rows,
                     GA_GUARD_PARAMS P_SIZES, const ulong n_k,
                     global P_KEY *keys) {
  const uint k = (uint)get_global_id(0);

  if (k < n_k) {
    global const char *const pi = gi + oi;
    P_STEP(k)
    const P_NUMBER r = P_ROW(qi);
    P_CHECK(qi)
    keys[k] = r < 0 ? (P_KEY)rows : (P_KEY)r;
  }
}

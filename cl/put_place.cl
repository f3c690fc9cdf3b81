/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of few indices, and where each row's end: what put_list.cl and
 * put_rank.cl find, by comparing every index with all others. That takes the
 * same time for any indices, and needs neither atomics nor a second kernel. Macros are those of put_list.cl; a group
 * has P_GROUP work-items. An index and its position make one number, `shift`
 * bits of which are the position; bad indices come behind all rows. A group
 * places P_PLACED indices or ends of rows, in P_GROUP / P_PLACED slices of all
 * numbers. Global size: (indices + rows) / P_PLACED groups, or more. */
#define P_PLACED 32
#define P_SLICES (P_GROUP / P_PLACED)
#define P_LOADS 4
#define P_TILE (P_LOADS * P_GROUP)
#define P_SLICE (P_TILE / 4 / P_SLICES)

kernel void put_place(global const char *gi, const ulong oi,
                      const ulong rows, GA_GUARD_PARAMS P_SIZES,
                      const ulong n_k_, const uint shift, global uint *ends,
                      global uint *order) {
  local uint4 tile[P_TILE / 4];
  local uint before[P_SLICES][P_PLACED];
  const uint n_k = (uint)n_k_, n_rows = (uint)rows, me = get_local_id(0);
  const uint lane = me % P_PLACED, slice = me / P_PLACED;
  const uint id = get_group_id(0) * P_PLACED + lane;
  global const char *const pi = gi + oi;
  uint mine = id >= n_k ? (id - n_k + 1) << shift : 0, count = 0;

  if (id < n_k) {
    P_STEP(id)
    const P_NUMBER r = P_ROW(qi);
    if (slice == 0)
      P_CHECK(qi)
    mine = (r < 0 ? n_rows : (uint)r) << shift | id;
  }
  for (uint from = 0; from < n_k; from += P_TILE) {
    local uint *const number = (local uint *)tile;

    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint u = 0; u < P_LOADS; ++u) {
      const uint i = me + u * P_GROUP, k = from + i;
      uint x = UINT_MAX;
      if (k < n_k) {
        P_STEP(k)
        const P_NUMBER r = P_ROW(qi);
        x = (r < 0 ? n_rows : (uint)r) << shift | k;
      }
      number[i] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = 0; t < P_SLICE; ++t) {
      const uint4 x = tile[slice * P_SLICE + t];
      count += (x.x < mine) + (x.y < mine) + (x.z < mine) + (x.w < mine);
    }
  }
  before[slice][lane] = count;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0 && id < n_k + n_rows) {
    for (uint s = 1; s < P_SLICES; ++s)
      count += before[s][lane];
    if (id < n_k)
      order[count] = id;
    else
      ends[id - n_k] = count;
  }
}

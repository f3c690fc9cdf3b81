/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers rows on a GPU: a work-item does PART words, ga_segs apart, of ROWS
 * rows. All are loaded before the first is stored, so that the waits for
 * indices and words overlap. Macros beside those of take.cl:
 *
 *   #define ROWS 1         the value of ga_rows
 *   #define PART 4         the value of ga_part */
kernel void take(TAKE_PARAMS) {
  TAKE_POINTERS
  const ga_index ga_id = (ga_index)get_global_id(0);
  const ga_index ga_k = ga_id % ga_segs;
  const ga_index ga_row = ga_id / ga_segs * ROWS;
  WORD ga_w[ROWS * PART];

#pragma unroll
  for (uint ga_r = 0; ga_r < ROWS; ++ga_r) {
    if (ga_row + (ga_index)ga_r < ga_n) {
      const INDEX_T ga_at = ga_i[ga_row + ga_r];
      TAKE_CHECK(ga_at, ga_row + (ga_index)ga_r)
      global const WORD *ga_p = ga_v + (long)row_of(ga_at, ga_vn) * ga_vs;

#pragma unroll
      for (uint ga_u = 0; ga_u < PART; ++ga_u) {
        const ga_index ga_c = ga_k + (ga_index)ga_u * ga_segs;
        if (ga_c < ga_len)
          ga_w[ga_r * PART + ga_u] = ga_p[SOURCE(ga_c)];
      }
    }
  }
#pragma unroll
  for (uint ga_r = 0; ga_r < ROWS; ++ga_r) {
    if (ga_row + (ga_index)ga_r < ga_n) {
      global WORD *ga_q = ga_a + (long)(ga_row + ga_r) * ga_len;

#pragma unroll
      for (uint ga_u = 0; ga_u < PART; ++ga_u) {
        const ga_index ga_c = ga_k + (ga_index)ga_u * ga_segs;
        if (ga_c < ga_len)
          ga_q[ga_c] = ga_w[ga_r * PART + ga_u];
      }
    }
  }
}

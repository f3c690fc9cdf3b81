/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernel over one row. Macros in front of it, here for c = a + b
 * with vectors of 16 floats:
 *
 *   #define LANES 16         elements per step; 1 goes without STEP_W
 *   #define EXPR_LANES LANES width of EXPR's types in STEP_W; nothing where
 *                            STEP_W goes lane by lane
 *   #define CHUNKED 1        1: a work-item loops over ga_chunk elements,
 *                            0: it does LANES
 *   #define ITEMS 1          work-items of a group; 0: any number
 *   #define DIGITS 0         1: lanes find their coordinates, see below
 *   #define ga_index long
 *   #define PARAMS global const float *ga_g0, const ulong ga_o0, ...
 *                  const ga_index ga_n, const ga_index ga_chunk
 *   #define POINTERS ...     declares ga_p0, ... where the arrays begin
 *   #define VALUES           declares what is the same everywhere
 *   #define EXPR c = a + b;
 *   #define STEP_W {float16 a = GA_LOAD16(ga_p0 + ga_j); ... EXPR ...}
 *   #define STEP_1 {...}     the same for one element
 *
 * With DIGITS some arrays do not lie in one row: DIGITS_W declares coordinates
 * of the LANES elements from ga_j on, DIGITS_NEXT moves them by LANES, and
 * INDICES_W turns them into indices. DIGITS_1 and INDICES_1 do one element. */
#if ITEMS
#define GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#else
#define GROUP
#endif
#if !CHUNKED
#define ga_chunk LANES
#endif

#if !DIGITS
#define DIGITS_W
#define DIGITS_NEXT
#define INDICES_W
#define DIGITS_1
#define INDICES_1
#endif

/* Global size: n / chunk, or more. */
kernel GROUP void elemwise(PARAMS) {
  ga_index ga_j = (ga_index)get_global_id(0) * ga_chunk;
  const ga_index ga_to = min(ga_j + ga_chunk, ga_n);
  POINTERS
  VALUES

#if LANES > 1
#define W_LANES EXPR_LANES
  if (ga_j + LANES <= ga_to) {
    DIGITS_W
#if CHUNKED
    for (; ga_j + LANES <= ga_to; ga_j += LANES) {
      INDICES_W
      STEP_W
      DIGITS_NEXT
    }
#else
    INDICES_W
    STEP_W
    ga_j += LANES;
#endif
  }
#undef W_LANES
#endif
#define W_LANES
#if LANES > 1
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (; ga_j < ga_to; ++ga_j) {
    DIGITS_1
    INDICES_1
    STEP_1
  }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernel over rows of the inner dimension. Macros as for
 * elemwise.cl, and:
 *
 *   PARAMS also has
 *     ga_n0             length of a row
 *     ga_m              number of rows
 *     ga_segs           segments that a row is cut into
 *     ga_len ga_rows    CHUNKED: length of a segment, rows of a work-item
 *     ga_n1 ...         sizes of the dimensions that make up the rows, without
 *                       the outermost
 *     ga_s0_1 ...       strides of array 0
 *   #define STRIP 64    not CHUNKED: segments of a strip, which all rows do
 *                       before the next strip; 0: rows are whole
 *   #define POINTERS    declares ga_b0, ... where the arrays begin
 *   #define ROW_FIRST   declares ga_k1, ..., the coordinates of row ga_row
 *   #define ROW_NEXT    moves them to the next row
 *   #define ROW_POINTERS   declares ga_p0, ... where the row begins, and what
 *                       is the same in all of it */
#if ITEMS
#define GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#else
#define GROUP
#endif
#if !CHUNKED
#define ga_len LANES
#define ga_rows 1
#endif

/* Global size: segments x (rows / ga_rows), or more. */
kernel GROUP void elemwise(PARAMS) {
  const ga_index ga_id = (ga_index)get_global_id(0);
#if STRIP
  const ga_index ga_strip = STRIP * ga_m;
  const ga_index ga_from =
      (ga_id / ga_strip * STRIP + ga_id % STRIP) * ga_len;
  ga_index ga_row = ga_id % ga_strip / STRIP;
#else
  const ga_index ga_from = ga_id % ga_segs * ga_len;
  ga_index ga_row = ga_id / ga_segs * ga_rows;
#endif
  const ga_index ga_to = min(ga_from + ga_len, ga_n0);
  const ga_index ga_row_end = min(ga_row + ga_rows, ga_m);
  POINTERS
  VALUES
  ROW_FIRST

  for (; ga_row < ga_row_end; ++ga_row) {
    ga_index ga_j = ga_from;
    ROW_POINTERS
#if LANES > 1
#define W_LANES EXPR_LANES
#if CHUNKED
    for (; ga_j + LANES <= ga_to; ga_j += LANES)
      STEP_W
#else
    if (ga_j + LANES <= ga_to) {
      STEP_W
      ga_j += LANES;
    }
#endif
#undef W_LANES
#endif
#define W_LANES
#if LANES > 1
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (; ga_j < ga_to; ++ga_j)
      STEP_1
#undef W_LANES
    ROW_NEXT
  }
}

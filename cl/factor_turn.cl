/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy matrices of a batch, or one triangle of them, as factor_copy.cl does,
 * where neighbours in columns of at least one side are side by side. Squares go
 * through local memory, so that work-items beside each other read and write
 * elements beside each other. Macros beyond those of factor_copy.cl:
 *
 *   #define G 256            work-items of a group
 *   #define SRC_ROWS 1       neighbours in rows of the source are side by side,
 *   #define DST_ROWS 0       and of the result; otherwise those in columns
 *
 * F_PART is 0, 1 or 2. Source and result do not overlap. Global size: G for
 * each square of a row of squares, rows of squares, batch. */
#define SIDE 32
#define EACH ((SIDE * SIDE + G - 1) / G) /* elements of a work-item */
#define AT(x, i, j) (x##_p + (long)(i) * x##_r + (long)(j) * x##_c)
#define IS_COPIED(i, j) (F_PART == 0 || (F_PART == 1 ? (j) <= (i) : (j) >= (i)))

kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_turn(F_OPERAND(src), F_OPERAND(dst), F_SIZES, const ulong m,
            const ulong n) {
  const ulong z = get_global_id(2);
  const ulong top = get_group_id(1) * SIDE, left = get_group_id(0) * SIDE;
  const int me = (int)get_local_id(0);
  local F_WORD square[SIDE][SIDE + 1];
  F_WORD v[EACH];

  F_BASE(src, z)
  F_BASE(dst, z)
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int at = me + e * G;
    const ulong i = top + (SRC_ROWS ? at / SIDE : at % SIDE);
    const ulong j = left + (SRC_ROWS ? at % SIDE : at / SIDE);

    v[e] = at < SIDE * SIDE && i < m && j < n && IS_COPIED(i, j)
               ? F_LOAD(AT(src, i, j))
               : (F_WORD)(0);
  }
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int at = me + e * G;

    if (at < SIDE * SIDE)
      square[SRC_ROWS ? at / SIDE : at % SIDE]
            [SRC_ROWS ? at % SIDE : at / SIDE] = v[e];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int at = me + e * G;
    const int row = DST_ROWS ? at / SIDE : at % SIDE;
    const int col = DST_ROWS ? at % SIDE : at / SIDE;

    if (at < SIDE * SIDE && top + row < m && left + col < n)
      F_STORE(square[row][col], AT(dst, top + row, left + col));
  }
}

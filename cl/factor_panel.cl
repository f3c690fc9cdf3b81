/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels in registers of a group of G work-items: work-item `me` has R rows of C
 * columns. */
#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))
#define ROW_OF(r) ((r) * G + me)
/* Registers need constant indices, so loops over them are unrolled; rows that
 * no work-item has are left out. */
#define EACH_ROW(r, rows)                                                      \
  _Pragma("unroll") for (int r = 0; r < R; ++r) if (r * G < (rows))
#define EACH_COLUMN(j) _Pragma("unroll") for (int j = 0; j < C; ++j)

/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of an axis on a CPU, for cumulate_row.cl and cumulate_col.cl. */

/* The part of this work-item, and its elements. */
#define C_FIND_PART                                                            \
  const R_IDX part = (R_IDX)get_global_id(1) + (C_PASS == 2);                  \
  const R_IDX from =                                                           \
      part == 0 ? 0 : (R_IDX)head_ + (part - 1) * (R_IDX)chunk_;               \
  const R_IDX to = part == 0 ? (R_IDX)head_ : min(n, from + (R_IDX)chunk_);
#define C_STORES (C_PASS != 1 || part == 0) /* results */

/* SPDX-License-Identifier: BSD-2-Clause */
/* The first blocks of A and B of a group, by the names of the arguments of a
 * kernel for tensor cores, which this stands in. SIZE is as in mma_tile.cl.
 * Groups that run together form a band of rows: they share blocks in the
 * device's cache. m and n are what the matrices have left. */
const uint cols = get_num_groups(0), rows = get_num_groups(1);
const uint id = get_group_id(1) * cols + get_group_id(0);
const uint band = id / (BAND * cols) * BAND;
const uint tall = min(rows - band, (uint)BAND), in = id - band * cols;
const long i0 = (long)(band + in % tall) * BM, j0 = (long)(in / tall) * BN;
const long z = (long)get_group_id(2);
const long m = (long)m_ - i0, n = (long)n_ - j0, k = (long)k_;
const long lda = A_UNIT == 1 ? ars : acs, ldb = B_UNIT == 1 ? bcs : brs;
const long a_step = (A_UNIT == 1 ? BK : BK * lda) * SIZE; /* to the next block */
const long b_step = (B_UNIT == 1 ? BK : BK * ldb) * SIZE;
ulong a = (ulong)(size_t)(abuf + aoff) + (z * abs_ + i0 * ars) * SIZE;
ulong b = (ulong)(size_t)(bbuf + boff) + (z * bbs + j0 * bcs) * SIZE;

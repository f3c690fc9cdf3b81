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
#if PARTS
/* C has a matrix for each part of each sum. */
const long z = (long)(get_group_id(2) / n_parts);
const long from = (long)(get_group_id(2) % n_parts * run);
const long k = min((long)run, (long)k_ - from);
#else
const long z = (long)get_group_id(2), from = 0, k = (long)k_;
#endif
const long m = (long)m_ - i0, n = (long)n_ - j0;
const long lda = A_UNIT == 1 ? ars : acs, ldb = B_UNIT == 1 ? bcs : brs;
/* Bytes to the next block. */
#ifdef WINDOW
const long a_step = 0;
#else
const long a_step = (A_UNIT == 1 ? BK : BK * lda) * SIZE;
#endif
const long b_step = (B_UNIT == 1 ? BK : BK * ldb) * SIZE;
#ifdef WINDOW
ulong a = (ulong)(size_t)(abuf + aoff) + z * abs_ * SIZE;
window win = WINDOW_IS(0, 0);
win.p_last = A_UNIT == 1; /* constants save time in each block */
win.j_last = A_UNIT != 1;
const window_index step = window_index_of(BK, &win);
#if A_UNIT == 1
window_place lines[WINDOW_COPIES];
mma_window_lines(lines, &win, i0, m_, me);
mma_chunk chunk = mma_chunk_of(
    window_index_of(from + me % A_CHUNKS * CHUNK, &win), &win, lines);
#else
const window_place chunk = mma_window_chunk(&win, i0, m_, me);
window_index lines[WINDOW_COPIES];
mma_window_lines(lines, &win, from, me);
#endif
#else
ulong a =
    (ulong)(size_t)(abuf + aoff) + (z * abs_ + i0 * ars + from * acs) * SIZE;
#endif
ulong b =
    (ulong)(size_t)(bbuf + boff) + (z * bbs + j0 * bcs + from * brs) * SIZE;

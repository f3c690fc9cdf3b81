/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a row program's states before its loop (rows_words.cl), here for
 * one state:
 *
 *   #define B_PARAMS global const char *b_x0, const ulong b_o0,
 *   #define B_STATES B_STATE(0)
 *
 * Global size: n elements of a state, or more. */
#define B_STATE(s)                                                             \
  words[s * 2 * n + i] =                                                       \
      (ulong)1 << 32 | ((global const uint *)(b_x##s + b_o##s))[i];            \
  words[(s * 2 + 1) * n + i] = 0;

kernel void rows_begin(B_PARAMS const ulong n, global ulong *words) {
  const ulong i = get_global_id(0);

  if (i < n) {
    B_STATES
  }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays without gaps put together along an axis, in whole rows of the result:
 * a row is what follows the axes in front of the joined one. Macros, here for
 * parts of one and two words:
 *
 *   #define J_WORD uint          what is moved
 *   #define J_WIDTH 3            words of a row
 *   #define J_PARAMS , global const J_WORD *j_x0, ulong j_o0, ...
 *                                the parts, with offsets in bytes
 *   #define J_ROW J_PART(j_x0, j_o0, 1, 0) J_PART(j_x1, j_o1, 2, 1)
 *                                words of each part, and where they go */
#define J_PART(x, o, n, at)                                                    \
  {                                                                            \
    global const J_WORD *from =                                                \
        (global const J_WORD *)((global const char *)x + o) + row * n;         \
    for (uint k = 0; k < n; ++k)                                               \
      to[at + k] = from[k];                                                    \
  }

/* Global size: rows / per, or more. */
kernel void join(global J_WORD *r, ulong ro J_PARAMS, ulong rows, ulong per) {
  const ulong first = get_global_id(0) * per;
  const ulong last = min(first + per, rows);

  for (ulong row = first; row < last; ++row) {
    global J_WORD *to =
        (global J_WORD *)((global char *)r + ro) + row * J_WIDTH;
    J_ROW
  }
}

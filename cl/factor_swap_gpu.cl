/* SPDX-License-Identifier: BSD-2-Clause */
/* Row exchanges of LU factors on GPUs, as factor_swap.cl does them one after the
 * other. Macros, here for floats:
 *
 *   #define T float          as stored, of complex numbers a part; LD, ST: as in
 *                            gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2
 *   #define S 32             exchanges at a time, a power of 2
 *   #define COLS 32          columns of a group, a power of 2 */
#include "factor_matrix.cl"
#include "factor_number.cl"

#define SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define EACH ((2 * S * COLS + G - 1) / G) /* elements of a work-item */
#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))

/* Some exchanges as moves: row target[v] gets what row source[v] had. A target
 * of -1 is none. */
typedef struct moves {
  int pivots[S], source[2 * S], target[2 * S];
} moves;

/* The row that exchanges bring to row i: they are walked from the last one to
 * the first one. */
GA_INLINE int swap_source(local const int *pivots, const int first,
                          const int count, const int back, int i) {
  for (int c = 0; c < count; ++c) {
    const int at = back ? c : count - 1 - c;
    const int k = first + at, p = pivots[at];

    i = i == k ? p : i == p ? k : i;
  }
  return i;
}

/* Find the moves of exchanges `first` to first + count. */
GA_INLINE void swap_moves(local moves *s, global const int *from,
                          const int first, const int count, const int back) {
  const int me = (int)get_local_id(0);

  for (int c = me; c < count; c += G)
    s->pivots[c] = from[first + c];
  SYNC;
  for (int v = me; v < 2 * count; v += G) {
    const int i = v < count ? first + v : s->pivots[v - count];
    int known = v >= count && i >= first && i < first + count;

    for (int c = 0; c < v - count; ++c)
      known |= s->pivots[c] == i;
    s->target[v] = known ? -1 : i;
    s->source[v] = swap_source(s->pivots, first, count, back, i);
  }
  SYNC;
}

/* --- rows of U --- */

#define TEAMS (G / COLS < S ? G / COLS : S)
#define ROWS (S / TEAMS) /* of a team */
#define EACH_OF_TEAM(k) _Pragma("unroll") for (int k = 0; k < ROWS; ++k)

/* The panel's rows of L, and what is known of those of U. */
typedef struct upper {
  N l[S][S + 1], u[S][COLS + 1];
} upper;

/* Solve for `count` rows of U in s->u, where the panel's L begins at `a`. A
 * work-item has ROWS rows of a column in registers; one team after the other
 * solves, and those below it subtract what follows. */
GA_INLINE void swap_solve(global const T *a, const long rs, const long cs,
                          const int count, local upper *s) {
  const int me = (int)get_local_id(0), top = me / COLS * ROWS;
  const int col = me % COLS;
  N x[ROWS];

  for (int v = me; v < S * S; v += G) {
    const int i = v % S, j = v / S;

    s->l[i][j] = i < count && j < i ? LDN(AFTER(a, i * rs + j * cs)) : (N)(0);
  }
  SYNC;
  EACH_OF_TEAM(k) x[k] = top + k < count ? s->u[top + k][col] : (N)(0);
  for (int first = 0; first < count; first += ROWS) {
    if (top == first) {
      EACH_OF_TEAM(k) {
        EACH_OF_TEAM(i) {
          if (i > k)
            x[i] = plus_product(x[i], -s->l[top + i][top + k], x[k]);
        }
        s->u[top + k][col] = x[k];
      }
    }
    SYNC;
    for (int k = first; top > first && k < first + ROWS; ++k) {
      const N f = s->u[k][col];

      EACH_OF_TEAM(i) x[i] = plus_product(x[i], -s->l[top + i][k], f);
    }
  }
}

/* --- exchanges --- */

/* Exchange the rows of x as pivots `first` to `last` say, or, if `back`, as they
 * say from the last to the first; S exchanges are read, then written. n columns
 * take part: the `gap` columns from `skip` on do not count. They are the panel
 * of these at most S exchanges if `solved` of the columns behind them, or all
 * of those, get rows of U. Both are multiples of COLS. Global size: G for each
 * COLS columns, batch. */
kernel GROUP void factor_swap(MATRIX(x), const ulong n, global const int *from,
                              const ulong each, const ulong first_,
                              const ulong last_, const int back,
                              const ulong skip, const ulong gap,
                              const ulong solved) {
  const ulong z = get_group_id(1), left = get_group_id(0) * COLS;
  const int me = (int)get_local_id(0);
  const int cols = (int)min((ulong)COLS, n - left);
  const int first = (int)first_, last = (int)last_;
  const int by_rows = x_cs == 1 || x_cs == -1;
  const int solves = left >= skip && left - skip < solved;
  global T *x = NUMBERS_AT(x, z);
  local moves s;
  local upper upper;
  N moved[EACH];

  for (int done = 0; done < last - first; done += S) {
    const int count = min(S, last - first - done), slots = 2 * count;

    swap_moves(&s, from + z * each, back ? last - done - count : first + done,
               count, back);
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
      const int v = me + e * G, slot = by_rows ? v / COLS : v % (2 * S);
      const int j = by_rows ? v % COLS : v / (2 * S);
      const long col = (long)(left + j + (left + j < skip ? 0 : gap));

      if (slot < slots && j < cols)
        moved[e] = LDN(AFTER(x, s.source[slot] * x_rs + col * x_cs));
    }
    SYNC;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
      const int v = me + e * G, slot = by_rows ? v / COLS : v % (2 * S);
      const int j = by_rows ? v % COLS : v / (2 * S);
      const long col = (long)(left + j + (left + j < skip ? 0 : gap));

      if (slot < slots && j < cols && s.target[slot] >= 0) {
        if (solves && slot < count)
          upper.u[slot][j] = moved[e];
        else
          STN(moved[e], AFTER(x, s.target[slot] * x_rs + col * x_cs));
      }
    }
    SYNC;
  }
  if (solves) {
    const int count = last - first;

    x = AFTER(x, first * x_rs);
    swap_solve(AFTER(x, (long)skip * x_cs), x_rs, x_cs, count, &upper);
    for (int v = me; v < S * COLS; v += G) {
      const int i = by_rows ? v / COLS : v % S, j = by_rows ? v % COLS : v / S;

      if (i < count && j < cols)
        STN(upper.u[i][j],
            AFTER(x, i * x_rs + (long)(left + j + gap) * x_cs));
    }
  }
}

/* The rows of a matrix in the order that the exchanges leave, [batch][m]. Global
 * size: m rounded up, batch. */
kernel GROUP void factor_order(global int *order, const ulong m,
                               global const int *pivots, const ulong each) {
  const ulong z = get_group_id(1), row = get_global_id(0);
  int i = (int)row;

  if (row >= m)
    return;
  pivots += z * each;
  for (int k = (int)each - 1; k >= 0; --k) {
    const int p = pivots[k];

    i = i == k ? p : i == p ? k : i;
  }
  order[z * m + row] = i;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobi's method from both sides, on GPUs: a symmetric matrix with positive
 * eigenvalues, [N][N], becomes J A J^T with rotations J, until it is diagonal,
 * and V becomes J V. N is NB * pairs. Rows are taken in pairs of blocks of NB /
 * 2 rows, which do not move: in each step a block has another partner. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked: the same
 *   #define NB 32            rows of a pair
 *   #define G 256            work-items of a group, (NB / 2)^2
 *   #define TILES 4          pairs whose columns a group multiplies at once
 *   #define PTX 1, UNITS 1   as in factor_group.cl
 *
 * One launch for each step does two things at the same time. Its first groups
 * find the rotations of a step, each those of a pair. The others multiply by
 * the rotations of the step before, tile by tile, from one copy of the matrix
 * into another one. So those who find rotations multiply what they need, the
 * tile of their pair, by themselves.
 *
 * Strides are in elements, offsets in bytes. */
#define FENCE CLK_LOCAL_MEM_FENCE
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_jacobi_place.cl"

#define W2 GA_JOIN(W, 2)
#define W4 GA_JOIN(W, 4)
/* If all elements were smaller in a round, that was the last one. */
#define LAST (128 * EPS)
#define HALF (NB / 2)
#define TURNS (2 * NB * NB)       /* elements for the rotations of a pair */
#define PITCH (NB + 2)            /* of rows: diagonals lie in all banks */
#define QUADS (NB / 4)            /* vectors of a row of a tile, */
#define WIDE (QUADS + 1)          /* and the distance of such rows */
#define COLUMNS (TILES * NB)      /* of a group that multiplies, */
#define ACROSS (COLUMNS / 4)      /* and its work-items along a row */
#define ROWS TILES                /* of a work-item: NB * ACROSS / G */
/* A column of vectors. */
#define WR GA_JOIN(W, ROWS)
#if ROWS == 4
#define DOWN(v, s) ((WR)(v[0].s, v[1].s, v[2].s, v[3].s))
#else
#define DOWN(v, s) ((WR)(v[0].s, v[1].s))
#endif

/* --- which rows --- */

/* The place of a block. */
GA_INLINE int place_of(const int block, const int pairs, const int step) {
  const int length = 2 * pairs - 1, up = pairs - 1;
  const int then = block % 2 == 0 ? block / 2 - 1 : up + (length - block) / 2;
  const int now = (then + step) % length;

  return block == 0 ? 0 : now < up ? 2 * (now + 1) : length - 2 * (now - up);
}

/* The blocks of pair k, in their order. */
GA_INLINE int2 pair_at(const int k, const int pairs, const int step) {
  const int a = block_at(2 * k, pairs, step);
  const int b = block_at(2 * k + 1, pairs, step);

  return (int2)(min(a, b), max(a, b));
}

/* Row i of a pair, as a row of the matrix. */
GA_INLINE long row_at(const int2 pair, const int i) {
  return i < HALF ? pair.s0 * HALF + i : pair.s1 * HALF + i - HALF;
}

/* --- finding rotations --- */

/* The matrix of a pair, in turns, and its rotations. */
typedef struct turn {
  W g[2][NB][PITCH], v[NB][PITCH], part[HALF][PITCH], unit[NB];
  int rank[NB];
  int has_large; /* an element exceeds LAST */
  W all[G];
} turn;

/* The rotation that makes an element x between p and q on the diagonal 0, as
 * (cosine, sine). With d = q - p and r^2 = d^2 + 4 x^2, twice the angle has
 * the cosine |d| / r. */
GA_INLINE W2 rotation(const W p, const W q, const W x) {
  const W d = q - p, u = 2 * x;
  const W over = rsqrt(fma(d, d, u * u));
  const W square = fma((W)0.5 * fabs(d), over, (W)0.5);
  const W inverse = rsqrt(square);
  const W sine = copysign((W)0.5, d) * u * over * inverse;

  return x * x > TOLERANCE * TOLERANCE * (p * q)
             ? (W2)(square * inverse, sine)
             : (W2)(1, 0);
}

/* Rotate two rows. */
GA_INLINE W2 rotated(const W2 s, const W a, const W b) {
  return (W2)(fma(s.s0, a, -s.s1 * b), fma(s.s1, a, s.s0 * b));
}

/* The rows that pair k has in a pass, in turn. */
typedef struct partners {
  int p, q;
} partners;

GA_INLINE partners partners_first(const int k) {
  return (partners){k == 0 ? NB - 1 : k, k == 0 ? 0 : NB - 1 - k};
}

GA_INLINE partners partners_next(const partners a) {
  return (partners){a.p == NB - 1   ? NB - 1
                    : a.p == NB - 2 ? 0
                                    : a.p + 1,
                    a.q == NB - 2 ? 0 : a.q + 1};
}

/* One pass over all elements: in each of its NB - 1 steps every row has another
 * partner. A work-item has the four elements at which two pairs cross. Nonzero
 * if one of these pairs was rotated. */
GA_INLINE int turn_pass(SHARED turn *x, const int from) {
  const int me = (int)get_local_id(0), k = me / HALF, l = me % HALF;
  partners i = partners_first(k), j = partners_first(l);
  int at = from, any = 0;

  for (int r = 0; r < NB - 1; ++r) {
    SHARED W(*g)[PITCH] = x->g[at];
    SHARED W(*to)[PITCH] = x->g[1 - at];
    const W p = g[j.p][j.p], q = g[j.q][j.q], pq = g[j.p][j.q];
    const W2 t = rotation(p, q, pq);
#if SHUFFLES
    const W2 s = (W2)(shuffle_from(t.s0, k), shuffle_from(t.s1, k));
#else
    const W2 s = rotation(g[i.p][i.p], g[i.q][i.q], g[i.p][i.q]);
#endif
    const W2 left = rotated(s, g[i.p][j.p], g[i.q][j.p]);
    const W2 right = rotated(s, g[i.p][j.q], g[i.q][j.q]);
    const W2 up = rotated(t, left.s0, right.s0);
    const W2 down = rotated(t, left.s1, right.s1);
    const W2 v = rotated(s, x->v[i.p][l], x->v[i.q][l]);
    const W2 w = rotated(s, x->v[i.p][HALF + l], x->v[i.q][HALF + l]);

    to[i.p][j.p] = up.s0;
    to[i.p][j.q] = up.s1;
    to[i.q][j.p] = down.s0;
    to[i.q][j.q] = down.s1;
    x->v[i.p][l] = v.s0;
    x->v[i.q][l] = v.s1;
    x->v[i.p][HALF + l] = w.s0;
    x->v[i.q][HALF + l] = w.s1;
    any |= t.s1 != 0;
    if (pq * pq > LAST * LAST * (p * q))
      x->has_large = 1;
    at = 1 - at;
    i = partners_next(i);
    j = partners_next(j);
    SYNC;
  }
  return any;
}

/* The rank of row i by its element on the diagonal, the largest first. */
GA_INLINE int rank_of(SHARED W (*g)[PITCH], const int i) {
  const W mine = g[i][i], v = mine == mine ? mine : (W)INFINITY;
  int rank = 0;

  for (int k = 0; k < NB; ++k) {
    const W other = g[k][k], u = other == other ? other : (W)INFINITY;

    rank += u > v || (u == v && k < i);
  }
  return rank;
}

/* What makes row i of the rotations a unit again: 1 / its norm, which is near
 * 1; or NaN if the matrix has NaN there. */
GA_INLINE W unit_of(SHARED const turn *x, const W diagonal, const int i) {
  W sum = diagonal - diagonal;

  for (int c = 0; c < NB; ++c)
    sum = fma(x->v[i][c], x->v[i][c], sum);
  return fma((W)-0.5, sum, (W)1.5);
}

/* Find the rotations of x->g[0], and store them, and what they make of it.
 * Large rows come first, since equal ones must come together. `to` has the
 * rotations by columns; below it is the matrix. */
GA_INLINE void find_turns(SHARED turn *x, const int passes, global T *to) {
  const int me = (int)get_local_id(0);
  int at = 0;

  for (int i = me; i < NB * NB; i += G)
    x->v[i / NB][i % NB] = i / NB == i % NB;
  SYNC;
  for (int pass = 0; pass < passes; ++pass) {
    const int any = turn_pass(x, at);

    at = 1 - at; /* after NB - 1 steps, an odd number */
    if (pass + 1 < passes && group_most((W)any, x->all) == 0)
      break;
  }
  if (me < NB) {
    x->rank[me] = rank_of(x->g[at], me);
    x->unit[me] = unit_of(x, x->g[at][me][me], me);
  }
  SYNC;
  for (int i = me; i < NB * NB; i += G) {
    const int a = i / NB, b = i % NB;

    ST(x->v[b][a] * x->unit[b], to + a * NB + x->rank[b]);
    ST(x->g[at][a][b] * x->unit[a] * x->unit[b],
       to + (NB + x->rank[a]) * NB + x->rank[b]);
  }
}

/* Set x->g[0] to the tile of a pair: rows and columns of the matrix. */
GA_INLINE void tile_of(SHARED turn *x, const int2 pair, global const T *from,
                       const long n) {
  for (int i = (int)get_local_id(0); i < NB * NB; i += G)
    x->g[0][i / NB][i % NB] =
        LD(from + row_at(pair, i / NB) * n + row_at(pair, i % NB));
}

/* The same from the matrix before the last step, whose rotations are `now`.
 * What belongs to one block was found with them. */
GA_INLINE void next_tile_of(SHARED turn *x, const int2 pair, const int pairs,
                            const int step, global const T *from,
                            const long n, global const T *now) {
  const int me = (int)get_local_id(0), i = me / HALF, j = me % HALF;
  const int a = place_of(pair.s0, pairs, step) / 2;
  const int b = place_of(pair.s1, pairs, step) / 2;
  const int2 as = pair_at(a, pairs, step), bs = pair_at(b, pairs, step);
  const int a_at = pair.s0 == as.s0 ? 0 : HALF;
  const int b_at = pair.s1 == bs.s0 ? 0 : HALF;
  global const T *an = now + a * TURNS, *bn = now + b * TURNS;
  W sum = 0, more = 0;

  for (int k = me; k < NB * NB; k += G) {
    const int r = k / NB, c = k % NB;

    x->g[1][r][c] = LD(from + row_at(as, r) * n + row_at(bs, c));
    x->v[r][c] = c < HALF ? LD(an + r * NB + a_at + c)
                          : LD(bn + r * NB + b_at + c - HALF);
  }
  x->g[0][i][j] = LD(an + (NB + a_at + i) * NB + a_at + j);
  x->g[0][HALF + i][HALF + j] = LD(bn + (NB + b_at + i) * NB + b_at + j);
  SYNC;
  for (int k = 0; k < NB; ++k) {
    const W w = x->v[k][i];

    sum = fma(w, x->g[1][k][j], sum);
    more = fma(w, x->g[1][k][HALF + j], more);
  }
  x->part[i][j] = sum;
  x->part[i][HALF + j] = more;
  SYNC;
  sum = 0;
  for (int k = 0; k < NB; ++k)
    sum = fma(x->part[i][k], x->v[k][HALF + j], sum);
  x->g[0][i][HALF + j] = sum;
  x->g[0][HALF + j][i] = sum;
}

/* --- multiplying --- */

/* Tiles of the matrix, and the rotations for their rows and columns. Rows of a
 * tile are vectors, WIDE for each tile. */
typedef struct tiles {
  W4 a[NB][TILES * WIDE], right[TILES][NB][WIDE];
  W left[NB][NB];
} tiles;

/* The product of the tile with the rotations for its rows: ROWS rows from `row`
 * on of the vectors at `at`. */
GA_INLINE void multiply_left(SHARED const tiles *x, const int row,
                             const int at, W4 to[ROWS]) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    to[i] = 0;
#pragma unroll 8
  for (int k = 0; k < NB; ++k) {
    const W4 a = x->a[k][at];

#pragma unroll
    for (int i = 0; i < ROWS; ++i)
      to[i] = fma((W4)x->left[k][row + i], a, to[i]);
  }
}

/* The same with those for its columns. */
GA_INLINE void multiply_right(SHARED const tiles *x, const int row,
                              const int tile, const int quad, W4 to[ROWS]) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    to[i] = 0;
#pragma unroll 2
  for (int k = 0; k < QUADS; ++k) {
    const W4 b = x->right[tile][4 * k][quad];
    const W4 c = x->right[tile][4 * k + 1][quad];
    const W4 d = x->right[tile][4 * k + 2][quad];
    const W4 e = x->right[tile][4 * k + 3][quad];

#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const W4 a = x->a[row + i][tile * WIDE + k];

      to[i] = fma((W4)a.s0, b, to[i]);
      to[i] = fma((W4)a.s1, c, to[i]);
      to[i] = fma((W4)a.s2, d, to[i]);
      to[i] = fma((W4)a.s3, e, to[i]);
    }
  }
}

/* Four neighbouring elements, from a multiple of 4 on. */
GA_INLINE W4 quad_at(global const T *x) { return *(global const W4 *)x; }

/* Fetch the rotations of rows, and a vector of each row of a pair: from
 * `column` on to x->a[..][at], or zeros. */
GA_INLINE void fetch_tiles(SHARED tiles *x, const int2 pair, const int at,
                           const long column, const int is_inside,
                           global const T *from, const long n,
                           global const T *left) {
  const int me = (int)get_local_id(0);

#pragma unroll
  for (int i = 0; i < NB * NB / G; ++i)
    x->left[(i * G + me) / NB][me % NB] = LD(left + i * G + me);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int row = me / ACROSS + i * (G / ACROSS);

    x->a[row][at] =
        is_inside ? quad_at(from + row_at(pair, row) * n + column) : (W4)0;
  }
}

/* Multiply COLUMNS columns of V from `first` on by the rotations of a pair. */
GA_INLINE void multiply_rows(SHARED tiles *x, const int2 pair, const int first,
                             const long n, global T *v,
                             global const T *left) {
  const int me = (int)get_local_id(0), across = me % ACROSS;
  const int row = me / ACROSS * ROWS, c = first + 4 * across;
  const int at = across / QUADS * WIDE + across % QUADS;
  W4 sum[ROWS];

  fetch_tiles(x, pair, at, c, c < n, v, n, left);
  SYNC;
  multiply_left(x, row, at, sum);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    if (c < n)
      *(global W4 *)(v + row_at(pair, row + i) * n + c) = sum[i];
  }
}

/* Multiply tiles of the matrix from both sides: those of pair k's rows and of
 * the columns of TILES pairs from `first` on. Those beyond k follow, as the
 * transposes of others. */
GA_INLINE void multiply_both(SHARED tiles *x, const int k, const int first,
                             const int pairs, const int step,
                             global const T *from, const long n, global T *to,
                             global const T *now) {
  const int me = (int)get_local_id(0), across = me % ACROSS;
  const int tile = across / QUADS, quad = across % QUADS;
  const int row = me / ACROSS * ROWS, at = tile * WIDE + quad;
  const int l = first + tile;
  const int2 rows = pair_at(k, pairs, step);
  const int2 columns = pair_at(min(l, k), pairs, step);
  const long column = row_at(columns, 4 * quad);
  global const T *right = now + min(l, k) * TURNS + 4 * quad;
  W4 sum[ROWS];

  fetch_tiles(x, rows, at, column, l <= k, from, n, now + k * TURNS);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int r = me / ACROSS + i * (G / ACROSS);

    x->right[tile][r][quad] = quad_at(right + r * NB);
  }
  SYNC;
  multiply_left(x, row, at, sum);
  SYNC;
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    x->a[row + i][at] = sum[i];
  SYNC;
  multiply_right(x, row, tile, quad, sum);
  global T *straight = to + row_at(rows, row) * n + column;
  global T *turned = to + column * n + row_at(rows, row);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    if (l <= k)
      *(global W4 *)(straight + i * n) = sum[i];
  }
  if (l < k) {
    *(global WR *)turned = DOWN(sum, s0);
    *(global WR *)(turned + n) = DOWN(sum, s1);
    *(global WR *)(turned + 2 * n) = DOWN(sum, s2);
    *(global WR *)(turned + 3 * n) = DOWN(sum, s3);
  }
}

/* --- steps --- */

/* Nonzero if all was diagonal before the round of a step. `large` has a number
 * for each round, which is 0 if no element was large. */
GA_INLINE int is_over(volatile global const int *large, const int pairs,
                      const int step) {
  const int round = step / (2 * pairs - 1);

  return round > 0 && large[round - 1] == 0;
}

/* Step `step` of `steps`. In the first one there are no rotations before it,
 * and after the last one none follow. `work` has the matrix before and after a
 * step, in turns, V, and the rotations, [pairs][2 * NB][NB], in turns; `large`
 * is [batch][rounds], and 0. Global size: G for each pair, and for each COLUMNS
 * columns of each pair's rows of V and then of the matrix; batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
jacobi_both(MATRIX(work), global int *large, const ulong rounds,
            const ulong pairs_, const ulong step_, const ulong steps_,
            const int passes) {
  const ulong z = get_group_id(1);
  const int pairs = (int)pairs_, step = (int)step_, before = step - 1;
  const int group = (int)get_group_id(0);
  const long n = pairs * NB, size = n * n, turns = 2 * NB * n;
  global T *work = MATRIX_AT(work, z);
  global T *from = work + (step > 0 && before % 2) * size;
  global T *to = work + step % 2 * size, *v = work + 2 * size;
  global T *now = work + 3 * size + (step + 1) % 2 * turns;
  global T *next = work + 3 * size + step % 2 * turns;
  const int strips = (pairs + TILES - 1) / TILES;
  const int k = (group - pairs) / strips % pairs;
  const int strip = (group - pairs) % strips;
  local union {
    turn find;
    tiles multiply;
  } x;

  large += z * rounds;
  if (group < pairs) {
    const int2 pair = pair_at(group, pairs, step);

    if (step_ == steps_ || is_over(large, pairs, step))
      return;
    x.find.has_large = 0;
    if (step == 0)
      tile_of(&x.find, pair, from, n);
    else
      next_tile_of(&x.find, pair, pairs, before, from, n, now);
    SYNC;
    find_turns(&x.find, passes, next + group * TURNS);
    if (x.find.has_large && get_local_id(0) == 0)
      (void)atomic_or(large + step / (2 * pairs - 1), 1);
    return;
  }
  if (step == 0 || is_over(large, pairs, before))
    return;
  if (group < pairs + pairs * strips)
    multiply_rows(&x.multiply, pair_at(k, pairs, before), strip * COLUMNS, n,
                  v, now + k * TURNS);
  else if (strip * TILES <= k)
    multiply_both(&x.multiply, k, strip * TILES, pairs, before, from, n, to,
                  now);
}

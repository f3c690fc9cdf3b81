/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of a sparse matrix in CSR form with a vector or a dense matrix.
 *
 * Rows and entries are cut into parts of equal work: a part takes the next
 * `chunk` of them along the path that merges the ends of rows with the entries.
 * So a long row is cut, and empty rows cost as much as entries. A part writes
 * the rows that end in it. What it sums up of the row that it ends in goes to
 * `carry`, and sparse_join adds that up, in the order of the parts.
 *
 * All reads stay within their arrays, whatever starts and columns are.
 * index_guard.cl, complex.cl and macros in front of it:
 *
 *   #define S_T float      type of values
 *   #define S_COMPLEX 0
 *   #define S_WORD int     integers as wide as S_T
 *   #define S_INDEX int    type of starts and columns
 *   #define S_WIDE 0       1: positions need 64 bits
 *   #define R_IDX uint     type of positions
 *   #define S_UNIT 1       1: rows of b are S_T beside each other
 *   #define S_LANES 16     vector along the columns of b, or of entries
 *                          (sparse_tiles.cl); 1: scalars
 *   #define S_GROUP 128    of sparse_stream
 *   #define S_TILE 1024    most rows and entries of a part there; or the entries
 *                          of a tile of sparse_tiles.cl */
#if S_COMPLEX
#define S_ADD(a, b) GA_JOIN(S_T, _add)(a, b)
#define S_MUL(a, b) GA_JOIN(S_T, _mul)(a, b)
#define S_ZERO GA_JOIN(S_T, _make)(0, 0)
#else
#define S_ADD(a, b) ((a) + (b))
#define S_MUL(a, b) ((a) * (b))
#define S_ZERO ((S_T)0)
#endif

/* Where entry j reads in b. */
#define S_COLUMN(j) min((R_IDX)columns[j], last)
#if S_UNIT
#define S_B(j) (((global const S_T *)b)[S_COLUMN(j)])
#else
#define S_B(j) (*(global const S_T *)(b + (long)S_COLUMN(j) * b_row))
#endif
#define S_TERM(j) S_MUL(values[j], S_B(j))
#define S_Y(i, c) (*(global S_T *)(y + (long)(i) * y_row + (long)(c) * y_column))

/* The number of rows that end among the first d rows and entries. */
static R_IDX s_place(global const S_INDEX *starts, const R_IDX rows,
                     const R_IDX entries, const R_IDX d) {
  /* Oclgrind does not know the saturating difference that LLVM makes of it in
   * unsigned numbers. */
  R_IDX lo = (R_IDX)max((long)d - (long)entries, 0L), hi = min(d, rows);

  while (lo < hi) {
    const R_IDX mid = lo + (hi - lo) / 2;
    const int ends = (R_IDX)starts[mid + 1] <= d - 1 - mid;
    lo = ends ? mid + 1 : lo;
    hi = ends ? hi : mid;
  }
  return lo;
}

static S_T s_sum(global const S_INDEX *columns, global const S_T *values,
                 global const char *b, const long b_row, const R_IDX last,
                 R_IDX j, const R_IDX end) {
  S_T s0 = S_ZERO, s1 = S_ZERO, s2 = S_ZERO, s3 = S_ZERO;

  for (; end - j >= 4; j += 4) {
    s0 = S_ADD(s0, S_TERM(j));
    s1 = S_ADD(s1, S_TERM(j + 1));
    s2 = S_ADD(s2, S_TERM(j + 2));
    s3 = S_ADD(s3, S_TERM(j + 3));
  }
  for (; j < end; ++j)
    s0 = S_ADD(s0, S_TERM(j));
  return S_ADD(S_ADD(s0, s1), S_ADD(s2, s3));
}

#if S_LANES > 1
#define S_VECTOR GA_JOIN(S_T, S_LANES)
#define S_BS(j)                                                                \
  GA_JOIN(GA_LOAD, S_LANES)                                                    \
  ((global const S_T *)(b + (long)S_COLUMN(j) * b_row))

/* Rows of b are anywhere in memory: ask for those of later entries. */
#define S_AHEAD 16
#ifdef GA_PREFETCH
#define S_ASK(j) GA_PREFETCH(b + (long)S_COLUMN(j) * b_row);
#else
#define S_ASK(j)
#endif

static S_VECTOR s_sums(global const S_INDEX *columns, global const S_T *values,
                       global const char *b, const long b_row, const R_IDX last,
                       R_IDX j, const R_IDX end, const R_IDX entries) {
  S_VECTOR s0 = 0, s1 = 0;

  for (; end - j >= 2; j += 2) {
    if (entries - j > S_AHEAD + 1) {
      S_ASK(j + S_AHEAD)
      S_ASK(j + S_AHEAD + 1)
    }
    s0 += values[j] * S_BS(j);
    s1 += values[j + 1] * S_BS(j + 1);
  }
  if (j < end)
    s0 += values[j] * S_BS(j);
  return s0 + s1;
}
#endif

/* The end of row i, among entries j to `end`. */
#define S_END(i, j, end) clamp((R_IDX)starts[(i) + 1], (R_IDX)(j), (R_IDX)(end))

#define S_PARAMS                                                               \
  global const char *starts_p, const ulong starts_o,                           \
      global const char *columns_p, const ulong columns_o,                     \
      global const char *values_p, const ulong values_o,                       \
      global const char *b_p, const ulong b_o, global char *y_p,               \
      const ulong y_o, global S_T *carry, global ulong *places,                \
      const ulong rows_, const ulong entries_, const ulong b_rows,             \
      const ulong n_, const ulong parts_, const ulong chunk_,                  \
      const ulong team_, const long b_row, const long b_column,                \
      const long y_row, const long y_column, GA_GUARD_PARAMS

#define S_BEGIN(part)                                                          \
  global const S_INDEX *const starts =                                         \
      (global const S_INDEX *)(starts_p + starts_o);                           \
  global const S_INDEX *const columns =                                        \
      (global const S_INDEX *)(columns_p + columns_o);                         \
  global const S_T *const values = (global const S_T *)(values_p + values_o);  \
  global char *const y = y_p + y_o;                                            \
  const R_IDX rows = (R_IDX)rows_, entries = (R_IDX)entries_;                  \
  const R_IDX last = (R_IDX)b_rows - 1, all = rows + entries;                  \
  const R_IDX chunk = (R_IDX)chunk_;                                           \
  const R_IDX from = min(all, (R_IDX)(part) * chunk);                          \
  const R_IDX to = from + min(all - from, chunk);                              \
  const R_IDX i0 = s_place(starts, rows, entries, from), j0 = from - i0;       \
  const R_IDX i1 = s_place(starts, rows, entries, to), j1 = to - i1;

#define S_GUARD(first, step)                                                   \
  if (ga_guard != 0)                                                           \
    for (R_IDX e = j0 + (first); e < j1; e += (step))                          \
      if ((ulong)columns[e] >= b_rows)                                         \
        ga_report_index(ga_guard, ga_who, (long)columns[e], b_rows, e);

/* A work-item walks a part for columns of b: on CPUs for all, in vectors; on
 * GPUs a team of `team` work-items has one part, and each every team-th column.
 * Global size: parts * team, or more. */
kernel void sparse_lines(S_PARAMS) {
  const R_IDX team = (R_IDX)team_, parts = (R_IDX)parts_, n = (R_IDX)n_;
  const R_IDX part = (R_IDX)get_global_id(0) / team;
  const R_IDX me = (R_IDX)get_global_id(0) % team;

  if (part >= parts)
    return;
  S_BEGIN(part)
  S_GUARD(me, team)
  R_IDX c = me;
#if S_LANES > 1
  for (; n - c >= S_LANES; c += S_LANES) {
    global const char *const b = b_p + b_o + (size_t)c * sizeof(S_T);
    R_IDX j = j0;

    for (R_IDX i = i0; i < i1; ++i) {
      const R_IDX end = S_END(i, j, j1);
      const S_VECTOR s = s_sums(columns, values, b, b_row, last, j, end, entries);
      GA_JOIN(GA_STORE, S_LANES)(s, &S_Y(i, c));
      j = end;
    }
    if (parts > 1) {
      const S_VECTOR s =
          s_sums(columns, values, b, b_row, last, j, j1, entries);
      GA_JOIN(GA_STORE, S_LANES)(s, carry + (size_t)part * n + c);
    }
  }
#endif
  for (; c < n; c += team) {
    global const char *const b = b_p + b_o + (long)c * b_column;
    R_IDX j = j0;

    for (R_IDX i = i0; i < i1; ++i) {
      const R_IDX end = S_END(i, j, j1);
      S_Y(i, c) = s_sum(columns, values, b, b_row, last, j, end);
      j = end;
    }
    if (parts > 1)
      carry[(size_t)part * n + c] =
          s_sum(columns, values, b, b_row, last, j, j1);
  }
  if (parts > 1 && me == 0)
    places[part] = i1;
}

#if S_GROUP > 1
/* On GPUs, for one column: a group reads the entries of a part side by side,
 * and keeps their products in local memory. Then teams, as large as the number
 * of rows allows, sum up one row each. Global size: parts * S_GROUP. */
kernel void sparse_stream(S_PARAMS) {
  local S_T terms[S_TILE];
  local S_T sums[S_GROUP];
  const uint me = get_local_id(0);
  const R_IDX part = (R_IDX)get_group_id(0);
  global const char *const b = b_p + b_o;
  S_BEGIN(part)
  S_GUARD(me, S_GROUP)
  /* The rows that end here, and the one after them. */
  const uint n = (uint)(i1 - i0) + 1;
  uint team = 1;

  while (team * 2 * n <= S_GROUP)
    team *= 2;
  for (R_IDX j = j0 + me; j < j1; j += S_GROUP)
    terms[j - j0] = S_TERM(j);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first = me / team, lane = me % team;
  S_T s = S_ZERO;
  for (uint r = first; r < n; r += S_GROUP / team) {
    const R_IDX begin = r == 0 ? j0 : S_END(i0 + r - 1, j0, j1);
    const R_IDX end = r == n - 1 ? j1 : S_END(i0 + r, begin, j1);

    s = S_ZERO;
    for (R_IDX j = begin + lane; j < end; j += team)
      s = S_ADD(s, terms[j - j0]);
    if (team == 1 && r < n - 1)
      S_Y(i0 + r, 0) = s;
    else if (team == 1)
      carry[part] = s;
  }
  for (uint w = team / 2; w > 0; w /= 2) {
    sums[me] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < w)
      s = S_ADD(s, sums[me + w]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (team > 1 && lane == 0 && first < n - 1)
    S_Y(i0 + first, 0) = s;
  else if (team > 1 && lane == 0 && first == n - 1)
    carry[part] = s;
  if (me == 0)
    places[part] = i1;
}
#endif

/* Add what parts summed up of rows that end in later ones. The first part that
 * ends in a row adds for all. Global size: parts * team, or more. */
kernel void sparse_join(global char *y_p, const ulong y_o,
                        global const S_T *carry, global const ulong *places,
                        const ulong rows, const ulong n_, const ulong parts_,
                        const ulong team_, const long y_row,
                        const long y_column) {
  const R_IDX team = (R_IDX)team_, parts = (R_IDX)parts_, n = (R_IDX)n_;
  const R_IDX part = (R_IDX)get_global_id(0) / team;
  global char *const y = y_p + y_o;

  if (part >= parts)
    return;
  const ulong row = places[part];
  if (row >= rows || (part > 0 && places[part - 1] == row))
    return;
  for (R_IDX c = (R_IDX)get_global_id(0) % team; c < n; c += team) {
    S_T s = carry[(size_t)part * n + c];

    for (R_IDX q = part + 1; q < parts && places[q] == row; ++q)
      s = S_ADD(s, carry[(size_t)q * n + c]);
    S_Y(row, c) = S_ADD(S_Y(row, c), s);
  }
}

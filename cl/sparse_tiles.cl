/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with one column on CPUs, of real numbers. A work-item goes through a
 * part in tiles of entries. It first multiplies all entries of a tile, then
 * sums up rows. So reads of b never wait for a branch that depends on the length
 * of a row. Rows are summed up S_LANES at a time: the terms of a short row are
 * one vector without the lanes behind its end, and a tree of additions makes the
 * sums of all these rows from their vectors.
 *
 * Behind sparse.cl, with S_UNIT and S_LANES > 1; S_TILE: entries of a tile. */
#define S_NEAR 16384 /* elements of b that the CPU's nearest cache may hold */
#define S_AGAIN 16   /* tiles until columns are looked at again */
#define S_VINT GA_JOIN(int, S_LANES)
/* Columns without signs. */
#define S_UINT GA_JOIN(u, S_INDEX)
#define S_UINTS GA_JOIN(S_UINT, S_LANES)
#define S_AS_UINTS(v) GA_JOIN(as_, S_UINTS)(v)
#if S_LANES == 16
#define S_COUNT (S_VINT)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#elif S_LANES == 8
#define S_COUNT (S_VINT)(0, 1, 2, 3, 4, 5, 6, 7)
#else
#define S_COUNT (S_VINT)(0, 1, 2, 3)
#endif
/* As wide as S_T, for select. */
#define S_MASK(c) GA_JOIN(GA_JOIN(convert_, S_WORD), S_LANES)(c)
#define S_PUT_N(n, v, p) GA_STORE_IN(private, n, v, p)
#define S_GET_N(n, p) GA_LOAD_IN(private, n, p)
#define S_PUT(v, p) S_PUT_N(S_LANES, v, p)
#define S_GET(p) S_GET_N(S_LANES, p)

/* Where the rows of a group end in the tile, which has n entries from j on.
 * Whatever starts are, none ends behind the tile. */
#define S_PLACE(start, j, n) clamp((int)((R_IDX)(start) - (j)), 0, (int)(n))

/* Whether n columns are at most `last`, and not more than S_NEAR apart. */
static int s_are_near(global const S_INDEX *columns, const int n,
                      const R_IDX last) {
  S_UINTS least = (S_UINT)last, most = 0;
  int k = 0;

  for (; k + S_LANES <= n; k += S_LANES) {
    const S_UINTS c = S_AS_UINTS(GA_JOIN(GA_LOAD, S_LANES)(columns + k));
    least = min(least, c);
    most = max(most, c);
  }
  for (; k < n; ++k) {
    least = min(least, (S_UINTS)(S_UINT)columns[k]);
    most = max(most, (S_UINTS)(S_UINT)columns[k]);
  }
  const S_UINT from = least.s0;
  return !any(most > (S_UINTS)(S_UINT)last) && !any(least + S_NEAR < from) &&
         !any(most > (S_UINTS)(from + S_NEAR));
}

/* Terms of columns that are near: elements of b one by one. (LLVM makes gathers
 * of four reads at columns that are not volatile.) Returns how many. */
static int s_near_terms(S_T *terms, global const S_INDEX *columns,
                        global const S_T *values, global const S_T *b,
                        const int n) {
  volatile global const S_INDEX *const at = columns;
  int k = 0;

  for (; k + 4 <= n; k += 4) {
    const GA_JOIN(S_T, 4) x = {b[(S_UINT)at[k]], b[(S_UINT)at[k + 1]],
                               b[(S_UINT)at[k + 2]], b[(S_UINT)at[k + 3]]};
    vstore4(GA_LOAD4(values + k) * x, 0, terms + k);
  }
  return k;
}

/* Compilers make gathers of eight such reads, and faster ones where an index is
 * an int. Gathers wait for more elements at a time. */
#if S_WIDE
#define S_AT(k) b[S_COLUMN(k)]
#else
#define S_AT(k) b[(int)S_COLUMN(k)]
#endif

/* Returns whether columns are near, which is looked at only if `near`. */
static int s_terms(S_T *terms, global const S_INDEX *columns,
                   global const S_T *values, global const S_T *b,
                   const R_IDX last, const int n, int near) {
  int k = 0;

  near = near && s_are_near(columns, n, last);
  if (near)
    k = s_near_terms(terms, columns, values, b, n);
  for (; k + 8 <= n; k += 8) {
    const GA_JOIN(S_T, 8) x = {S_AT(k),     S_AT(k + 1), S_AT(k + 2),
                               S_AT(k + 3), S_AT(k + 4), S_AT(k + 5),
                               S_AT(k + 6), S_AT(k + 7)};
    vstore8(GA_LOAD8(values + k) * x, 0, terms + k);
  }
  for (; k < n; ++k)
    terms[k] = values[k] * S_AT(k);
  return near;
}

/* Terms from `begin` to `end`, added up to a vector. */
GA_INLINE S_VECTOR s_row(const S_T *terms, int begin, const int end) {
  S_VECTOR s = 0;

  do {
    s += select((S_VECTOR)0, S_GET(terms + begin),
                S_MASK(S_COUNT < (S_VINT)(end - begin)));
    begin += S_LANES;
  } while (begin < end);
  return s;
}

/* Sums of neighbours: of a's lanes, then of b's. LLVM makes slow horizontal
 * additions of the second form. */
#if defined(__clang__) && S_LANES == 16
#define S_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define S_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#elif defined(__clang__) && S_LANES == 8
#define S_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define S_ODD 1, 3, 5, 7, 9, 11, 13, 15
#endif
GA_INLINE S_VECTOR s_pairs(const S_VECTOR a, const S_VECTOR b) {
#ifdef S_EVEN
  return __builtin_shufflevector(a, b, S_EVEN) +
         __builtin_shufflevector(a, b, S_ODD);
#else
  return (S_VECTOR)(a.even, b.even) + (S_VECTOR)(a.odd, b.odd);
#endif
}

static S_T s_lanes(S_VECTOR s) {
#pragma unroll
  for (int n = S_LANES; n > 1; n /= 2)
    s = s_pairs(s, s);
  return s.s0;
}

/* The sums of S_LANES vectors from v on, in lanes. */
#define S_TREE1(v) S_GET(v)
#define S_TREE2(v) s_pairs(S_TREE1(v), S_TREE1((v) + S_LANES))
#define S_TREE4(v) s_pairs(S_TREE2(v), S_TREE2((v) + 2 * S_LANES))
#define S_TREE8(v) s_pairs(S_TREE4(v), S_TREE4((v) + 4 * S_LANES))
#define S_TREE16(v) s_pairs(S_TREE8(v), S_TREE8((v) + 8 * S_LANES))

/* Global size: parts. */
kernel void sparse_tiles(S_PARAMS) {
  const R_IDX part = (R_IDX)get_global_id(0), parts = (R_IDX)parts_;
  S_T terms[S_TILE + S_LANES], vectors[S_LANES * S_LANES];
  S_T open = 0; /* of row i */

  if (part >= parts)
    return;
  S_BEGIN(part)
  S_GUARD(0, 1)
  global const S_T *const b = (global const S_T *)(b_p + b_o);
  R_IDX i = i0, j = j0;
  int near = 1;
  do {
    /* Tiles begin at multiples of S_TILE, so that vectors are aligned. */
    const int n = (int)min(j1 - j, S_TILE - j % S_TILE);
    int at = 0;

    near = s_terms(terms, columns + j, values + j, b, last, n,
                   near || j / S_TILE % S_AGAIN == 0);
    for (; i1 - i >= S_LANES && (R_IDX)starts[i + S_LANES] <= j + n;
         i += S_LANES) {
      for (int k = 0; k < S_LANES; ++k) {
        const int end = S_PLACE(starts[i + k + 1], j, n);
        S_PUT(s_row(terms, at, end), vectors + k * S_LANES);
        at = end;
      }
      S_VECTOR s = GA_JOIN(S_TREE, S_LANES)(vectors);
      s.s0 += open;
      open = 0;
      if (y_row == sizeof(S_T)) {
        GA_JOIN(GA_STORE, S_LANES)(s, &S_Y(i, 0));
      } else {
        S_PUT(s, vectors);
        for (int k = 0; k < S_LANES; ++k)
          S_Y(i + k, 0) = vectors[k];
      }
    }
    for (; i < i1 && (R_IDX)starts[i + 1] <= j + n; ++i) {
      const int end = S_PLACE(starts[i + 1], j, n);
      S_Y(i, 0) = open + s_lanes(s_row(terms, at, end));
      open = 0;
      at = end;
    }
    open += s_lanes(s_row(terms, at, n));
    j += n;
  } while (j < j1);
  if (parts > 1) {
    carry[part] = open;
    places[part] = i1;
  }
}

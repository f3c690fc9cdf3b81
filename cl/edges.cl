/* SPDX-License-Identifier: BSD-2-Clause */
/* Where elements lie among sorted edges. A work-item searches S_LANES elements
 * at the same time, which take the same number of steps. They are S_GROUP rows
 * apart; those between belong to the others of its group. Macros: those of
 * sort_word.cl, and
 *
 *   #define E_MOST 128   all elements have the same edges, at most so many; or 0
 *   #define S_LANES 16
 *
 * Edges of all elements are kept in local memory, with a table: values between
 * the first and the last edge are cut into slots of the same width, and an
 * element is searched among the edges of its slot alone. A slot is found in
 * float. Rounding does not change results: edges get their slots by the same
 * operations, none of which puts a larger number into a lower slot. */

/* How many lanes from row r on have rows before `to`. */
#define E_LANES(r, to) min(((to) - (r) + (S_GROUP - 1)) / S_GROUP, (R_IDX)S_LANES)

/* Set w[i] to the element of row r, as a row has one. */
#if S_FLAT
#define E_LOAD(type, w, x, r)                                                  \
  w = ((global const type *)(x##_p + x##_o))[r];
#else
#define E_LOAD(type, w, x, r)                                                  \
  {                                                                            \
    S_BASE(x, r)                                                               \
    w = *(global const type *)x;                                               \
  }
#endif
/* The rows of all lanes. Addresses at constant distances cost nothing. */
#if S_FLAT
#define E_LOAD_ALL(type, w, x, r)                                              \
  {                                                                            \
    global const type *const at = (global const type *)(x##_p + x##_o) + (r);  \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      (w)[i] = at[i * S_GROUP];                                                \
  }
#else
#define E_LOAD_ALL(type, w, x, r)                                              \
  for (uint i = 0; i < S_LANES; ++i)                                           \
    E_LOAD(type, (w)[i], x, (r) + i * S_GROUP)
#endif
/* Load the rows of n lanes; the last one is repeated in lanes beyond. */
#define E_LOAD_LANES(type, w, x, r, n)                                         \
  if ((n) == S_LANES) {                                                        \
    E_LOAD_ALL(type, w, x, r)                                                  \
  } else {                                                                     \
    for (uint i = 0; i < S_LANES; ++i)                                         \
      E_LOAD(type, (w)[i], x, (r) + min((R_IDX)i, (n) - 1) * S_GROUP)          \
  }

#if E_MOST > 0
#define E_SLOTS (2 * E_MOST)
#define E_LARGE 8e37f

/* A slot: its first edge, or the first one behind it, and the position of
 * that. */
typedef struct e_place {
  S_WORD edge;
  uint at;
} e_place;

/* `most`: edges of a slot. An element x is in slot (x - first) * by. `off`: the
 * bits of how far from its number the place of an edge is, at most. */
typedef struct e_table {
  S_WORD edge[E_MOST];
  e_place slot[E_SLOTS];
  uint most, off;
} e_table;

/* A number that is not less for a larger element. NaN is infinite. */
static float e_number(S_WORD w) {
#ifdef S_INFINITE
  if ((S_WORD)(w & (S_WORD)~S_TOP) > (S_WORD)S_INFINITE)
    return INFINITY;
#if S_INFINITE > 0x7f800000
  /* The double without its low bits, and with the exponents of float. */
  const int e = (int)(w >> 52 & 0x7ff) - (1023 - 127);
  const uint size = e <= 0     ? 0
                    : e >= 255 ? 0x7f800000
                               : (uint)e << 23 | ((uint)(w >> 29) & 0x7fffff);
  return as_float((uint)(w >> 63) << 31 | size);
#elif S_INFINITE == 0x7f800000
  return as_float(w);
#elif S_INFINITE == 0x7f80
  return as_float((uint)w << 16);
#else
  /* The half, 2^112 times smaller. */
  return as_float((w & 0x8000u) << 16 | (w & 0x7fffu) << 13);
#endif
#else
  return (float)s_order(w, 0, 0);
#endif
}

/* How many slots a number of 1 has. */
static float e_scale(float first, float last) {
  return last > first ? fmin(E_SLOTS / (last - first), E_LARGE) : 0;
}

/* The first slot has what infinity times 0 is, NaN. */
static uint e_slot(float x, float first, float by) {
  return (uint)fmin(fmax((x - first) * by, 0.0f), E_SLOTS - 1.0f);
}

/* Edges at equal distances need no table, if the device has groups: their
 * places (x - first) * by are nearly 0, 1, 2, ..., so an element whose place is
 * not near a whole number lies between two of them. That is exact, as a larger
 * number has no lower place, and edges get theirs by the same operations. */
#define E_NEAR 0.001f       /* from whole numbers, at most */
#define E_WHOLE 12582912.0f /* 2^23 + 2^22: its fraction has no bits */

/* The place of a number less 0.5. */
GA_INLINE float e_middle(const float x, const float first, const float by) {
  return fma(x - first, by, -0.5f);
}

/* The places between 0 and n - 1 of n edges. */
static float e_even_scale(const uint n, const float first, const float last) {
  return last > first ? fmin((n - 1) / (last - first), E_LARGE) : 0;
}

/* How far edge i is from place i, as bits: more for a larger number, and most
 * for NaN. */
GA_INLINE uint e_off(const uint i, const float x, const float first,
                     const float by) {
  return as_uint(fabs(e_middle(x, first, by) - ((float)i - 0.5f)));
}

/* Fill the table with n edges. All work-items of a group come here. */
GA_INLINE void e_fill(local e_table *t, global const char *edge,
                      const long step, const uint n, const float first,
                      const float by, const float even_by) {
  const uint me = (uint)get_local_id(0);

  if (me == 0)
    t->most = t->off = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < n; i += S_GROUP) {
    const S_WORD w = *(global const S_WORD *)(edge + (long)i * step);
    const uint slot = e_slot(e_number(w), first, by);
    const S_WORD o = s_order(w, 0, (S_WORD)~(S_WORD)0);
    uint from = 0, same = 1;

    if (i > 0)
      from = 1 + e_slot(e_number(*(global const S_WORD *)(edge +
                                                          (long)(i - 1) * step)),
                        first, by);
    t->edge[i] = o;
    if (S_GROUP > 1)
      atomic_max(&t->off, e_off(i, e_number(w), first, even_by));
    const uint to = i == n - 1 ? E_SLOTS - 1 : slot;
    for (uint s = from; s <= to; ++s)
      t->slot[s] = (e_place){o, i};
    /* The edges of the slot, counted by its first one. */
    for (; from <= slot && i + same < n; ++same)
      if (e_slot(e_number(*(global const S_WORD *)(edge +
                                                   (long)(i + same) * step)),
                 first, by) != slot)
        break;
    if (from <= slot)
      atomic_max(&t->most, same);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* For each lane, how many of the n edges come before w[i], or with `right`
 * equal it. o[i]: its order number. */
static void e_find(local const e_table *t, uint n, float first, float by,
                   const S_WORD *w, const S_WORD *o, uint right, R_IDX *pos) {
  for (uint i = 0; i < S_LANES; ++i) {
    const e_place p = t->slot[e_slot(e_number(w[i]), first, by)];
    pos[i] = p.at + (p.edge < o[i] || (right && p.edge == o[i]));
  }
  for (uint left = t->most - 1; left > 0;) {
    const uint half_ = left > 1 ? left / 2 : 1;

    for (uint i = 0; i < S_LANES; ++i) {
      const S_WORD e = t->edge[min((uint)pos[i] + half_ - 1, n - 1)];
      pos[i] += (e < o[i] || (right && e == o[i])) ? half_ : 0;
    }
    left = left > 1 ? left - half_ : 0;
  }
  for (uint i = 0; i < S_LANES; ++i)
    pos[i] = min(pos[i], (R_IDX)n);
}

/* The same where NaN may be NaN. */
#if defined(S_INFINITE) && (S_INFINITE == 0x7f800000 || S_INFINITE == 0x7f80)
#define E_NUMBER_OR_NAN(w)                                                     \
  as_float((uint)(w) << (S_INFINITE == 0x7f80 ? 16 : 0))
#else
#define E_NUMBER_OR_NAN(w) e_number(w)
#endif

/* Set pos[i] to how many of the n edges come before w[i], and return 1. Returns
 * 0 if a lane may equal an edge, or distances differ. Places less than `reach`
 * from the middle between whole numbers are between edges. Unless `is_within`,
 * pos[i] is any number but 1 to n - 1 for what is not between edges. */
GA_INLINE int e_between(const uint n, const float first, const float by,
                        const float reach, const int is_within, const S_WORD *w,
                        R_IDX *pos) {
  int is_between = 1;

  if (reach <= 0)
    return 0;
#pragma unroll
  for (uint i = 0; i < S_LANES; ++i) {
    float m = e_middle(E_NUMBER_OR_NAN(w[i]), first, by);

    if (is_within) /* NaN comes behind all edges. */
      m = fmax(fmin(m, (float)n - 1), -1.0f);
    const float whole = m + E_WHOLE;
    is_between &= !(fabs(m - (whole - E_WHOLE)) >= reach);
    pos[i] = (R_IDX)(as_uint(whole) - (as_uint(E_WHOLE) - 1));
  }
  return is_between;
}

/* Declares what E_FIND needs, and fills the table. */
#define E_BEGIN(n)                                                             \
  local e_table e_edges;                                                       \
  S_BASE(edge, 0)                                                              \
  const float e_first = e_number(*(global const S_WORD *)edge);                \
  const float e_last = e_number(*(global const S_WORD *)S_AT(edge, (n) - 1));  \
  const float e_by = e_scale(e_first, e_last);                                 \
  const float e_even = e_even_scale((uint)(n), e_first, e_last);               \
  e_fill(&e_edges, edge, edge_a, (uint)(n), e_first, e_by, e_even);            \
  const float e_reach =                                                        \
      e_even > 0 && e_edges.off < as_uint(E_NEAR)                              \
          ? 0.4999f - as_float(e_edges.off)                                    \
          : 0;
/* Set pos[i] for lanes with the elements w, or return 0 where E_FIND must. */
#define E_BETWEEN(n, is_within, w, pos)                                        \
  (S_GROUP > 1 &&                                                              \
   e_between((uint)(n), e_first, e_even, e_reach, is_within, w, pos))
/* Set pos[i] for lanes from row r on, with the elements w and their order
 * numbers o. */
#define E_FIND(r, lanes, n, w, o, right, pos)                                  \
  e_find(&e_edges, (uint)(n), e_first, e_by, w, o, right, pos);

#else
/* For each lane, how many of the n edges at edge[i], which are `step` bytes
 * apart, come before o[i], or with `right` equal it. */
static void e_bisect(global const char *const *edge, long step, R_IDX n,
                     const S_WORD *o, uint right, R_IDX *pos) {
  for (uint i = 0; i < S_LANES; ++i)
    pos[i] = 0;
  for (R_IDX left = n; left > 0;) {
    const R_IDX half_ = left > 1 ? left / 2 : 1;

    for (uint i = 0; i < S_LANES; ++i) {
      const S_WORD e = s_order(
          *(global const S_WORD *)(edge[i] + (long)(pos[i] + half_ - 1) * step),
          0, (S_WORD)~(S_WORD)0);
      pos[i] += (e < o[i] || (right && e == o[i])) ? half_ : 0;
    }
    left = left > 1 ? left - half_ : 0;
  }
}

#define E_BEGIN(n)
#define E_BETWEEN(n, is_within, w, pos) 0
#define E_FIND(r, lanes, n, w, o, right, pos)                                  \
  {                                                                            \
    global const char *e_at[S_LANES];                                          \
    for (uint i = 0; i < S_LANES; ++i) {                                       \
      S_BASE(edge, (r) + min((R_IDX)i, (lanes) - 1) * S_GROUP)                 \
      e_at[i] = edge;                                                          \
    }                                                                          \
    e_bisect(e_at, edge_a, (R_IDX)(n), o, right, pos);                         \
  }
#endif

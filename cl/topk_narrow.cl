/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of a row in order, or the last one of these alone,
 * on a GPU. A row becomes a short list, which one group selects from:
 *
 *   topk_bounds   compares a sample with itself, and takes two of its
 *                 elements as bounds, between which the last wanted one lies
 *                 almost surely
 *   topk_narrow   reads the row once, counts what comes before the lower bound
 *                 and appends what lies between the bounds to a list
 *   topk_pick     finds the last wanted element by digits of its bits, and
 *                 stores the results in order
 *
 * A long list is narrowed again: level l makes list l of list l - 1, and list 0
 * is the row. If the last wanted element is not in a list, or a list is full,
 * topk_pick selects from the row itself: that is slow, and it is rare whatever
 * the order of elements is, as elements that are equal have the order of their
 * row here, and the sample does not lie at regular places. Lists have no order
 * that results could depend on.
 *
 * Macros: those of sort_word.cl, with rows of less than 2^31 elements, and
 *
 *   #define S_ITEMS 32    elements of a tile for each work-item, at most 32
 *   #define T_SAMPLE 4096 elements of a sample: a power of two
 *   #define T_RUN 1       of a row: each is the first in order of so many
 *                         neighbours; 1, or whole lines of 16 bytes
 *   #define T_ONE 0       1: the last wanted element alone */
#include "topk_order.cl"

typedef struct topk_level {
  ulong low, high; /* bounds: the list has these and what is between them */
  uint low_at, high_at;
  uint have;   /* elements of the list, or more if it is full */
  uint before; /* elements of the list before that come before the bounds */
} topk_level;

/* A list of the row to select from. */
typedef struct topk_source {
  uint n, rank; /* its elements, and the rank of the last wanted one in it */
  S_WORD low, high;
} topk_source;

/* Set *s to list number `level` of a row of n elements, or to nothing if the
 * last wanted element is not there. `most`: how many elements have room. */
GA_INLINE void t_source(topk_source *s, global const topk_level *levels,
                        const uint level, const uint n, const uint rank,
                        const uint most) {
  s->n = n;
  s->rank = rank;
  s->low = 0;
  s->high = T_LAST;
  for (uint k = 0; k < level; ++k)
    s->rank -= levels[k].before; /* wraps where bounds are wrong */
  if (level > 0) {
    s->n = levels[level - 1].have;
    s->low = (S_WORD)levels[level - 1].low;
    s->high = (S_WORD)levels[level - 1].high;
    if (s->n > most || s->rank >= s->n)
      s->n = 0;
  }
}

/* Where a kernel reads: list number `level` of each row. */
#define T_FROM                                                                 \
  S_OPERAND(src), S_SIZES, global const S_WORD *orders_from,                   \
      global const uint *places_from, const ulong most_from, const uint level, \
      global topk_level *all_levels, const uint n_levels, const ulong n_,      \
      const uint how, const uint wanted
#define T_FIND(row)                                                            \
  S_HOW(how)                                                                   \
  S_BASE(src, row)                                                             \
  global topk_level *const levels = all_levels + (row) * n_levels;             \
  global const S_WORD *const list = orders_from + (row) * most_from;           \
  global const uint *const list_at = places_from + (row) * most_from;          \
  topk_source s;                                                               \
  t_source(&s, levels, level, (uint)n_, wanted - 1, (uint)most_from);          \
  uint n = s.n, is_list = level > 0;

/* The same for functions: element k and its position. */
#define T_READ                                                                 \
  global const char *src, const long src_a, global const S_WORD *list,         \
      global const uint *list_at, const uint is_list, const uint n,            \
      const S_WORD flip, const S_WORD nan
#define T_READ_PASS src, src_a, list, list_at, is_list, n, flip, nan
#define T_ORDER(k) (is_list ? list[k] : s_order(S_LOAD(src, k), flip, nan))
#define T_PLACE(k) (is_list ? list_at[k] : (k))

#define T_AHEAD 8 /* elements that are loaded at once */

/* Load element j, j + S_GROUP and so on of the work-item into `o`. There is
 * one; behind the end it is the last one again. */
#define T_LOAD_AHEAD(o, j)                                                     \
  S_WORD o[T_AHEAD];                                                           \
  _Pragma("unroll") for (uint ahead = 0; ahead < T_AHEAD; ++ahead) o[ahead] =  \
      T_ORDER(min((j) + ahead * S_GROUP, n - 1));

/* --- bounds --- */

/* Elements of the sample that a group compares with all others, and the
 * work-items for each. */
#define T_EACH 16
#define T_SHARES (S_GROUP / T_EACH)

/* A number that looks random, below 2^16. */
GA_INLINE uint t_mix(uint i) {
  i *= 0x9e3779b1u;
  i ^= i >> 15;
  i *= 0x85ebca6bu;
  return i >> 16;
}

/* Elements that a work-item loads at once. */
#define T_LINE (16 / sizeof(S_WORD))
typedef union t_line {
  uint4 all;
  S_WORD words[T_LINE];
} t_line;

/* Set *o and *at to the first in order of the T_RUN elements from the first
 * whole line at or behind element k on. */
GA_INLINE void t_first(T_READ, uint k, S_WORD *o, uint *at) {
#if S_FLAT && T_RUN > 1
  t_line lines[T_RUN / T_LINE];

  k += (uint)(-((size_t)src / sizeof(S_WORD) + k) % T_LINE);
  for (uint q = 0; q < T_RUN / T_LINE; ++q)
    lines[q].all = *(global const uint4 *)S_AT(src, k + q * T_LINE);
  *o = T_LAST;
  *at = ~0u;
  for (uint i = 0; i < T_RUN; ++i) {
    const S_WORD v = s_order(lines[i / T_LINE].words[i % T_LINE], flip, nan);

    if (v < *o || i == 0) {
      *o = v;
      *at = k + i;
    }
  }
#endif
}

/* Global size: rows x T_SAMPLE / T_EACH x S_GROUP. */
kernel void topk_bounds(T_FROM) {
  const uint groups = T_SAMPLE / T_EACH;
  const uint row = (uint)get_group_id(0) / groups;
  const uint first = (uint)get_group_id(0) % groups * T_EACH;
  const uint me = (uint)get_local_id(0), mine = first + me % T_EACH;
  local S_WORD order[T_SAMPLE];
  local uint place[T_SAMPLE], before[T_EACH];
  T_FIND(row)
  global topk_level *const to = levels + level;
  const uint run = is_list ? 1 : T_RUN;

  if (me < T_EACH)
    before[me] = 0;
  if (n > 0) {
    S_WORD o[T_SAMPLE / S_GROUP];
    uint at[T_SAMPLE / S_GROUP];

#pragma unroll
    for (uint u = 0; u < T_SAMPLE / S_GROUP; ++u) {
      const uint i = u * S_GROUP + me;
      const uint choices = run > 1 ? n - T_RUN - T_LINE : n;
      const uint k = (uint)(((ulong)i << 16 | t_mix(i)) * choices /
                            ((ulong)T_SAMPLE << 16));

      if (run > 1) {
        t_first(T_READ_PASS, k, &o[u], &at[u]);
      } else {
        o[u] = T_ORDER(k);
        at[u] = T_PLACE(k);
      }
    }
#pragma unroll
    for (uint u = 0; u < T_SAMPLE / S_GROUP; ++u) {
      order[u * S_GROUP + me] = o[u];
      place[u * S_GROUP + me] = at[u];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  /* A list of few elements has some of them several times in its sample. */
  const S_WORD o = order[mine];
  const uint at = place[mine];
  uint sum = 0;
#pragma unroll 8
  for (uint i = me / T_EACH; i < T_SAMPLE; i += T_SHARES) {
    const S_WORD other = order[i];
    const uint other_at = place[i];
    sum += t_before(other, other_at, o, at + (i < mine));
  }
  atomic_add(&before[me % T_EACH], sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  /* Where the wanted element would be in the sample, give or take six times the
   * standard deviation of that and two. It is not further behind if neighbours
   * are alike. */
  const float part = n > 0 ? ((float)s.rank + 0.5f) / (float)n : 0.5f;
  const float about = part * T_SAMPLE * run;
  const float margin = 6 * sqrt(max(about * (1 - part), 0.0f)) + 2;
  const float low = T_ONE ? about - margin : -1, high = about + margin + 1;
  if (me < T_EACH && low >= 0 && before[me] == (uint)low) {
    to->low = o;
    to->low_at = at;
  }
  if (me < T_EACH && high < T_SAMPLE && before[me] == (uint)high) {
    to->high = o;
    to->high_at = at;
  }
  if (first == 0 && me == 0) {
    if (!(low >= 0)) {
      to->low = 0;
      to->low_at = 0;
    }
    if (!(high < T_SAMPLE)) {
      to->high = T_LAST;
      to->high_at = ~0u;
    }
    to->have = to->before = 0;
  }
}

/* --- narrowing --- */

#define T_TILE (S_GROUP * S_ITEMS)
#define T_ROOM 2048 /* elements of a list that local memory has */

/* Whether an element comes before the lower bound, and whether it lies between
 * the bounds. */
GA_INLINE int t_is_lower(const topk_level *to, const S_WORD o, const uint at) {
  return t_before(o, at, (S_WORD)to->low, to->low_at);
}

GA_INLINE int t_is_between(const topk_level *to, const S_WORD o,
                           const uint at) {
  return !t_is_lower(to, o, at) &&
         !t_before((S_WORD)to->high, to->high_at, o, at);
}

/* A bit for each element k, k + S_GROUP and so on of the work-item that has a
 * number from `low` to `high`. Those with lower numbers add to *before. */
GA_INLINE uint t_find(T_READ, const uint k, const S_WORD low,
                      const S_WORD high, uint *before) {
  uint found = 0;

#pragma unroll
  for (uint u = 0; u < S_ITEMS; u += T_AHEAD) {
    S_WORD o[T_AHEAD];

#pragma unroll
    for (uint i = 0; i < T_AHEAD; ++i)
      o[i] = is_list ? list[k + (u + i) * S_GROUP]
                     : S_LOAD(src, k + (u + i) * S_GROUP);
#pragma unroll
    for (uint i = 0; i < T_AHEAD; ++i) {
      const S_WORD v = is_list ? o[i] : s_order(o[i], flip, nan);

      found |= (uint)((S_WORD)(v - low) <= (S_WORD)(high - low)) << (u + i);
      if (T_ONE)
        *before += v < low;
    }
  }
  return found;
}

/* The same at the end of a part, which has n elements. */
GA_INLINE uint t_find_last(T_READ, const uint k, const S_WORD low,
                           const S_WORD high, uint *before) {
  uint found = 0;

  for (uint i = 0; i < S_ITEMS && k + i * S_GROUP < n; ++i) {
    const S_WORD v = T_ORDER(k + i * S_GROUP);

    found |= (uint)((S_WORD)(v - low) <= (S_WORD)(high - low)) << i;
    *before += v < low;
  }
  return found;
}

/* Clear the bits of elements that equal a bound and lie beyond it. */
GA_INLINE uint t_clear(T_READ, const uint k, const topk_level *to,
                       const uint found, uint *before) {
  uint kept = 0;

  for (uint rest = found; rest != 0; rest &= rest - 1) {
    const uint bit = rest & -rest, i = k + (31 - clz(bit)) * S_GROUP;
    const S_WORD o = T_ORDER(i);
    const uint at = T_PLACE(i);

    *before += t_is_lower(to, o, at);
    kept |= t_is_between(to, o, at) ? bit : 0;
  }
  return kept;
}

/* Global size: rows x parts x S_GROUP. A part has whole tiles, but the last one
 * of a row. What local memory has no room for goes to the list at once. */
kernel void topk_narrow(T_FROM, global S_WORD *orders, global uint *places,
                        const ulong most, const uint parts) {
  const uint row = (uint)get_group_id(0) / parts;
  const uint part = (uint)get_group_id(0) % parts;
  const uint me = (uint)get_local_id(0);
  local S_WORD order[T_ROOM];
  local uint place[T_ROOM], have, base, sum;
  T_FIND(row)
  /* Without the counts, to which others add. */
  const topk_level to = {.low = levels[level].low,
                         .high = levels[level].high,
                         .low_at = levels[level].low_at,
                         .high_at = levels[level].high_at};
  volatile global topk_level *const counts = levels + level;
  global S_WORD *const to_orders = orders + row * most;
  global uint *const to_places = places + row * most;
  const uint tiles = n / T_TILE + (n % T_TILE > 0);
  const uint from = (uint)((ulong)tiles * part / parts) * T_TILE;
  const ulong end = (ulong)tiles * (part + 1) / parts * T_TILE;
  const S_WORD low = T_ONE ? (S_WORD)to.low : 0, high = (S_WORD)to.high;
  uint before = 0;

  n = (uint)min((ulong)n, end);
  if (me == 0)
    have = sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint tile = from; tile < n; tile += min(n - tile, (uint)T_TILE)) {
    const uint k = tile + me;
    uint found;

    if (n - tile >= T_TILE && is_list)
      found = t_find(src, src_a, list, list_at, 1, n, flip, nan, k, low, high,
                     &before);
    else if (n - tile >= T_TILE)
      found = t_find(src, src_a, list, list_at, 0, n, flip, nan, k, low, high,
                     &before);
    else
      found = t_find_last(T_READ_PASS, k, low, high, &before);
    if (found == 0)
      continue;
    found = t_clear(T_READ_PASS, k, &to, found, &before);
    const uint mine = popcount(found);
    uint put = atomic_add(&have, mine), out = 0;
    if (put + mine > T_ROOM)
      out = atomic_add(&counts->have, put + mine - max(put, (uint)T_ROOM));
    for (; found != 0; found &= found - 1) {
      const uint i = k + (31 - clz(found & -found)) * S_GROUP;

      if (put < T_ROOM) {
        order[put] = T_ORDER(i);
        place[put++] = T_PLACE(i);
      } else if (out < most) {
        to_orders[out] = T_ORDER(i);
        to_places[out++] = T_PLACE(i);
      }
    }
  }
  if (before > 0)
    atomic_add(&sum, before);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint kept = min(have, (uint)T_ROOM);
  if (me == 0) {
    base = kept > 0 ? atomic_add(&counts->have, kept) : 0;
    if (sum > 0)
      atomic_add(&counts->before, sum);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < kept; i += S_GROUP) {
    if (base + i < most) {
      to_orders[base + i] = order[i];
      to_places[base + i] = place[i];
    }
  }
}

/* --- picking --- */

/* Elements that are sorted in local memory. */
#define T_MOST 2048
#define T_FEW max(512u, T_ONE ? 0 : wanted)

/* What is known of the last wanted element: bits of its number and, when all of
 * these are known, of its position. It has the rank `rank` among the `here`
 * elements that agree with it in these bits. */
typedef struct topk_found {
  S_WORD order, order_bits;
  uint place, place_bits;
  uint here, rank;
} topk_found;

/* How many low bits a number has up to its highest one. */
GA_INLINE uint t_width(const ulong v) {
  return 64 - (uint)clz(v);
}

/* How many low bits of elements are not those of `high` in all of them. `some`
 * has room for S_GROUP numbers. All come here. */
GA_INLINE uint t_differing(T_READ, local S_WORD *some, const S_WORD high,
                           const uint me) {
  S_WORD differ = 0;

  for (uint j = me; j < n; j += T_AHEAD * S_GROUP) {
    T_LOAD_AHEAD(o, j)

#pragma unroll
    for (uint i = 0; i < T_AHEAD; ++i)
      differ |= o[i] ^ high;
  }
  some[me] = differ;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me + 32; me < 32 && i < S_GROUP; i += 32)
    differ |= some[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < 32)
    some[me] = differ;
  barrier(CLK_LOCAL_MEM_FENCE);
  differ = 0;
  for (uint i = 0; i < 32; ++i)
    differ |= some[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  return t_width(differ);
}

/* Find the digit of the last wanted element from counts of digits: `chosen`
 * becomes the digit, how many have it, and how many have a lower one. All come
 * here. */
GA_INLINE void t_choose(local uint *counts, local uint *chosen,
                        const uint rank, const uint me) {
  for (uint step = 1; step < S_DIGITS; step *= 2) {
    const uint v = me >= step && me < S_DIGITS ? counts[me - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < S_DIGITS)
      counts[me] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (me < S_DIGITS) {
    const uint lower = me > 0 ? counts[me - 1] : 0;

    if (lower <= rank && rank < counts[me]) {
      chosen[0] = me;
      chosen[1] = counts[me] - lower;
      chosen[2] = lower;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Count how often each digit occurs among the elements that agree with f: the
 * low bits from `shift` on of numbers, or of positions if these are known. */
GA_INLINE void t_count(T_READ, local uint *counts, const topk_found *f,
                       const uint shift, const uint in_order, const uint mask,
                       const uint me) {
  if (me < S_DIGITS)
    counts[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = me; j < n; j += T_AHEAD * S_GROUP) {
    T_LOAD_AHEAD(o, j)

#pragma unroll
    for (uint i = 0; i < T_AHEAD; ++i) {
      const uint k = j + i * S_GROUP;

      if (k >= n || ((o[i] ^ f->order) & f->order_bits) != 0)
        continue;
      const uint at = in_order ? f->place : T_PLACE(k);
      const uint digit = in_order ? (uint)(o[i] >> shift) : at >> shift;
      if (((at ^ f->place) & f->place_bits) == 0)
        atomic_inc(&counts[digit & mask]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Put the elements that agree with f into local memory, and those before them
 * unless the last wanted one is alone. Returns how many. */
GA_INLINE uint t_gather(T_READ, local S_WORD *order, local uint *place,
                        local uint *added, const topk_found *f, const uint me) {
  if (me == 0)
    *added = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = me; j < n; j += T_AHEAD * S_GROUP) {
    T_LOAD_AHEAD(o, j)

#pragma unroll
    for (uint i = 0; i < T_AHEAD; ++i) {
      const uint k = j + i * S_GROUP;
      const S_WORD known = o[i] & f->order_bits;

      if (k >= n || known > f->order || (T_ONE && known < f->order))
        continue;
      const uint at = T_PLACE(k), known_at = at & f->place_bits;
      if (known == f->order &&
          (known_at > f->place || (T_ONE && known_at < f->place)))
        continue;
      const uint put = atomic_inc(added);
      order[put] = o[i];
      place[put] = at;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return *added;
}

/* Some devices must know of large groups. */
#if S_GROUP > 256
#define T_LARGE __attribute__((reqd_work_group_size(S_GROUP, 1, 1)))
#else
#define T_LARGE
#endif

/* Global size: rows x S_GROUP, where S_GROUP is at least S_DIGITS. */
kernel T_LARGE void topk_pick(T_FROM, S_OPERAND(dst), S_OPERAND(pos),
                      const uint stores) {
  const uint row = (uint)get_group_id(0), me = (uint)get_local_id(0);
  local S_WORD order[T_MOST];
  local uint place[T_MOST], counts[S_DIGITS], chosen[3], added;
  T_FIND(row)
  S_BASE(dst, row)
  S_BASE(pos, row)

  if (level > 0 && n == 0) {
    is_list = 0;
    n = (uint)n_;
    s = (topk_source){n, wanted - 1, 0, T_LAST};
  }
  /* Bits that are not known. */
  uint in_order = t_width(s.low ^ s.high), in_place = t_width(n_);
  topk_found f = {.here = n, .rank = s.rank};
  if (!T_ONE && is_list && n > T_FEW)
    in_order = t_differing(T_READ_PASS, order, s.high, me);
  if (in_order < 8 * sizeof(S_WORD))
    f.order_bits = (S_WORD)(T_LAST << in_order);
  f.order = s.high & f.order_bits;
  /* How many elements to sort: with those before it, unless it is alone. */
  while (f.here + (T_ONE ? 0 : s.rank - f.rank) > T_FEW) {
    const uint bits = min(in_order > 0 ? in_order : in_place, (uint)S_DIGIT_BITS);
    const uint mask = (1u << bits) - 1;
    const uint shift = (in_order > 0 ? in_order : in_place) - bits;

    t_count(T_READ_PASS, counts, &f, shift, in_order > 0, mask, me);
    t_choose(counts, chosen, f.rank, me);
    f.here = chosen[1];
    f.rank -= chosen[2];
    if (in_order > 0) {
      f.order |= (S_WORD)((S_WORD)chosen[0] << shift);
      f.order_bits |= (S_WORD)((S_WORD)mask << shift);
      in_order = shift;
    } else {
      f.place |= chosen[0] << shift;
      f.place_bits |= mask << shift;
      in_place = shift;
    }
  }
  const uint have = t_gather(T_READ_PASS, order, place, &added, &f, me);
  t_sort(order, place, me, have);
  const uint skip = T_ONE ? f.rank : 0;
  for (uint i = me; i < (T_ONE ? 1 : wanted); i += S_GROUP) {
    if (stores & S_STORE_VALUES)
      *(global S_WORD *)S_AT(dst, i) = S_LOAD(src, place[skip + i]);
    if (stores & S_STORE_POSITIONS)
      *(global long *)S_AT(pos, i) = (long)place[skip + i];
  }
}

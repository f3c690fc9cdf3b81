/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of each row in order, by digits from the highest
 * to the lowest. For each digit, `topk_count` counts how often each part of a
 * row has it among the elements that agree in all higher digits with the last
 * wanted element, and `topk_choose` finds that element's digit. It also sums up
 * how many elements of each part come before the last wanted one, and how many
 * may equal it; `sort_scan` turns these two counts into places. `topk_move`
 * stores elements: first those before the last one, then as many that equal it
 * as are wanted, both in the order of the row. Macros: those of sort_word.cl.
 * `one`: the last wanted element is stored alone.
 *
 * The state of a row is four ulongs: digits found so far, in their places; how
 * many of the elements that agree with them are wanted; how many low bits are
 * not found; 1 if they do not matter. */

typedef struct topk_state {
  ulong found, wanted, low, done;
} topk_state;

/* Whether one of TOPK_BLOCK elements that lie one after another has the number
 * `found` without its low bits, or with `less` a lower one. Vectors find out
 * faster than a loop goes through the elements. */
#define TOPK_BLOCK 64

static int topk_any(global const char *p, uint low, S_WORD found, uint less,
                    S_WORD flip, S_WORD nan) {
  S_WORD any = 0;

  for (uint i = 0; i < TOPK_BLOCK; ++i) {
    const S_WORD o = s_order(((global const S_WORD *)p)[i], flip, nan) >> low;
    any |= (S_WORD)(o == found) | (S_WORD)(less & (o < found));
  }
  return any != 0;
}

/* Loop over the elements from j on, up to `to`, but leave out blocks without
 * such an element. */
#define TOPK_EACH(j, low, found, less)                                         \
  for (R_IDX stop; j < to; j = stop)                                           \
    if (stop = j + min(to - j, (R_IDX)TOPK_BLOCK),                             \
        !S_FLAT || stop - j < TOPK_BLOCK ||                                    \
            topk_any(S_AT(src, j), low, found, less, flip, nan))               \
      for (; j < stop; ++j)

/* The geometry of sort_count. `first`: there is no state yet. */
kernel void topk_count(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift, const uint how,
                       global const topk_state *states, const uint first) {
  S_PART
  S_HOW(how)
  R_IDX sums[S_DIGITS];

  if (row >= n_rows || (!first && states[row].done))
    return;
  for (uint d = 0; d < S_DIGITS; ++d)
    sums[d] = 0;
  S_BASE(src, row)
  R_IDX j = from;
  if (first) {
#if S_FLAT
    for (; to - j >= S_BLOCK; j += S_BLOCK) {
      S_DIGITS_AHEAD(digit)
      for (uint i = 0; i < S_BLOCK; ++i)
        ++sums[digit[i]];
    }
#endif
    for (; j < to; ++j)
      ++sums[S_DIGIT(S_LOAD(src, j))];
  } else {
    const uint low = shift + S_DIGIT_BITS;
    const S_WORD found = (S_WORD)states[row].found >> low;
    TOPK_EACH(j, low, found, 0) {
      const S_WORD o = s_order(S_LOAD(src, j), flip, nan);
      if ((S_WORD)(o >> low) == found)
        ++sums[(uint)(o >> shift) & (S_DIGITS - 1)];
    }
  }
  global R_IDX *const count = counts + (size_t)row * S_DIGITS * parts + part;
  for (uint d = 0; d < S_DIGITS; ++d)
    count[d * parts] = sums[d];
}

#define S_SHARES (S_GROUP > S_DIGITS ? S_GROUP / S_DIGITS : 1)

/* One work-item needs no local memory, of which a device may have only 1 KiB. */
#if S_GROUP > 1
#define T_LOCAL local
#else
#define T_LOCAL
#endif

/* Global size: rows x S_GROUP. Places are [rows][2][parts]. */
kernel void topk_choose(global const R_IDX *counts, const ulong parts_,
                        const ulong wanted, const uint shift,
                        global topk_state *states, const uint first,
                        const uint one, global R_IDX *places) {
  const R_IDX row = (R_IDX)get_group_id(0), parts = (R_IDX)parts_;
  const uint me = (uint)get_local_id(0);
  global const R_IDX *const count = counts + (size_t)row * S_DIGITS * parts;
  global R_IDX *const before = places + (size_t)row * 2 * parts;
  global topk_state *const state = states + row;
  const int is_done = !first && state->done;
  T_LOCAL R_IDX sums[S_DIGITS * S_SHARES];
  T_LOCAL uint chosen;

  for (uint i = me; i < S_DIGITS * S_SHARES && !is_done; i += S_GROUP) {
    R_IDX sum = 0;
    for (R_IDX p = i % S_SHARES; p < parts; p += S_SHARES)
      sum += count[i / S_SHARES * parts + p];
    sums[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* of `state` */
  if (me == 0 && !is_done) {
    ulong left = first ? wanted : state->wanted, here = 0;
    uint d = 0;
    for (;; ++d) {
      here = 0;
      for (uint s = 0; s < S_SHARES; ++s)
        here += sums[d * S_SHARES + s];
      if (here >= left || d == S_DIGITS - 1)
        break;
      left -= here;
    }
    chosen = d;
    state->found = (first ? 0 : state->found) | (ulong)d << shift;
    state->wanted = left;
    state->low = shift;
    state->done = here == (one ? 1 : left);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (R_IDX p = me; p < parts && !is_done; p += S_GROUP) {
    R_IDX sum = first ? 0 : before[p];
    for (uint d = 0; d < chosen; ++d)
      sum += count[d * parts + p];
    before[p] = sum;
    before[parts + p] = count[chosen * parts + p];
  }
}

/* The same geometry as topk_count. Elements that equal the last one follow
 * those before it until `wanted` are stored. */
kernel void topk_move(S_OPERAND(src), S_OPERAND(dst), S_OPERAND(pos), S_SIZES,
                      global const R_IDX *places, const ulong n_rows,
                      const ulong n_, const ulong parts_, const ulong chunk_,
                      const uint shift, const uint how,
                      global const topk_state *states, const ulong wanted,
                      const uint one, const uint stores) {
  S_PART
  S_HOW(how)

  if (row >= n_rows)
    return;
  global const R_IDX *const place = places + (size_t)row * 2 * parts + part;
  R_IDX before = place[0], equal = place[parts];
  if (one && (equal >= wanted ||
              (part + 1 < parts && place[parts + 1] < wanted)))
    return; /* it is in another part */
  const uint low = (uint)states[row].low;
  const S_WORD found = (S_WORD)states[row].found >> low;
  S_BASE(src, row)
  S_BASE(dst, row)
  S_BASE(pos, row)
  R_IDX j = from;
  TOPK_EACH(j, low, found, !one) {
    const S_WORD w = S_LOAD(src, j), o = s_order(w, flip, nan) >> low;

    if (o > found)
      continue;
    const R_IDX at = o < found ? before++ : equal++;
    if (one ? at + 1 != wanted : at >= wanted)
      continue;
    const R_IDX k = one ? 0 : at;
    if (stores & S_STORE_VALUES)
      *(global S_WORD *)S_AT(dst, k) = w;
    if (stores & S_STORE_POSITIONS)
      *(global long *)S_AT(pos, k) = (long)j;
  }
}

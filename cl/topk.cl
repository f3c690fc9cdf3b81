/* SPDX-License-Identifier: BSD-2-Clause */
/* The first `wanted` elements of each row in order, by digits from the highest
 * to the lowest. For each digit, `topk_count` counts how often each part of a
 * row has it among the elements that agree in all higher digits with the last
 * wanted element, and `topk_choose` finds that element's digit. Then elements
 * before it and elements that equal it are counted (`topk_mark`, and `sort_scan`
 * for two digits) and stored (`topk_move`): first those before it, then as many
 * that equal it as are wanted, both in the order of the row. Macros: those of
 * sort_word.cl. `one`: the last wanted element is stored alone.
 *
 * The state of a row is four ulongs: digits found so far, in their places; how
 * many of the elements that agree with them are wanted; how many low bits are
 * not found; 1 if they do not matter. */

typedef struct topk_state {
  ulong found, wanted, low, done;
} topk_state;

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
  const S_WORD found =
      first ? 0 : (S_WORD)((S_WORD)states[row].found >> shift) >> S_DIGIT_BITS;
  for (uint d = 0; d < S_DIGITS; ++d)
    sums[d] = 0;
  S_BASE(src, row)
  for (R_IDX j = from; j < to; ++j) {
    const S_WORD o = s_order(S_LOAD(src, j), flip, nan) >> shift;
    if (first || (S_WORD)(o >> S_DIGIT_BITS) == found)
      ++sums[(uint)o & (S_DIGITS - 1)];
  }
  global R_IDX *const count = counts + (size_t)row * S_DIGITS * parts + part;
  for (uint d = 0; d < S_DIGITS; ++d)
    count[d * parts] = sums[d];
}

#define S_SHARES (S_GROUP > S_DIGITS ? S_GROUP / S_DIGITS : 1)

/* Global size: rows x S_GROUP. */
kernel void topk_choose(global const R_IDX *counts, const ulong parts_,
                        const ulong wanted, const uint shift,
                        global topk_state *states, const uint first,
                        const uint one) {
  const R_IDX row = (R_IDX)get_group_id(0), parts = (R_IDX)parts_;
  global const R_IDX *const count = counts + (size_t)row * S_DIGITS * parts;
  global topk_state *const state = states + row;
  const int is_done = !first && state->done;
  local R_IDX sums[S_DIGITS * S_SHARES];

  for (uint i = (uint)get_local_id(0); i < S_DIGITS * S_SHARES && !is_done;
       i += S_GROUP) {
    R_IDX sum = 0;
    for (R_IDX p = i % S_SHARES; p < parts; p += S_SHARES)
      sum += count[i / S_SHARES * parts + p];
    sums[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && !is_done) {
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
    state->found = (first ? 0 : state->found) | (ulong)d << shift;
    state->wanted = left;
    state->low = shift;
    state->done = here == (one ? 1 : left);
  }
}

/* 0: the element comes before the last wanted one; 1: it may equal that; 2: it
 * comes after. */
static uint topk_class(S_WORD order, S_WORD found) {
  return order < found ? 0 : order == found ? 1 : 2;
}

#define TOPK_FOUND                                                             \
  const uint low = (uint)states[row].low;                                      \
  const S_WORD found = (S_WORD)states[row].found >> low;

/* The same geometry. Counts are [rows][2][parts]. */
kernel void topk_mark(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                      const ulong n_rows, const ulong n_, const ulong parts_,
                      const ulong chunk_, const uint shift, const uint how,
                      global const topk_state *states) {
  S_PART
  S_HOW(how)
  R_IDX before = 0, equal = 0;

  if (row >= n_rows)
    return;
  TOPK_FOUND
  S_BASE(src, row)
  for (R_IDX j = from; j < to; ++j) {
    const uint c = topk_class(s_order(S_LOAD(src, j), flip, nan) >> low, found);
    before += c == 0;
    equal += c == 1;
  }
  global R_IDX *const count = counts + (size_t)row * 2 * parts + part;
  count[0] = before;
  count[parts] = equal;
}

/* The same geometry. Elements that equal the last one follow those before it
 * until `wanted` are stored. */
kernel void topk_move(S_OPERAND(src), S_OPERAND(dst), S_OPERAND(pos), S_SIZES,
                      global const R_IDX *counts, const ulong n_rows,
                      const ulong n_, const ulong parts_, const ulong chunk_,
                      const uint shift, const uint how,
                      global const topk_state *states, const ulong wanted,
                      const uint one, const uint stores) {
  S_PART
  S_HOW(how)

  if (row >= n_rows)
    return;
  global const R_IDX *const count = counts + (size_t)row * 2 * parts + part;
  R_IDX before = count[0], equal = count[parts];
  TOPK_FOUND
  S_BASE(src, row)
  S_BASE(dst, row)
  S_BASE(pos, row)
  for (R_IDX j = from; j < to; ++j) {
    const S_WORD w = S_LOAD(src, j);
    const uint c = topk_class(s_order(w, flip, nan) >> low, found);

    if (c == 2)
      continue;
    const R_IDX place = c == 0 ? before++ : equal++;
    if (one ? place + 1 != wanted : place >= wanted)
      continue;
    const R_IDX k = one ? 0 : place;
    if (stores & S_STORE_VALUES)
      *(global S_WORD *)S_AT(dst, k) = w;
    if (stores & S_STORE_POSITIONS)
      *(global long *)S_AT(pos, k) = (long)j;
  }
}

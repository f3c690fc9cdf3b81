/* SPDX-License-Identifier: BSD-2-Clause */
/* What topk_heap.cl and topk_list.cl share: a kernel reads parts of rows, of at
 * least `wanted` elements each, and stores those from `skip` on of the first
 * `wanted` of each part, after those of the parts before it. `first`: positions
 * are not there yet. */
#define T_PARAMS                                                               \
  S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst), S_OPERAND(pos), S_SIZES,      \
      const ulong n_rows, const ulong n, const ulong parts, const uint how,    \
      const uint wanted, const uint skip, const uint first, const uint stores

/* Part number `id` of all rows, and its elements. */
#define T_PART(id)                                                             \
  const R_IDX row = (id) / (R_IDX)parts, part = (id) % (R_IDX)parts;           \
  const R_IDX from = (R_IDX)(n * part / parts);                                \
  const R_IDX to = (R_IDX)(n * (part + 1) / parts);

/* Store elements i, i + step, ... of the list, which lie at place[i] in the
 * row. */
#define T_STORE(i0, step)                                                      \
  {                                                                            \
    S_BASE(at, row)                                                            \
    S_BASE(dst, row)                                                           \
    S_BASE(pos, row)                                                           \
    for (uint i = skip + (i0); i < wanted; i += (step)) {                      \
      const R_IDX k = part * (wanted - skip) + i - skip;                       \
                                                                               \
      if (stores & S_STORE_VALUES)                                             \
        *(global S_WORD *)S_AT(dst, k) = S_LOAD(src, place[i]);                \
      if (stores & S_STORE_POSITIONS)                                          \
        *(global long *)S_AT(pos, k) =                                         \
            first ? (long)place[i] : *(global const long *)S_AT(at, place[i]); \
    }                                                                          \
  }

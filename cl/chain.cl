/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains: groups of one kernel hand sums on from part to part, so that results
 * that depend on all parts before need no second pass over the data. A group
 * stores the total of its part and waits for the sum of all parts before it.
 * Where chains are few, a group of its own, the adder, adds up totals as they
 * come and stores the sums; then nobody waits for a neighbour that waits. Else
 * each group stores the sum up to its own part.
 *
 * Devices start groups in the order of their indices, so those of the parts
 * before have most likely started. OpenCL promises neither this nor that they
 * go on while a group waits: one that has waited for long adds up the totals
 * itself, and computes those that are missing. Whoever adds, adds in the same
 * order, so that sums are always the same.
 *
 *   #define C_GROUP 256     work-items of a group
 *   #define C_COLS 1        columns of a group, each with a chain
 *   #define C_ADDS 1        there are adders
 *   #define C_FREE 0        the first of the places of local memory, up to
 *                           C_CHAIN_PLACES
 *   #define C_GRANULES 1    units of 32 bits of a state
 *   c_tell(slot, s), c_hear(slot, s): store a state in a slot, and read it;
 *       c_hear returns 0 if it is not there
 *
 * A slot has a word for each granule, whose upper half says that it is there:
 * a device stores such a word at once, so no fences are needed. `slots` are
 * [2][parts][rows], totals and sums, and 0 before a launch. Columns beyond the
 * last one repeat it. */
#define C_PATIENCE 1000 /* looks in vain, before a group helps itself */
#define C_LOOKERS (C_GROUP / C_COLS)
/* Parts that a work-item looks at: two where few work-items share a column.
 * Their words are loaded together. */
#define C_EACH (C_ADDS && C_COLS > 1 ? 2 : 1)
/* Work-items whose totals are added up one after another, before their sum with
 * others; and their parts. */
#define C_BLOCK (!C_ADDS ? 1 : C_LOOKERS < 16 ? C_LOOKERS : 16)
#define C_BLOCK_PARTS (C_BLOCK * C_EACH)
#define C_BLOCKS (C_FREE + C_GROUP) /* where local memory has sums of blocks */
#define C_CHAIN_PLACES (C_BLOCKS + C_GROUP / C_BLOCK)

/* The slots of part p in the row o. */
#define C_TOTAL(p) (slots + ((size_t)(p) * rows + o) * C_GRANULES)
#define C_SUM(p) C_TOTAL(parts + (p))

/* Add up the totals of the parts before `end` and store their sums. Returns the
 * first part without a sum when `patience` looks in vain found no further
 * total. */
GA_INLINE uint chain_add(C_LOCAL_PARAMS const uint me, const uint end,
                         const uint patience, const size_t o, const size_t rows,
                         const uint parts, volatile global ulong *slots,
                         local uint *words) {
  const uint x = me % C_COLS, y = me / C_COLS, block = y / C_BLOCK;
  const uint most = C_LOOKERS * C_EACH; /* parts that are looked at, at once */
  uint next = 0, known = 0;             /* `next` begins a block */
  c_state_1 sum, s, t; /* `sum` is that of all parts before `next` */

  c_neutral_1(&sum);
  if (me == 0)
    words[0] = min(most, end);
  barrier(CLK_LOCAL_MEM_FENCE);
  /* words[turn] becomes the number of totals that came one after another. */
  for (uint looks = 0, turn = 0; known < end && looks <= patience; turn ^= 1) {
    const uint before = known, first = next + y * C_EACH;
    c_state_1 own[C_EACH]; /* sums of the work-item's parts */
    int is_there[C_EACH];
    uint missing = C_EACH;

    /* Parts from `end` on are read, too, and do not count: words[turn] is never
     * more than the parts before `end`. */
#pragma unroll
    for (uint k = 0; k < C_EACH; ++k)
      is_there[k] = c_hear(C_TOTAL(min(first + k, parts - 1)), &own[k]);
#pragma unroll
    for (uint k = C_EACH; k-- > 0;)
      missing = is_there[k] ? missing : k;
    if (missing < C_EACH)
      atomic_min(&words[turn], y * C_EACH + missing);
#pragma unroll
    for (uint k = 1; k < C_EACH; ++k)
      c_combine_1(&own[k - 1], &own[k], &own[k]);
    c_put(C_LOCAL_PASS C_FREE + me, &own[C_EACH - 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = words[turn];
    const uint blocks = count / C_BLOCK_PARTS; /* that are complete */
    const uint past = next + blocks * C_BLOCK_PARTS;
    if (me == 0)
      words[turn ^ 1] = min(most, end - past);
    /* The sum of the block's work-items before this one. */
    c_get(C_LOCAL_PASS C_FREE + block * C_BLOCK * C_COLS + x, &s);
    for (uint k = block * C_BLOCK + 1; k < y; ++k) {
      c_get(C_LOCAL_PASS C_FREE + k * C_COLS + x, &t);
      c_combine_1(&s, &t, &s);
    }
    if (y % C_BLOCK == C_BLOCK - 1) {
      t = own[C_EACH - 1];
      if (C_BLOCK > 1)
        c_combine_1(&s, &t, &t);
      c_put(C_LOCAL_PASS C_BLOCKS + block * C_COLS + x, &t);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    c_state_1 mine = sum;
    for (uint k = 0; k < blocks; ++k) {
      c_get(C_LOCAL_PASS C_BLOCKS + k * C_COLS + x, &t);
      c_combine_1(&sum, &t, &sum);
      if (k < block)
        mine = sum;
    }
    if (y % C_BLOCK > 0)
      c_combine_1(&mine, &s, &mine);
#pragma unroll
    for (uint k = 0; k < C_EACH; ++k) {
      c_combine_1(&mine, &own[k], &t);
      if (y * C_EACH + k < count)
        c_tell(C_SUM(first + k), &t);
    }
    known = next + count;
    next = past;
    looks = known > before ? 0 : looks + 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return known;
}

/* Wait for the sum of the parts before `part`. Returns 0 if it did not come. */
GA_INLINE int chain_wait(C_LOCAL_PARAMS const uint me, const uint part,
                         const size_t o, const size_t rows, const uint parts,
                         volatile global ulong *slots, local uint *words,
                         c_state_1 *sum) {
  if (me == 0)
    words[0] = 1;
  c_neutral_1(sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < C_COLS && part > 0) {
    uint looks = 0;
    while (!c_hear(C_SUM(part - 1), sum) && looks <= C_PATIENCE)
      ++looks;
    if (looks > C_PATIENCE)
      words[0] = 0;
  }
  if (me < C_COLS)
    c_put(C_LOCAL_PASS C_FREE + me, sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  c_get(C_LOCAL_PASS C_FREE + me % C_COLS, sum);
  const int is_known = (int)words[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return is_known;
}

/* Hand on the total `t` of part `here`: `part`, or one whose total was missing.
 * Returns the part whose total is needed next, or `parts` when *sum is that of
 * all parts before `part`, and `here` is `part`. */
GA_INLINE uint chain_step(C_LOCAL_PARAMS const uint me, const uint here,
                          const uint part, const size_t o, const size_t rows,
                          const uint parts, volatile global ulong *slots,
                          local uint *words, const c_state_1 *t,
                          c_state_1 *sum) {
  c_state_1 s;

  /* Results may overwrite what a total was made of. A group writes them only
   * after it has stored its total: while that is missing, `t` is right. */
  if (me < C_COLS && (here == part || !c_hear(C_TOTAL(here), &s)))
    c_tell(C_TOTAL(here), t);
  if (!chain_wait(C_LOCAL_PASS me, part, o, rows, parts, slots, words, sum))
    return chain_add(C_LOCAL_PASS me, part, 0, o, rows, parts, slots, words);
  if (here != part)
    return part;
#if !C_ADDS
  c_combine_1(sum, t, &s);
  if (me < C_COLS)
    c_tell(C_SUM(part), &s);
#endif
  return parts;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs in a loop: how groups hand on states. Stands behind r_row.
 *
 * Each element of a state is a word. Its upper half is a tag: t + 1 for the
 * value that iteration t reads, 0 for none. A device stores a word at once, so
 * no fences are needed. Each element has two words, for even and odd
 * iterations: `words` are [states][2][rows]. A row tells its states when it has
 * read all that it reads. Some argument reads a whole state in each row. So
 * when one row of iteration t has read, all rows have ended iteration t - 1,
 * and it may overwrite what they read. A tag never becomes less: a group that
 * was held up before it tells may tell what others have computed in its place
 * and gone on from. Were their words lost, nobody could compute them again.
 *
 * OpenCL does not promise that a group goes on while others wait. So a group
 * in iteration t waits for a limited time: then words are missing. It computes
 * all rows of iteration t - 1, whose words are all there, and tries again. A
 * group that starts late finds words that are newer than those it looks for:
 * others have computed its row, so it leaves it.
 *
 * On a CPU a group first copies all states of its iteration, and helps with the
 * rows of other groups alone. */
#if R_TEAM == 1
#define R_PATIENCE 200
#define R_COPY global
#else
#define R_PATIENCE 10000 /* looks in vain */
#define R_COPY           /* where a group stores what it has heard */
#endif
enum { R_LATE = 1, R_MISSING = 2 };
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#elif defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

/* Load n elements of a state, `apart` words from each other. */
static void r_hear(r_row *r_r, const uint state, const long at,
                   const long apart, const uint n, R_COPY uint *out) {
  volatile global const ulong *w =
      r_r->words + (state * 2 + (r_r->t & 1)) * (size_t)r_r->rows + at;
  const uint want = r_r->t + 1;
  uint least, most, looks = 0;

  do {
    least = UINT_MAX;
    most = 0;
    for (uint i = 0; i < n; ++i) {
      const ulong word = w[i * apart];
      out[i] = (uint)word;
      least = min(least, (uint)(word >> 32));
      most = max(most, (uint)(word >> 32));
    }
  } while (least < want && most <= want && ++looks < R_PATIENCE);
  if (most > want)
    r_r->bad = max(r_r->bad, (uint)R_LATE);
  else if (least < want)
    r_r->bad = R_MISSING;
}

#if R_TEAM == 1
/* Load all elements of all states into the group's copies. */
static void r_hear_all(r_row *r_r) {
  const R_IDX n = r_r->rows;

  for (uint state = 0; state < R_STATES && r_r->bad == 0; ++state) {
    for (R_IDX i = 0; i < n && r_r->bad == 0; i += R_BLOCK)
      r_hear(r_r, state, i, 1, min((uint)(n - i), (uint)R_BLOCK),
             r_r->copies + (size_t)state * n + i);
  }
}
#endif

/* Store row o's element of a state for the next iteration. */
static void r_tell(r_row *r_r, const uint state, const R_IDX o,
                   const uint bits) {
  volatile global ulong *w =
      r_r->words + (state * 2 + (~r_r->t & 1)) * (size_t)r_r->rows + o;
  const ulong word = (ulong)(r_r->t + 2) << 32 | bits;

#ifdef cl_khr_int64_extended_atomics
  atom_max(w, word);
#else
  ulong old = *w, seen;

  for (; old < word && (seen = atom_cmpxchg(w, old, word)) != old; old = seen)
    ;
#endif
}

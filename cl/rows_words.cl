/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs in a loop: how groups hand on states. Stands behind r_row.
 *
 * Each element of a state is a word whose upper half says after how many
 * iterations, plus one, it has this value. A device stores a word at once, so
 * no fences are needed. There are two of them, used in turns: `words` are
 * [states][2][rows]. Some argument reads a whole state in each row. So a group
 * that computes iteration t knows that all groups have ended iteration t - 1,
 * and it may overwrite what that one read.
 *
 * OpenCL does not promise that a group goes on while others wait. So a group
 * waits for a limited time: then the word is missing. The rows of iteration t
 * that a group lacks can be computed from the words of iteration t - 1, which
 * are all there. A group that starts late finds words that are newer than those
 * it looks for, and leaves its row as it is: others have computed it. */
#define R_PATIENCE 10000 /* looks in vain */
enum { R_LATE = 1, R_MISSING = 2 };

/* Load n elements of a state, `apart` words from each other. */
static void r_hear(r_row *r_r, const uint state, const long at,
                   const long apart, const uint n, uint *out) {
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

/* Store an element of a state for the next iteration. */
static void r_tell(r_row *r_r, const uint state, const uint at,
                   const uint bits) {
  r_r->words[(state * 2 + (~r_r->t & 1)) * (size_t)r_r->rows + at] =
      (ulong)(r_r->t + 2) << 32 | bits;
}

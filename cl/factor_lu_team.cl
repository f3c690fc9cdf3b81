/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of LU factors on GPUs whose groups can wait for each other: a team of
 * groups for each matrix of a batch. Each work-item has a row in registers.
 * Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2
 *   #define C 32             most columns of a panel, a multiple of 4
 *   #define TEAM 16          most groups of a team
 *   #define UNITS 1          units of 32 bits of a value
 *   #define PTX 1            as in factor_group.cl
 *
 * For each column, each group tells the others the row that it would choose, and
 * all of them choose among these. Rows change their positions, and stay where
 * they are until the panel is stored.
 *
 * A row that is told is a list of words of 64 bits: a value, the row's position
 * above it, and on top a tag, which changes from one column to the next but one.
 * A device stores such a word at once, so no fences are needed. A group has two
 * lists, for even and odd columns: when it tells column k + 2, it has heard all
 * rows of column k + 1, so all groups have heard those of column k.
 *
 * OpenCL does not promise that a group goes on while others wait. So a group
 * waits for a limited time, and then abandons the panel. Nothing is stored
 * before all groups have agreed that none did; else the last group to leave
 * factors the panel in memory, and so it does with all later ones.
 *
 * `words` are [batch][2 * TEAM * UNITS * C + panels], and 0 before the first
 * panel. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_panel.cl"
#include "factor_pivot.cl"
#include "factor_lu_memory.cl"

#define W4 GA_JOIN(W, 4)
#define WORDS (C * UNITS)  /* of a list */
#define TAG_AT 56          /* bits of a word: the tag, */
#define POSITION_AT 32     /* and the position below it */
#define NOWHERE 0xffffff   /* the position of what is no row */
#define LAST_TAG 255
#define MOST_TEAM 256      /* groups; positions times it are integers */
#define PATIENCE 100000    /* looks in vain */
#define ABANDONED 0x10000u /* more than there are groups */
/* Words that a work-item looks at together. */
#define EACH_WORDS (TEAM * WORDS > G ? TEAM * WORDS / G : 1)
#define AT_ONCE (EACH_WORDS < 8 ? EACH_WORDS : 8)

enum { NOTHING, STORE, MAKE }; /* what a group does in the end */

/* What a group shares. */
typedef struct team {
  W found[G]; /* as in factor_pivot.cl */
  int rows[G];
  uint heard[TEAM * WORDS] __attribute__((aligned(32))); /* values of lists, */
  int positions[TEAM];                                   /* and positions */
  int pivots[C];
  int is_late; /* some work-item has waited in vain */
  int task;    /* in the end */
} team;

/* A value by its units. */
typedef union value {
  W v;
  uint unit[UNITS];
} value;

/* The work-item's row. */
typedef struct row {
  W x[C];
  int position;
} row;

/* Tell the row in registers. */
GA_INLINE void team_tell(volatile global ulong *to, const uint tag,
                         const int position, const row *r) {
  const ulong upper =
      (ulong)tag << TAG_AT | (ulong)(uint)position << POSITION_AT;

#pragma unroll
  for (int j = 0; j < C; j += 2 / UNITS) {
    union {
      W v[2 / UNITS];
      uint unit[2];
    } u;

    u.v[0] = r->x[j];
    if (UNITS == 1)
      u.v[1 % (2 / UNITS)] = r->x[j + 1];
    *(volatile global ulong2 *)(to + j * UNITS) =
        (ulong2)(upper | u.unit[0], upper | u.unit[1]);
  }
}

/* Hear the lists of all groups, or find that some did not come. */
GA_INLINE void team_hear(volatile global const ulong *from, const uint tag,
                        const int groups, local team *s) {
  volatile local int *is_late = &s->is_late;
  const int n = groups * WORDS;

  for (int first = (int)get_local_id(0); first < n; first += AT_ONCE * G) {
    ulong word[AT_ONCE];
    uint looks = 0;
    int missing;

    do {
      missing = 0;
#pragma unroll
      for (int q = 0; q < AT_ONCE; ++q) {
        word[q] = (ulong)tag << TAG_AT;
        if (first + q * G < n)
          word[q] = from[first + q * G];
      }
#pragma unroll
      for (int q = 0; q < AT_ONCE; ++q)
        missing |= (uint)(word[q] >> TAG_AT) != tag;
    } while (missing && !*is_late && ++looks <= PATIENCE);
    if (missing)
      *is_late = 1;
#pragma unroll
    for (int q = 0; q < AT_ONCE; ++q) {
      const int i = first + q * G;

      if (i < n)
        s->heard[i] = (uint)word[q];
      if (i < n && i % WORDS == 0)
        s->positions[i / WORDS] = (int)(word[q] >> POSITION_AT) & NOWHERE;
    }
  }
}

GA_INLINE W team_value(local const uint *from) {
  value x;

  for (int i = 0; i < UNITS; ++i)
    x.unit[i] = from[i];
  return x.v;
}

/* The pivot among the rows that were heard: its position, and in the lower
 * bits the list that it is in. Each 32 work-items look for themselves. */
GA_INLINE int team_choose(local const team *s, const int groups) {
#if SHUFFLES
  const int first = (int)get_local_id(0) % 32, apart = 32;
#else
  const int first = 0, apart = 1;
#endif
  W most = -1;
  int where = INT_MAX;

  for (int g = first; g < groups; g += apart) {
    const int at = s->positions[g];
    const W v = fabs(team_value(s->heard + g * WORDS));
    const W size = is_larger(v, -1) ? v : -1;
    const int place = at == NOWHERE ? INT_MAX : at * MOST_TEAM + g;

    if (is_before(size, place, most, where)) {
      most = size;
      where = place;
    }
  }
#if SHUFFLES
  warp_choose(&most, &where, 32);
#endif
  return where;
}

/* Whether all groups have come here, and none abandons the panel. */
GA_INLINE int team_agrees(volatile global uint *state, const uint groups) {
  uint looks = 0;

  atomic_inc(state);
  for (;;) {
    const uint now = *state;

    if (now == groups)
      return 1;
    if (now >= ABANDONED ||
        (++looks > PATIENCE &&
         atomic_cmpxchg(state, now, now | ABANDONED) == now))
      return 0;
  }
}

/* Tell the row that this group would choose for column k of the panel, and hear
 * those of all groups. Afterwards, s->is_late says whether some did not come. */
GA_INLINE void team_exchange(const row *r, const int k, const uint column,
                             volatile global ulong *words, const int groups,
                             local team *s) {
  const int me = (int)get_local_id(0);
  const uint tag = 1 + column / 2 % LAST_TAG;
  volatile global ulong *lists = words + column % 2 * (TEAM * WORDS);
  const W v = fabs(r->x[0]);
  const int is_rest = r->position >= k && r->position != NOWHERE;
  const int is_valid = is_rest && is_larger(v, -1);

  /* Where no row is valid, the one at position k is the pivot. */
  const int own =
      group_choose(s->found, s->rows, is_valid ? v : -1,
                   is_valid || r->position == k ? r->position : NOWHERE);
  if (own != NOWHERE ? r->position == own : me == 0)
    team_tell(lists + get_group_id(0) * WORDS, tag, own, r);
#if !PTX
  WAIT; /* a device may run work-items one after the other */
#endif
  team_hear(lists, tag, groups, s);
  WAIT;
}

/* Eliminate with the pivot of column k of the panel, of which `left` columns are
 * left. The columns in registers turn: what was the second one is the first one
 * then, and the finished one the last. Returns 0 if the pivot is 0. */
GA_INLINE int team_eliminate(row *r, const int k, const int left,
                             const int groups, local team *s) {
  const int place = team_choose(s, groups);
  const int p = place / MOST_TEAM;
  local const uint *pivot = s->heard + place % MOST_TEAM * WORDS;
  const W d = team_value(pivot), over = 1 / d;
  const int is_plain = isnormal(over) != 0, is_zero = d == 0;

  if (get_local_id(0) == 0)
    s->pivots[k] = p;
  if (r->position == k)
    r->position = p;
  else if (r->position == p)
    r->position = k;
  const int below = r->position > k && !is_zero;
  const W f = below ? quotient(r->x[0], d, over, is_plain) : r->x[0];
#pragma unroll
  for (int j = 0; j < C; j += 4) {
    const W4 u = *(local const W4 *)(pivot + j * UNITS);
    const W upper[4] = {u.s0, u.s1, u.s2, u.s3};

#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (j + i > 0) {
        const W x = r->x[j + i];

        r->x[j + i - 1] = below && j + i < left ? fma(-f, upper[i], x) : x;
      }
    }
  }
  r->x[C - 1] = f;
  return !is_zero;
}

/* Leave a panel that some group has abandoned, or may have. Returns whether the
 * results are to be stored, or made. */
GA_INLINE int team_leave(volatile global uint *state, const int is_late,
                         const int groups) {
  if (is_late)
    atomic_or(state, ABANDONED);
  if (!is_late && team_agrees(state, (uint)groups))
    return STORE;
  return atomic_inc(state + 1) == (uint)groups - 1 ? MAKE : NOTHING;
}

/* Factor a panel of m x n in place, m >= n, with row exchanges, of which the
 * first has index `before` in `pivots`, [batch][each]. Pivots and `info` count
 * from the top of the matrix. Global size: G for each G rows, batch. */
kernel GROUP void factor_lu(MATRIX(a), const ulong m_, const ulong n_,
                            const ulong before, global int *pivots,
                            const ulong each, global int *info,
                            volatile global ulong *words,
                            const ulong n_words) {
  const ulong z = get_group_id(1);
  const int m = (int)m_, n = (int)n_, groups = (int)get_num_groups(0);
  const int me = (int)get_local_id(0), i = (int)get_global_id(0);
  global T *a = MATRIX_AT(a, z);
  volatile global ulong *own = words + z * n_words;
  volatile global uint *state =
      (volatile global uint *)(own + 2 * TEAM * WORDS + before / C);
  local team s;
  int bad = 0;
  row r;

  r.position = i < m ? i : NOWHERE;
  EACH_COLUMN(j)
  r.x[j] = i < m && j < n ? LD(a + (long)i * a_rs + j * a_cs) : 0;
  if (me == 0)
    s.is_late = before > 0 && state[-2] >= ABANDONED;
  WAIT;
  for (int k = 0; k < n && !s.is_late; ++k) {
    team_exchange(&r, k, (uint)before + k, own, groups, &s);
    if (!s.is_late && !team_eliminate(&r, k, n - k, groups, &s) && bad == 0)
      bad = k + 1;
  }
  if (me == 0)
    s.task = team_leave(state, s.is_late, groups);
  WAIT;
  if (s.task == MAKE) {
    bad = lu_in_memory(a, a_rs, a_cs, m, n, (int)before,
                       pivots + z * each + before, s.found, s.rows);
  } else if (s.task == STORE) {
    /* The finished columns are the last n ones in registers. */
    EACH_COLUMN(j) {
      const int c = j - (C - n);

      if (c >= 0 && i < m)
        ST(r.x[j], a + (long)r.position * a_rs + c * a_cs);
    }
    for (int k = me; k < n && get_group_id(0) == 0; k += G)
      pivots[z * each + before + k] = s.pivots[k] + (int)before;
  }
  if (me == 0 && (s.task == MAKE || (s.task == STORE && get_group_id(0) == 0)))
    report_bad(info + z, bad, before);
}

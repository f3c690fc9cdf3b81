/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers by MRG31k3p (L'Ecuyer and Touzin: Fast combined multiple
 * recursive generators with multipliers of the form a = 2^q +- 2^r, WSC 2000).
 * Element i comes from substream i % streams. A work-item has W_LANES
 * neighbouring substreams. Macros in front:
 *
 *   #define W_LANES 16       nothing for one lane
 *   #define LANES 16
 *   #define STORED float     type of the elements in memory
 *   #define WORK float       type to work in
 *   #define PUT(v) (v)       WORK to STORED; ga_to_half(v)
 *   #define UNIFORM(z) ...   a number z of 1 to 2^31 - 1 to WORK, in lanes
 *   #define NEXT_BITS next_32   or next_64, for bits
 *   #define WHAT DRAW_UNIFORM   or one of the others
 *
 * There are rounds of `streams` elements; lanes that have none in the last round
 * stay as they are. */
#define DRAW_UNIFORM 0
#define DRAW_NORMAL 1 /* two rounds at a time */
#define DRAW_BITS 2

#define M1 2147483647u /* 2^31 - 1 */
#define M2 2147462579u /* 2^31 - 21069 */

#define w_work GA_JOIN(WORK, W_LANES)
#define ROUNDS (WHAT == DRAW_NORMAL ? 2 : 1)
#if WHAT == DRAW_BITS
#define SCALED(v) (v)
#else
#define SCALED(v) ((w_work)(shift) + (w_work)(scale) * (v))
#endif

/* v mod m for v < 2 m: the difference wraps around where it is negative. */
static inline w_uint mod_once(const w_uint v, const uint m) {
  return min(v, v - m);
}

typedef struct substream {
  w_uint x1, x2, x3; /* mod M1, latest first */
  w_uint y1, y2, y3; /* mod M2 */
} substream;

/* The next number, from 1 to M1. Products by powers of 2 mod 2^31 - 1 are
 * rotations of 31 bits. */
static inline w_uint next(substream *s) {
  w_uint a = ((s->x2 & 511u) << 22) + (s->x2 >> 9) +
             ((s->x3 & 16777215u) << 7) + (s->x3 >> 24);
  const w_uint b =
      mod_once(((s->y1 & 65535u) << 15) + (s->y1 >> 16) * 21069u, M2);
  w_uint c = mod_once(((s->y3 & 65535u) << 15) + (s->y3 >> 16) * 21069u, M2);

  a = mod_once(mod_once(a, M1) + s->x3, M1);
  c = mod_once(mod_once(c + s->y3, M2) + b, M2);
  s->x3 = s->x2;
  s->x2 = s->x1;
  s->x1 = a;
  s->y3 = s->y2;
  s->y2 = s->y1;
  s->y1 = c;
  a -= c + 1u;
  return min(a, a + M1) + 1u;
}

/* The top 16 of 31 bits. */
static inline w_uint next_16(substream *s) {
  return next(s) >> 15;
}

static inline w_uint next_32(substream *s) {
  const w_uint high = next_16(s);

  return high << 16 | next_16(s);
}

static inline w_ulong next_64(substream *s) {
  const w_ulong high = w_to_ulong(next_32(s));

  return high << 32 | w_to_ulong(next_32(s));
}

/* v[0], and v[1] for normal numbers. */
static inline void draw(substream *s, w_work *v) {
#if WHAT == DRAW_UNIFORM
  v[0] = UNIFORM(next(s));
#elif WHAT == DRAW_NORMAL
  const w_work u = UNIFORM(next(s));
  const w_work r = sqrt((w_work)(-2) * log(u));
  const w_work t = UNIFORM(next(s)) * (w_work)(2);

  v[0] = r * cospi(t);
  v[1] = r * sinpi(t);
#else
  v[0] = NEXT_BITS(s);
#endif
}

/* Lane l of a row of six numbers; lanes past the last substream repeat it. */
#define READ_LANE(l, c) state[min(first + l, streams - 1) * 6 + number]
static inline w_uint read_lanes(global const uint *state, const ulong first,
                                const ulong streams, const uint number) {
  return (w_uint)(W_LIST(READ_LANE));
}

#define WRITE_LANE(l, c)                                                       \
  if (first + l < streams)                                                     \
  state[(first + l) * 6 + number] = v c
static inline void write_lanes(global uint *state, const ulong first,
                               const ulong streams, const uint number,
                               const w_uint v) {
  W_EACH(WRITE_LANE)
}

#define STORE_LANE(l, c)                                                       \
  if (l < count)                                                               \
  out[l] = PUT(v c)
static inline void store_lanes(global STORED *out, const uint count,
                               const w_work v) {
  W_EACH(STORE_LANE)
}

/* What the lanes from `count` on were before a draw that they had no part in.
 */
#define LANE_NUMBER(l, c) l
#define KEEP(x) s->x = bitselect(was->x, s->x, has)
static inline void keep_lanes(substream *s, const substream *was,
                              const uint count) {
  const w_uint has = 0u - (((w_uint)(W_LIST(LANE_NUMBER)) - count) >> 31);

  KEEP(x1), KEEP(x2), KEEP(x3), KEEP(y1), KEEP(y2), KEEP(y3);
}

/* Element i and the lanes behind it, as far as there are any. */
static inline uint count_lanes(const ulong i, const ulong n,
                               const ulong streams_left) {
  return i < n ? (uint)min(min(n - i, streams_left), (ulong)LANES) : 0;
}

/* Global size: streams / LANES, or more. */
kernel void mrg31k3p(global char *out_buf, const ulong out_off,
                     global const char *from_buf, const ulong from_off,
                     global char *to_buf, const ulong to_off, const ulong n,
                     const ulong streams, const WORK shift, const WORK scale) {
  global STORED *out = (global STORED *)(out_buf + out_off);
  global const uint *from = (global const uint *)(from_buf + from_off);
  global uint *to = (global uint *)(to_buf + to_off);
  const ulong first = (ulong)get_global_id(0) * LANES;
  substream s;

  if (first >= streams)
    return;
  s.x1 = read_lanes(from, first, streams, 0);
  s.x2 = read_lanes(from, first, streams, 1);
  s.x3 = read_lanes(from, first, streams, 2);
  s.y1 = read_lanes(from, first, streams, 3);
  s.y2 = read_lanes(from, first, streams, 4);
  s.y3 = read_lanes(from, first, streams, 5);
  for (ulong i = first; i < n; i += ROUNDS * streams) {
    const uint count = count_lanes(i, n, streams - first);
    const substream was = s;
    w_work v[2];

    draw(&s, v);
    store_lanes(out + i, count, SCALED(v[0]));
    if (WHAT == DRAW_NORMAL)
      store_lanes(out + i + streams,
                  count_lanes(i + streams, n, streams - first), SCALED(v[1]));
    if (count < LANES)
      keep_lanes(&s, &was, count);
  }
  write_lanes(to, first, streams, 0, s.x1);
  write_lanes(to, first, streams, 1, s.x2);
  write_lanes(to, first, streams, 2, s.x3);
  write_lanes(to, first, streams, 3, s.y1);
  write_lanes(to, first, streams, 4, s.y2);
  write_lanes(to, first, streams, 5, s.y3);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of Fourier transforms on GPUs: a group does `width` transforms at once
 * in local memory, one in each lane. Macros, here for floats:
 *
 *   #define W float           work type
 *   #define G 128             work-items of a group
 *   #define F_ODD 1           radices may be odd
 */
#define V W
/* a / b and a % b. Without odd radices every b is a power of two. */
#if F_ODD
#define DIV(a, b) ((a) / (b))
#define MOD(a, b) ((a) % (b))
#else
#define DIV(a, b) ((a) >> (31 - clz(b)))
#define MOD(a, b) ((a) & ((b) - 1))
#endif
#define PASS_KIND GA_INLINE
#define PASS_PARAMS local W *w, const uint rows, const uint width
#define IMAG ((rows * width + 31) & ~31u) /* from real to imaginary parts */
#define PART(k, m) ((k) * (m) * width)
#define BUTTERFLIES(R, m)                                                      \
  for (uint b = (uint)get_local_id(0), n_ = rows / R * width; b < n_; b += G)
#define BUTTERFLY(R, m)                                                        \
  const uint c = DIV(b, width), j = MOD(c, m);                                 \
  const uint at = ((c - j) * R + j) * width + MOD(b, width);
#define GET(p) w[place_of(p)]
#define PUT(v, p) (w[place_of(p)] = (v))
#define GET_I(p) w[place_of(p) + IMAG]
#define PUT_I(v, p) (w[place_of(p) + IMAG] = (v))
#define PASS_END barrier(CLK_LOCAL_MEM_FENCE);

/* Where number p of the work array lies, within its block of 32 numbers. Local
 * memory often has 32 banks. Numbers that work-items read or write at the same
 * time, in a pass or in the order of the results, are mostly in different ones:
 * each block has an order of its own. */
GA_INLINE uint place_of(const uint p) {
  const uint s = p >> 5;

  return p ^ ((s ^ s << 2 ^ s >> 5) & 31);
}
#include "fft_radix.cl"
#include "fft_side.cl"

/* The lane and the row of element e: neighbours in memory are neighbours. */
#define ELEMENT(e, how)                                                        \
  const uint lane = (how) & F_ACROSS ? DIV(e, rows) : MOD(e, width);           \
  const uint row = (how) & F_ACROSS ? MOD(e, rows) : DIV(e, width);

/* Global size: groups for units. */
kernel void fft_gpu(FFT_PARAMS, const uint width, local W *w) {
  const uint rows = (uint)rows_, n = rows * width;
  global const uint *places = plan + 1 + 3 * plan[0];

  FFT_UNIT(get_group_id(0), width)
  for (uint e = (uint)get_local_id(0); e < n; e += G) {
    ELEMENT(e, x_how)
    W r = 0, i = 0;

    if (lane < lanes_here)
      load_one(x, lane, row, &r, &i);
    PUT(r, row * width + lane);
    PUT_I(i, row * width + lane);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  PASSES(plan, roots, w, rows, width)
  for (uint e = (uint)get_local_id(0); e < n; e += G) {
    ELEMENT(e, y_how)
    const uint from = places[row] * width + lane;
    W r = GET(from) * scale, i = GET_I(from) * scale;

    if (t.is_used) {
      W fr, fi;

      root_of(t, (t.p + (lanes_by == 1 ? lane : 0)) * row, &fr, &fi);
      MULTIPLY(r, i, fr, fi)
    }
    if (lane < lanes_here)
      store_one(y, lane, row, r, i);
  }
}

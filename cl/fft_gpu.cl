/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of Fourier transforms on GPUs: a group does `width` transforms at once
 * in local memory, one in each lane. Macros, here for floats:
 *
 *   #define W float           work type
 *   #define G 128             work-items of a group
 *   #define F_ODD 1           radices may be odd
 */
#define V W
#define WORK local W *
#define PASS_KIND GA_INLINE
#define PASS_PARAMS WORK w, const uint rows, const uint width
#define IMAG (rows * width)
#define PART(k, m) ((k) * (m) * width)
#define BUTTERFLIES(R, m)                                                      \
  for (uint b = (uint)get_local_id(0), n_ = rows / R * width; b < n_; b += G)
#define BUTTERFLY(R, m)                                                        \
  const uint c = b / width, j = c % (m);                                       \
  WORK at = w + (c / (m) * (m) * R + j) * width + b % width;
#define GET(p) (*(p))
#define PUT(v, p) (*(p) = (v))
#define PASS_END barrier(CLK_LOCAL_MEM_FENCE);
#include "fft_radix.cl"
#include "fft_side.cl"

/* The lane and the row of element e: neighbours in memory are neighbours. */
#define ELEMENT(e, how)                                                        \
  const uint lane = (how) & F_ACROSS ? (e) / rows : (e) % width;               \
  const uint row = (how) & F_ACROSS ? (e) % rows : (e) / width;

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
    w[row * width + lane] = r;
    w[row * width + lane + n] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  PASSES(plan, roots, w, rows, width)
  for (uint e = (uint)get_local_id(0); e < n; e += G) {
    ELEMENT(e, y_how)
    const uint from = places[row] * width + lane;
    W r = w[from] * scale, i = w[from + n] * scale;

    if (t.is_used) {
      W fr, fi;

      root_of(t, (t.p + (lanes_by == 1 ? lane : 0)) * row, &fr, &fi);
      MULTIPLY(r, i, fr, fi)
    }
    if (lane < lanes_here)
      store_one(y, lane, row, r, i);
  }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of Winograd's algorithm for CPUs share, besides the
 * transforms: blocks of filters. Lanes of a vector are channels. A block has the numbers of MR rows and KC
 * channels, [36, MR, KC]. */
#define ROWS_BLOCK (36 * MR * KC)

/* Filters: element (i, j) of row r and channel c lies
 * r * row + c * across + i * down + j * along elements from `at`. */
typedef struct winograd_filters {
  global const T *at;
  long row, across, down, along;
} winograd_filters;

/* An element of LANES channels, of which there are n. */
static TV winograd_channels(global const T *a, long s, int n) {
  W each[LANES];

  if (n >= LANES) /* faster than a gather, which a loop would become */
    return (TV)((float8)(LD(a), LD(a + s), LD(a + 2 * s), LD(a + 3 * s),
                         LD(a + 4 * s), LD(a + 5 * s), LD(a + 6 * s),
                         LD(a + 7 * s)),
                (float8)(LD(a + 8 * s), LD(a + 9 * s), LD(a + 10 * s),
                         LD(a + 11 * s), LD(a + 12 * s), LD(a + 13 * s),
                         LD(a + 14 * s), LD(a + 15 * s)));
  PLAIN_LOOP
  for (int l = 0; l < LANES; ++l)
    each[l] = l < n ? LD(a + l * s) : 0;
  return vload16(0, each);
}

/* Transform the filters of a block: of `rows` rows, the last of which is
 * repeated, and kc channels. Numbers of more channels are not used. */
ONCE static void winograd_rows(global W *to, const winograd_filters *f,
                               long first_row, int rows, long first_channel,
                               int kc) {
  for (int i = 0; i < MR; ++i) {
    const long row = first_row + min(i, rows - 1);
    global const T *a = f->at + row * f->row;

    PLAIN_LOOP
    for (int c = 0; c < kc; ++c) /* of the next row */
      FETCH(a + f->row + (first_channel + c) * f->across);
    for (int c = 0; c < kc; c += LANES) {
      TV line[3][6];

      for (int d = 0; d < 3; ++d) {
        global const T *b = a + (first_channel + c) * f->across + d * f->down;
        TV v[3];

        for (int e = 0; e < 3; ++e)
          v[e] = winograd_channels(b + e * f->along, f->across, kc - c);
        winograd_filter(line[d], v[0], v[1], v[2]);
      }
#pragma unroll
      for (int j = 0; j < 6; ++j) {
        TV v[6];

        winograd_filter(v, line[0][j], line[1][j], line[2][j]);
#pragma unroll
        for (int d = 0; d < 6; ++d)
          vstore16(v[d], 0, to + ((d * 6 + j) * MR + i) * KC + c);
      }
    }
  }
}

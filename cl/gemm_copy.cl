/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of B as panels in private memory, for the products on CPUs. Included
 * behind gemm_copy_b(to, b, rs, cs, kc, nr, wide), which copies kc rows of nr
 * elements to rows of NR: by vectors the first `wide` of them, which may be
 * read to their end. NR, KC, T, W and ACROSS as there. */
/* B is read up to NR - 1 elements past its last column as long as that stays
 * inside the matrix: this many of its rows allow it. */
static long gemm_wide_rows(long k, long rs, int nr) {
  const long room = (k - 1) * rs + nr - NR;

  if (nr == NR)
    return k;
  return room < 0 ? 0 : min(k, room / rs + 1);
}

/* Copy columns [left, right) of a block of kc rows to panels: a few rows at a
 * time, so that each is read in one run, while the next ones are on their way.
 * More would meet in one place of a cache if rows are 2^n apart. */
static void gemm_copy_block(W *to, global const T *b, long rs, long cs, int kc,
                            long left, long right, long n, long k0, long k) {
  for (int p = 0; p < kc; p += ACROSS) {
    const int rows = min(ACROSS, kc - p);

    for (long j = left; j < right; j += NR) {
      const int nr = (int)min((long)NR, n - j);
      const long wide = gemm_wide_rows(k, rs, nr) - k0 - p;

      gemm_copy_b(to + (j - left) * KC + p * NR, b + p * rs + j * cs, rs, cs,
                  rows, nr, (int)clamp(wide, 0L, (long)rows));
    }
  }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy matrices of a batch, or one triangle of them: then the other one becomes
 * 0. Source and result may be the same memory. Macros, here for floats:
 *
 *   #define F_WORD uint      the bits of a number; uint2 of a complex one
 *   #define F_LOAD(p)        a word, with the imaginary part's sign changed if
 *                            the copy is the conjugate
 *   #define F_STORE(v, p)
 *   #define F_PART 0         0: all, 1: the lower triangle, 2: the upper one,
 *                            3: nothing, but ones on the diagonal, 4: below
 *                            the diagonal, on which are ones, 5: nothing,
 *                            6: the lower triangle, and its mirror image
 *                            above it, 7: that image conjugated, with a real
 *                            diagonal
 *   #define F_REAL(v)        a word without its imaginary part
 *   #define F_CONJ(v)        a word with the sign of that changed
 *   #define F_ONE (F_WORD)(0x3f800000u)  the bits of 1.0
 *   #define F_UNIT 1         elements of rows lie side by side in both
 *   #define F_SIZES          ulong f_n0, ...: sizes of the batch
 *   #define F_OPERAND(x)     global char *x##_p, ulong x##_o, long x##_k0, ...,
 *                            long x##_r, long x##_c
 *   #define F_BASE(x, z)     moves x##_p to matrix z
 *
 * A work-item copies `run` elements of each of `rows` rows. Global size: runs,
 * blocks of rows, batch. */
#if F_UNIT
#define F_STEP(x) ((long)sizeof(F_WORD))
#else
#define F_STEP(x) x##_c
#endif
#define F_AT(x, i, j) (x##_p + (long)(i) * x##_r + (long)(j) * F_STEP(x))
#define F_ZERO (F_WORD)(0)

kernel void factor_copy(F_OPERAND(src), F_OPERAND(dst), F_SIZES, const ulong m,
                        const ulong n, const ulong rows, const ulong run) {
  const ulong z = get_global_id(2), first = get_global_id(1) * rows;
  const ulong left = get_global_id(0) * run;
  const ulong last = first + min(rows, m - min(m, first));
  const ulong right = left + min(run, n - min(n, left));

  F_BASE(src, z)
  F_BASE(dst, z)
  for (ulong i = first; i < last; ++i) {
#if F_PART == 3
    for (ulong j = left; j < right; ++j)
      F_STORE(i == j ? F_ONE : F_ZERO, F_AT(dst, i, j));
    continue;
#endif
#if F_PART == 6 || F_PART == 7
    for (ulong j = left; j < right; ++j) {
      /* in place: others read this element meanwhile */
      if (j < i && F_AT(src, i, j) == F_AT(dst, i, j))
        continue;
      const F_WORD v = F_LOAD(j <= i ? F_AT(src, i, j) : F_AT(src, j, i));
#if F_PART == 7
      F_STORE(j < i ? v : j == i ? F_REAL(v) : F_CONJ(v), F_AT(dst, i, j));
#else
      F_STORE(v, F_AT(dst, i, j));
#endif
    }
    continue;
#endif
#if F_PART == 1
    const ulong from = left, to = clamp(i + 1, left, right);
#elif F_PART == 4
    const ulong from = left, to = clamp(i, left, right);
#elif F_PART == 5
    const ulong from = right, to = right;
#elif F_PART == 2
    const ulong from = clamp(i, left, right), to = right;
#else
    const ulong from = left, to = right;
#endif

#if F_PART == 4
    if (i >= left && i < right)
      F_STORE(F_ONE, F_AT(dst, i, i));
#endif
    for (ulong j = left; j < from; ++j)
      F_STORE(F_ZERO, F_AT(dst, i, j));
    for (ulong j = from; j < to; ++j)
      F_STORE(F_LOAD(F_AT(src, i, j)), F_AT(dst, i, j));
    for (ulong j = to + (F_PART == 4 && i >= left); j < right; ++j)
      F_STORE(F_ZERO, F_AT(dst, i, j));
  }
}

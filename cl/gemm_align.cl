/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy matrices into lines that start at multiples of 16 bytes, for
 * hgemm_mma.cl and dgemm_mma.cl: n_lines lines of n elements, ld apart, for
 * each matrix z. Each work-item moves one element, as the bits that it is.
 * Macro put in front:
 *
 *   #define BITS ushort      integer type as wide as an element
 *
 * Strides are in elements, offsets in bytes. Work-groups have one dimension. */
kernel void gemm_align(global const char *from, ulong off, long line_step,
                       long step, long batch_step, ulong n_lines, ulong n,
                       ulong ld, global BITS *to) {
  const ulong per_line = (n + get_local_size(0) - 1) / get_local_size(0);
  const ulong i = get_group_id(0) / per_line, z = get_global_id(1);
  const ulong j =
      get_group_id(0) % per_line * get_local_size(0) + get_local_id(0);
  global const BITS *at = (global const BITS *)(from + off);

  if (j < n)
    to[(z * n_lines + i) * ld + j] =
        at[(long)z * batch_step + (long)i * line_step + (long)j * step];
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for bad indices: *error becomes 1 if there is one. Macros are those of
 * put_index.cl, with lines of indices only. Global size: n_lines x segs, each
 * with `part` indices of a line, or more. */
kernel void put_check(global const char *gi, const ulong oi, global int *error,
                      const ulong rows P_SIZES, const ulong n_lines,
                      const ulong len_, const ulong segs_, const ulong part_) {
  const P_IDX id = (P_IDX)get_global_id(0);
  const P_IDX len = (P_IDX)len_, segs = (P_IDX)segs_;
  const P_IDX line = id / segs, from = id % segs * (P_IDX)part_;
  const P_IDX to = min(len, from + (P_IDX)part_);
  int bad = 0;

  if (line < (P_IDX)n_lines) {
    P_BASES(line)
    for (P_IDX j = from; j < to; ++j)
      bad |= P_ROW(pi + P_I(j)) < 0;
  }
  if (bad)
    *error = 1;
}

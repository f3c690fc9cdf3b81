/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the first mistake in the structure of a sparse matrix, or in indices.
 * Each part writes five numbers: the kind of its first mistake (as in
 * src/sparse/sparse.h; 0: none), the row, the entry, and two values. Macro:
 *
 *   #define S_INDEX int    type of starts, columns, indices */
enum { NONE, FIRST, LAST, FALLS, RANGE, ORDER };

static void s_report(global long *to, const long kind, const long row,
                     const long entry, const long a, const long b) {
  to[0] = kind;
  to[1] = row;
  to[2] = entry;
  to[3] = a;
  to[4] = b;
}

/* Whether entries j to `end` of a row are as they have to be. */
static int s_row(global const S_INDEX *columns, const long row, long j,
                 const long end, const ulong n, global long *to) {
  long before = -1;

  for (; j < end; ++j) {
    const long at = (long)columns[j];

    if ((ulong)at >= n) {
      s_report(to, RANGE, row, j, at, (long)n);
      return 0;
    }
    if (at <= before) {
      s_report(to, ORDER, row, j, at, before);
      return 0;
    }
    before = at;
  }
  return 1;
}

/* Global size: parts, or more. */
kernel void sparse_check(global const char *starts_p, const ulong starts_o,
                         global const char *columns_p, const ulong columns_o,
                         global char *report_p, const ulong report_o,
                         const ulong rows_, const ulong entries_,
                         const ulong n_columns, const ulong chunk,
                         const ulong parts) {
  global const S_INDEX *const starts =
      (global const S_INDEX *)(starts_p + starts_o);
  global const S_INDEX *const columns =
      (global const S_INDEX *)(columns_p + columns_o);
  const ulong part = get_global_id(0);

  if (part >= parts)
    return;
  global long *const to = (global long *)(report_p + report_o) + part * 5;
  const long rows = (long)rows_, entries = (long)entries_;
  const long from = (long)min(rows_, part * chunk);
  const long stop = (long)min(rows_, (ulong)from + chunk);

  s_report(to, NONE, 0, 0, 0, 0);
  if (part == 0 && starts[0] != 0) {
    s_report(to, FIRST, 0, 0, (long)starts[0], 0);
    return;
  }
  if (part == 0 && (long)starts[rows] != entries) {
    s_report(to, LAST, rows, 0, (long)starts[rows], entries);
    return;
  }
  for (long row = from; row < stop; ++row) {
    const long j = (long)starts[row], end = (long)starts[row + 1];

    if (j > end || j < 0 || end > entries) {
      s_report(to, FALLS, row, 0, j, end);
      return;
    }
    if (!s_row(columns, row, j, end, n_columns, to))
      return;
  }
}

/* Whether indices are below n. */
kernel void sparse_range(global const char *index_p, const ulong index_o,
                         global char *report_p, const ulong report_o,
                         const ulong entries, const ulong n, const ulong chunk,
                         const ulong parts) {
  global const S_INDEX *const index =
      (global const S_INDEX *)(index_p + index_o);
  const ulong part = get_global_id(0);

  if (part >= parts)
    return;
  global long *const to = (global long *)(report_p + report_o) + part * 5;
  const ulong from = min(entries, part * chunk);
  const ulong stop = min(entries, from + chunk);

  s_report(to, NONE, 0, 0, 0, 0);
  for (ulong j = from; j < stop; ++j)
    if ((ulong)(long)index[j] >= n) {
      s_report(to, RANGE, 0, (long)j, (long)index[j], (long)n);
      return;
    }
}

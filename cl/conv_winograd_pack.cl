/* SPDX-License-Identifier: BSD-2-Clause */
/* All filters of a convolution by Winograd's algorithm, for conv_winograd_cpu.cl:
 * [groups, tiles of rows, blocks of channels] blocks. Macros as there. */
#include "numbers.cl"
#define LANES 16
#define TV float16
#include "conv_winograd.cl"
#include "conv_winograd_rows.cl"

/* One work-item for each block of channels, tile of rows and group. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv_winograd_pack(global const char *abuf, ulong aoff, long ars, long acs,
                   long abs_, long first, long across, long down, long along,
                   ulong m, ulong channels, global W *to) {
  const long c = get_global_id(0), i = get_global_id(1), z = get_global_id(2);
  const winograd_filters f = {(global const T *)(abuf + aoff) + z * abs_ + first,
                              ars, across, down, along};

  to += ((z * get_global_size(1) + i) * get_global_size(0) + c) * ROWS_BLOCK;
  winograd_rows(to, &f, i * MR, (int)min((long)MR, (long)m - i * MR), c * KC,
                (int)min((long)KC, (long)channels - c * KC));
}

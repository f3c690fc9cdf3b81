/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of indices in parts, each with sums of its own. */
#include <gpuarray/device.h>

#include "base/arith.h"
#include "layout/cut.h"
#include "layout/put_layout.h"

/* Parts of a vector of indices: how many, and the least indices of each, also
 * for each row. With them, 2^24 additions to 4096 floats run at 0.40 of the
 * rate of a copy on an H200; no others were tried. */
#define PARTS_PER_UNIT 4
#define PART_MIN 4096
#define PART_ROWS 2

void ga__put_split(ga__put_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const ptrdiff_t word = (ptrdiff_t)ga__put_word(j->a);

  if (caps->is_cpu || !caps->local_memory || caps->max_group < GA_PUT_GROUP ||
      j->move != GA_MOVE_ADD_ATOMIC || j->nd != 1 || !j->is_step[0] ||
      j->strides[GA_PUT_VALUES][0] != word || !ga__fits_int(j->dims[0]) ||
      j->rows > caps->local_bytes / (size_t)word)
    return;
  const size_t n = j->dims[0];
  const size_t parts =
      ga__at_most((size_t)caps->compute_units * PARTS_PER_UNIT,
                  n / ga__at_least(PART_MIN, PART_ROWS * j->rows));
  if (parts < 2)
    return;
  const size_t chunk = ga__ceil_div(n, parts);
  j->parts = ga__ceil_div(n, chunk);
  j->last = n - (j->parts - 1) * chunk;
  j->nd = 2;
  j->dims[0] = j->parts;
  j->dims[1] = chunk;
  j->is_step[0] = 0;
  j->is_step[1] = 1;
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++) {
    j->strides[k][1] = j->strides[k][0];
    j->strides[k][0] *= (ptrdiff_t)chunk;
  }
  j->strides[GA_PUT_ROWS][0] = (ptrdiff_t)j->rows * word;
}

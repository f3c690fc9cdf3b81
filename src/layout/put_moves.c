/* SPDX-License-Identifier: BSD-2-Clause */
/* What moves are, and the words that they move. */
#include "base/dtype.h"
#include "layout/put_layout.h"

int ga__put_has_atomic(int typecode, int int64_atomics) {
  const int type = ga__dtype_canon(typecode);

  if (type == GA_INT || type == GA_UINT || type == GA_FLOAT)
    return 1;
  return int64_atomics &&
         (type == GA_LONG || type == GA_ULONG || type == GA_DOUBLE);
}

int ga__put_is_take(ga__put_move move) {
  return move == GA_MOVE_TAKE || move == GA_MOVE_CAST;
}

size_t ga__put_word(const GpuArray *a) {
  const size_t bytes = GpuArray_ITEMSIZE(a);

  return ga__dtype_is_complex(a->typecode) ? bytes / 2 : bytes;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* IDX files, gzipped or not: data of the sizes told, or a sentence. */
#include <stdlib.h>
#include <string.h>

#include "fashion/idx.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  const unsigned int nd = n > 0 ? 1 + bytes[0] % 4 : 1;
  const char *path = fuzz_path("idx");
  char why[200] = "";
  size_t sum = 0, total = 1;
  idx a;

  fuzz_write(path, n > 0 ? bytes + 1 : bytes, n > 0 ? n - 1 : 0);
  fuzz_accepted = idx_read(&a, path, nd, why, sizeof why) == 0;
  if (!fuzz_accepted) {
    if (why[0] == '\0' || a.data != NULL)
      abort();
    return 0;
  }
  for (unsigned int i = 0; i < a.nd; i++)
    total *= a.dims[i];
  for (size_t i = 0; i < a.n; i++)
    sum += a.data[i];
  if (a.nd != nd || total != a.n || sum > 255 * a.n)
    abort();
  idx_clear(&a);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* IDX files of the training kit: elements that fill the file, or a sentence
 * that names it. */
#include <gpugraph/data.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  const char *path = fuzz_path("idx");
  gg_data *d;
  size_t total, sum = 0;

  fuzz_write(path, bytes, n);
  const int err = gg_data_idx(&d, path);
  fuzz_accepted = err == GA_NO_ERROR;
  if (!fuzz_accepted) {
    if (d != NULL || strstr(ga__err_text(err), path) == NULL)
      abort();
    return 0;
  }
  const gg_host_array *a = gg_data_array(d);
  total = ga__dtype_size(a->dtype);
  for (unsigned int i = 0; i < a->nd; i++)
    total *= a->dims[i];
  for (size_t i = 0; i < total; i++)
    sum += ((const unsigned char *)a->data)[i];
  if (total != a->bytes || total + 4 + 4 * a->nd != n || sum > 255 * total)
    abort();
  gg_data_free(d);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of numbers: rows of the same columns, or a sentence that names the
 * file. The first byte says how they are read. */
#include <gpugraph/data.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "fuzz/fuzz.h"

/* Whether the elements are numbers, or missing where that is allowed. */
static void check(const gg_data *d, const gg_csv_spec *spec) {
  const gg_host_array *a = gg_data_array(d);
  const size_t size = ga__dtype_size(a->dtype);

  if (a->nd != 2 || a->dims[0] == 0 || a->dims[1] == 0 ||
      a->bytes != a->dims[0] * a->dims[1] * size ||
      (gg_data_skipped(d) > 0 && !spec->skip_bad) ||
      (gg_data_skipped(d) > 0) != (gg_data_skipped_why(d)[0] != '\0'))
    abort();
  for (size_t i = 0; i < a->dims[0] * a->dims[1]; i++)
    if (isnan(ga__dtype_to_double(a->dtype, (char *)a->data + i * size)) &&
        !spec->missing)
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  const unsigned int how = n > 0 ? bytes[0] : 0;
  const gg_csv_spec spec = {.separator = how & 1 ? ';' : 0,
                            .header = (how & 2) != 0,
                            .dtype = how & 4 ? GA_DOUBLE : 0,
                            .missing = (how & 8) != 0,
                            .skip_bad = (how & 16) != 0};
  const char *path = fuzz_path("csv");
  gg_data *d;

  fuzz_write(path, n > 0 ? bytes + 1 : bytes, n > 0 ? n - 1 : 0);
  const int err = gg_data_csv(&d, path, &spec);
  fuzz_accepted = err == GA_NO_ERROR;
  if (fuzz_accepted)
    check(d, &spec);
  else if (d != NULL || strstr(ga__err_text(err), path) == NULL)
    abort();
  gg_data_free(d);
  return 0;
}

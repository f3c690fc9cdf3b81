/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of an .npy file: geometry whose bytes are the product of its
 * sizes, which is written and read again as the same, or a refusal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "fuzz/fuzz.h"
#include "io/npy_header.h"

static int parse(ga__npy_header *h, const uint8_t *bytes, size_t n) {
  size_t prefix, text;

  if (n < GA_NPY_PREFIX_MAX)
    return GA_VALUE_ERROR;
  GA_TRY(ga__npy_prefix_bytes(&prefix, bytes));
  GA_TRY(ga__npy_text_bytes(&text, bytes));
  if (text > GA_NPY_TEXT_MAX || prefix + text > n)
    return GA_VALUE_ERROR;
  return ga__npy_parse(h, (const char *)bytes + prefix, text);
}

static void check(const ga__npy_header *h) {
  double bytes = (double)ga__dtype_size(h->typecode);
  ga__strb again = GA_STRB_INIT;
  ga__npy_header second;

  for (unsigned int i = 0; i < h->nd; i++)
    bytes *= (double)h->dims[i];
  if (fabs((double)h->bytes - bytes) > 1e-9 * bytes)
    abort(); /* not the rounding of a double */
  ga__npy_format(&again, h);
  if (again.err != GA_NO_ERROR ||
      parse(&second, (const uint8_t *)again.s, again.n) != GA_NO_ERROR ||
      second.nd != h->nd || second.typecode != h->typecode ||
      memcmp(second.dims, h->dims, h->nd * sizeof *h->dims) != 0)
    abort();
  ga__strb_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  ga__npy_header h;

  fuzz_accepted = parse(&h, bytes, n) == GA_NO_ERROR;
  if (fuzz_accepted)
    check(&h);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a safetensors file: tensors that lie in the file one behind the
 * other, as large as their sizes say, or a refusal. */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fuzz/fuzz.h"
#include "text/json.h"
#include "text/safetensors_header.h"

static void check(const gg__safetensors *list, size_t n) {
  for (size_t i = 0; i < list->n; i++) {
    const gg__safetensor *t = &list->v[i];
    size_t bytes = ga__dtype_size(t->dtype);

    if (t->begin > t->end || t->end > n || t->begin < 10)
      abort();
    if (i != 0 && t->begin != list->v[i - 1].end)
      abort();
    if (!gg__is_utf8(t->name, strlen(t->name)))
      abort();
    if (t->dtype < 0 || t->nd > GG_MAX_ND)
      continue;
    for (unsigned int k = 0; k < t->nd; k++)
      bytes *= t->dims[k];
    if (bytes != t->end - t->begin)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  ga__arena arena = GA_ARENA_INIT;
  gg__safetensors list = {NULL, 0, 0};

  fuzz_accepted = gg__safetensors_read(&list, &arena, bytes, n) == GA_NO_ERROR;
  if (fuzz_accepted)
    check(&list, n);
  ga__vec_clear(&list);
  ga__arena_clear(&arena);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays. */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

int ga__vec_grow(void **v, size_t n, size_t *cap, size_t size) {
  size_t want = n < 8 ? 8 : n * 2;
  void *p;

  if (n > SIZE_MAX / 2)
    return ga__fail_nomem();
  /* *v is declared as some T *, so copy it instead of accessing it as a void
   * *. */
  memcpy(&p, v, sizeof p);
  p = ga__realloc_array(p, want, size);
  if (p == NULL)
    return ga__fail_nomem();
  memcpy(v, &p, sizeof p);
  *cap = want;
  return GA_NO_ERROR;
}

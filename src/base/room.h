/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for a short list: in the structure that has it, or allocated if the
 * list is too long for that. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"

#define GA_ROOM_BYTES 320

/* All zeros, it has no memory. It must not move while a list is in it. */
typedef struct ga__room {
  void *far; /* owned, or NULL */
  alignas(max_align_t) unsigned char near[GA_ROOM_BYTES];
} ga__room;

/* Make room for a list of n elements of `size` zeroed bytes, in place of any
 * other one. NULL if memory is out. */
static inline void *ga__room_take(ga__room *s, size_t n, size_t size) {
  if (n > sizeof s->near / size)
    return s->far = ga__calloc(n, size);
  s->far = NULL;
  return memset(s->near, 0, n * size);
}

static inline void ga__room_drop(ga__room *s) {
  ga__free(s->far);
  s->far = NULL;
}

#endif

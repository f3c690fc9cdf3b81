/* SPDX-License-Identifier: BSD-2-Clause */
/* Growable arrays: GA_VEC(T) declares one, ga__vec_push appends to it. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/err.h"

#define GA_VEC(T)                                                              \
  struct {                                                                     \
    T *v;                                                                      \
    size_t n, cap;                                                             \
  }

/* Grow the memory for at least one more element of `size` bytes. *v may
 * move. */
int ga__vec_grow(void **v, size_t n, size_t *cap, size_t size);

/* Append `x`. Gives GA_NO_ERROR, or GA_MEMORY_ERROR with its message
 * recorded. */
#define ga__vec_push(vec, x)                                                   \
  (((vec)->n < (vec)->cap ||                                                   \
    ga__vec_grow((void **)&(vec)->v, (vec)->n, &(vec)->cap,                    \
                 sizeof *(vec)->v) == GA_NO_ERROR)                             \
       ? ((vec)->v[(vec)->n++] = (x), GA_NO_ERROR)                             \
       : GA_MEMORY_ERROR)

#define ga__vec_clear(vec)                                                     \
  (ga__free((vec)->v), (vec)->v = NULL, (vec)->n = 0, (vec)->cap = 0)

#endif

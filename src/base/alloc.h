/* SPDX-License-Identifier: BSD-2-Clause */
/* All host memory of the libraries comes from here, so that a test can make any
 * allocation fail. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/* NULL on failure or if n * size overflows. With a size of 0 the pointer is not
 * NULL either. The caller frees it with ga__free, and records the failure
 * (ga__fail_nomem). */
void *ga__malloc(size_t bytes);
void *ga__calloc(size_t n, size_t size);
/* As ga__calloc, for large memory that is read many times: it uses large pages
 * if the system has them. */
void *ga__calloc_large(size_t n, size_t size);
void *ga__realloc_array(void *p, size_t n, size_t size);
char *ga__strdup(const char *s);
void *ga__memdup(const void *p, size_t bytes);
void ga__free(void *p); /* accepts NULL */

/* For tests: make allocation number `nth` from now on fail (1 is the next one),
 * and with `persistent` every one after it. 0 ends this. Returns how many
 * allocations were left until the failure requested before; 0 or less if it has
 * happened or there was none. */
long ga__alloc_fail(long nth, int persistent);
/* For tests: count of allocations that are not freed. */
long ga__alloc_live(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* All host memory of the libraries goes through here, so that a test can fail
 * the n-th allocation. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/* NULL on failure or when n * size overflows; zero sizes give a valid,
 * freeable pointer. The caller reports the failure (ga__fail_nomem). */
void *ga__malloc(size_t bytes);
void *ga__calloc(size_t n, size_t size);
/* As ga__calloc, for large memory that is walked many times: uses large pages
 * where the system has them. */
void *ga__calloc_large(size_t n, size_t size);
void *ga__realloc_array(void *p, size_t n, size_t size);
char *ga__strdup(const char *s);
void *ga__memdup(const void *p, size_t bytes);
void ga__free(void *p); /* accepts NULL */

/* Test hook: the `nth` allocation from now fails (1 = the next one), and with
 * `persistent` every one after it; 0 switches the fault off. Returns how many
 * allocations remained before the previously requested failure; at most 0 when
 * it has happened or none was requested. */
long ga__alloc_fail(long nth, int persistent);
/* Allocations made and not yet freed; for leak checks in tests. */
long ga__alloc_live(void);

#endif

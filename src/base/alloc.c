/* SPDX-License-Identifier: BSD-2-Clause */
/* The C allocator with overflow checks, a count of live blocks and a switch
 * that makes allocations fail. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What fail_in holds when it does not count down. */
enum { FAIL_NEVER = 0, FAIL_ALWAYS = -1 };

static atomic_long live;
static atomic_long fail_in; /* allocations until the failing one */
static atomic_int fail_sticky;

/* No object may pass PTRDIFF_MAX; the C library is not asked, because the
 * sanitizers' one aborts. */
static int is_too_large(size_t n, size_t size) {
  return size != 0 && n > PTRDIFF_MAX / size;
}

static int must_fail(void) {
  long n = atomic_load_explicit(&fail_in, memory_order_relaxed);
  long next;

  while (n > 0) {
    next = n - 1;
    if (next == 0 && atomic_load(&fail_sticky))
      next = FAIL_ALWAYS;
    if (atomic_compare_exchange_weak(&fail_in, &n, next))
      break;
  }
  return n == 1 || n == FAIL_ALWAYS;
}

static void *count_live(void *p) {
  if (p != NULL)
    atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  return p;
}

void *ga__malloc(size_t bytes) {
  return ga__realloc_array(NULL, bytes, 1);
}

void *ga__calloc(size_t n, size_t size) {
  if (is_too_large(n, size) || must_fail())
    return NULL;
  if (n == 0 || size == 0)
    n = size = 1;
  return count_live(calloc(n, size));
}

void *ga__realloc_array(void *p, size_t n, size_t size) {
  void *q;

  if (is_too_large(n, size) || must_fail())
    return NULL;
  q = realloc(p, n * size != 0 ? n * size : 1);
  return p == NULL ? count_live(q) : q;
}

char *ga__strdup(const char *s) {
  return ga__memdup(s, strlen(s) + 1);
}

void *ga__memdup(const void *p, size_t bytes) {
  void *q = ga__malloc(bytes);

  if (q != NULL && bytes != 0)
    memcpy(q, p, bytes);
  return q;
}

void ga__free(void *p) {
  if (p != NULL)
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  free(p);
}

long ga__alloc_fail(long nth, int persistent) {
  atomic_store(&fail_sticky, persistent);
  return atomic_exchange(&fail_in, nth > 0 ? nth : FAIL_NEVER);
}

long ga__alloc_live(void) {
  return atomic_load(&live);
}

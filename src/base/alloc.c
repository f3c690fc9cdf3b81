/* SPDX-License-Identifier: BSD-2-Clause */
/* The C allocator with overflow checks, a count of live blocks, and failures
 * for tests. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes. The malloc of glibc finds smaller blocks in a list of the thread; its
 * calloc does not look there, and takes several times as long. */
#define SMALL 1024u
#define LARGE_PAGE 2097152u /* bytes; x86-64, and ARM with 4 KiB pages */

/* Values of fail_in that do not count down. */
enum { FAIL_NEVER = 0, FAIL_ALWAYS = -1 };

static atomic_long live;
static atomic_long fail_in; /* allocations until the failing one */
static atomic_int fail_sticky;

/* Objects have at most PTRDIFF_MAX bytes. Larger sizes are not passed to the C
 * library, because that of the sanitizers aborts. */
static int is_too_large(size_t n, size_t size) {
  return size != 0 && n > PTRDIFF_MAX / size;
}

static int must_fail(void) {
  long n = atomic_load_explicit(&fail_in, memory_order_relaxed);

  while (n > 0) {
    long next = n - 1;
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
  if (!is_too_large(n, size) && n * size <= SMALL) {
    void *p = ga__realloc_array(NULL, n, size);
    return p != NULL ? memset(p, 0, n * size) : NULL;
  }
  if (is_too_large(n, size) || must_fail())
    return NULL;
  return count_live(calloc(n, size));
}

/* A graph of 100,000 nodes has tens of thousands of small pages, whose faults
 * and look-ups take about a third of the time to compile it. */
void *ga__calloc_large(size_t n, size_t size) {
  if (is_too_large(n, size) || n * size < LARGE_PAGE)
    return ga__calloc(n, size);
  if (must_fail())
    return NULL;
  size_t bytes = (n * size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  void *p = aligned_alloc(LARGE_PAGE, bytes);
  if (p == NULL)
    return NULL;
#ifdef MADV_HUGEPAGE
  (void)madvise(p, bytes, MADV_HUGEPAGE); /* it may fail */
#endif
  return count_live(memset(p, 0, bytes));
}

void *ga__realloc_array(void *p, size_t n, size_t size) {
  if (is_too_large(n, size) || must_fail())
    return NULL;
  void *q = realloc(p, n * size != 0 ? n * size : 1);
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

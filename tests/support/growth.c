/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

enum { TIMES = 8, MARGIN = 24 };

/* Seconds that caches and fresh pages may add. */
static const double slack = 0.05;

static double now(void) {
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of some turns, in seconds. */
static double seconds_of(void (*work)(const void *arg, size_t n),
                         const void *arg, size_t n, unsigned int turns) {
  double best = 1e9;

  for (unsigned int i = 0; i < turns; i++) {
    const double start = now();
    work(arg, n);
    const double took = now() - start;
    best = took < best ? took : best;
  }
  return best;
}

void test_is_linear(const char *name, void (*work)(const void *arg, size_t n),
                    const void *arg, size_t few) {
  const double small = seconds_of(work, arg, few, 5);
  const double large = seconds_of(work, arg, few * TIMES, 2);

  if (large > MARGIN * small + slack)
    fail_msg("%s: %zu take %.4f s, %zu take %.4f s", name, few, small,
             few * TIMES, large);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Monotonic time in nanoseconds from the POSIX clock. */
#include "base/clock.h"

#include <time.h>

uint64_t ga__now_ns(void) {
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

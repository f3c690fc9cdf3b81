/* SPDX-License-Identifier: BSD-2-Clause */
/* Monotonic time in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t ga__now_ns(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Time against size. */
#ifndef SUPPORT_GROWTH_H
#define SUPPORT_GROWTH_H

#include <stddef.h>

/* Fail unless `work` takes time linear in n, from `few` on. Times are of the
 * thread, and the margin is wide: eight times the work may take 24 times as
 * long, where quadratic work takes 64. */
void test_is_linear(const char *name, void (*work)(const void *arg, size_t n),
                    const void *arg, size_t few);

#endif
